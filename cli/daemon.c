#include "cli/daemon.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <time.h>

#include "common/http/curl_library.h"
#include "common/limits.h"
#include "common/paths.h"
#include "common/sandboxd_spawn.h"

enum {
    ANSWER_MS = 60000,
    CONNECT_TRIES = 100, /* of a daemon that another has just started */
    CONNECT_STEP_MS = 50,
    ANSWER_BYTES = 16 << 20,
};

struct daemon {
    char *socket_path;
};

/* One easy handle with what belongs to it. */
struct transfer {
    CURL *easy;
    struct curl_slist *headers;
    struct buffer received;
    const struct daemon_watcher *watcher; /* NULL: the answer is kept whole */
    bool is_over;                         /* the watcher has enough */
    size_t needed;                        /* bytes, until the next event is whole */
    struct error broken;                  /* ERR_BAD_INPUT: not a stream of events */
    bool is_broken;
};

static void
auto_transfer(struct transfer *transfer)
{
    if (transfer->easy)
        curl.easy_cleanup(transfer->easy);
    curl.slist_free_all(transfer->headers);
    buffer_release(&transfer->received);
}

/* --- what arrives --- */

static void
deliver_events(struct transfer *transfer)
{
    while (!transfer->is_over && transfer->received.len >= transfer->needed) {
        AUTO(envelope) struct envelope event = ENVELOPE_INIT;
        ssize_t used = envelope_parse(buffer_slice(&transfer->received), &event,
                                      &transfer->needed, &transfer->broken);
        if (used < 0)
            transfer->is_broken = transfer->is_over = true;
        if (used <= 0)
            return;
        transfer->is_over = transfer->watcher->on_event(
                                &event, transfer->watcher->context) == DAEMON_ENOUGH;
        buffer_consume(&transfer->received, (size_t)used);
        transfer->needed = 1;
    }
}

static size_t
on_data(char *data, size_t size UNUSED, size_t len, void *context)
{
    struct transfer *transfer = context;
    long status = 0;

    if (buffer_append(&transfer->received, data, len) < 0)
        return 0;
    curl.easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    if (transfer->watcher && status == 200)
        deliver_events(transfer);
    return transfer->is_over ? 0 : len;
}

static int
begin(struct transfer *transfer, const struct daemon *daemon,
      const struct daemon_request *request, struct error *err)
{
    AUTO(mem) char *url = xasprintf("http://localhost%s", request->path);

    transfer->easy = curl.easy_init();
    if (!transfer->easy)
        return error_set(err, ERR_SYSTEM, "libcurl failed to start");
    transfer->headers = curl.slist_append(
        NULL, request->is_envelope ? "Content-Type: application/x-cellpod-envelope"
                                   : "Content-Type: application/json");
    transfer->headers = curl.slist_append(transfer->headers, "Expect:");
    curl.easy_setopt(transfer->easy, CURLOPT_URL, url);
    curl.easy_setopt(transfer->easy, CURLOPT_UNIX_SOCKET_PATH, daemon->socket_path);
    curl.easy_setopt(transfer->easy, CURLOPT_PROXY, "");
    curl.easy_setopt(transfer->easy, CURLOPT_NOSIGNAL, 1L);
    curl.easy_setopt(transfer->easy, CURLOPT_CUSTOMREQUEST, request->method);
    curl.easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, transfer->headers);
    curl.easy_setopt(transfer->easy, CURLOPT_WRITEFUNCTION, on_data);
    curl.easy_setopt(transfer->easy, CURLOPT_WRITEDATA, transfer);
    if (request->body.len) {
        curl.easy_setopt(transfer->easy, CURLOPT_POSTFIELDSIZE_LARGE,
                         (curl_off_t)request->body.len);
        curl.easy_setopt(transfer->easy, CURLOPT_POSTFIELDS, request->body.data);
    }
    return 0;
}

/* --- a request and its answer --- */

static const struct {
    const char *code;
    enum error_kind kind;
} kinds[] = {
#define X(kind, code, http, retry) {code, ERR_##kind},
    ERROR_KINDS(X)
#undef X
};

static void
take_api_error(const json_t *answer, long status, struct error *err)
{
    const json_t *error = json_object_get(answer, "error");
    const char *code = json_string_value(json_object_get(error, "code"));
    const char *message = json_string_value(json_object_get(error, "message"));
    enum error_kind kind = ERR_UNAVAILABLE;

    for (size_t i = 0; code && i < COUNT_OF(kinds); i++)
        if (strcmp(code, kinds[i].code) == 0)
            kind = kinds[i].kind;
    if (message)
        error_format(err, kind, "%s", message);
    else
        error_format(err, kind, "cellpod-sandboxd answered with status %ld", status);
}

static int
fail_transfer(const struct daemon *daemon, CURLcode outcome, struct error *err)
{
    enum error_kind kind =
        outcome == CURLE_COULDNT_CONNECT ? ERR_NOT_FOUND : ERR_UNAVAILABLE;

    return error_set(err, kind, "cellpod-sandboxd at %s: %s", daemon->socket_path,
                     curl.easy_strerror(outcome));
}

int
daemon_call(struct daemon *daemon, const struct daemon_request *request,
            json_t **answer, struct error *err)
{
    AUTO(transfer) struct transfer transfer = {.received = BUFFER_INIT(ANSWER_BYTES)};
    long status = 0;

    if (begin(&transfer, daemon, request, err) < 0)
        return -1;
    curl.easy_setopt(transfer.easy, CURLOPT_TIMEOUT_MS, (long)ANSWER_MS);
    CURLcode outcome = curl.easy_perform(transfer.easy);
    if (outcome != CURLE_OK)
        return fail_transfer(daemon, outcome, err);
    curl.easy_getinfo(transfer.easy, CURLINFO_RESPONSE_CODE, &status);
    struct slice body = buffer_slice(&transfer.received);
    json_auto_t *json = json_loadb(body.data, body.len, 0, NULL);
    if (status >= 300 || !json) {
        take_api_error(json, status, err);
        return -1;
    }
    *answer = TAKE(json);
    return 0;
}

/* --- events --- */

static bool
is_readable(int fd)
{
    struct pollfd item = {.fd = fd, .events = POLLIN};

    return poll(&item, 1, 0) > 0;
}

static int
drive(CURLM *multi, const struct daemon_watcher *watcher, struct error *err)
{
    struct curl_waitfd extra = {.fd = watcher->fd, .events = CURL_WAIT_POLLIN};
    int running = 1;

    while (running) {
        CURLMcode result = curl.multi_perform(multi, &running);
        if (result == CURLM_OK && running)
            result = curl.multi_poll(multi, &extra, watcher->fd >= 0, 60000, NULL);
        if (result != CURLM_OK)
            return error_set(err, ERR_SYSTEM, "libcurl: %s",
                             curl.multi_strerror(result));
        if (watcher->fd >= 0 && is_readable(watcher->fd))
            watcher->on_readable(watcher->context);
    }
    return 0;
}

static int
judge(struct daemon *daemon, struct transfer *transfer, CURLM *multi, struct error *err)
{
    struct slice body = buffer_slice(&transfer->received);
    long status = 0;
    int left;

    if (transfer->is_broken) {
        *err = transfer->broken;
        return error_wrap(err, "events of cellpod-sandboxd");
    }
    if (transfer->is_over)
        return 0;
    CURLMsg *said = curl.multi_info_read(multi, &left);
    if (said && said->data.result != CURLE_OK)
        return fail_transfer(daemon, said->data.result, err);
    curl.easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status == 200)
        return error_set(err, ERR_UNAVAILABLE, "the sandbox has ended");
    json_auto_t *json = json_loadb(body.data, body.len, 0, NULL);
    take_api_error(json, status, err);
    return -1;
}

int
daemon_watch(struct daemon *daemon, const char *path,
             const struct daemon_watcher *watcher, struct error *err)
{
    AUTO(transfer) struct transfer transfer = {
        .received = BUFFER_INIT(2 * (size_t)LIMIT_ENVELOPE_BYTES),
        .watcher = watcher,
        .needed = 1,
    };
    struct daemon_request request = {.method = "GET", .path = path};
    int result = begin(&transfer, daemon, &request, err);

    if (result < 0)
        return -1;
    CURLM *multi = curl.multi_init();
    curl.multi_add_handle(multi, transfer.easy);
    result = drive(multi, watcher, err);
    if (result == 0)
        result = judge(daemon, &transfer, multi, err);
    curl.multi_remove_handle(multi, transfer.easy);
    curl.multi_cleanup(multi);
    return result;
}

/* --- finding and starting it --- */

static int64_t
now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Its one line, or what came of it until the end of file. */
static int
await_word(int fd, struct error *err)
{
    char said[SANDBOXD_SAID_BYTES] = "";
    size_t len = 0;
    int64_t deadline = now_ms() + SANDBOXD_PATIENCE_MS;
    ssize_t got = 1;

    while (got != 0 && len < sizeof(said) - 1 && !memchr(said, '\n', len)) {
        struct pollfd item = {.fd = fd, .events = POLLIN};
        int64_t left = deadline - now_ms();
        if (left <= 0 || poll(&item, 1, (int)left) == 0)
            return error_set(err, ERR_TIMEOUT,
                             "cellpod-sandboxd did not listen within %d s",
                             SANDBOXD_PATIENCE_MS / 1000);
        got = read(fd, said + len, sizeof(said) - 1 - len);
        len += got > 0 ? (size_t)got : 0;
        said[len] = '\0';
    }
    return sandboxd_spawn_judge(said, err);
}

static int
ask_health(struct daemon *daemon, struct error *err)
{
    json_auto_t *answer = NULL;
    struct daemon_request request = {.method = "GET", .path = "/v1/health"};

    return daemon_call(daemon, &request, &answer, err);
}

static int
start_daemon(struct daemon *daemon, struct error *err)
{
    AUTO(fd) int word = -1;

    if (sandboxd_spawn(daemon->socket_path, &word, err) < 0 ||
        await_word(word, err) < 0)
        return -1;
    for (int i = 0; i < CONNECT_TRIES; i++) {
        if (ask_health(daemon, err) == 0)
            return 0;
        if (err->kind != ERR_NOT_FOUND)
            return -1;
        poll(NULL, 0, CONNECT_STEP_MS); /* another's, which is not there yet */
    }
    return -1;
}

int
daemon_open(struct daemon **out, bool start, struct error *err)
{
    AUTO(daemon) struct daemon *daemon = xcalloc(1, sizeof(*daemon));

    daemon->socket_path = paths_sandboxd_socket(err);
    if (!daemon->socket_path || curl_library_load(err) < 0)
        return -1;
    if (ask_health(daemon, err) < 0 &&
        (err->kind != ERR_NOT_FOUND || !start || start_daemon(daemon, err) < 0))
        return -1;
    *out = TAKE(daemon);
    return 0;
}

void
daemon_close(struct daemon *daemon)
{
    if (!daemon)
        return;
    free(daemon->socket_path);
    free(daemon);
}
