/* Init's side of a succession. The test forks an init, which as the reaper of its
 * descendants stands where process 1 would, and reads what it reports. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "sandbox/isolate/pid1.h"
#include "tests/unit/unit.h"

enum {
    PATIENCE_MS = 20000
};

struct fixture {
    int socket; /* the test's end of init's */
    pid_t init;
    char said[256];
    int fd; /* beside what was said */
};

/* What the worker does, and what is left of it. */
typedef void worker_story(void);

static int init_socket, go[2]; /* go: for who waits for the test */

static void
run_init(int socket, worker_story *story)
{
    char message[64];
    int channel;

    init_socket = socket;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (pid1_prepare() < 0 || pid1_begin() < 0)
        _exit(1);
    pid_t worker = fork();
    if (worker == 0) {
        story();
        _exit(0);
    }
    if (pid1_report_start(socket, worker) < 0)
        _exit(2);
    _exit(pid1_await(socket, message, sizeof(message), &channel) < 0);
}

static void
start(struct fixture *f, worker_story *story)
{
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    f->init = fork();
    if (f->init == 0) {
        close(ends[0]);
        run_init(ends[1], story);
    }
    close(ends[1]);
    f->socket = ends[0];
    f->fd = -1;
}

/* The next message of init; its pidfd in f->fd. */
static const char *
hear(struct fixture *f)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec bytes = {f->said, sizeof(f->said) - 1};
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = control.space,
                             .msg_controllen = sizeof(control.space)};
    struct pollfd poller = {f->socket, POLLIN, 0};

    auto_fd(&f->fd);
    f->fd = -1;
    assert_int_equal(poll(&poller, 1, PATIENCE_MS), 1);
    ssize_t len = recvmsg(f->socket, &message, MSG_CMSG_CLOEXEC);
    assert_true(len > 0);
    f->said[len] = '\0';
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header)
        memcpy(&f->fd, CMSG_DATA(header), sizeof(f->fd));
    print_message("  %s\n", f->said);
    return f->said;
}

static long
number(struct fixture *f, const char *name)
{
    const char *at = strstr(f->said, name);

    assert_non_null(at);
    return strtol(at + strlen(name), NULL, 10);
}

static void
finish(struct fixture *f)
{
    auto_fd(&f->fd);
    close(f->socket); /* which ends init */
    kill(f->init, SIGKILL);
    waitpid(f->init, NULL, 0);
}

static void
kill_heir(struct fixture *f)
{
    assert_int_equal(syscall(SYS_pidfd_send_signal, f->fd, SIGUSR1, NULL, 0), 0);
}

/* --- stories --- */

static pid_t
fork_heir(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        struct pollfd end = {init_socket, 0, 0};
        poll(&end, 1, -1); /* of the test */
        _exit(0);
    }
    return pid;
}

static void
leave_an_heir(void)
{
    pid1_name_successor(fork_heir());
}

static void
leave_an_heir_and_crash(void)
{
    leave_an_heir();
    signal(SIGUSR2, SIG_DFL);
    raise(SIGUSR2);
}

static void
leave_an_heir_that_leaves_one(void)
{
    pid_t heir = fork();
    char byte;

    if (heir == 0) {
        if (read(go[0], &byte, 1) == 1)
            leave_an_heir();
        _exit(0);
    }
    pid1_name_successor(heir);
}

static void
leave_an_heir_that_is_dead(void)
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(9);
    siginfo_t info;
    waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT); /* unreaped */
    pid1_name_successor(pid);
}

static void
name_nonsense(void)
{
    fork_heir();
    pid1_name_successor(1);
}

static void
name_itself(void)
{
    pid1_name_successor(getpid());
}

static void
name_a_stranger(void)
{
    pid1_name_successor((pid_t)syscall(SYS_getsid, 0));
}

static void
name_a_negative(void)
{
    pid1_name_successor(-1);
}

static void
name_an_heir_and_think_again(void)
{
    pid1_name_successor(fork_heir());
    pid1_name_successor(0);
    _exit(5);
}

static void
leave_two_heirs(void)
{
    pid1_name_successor(fork_heir());
    pid1_name_successor(fork_heir());
}

static void
leave_two_heirs_and_a_dead_one(void)
{
    leave_two_heirs();
    leave_an_heir_that_is_dead();
}

/* --- tests --- */

static void
reports_a_successor_and_then_its_end(void **state UNUSED)
{
    struct fixture f;

    start(&f, leave_an_heir);
    assert_non_null(strstr(hear(&f), "\"started\""));
    long worker = number(&f, "\"pid\":");
    assert_non_null(strstr(hear(&f), "\"succeeded\""));
    long heir = number(&f, "\"pid\":");
    assert_int_not_equal(heir, worker);
    assert_true(f.fd >= 0);
    kill_heir(&f);
    assert_non_null(strstr(hear(&f), "\"exited\""));
    assert_int_equal(number(&f, "\"pid\":"), heir);
    assert_int_equal(number(&f, "\"status\":"), SIGUSR1);
    finish(&f);
}

static void
tells_how_the_predecessor_ended(void **state UNUSED)
{
    struct fixture f;

    start(&f, leave_an_heir_and_crash);
    hear(&f);
    assert_non_null(strstr(hear(&f), "\"succeeded\""));
    assert_int_equal(number(&f, "\"status\":"), SIGUSR2);
    assert_true(number(&f, "\"peak_kb\":") > 0);
    kill_heir(&f);
    hear(&f);
    finish(&f);
}

static void
reports_one_after_the_other(void **state UNUSED)
{
    struct fixture f;

    assert_int_equal(pipe(go), 0);
    start(&f, leave_an_heir_that_leaves_one);
    hear(&f);
    assert_non_null(strstr(hear(&f), "\"succeeded\""));
    long first = number(&f, "\"pid\":");
    assert_int_equal(write(go[1], "x", 1), 1); /* sandboxd wakes it */
    assert_non_null(strstr(hear(&f), "\"succeeded\""));
    assert_int_not_equal(number(&f, "\"pid\":"), first);
    kill_heir(&f);
    assert_non_null(strstr(hear(&f), "\"exited\""));
    finish(&f);
    close(go[0]);
    close(go[1]);
}

static void
passes_over_a_successor_that_died_first(void **state UNUSED)
{
    struct fixture f;

    start(&f, leave_an_heir_that_is_dead);
    hear(&f);
    assert_non_null(strstr(hear(&f), "\"exited\""));
    assert_int_equal(number(&f, "\"status\":"), 0);
    finish(&f);
}

/* The newest that lives. */
static void
falls_back_on_who_was_named_before(void **state UNUSED)
{
    worker_story *const stories[] = {leave_two_heirs, leave_two_heirs_and_a_dead_one};

    for (size_t i = 0; i < COUNT_OF(stories); i++) {
        struct fixture f;
        start(&f, stories[i]);
        hear(&f);
        assert_non_null(strstr(hear(&f), "\"succeeded\""));
        long newer = number(&f, "\"pid\":");
        kill_heir(&f);
        assert_non_null(strstr(hear(&f), "\"succeeded\""));
        assert_true(number(&f, "\"pid\":") < newer);
        kill_heir(&f);
        assert_non_null(strstr(hear(&f), "\"exited\""));
        finish(&f);
    }
}

static void
takes_no_notice_of_nonsense(void **state UNUSED)
{
    worker_story *const stories[] = {name_nonsense, name_itself, name_a_stranger,
                                     name_a_negative, name_an_heir_and_think_again};

    for (size_t i = 0; i < COUNT_OF(stories); i++) {
        struct fixture f;
        start(&f, stories[i]);
        assert_non_null(strstr(hear(&f), "\"started\""));
        long worker = number(&f, "\"pid\":");
        assert_non_null(strstr(hear(&f), "\"exited\""));
        assert_int_equal(number(&f, "\"pid\":"), worker);
        finish(&f);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_a_successor_and_then_its_end),
        cmocka_unit_test(tells_how_the_predecessor_ended),
        cmocka_unit_test(reports_one_after_the_other),
        cmocka_unit_test(passes_over_a_successor_that_died_first),
        cmocka_unit_test(falls_back_on_who_was_named_before),
        cmocka_unit_test(takes_no_notice_of_nonsense),
    };
    return cmocka_run_group_tests_name("succession", tests, NULL, NULL);
}
