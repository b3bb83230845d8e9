#include "common/sandboxd_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>

#include "common/paths.h"

#define LOG_COMPONENT "sandboxd-spawn"
#include "common/log.h"

enum {
    READY_FD = 3,
    OWNER_FD = 4,
};

/* sandboxd outlives the process that starts it, and serves others: it must not keep the
 * secrets that happen to be in the environment of the first one. */
static const char *const passed_on[] = {
    "HOME",           "PATH",   "USER",   "LOGNAME",
    "LANG",           "TZ",     "TMPDIR", "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME", "LC_ALL",
};

static bool
is_passed_on(const char *entry)
{
    size_t len = strcspn(entry, "=");

    if (strncmp(entry, "CELLPOD_", 8) == 0)
        return true;
    for (size_t i = 0; i < COUNT_OF(passed_on); i++)
        if (slice_equals((struct slice){entry, len}, slice_of(passed_on[i])))
            return true;
    return false;
}

static char **
environment_to_pass_on(void)
{
    size_t count = 0, kept = 0;

    while (environ[count])
        count++;
    char **kept_entries = xcalloc(count + 1, sizeof(*kept_entries));
    for (size_t i = 0; i < count; i++)
        if (is_passed_on(environ[i]))
            kept_entries[kept++] = environ[i];
    return kept_entries;
}

static void
set_actions(posix_spawn_file_actions_t *actions, int ready_fd, int owner_fd)
{
    int last = READY_FD;

    posix_spawn_file_actions_init(actions);
    for (int fd = 0; fd <= 2; fd++)
        posix_spawn_file_actions_addopen(actions, fd, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_adddup2(actions, ready_fd, READY_FD);
    if (owner_fd >= 0)
        posix_spawn_file_actions_adddup2(actions, owner_fd, last = OWNER_FD);
    posix_spawn_file_actions_addclosefrom_np(actions, last + 1);
}

/* Its own session: an interrupt of the kernel's process group is not for it. */
static void
set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none, all;

    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(attributes);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &all);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
                                             POSIX_SPAWN_SETSIGDEF);
}

static int
spawn(const char *program, char **argv, int ready_fd, int owner_fd, struct error *err)
{
    AUTO(mem) char **env = environment_to_pass_on();
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t pid;

    set_actions(&actions, ready_fd, owner_fd);
    set_attributes(&attributes);
    errno = posix_spawn(&pid, program, &actions, &attributes, argv, env);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (errno)
        return error_sys(err, "start %s", program);
    log_info("started pid=%d", (int)pid);
    return 0;
}

/* Neither end may have a number that the new program is to have. */
static int
make_pipe(int *reader, int *writer, struct error *err)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return error_sys(err, "make a pipe");
    *reader = fcntl(ends[0], F_DUPFD_CLOEXEC, OWNER_FD + 1);
    *writer = fcntl(ends[1], F_DUPFD_CLOEXEC, OWNER_FD + 1);
    close(ends[0]);
    close(ends[1]);
    return *reader < 0 || *writer < 0 ? error_sys(err, "make a pipe") : 0;
}

int
sandboxd_spawn(const char *socket_path, int *ready, struct error *err)
{
    AUTO(mem) char *program = paths_installed("bin/cellpod-sandboxd", err);
    AUTO(mem) char *listen = xasprintf("unix:%s", socket_path);
    const char *argv[] = {"cellpod-sandboxd", "--listen", listen,
                          "--ready-fd",       "3",        NULL};
    AUTO(fd) int reader = -1;
    AUTO(fd) int writer = -1;

    if (!program || make_pipe(&reader, &writer, err) < 0 ||
        spawn(program, (char **)argv, writer, -1, err) < 0)
        return -1;
    *ready = take_fd(&reader);
    return 0;
}

int
sandboxd_spawn_runsc(const struct runsc_place *place, int *ready, int *owner,
                     struct error *err)
{
    AUTO(mem) char *program = paths_installed("bin/cellpod-runsc", err);
    const char *argv[] = {
        "cellpod-runsc",  "--ready-fd",  "3",        "--owner-fd",  "4",
        "--folder",       place->folder, "--python", place->python, "--workspace",
        place->workspace, NULL};
    AUTO(fd) int reader = -1;
    AUTO(fd) int writer = -1;
    AUTO(fd) int theirs = -1;
    AUTO(fd) int ours = -1;

    if (!place->workspace)
        argv[COUNT_OF(argv) - 3] = NULL;
    if (!program || make_pipe(&reader, &writer, err) < 0 ||
        make_pipe(&theirs, &ours, err) < 0 ||
        spawn(program, (char **)argv, writer, theirs, err) < 0)
        return -1;
    *ready = take_fd(&reader);
    *owner = take_fd(&ours);
    return 0;
}

int
sandboxd_spawn_judge(char *said, struct error *err)
{
    said[strcspn(said, "\n")] = '\0';
    if (strcmp(said, "ready") == 0 || strcmp(said, "taken") == 0)
        return 0;
    if (strncmp(said, "error: ", 7) == 0)
        return error_set(err, ERR_UNAVAILABLE, "cellpod-sandboxd: %s", said + 7);
    return error_set(err, ERR_UNAVAILABLE,
                     "cellpod-sandboxd ended at once without giving a reason");
}
