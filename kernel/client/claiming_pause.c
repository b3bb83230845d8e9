/*
 * claiming_pause: what was claimed is given up for a while, and taken up again.
 */
#include "common/limits.h"
#include "kernel/client/claiming_parts.h"

#define FORGOTTEN                                                                     \
    "its pod was suspended while the notebook was idle, and was resumed without its " \
    "memory"

static void
on_probed(void *context, const struct http_result *result)
{
    struct claiming *claiming = context;

    claiming->call = NULL;
    if (claiming_is_silence(claiming, result->status)) {
        claiming_take_silence(claiming, result);
    } else if (sandbox_link_is_success(result)) {
        claiming_stop(claiming);
        claiming->owner.on_resumed(claiming->owner.context);
    } else {
        claiming_fail_at_place(
            claiming, FORGOTTEN,
            "Its variables are lost. Run the cell again to get a new pod.");
    }
}

/* A pod whose memory was not restored does not know the sandbox. */
void
claiming_probe(struct claiming *claiming)
{
    AUTO(mem) char *path = xasprintf("/%s", claiming->link->id);

    claiming->call = sandbox_link_call(claiming->link, path,
                                       (struct http_request){
                                           .method = "GET",
                                           .timeout_ms = ANSWER_MS,
                                           .max_bytes = LIMIT_HTTP_BODY,
                                           .on_done = on_probed,
                                           .context = claiming,
                                       });
}

unsigned
claiming_pause_after(const struct claiming *claiming)
{
    return place_pause_after(claiming->place);
}

bool
claiming_pause(struct claiming *claiming)
{
    return place_pause(claiming->place);
}

void
claiming_resume(struct claiming *claiming)
{
    claiming->is_resuming = true;
    claiming->began = 0;
    place_resume(claiming->place);
}
