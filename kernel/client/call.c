#include "kernel/client/call.h"

#include "common/limits.h"

#define LOG_COMPONENT "post"
#include "common/log.h"

#define RETRY_STEP_MS 10
#define RETRY_MAX_MS  500

static void try(struct post *post);

static void
finish(struct post *post, const struct http_result *result)
{
    if (post->timer >= 0)
        zloop_timer_end(post->all->loop, post->timer);
    post->timer = -1;
    LIST_REMOVE(post, link);
    post->done(post, result);
    sandbox_link_release(&post->to);
    buffer_release(&post->body);
    free(post->id);
    free(post);
}

static int
on_timer(zloop_t *loop UNUSED, int timer, void *arg)
{
    struct posts *all = arg;
    struct post *post;

    LIST_FOREACH(post, &all->list, link)
    if (post->timer == timer) {
        post->timer = -1;
        try(post);
        break;
    }
    return 0;
}

static bool
may_try_again(const struct post *post, const struct http_result *result)
{
    return result->status == 0 && !post->is_last_try &&
           !sandbox_link_is_dead(&post->to, result) &&
           zclock_mono() - post->began < post->call.tries_for_ms;
}

static void
on_answer(void *arg, const struct http_result *result)
{
    struct post *post = arg;
    size_t delay = RETRY_STEP_MS * (size_t)post->tries;

    post->under_way = NULL;
    if (!may_try_again(post, result)) {
        finish(post, result);
        return;
    }
    log_info("again path=%s reason=\"%s\"", post->call.path, result->error.text);
    post->timer =
        zloop_timer(post->all->loop, delay < RETRY_MAX_MS ? delay : RETRY_MAX_MS, 1,
                    on_timer, post->all);
}

static void
try(struct post *post)
{
    AUTO(mem) char *path = xasprintf("/%s%s", post->to.id, post->call.path);

    post->tries++;
    post->under_way =
        sandbox_link_call(&post->to, path,
                          (struct http_request){.method = post->call.method,
                                                .content_type = post->call.content_type,
                                                .payload = buffer_slice(&post->body),
                                                .timeout_ms = post->call.timeout_ms,
                                                .max_bytes = LIMIT_HTTP_BODY,
                                                .on_done = on_answer,
                                                .arg = post});
}

void
posts_init(struct posts *all, zloop_t *loop)
{
    all->loop = loop;
    LIST_INIT(&all->list);
}

struct post *
post_new(struct posts *all, post_done_fn *done)
{
    struct post *post = xcalloc(1, sizeof(*post));

    post->all = all;
    post->timer = -1;
    post->done = done;
    post->body = (struct buffer)BUFFER_INIT(SIZE_MAX);
    LIST_INSERT_HEAD(&all->list, post, link);
    return post;
}

void
post_send(struct post *post, const struct sandbox_link *link,
          const struct post_call *call)
{
    post->call = *call;
    if (call->body) {
        post->body = *call->body;
        *call->body = (struct buffer)BUFFER_INIT(post->body.max);
    }
    sandbox_link_copy(&post->to, link);
    post->began = zclock_mono();
    try(post);
}

void
posts_try_no_more(struct posts *all)
{
    struct post *post, *next;

    for (post = LIST_FIRST(&all->list); post; post = next) {
        next = LIST_NEXT(post, link);
        post->is_last_try = true;
        if (post->timer >= 0)
            finish(post, &(struct http_result){0});
    }
}

void
posts_end(struct posts *all)
{
    struct post *post;

    while ((post = LIST_FIRST(&all->list))) {
        if (post->under_way)
            http_cancel(TAKE(post->under_way));
        finish(post, &(struct http_result){0});
    }
}
