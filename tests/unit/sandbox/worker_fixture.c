#include "tests/unit/sandbox/worker_fixture.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "common/limits.h"
#include "sandbox/resources/process.h"

enum {
    PATIENCE_MS = 20000
};

static bool
is_there(struct fixture *f)
{
    char piece[4096];
    size_t len;

    while ((len = event_log_read(&f->reader, piece, sizeof(piece))))
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
on_gone(void *context, const json_t *report)
{
    struct fixture *f = context;

    f->is_gone = true;
    f->report = json_deep_copy(report);
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

static void
ignore_names(void *context UNUSED, const json_t *names UNUSED)
{
}

static bool
is_tight(void *context UNUSED)
{
    return false;
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

void
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

pid_t
fork_idler(void)
{
    /* Before the fork: an interrupt may come before the child has run at all. */
    void (*const before)(int) = signal(SIGINT, SIG_IGN);
    pid_t pid = fork();

    if (pid == 0) {
        close_range(3, ~0U, 0); /* the channel above all */
        setpgid(0, 0);
        for (;;)
            pause();
    }
    signal(SIGINT, before);
    return pid;
}

int
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
        .most_bytes = LIMIT_ENVELOPE_BYTES,
        .ops = {on_ready, ignore, ignore, judge, is_tight, ignore_names, on_gone, f}
    };
    f->worker = worker_new(&spec, &err);
    worker_admit(f->worker);
    f->channel = ends[1];
    f->beside = -1;
    f->pid = fork_idler();
    f->pidfd = process_open(f->pid, &err);
    f->init =
        (struct loop_watch){.fd = f->pidfd, .on_ready = on_process_ended, .context = f};
    assert_int_equal(loop_watch_start(f->loop, &f->init, EPOLLIN, &err), 0);
    *state = f;
    return 0;
}

int
tear_down(void **state)
{
    struct fixture *f = *state;

    worker_free(f->worker);
    kill(f->pid, SIGKILL);
    waitpid(f->pid, NULL, 0);
    auto_fd(&f->pidfd);
    auto_fd(&f->channel);
    auto_fd(&f->beside);
    event_log_free(f->log);
    request_queue_free(f->requests);
    loop_free(f->loop);
    json_decref(f->report);
    buffer_release(&f->events);
    free(f);
    return 0;
}

void
say(struct fixture *f, const char *bytes)
{
    assert_int_equal(send(f->channel, bytes, strlen(bytes), MSG_NOSIGNAL),
                     strlen(bytes));
}

void
tell(struct fixture *f, const char *type, const char *parent, const char *content)
{
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);

    buffer_printf(&bytes, "{\"type\":\"%s\"", type);
    if (*parent)
        buffer_printf(&bytes, ",\"parent\":\"%s\"", parent);
    buffer_printf(&bytes, ",\"bytes\":%zu}\n%s\n", strlen(content), content);
    say(f, bytes.data);
}

int
receive_lent(int channel)
{
    char text[512];
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {.space = {0}};
    struct iovec bytes = {text, sizeof(text)};
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = control.space,
                             .msg_controllen = sizeof(control.space)};
    int fd = -1;

    assert_true(recvmsg(channel, &message, MSG_CMSG_CLOEXEC) > 0);
    if (CMSG_FIRSTHDR(&message))
        memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
    return fd;
}

void
say_hello(struct fixture *f)
{
    struct error err;

    tell(f, "hello", "", HELLO);
    worker_started(f->worker, process_open(f->pid, &err));
    run_until(f, &f->is_ready, NULL);
    f->beside = receive_lent(f->channel);
    assert_true(f->beside >= 0);
}

void
request(struct fixture *f, const char *id)
{
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
    struct error err;

    buffer_printf(&bytes, "{\"type\":\"execute_request\",\"id\":\"%s\"}\n\n", id);
    assert_int_equal(request_queue_add(f->requests, &bytes, &err), 0);
    if (f->worker)
        worker_pump(f->worker);
}

const char *
heard(struct fixture *f, char *text, size_t size)
{
    ssize_t len = recv(f->channel, text, size - 1, MSG_DONTWAIT);

    text[len > 0 ? len : 0] = '\0';
    return text;
}

void
die(struct fixture *f)
{
    kill(f->pid, SIGKILL);
    run_until(f, &f->is_gone, NULL);
}

const char *
cause(struct fixture *f)
{
    return json_string_value(json_object_get(f->report, "cause"));
}

const char *
message(struct fixture *f)
{
    return json_string_value(json_object_get(f->report, "message"));
}

void
stop_loop(void *context)
{
    loop_stop(((struct fixture *)context)->loop);
}
