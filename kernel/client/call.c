#include "kernel/client/call.h"

#include "common/limits.h"

#define LOG_COMPONENT "call"
#include "common/log.h"

#define RETRY_STEP_MS 10
#define RETRY_MAX_MS  500

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
    free(call);
}

static bool
may_try_again(const struct call *call, const struct http_result *result)
{
    return result->status == 0 && !call->is_last_try &&
           !sandbox_link_is_dead(&call->to, result) &&
           zclock_mono() - call->began < call->spec.tries_for_ms;
}

static void
on_answer(void *arg, const struct http_result *result)
{
    struct call *call = arg;
    int64_t delay = (int64_t)RETRY_STEP_MS * call->tries;

    call->under_way = NULL;
    if (!may_try_again(call, result)) {
        finish(call, result);
        return;
    }
    log_info("again path=%s reason=\"%s\"", call->spec.path, result->error.text);
    timer_set(&call->next_try, call->all->loop,
              delay < RETRY_MAX_MS ? delay : RETRY_MAX_MS, try, call);
}

static void
try(void *context)
{
    struct call *call = context;
    AUTO(mem) char *path = xasprintf("/%s%s", call->to.id, call->spec.path);

    call->tries++;
    call->under_way =
        sandbox_link_call(&call->to, path,
                          (struct http_request){.method = call->spec.method,
                                                .content_type = call->spec.content_type,
                                                .payload = buffer_slice(&call->body),
                                                .timeout_ms = call->spec.timeout_ms,
                                                .max_bytes = LIMIT_HTTP_BODY,
                                                .on_done = on_answer,
                                                .arg = call});
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

void
call_send(struct call *call, const struct sandbox_link *link,
          const struct call_spec *spec)
{
    call->spec = *spec;
    if (spec->body) {
        call->body = *spec->body;
        *spec->body = (struct buffer)BUFFER_INIT(call->body.max);
    }
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
