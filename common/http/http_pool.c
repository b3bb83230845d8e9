#include "common/http/http_pool.h"

#include <sys/queue.h>

#include "common/http/curl_library.h"
#include "common/http/http_outcome.h"
#include "common/timer.h"
#include "common/version.h"

#define READ_SIZE KIB(64)

enum call_state {
    CALL_RUNNING,
    CALL_DONE,
    CALL_CANCELLED,
};

struct http_call {
    LIST_ENTRY(http_call) link;
    struct http_pool *pool;
    CURL *easy;
    struct curl_slist *headers;
    struct buffer body, received;
    http_data_fn *on_data;
    http_done_fn *on_done;
    http_easy_fn *on_easy_done; /* then the rest is the caller's business */
    void *context;
    enum call_state state;
    CURLcode outcome;
    bool is_held, is_paused, has_news;
    bool has_headers;    /* all of them */
    bool is_in_callback; /* then it is freed on the way out */
    char why[CURL_ERROR_SIZE];
};

struct http_pool {
    zloop_t *loop;
    CURLM *multi;
    struct timer timer; /* libcurl's */
    struct timer news;  /* what was held back is to be delivered */
    LIST_HEAD(, http_call) calls;
};

static void drive(struct http_pool *pool, curl_socket_t socket, int events);
static void deliver_all(struct http_pool *pool);

static void
on_timer(void *context)
{
    drive(context, CURL_SOCKET_TIMEOUT, 0);
}

/* libcurl must not be called from here, not even when the time has come. */
static int
set_timer(CURLM *multi UNUSED, long ms, void *context)
{
    struct http_pool *pool = context;

    if (ms < 0)
        timer_cancel(&pool->timer);
    else
        timer_set(&pool->timer, pool->loop, ms, on_timer, pool);
    return 0;
}

static int
on_socket(zloop_t *loop UNUSED, zmq_pollitem_t *item, void *context)
{
    int events = 0;

    if (item->revents & ZMQ_POLLIN)
        events |= CURL_CSELECT_IN;
    if (item->revents & ZMQ_POLLOUT)
        events |= CURL_CSELECT_OUT;
    if (item->revents & ZMQ_POLLERR)
        events |= CURL_CSELECT_ERR;
    drive(context, item->fd, events);
    return 0;
}

static int
watch_socket(CURL *easy UNUSED, curl_socket_t fd, int what, void *context,
             void *socket_arg UNUSED)
{
    struct http_pool *pool = context;
    zmq_pollitem_t item = {.fd = fd};

    zloop_poller_end(pool->loop, &item); /* numbers are used again: start afresh */
    if (what & CURL_POLL_IN)
        item.events |= ZMQ_POLLIN;
    if (what & CURL_POLL_OUT)
        item.events |= ZMQ_POLLOUT;
    if (what == CURL_POLL_REMOVE || !item.events)
        return 0;
    zloop_poller(pool->loop, &item, on_socket, pool);
    zloop_poller_set_tolerant(pool->loop, &item); /* errors are libcurl's to see */
    return 0;
}

struct http_pool *
http_pool_new(zloop_t *loop)
{
    struct http_pool *pool = xcalloc(1, sizeof(*pool));

    pool->loop = loop;
    LIST_INIT(&pool->calls);
    return pool;
}

int
http_pool_open(struct http_pool *pool, struct error *err)
{
    if (pool->multi)
        return 0;
    if (curl_library_load(err) < 0)
        return -1;
    pool->multi = curl.multi_init();
    if (!pool->multi)
        abort();
    curl.multi_setopt(pool->multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
    curl.multi_setopt(pool->multi, CURLMOPT_SOCKETDATA, pool);
    curl.multi_setopt(pool->multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl.multi_setopt(pool->multi, CURLMOPT_TIMERDATA, pool);
    return 0;
}

static void
detach(struct http_call *call)
{
    if (!call->easy)
        return;
    curl.multi_remove_handle(call->pool->multi, call->easy);
    curl.easy_cleanup(call->easy);
    call->easy = NULL;
}

static void
free_call(struct http_call *call)
{
    detach(call);
    LIST_REMOVE(call, link);
    curl.slist_free_all(call->headers);
    buffer_release(&call->body);
    buffer_release(&call->received);
    free(call);
}

void
http_pool_free(struct http_pool *pool)
{
    struct http_call *call;

    if (!pool)
        return;
    while ((call = LIST_FIRST(&pool->calls)))
        free_call(call);
    if (pool->multi)
        curl.multi_cleanup(pool->multi);
    timer_cancel(&pool->timer);
    timer_cancel(&pool->news);
    free(pool);
}

static size_t
on_bytes(char *data, size_t size, size_t count, void *context)
{
    struct http_call *call = context;

    if (call->is_held && call->on_data) {
        call->is_paused = true;
        return CURL_WRITEFUNC_PAUSE;
    }
    call->has_news = true;
    return buffer_append(&call->received, data, size * count) < 0 ? 0 : size * count;
}

/* libcurl takes an answer that is cut in its headers for a short one. */
static size_t
on_header(char *line, size_t size, size_t count, void *context)
{
    struct http_call *call = context;

    if (size * count <= 2 && (line[0] == '\r' || line[0] == '\n'))
        call->has_headers = true;
    return size * count;
}

static void
add_header(struct http_call *call, const char *name, const char *value)
{
    AUTO(mem) char *line = xasprintf("%s: %s", name, value);

    call->headers = curl.slist_append(call->headers, line);
}

static void
set_headers(struct http_call *call, const struct http_request *request)
{
    call->headers = curl.slist_append(NULL, "Expect:"); /* no 100-continue */
    if (request->content_type)
        add_header(call, "Content-Type", request->content_type);
    if (request->token_header)
        call->headers = curl.slist_append(call->headers, request->token_header);
    if (request->trace_header)
        call->headers = curl.slist_append(call->headers, request->trace_header);
    for (const char *const *line = request->headers; line && *line; line++)
        call->headers = curl.slist_append(call->headers, *line);
    curl.easy_setopt(call->easy, CURLOPT_HTTPHEADER, call->headers);
}

static void
set_body(struct http_call *call, struct slice body)
{
    curl.easy_setopt(call->easy, CURLOPT_POSTFIELDS, body.data);
    curl.easy_setopt(call->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.len);
}

static void
set_options(struct http_call *call, const struct http_request *request)
{
    CURL *easy = call->easy;

    curl.easy_setopt(easy, CURLOPT_URL, request->url);
    curl.easy_setopt(easy, CURLOPT_USERAGENT, cellpod_user_agent);
    if (request->unix_path)
        curl.easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, request->unix_path);
    curl.easy_setopt(easy, CURLOPT_PROXY, ""); /* sandboxes are never behind one */
    curl.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl.easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl.easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)READ_SIZE);
    curl.easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, request->connect_timeout_ms);
    curl.easy_setopt(easy, CURLOPT_TIMEOUT_MS, request->timeout_ms);
    curl.easy_setopt(easy, CURLOPT_ERRORBUFFER, call->why);
    curl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_bytes);
    curl.easy_setopt(easy, CURLOPT_WRITEDATA, call);
    curl.easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl.easy_setopt(easy, CURLOPT_HEADERDATA, call);
    curl.easy_setopt(easy, CURLOPT_PRIVATE, call);
    if (call->body.len)
        set_body(call, buffer_slice(&call->body));
    else if (request->payload.data)
        set_body(call, request->payload);
    curl.easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request->method);
    set_headers(call, request);
    if (request->prepare)
        request->prepare(easy, request->context);
}

struct http_call *
http_pool_start(struct http_pool *pool, const struct http_request *request)
{
    struct http_call *call = xcalloc(1, sizeof(*call));

    call->pool = pool;
    call->on_data = request->on_data;
    call->on_done = request->on_done;
    call->context = request->context;
    call->received = (struct buffer)BUFFER_INIT(request->max_bytes);
    call->body = (struct buffer)BUFFER_INIT(SIZE_MAX);
    if (request->body) {
        call->body = *request->body;
        *request->body = (struct buffer)BUFFER_INIT(call->body.max);
    }
    call->easy = curl.easy_init();
    if (!call->easy)
        abort();
    LIST_INSERT_HEAD(&pool->calls, call, link);
    set_options(call, request);
    curl.multi_add_handle(pool->multi, call->easy);
    return call;
}

struct http_call *
http_pool_start_easy(struct http_pool *pool, CURL **easy, http_easy_fn *done,
                     void *context, struct error *err)
{
    struct http_call *call = xcalloc(1, sizeof(*call));

    call->pool = pool;
    call->on_easy_done = done;
    call->context = context;
    call->easy = TAKE(*easy);
    LIST_INSERT_HEAD(&pool->calls, call, link);
    curl.easy_setopt(call->easy, CURLOPT_PRIVATE, call);
    CURLMcode added = curl.multi_add_handle(pool->multi, call->easy);
    if (added == CURLM_OK)
        return call;
    free_call(call);
    (void)error_set(err, ERR_SYSTEM, "libcurl: %s", curl.multi_strerror(added));
    return NULL;
}

void
http_pool_cancel(struct http_call *call)
{
    call->state = CALL_CANCELLED;
    detach(call);
    if (!call->is_in_callback)
        free_call(call);
}

static void
on_news(void *context)
{
    deliver_all(context);
}

/* By the loop. */
static void
deliver_soon(struct http_pool *pool)
{
    if (!timer_is_set(&pool->news))
        timer_set(&pool->news, pool->loop, 0, on_news, pool);
}

void
http_pool_hold(struct http_call *call, bool hold)
{
    struct http_pool *pool = call->pool;

    if (call->is_held == hold || call->state != CALL_RUNNING)
        return;
    call->is_held = hold;
    if (hold)
        return;
    call->has_news = true;
    deliver_soon(pool);
}

/* The text of a refusal is not a stream: on_done gets it. */
static void
deliver_data(struct http_call *call)
{
    call->has_news = false;
    if (!call->on_data || call->received.len == 0 ||
        http_outcome_status(call->easy) != 200)
        return;
    size_t used = call->on_data(call->context, buffer_slice(&call->received));
    buffer_consume(&call->received, used);
    if (call->received.len == 0 && call->received.capacity > MIB(4))
        buffer_release(&call->received);
}

/* Not before what is there was taken: else each hold would add what libcurl has. */
static void
go_on(struct http_call *call)
{
    if (!call->is_paused || call->is_held || call->state != CALL_RUNNING)
        return;
    call->is_paused = false;
    curl.easy_pause(call->easy, CURLPAUSE_CONT);
    if (call->has_news)
        deliver_soon(call->pool);
}

static void
deliver_end(struct http_call *call)
{
    struct http_result result = {.body = buffer_slice(&call->received),
                                 .begun = http_outcome_status(call->easy)};

    if (call->outcome == CURLE_OK && call->has_headers) {
        result.status = http_outcome_status(call->easy);
        result.retry_after_s = http_outcome_retry_after_s(call->easy);
        result.date = http_outcome_date(call->easy);
    } else if (call->outcome == CURLE_OK) {
        error_format(&result.error, ERR_UNAVAILABLE, "the answer was cut off");
    } else {
        error_format(&result.error, http_outcome_silence(call->easy, call->outcome),
                     "%s", *call->why ? call->why : curl.easy_strerror(call->outcome));
    }
    detach(call); /* its connection is free for the next call */
    call->on_done(call->context, &result);
}

/* Its connection is free for the next call; facts about the transfer can still be
 * read. */
static void
deliver_easy(struct http_call *call)
{
    curl.multi_remove_handle(call->pool->multi, call->easy);
    call->on_easy_done(call->easy, call->outcome, call->context);
}

static void
deliver(struct http_call *call)
{
    call->is_in_callback = true;
    deliver_data(call);
    go_on(call);
    if (call->state == CALL_DONE && call->on_easy_done)
        deliver_easy(call);
    else if (call->state == CALL_DONE)
        deliver_end(call);
    call->is_in_callback = false;
    if (call->state != CALL_RUNNING)
        free_call(call);
}

static struct http_call *
next_with_news(struct http_pool *pool)
{
    struct http_call *call;

    LIST_FOREACH (call, &pool->calls, link)
        if (!call->is_in_callback &&
            (call->state == CALL_DONE || (call->has_news && !call->is_held)))
            return call;
    return NULL;
}

static void
note_ends(struct http_pool *pool)
{
    CURLMsg *message;
    int left;

    while ((message = curl.multi_info_read(pool->multi, &left))) {
        struct http_call *call = NULL;
        curl.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&call);
        if (message->msg == CURLMSG_DONE && call) {
            call->outcome = message->data.result;
            call->state = CALL_DONE;
        }
    }
}

static void
deliver_all(struct http_pool *pool)
{
    struct http_call *call;

    while ((call = next_with_news(pool)))
        deliver(call);
}

static void
drive(struct http_pool *pool, curl_socket_t socket, int events)
{
    int running;

    curl.multi_socket_action(pool->multi, socket, events, &running);
    note_ends(pool);
    deliver_all(pool);
}
