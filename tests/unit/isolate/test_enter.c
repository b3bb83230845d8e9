/*
 * Each call that a child makes to lock itself in fails once: there must be no sandbox
 * then, and the failure must say which layer, which step, and why.
 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "sandbox/isolate/isolate.h"

enum {
    INJECTED = ENOTRECOVERABLE, /* what no call here fails with by itself */
    ENOUGH = 4000,              /* more calls than a child makes */
};

/* The call that fails, counted down; negative: none does. */
static long calls_left = -1;

static bool
must_fail(void)
{
    if (calls_left <= 0 || --calls_left > 0)
        return false;
    calls_left = -1;
    errno = INJECTED;
    return true;
}

/* Wrapped by the linker: see WRAP_test_enter in the Makefile. */
#define WRAPPED(type, name, parameters, arguments) \
    type __real_##name parameters;                 \
    type __wrap_##name parameters;                 \
    type __wrap_##name parameters                  \
    {                                              \
        if (must_fail())                           \
            return -1;                             \
        return __real_##name arguments;            \
    }

WRAPPED(long, syscall, (long n, long a, long b, long c, long d, long e),
        (n, a, b, c, d, e))
WRAPPED(int, prctl, (int n, long a, long b, long c, long d), (n, a, b, c, d))
WRAPPED(int, openat, (int at, const char *path, int flags, mode_t mode),
        (at, path, flags, mode))
WRAPPED(int, open, (const char *path, int flags, mode_t mode), (path, flags, mode))
WRAPPED(int, fcntl, (int fd, int command, long argument), (fd, command, argument))
WRAPPED(int, ioctl, (int fd, unsigned long request, void *argument),
        (fd, request, argument))
WRAPPED(int, unshare, (int flags), (flags))
WRAPPED(int, sethostname, (const char *name, size_t len), (name, len))
WRAPPED(int, mkdirat, (int at, const char *path, mode_t mode), (at, path, mode))
WRAPPED(int, symlinkat, (const char *target, int at, const char *path),
        (target, at, path))
WRAPPED(int, fchmodat, (int at, const char *path, mode_t mode, int flags),
        (at, path, mode, flags))
WRAPPED(int, setrlimit, (int resource, const struct rlimit *limit), (resource, limit))
WRAPPED(int, setresuid, (uid_t a, uid_t b, uid_t c), (a, b, c))
WRAPPED(int, setresgid, (gid_t a, gid_t b, gid_t c), (a, b, c))
WRAPPED(int, setgroups, (size_t count, const gid_t *groups), (count, groups))
WRAPPED(int, chdir, (const char *path), (path))
WRAPPED(int, fchdir, (int fd), (fd))
WRAPPED(int, dup2, (int from, int to), (from, to))
WRAPPED(int, socket, (int family, int type, int protocol), (family, type, protocol))
WRAPPED(int, bind, (int fd, const struct sockaddr *name, socklen_t len),
        (fd, name, len))
WRAPPED(int, listen, (int fd, int backlog), (fd, backlog))

static char workspace[] = "/var/tmp/cellpod-unit-XXXXXX";

static const struct isolate_bind binds[] = {
    {workspace, workspace, BIND_USERS | BIND_WRITABLE},
};

static struct isolate_plan plan = {
    .binds = binds,
    .bind_count = COUNT_OF(binds),
    .sandbox_id = -1,
    .idmap = -1,
    .pids = 64,
    .nofile = 256,
    .tmp_mb = 8,
    .proxy_port = 3128,
    .memory_mb = 1024,
    .cwd = workspace,
};

struct report {
    int result;
    struct isolate_failure failure;
    char layer[32];
};

static void
enter_and_report(int out, long failing)
{
    struct report report = {0};
    int listener;

    calls_left = failing;
    report.result = isolate_enter(&plan, &listener, &report.failure);
    calls_left = -1;
    if (report.failure.layer)
        snprintf(report.layer, sizeof(report.layer), "%s", report.failure.layer);
    _exit(write(out, &report, sizeof(report)) == sizeof(report) ? 0 : 1);
}

/* Spawn a child whose nth call fails; it ends once it has reported. */
static struct report
spawn(long failing)
{
    struct isolate_failure failure;
    struct report report;
    int pidfd = -1, ends[2];

    assert_int_equal(pipe(ends), 0);
    pid_t pid = isolate_spawn(0, &pidfd, &failure);
    if (pid == 0)
        enter_and_report(ends[1], failing);
    assert_true(pid > 0);
    close(ends[1]);
    assert_int_equal(read(ends[0], &report, sizeof(report)), sizeof(report));
    close(ends[0]);
    close(pidfd);
    return report;
}

static void
succeeds_when_nothing_fails(void **state UNUSED)
{
    struct report report = spawn(-1);

    assert_string_equal(report.failure.message, "");
    assert_int_equal(report.result, 0);
}

static void
fails_closed_whatever_fails(void **state UNUSED)
{
    const char *layers[] = {"files",      "network",  "limits", "users",
                            "privileges", "landlock", "seccomp"};
    bool seen[COUNT_OF(layers)] = {false};
    long n = 1;

    for (; n < ENOUGH; n++) {
        struct report report = spawn(n);
        if (report.result == 0)
            break;
        if (report.failure.sys != INJECTED)
            print_error("call %ld: %s\n", n, report.failure.message);
        assert_int_equal(report.failure.sys, INJECTED);
        assert_true(report.failure.step[0]);
        assert_non_null(strstr(report.failure.message, report.failure.step));
        for (size_t i = 0; i < COUNT_OF(layers); i++)
            seen[i] |= strcmp(report.layer, layers[i]) == 0;
    }
    /* The first success is the one after the last call, not one that went unnoticed. */
    assert_true(n > 300);
    for (long more = n; more < n + 50; more++)
        assert_int_equal(spawn(more).result, 0);
    for (size_t i = 0; i < COUNT_OF(layers); i++)
        assert_true(seen[i]);
}

static void
names_a_folder_that_does_not_exist(void **state UNUSED)
{
    const struct isolate_bind gone = {"/var/tmp/cellpod-gone", "/data", BIND_USERS};
    struct isolate_plan usual = plan;

    plan.binds = &gone;
    struct report report = spawn(-1);
    plan = usual;
    assert_int_equal(report.result, -1);
    assert_string_equal(report.layer, "files");
    assert_string_equal(report.failure.step, "open /var/tmp/cellpod-gone");
    assert_int_equal(report.failure.sys, ENOENT);
    assert_non_null(strstr(report.failure.remedy, "does not exist"));
}

static void
only_waivable_layers_can_be_waived(void **state UNUSED)
{
    assert_int_equal(isolate_waiver("landlock"), 1u << ISOLATE_LANDLOCK);
    assert_int_equal(isolate_waiver("files"), 0);
    assert_int_equal(isolate_waiver("processes"), 0);
    assert_int_equal(isolate_waiver(""), 0);
}

static void
make_file(const char *name)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/%s", workspace, name);
    close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
}

static int
set_up(void **state UNUSED)
{
    struct isolate_failure failure;

    if (!mkdtemp(workspace) || chmod(workspace, 0755) < 0)
        return -1;
    make_file("a.ipynb");
    make_file(".hidden");
    if (geteuid() == 0)
        plan.sandbox_id = 1879148191;
    if (isolate_prepare(ISOLATE_OWN, &failure) < 0) {
        print_error("%s; %s\n", failure.message, failure.remedy);
        return -1;
    }
    return isolate_compile(&failure);
}

static int
tear_down(void **state UNUSED)
{
    char command[128];

    snprintf(command, sizeof(command), "%s/a.ipynb", workspace);
    unlink(command);
    snprintf(command, sizeof(command), "%s/.hidden", workspace);
    unlink(command);
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* or leak checkers cannot look */
    return rmdir(workspace);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(succeeds_when_nothing_fails),
        cmocka_unit_test(fails_closed_whatever_fails),
        cmocka_unit_test(names_a_folder_that_does_not_exist),
        cmocka_unit_test(only_waivable_layers_can_be_waived),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
