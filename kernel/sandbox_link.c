#include "kernel/sandbox_link.h"

#include <jansson.h>

#define CONNECT_MS 5000

void
sandbox_link_forget(struct sandbox_link *link)
{
    free(TAKE(link->id));
    free(TAKE(link->token_header));
}

struct http_call *
sandbox_link_call(const struct sandbox_link *link, const char *path,
                  struct http_request request)
{
    AUTO(mem) char *url = xasprintf("%s/v1/sandboxes%s", link->address.url, path);

    request.url = url;
    request.unix_path = link->address.unix_path;
    request.token_header = link->token_header;
    request.headers = link->address.headers;
    request.connect_timeout_ms = CONNECT_MS;
    return http_start(link->pool, &request);
}

bool
http_is_success(const struct http_result *result)
{
    return result->status >= 200 && result->status < 300;
}

/* libcurl speaks of a host and a port also where there is only a socket. */
static void
describe_silence(const struct sandbox_link *link, const struct error *why,
                 struct error *err)
{
    if (link->address.unix_path)
        error_format(err, ERR_UNAVAILABLE, "sandboxd does not answer at %.300s",
                     link->address.unix_path);
    else
        error_format(err, ERR_UNAVAILABLE, "sandboxd does not answer: %s", why->text);
}

/* "message" of {"error":{…}}; what is not ours to read is told by its status. */
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
