#include "kube/suspension.h"

#include <sys/random.h>

#define LOG_COMPONENT "suspension"
#include "common/log.h"

#define SNAPSHOTS   "podsnapshot.gke.io/v1"
#define CALL_MS     10000
#define PATIENCE_MS 60000
#define SNAPSHOT_MS 180000 /* for a snapshot to be complete */

static const char *
text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* --- ends --- */

static void
stop(struct suspension *suspension)
{
    timer_cancel(&suspension->deadline);
    kube_watch_free(TAKE(suspension->watch));
    free(TAKE(suspension->path));
    if (suspension->call)
        kube_api_cancel(TAKE(suspension->call));
}

static void
keep(struct suspension *suspension, const char *why)
{
    char cleaned[400];

    kube_problem_clean(cleaned, sizeof(cleaned), why);
    stop(suspension);
    log_error("kept sandbox=%s reason=\"%s\"", suspension->sandbox, cleaned);
    suspension->owner.on_kept(suspension->owner.context, cleaned);
}

/* --- the Sandbox --- */

static void
set_mode(struct suspension *suspension, const char *mode, kube_done_fn *done)
{
    json_auto_t *patch = json_pack("{s:{s:s}}", "spec", "operatingMode", mode);
    AUTO(mem) char *path =
        xasprintf(SANDBOX_PATH "/%s", suspension->wish->namespace, suspension->sandbox);

    suspension->call = kube_api_start(
        suspension->api,
        &(struct kube_request){
            .method = "PATCH",
            .path = path,
            .content_type = "application/merge-patch+json",
            .body = patch,
            .subject = {"patch", "Sandbox", SANDBOX_RESOURCE,
                        suspension->wish->namespace, suspension->sandbox},
            .timeout_ms = CALL_MS,
            .patience_ms = PATIENCE_MS,
            .on_done = done,
            .context = suspension,
    });
}

static void
on_suspended(void *context, const struct kube_answer *answer)
{
    struct suspension *suspension = context;

    suspension->call = NULL;
    if (answer->status != 200) {
        keep(suspension, answer->problem.message);
        return;
    }
    log_info("suspended sandbox=%s", suspension->sandbox);
    suspension->owner.on_suspended(suspension->owner.context);
}

static void
on_running(void *context, const struct kube_answer *answer)
{
    struct suspension *suspension = context;

    suspension->call = NULL;
    if (answer->status == 200)
        suspension->owner.on_running(suspension->owner.context);
    else
        suspension->owner.on_failed(suspension->owner.context, &answer->problem);
}

void
suspension_resume(struct suspension *suspension)
{
    suspension->is_patched = false;
    set_mode(suspension, "Running", on_running);
}

/* --- the snapshot --- */

static void
suspend(struct suspension *suspension)
{
    timer_cancel(&suspension->deadline);
    kube_watch_free(TAKE(suspension->watch));
    suspension->is_patched = true;
    set_mode(suspension, "Suspended", on_suspended);
}

static void
on_trigger(void *context, const json_t *object)
{
    struct suspension *suspension = context;
    const json_t *status = json_object_get(object, "status"), *condition;
    size_t at;

    json_array_foreach (json_object_get(status, "conditions"), at, condition) {
        const char *reason = text_of(condition, "reason");
        if (strcmp(text_of(condition, "type"), "Triggered") != 0)
            continue;
        if (strcmp(text_of(condition, "status"), "True") == 0 &&
            strcmp(reason, "Complete") == 0) {
            suspend(suspension);
            return;
        }
        if (strcmp(text_of(condition, "status"), "False") == 0 &&
            (strcmp(reason, "Failed") == 0 || strcmp(reason, "Error") == 0)) {
            AUTO(mem) char *why =
                xasprintf("its snapshot failed: %.300s", text_of(condition, "message"));
            keep(suspension, why);
            return;
        }
    }
}

static void
on_watch_problem(void *context, const struct kube_answer *answer)
{
    if (answer->status == 401 || answer->status == 403)
        keep(context, answer->problem.message);
}

static void
on_deadline(void *context)
{
    keep(context, "its snapshot was not complete within 180 s");
}

static struct kube_subject
subject_of(const struct suspension *suspension, const char *verb)
{
    return (struct kube_subject){verb, "PodSnapshotManualTrigger",
                                 "podsnapshotmanualtriggers.podsnapshot.gke.io",
                                 suspension->wish->namespace, suspension->trigger};
}

static void
on_triggered(void *context, const struct kube_answer *answer)
{
    struct suspension *suspension = context;

    suspension->call = NULL;
    if (answer->status == 404) {
        keep(suspension, "this cluster has no Pod Snapshots (" SNAPSHOTS ")");
        return;
    }
    if (answer->status != 201 && answer->status != 409) { /* 409: an earlier try */
        keep(suspension, answer->problem.message);
        return;
    }
    suspension->watch = kube_watch_new(suspension->loop, suspension->api,
                                       &(struct kube_watch_spec){
                                           .path = suspension->path,
                                           .subject = subject_of(suspension, "watch"),
                                           .on_object = on_trigger,
                                           .on_problem = on_watch_problem,
                                           .context = suspension,
                                       },
                                       NULL);
}

static json_t *
make_trigger(const struct suspension *suspension)
{
    return json_pack("{s:s, s:s, s:{s:s, s:s, s:[{s:s, s:s, s:s, s:s}]}, s:{s:s}}",
                     "apiVersion", SNAPSHOTS, "kind", "PodSnapshotManualTrigger",
                     "metadata", "name", suspension->trigger, "namespace",
                     suspension->wish->namespace, "ownerReferences", "apiVersion",
                     CLAIM_VERSION, "kind", "SandboxClaim", "name",
                     suspension->wish->name, "uid", suspension->claim_uid, "spec",
                     "targetPod", suspension->pod);
}

static void
on_sandbox(void *context, const struct kube_answer *answer)
{
    struct suspension *suspension = context;
    json_auto_t *sandbox = json_loadb(answer->body.data, answer->body.len, 0, NULL);

    suspension->call = NULL;
    if (answer->status != 200) {
        keep(suspension, answer->problem.message);
        return;
    }
    snprintf(suspension->pod, sizeof(suspension->pod), "%s",
             claim_object_pod(sandbox, suspension->sandbox));
    json_auto_t *trigger = make_trigger(suspension);
    suspension->call =
        kube_api_start(suspension->api, &(struct kube_request){
                                            .method = "POST",
                                            .path = suspension->path,
                                            .body = trigger,
                                            .subject = subject_of(suspension, "create"),
                                            .timeout_ms = CALL_MS,
                                            .patience_ms = PATIENCE_MS,
                                            .on_done = on_triggered,
                                            .context = suspension,
                                        });
}

/* --- life --- */

void
suspension_init(struct suspension *suspension, zloop_t *loop, struct kube_api *api,
                const struct claim_wish *wish, const struct suspension_owner *owner)
{
    *suspension =
        (struct suspension){.loop = loop, .api = api, .wish = wish, .owner = *owner};
}

void
suspension_start(struct suspension *suspension, const char *sandbox,
                 const char *claim_uid)
{
    const struct claim_wish *wish = suspension->wish;
    AUTO(mem) char *path = xasprintf(SANDBOX_PATH "/%s", wish->namespace, sandbox);
    uint32_t number = 0;

    if (getrandom(&number, sizeof(number), 0) != sizeof(number))
        number = (uint32_t)zclock_usecs();
    stop(suspension);
    suspension->is_patched = false;
    snprintf(suspension->sandbox, sizeof(suspension->sandbox), "%s", sandbox);
    snprintf(suspension->claim_uid, sizeof(suspension->claim_uid), "%s", claim_uid);
    snprintf(suspension->trigger, sizeof(suspension->trigger), "%.54s-%08x", wish->name,
             number);
    suspension->path = xasprintf(
        "/apis/" SNAPSHOTS "/namespaces/%s/podsnapshotmanualtriggers", wish->namespace);
    timer_set(&suspension->deadline, suspension->loop, SNAPSHOT_MS, on_deadline,
              suspension);
    suspension->call = kube_api_start(
        suspension->api, &(struct kube_request){
                             .method = "GET",
                             .path = path,
                             .subject = {"get", "Sandbox", SANDBOX_RESOURCE,
                                         wish->namespace, suspension->sandbox},
                             .timeout_ms = CALL_MS,
                             .patience_ms = PATIENCE_MS,
                             .on_done = on_sandbox,
                             .context = suspension,
    });
}

void
suspension_find(struct suspension *suspension, const char *sandbox)
{
    snprintf(suspension->sandbox, sizeof(suspension->sandbox), "%s", sandbox);
}

bool
suspension_cancel(struct suspension *suspension)
{
    if (suspension->is_patched)
        return false;
    stop(suspension);
    return true;
}

void
suspension_release(struct suspension *suspension)
{
    stop(suspension);
}
