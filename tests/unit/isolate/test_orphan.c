/* A fork's memory moves on to a process whose parent is who reaps orphans: the test. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/isolate/orphan.h"

enum {
    ROUNDS = 100,
    TEXT = 1 << 20,
};

struct report {
    pid_t pid, parent, thread;
    bool is_blocked, has_memory, has_forked, has_lock, has_clock;
};

static int
become_reaper(void **state UNUSED)
{
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

/* Once the process between has ended. What a worker does with memory, threads and forks
 * goes on working. */
static struct report
look(const char *text, int ended)
{
    char byte;
    const bool has_waited = read(ended, &byte, 1) == 1;
    struct report report = {.pid = getpid(),
                            .parent = has_waited ? getppid() : -1,
                            .thread = (pid_t)syscall(SYS_gettid),
                            .has_memory = true};
    struct timespec now;
    clockid_t clock;
    pthread_mutexattr_t kind;
    pthread_mutex_t lock;
    sigset_t mask;
    int status;

    for (size_t i = 0; i < TEXT; i++)
        report.has_memory = report.has_memory && text[i] == 'x';
    sigprocmask(SIG_SETMASK, NULL, &mask);
    report.is_blocked = sigismember(&mask, SIGUSR1) && !sigismember(&mask, SIGUSR2);
    pid_t child = fork();
    if (child == 0)
        _exit(7);
    report.has_forked = waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK); /* asks for our id */
    pthread_mutex_init(&lock, &kind);
    report.has_lock = pthread_mutex_lock(&lock) == 0 &&
                      pthread_mutex_lock(&lock) == EDEADLK &&
                      pthread_mutex_unlock(&lock) == 0;
    report.has_clock = pthread_getcpuclockid(pthread_self(), &clock) == 0 &&
                       clock_gettime(clock, &now) == 0; /* by the id that C knows */
    return report;
}

/* The process between ends with status 0; the orphan reports. */
static struct report
move_on(const char *text)
{
    struct report report = {0};
    int ends[2], ended[2], status;

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(pipe(ended), 0);
    pid_t between = fork();
    if (between == 0) {
        orphan_move_on();
        report = look(text, ended[0]);
        _exit(write(ends[1], &report, sizeof(report)) != sizeof(report));
    }
    close(ends[1]);
    assert_int_equal(waitpid(between, &status, 0), between);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(write(ended[1], "e", 1), 1);
    assert_int_equal(read(ends[0], &report, sizeof(report)), sizeof(report));
    close(ends[0]);
    close(ended[0]);
    close(ended[1]);
    assert_int_not_equal(report.pid, between);
    assert_int_equal(waitpid(report.pid, &status, 0), report.pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return report;
}

static void
is_our_child_with_memory_signals_and_locks_as_they_were(void **state UNUSED)
{
    char *text = malloc(TEXT);
    sigset_t mask;

    assert_non_null(text);
    memset(text, 'x', TEXT);
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        struct report report = move_on(text);
        assert_int_equal(report.parent, getpid());
        assert_int_equal(report.thread, report.pid);
        assert_true(report.is_blocked);
        assert_true(report.has_memory);
        assert_true(report.has_forked);
        assert_true(report.has_lock);
        assert_true(report.has_clock);
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    free(text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_our_child_with_memory_signals_and_locks_as_they_were),
    };

    return cmocka_run_group_tests(tests, become_reaper, NULL);
}
