#include "sandbox/http/http_reply.h"
#include "sandbox/http/http_request.h"

static void
on_news(void *context)
{
    http_resume(context);
}

static void
on_hang_up(void *context, uint32_t events UNUSED)
{
    struct http_request *request = context;

    request->client_left = true;
    http_resume(request);
}

static ssize_t
read_stream(void *context, uint64_t position UNUSED, char *out, size_t max)
{
    struct http_request *request = context;

    if (request->client_left)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    size_t len = event_log_read(&request->reader, out, max);
    if (len)
        return (ssize_t)len;
    if (event_log_has_ended(&request->reader))
        return MHD_CONTENT_READER_END_OF_STREAM;
    http_suspend(request);
    return 0;
}

/* While a stream is suspended, libmicrohttpd does not look at its socket: we do. */
static int
watch_for_hang_up(struct http_request *request, struct error *err)
{
    request->hang_up = (struct loop_watch){
        .fd = http_socket(request), .on_ready = on_hang_up, .context = request};
    return loop_watch_start(request->service->loop, &request->hang_up,
                            (uint32_t)(EPOLLRDHUP | EPOLLET), err);
}

void
http_stream(struct http_request *request, struct event_log *log, uint64_t after)
{
    struct error err;

    request->reader = (struct event_reader){.on_news = on_news, .context = request};
    if (event_log_attach(log, &request->reader, after, &err) < 0 ||
        watch_for_hang_up(request, &err) < 0) {
        http_reply_error(request, &err);
        return;
    }
    http_reply_response(request, MHD_HTTP_OK,
                        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN,
                                                          HTTP_CONNECTION_MEMORY,
                                                          read_stream, request, NULL),
                        "application/x-cellpod-envelope");
}
