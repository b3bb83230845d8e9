#include "kernel/client/call.h"

#include "common/limits.h"
#include "common/retry.h"

#define LOG_COMPONENT "call"
#include "common/log.h"

static void try(void *context);

static void
finish(struct call *call, const struct http_result *result)
{
    timer_cancel(&call->next_try);
    LIST_REMOVE(call, link);
    call->done(call, result);
    sandbox_link_release(&call->to);
    buffer_release(&call->body);
    free(call->id);
    free(call->trace_header);
    free(call);
}

/* How long until the next try; -1: there is none. */
static int64_t
next_wait(const struct call *call, const struct http_result *result)
{
    if (result->status != 0 || result->error.kind == ERR_TOO_LARGE ||
        call->is_last_try || sandbox_link_is_dead(&call->to, result))
        return -1;
    return retry_wait_ms(
        RETRY_SANDBOX_CALL,
        &(struct retry_state){.retries = call->retries,
                              .left_ms =
                                  call->began + call->spec.tries_for_ms - zclock_mono(),
                              .asked_ms = RETRY_NOT_ASKED});
}

static void
on_answer(void *context, const struct http_result *result)
{
    struct call *call = context;
    const int64_t wait = next_wait(call, result);

    call->under_way = NULL;
    if (wait < 0) {
        finish(call, result);
        return;
    }
    log_info("again path=%s reason=\"%s\"", call->spec.path, result->error.text);
    call->retries++;
    timer_set(&call->next_try, call->all->loop, wait, try, call);
}

static void
try(void *context)
{
    struct call *call = context;
    AUTO(mem) char *path = xasprintf("/%s%s", call->to.id, call->spec.path);

    call->under_way = sandbox_link_call(
        &call->to, path,
        (struct http_request){.method = call->spec.method,
                              .content_type = call->spec.content_type,
                              .payload = buffer_slice(&call->body),
                              .trace_header = call->trace_header,
                              .timeout_ms = call->spec.timeout_ms,
                              .max_bytes = call->spec.max_bytes ? call->spec.max_bytes
                                                                : LIMIT_HTTP_BODY,
                              .on_done = on_answer,
                              .context = call});
}

void
call_queue_init(struct call_queue *all, zloop_t *loop)
{
    all->loop = loop;
    LIST_INIT(&all->list);
}

struct call *
call_new(struct call_queue *all, call_done_fn *done)
{
    struct call *call = xcalloc(1, sizeof(*call));

    call->all = all;
    call->done = done;
    call->body = (struct buffer)BUFFER_INIT(SIZE_MAX);
    LIST_INSERT_HEAD(&all->list, call, link);
    return call;
}

static char *
trace_header(const struct trace_id *trace)
{
    char value[TRACE_PARENT_LEN + 1];

    trace_write(trace, value);
    return xasprintf(TRACE_HEADER ": %s", value);
}

void
call_send(struct call *call, const struct sandbox_link *link,
          const struct call_spec *spec)
{
    call->spec = *spec;
    if (spec->body) {
        call->body = *spec->body;
        *spec->body = (struct buffer)BUFFER_INIT(call->body.max);
    }
    if (spec->trace && *spec->trace->text && !link->unix_path)
        call->trace_header = trace_header(spec->trace);
    sandbox_link_copy(&call->to, link);
    call->began = zclock_mono();
    try(call);
}

void
call_queue_stop_trying(struct call_queue *all)
{
    struct call *call, *next;

    for (call = LIST_FIRST(&all->list); call; call = next) {
        next = LIST_NEXT(call, link);
        call->is_last_try = true;
        if (timer_is_set(&call->next_try))
            finish(call, &(struct http_result){0});
    }
}

void
call_queue_end(struct call_queue *all)
{
    struct call *call;

    while ((call = LIST_FIRST(&all->list))) {
        if (call->under_way)
            http_pool_cancel(TAKE(call->under_way));
        finish(call, &(struct http_result){0});
    }
}
