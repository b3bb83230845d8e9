#include "kernel/post.h"

#include "common/limits.h"

static void
finish(void *arg, const struct http_result *result)
{
    struct post *post = arg;

    post->done(post, result);
    LIST_REMOVE(post, link);
    free(post->id);
    free(post);
}

struct post *
post_new(struct posts *all, post_done_fn *done)
{
    struct post *post = xcalloc(1, sizeof(*post));

    post->done = done;
    LIST_INSERT_HEAD(all, post, link);
    return post;
}

void
post_send(struct post *post, const struct sandbox_link *link,
          const struct post_call *call)
{
    AUTO(mem) char *path = xasprintf("/%s%s", link->id, call->path);

    sandbox_link_call(link, path,
                      (struct http_request){.method = call->method,
                                            .content_type = call->content_type,
                                            .body = call->body,
                                            .timeout_ms = call->timeout_ms,
                                            .max_bytes = LIMIT_HTTP_BODY,
                                            .on_done = finish,
                                            .arg = post});
}

void
posts_end(struct posts *all)
{
    struct post *post;

    while ((post = LIST_FIRST(all)))
        finish(post, &(struct http_result){0});
}
