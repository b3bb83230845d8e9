#include "cli/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>

enum {
    PATIENCE_S = 10,
    LINE_BYTES = 4096,
};

static int
spawn(char *const *arguments, int to, pid_t *pid, struct error *err)
{
    posix_spawn_file_actions_t actions;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, to, 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    errno = posix_spawnp(pid, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return errno ? error_sys(err, "run %s", arguments[0]) : 0;
}

/* False when it takes too long, or prints too much. */
static bool
read_until_end(int from, char *said)
{
    time_t deadline = time(NULL) + PATIENCE_S;
    size_t len = 0;

    for (;;) {
        struct pollfd item = {.fd = from, .events = POLLIN};
        time_t left = deadline - time(NULL);
        if (left <= 0 || poll(&item, 1, (int)left * 1000) <= 0)
            return false;
        ssize_t got = read(from, said + len, LINE_BYTES - 1 - len);
        if (got <= 0)
            return got == 0;
        len += (size_t)got;
    }
}

char *
capture_line(char *const *arguments, struct error *err)
{
    char said[LINE_BYTES] = "";
    int ends[2], status = 0;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return (void)error_sys(err, "make a pipe"), NULL;
    AUTO(fd) int from = ends[0];
    int spawned = spawn(arguments, ends[1], &pid, err);
    close(ends[1]);
    if (spawned < 0)
        return NULL;
    bool has_ended = read_until_end(from, said);
    if (!has_ended)
        kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    if (!has_ended || status != 0) {
        error_format(err, ERR_SYSTEM, "%s %s", arguments[0],
                     has_ended ? "failed" : "does not answer");
        return NULL;
    }
    return xstrndup(said, strcspn(said, "\n"));
}
