/* The test plays the worker, its checkpoint and init. A second idler is the
 * checkpoint's process; the test speaks for it. */
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "sandbox/resources/process.h"
#include "sandbox/running/worker_state.h"
#include "tests/unit/sandbox/worker_fixture.h"

/* The test that waits UNTOLD_MS out does not wait for so long. */
enum {
    HURRIED_MS = 100,
};
static bool is_hurried;

static int spare;           /* the checkpoint's end of its socket */
static pid_t spare_pid;     /* its process */
static char heard_of[1024]; /* what the checkpoint was told */

void
__wrap_loop_timer_set(struct loop *loop, struct loop_timer *timer, int64_t delay_ms)
{
    __real_loop_timer_set(loop, timer,
                          is_hurried && delay_ms == UNTOLD_MS ? HURRIED_MS : delay_ms);
}

static void
ask(struct fixture *f, const char *type, const char *id, const char *content)
{
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
    struct error err;

    buffer_printf(&bytes, "{\"type\":\"%s\",\"id\":\"%s\",\"bytes\":%zu}\n%s\n", type,
                  id, strlen(content), content);
    assert_int_equal(request_queue_add(f->requests, &bytes, &err), 0);
    worker_pump(f->worker);
}

static void
on_readable(void *context, uint32_t events UNUSED)
{
    loop_stop(((struct fixture *)context)->loop);
}

static void
run_until_readable(struct fixture *f, int fd)
{
    struct loop_watch watch = {.fd = fd, .on_ready = on_readable, .context = f};
    struct error err;

    f->wanted = NULL;
    f->wanted_event = NULL;
    assert_int_equal(loop_watch_start(f->loop, &watch, EPOLLIN, &err), 0);
    loop_timer_set(f->loop, &f->patience, 20000);
    assert_int_equal(loop_run(f->loop, &err), 0);
    loop_timer_cancel(f->loop, &f->patience);
    loop_watch_stop(f->loop, &watch);
}

static void
idle_as_checkpoint(void)
{
    if (send(spare, "c\0\0\0", 5, MSG_NOSIGNAL) != 5)
        _exit(1);
    close_range(3, ~0U, 0);
    for (;;)
        pause();
}

static void
begin_attempt(struct fixture *f)
{
    say_hello(f);
    ask(f, "attempt_request", "a", "{}");
    spare = receive_lent(f->channel);
    assert_true(spare >= 0);
}

static void
freeze(struct fixture *f)
{
    char answer;

    spare_pid = fork();
    if (spare_pid == 0)
        idle_as_checkpoint();
    run_until_readable(f, spare);
    assert_int_equal(recv(spare, &answer, 1, 0), 1);
    assert_true(worker_is_process(f->worker, spare_pid));
}

/* The worker says that init knows it. */
static void
settle(void)
{
    assert_int_equal(send(spare, "n", 1, MSG_NOSIGNAL), 1);
}

static void
attempt(struct fixture *f)
{
    begin_attempt(f);
    freeze(f);
    settle();
}

static void
attempt_and_reply(struct fixture *f)
{
    attempt(f);
    tell(f, "attempt_reply", "a", "{}");
    run_until(f, NULL, "attempt_reply");
}

/* Init has seen the worker end. */
static bool
succeed(struct fixture *f, int status)
{
    struct error err;

    loop_watch_stop(f->loop, &f->init);
    kill(f->pid, SIGKILL);
    waitpid(f->pid, NULL, 0);
    close(take_fd(&f->channel));
    return worker_succeeded(f->worker, process_open(spare_pid, &err), status, 4096);
}

/* sandboxd has killed the worker. */
static void
wait_for_its_end(struct fixture *f)
{
    struct pollfd end = {f->pidfd, POLLIN, 0};

    assert_int_equal(poll(&end, 1, 20000), 1);
}

/* Up to the newline after the content. What it is woken with comes behind a channel for
 * its subshells. */
static const char *
hear(struct fixture *f)
{
    do {
        run_until_readable(f, spare);
        ssize_t len = recv(spare, heard_of, sizeof(heard_of) - 1, 0);
        assert_true(len >= 0);
        heard_of[len] = '\0';
    } while (strcmp(heard_of, "{\"type\":\"beside\",\"bytes\":2}\n{}\n") == 0);
    print_message("  %s", heard_of);
    return heard_of;
}

static void
say_as_checkpoint(struct fixture *f, const char *type, const char *parent)
{
    close(f->channel);
    f->channel = spare;
    tell(f, type, parent, "{}");
    run_until(f, NULL, type);
}

static void
end_checkpoint(void)
{
    kill(spare_pid, SIGKILL);
    waitpid(spare_pid, NULL, 0);
}

/* --- tests --- */

static void
wakes_the_checkpoint_of_a_worker_that_died(void **state)
{
    struct fixture *f = *state;

    attempt(f);
    assert_true(succeed(f, SIGSEGV));
    assert_non_null(strstr(hear(f), "{\"type\":\"wake\",\"id\":\"a\""));
    assert_non_null(strstr(heard_of, "\"request\":\"attempt_request\""));
    assert_non_null(strstr(heard_of, "The attempt was killed by SIGSEGV"));
    assert_int_equal(worker_pid(f->worker), spare_pid);
    say_as_checkpoint(f, "attempt_reply", "a");
    assert_false(f->is_gone);
    request(f, "b");
    assert_non_null(strstr(hear(f), "\"execute_request\",\"id\":\"b\""));
    end_checkpoint();
}

/* Init was told, and the worker died before it could tell us. */
static void
wakes_a_checkpoint_that_had_not_settled(void **state)
{
    struct fixture *f = *state;

    begin_attempt(f);
    freeze(f);
    assert_true(succeed(f, SIGKILL));
    assert_non_null(strstr(hear(f), "{\"type\":\"wake\",\"id\":\"a\""));
    say_as_checkpoint(f, "attempt_reply", "a");
    assert_false(f->is_gone);
    end_checkpoint();
}

/* It told us, and nothing of that is taken for the checkpoint's. */
static void
wakes_a_checkpoint_whose_settling_was_not_heard_yet(void **state)
{
    struct fixture *f = *state;

    attempt(f);
    assert_true(succeed(f, SIGKILL));
    hear(f);
    say_as_checkpoint(f, "attempt_reply", "a");
    assert_false(f->is_gone);
    assert_null(strstr(f->events.data, "protocol"));
    end_checkpoint();
}

static void
hears_what_the_dead_has_said_but_for_half_a_frame(void **state)
{
    struct fixture *f = *state;
    int inherited;

    attempt(f);
    inherited = dup(f->channel);
    tell(f, "stream", "a", "{\"text\":\"last\"}");
    say(f, "{\"type\":\"stream\",\"parent\":\"a\",\"bytes\":1000}\n{\"text\":\"half");
    assert_true(succeed(f, SIGKILL));
    hear(f);
    run_until(f, NULL, "last");
    assert_null(strstr(f->events.data, "half"));
    assert_int_equal(send(inherited, "x", 1, MSG_NOSIGNAL), -1);
    close(inherited);
    say_as_checkpoint(f, "attempt_reply", "a");
    end_checkpoint();
}

static void
undoes_what_is_not_kept_before_anything_else(void **state)
{
    struct fixture *f = *state;
    char text[256];

    attempt_and_reply(f);
    ask(f, "attempt_end_request", "b", "{\"keep\":false}");
    assert_string_equal(heard(f, text, sizeof(text)), "");
    wait_for_its_end(f);
    assert_true(succeed(f, SIGKILL));
    assert_non_null(strstr(hear(f), "{\"type\":\"wake\",\"bytes\""));
    while (!strstr(heard_of, "attempt_end_request"))
        hear(f);
    say_as_checkpoint(f, "attempt_end_reply", "b");
    end_checkpoint();
}

static void
ends_the_checkpoint_of_what_is_kept(void **state)
{
    struct fixture *f = *state;
    struct error err;
    char text[256];
    int status;

    attempt_and_reply(f);
    ask(f, "attempt_end_request", "b", "{\"keep\":true}");
    assert_non_null(strstr(heard(f, text, sizeof(text)), "attempt_end_request"));
    tell(f, "attempt_end_reply", "b", "{}");
    run_until(f, NULL, "attempt_end_reply");
    assert_int_equal(waitpid(spare_pid, &status, 0), spare_pid);
    assert_int_equal(recv(spare, text, 1, 0), 0);
    assert_false(worker_is_process(f->worker, spare_pid));
    assert_false(worker_succeeded(f->worker, process_open(f->pid, &err), 0, 0));
    request(f, "c");
    assert_non_null(strstr(heard(f, text, sizeof(text)), "execute_request"));
    close(spare);
}

static void
answers_for_who_dies_when_it_is_to_be_kept(void **state)
{
    struct fixture *f = *state;

    attempt_and_reply(f);
    ask(f, "attempt_end_request", "b", "{\"keep\":true}");
    assert_true(succeed(f, 0));
    assert_non_null(strstr(hear(f), "{\"type\":\"wake\",\"id\":\"b\""));
    assert_non_null(strstr(heard_of, "\"request\":\"attempt_end_request\""));
    say_as_checkpoint(f, "attempt_end_reply", "b");
    end_checkpoint();
}

/* Nobody but the process that the kernel has told of. */
static void
takes_nobody_else_for_the_checkpoint(void **state)
{
    struct fixture *f = *state;
    struct error err;
    pid_t other = fork_idler();

    say_hello(f);
    request(f, "z");
    assert_false(worker_succeeded(f->worker, process_open(other, &err), 0, 0));
    tell(f, "execute_reply", "z", "{}");
    run_until(f, NULL, "execute_reply");
    ask(f, "attempt_request", "a", "{}");
    char text[256];
    heard(f, text, sizeof(text)); /* the request before it */
    assert_false(worker_succeeded(f->worker, process_open(other, &err), 0, 0));
    tear_down(state);
    set_up(state);
    f = *state;
    attempt(f);
    assert_false(worker_succeeded(f->worker, process_open(other, &err), 0, 0));
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    close(spare);
    end_checkpoint();
}

/* It would have to be a child of who reaps orphans: the worker's parent. */
static void
refuses_a_checkpoint_that_is_somebody_elses_child(void **state)
{
    struct fixture *f = *state;
    char byte;

    begin_attempt(f);
    spare_pid = fork();
    if (spare_pid == 0) {
        setpgid(0, 0);
        if (fork() == 0)
            idle_as_checkpoint();
        close_range(3, ~0U, 0);
        wait(NULL);
        _exit(0);
    }
    run_until_readable(f, spare);
    assert_int_equal(recv(spare, &byte, 1, 0), 0);
    tell(f, "attempt_reply", "a", "{}");
    run_until(f, NULL, "attempt_reply");
    request(f, "b"); /* goes to the worker, which has tried in place */
    char text[256];
    assert_non_null(strstr(heard(f, text, sizeof(text)), "execute_request"));
    close(spare);
    kill(-spare_pid, SIGKILL);
    end_checkpoint();
}

static void
a_restart_ends_both(void **state)
{
    struct fixture *f = *state;
    int status;

    attempt(f);
    worker_kill(f->worker, END_RESTART);
    run_until(f, &f->is_gone, NULL);
    assert_string_equal(cause(f), "restart");
    assert_int_equal(waitpid(spare_pid, &status, 0), spare_pid);
    close(spare);
}

/* Init may have been faster. */
static void
a_restart_ends_a_successor_that_it_had_given_up(void **state)
{
    struct fixture *f = *state;
    struct error err;

    attempt(f);
    worker_kill(f->worker, END_RESTART);
    loop_watch_stop(f->loop, &f->init);
    pid_t successor = fork_idler();
    assert_true(worker_succeeded(f->worker, process_open(successor, &err), 9, 0));
    int status;
    assert_int_equal(waitpid(successor, &status, 0), successor);
    worker_exited(f->worker, status, 0);
    run_until(f, &f->is_gone, NULL);
    assert_string_equal(cause(f), "restart");
    close(spare);
    end_checkpoint();
}

/* Checkpoints give way to a worker that needs memory, which is killed all the same. */
static void
tells_what_it_died_of_where_its_successor_had_been_given_up(void **state)
{
    struct fixture *f = *state;
    struct error err;
    int status;

    attempt(f);
    worker_kill(f->worker, END_MEMORY);
    loop_watch_stop(f->loop, &f->init);
    checkpoint_drop(&f->worker->checkpoint);
    pid_t successor = fork_idler();
    assert_true(worker_succeeded(f->worker, process_open(successor, &err), SIGSEGV, 0));
    assert_int_equal(waitpid(successor, &status, 0), successor);
    worker_exited(f->worker, status, 0);
    run_until(f, &f->is_gone, NULL);
    assert_string_equal(cause(f), "memory");
    assert_string_equal(json_string_value(json_object_get(f->report, "signal")),
                        "SIGSEGV");
    close(spare);
    end_checkpoint();
}

static void
ends_an_attempt_that_goes_on_after_an_interrupt(void **state)
{
    struct fixture *f = *state;

    attempt(f);
    assert_true(worker_interrupt(f->worker, "a"));
    tell(f, "interrupted", "a", "{}"); /* heard or not */
    loop_watch_stop(f->loop, &f->init);
    run_until_readable(f, f->pidfd);
    assert_true(succeed(f, SIGKILL));
    assert_non_null(strstr(hear(f), "\"cause\":\"interrupt\""));
    assert_non_null(strstr(heard_of, "kept running after an interrupt"));
    say_as_checkpoint(f, "attempt_reply", "a");
    end_checkpoint();
}

static void
wakes_it_too_when_the_worker_breaks_the_protocol(void **state)
{
    struct fixture *f = *state;

    attempt(f);
    say(f, "nonsense\n");
    loop_watch_stop(f->loop, &f->init);
    run_until_readable(f, f->pidfd);
    assert_true(succeed(f, SIGKILL));
    assert_non_null(strstr(hear(f), "\"cause\":\"protocol\""));
    say_as_checkpoint(f, "attempt_reply", "a");
    end_checkpoint();
}

static void
is_gone_when_both_are(void **state)
{
    struct fixture *f = *state;

    attempt(f);
    end_checkpoint();
    die(f);
    assert_string_equal(cause(f), "signal");
    close(spare);
}

static void
keeps_a_worker_whose_checkpoint_is_gone(void **state)
{
    struct fixture *f = *state;
    char text[256];

    attempt_and_reply(f);
    end_checkpoint();
    ask(f, "attempt_end_request", "b", "{\"keep\":false}");
    assert_non_null(strstr(heard(f, text, sizeof(text)), "attempt_end_request"));
    run_until(f, NULL, "stays changed");
    tell(f, "attempt_end_reply", "b", "{}");
    run_until(f, NULL, "attempt_end_reply");
    assert_true(process_is_alive(f->pidfd));
    close(spare);
}

static void
does_not_wait_for_ever_for_a_successor(void **state)
{
    struct fixture *f = *state;

    attempt(f);
    loop_watch_stop(f->loop, &f->init);
    is_hurried = true;
    die(f);
    is_hurried = false;
    assert_string_equal(cause(f), "signal");
    waitpid(spare_pid, NULL, 0);
    close(spare);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WORKER_TEST(wakes_the_checkpoint_of_a_worker_that_died),
        WORKER_TEST(wakes_a_checkpoint_that_had_not_settled),
        WORKER_TEST(wakes_a_checkpoint_whose_settling_was_not_heard_yet),
        WORKER_TEST(hears_what_the_dead_has_said_but_for_half_a_frame),
        WORKER_TEST(undoes_what_is_not_kept_before_anything_else),
        WORKER_TEST(ends_the_checkpoint_of_what_is_kept),
        WORKER_TEST(answers_for_who_dies_when_it_is_to_be_kept),
        WORKER_TEST(takes_nobody_else_for_the_checkpoint),
        WORKER_TEST(refuses_a_checkpoint_that_is_somebody_elses_child),
        WORKER_TEST(a_restart_ends_both),
        WORKER_TEST(a_restart_ends_a_successor_that_it_had_given_up),
        WORKER_TEST(tells_what_it_died_of_where_its_successor_had_been_given_up),
        WORKER_TEST(ends_an_attempt_that_goes_on_after_an_interrupt),
        WORKER_TEST(wakes_it_too_when_the_worker_breaks_the_protocol),
        WORKER_TEST(is_gone_when_both_are),
        WORKER_TEST(keeps_a_worker_whose_checkpoint_is_gone),
        WORKER_TEST(does_not_wait_for_ever_for_a_successor),
    };
    return cmocka_run_group_tests_name("worker_succession", tests, NULL, NULL);
}
