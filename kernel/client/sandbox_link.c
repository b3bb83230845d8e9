#include "kernel/client/sandbox_link.h"

#include <jansson.h>

#define CONNECT_MS 5000

static char **
copy_headers(const char *const *headers)
{
    size_t count = 0;

    while (headers && headers[count])
        count++;
    if (!count)
        return NULL;
    char **copy = xcalloc(count + 1, sizeof(*copy));
    for (size_t i = 0; i < count; i++)
        copy[i] = xstrdup(headers[i]);
    return copy;
}

static void
release_address(struct sandbox_link *link)
{
    for (char **header = link->headers; header && *header; header++)
        free(*header);
    free(TAKE(link->headers));
    free(TAKE(link->url));
    free(TAKE(link->unix_path));
    free(TAKE(link->claim_header));
}

void
sandbox_link_set_address(struct sandbox_link *link,
                         const struct sandbox_address *address)
{
    release_address(link);
    link->url = xstrdup(address->url);
    link->unix_path = address->unix_path ? xstrdup(address->unix_path) : NULL;
    link->headers = copy_headers(address->headers);
    link->claim_header = address->claim_header ? xstrdup(address->claim_header) : NULL;
}

void
sandbox_link_copy(struct sandbox_link *out, const struct sandbox_link *link)
{
    const struct sandbox_address address = {link->url, link->unix_path,
                                            (const char *const *)link->headers,
                                            link->claim_header};

    *out = (struct sandbox_link){.pool = link->pool};
    sandbox_link_set_address(out, &address);
    out->id = link->id ? xstrdup(link->id) : NULL;
    out->token_header = link->token_header ? xstrdup(link->token_header) : NULL;
}

void
sandbox_link_release(struct sandbox_link *link)
{
    sandbox_link_forget(link);
    release_address(link);
}

void
sandbox_link_forget(struct sandbox_link *link)
{
    free(TAKE(link->id));
    free(TAKE(link->token_header));
}

static struct http_call *
start(const struct sandbox_link *link, const char *url, struct http_request request)
{
    request.url = url;
    request.unix_path = link->unix_path;
    request.token_header = link->token_header ? link->token_header : link->claim_header;
    request.headers = (const char *const *)link->headers;
    request.connect_timeout_ms = CONNECT_MS;
    return http_pool_start(link->pool, &request);
}

struct http_call *
sandbox_link_call(const struct sandbox_link *link, const char *path,
                  struct http_request request)
{
    AUTO(mem) char *url = xasprintf("%s/v1/sandboxes%s", link->url, path);

    return start(link, url, request);
}

struct http_call *
sandbox_link_ask_health(const struct sandbox_link *link, struct http_request request)
{
    AUTO(mem) char *url = xasprintf("%s/v1/health", link->url);

    return start(link, url, request);
}

bool
sandbox_link_is_success(const struct http_result *result)
{
    return result->status >= 200 && result->status < 300;
}

bool
sandbox_link_is_dead(const struct sandbox_link *link, const struct http_result *result)
{
    return link->unix_path && result->status == 0 &&
           result->error.kind == ERR_NOT_FOUND;
}

/* libcurl speaks of a host and a port also where there is only a socket. */
static void
describe_silence(const struct sandbox_link *link, const struct error *why,
                 struct error *err)
{
    if (link->unix_path)
        error_format(err, ERR_UNAVAILABLE, "sandboxd does not answer at %.300s",
                     link->unix_path);
    else
        error_format(err, ERR_UNAVAILABLE, "sandboxd does not answer: %s", why->text);
}

/* "message" of {"error":{…}}; for an answer in another form, its status. */
void
sandbox_link_refusal(const struct sandbox_link *link, const struct http_result *result,
                     struct error *err)
{
    json_auto_t *body = json_loadb(result->body.data, result->body.len, 0, NULL);
    const char *message =
        json_string_value(json_object_get(json_object_get(body, "error"), "message"));

    if (result->status == 0)
        describe_silence(link, &result->error, err);
    else if (message)
        error_format(err, ERR_UNAVAILABLE, "%s", message);
    else
        error_format(err, ERR_UNAVAILABLE, "sandboxd answered with status %ld",
                     result->status);
}
