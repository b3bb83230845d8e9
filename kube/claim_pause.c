/*
 * claim_pause: a claim whose pod is taken away while nobody needs it. It is renewed and
 * watched all the while.
 */
#include "kube/claim_parts.h"

#define LOG_COMPONENT "claim"
#include "common/log.h"

static void
tell_stage(struct kube_claim *claim, const char *what)
{
    AUTO(mem) char *stage =
        xasprintf("pod %s/%s: %s", claim->wish.namespace, claim->sandbox, what);

    claim->owner.on_stage(claim->owner.context, stage);
}

static void
tell_paused(struct kube_claim *claim, const char *why)
{
    if (claim->owner.on_paused)
        claim->owner.on_paused(claim->owner.context, why);
}

static void
wake(struct kube_claim *claim)
{
    tell_stage(claim, "resuming");
    suspension_resume(&claim->suspension);
}

/* The controller may still say that it is ready, at an address that is going. */
static void
fall_asleep(struct kube_claim *claim)
{
    claim->is_asleep = true;
    log_info("paused name=%s", claim->name);
    if (claim->is_awaited)
        wake(claim);
    else
        tell_paused(claim, NULL);
}

static void
on_suspended(void *context)
{
    struct kube_claim *claim = context;

    if (claim->seen.phase != CLAIM_READY)
        fall_asleep(claim);
}

static void
on_kept(void *context, const char *why)
{
    struct kube_claim *claim = context;

    claim->state = READY;
    if (!claim_is_ours(claim))
        claim_end(claim);
    else if (claim->is_awaited)
        claim_tell_ready(claim);
    else
        tell_paused(claim, why);
}

static void
on_running(void *context)
{
    struct kube_claim *claim = context;

    claim->is_resumed = true;
    claim_wait(claim);
}

static void
on_failed(void *context, const struct kube_problem *problem)
{
    struct kube_claim *claim = context;

    claim->problem = *problem;
    claim_lose(claim);
}

void
claim_pause_look(struct kube_claim *claim)
{
    const bool is_over =
        claim->seen.phase == CLAIM_ENDED && !claim_object_is_suspended(&claim->seen);
    const bool is_told = claim->suspension.is_patched && !claim->suspension.call;

    const bool is_lost =
        !claim->suspension.is_patched && !claim->is_asleep && !claim_is_ours(claim);

    if (is_over || is_lost) {
        suspension_release(&claim->suspension);
        claim_end(claim);
    } else if (is_told && !claim->is_asleep && claim->seen.phase != CLAIM_READY)
        fall_asleep(claim);
}

void
claim_pause_init(struct kube_claim *claim)
{
    const struct suspension_owner owner = {on_suspended, on_kept, on_running, on_failed,
                                           claim};

    suspension_init(&claim->suspension, claim->loop, claim->api, &claim->wish, &owner);
}

void
claim_pause_find(struct kube_claim *claim)
{
    snprintf(claim->sandbox, sizeof(claim->sandbox), "%s",
             claim->seen.sandbox ? claim->seen.sandbox : "");
    suspension_find(&claim->suspension, claim->sandbox);
    claim->state = PAUSED;
    claim->is_asleep = true;
    claim_progress_stop(&claim->progress);
    wake(claim);
}

bool
kube_claim_pause(struct kube_claim *claim)
{
    const json_t *metadata = json_object_get(claim->object, "metadata");
    const char *uid = json_string_value(json_object_get(metadata, "uid"));

    if (claim->state != READY || timer_is_set(&claim->alarms[ALARM_END]) || !uid)
        return false;
    log_info("pausing name=%s", claim->name);
    claim->state = PAUSED;
    claim->is_asleep = claim->is_awaited = false;
    suspension_start(&claim->suspension, claim->sandbox, uid);
    return true;
}

void
kube_claim_resume(struct kube_claim *claim)
{
    if (claim->state == PAUSED && !claim->is_asleep &&
        suspension_cancel(&claim->suspension))
        claim->state = READY;
    if (claim->state == READY) {
        claim_tell_ready(claim);
    } else if (claim->state == PAUSED && claim->is_asleep) {
        wake(claim);
    } else if (claim->state == PAUSED) {
        claim->is_awaited = true;
        tell_stage(claim, "being suspended; it is resumed then");
    }
}
