#include "sandbox/http/http_reply.h"

#include "common/json_text.h"
#include "sandbox/http/http_request.h"

#define LOG_COMPONENT "http"
#include "common/log.h"

void
http_reply_response(struct http_request *request, unsigned status,
                    struct MHD_Response *response, const char *type)
{
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    request->response = response;
    request->status = status;
    http_resume(request);
}

/* Takes text, which is malloc's. */
static void
set_text(struct http_request *request, unsigned status, char *text)
{
    http_reply_response(
        request, status,
        MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE),
        "application/json");
}

void
http_reply(struct http_request *request, unsigned status, json_t *body)
{
    char *text = json_dumps(body, JSON_COMPACT);

    json_decref(body);
    set_text(request, status, text ? text : xstrdup("{}"));
}

void
http_reply_empty(struct http_request *request, unsigned status)
{
    request->response =
        MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    request->status = status;
    http_resume(request);
}

void
http_reply_text(struct http_request *request, unsigned status, const char *type,
                struct buffer *text)
{
    size_t len = text->len;
    char *data = text->data ? TAKE(text->data) : xstrdup("");

    buffer_release(text);
    http_reply_response(
        request, status,
        MHD_create_response_from_buffer(len, data, MHD_RESPMEM_MUST_FREE), type);
}

void
http_reply_file(struct http_request *request, int file, uint64_t size)
{
    http_reply_response(request, MHD_HTTP_OK, MHD_create_response_from_fd64(size, file),
                        "application/octet-stream");
}

/* The text may quote a client's bytes, which need not be UTF-8. */
void
http_reply_code(struct http_request *request, unsigned status, const char *code,
                const char *message)
{
    log_debug("%s -> %u %s", request->path, status, code);
    http_reply(request, status,
               json_pack("{s:{s:s, s:o}}", "error", "code", code, "message",
                         json_text_string(slice_of(message))));
}

void
http_reply_error(struct http_request *request, const struct error *err)
{
    http_reply_code(request, error_http_status(err->kind), error_code(err->kind),
                    err->text);
}
