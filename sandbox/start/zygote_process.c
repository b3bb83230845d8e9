#include "sandbox/start/zygote_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>

#include "common/paths.h"
#include "sandbox/resources/process.h"
#include "sandbox/start/packet.h"

enum {
    ZYGOTE_FD = 3,
};

/* Only what Python and its libraries need to find themselves: no keys, no tokens. */
static char **
scrubbed_environment(void)
{
    static const char *const kept[] = {"PATH",         "LANG",           "LC_ALL",
                                       "HOME",         "XDG_CACHE_HOME", "TMPDIR",
                                       "MPLCONFIGDIR", "CELLPOD_LOG"};
    char **environment = xcalloc(COUNT_OF(kept) + 1, sizeof(*environment));
    size_t count = 0;

    for (size_t i = 0; i < COUNT_OF(kept); i++)
        if (getenv(kept[i]))
            environment[count++] = xasprintf("%s=%s", kept[i], getenv(kept[i]));
    return environment;
}

static void
free_environment(char **environment)
{
    for (char **entry = environment; *entry; entry++)
        free(*entry);
    free(environment);
}

/* exec failed: report it in the form that the zygote uses. */
NORETURN static void
report_exec_failure(const char *python)
{
    struct error err;
    AUTO(mem) char *message = xasprintf("cannot run %s: %s", python, strerror(errno));
    json_t *failure = json_pack(
        "{s:s, s:s, s:s, s:s, s:s}", "type", "failed", "code", "no-python", "layer", "",
        "message", message, "remedy",
        "Set CELLPOD_PYTHON to the path of a Python that has IPython installed.");

    _exit(packet_send(ZYGOTE_FD, failure, NULL, 0, &err) < 0 ? 126 : 127);
}

NORETURN static void
become_zygote(const char **arguments, char **environment, int socket, pid_t parent)
{
    sigset_t none;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(125);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    if (socket == ZYGOTE_FD)
        fcntl(socket, F_SETFD, 0);
    else
        dup2(socket, ZYGOTE_FD);
    close_range(ZYGOTE_FD + 1, ~0U, 0);
    execve(arguments[0], (char **)arguments, environment);
    report_exec_failure(arguments[0]);
}

int
zygote_process_start(const char *python, bool is_pod, int socket, pid_t *pid,
                     int *pidfd, struct error *err)
{
    AUTO(mem) char *script = paths_installed("share/cellpod/worker/zygote.py", err);
    AUTO(mem) char *libraries = script ? paths_installed("lib/cellpod", err) : NULL;
    const char *arguments[] = {
        python, "-I", "-X", "utf8", script, libraries, is_pod ? "pod" : "own", NULL};

    if (!libraries)
        return -1;
    char **environment = scrubbed_environment();
    pid_t parent = getpid();
    *pid = fork();
    if (*pid == 0)
        become_zygote(arguments, environment, socket, parent);
    free_environment(environment);
    if (*pid < 0)
        return error_sys(err, "start %s", python);
    *pidfd = process_open(*pid, err);
    return *pidfd < 0 ? -1 : 0;
}

const char *
zygote_process_remedy(int sys)
{
    return sys == EAGAIN
               ? "too many processes: end some, or raise the limit (ulimit -u)"
           : sys == ENOMEM ? "no memory left: end some programs or sandboxes"
                           : "";
}
