#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "sandbox/resources/process.h"
#include "sandbox/running/worker_state.h"
#include "tests/unit/sandbox/worker_fixture.h"

/* The tests that wait UNTOLD_MS out do not wait for so long. */
enum {
    HURRIED_MS = 100
};

static int64_t asked_ms; /* for, last */

void
__wrap_loop_timer_set(struct loop *loop, struct loop_timer *timer, int64_t delay_ms)
{
    asked_ms = delay_ms;
    __real_loop_timer_set(loop, timer, delay_ms == UNTOLD_MS ? HURRIED_MS : delay_ms);
}

static void
sends_requests_one_at_a_time(void **state)
{
    struct fixture *f = *state;
    char text[512];

    request(f, "a");
    request(f, "b");
    assert_string_equal(heard(f, text, sizeof(text)), "");
    say_hello(f);
    assert_string_equal(heard(f, text, sizeof(text)),
                        "{\"type\":\"execute_request\",\"id\":\"a\"}\n\n");
    tell(f, "execute_reply", "a", "{}");
    run_until(f, NULL, "\"execute_reply\",\"parent\":\"a\"");
    assert_string_equal(heard(f, text, sizeof(text)),
                        "{\"type\":\"execute_request\",\"id\":\"b\"}\n\n");
}

static void
relays_what_the_dead_have_said(void **state)
{
    struct fixture *f = *state;

    say_hello(f);
    request(f, "a");
    tell(f, "stream", "a", "{\"text\":\"last\"}");
    die(f);
    assert_non_null(strstr(f->events.data, "last"));
    assert_string_equal(cause(f), "signal");
    assert_true(request_queue_is_running(f->requests, "a"));
}

static void
drops_the_half_of_a_frame(void **state)
{
    struct fixture *f = *state;

    say_hello(f);
    request(f, "a");
    say(f, "{\"type\":\"stream\",\"parent\":\"a\",\"bytes\":100000}\n{\"text\":\"last");
    die(f);
    assert_int_equal(f->events.len, 0);
    assert_string_equal(cause(f), "signal");
}

/* A process that the worker left behind may hold the channel, and write to it. */
static void
does_not_wait_for_who_inherited_the_channel(void **state)
{
    struct fixture *f = *state;
    int inherited = dup(f->channel);

    say_hello(f);
    die(f);
    assert_int_equal(send(inherited, "x", 1, MSG_NOSIGNAL), -1);
    close(inherited);
}

static void
ends_a_worker_that_breaks_the_protocol(void **state)
{
    static const char *const violations[] = {
        "nonsense\n",
        "{\"type\":\"stream\",\"parent\":\"a\",\"bytes\":-1}\n",
        "{\"type\":\"stream\",\"parent\":\"a\",\"bytes\":1}\nxx\n",
        "{\"type\":\"stream\",\"parent\":\"a\",\"bytes\":999999999999}\n",
        "{\"type\":\"stream\",\"parent\":\"b\",\"bytes\":2}\n{}\n",
        "{\"type\":\"execute_reply\",\"bytes\":2}\n{}\n",
        "{\"type\":\"status\",\"parent\":\"a\",\"bytes\":2}\n{}\n",
        "{\"type\":\"complete_reply\",\"parent\":\"a\",\"bytes\":2}\n{}\n",
        "{\"type\":\"hello\",\"bytes\":28}\n" HELLO "\n",
        "{\"type\":\"worker_exited\",\"parent\":\"a\",\"bytes\":2}\n{}\n",
    };
    struct fixture *f = *state;

    for (size_t which = 0; which < COUNT_OF(violations); which++) {
        print_message("  %s", violations[which]);
        say_hello(f);
        request(f, "a");
        say(f, violations[which]);
        run_until(f, &f->is_gone, NULL);
        assert_string_equal(cause(f), "protocol");
        assert_false(process_is_alive(f->pidfd));
        print_message("    %s\n", message(f));
        tear_down(state);
        set_up(state);
        f = *state;
    }
}

static void
ends_a_worker_that_closes_its_channel_and_lives_on(void **state)
{
    struct fixture *f = *state;

    say_hello(f);
    close(take_fd(&f->channel));
    run_until(f, &f->is_gone, NULL);
    assert_string_equal(cause(f), "protocol");
    assert_non_null(strstr(message(f), "closed its channel"));
}

static void
believes_the_kernel_when_init_says_nothing(void **state)
{
    struct fixture *f = *state;

    say_hello(f);
    loop_watch_stop(f->loop, &f->init);
    die(f);
    assert_string_equal(cause(f), "signal");
}

/* On a busy machine init is late. An end of file that is seen behind the death, the
 * worker's or that of its subshells, does not make the wait shorter. */
static void
waits_long_for_inits_word_of_a_death(void **state)
{
    struct fixture *f = *state;
    struct pollfd death = {.events = POLLIN};

    say_hello(f);
    loop_watch_stop(f->loop, &f->init);
    kill(f->pid, SIGKILL);
    death.fd = f->pidfd;
    assert_int_equal(poll(&death, 1, -1), 1);
    worker_expect_word(f->worker);
    assert_int_equal(asked_ms, UNTOLD_MS);
    close(take_fd(&f->channel));
    die(f);
    assert_int_equal(asked_ms, UNTOLD_MS);
    assert_string_equal(cause(f), "signal");
}

static void
is_not_blocked_by_a_worker_that_never_reads(void **state)
{
    struct fixture *f = *state;
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
    AUTO(mem) char *big = xcalloc(8 << 20, 1);
    struct error err;

    memset(big, ' ', 8 << 20);
    say_hello(f);
    buffer_printf(&bytes, "{\"type\":\"execute_request\",\"id\":\"a\",\"bytes\":%d}\n",
                  8 << 20);
    buffer_append(&bytes, big, 8 << 20);
    buffer_append_text(&bytes, "\n");
    assert_int_equal(request_queue_add(f->requests, &bytes, &err), 0);
    worker_pump(f->worker); /* returns */
    tell(f, "stream", "a", "{\"text\":\"hi\"}");
    worker_kill(f->worker, END_RESTART);
    die(f);
    assert_string_equal(cause(f), "restart");
}

static void
stops_reading_when_nobody_reads_the_log(void **state)
{
    struct fixture *f = *state;
    AUTO(mem) char *piece = xcalloc(1 << 20, 1);
    AUTO(buffer) struct buffer message_bytes = BUFFER_INIT(SIZE_MAX);
    struct error err;
    pid_t writer;

    memset(piece, ' ', 1 << 20);
    say_hello(f);
    request(f, "a");
    event_log_detach(&f->reader);
    buffer_printf(&message_bytes,
                  "{\"type\":\"stream\",\"parent\":\"a\",\"bytes\":%d}\n", 1 << 20);
    buffer_append(&message_bytes, piece, 1 << 20);
    buffer_append_text(&message_bytes, "\n");
    if ((writer = fork()) == 0) { /* 64 MiB, for as long as they are taken */
        for (int i = 0; i < 64; i++)
            for (size_t done = 0; done < message_bytes.len;) {
                ssize_t sent = send(f->channel, message_bytes.data + done,
                                    message_bytes.len - done, MSG_NOSIGNAL);
                if (sent < 0)
                    _exit(1);
                done += (size_t)sent;
            }
        _exit(0);
    }
    struct loop_timer pause_timer = {.on_due = stop_loop, .context = f};
    while (!event_log_is_full(f->log)) { /* which it becomes */
        loop_timer_set(f->loop, &pause_timer, 10);
        assert_int_equal(loop_run(f->loop, &err), 0);
    }
    uint64_t seq = event_log_last_seq(f->log);
    assert_in_range(seq, 16, 20);
    loop_timer_set(f->loop, &pause_timer, 100);
    assert_int_equal(loop_run(f->loop, &err), 0);
    assert_int_equal(event_log_last_seq(f->log), seq); /* it has stopped */
    assert_int_equal(waitpid(writer, NULL, WNOHANG), 0);

    assert_int_equal(event_log_attach(f->log, &f->reader, 0, &err), 0);
    run_until(f, NULL, "{\"seq\":64,");
    assert_int_equal(waitpid(writer, NULL, 0), writer);
}

static void
request_beside(struct fixture *f, const char *id)
{
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
    struct error err;

    buffer_printf(&bytes,
                  "{\"type\":\"execute_request\",\"id\":\"%s\",\"beside\":\"s\"}\n\n",
                  id);
    assert_int_equal(request_queue_add(f->requests, &bytes, &err), 0);
    worker_pump(f->worker);
}

static void
sends_what_is_for_a_subshell_at_once_and_elsewhere(void **state)
{
    struct fixture *f = *state;
    char text[512];

    request_beside(f, "early");
    say_hello(f);
    request(f, "a");
    request_beside(f, "b");
    assert_non_null(strstr(heard(f, text, sizeof(text)), "\"id\":\"a\""));
    assert_null(strstr(text, "\"id\":\"b\""));
    text[recv(f->beside, text, sizeof(text) - 1, MSG_DONTWAIT)] = '\0';
    assert_non_null(strstr(text, "\"id\":\"early\""));
    assert_non_null(strstr(text, "\"id\":\"b\""));
    tell(f, "execute_input", "b", "{\"execution_count\":7}");
    tell(f, "execute_reply", "b", "{}");
    run_until(f, NULL, "\"execute_reply\",\"parent\":\"b\"");
    assert_true(request_queue_is_running(f->requests, "a"));
    assert_null(request_queue_find_beside(f->requests, "b"));
}

/* Those that wait go to the next worker. */
static void
tells_what_was_lost_in_subshells(void **state)
{
    struct fixture *f = *state;

    say_hello(f);
    request_beside(f, "b");
    die(f);
    assert_non_null(strstr(f->events.data, "\"request_lost\",\"parent\":\"b\""));
    assert_false(request_queue_has_besides(f->requests));
}

static void
ends_a_worker_that_speaks_where_it_only_listens(void **state)
{
    struct fixture *f = *state;

    say_hello(f);
    assert_int_equal(send(f->beside, "{\"type\":\"stream\"}\n\n", 20, MSG_NOSIGNAL),
                     20);
    run_until(f, &f->is_gone, NULL);
    assert_string_equal(cause(f), "protocol");
}

static void
ends_a_worker_that_does_not_listen_for_subshells(void **state)
{
    struct fixture *f = *state;

    say_hello(f);
    close(take_fd(&f->beside));
    run_until(f, &f->is_gone, NULL);
    assert_string_equal(cause(f), "protocol");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WORKER_TEST(sends_requests_one_at_a_time),
        WORKER_TEST(sends_what_is_for_a_subshell_at_once_and_elsewhere),
        WORKER_TEST(tells_what_was_lost_in_subshells),
        WORKER_TEST(ends_a_worker_that_speaks_where_it_only_listens),
        WORKER_TEST(ends_a_worker_that_does_not_listen_for_subshells),
        WORKER_TEST(relays_what_the_dead_have_said),
        WORKER_TEST(drops_the_half_of_a_frame),
        WORKER_TEST(does_not_wait_for_who_inherited_the_channel),
        WORKER_TEST(ends_a_worker_that_breaks_the_protocol),
        WORKER_TEST(ends_a_worker_that_closes_its_channel_and_lives_on),
        WORKER_TEST(believes_the_kernel_when_init_says_nothing),
        WORKER_TEST(waits_long_for_inits_word_of_a_death),
        WORKER_TEST(is_not_blocked_by_a_worker_that_never_reads),
        WORKER_TEST(stops_reading_when_nobody_reads_the_log),
    };
    return cmocka_run_group_tests_name("worker", tests, NULL, NULL);
}
