#include "sandbox/resources/user_scope.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "sandbox/resources/cgroup_file.h"
#include "sandbox/resources/cgroup_own.h"
#include "sandbox/resources/process.h"

#define LOG_COMPONENT "user_scope"
#include "common/log.h"

enum {
    MAX_TEXT = 8192,
    LOOK_AGAIN_NS = 5000000,
};

/* Where busctl looks for the user's bus. */
static int
find_bus(struct error *err)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    AUTO(mem) char *bus = xasprintf("%s/bus", runtime && *runtime ? runtime : "");
    struct stat about;

    if (!runtime || !*runtime)
        return error_set(err, ERR_UNAVAILABLE, "XDG_RUNTIME_DIR is not set");
    if (stat(bus, &about) < 0 || !S_ISSOCK(about.st_mode))
        return error_set(err, ERR_UNAVAILABLE, "there is no bus of this user at %s",
                         bus);
    return 0;
}

/* --- the call --- */

/* With no signal blocked, as sandboxd's own are. */
static int
spawn(char *const *arguments, pid_t *pid, struct error *err)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;

    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawn_file_actions_init(&actions);
    for (int fd = 0; fd <= 2; fd++)
        posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
    errno = posix_spawnp(pid, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return errno ? error_sys(err, "run %s", arguments[0]) : 0;
}

static int
left_ms(int64_t deadline_ms)
{
    int64_t left = deadline_ms - loop_now_ms();

    return left > 0 ? (int)left : 0;
}

/* Returns its status, or -1 when it takes too long; it is killed then. */
static int
wait_for(pid_t pid, int64_t deadline_ms)
{
    struct error err;
    AUTO(fd) int fd = process_open(pid, &err);
    struct pollfd item = {.fd = fd, .events = POLLIN};
    int status = 0;

    while (fd >= 0 && poll(&item, 1, left_ms(deadline_ms)) < 0 && errno == EINTR)
        continue;
    bool has_ended = waitpid(pid, &status, WNOHANG) == pid;
    if (!has_ended) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
        return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/* No unit is started for our sake, nobody is asked for a password, and no trace stays
 * of a scope that has ended. */
static int
ask(const char *name, int64_t deadline_ms, struct error *err)
{
    AUTO(mem) char *pid = xasprintf("%d", (int)getpid());
    const char *const arguments[] = {
        "busctl", "--user", "--quiet", "--timeout=2", "--auto-start=no",
        "--allow-interactive-authorization=no", "call",
        /* whom, and what */
        "org.freedesktop.systemd1", "/org/freedesktop/systemd1",
        "org.freedesktop.systemd1.Manager", "StartTransientUnit", "ssa(sv)a(sa(sv))",
        name, "fail", "4",
        /* properties: name, type, value */
        "Description", "s", "cellpod's sandboxes", "CollectMode", "s",
        "inactive-or-failed", "Delegate", "b", "true", "PIDs", "au", "1", pid,
        /* no further units */
        "0", NULL};
    pid_t child;

    if (spawn((char *const *)(uintptr_t)arguments, &child, err) < 0)
        return -1;
    int status = wait_for(child, deadline_ms);
    if (status < 0)
        return error_set(err, ERR_UNAVAILABLE, "systemd does not answer");
    if (status)
        return error_set(err, ERR_UNAVAILABLE, "systemd gives none");
    return 0;
}

/* --- being in it --- */

static bool
is_inside(const char *name)
{
    char text[MAX_TEXT];
    AUTO(mem) char *ending = xasprintf("/%s\n", name);

    return strstr(cgroup_file_read("/proc/self", "cgroup", text, sizeof(text)),
                  ending) != NULL;
}

/* The call's answer is a job: we are moved when that is done. */
static int
wait_inside(const char *name, int64_t deadline_ms, struct error *err)
{
    const struct timespec again = {.tv_nsec = LOOK_AGAIN_NS};

    while (!is_inside(name)) {
        if (left_ms(deadline_ms) == 0)
            return error_set(err, ERR_UNAVAILABLE, "systemd has not moved us into it");
        nanosleep(&again, NULL);
    }
    return 0;
}

/* Version 2 has no controllers for the groups below one that has processes itself. */
static int
enter_leaf(const char *name, struct error *err)
{
    AUTO(mem) char *scope = cgroup_own_folder("");
    AUTO(mem) char *leaf = scope ? xasprintf("%s/sandboxd", scope) : NULL;
    const char *slash = scope ? strrchr(scope, '/') : NULL;

    if (!slash || strcmp(slash + 1, name) != 0)
        return 0; /* of version 1 */
    if (mkdir(leaf, 0755) < 0)
        return error_sys(err, "make %s", leaf);
    return cgroup_file_write(leaf, "cgroup.procs", "0", err);
}

int
user_scope_enter(struct error *err)
{
    const int64_t deadline_ms = loop_now_ms() + USER_SCOPE_PATIENCE_MS;
    AUTO(mem) char *name =
        xasprintf("cellpod-%d-%lld.scope", (int)getpid(), (long long)loop_now_ms());

    if (find_bus(err) < 0 || ask(name, deadline_ms, err) < 0 ||
        wait_inside(name, deadline_ms, err) < 0 || enter_leaf(name, err) < 0)
        return -1;
    log_info("in a scope of the user's systemd, %s", name);
    return 0;
}
