#include "bridge/models/exchange.h"

#include <time.h>

#include "common/limits.h"
#include "common/retry.h"
#include "common/version.h"

struct exchange {
    struct exchange_spec spec;
    struct buffer body, error_body;
    struct secret *secret_line, *secret;
    struct curl_slist *headers;
    struct curl_slist secret_node; /* its text stays in locked memory */
    struct http_call *transfer;
    struct alarm deadline;
    int64_t last_byte_ms;
    bool has_bytes, is_satisfied;
    CURL *easy; /* borrowed from the transfer, for the callbacks */
};

static void
exchange_free(struct exchange *exchange)
{
    if (!exchange)
        return;
    alarms_clear(&exchange->deadline);
    curl.slist_free_all(exchange->headers);
    secret_free(exchange->secret_line);
    secret_free(exchange->secret);
    buffer_release(&exchange->body);
    buffer_release(&exchange->error_body);
    free(exchange);
}

static inline void
auto_exchange(struct exchange **exchange)
{
    exchange_free(*exchange);
}

void
exchange_cancel(struct exchange *exchange)
{
    if (exchange && exchange->transfer)
        http_pool_cancel(exchange->transfer);
    exchange_free(exchange);
}

/* --- what came --- */

static int
status_of(CURL *easy)
{
    long status = 0;

    curl.easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    return (int)status;
}

static size_t
on_write(char *data, size_t size UNUSED, size_t len, void *context)
{
    struct exchange *exchange = context;
    int status = status_of(exchange->easy);

    exchange->last_byte_ms = alarms_now_ms(exchange->spec.alarms);
    exchange->has_bytes = true;
    if (status < 200 || status > 299) {
        size_t room = exchange->error_body.max - exchange->error_body.len;
        buffer_append(&exchange->error_body, data, len < room ? len : room);
        return len < room ? len : 0; /* the rest is not worth reading */
    }
    if (exchange->spec.on_bytes((struct slice){data, len}, exchange->spec.context))
        return len;
    exchange->is_satisfied = true;
    return 0;
}

static const char *
header_of(CURL *easy, const char *name)
{
    struct curl_header *header;

    return curl.easy_header(easy, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK
               ? header->value
               : NULL;
}

static void
read_request_id(struct failure *failure, CURL *easy)
{
    static const char *const names[] = {"x-request-id", "request-id",
                                        "x-goog-request-id", "cf-ray"};

    for (size_t i = 0; i < COUNT_OF(names) && !failure->request_id[0]; i++) {
        const char *id = header_of(easy, names[i]);
        if (id)
            failure_clean(failure->request_id, sizeof(failure->request_id),
                          slice_of(id));
    }
}

static void
read_retry_headers(struct failure *failure, CURL *easy)
{
    const char *ms = header_of(easy, "retry-after-ms");
    const char *after = header_of(easy, "retry-after");
    const char *should = header_of(easy, "x-should-retry");
    int64_t said = RETRY_NOT_ASKED;

    if (ms) {
        said = retry_parse_after(ms, time(NULL)); /* thousandths of thousandths */
        said = said >= 0 ? said / 1000 : RETRY_NOT_ASKED;
    }
    if (said < 0 && after)
        said = retry_parse_after(after, time(NULL));
    if (said >= 0)
        failure->retry_after_ms = said;
    if (should)
        failure->should_retry = strcasecmp(should, "true") == 0;
}

/* --- how it ended --- */

static const struct {
    CURLcode code;
    enum failure_kind kind;
} codes[] = {
    {CURLE_COULDNT_RESOLVE_HOST,     FAIL_NETWORK  },
    {CURLE_COULDNT_RESOLVE_PROXY,    FAIL_NETWORK  },
    {CURLE_COULDNT_CONNECT,          FAIL_NETWORK  },
    {CURLE_GOT_NOTHING,              FAIL_NETWORK  },
    {CURLE_SEND_ERROR,               FAIL_NETWORK  },
    {CURLE_OPERATION_TIMEDOUT,       FAIL_NETWORK  }, /* only connecting is timed */
    {CURLE_SSL_CONNECT_ERROR,        FAIL_TLS      },
    {CURLE_PEER_FAILED_VERIFICATION, FAIL_TLS      },
    {CURLE_SSL_CACERT_BADFILE,       FAIL_TLS      },
    {CURLE_PARTIAL_FILE,             FAIL_TRUNCATED},
    {CURLE_HTTP2_STREAM,             FAIL_TRUNCATED},
};

static void
set_transfer_failure(struct failure *failure, const struct exchange *exchange,
                     CURLcode code)
{
    enum failure_kind kind = FAIL_PROTOCOL;

    for (size_t i = 0; i < COUNT_OF(codes); i++)
        if (codes[i].code == code)
            kind = codes[i].kind;
    if (code == CURLE_RECV_ERROR)
        kind = exchange->has_bytes ? FAIL_TRUNCATED : FAIL_NETWORK;
    failure_set(failure, kind, "%s", curl.easy_strerror(code));
    if (code == CURLE_SSL_CONNECT_ERROR) /* the handshake broke off: may pass */
        failure->should_retry = 1;
}

/* The server may have quoted what we sent. */
static void
erase_secret(const struct exchange *exchange, struct failure *failure)
{
    secret_erase(exchange->secret, failure->text, strlen(failure->text));
    secret_erase(exchange->secret, failure->code, strlen(failure->code));
    secret_erase(exchange->secret, failure->request_id, strlen(failure->request_id));
}

static void
finish(struct exchange *exchange, const struct failure *failure)
{
    void (*on_done)(const struct failure *, void *) = exchange->spec.on_done;
    void *context = exchange->spec.context;

    exchange->transfer = NULL;
    exchange_free(exchange);
    on_done(failure, context);
}

static void
on_done(CURL *easy, CURLcode code, void *context)
{
    struct exchange *exchange = context;
    struct failure failure = FAILURE_INIT;
    int status = status_of(easy);
    bool is_good = status >= 200 && status <= 299;

    read_request_id(&failure, easy);
    if (is_good && (code == CURLE_OK || exchange->is_satisfied)) {
        finish(exchange, NULL);
        return;
    }
    if (status && !is_good) {
        secret_erase(exchange->secret, exchange->error_body.data,
                     exchange->error_body.len);
        failure_from_http(&failure, status, buffer_slice(&exchange->error_body));
        read_retry_headers(&failure, easy);
    } else {
        set_transfer_failure(&failure, exchange, code);
    }
    erase_secret(exchange, &failure);
    finish(exchange, &failure);
}

/* One alarm for both deadlines, set again only when it rings, since bytes come
 * often. */
static void
on_deadline(void *context)
{
    struct exchange *exchange = context;
    const struct exchange_spec *spec = &exchange->spec;
    int64_t limit = exchange->has_bytes ? spec->idle_ms : spec->first_byte_ms;
    int64_t left = exchange->last_byte_ms + limit - alarms_now_ms(spec->alarms);
    struct failure failure = FAILURE_INIT;

    if (left > 0) {
        alarms_set(spec->alarms, &exchange->deadline, ALARM_DEADLINE, left, on_deadline,
                   exchange);
        return;
    }
    failure_set(&failure, FAIL_TIMEOUT, "no data for %lld s",
                (long long)(limit / 1000));
    if (!exchange->has_bytes) /* the user has waited long enough */
        failure.should_retry = 0;
    http_pool_cancel(exchange->transfer);
    finish(exchange, &failure);
}

/* --- start --- */

static int
add_headers(struct exchange *exchange, struct error *err)
{
    const struct exchange_spec *spec = &exchange->spec;

    for (size_t i = 0; i < COUNT_OF(spec->headers); i++)
        if (spec->headers[i])
            exchange->headers = curl.slist_append(exchange->headers, spec->headers[i]);
    exchange->headers = curl.slist_append(exchange->headers, "Expect:");
    if (!spec->secret)
        return 0;
    exchange->secret = secret_copy(spec->secret, err);
    exchange->secret_line = secret_header(spec->secret_prefix, spec->secret, err);
    if (!exchange->secret || !exchange->secret_line)
        return -1;
    exchange->secret_node = (struct curl_slist){
        .data = secret_borrow(exchange->secret_line),
        .next = exchange->headers,
    };
    return 0;
}

static bool
is_loopback(const char *url)
{
    AUTO(mem) char *host = NULL;
    CURLU *parsed = curl.url();
    char *part = NULL;

    if (curl.url_set(parsed, CURLUPART_URL, url, 0) == CURLUE_OK &&
        curl.url_get(parsed, CURLUPART_HOST, &part, 0) == CURLUE_OK)
        host = xstrdup(part);
    curl.free(part);
    curl.url_cleanup(parsed);
    return host && (strncmp(host, "127.", 4) == 0 || strcmp(host, "localhost") == 0 ||
                    strcmp(host, "[::1]") == 0);
}

static void
set_options(struct exchange *exchange, CURL *easy)
{
    const struct exchange_spec *spec = &exchange->spec;

    curl.easy_setopt(easy, CURLOPT_URL, spec->url);
    curl.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl.easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl.easy_setopt(easy, CURLOPT_USERAGENT, cellpod_user_agent);
    curl.easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)spec->connect_ms);
    curl.easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    /* Else a cancelled transfer would wait for the resolver's thread. */
    curl.easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    /* Not HTTP/2: its library would keep the key in memory that nobody wipes. */
    curl.easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    if (is_loopback(spec->url))
        curl.easy_setopt(easy, CURLOPT_NOPROXY, "*");
    if (spec->ca_file)
        curl.easy_setopt(easy, CURLOPT_CAINFO, spec->ca_file);
    if (spec->secret)
        curl.easy_setopt(easy, CURLOPT_HTTPHEADER, &exchange->secret_node);
    else
        curl.easy_setopt(easy, CURLOPT_HTTPHEADER, exchange->headers);
    if (spec->body.data) {
        curl.easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                         (curl_off_t)exchange->body.len);
        curl.easy_setopt(easy, CURLOPT_POSTFIELDS, exchange->body.data);
    }
    curl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_write);
    curl.easy_setopt(easy, CURLOPT_WRITEDATA, exchange);
}

struct exchange *
exchange_start(const struct exchange_spec *spec, struct error *err)
{
    AUTO(exchange) struct exchange *exchange = NULL;

    if (http_pool_open(spec->pool, err) < 0)
        return NULL;
    exchange = xcalloc(1, sizeof(*exchange));
    *exchange = (struct exchange){
        .spec = *spec,
        .body = BUFFER_INIT(SIZE_MAX),
        .error_body = BUFFER_INIT(LIMIT_ERROR_BODY),
        .last_byte_ms = alarms_now_ms(spec->alarms),
    };
    buffer_append(&exchange->body, spec->body.data, spec->body.len);
    if (add_headers(exchange, err) < 0)
        return NULL;
    CURL *easy = exchange->easy = curl.easy_init();
    if (!easy)
        abort();
    set_options(exchange, easy);
    exchange->transfer =
        http_pool_start_easy(spec->pool, &easy, on_done, exchange, err);
    if (!exchange->transfer)
        return NULL;
    exchange->spec.url = exchange->spec.ca_file = NULL; /* the caller's */
    alarms_set(spec->alarms, &exchange->deadline, ALARM_DEADLINE, spec->first_byte_ms,
               on_deadline, exchange);
    return TAKE(exchange);
}
