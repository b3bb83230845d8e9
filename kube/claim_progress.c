#include "kube/claim_progress.h"

#define LOOK_AFTER_MS 900  /* a claim on a warm pool is ready long before */
#define LOOK_SOON_MS  500  /* after the claim has changed: its pod has, too */
#define LOOK_EVERY_MS 2000 /* while it is not ready; twice as long each time */
#define LOOK_MOST_MS  30000

static void
on_due(void *context)
{
    struct claim_progress *progress = context;

    look_start(&progress->look, progress->state->sandbox);
}

static void
look_later(struct claim_progress *progress, int64_t ms)
{
    timer_set(&progress->next, progress->loop, ms, on_due, progress);
}

struct stage_facts
claim_progress_facts(const struct claim_progress *progress)
{
    return (struct stage_facts){
        .claim = progress->state,
        .wish = progress->wish,
        .sandbox = progress->look.found[LOOK_SANDBOX],
        .pod = progress->look.found[LOOK_POD],
        .events = progress->look.found[LOOK_EVENTS],
        .queue = progress->look.found[LOOK_QUEUE],
    };
}

static void
on_looked(void *context)
{
    struct claim_progress *progress = context;
    const struct stage_facts facts = claim_progress_facts(progress);
    char stage[500];

    if (progress->is_last) {
        progress->owner.on_last_look(progress->owner.context);
        return;
    }
    progress->has_looked = true;
    look_later(progress, progress->wait_ms);
    progress->wait_ms *= 2;
    if (progress->wait_ms > LOOK_MOST_MS)
        progress->wait_ms = LOOK_MOST_MS;
    stage_describe(&facts, stage, sizeof(stage));
    progress->owner.on_stage(progress->owner.context, stage);
}

void
claim_progress_init(struct claim_progress *progress, zloop_t *loop,
                    struct kube_api *api, const struct claim_wish *wish,
                    const struct claim_state *state,
                    const struct claim_progress_owner *owner)
{
    *progress = (struct claim_progress){
        .loop = loop,
        .wish = wish,
        .state = state,
        .owner = *owner,
        .wait_ms = LOOK_EVERY_MS,
    };
    look_init(&progress->look, api, wish, on_looked, progress);
}

void
claim_progress_start(struct claim_progress *progress)
{
    look_later(progress, LOOK_AFTER_MS);
}

void
claim_progress_changed(struct claim_progress *progress)
{
    progress->wait_ms = LOOK_EVERY_MS;
    if (progress->has_looked && timer_is_set(&progress->next))
        look_later(progress, LOOK_SOON_MS);
}

void
claim_progress_stop(struct claim_progress *progress)
{
    timer_cancel(&progress->next);
    look_release(&progress->look);
}

void
claim_progress_look_at_end(struct claim_progress *progress, const char *sandbox)
{
    claim_progress_stop(progress);
    progress->is_last = true;
    look_start(&progress->look, sandbox);
}
