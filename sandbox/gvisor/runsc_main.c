/*
 * cellpod-runsc --folder DIR --python PATH [--workspace DIR] --ready-fd N --owner-fd N
 *
 * One sandboxd under gVisor (runtime: runsc), for one kernel: makes the bundle in DIR,
 * runs it, says "ready" when DIR/sockets/sandboxd listens, and ends it all, DIR
 * included, when the owner's end of its pipe closes.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "common/version.h"
#include "sandbox/gvisor/bundle.h"
#include "sandbox/gvisor/gofer.h"
#include "sandbox/loop.h"

enum {
    LISTEN_MS = 60000,
    LOOK_MS = 20,
    OPEN_FOLDERS = 16,
};

struct options {
    const char *folder, *python, *workspace;
    int ready_fd, owner_fd;
};

static int
read_options(int argc, char **argv, struct options *out)
{
    static const struct option known[] = {
        {"folder",    required_argument, NULL, 'f'},
        {"python",    required_argument, NULL, 'p'},
        {"workspace", required_argument, NULL, 'w'},
        {"ready-fd",  required_argument, NULL, 'r'},
        {"owner-fd",  required_argument, NULL, 'o'},
        {NULL,        0,                 NULL, 0  },
    };
    int option;

    *out = (struct options){.ready_fd = -1, .owner_fd = -1};
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1)
        switch (option) {
        case 'f':
            out->folder = optarg;
            break;
        case 'p':
            out->python = optarg;
            break;
        case 'w':
            out->workspace = optarg;
            break;
        case 'r':
            out->ready_fd = atoi(optarg);
            break;
        case 'o':
            out->owner_fd = atoi(optarg);
            break;
        default:
            return -1;
        }
    return out->folder && out->python && out->ready_fd > 2 && out->owner_fd > 2 ? 0
                                                                                : -1;
}

/* --- runsc --- */

/* Old ones have a socket of this name that all of the machine's share. */
static char *
container_name(void)
{
    return xasprintf("cellpod-%d", (int)getpid());
}

/* It ends with us, and so does all that it has started: runsc sees to that. */
static NORETURN void
become_runsc(const struct bundle_spec *spec)
{
    AUTO(mem) char *state = xasprintf("%s/state", spec->folder);
    AUTO(mem) char *log = xasprintf("%s/runsc.log", spec->folder);
    AUTO(mem) char *name = container_name();
    const char *const common[] = {"runsc",
                                  "--root",
                                  state,
                                  "--ignore-cgroups",
                                  "--network=none",
                                  "--host-uds=create",
                                  "--log",
                                  log};
    const char *const run[] = {"run", "-bundle", spec->folder, name};
    const char *arguments[COUNT_OF(common) + COUNT_OF(run) + 2];
    size_t count = 0;

    for (size_t i = 0; i < COUNT_OF(common); i++)
        arguments[count++] = common[i];
    if (spec->is_rootless)
        arguments[count++] = "--rootless";
    for (size_t i = 0; i < COUNT_OF(run); i++)
        arguments[count++] = run[i];
    arguments[count] = NULL;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execvp("runsc", (char **)arguments);
    dprintf(STDERR_FILENO, "%s\n",
            errno == ENOENT ? "gVisor's runsc is not in PATH: apt-get install runsc, "
                              "or set the runtime to \"namespaces\""
                            : strerror(errno));
    _exit(1);
}

static pid_t
start_runsc(const struct bundle_spec *spec, struct error *err)
{
    pid_t pid = fork();

    if (pid == 0)
        become_runsc(spec);
    return pid < 0 ? error_sys(err, "start runsc") : pid;
}

/* What runsc said last, since that is why it has ended. */
static int
explain(const char *folder, struct error *err)
{
    AUTO(mem) char *path = xasprintf("%s/output", folder);
    char text[400];
    AUTO(fd) int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = file < 0 ? -1 : read(file, text, sizeof(text) - 1);

    text[len > 0 ? len : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return error_set(err, ERR_UNAVAILABLE,
                     "runsc ended before its sandbox was ready: %s",
                     *text ? text : "it gave no reason");
}

/* --- waiting --- */

static bool
is_listening(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    AUTO(fd) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || strlen(path) >= sizeof(address.sun_path))
        return false;
    memcpy(address.sun_path, path, strlen(path));
    return connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0;
}

static bool
has_ended(pid_t runsc)
{
    return waitpid(runsc, NULL, WNOHANG) == runsc;
}

/* For so long, or until something happens. Returns false when the owner has left.
 * Before sandboxd listens no code of a user's runs: a socket that is made then is
 * sandboxd's. */
static bool
owner_waits(int owner, int questions, bool is_ready, int milliseconds)
{
    struct pollfd pollers[] = {
        {.fd = owner      },
        { .fd = questions, .events = POLLIN}
    };

    poll(pollers, COUNT_OF(pollers), milliseconds);
    if (pollers[1].revents & POLLIN)
        gofer_answer(questions, !is_ready);
    return pollers[0].revents == 0;
}

static int
await_socket(const struct options *options, pid_t runsc, int questions,
             struct error *err)
{
    AUTO(mem) char *path = xasprintf("%s/sockets/sandboxd", options->folder);
    int64_t deadline = loop_now_ms() + LISTEN_MS;

    while (loop_now_ms() < deadline) {
        if (is_listening(path))
            return 0;
        if (has_ended(runsc))
            return explain(options->folder, err);
        if (!owner_waits(options->owner_fd, questions, false, LOOK_MS))
            return error_set(err, ERR_UNAVAILABLE,
                             "the kernel that started it no longer waits");
    }
    return error_set(err, ERR_TIMEOUT, "runsc's sandbox did not listen within %d s",
                     LISTEN_MS / 1000);
}

/* --- the folder --- */

static int
remove_entry(const char *path, const struct stat *status UNUSED, int kind UNUSED,
             struct FTW *at UNUSED)
{
    remove(path);
    return 0;
}

static int
make_sockets(const char *folder, char **sockets, struct error *err)
{
    AUTO(mem) char *inner = xasprintf("%s/sockets", folder);

    if (mkdir(inner, 0700) < 0)
        return error_sys(err, "make %s", inner);
    *sockets = TAKE(inner);
    return 0;
}

/* What the container prints is for explain(). */
static int
redirect_output(const char *folder, struct error *err)
{
    AUTO(mem) char *path = xasprintf("%s/output", folder);
    AUTO(fd) int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

    if (file < 0 || dup2(file, 1) < 0 || dup2(file, 2) < 0)
        return error_sys(err, "write %s", path);
    return 0;
}

/* --- the whole --- */

/* Its sandbox and gofer, which are ours to wait for then, end with it. */
static void
end_runsc(pid_t runsc)
{
    kill(runsc, SIGKILL);
    while (wait(NULL) > 0)
        continue;
}

/* Root's cells are whoever owns the workspace: that is who makes the socket. */
static int
give_sockets(const struct bundle_spec *spec, struct error *err)
{
    struct stat owner;

    if (spec->is_rootless || !spec->workspace)
        return 0;
    if (stat(spec->workspace, &owner) < 0 ||
        chown(spec->sockets, owner.st_uid, owner.st_gid) < 0)
        return error_sys(err, "check %s", spec->workspace);
    return 0;
}

static int
prepare(const struct bundle_spec *spec, int *questions, struct error *err)
{
    struct bundle_spec told = *spec;
    AUTO(mem) char *notice = NULL;

    if (redirect_output(spec->folder, err) < 0 || give_sockets(spec, err) < 0 ||
        gofer_hold(spec->workspace, spec->folder, &notice, err) < 0)
        return -1;
    told.notice = notice;
    if (bundle_write(&told, err) < 0)
        return -1;
    return gofer_filter(questions, err);
}

static int
serve(const struct options *options, struct error *err)
{
    AUTO(mem) char *sockets = NULL;
    AUTO(fd) int questions = -1;

    if (make_sockets(options->folder, &sockets, err) < 0)
        return -1;
    const struct bundle_spec spec = {.folder = options->folder,
                                     .sockets = sockets,
                                     .python = options->python,
                                     .workspace = options->workspace,
                                     .is_rootless = geteuid() != 0};
    if (prepare(&spec, &questions, err) < 0)
        return -1;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t runsc = start_runsc(&spec, err);
    if (runsc < 0)
        return -1;
    int result = await_socket(options, runsc, questions, err);
    if (result == 0) {
        dprintf(options->ready_fd, "ready\n");
        while (owner_waits(options->owner_fd, questions, true, 500) &&
               !has_ended(runsc))
            continue;
    }
    end_runsc(runsc);
    return result;
}

static int
serve_and_remove(const struct options *options, struct error *err)
{
    int result = serve(options, err);

    nftw(options->folder, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    return result;
}

int
main(int argc, char **argv)
{
    struct options options;
    struct error err;

    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return version_print("cellpod-runsc");
    if (read_options(argc, argv, &options) < 0) {
        fprintf(
            stderr,
            "cellpod-runsc is started by cellpod-kernel: use its --runtime runsc\n");
        return 2;
    }
    fcntl(options.ready_fd, F_SETFD, FD_CLOEXEC);
    fcntl(options.owner_fd, F_SETFD, FD_CLOEXEC);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    int result = mkdir(options.folder, 0700) < 0
                     ? error_sys(&err, "make %s", options.folder)
                     : serve_and_remove(&options, &err);
    if (result < 0)
        dprintf(options.ready_fd, "error: %s\n", err.text);
    return result < 0;
}
