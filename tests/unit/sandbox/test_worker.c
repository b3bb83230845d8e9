/* The test plays init and the worker: a forked child that only waits lends its pid. */
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "common/limits.h"
#include "sandbox/process.h"
#include "sandbox/worker.h"
#include "tests/unit/unit.h"

#define HELLO "{\"python\":\"3\",\"packages\":{}}"

enum {
    PATIENCE_MS = 20000
};

struct fixture {
    struct loop *loop;
    struct event_log *log;
    struct event_reader reader;
    struct request_queue *requests;
    struct worker *worker;
    struct loop_timer patience;
    int channel; /* the worker's end */
    pid_t pid;
    int pidfd;
    struct loop_watch init; /* tells of the worker's death; a test may stop it */
    bool is_ready, is_gone;
    json_t *certificate;
    const bool *wanted;
    const char *wanted_event;
    struct buffer events;
};

static bool
is_there(struct fixture *f)
{
    char piece[4096];
    size_t len;

    while ((len = event_reader_read(&f->reader, piece, sizeof(piece))))
        buffer_append(&f->events, piece, len);
    return (f->wanted && *f->wanted) || (f->wanted_event && f->events.data &&
                                         strstr(f->events.data, f->wanted_event));
}

static void
stop_if_there(struct fixture *f)
{
    if (is_there(f))
        loop_stop(f->loop);
}

static void
on_ready(void *context, const json_t *hello UNUSED)
{
    struct fixture *f = context;

    f->is_ready = true;
    stop_if_there(f);
}

static void
on_gone(void *context, const json_t *certificate)
{
    struct fixture *f = context;

    f->is_gone = true;
    f->certificate = json_deep_copy(certificate);
    worker_free(TAKE(f->worker));
    stop_if_there(f);
}

static void
on_process_ended(void *context, uint32_t events UNUSED)
{
    struct fixture *f = context;
    int status;

    loop_watch_stop(f->loop, &f->init);
    waitpid(f->pid, &status, 0);
    worker_exited(f->worker, status, 4096);
}

static void
ignore(void *context UNUSED)
{
}

static struct memory_verdict
judge(void *context UNUSED)
{
    return (struct memory_verdict){.is_cause = false};
}

static void
on_news(void *context)
{
    stop_if_there(context);
}

static void
on_room(void *context)
{
    struct fixture *f = context;

    if (f->worker)
        worker_log_has_room(f->worker);
}

static void
on_impatience(void *context UNUSED)
{
    fail_msg("nothing happened for too long");
}

/* Runs the loop until *wanted is true or the event is there. */
static void
run_until(struct fixture *f, const bool *wanted, const char *event)
{
    struct error err;

    f->wanted = wanted;
    f->wanted_event = event;
    if (is_there(f))
        return;
    loop_timer_set(f->loop, &f->patience, PATIENCE_MS);
    assert_int_equal(loop_run(f->loop, &err), 0);
    loop_timer_cancel(f->loop, &f->patience);
}

static pid_t
fork_idler(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        close_range(3, ~0U, 0); /* the channel above all */
        setpgid(0, 0);
        signal(SIGINT, SIG_IGN);
        for (;;)
            pause();
    }
    return pid;
}

static int
set_up(void **state)
{
    struct fixture *f = xcalloc(1, sizeof(*f));
    struct error err;
    int ends[2];

    signal(SIGPIPE, SIG_IGN);
    f->events = (struct buffer)BUFFER_INIT(SIZE_MAX);
    f->loop = loop_new(&err);
    f->log = event_log_new(LIMIT_EVENT_LOG_BYTES, on_room, f);
    f->requests = request_queue_new();
    f->patience = (struct loop_timer){.on_due = on_impatience, .context = f};
    f->reader = (struct event_reader){.on_news = on_news, .context = f};
    assert_int_equal(event_log_attach(f->log, &f->reader, 0, &err), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    const struct worker_spec spec = {
        .loop = f->loop,
        .log = f->log,
        .requests = f->requests,
        .channel = ends[0],
        .ops = {on_ready, ignore, ignore, judge, on_gone, f}
    };
    f->worker = worker_new(&spec, &err);
    worker_admit(f->worker);
    f->channel = ends[1];
    f->pid = fork_idler();
    f->pidfd = process_open(f->pid, &err);
    f->init =
        (struct loop_watch){.fd = f->pidfd, .on_ready = on_process_ended, .context = f};
    assert_int_equal(loop_watch_start(f->loop, &f->init, EPOLLIN, &err), 0);
    *state = f;
    return 0;
}

static int
tear_down(void **state)
{
    struct fixture *f = *state;

    worker_free(f->worker);
    kill(f->pid, SIGKILL);
    waitpid(f->pid, NULL, 0);
    auto_fd(&f->pidfd);
    auto_fd(&f->channel);
    event_log_free(f->log);
    request_queue_free(f->requests);
    loop_free(f->loop);
    json_decref(f->certificate);
    buffer_release(&f->events);
    free(f);
    return 0;
}

static void
say(struct fixture *f, const char *bytes)
{
    assert_int_equal(send(f->channel, bytes, strlen(bytes), MSG_NOSIGNAL),
                     strlen(bytes));
}

static void
tell(struct fixture *f, const char *type, const char *parent, const char *content)
{
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);

    buffer_printf(&bytes, "{\"type\":\"%s\"", type);
    if (*parent)
        buffer_printf(&bytes, ",\"parent\":\"%s\"", parent);
    buffer_printf(&bytes, ",\"bytes\":%zu}\n%s\n", strlen(content), content);
    say(f, bytes.data);
}

static void
say_hello(struct fixture *f)
{
    struct error err;

    tell(f, "hello", "", HELLO);
    worker_started(f->worker, process_open(f->pid, &err));
    run_until(f, &f->is_ready, NULL);
}

static void
request(struct fixture *f, const char *id)
{
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
    struct error err;

    buffer_printf(&bytes, "{\"type\":\"execute_request\",\"id\":\"%s\"}\n\n", id);
    assert_int_equal(request_queue_add(f->requests, &bytes, &err), 0);
    if (f->worker)
        worker_pump(f->worker);
}

/* What sandboxd has sent so far, as text. */
static const char *
heard(struct fixture *f, char *text, size_t size)
{
    ssize_t len = recv(f->channel, text, size - 1, MSG_DONTWAIT);

    text[len > 0 ? len : 0] = '\0';
    return text;
}

static void
die(struct fixture *f)
{
    kill(f->pid, SIGKILL);
    run_until(f, &f->is_gone, NULL);
}

static const char *
cause(struct fixture *f)
{
    return json_string_value(json_object_get(f->certificate, "cause"));
}

static const char *
message(struct fixture *f)
{
    return json_string_value(json_object_get(f->certificate, "message"));
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
stop_loop(void *context)
{
    loop_stop(((struct fixture *)context)->loop);
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
interrupts_only_what_runs(void **state)
{
    struct fixture *f = *state;

    assert_false(worker_interrupt(f->worker, NULL));
    say_hello(f);
    assert_false(worker_interrupt(f->worker, NULL));
    request(f, "a");
    assert_false(worker_interrupt(f->worker, "b"));
    assert_true(worker_interrupt(f->worker, "a"));
    assert_true(worker_interrupt(f->worker, NULL));
}

static void
gives_notice_before_it_ends_who_does_not_listen(void **state)
{
    struct fixture *f = *state;

    say_hello(f);
    request(f, "a");
    assert_true(worker_interrupt(f->worker, "a"));
    assert_true(worker_interrupt(f->worker, "a")); /* the impatient lose nothing */
    run_until(f, NULL, "\"notice\",\"parent\":\"a\"");
    assert_false(f->is_gone);
    assert_true(worker_interrupt(f->worker, "a"));
    run_until(f, &f->is_gone, NULL);
    assert_string_equal(cause(f), "interrupt");
}

/* --- succession: the attempt's fork is a second idler
 * ---------------------------------
 */

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
    die(f);
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

static void
passes_input_to_who_asked(void **state)
{
    struct fixture *f = *state;
    char text[512];
    struct error err;

    say_hello(f);
    request(f, "a");
    heard(f, text, sizeof(text));
    assert_int_equal(worker_answer(f->worker, "too early", 0, &err), -1);
    assert_int_equal(err.kind, ERR_CONFLICT);
    tell(f, "input_request", "a", "{}");
    run_until(f, NULL, "input_request");
    assert_int_equal(worker_answer(f->worker, "yes \"\xC3\xA9\"", 0, &err), 0);
    heard(f, text, sizeof(text));
    assert_non_null(strstr(text, "\"type\":\"input_reply\""));
    assert_non_null(strstr(text, "\n{\"value\":\"yes \\\"\xC3\xA9\\\"\"}\n"));
    assert_int_equal(worker_answer(f->worker, "twice", 0, &err), -1);
}

static void
forgets_a_question_that_an_interrupt_has_ended(void **state)
{
    struct fixture *f = *state;
    struct error err;

    say_hello(f);
    request(f, "a");
    tell(f, "input_request", "a", "{}");
    run_until(f, NULL, "input_request");
    tell(f, "interrupted", "a", "{}");
    tell(f, "input_request", "a", "{\"again\":1}");
    run_until(f, NULL, "{\"again\":1}");
    assert_int_equal(worker_answer(f->worker, "second", 0, &err), 0);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(sends_requests_one_at_a_time),
        TEST(relays_what_the_dead_have_said),
        TEST(drops_the_half_of_a_frame),
        TEST(does_not_wait_for_who_inherited_the_channel),
        TEST(ends_a_worker_that_breaks_the_protocol),
        TEST(ends_a_worker_that_closes_its_channel_and_lives_on),
        TEST(believes_the_kernel_when_init_says_nothing),
        TEST(is_not_blocked_by_a_worker_that_never_reads),
        TEST(stops_reading_when_nobody_reads_the_log),
        TEST(interrupts_only_what_runs),
        TEST(gives_notice_before_it_ends_who_does_not_listen),
        TEST(goes_on_with_a_successor),
        TEST(has_one_successor_for_each_attempt),
        TEST(kills_the_successor_of_whom_it_has_killed),
        TEST(waits_for_the_end_of_a_successor_that_is_gone_already),
        TEST(does_not_wait_for_ever_for_a_successor),
        TEST(interrupts_the_successor_too),
        TEST(passes_input_to_who_asked),
        TEST(forgets_a_question_that_an_interrupt_has_ended),
    };
    return cmocka_run_group_tests_name("worker", tests, NULL, NULL);
}
