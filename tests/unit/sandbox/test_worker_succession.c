/* The attempt's fork is a second idler. */
#include <signal.h>
#include <sys/wait.h>

#include "sandbox/resources/process.h"
#include "tests/unit/sandbox/worker_fixture.h"

/* The test that waits this out does not wait for so long. */
enum {
    SUCCESSION_MS = 10000,
    HURRIED_MS = 100
};
static bool is_hurried;

void __real_loop_timer_set(struct loop *loop, struct loop_timer *timer,
                           int64_t delay_ms);
void __wrap_loop_timer_set(struct loop *loop, struct loop_timer *timer,
                           int64_t delay_ms);

void
__wrap_loop_timer_set(struct loop *loop, struct loop_timer *timer, int64_t delay_ms)
{
    __real_loop_timer_set(
        loop, timer, is_hurried && delay_ms == SUCCESSION_MS ? HURRIED_MS : delay_ms);
}

static void
end_attempt(struct fixture *f, const char *id)
{
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
    struct error err;

    buffer_printf(&bytes, "{\"type\":\"attempt_end_request\",\"id\":\"%s\"}\n\n", id);
    assert_int_equal(request_queue_add(f->requests, &bytes, &err), 0);
    worker_pump(f->worker);
}

/* From here on the fixture's process is another one. The old one is dead, and was
 * waited for, but sandboxd has only seen its pidfd. */
static int
replace_process(struct fixture *f)
{
    struct error err;

    loop_watch_stop(f->loop, &f->init);
    kill(f->pid, SIGKILL);
    waitpid(f->pid, NULL, 0);
    auto_fd(&f->pidfd);
    f->pid = fork_idler();
    f->pidfd = process_open(f->pid, &err);
    f->init.fd = f->pidfd;
    assert_int_equal(loop_watch_start(f->loop, &f->init, EPOLLIN, &err), 0);
    return process_open(f->pid, &err);
}

static void
run_for(struct fixture *f, int ms)
{
    struct loop_timer timer = {.on_due = stop_loop, .context = f};
    struct error err;

    f->wanted = NULL;
    f->wanted_event = NULL;
    loop_timer_set(f->loop, &timer, ms);
    assert_int_equal(loop_run(f->loop, &err), 0);
}

static void
goes_on_with_a_successor(void **state)
{
    struct fixture *f = *state;

    say_hello(f);
    end_attempt(f, "a");
    int successor = replace_process(f);
    run_for(f, 1500); /* longer than a death without a word may take */
    assert_false(f->is_gone);
    assert_true(worker_succeeded(f->worker, successor));
    assert_int_equal(worker_pid(f->worker), f->pid);
    tell(f, "attempt_end_reply", "a", "{}");
    run_until(f, NULL, "attempt_end_reply");
    run_for(f, 50);
    assert_false(f->is_gone);
    request(f, "b");
    tell(f, "execute_reply", "b", "{}");
    run_until(f, NULL, "\"execute_reply\",\"parent\":\"b\"");
    die(f);
    assert_string_equal(cause(f), "signal");
}

static void
has_one_successor_for_each_attempt(void **state)
{
    struct fixture *f = *state;

    say_hello(f);
    request(f, "a");
    assert_false(worker_succeeded(f->worker, dup(f->pidfd)));
    tell(f, "execute_reply", "a", "{}");
    run_until(f, NULL, "execute_reply");
    end_attempt(f, "b");
    assert_true(worker_succeeded(f->worker, replace_process(f)));
    assert_false(worker_succeeded(f->worker, dup(f->pidfd)));
    tell(f, "attempt_end_reply", "b", "{}");
    run_until(f, NULL, "attempt_end_reply");
    assert_false(worker_succeeded(f->worker, dup(f->pidfd)));
    end_attempt(f, "c");
    assert_true(worker_succeeded(f->worker, replace_process(f)));
}

static void
kills_the_successor_of_whom_it_has_killed(void **state)
{
    struct fixture *f = *state;

    say_hello(f);
    end_attempt(f, "a");
    worker_kill(f->worker, END_RESTART);
    assert_true(worker_succeeded(f->worker, replace_process(f)));
    run_until(f, &f->is_gone, NULL);
    assert_string_equal(cause(f), "restart");
    assert_false(process_is_alive(f->pidfd));
}

static void
waits_for_the_end_of_a_successor_that_is_gone_already(void **state)
{
    struct fixture *f = *state;

    say_hello(f);
    end_attempt(f, "a");
    assert_true(worker_succeeded(f->worker, -1));
    die(f);
    assert_string_equal(cause(f), "signal");
}

static void
does_not_wait_for_ever_for_a_successor(void **state)
{
    struct fixture *f = *state;

    say_hello(f);
    end_attempt(f, "a");
    loop_watch_stop(f->loop, &f->init);
    is_hurried = true;
    die(f);
    is_hurried = false;
    assert_string_equal(cause(f), "signal");
}

static void
on_int(int number UNUSED)
{
    _exit(7);
}

static void
interrupts_the_successor_too(void **state)
{
    struct fixture *f = *state;
    struct error err;
    int status = 0;

    say_hello(f);
    end_attempt(f, "a");
    assert_true(worker_interrupt(f->worker, "a"));
    loop_watch_stop(f->loop, &f->init);
    kill(f->pid, SIGKILL);
    waitpid(f->pid, NULL, 0);
    auto_fd(&f->pidfd);
    signal(SIGINT, on_int);
    f->pid = fork();
    if (f->pid == 0) {
        setpgid(0, 0);
        for (;;)
            pause();
    }
    setpgid(f->pid, f->pid);
    f->pidfd = process_open(f->pid, &err);
    assert_true(worker_succeeded(f->worker, dup(f->pidfd)));
    assert_int_equal(waitpid(f->pid, &status, 0), f->pid);
    assert_int_equal(WEXITSTATUS(status), 7);
    signal(SIGINT, SIG_DFL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WORKER_TEST(goes_on_with_a_successor),
        WORKER_TEST(has_one_successor_for_each_attempt),
        WORKER_TEST(kills_the_successor_of_whom_it_has_killed),
        WORKER_TEST(waits_for_the_end_of_a_successor_that_is_gone_already),
        WORKER_TEST(does_not_wait_for_ever_for_a_successor),
        WORKER_TEST(interrupts_the_successor_too),
    };
    return cmocka_run_group_tests_name("worker_succession", tests, NULL, NULL);
}
