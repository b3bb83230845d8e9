#include "kube/claim_progress.h"

#define FOLLOW_AFTER_MS 900 /* a claim on a warm pool is ready long before */

static const json_t *
found(const struct claim_progress *progress, enum scene_part part, enum look_step step)
{
    return progress->is_last ? progress->look.found[step]
                             : progress->scene.watches[part].found;
}

struct stage_facts
claim_progress_facts(const struct claim_progress *progress)
{
    return (struct stage_facts){
        .claim = progress->state,
        .wish = progress->wish,
        .sandbox = found(progress, SCENE_SANDBOX, LOOK_SANDBOX),
        .pod = found(progress, SCENE_POD, LOOK_POD),
        .events = found(progress, SCENE_EVENTS, LOOK_EVENTS),
        .queue = progress->scene.queue.found,
    };
}

static void
on_change(void *context)
{
    struct claim_progress *progress = context;
    const struct stage_facts facts = claim_progress_facts(progress);
    char stage[500];

    stage_describe(&facts, stage, sizeof(stage));
    progress->owner.on_stage(progress->owner.context, stage);
}

static void
on_looked(void *context)
{
    struct claim_progress *progress = context;

    progress->owner.on_last_look(progress->owner.context);
}

static void
begin_to_follow(void *context)
{
    struct claim_progress *progress = context;

    progress->follows = true;
    scene_follow(&progress->scene, progress->state->sandbox);
}

void
claim_progress_init(struct claim_progress *progress, zloop_t *loop,
                    struct kube_api *api, const struct claim_wish *wish,
                    const struct claim_state *state,
                    const struct claim_progress_owner *owner)
{
    *progress = (struct claim_progress){
        .loop = loop, .wish = wish, .state = state, .owner = *owner};
    scene_init(&progress->scene, loop, api, wish, on_change, progress);
    look_init(&progress->look, api, wish, on_looked, progress);
}

void
claim_progress_start(struct claim_progress *progress)
{
    timer_set(&progress->start, progress->loop, FOLLOW_AFTER_MS, begin_to_follow,
              progress);
}

void
claim_progress_changed(struct claim_progress *progress)
{
    if (progress->follows)
        scene_follow(&progress->scene, progress->state->sandbox);
}

void
claim_progress_stop(struct claim_progress *progress)
{
    timer_cancel(&progress->start);
    progress->follows = false;
    scene_stop(&progress->scene);
    look_release(&progress->look);
}

void
claim_progress_look_at_end(struct claim_progress *progress, const char *sandbox)
{
    claim_progress_stop(progress);
    progress->is_last = true;
    look_start(&progress->look, sandbox);
}
