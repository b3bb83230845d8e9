#include "kube/claim_call.h"
#include "kube/claim_parts.h"
#include "kube/claim_problem.h"

#define LOG_COMPONENT "claim"
#include "common/log.h"

#define END_LOOK_MS 1500 /* to find out why a pod has ended */
#define DOUBT_MS    1500 /* for the claim to report what its pod already reports */

static void
set_alarm(struct kube_claim *claim, enum claim_alarm alarm, int64_t ms,
          timer_due_fn *on_due)
{
    timer_set(&claim->alarms[alarm], claim->loop, ms, on_due, claim);
}

/* --- losing it --- */

void
claim_stop(struct kube_claim *claim)
{
    for (size_t i = 0; i < ALARMS; i++)
        timer_cancel(&claim->alarms[i]);
    kube_watch_free(TAKE(claim->watch));
    claim_progress_stop(&claim->progress);
    claim_renewal_stop(&claim->renewal);
    suspension_release(&claim->suspension);
}

void
claim_lose(struct kube_claim *claim)
{
    claim_stop(claim);
    claim->state = LOST;
    log_info("lost name=%s reason=\"%s\"", claim->name, claim->problem.message);
    claim->owner.on_lost(claim->owner.context, &claim->problem);
}

static const char *
kubectl_of(const struct kube_claim *claim)
{
    return kube_api_access(claim->api)->kubectl;
}

static void
on_end_alarm(void *context)
{
    struct kube_claim *claim = context;
    const struct stage_facts facts = claim_progress_facts(&claim->progress);

    claim_problem_ended(&facts, kubectl_of(claim), claim->title, claim->told,
                        &claim->problem);
    claim_lose(claim);
}

void
claim_end(void *context)
{
    struct kube_claim *claim = context;

    claim->state = ENDING;
    kube_watch_free(TAKE(claim->watch));
    claim_renewal_stop(&claim->renewal);
    set_alarm(claim, ALARM_END, END_LOOK_MS, on_end_alarm);
    claim_progress_look_at_end(&claim->progress, claim->sandbox);
}

bool
kube_claim_doubt(struct kube_claim *claim, const char *told)
{
    if (claim->state == READY && !timer_is_set(&claim->alarms[ALARM_END])) {
        snprintf(claim->told, sizeof(claim->told), "%s", told);
        set_alarm(claim, ALARM_END, DOUBT_MS, claim_end);
    }
    return claim->state == READY || claim->state == ENDING;
}

static void
on_last_look(void *context)
{
    set_alarm(context, ALARM_END, 0, on_end_alarm);
}

/* --- waiting --- */

static void
on_stage(void *context, const char *stage)
{
    struct kube_claim *claim = context;

    if (claim->state == CREATING || claim->state == WAITING)
        claim->owner.on_stage(claim->owner.context, stage);
}

static void
on_deadline(void *context)
{
    struct kube_claim *claim = context;
    const struct stage_facts facts = claim_progress_facts(&claim->progress);

    claim_problem_late(&facts, kubectl_of(claim), claim->wait_seconds, &claim->problem);
    claim_lose(claim);
}

/* --- watching --- */

void
claim_tell_ready(struct kube_claim *claim)
{
    claim->owner.on_ready(claim->owner.context, claim->ip, claim->sandbox);
}

static void
become_ready(struct kube_claim *claim)
{
    claim->state = READY;
    claim->is_again = claim->is_resumed = false;
    timer_cancel(&claim->alarms[ALARM_DEADLINE]);
    claim_progress_stop(&claim->progress);
    snprintf(claim->ip, sizeof(claim->ip), "%s", claim->seen.ip);
    snprintf(claim->sandbox, sizeof(claim->sandbox), "%s",
             claim->seen.sandbox ? claim->seen.sandbox : "");
    snprintf(claim->title, sizeof(claim->title), "pod %s/%s (SandboxClaim %s)",
             claim->wish.namespace, claim->sandbox, claim->name);
    log_info("ready name=%s sandbox=%s", claim->name, claim->sandbox);
    claim_tell_ready(claim);
}

static void
miss(struct kube_claim *claim)
{
    AUTO(mem) char *why = xasprintf("%s: %s", claim->title,
                                    claim->seen.message ? claim->seen.message
                                                        : "it is not ready any more");

    claim->is_refused = !claim->object;
    claim_stop(claim);
    claim->state = LOST;
    log_info("missing name=%s", claim->name);
    claim->owner.on_missing(claim->owner.context, why);
}

static void
judge_waiting(struct kube_claim *claim)
{
    const struct stage_facts facts = claim_progress_facts(&claim->progress);

    if (claim->seen.phase == CLAIM_READY) {
        become_ready(claim);
    } else if (claim->is_resumed && claim_object_is_suspended(&claim->seen)) {
        return; /* the controller has not looked yet */
    } else if (claim->is_again && claim_object_is_suspended(&claim->seen)) {
        claim_pause_find(claim);
    } else if (claim->is_again && claim->seen.phase != CLAIM_PENDING) {
        miss(claim);
    } else if (claim->seen.phase != CLAIM_PENDING) {
        claim_problem_refused(&facts, kubectl_of(claim), &claim->problem);
        claim_lose(claim);
    }
}

void
claim_wait(struct kube_claim *claim)
{
    claim->state = WAITING;
    set_alarm(claim, ALARM_DEADLINE, claim->wait_seconds * 1000L, on_deadline);
    claim_progress_start(&claim->progress);
    judge_waiting(claim);
}

/* A pod that is not ready for a moment is busy, and still ours; one that is gone has no
 * address, and one in its place another. */
bool
claim_is_ours(const struct kube_claim *claim)
{
    if (!claim->object || claim->seen.phase == CLAIM_ENDED ||
        claim->seen.phase == CLAIM_REFUSED)
        return false;
    return claim->seen.ip && strcmp(claim->seen.ip, claim->ip) == 0;
}

static void
on_object(void *context, const json_t *object)
{
    struct kube_claim *claim = context;

    json_decref(claim->object);
    claim->object = json_incref((json_t *)object);
    claim_object_read(claim->object, &claim->seen);
    if (claim->state == WAITING) {
        judge_waiting(claim);
        if (claim->state == WAITING)
            claim_progress_changed(&claim->progress);
    } else if (claim->state == PAUSED) {
        claim_pause_look(claim);
    } else if (claim->state == READY && !claim_is_ours(claim))
        claim_end(claim);
}

/* Without the right to watch, we would not learn when it is ready. */
static void
on_watch_problem(void *context, const struct kube_answer *answer)
{
    struct kube_claim *claim = context;

    claim->problem = answer->problem;
    log_error("watch name=%s status=%ld", claim->name, answer->status);
    if (claim->state == WAITING && (answer->status == 401 || answer->status == 403))
        claim_lose(claim);
}

/* --- creating --- */

static void
start_watching(struct kube_claim *claim)
{
    claim->watch =
        kube_watch_new(claim->loop, claim->api,
                       &(struct kube_watch_spec){
                           .path = claim->path,
                           .subject = claim_call_subject(&claim->wish, "watch"),
                           .on_object = on_object,
                           .on_problem = on_watch_problem,
                           .context = claim,
                       },
                       claim->seen.version);
    claim_renewal_start(&claim->renewal);
    claim_progress_start(&claim->progress);
}

static void delete_it(struct kube_claim *claim);

/* 409: a claim of this name exists, and nobody else would have chosen the name. So an
 * earlier try has reached the server, and its answer was lost. */
static void
on_created(void *context, const struct kube_answer *answer)
{
    struct kube_claim *claim = context;
    json_auto_t *object = json_loadb(answer->body.data, answer->body.len, 0, NULL);

    claim->create = NULL;
    if (claim->state == LEAVING) {
        delete_it(claim);
        return;
    }
    if (answer->status != 201 && answer->status != 409) {
        claim->is_refused = answer->status >= 400 && answer->status < 500;
        claim->problem = answer->problem;
        claim_lose(claim);
        return;
    }
    log_info("created name=%s status=%ld", claim->name, answer->status);
    claim->state = WAITING;
    claim->problem = (struct kube_problem){0};
    if (answer->status == 201) {
        claim->object = TAKE(object);
        claim_object_read(claim->object, &claim->seen);
        if (claim->seen.created)
            claim_renewal_set_clock(&claim->renewal, claim->seen.created);
    }
    start_watching(claim);
    if (claim->object)
        judge_waiting(claim);
}

/* By the server's clock, too: it is the first that we know of it. */
static void
go_on(struct kube_claim *claim)
{
    time_t skew;

    claim->state = WAITING;
    start_watching(claim);
    if (kube_api_skew(claim->api, &skew))
        claim_renewal_set_skew(&claim->renewal, skew);
    claim_renewal_now(&claim->renewal);
}

/* Its end is a time by the server's clock: with ours, an hour behind, it would end as
 * soon as it has a pod. */
static void
create(struct kube_claim *claim)
{
    const struct claim_call_owner owner = {on_stage, on_created, claim};
    time_t skew;

    if (kube_api_skew(claim->api, &skew))
        claim_renewal_set_skew(&claim->renewal, skew);
    claim->create = claim_call_create(claim->api, &claim->wish,
                                      claim_renewal_shutdown_time(&claim->renewal),
                                      claim->wait_seconds * 1000L, &owner);
}

static void on_nothing_to_delete(void *context);

static void
on_greeted(void *context, const struct kube_answer *answer)
{
    struct kube_claim *claim = context;

    claim->create = NULL;
    if (claim->state == LEAVING) {
        set_alarm(claim, ALARM_END, 0, on_nothing_to_delete);
    } else if (answer->status && claim->is_again) {
        go_on(claim);
    } else if (answer->status) {
        create(claim);
    } else {
        claim->is_refused = true; /* there is nothing to delete */
        claim->problem = answer->problem;
        claim_lose(claim);
    }
}

static void
greet(struct kube_claim *claim)
{
    const struct claim_call_owner owner = {on_stage, on_greeted, claim};

    claim->create =
        claim_call_greet(claim->api, &claim->wish, claim->wait_seconds * 1000L, &owner);
}

/* --- life --- */

struct kube_claim *
kube_claim_new(zloop_t *loop, struct kube_api *api, const struct kube_claim_spec *spec,
               const struct kube_claim_owner *owner, struct error *err)
{
    struct kube_claim *claim = xcalloc(1, sizeof(*claim));

    if (spec->again)
        snprintf(claim->name, sizeof(claim->name), "%s", spec->again);
    claim->is_again = spec->again;
    if (!spec->again && claim_object_make_name(spec->user, claim->name) < 0) {
        free(claim);
        return (void)error_sys(err, "random bytes"), NULL;
    }
    claim->loop = loop;
    claim->api = api;
    claim->owner = *owner;
    claim->wait_seconds = spec->wait_seconds;
    claim->wish =
        (struct claim_wish){xstrdup(spec->namespace), claim->name, xstrdup(spec->pool),
                            xstrdup(spec->user), xstrdup(spec->host)};
    claim->path = claim_call_collection(&claim->wish);
    snprintf(claim->title, sizeof(claim->title), "SandboxClaim %s/%s",
             claim->wish.namespace, claim->name);
    claim_renewal_init(&claim->renewal, loop, api, &claim->wish, spec->ttl_seconds);
    claim_progress_init(&claim->progress, loop, api, &claim->wish, &claim->seen,
                        &(struct claim_progress_owner){on_stage, on_last_look, claim});
    claim_pause_init(claim);
    set_alarm(claim, ALARM_DEADLINE, claim->wait_seconds * 1000L, on_deadline);
    greet(claim);
    return claim;
}

static void
on_deleted(void *context, const struct kube_answer *answer)
{
    struct kube_claim *claim = context;

    claim->deletion = NULL;
    log_info("deleted name=%s status=%ld", claim->name, answer->status);
    claim->owner.on_gone(claim->owner.context, claim);
    kube_claim_free(claim);
}

static void
delete_it(struct kube_claim *claim)
{
    const struct claim_call_owner owner = {.on_done = on_deleted, .context = claim};

    claim->deletion = claim_call_delete(claim->api, &claim->wish, &owner);
}

static void
on_nothing_to_delete(void *context)
{
    struct kube_claim *claim = context;

    claim->owner.on_gone(claim->owner.context, claim);
    kube_claim_free(claim);
}

/* A creation that is under way ends first: a deletion that overtook it would leave the
 * claim behind. */
void
kube_claim_leave(struct kube_claim *claim)
{
    claim_stop(claim);
    claim->state = LEAVING;
    if (claim->create)
        kube_api_stop_trying(claim->create);
    else if (claim->is_refused)
        set_alarm(claim, ALARM_END, 0, on_nothing_to_delete);
    else
        delete_it(claim);
}

void
kube_claim_free(struct kube_claim *claim)
{
    if (!claim)
        return;
    claim_stop(claim);
    if (claim->create)
        kube_api_cancel(claim->create);
    if (claim->deletion)
        kube_api_cancel(claim->deletion);
    json_decref(claim->object);
    free((char *)claim->wish.namespace);
    free((char *)claim->wish.pool);
    free((char *)claim->wish.user);
    free((char *)claim->wish.host);
    free(claim->path);
    free(claim);
}

const char *
kube_claim_name(const struct kube_claim *claim)
{
    return claim->name;
}

const char *
kube_claim_title(const struct kube_claim *claim)
{
    return claim->title;
}
