#include "kube/stage.h"

#include <stdio.h>

#include "common/limits.h"
#include "kube/problem.h"
#include "kube/queue.h"

static const char *
text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static const json_t *
condition_of(const json_t *object, const char *type)
{
    const json_t *status = json_object_get(object, "status"), *condition;
    size_t at;

    json_array_foreach (json_object_get(status, "conditions"), at, condition)
        if (strcmp(text_of(condition, "type"), type) == 0)
            return condition;
    return NULL;
}

/* The first container: templates of ours have one. */
static const json_t *
container_status(const json_t *pod)
{
    const json_t *status = json_object_get(pod, "status");

    return json_array_get(json_object_get(status, "containerStatuses"), 0);
}

static const json_t *
waiting(const json_t *pod)
{
    return json_object_get(json_object_get(container_status(pod), "state"), "waiting");
}

/* The newest event of this reason: lists are in order of time, more or less. */
static const char *
event_message(const json_t *events, const char *reason)
{
    const json_t *event;
    const char *message = NULL;
    size_t at;

    json_array_foreach (json_object_get(events, "items"), at, event)
        if (strcmp(text_of(event, "reason"), reason) == 0)
            message = text_of(event, "message");
    return message;
}

/* --- each asks one question: "" when it does not apply --- */

typedef void answer_fn(const struct stage_facts *facts, char *out, size_t size);

static void
why_unschedulable(const struct stage_facts *facts, char *out, size_t size)
{
    const json_t *condition = condition_of(facts->pod, "PodScheduled");
    char message[LIMIT_KUBE_MESSAGE];

    if (!condition)
        condition = condition_of(facts->sandbox, "PodScheduled");
    if (strcmp(text_of(condition, "status"), "False") != 0)
        return;
    kube_problem_clean(message, sizeof(message), text_of(condition, "message"));
    if (!*message)
        kube_problem_clean(message, sizeof(message), text_of(condition, "reason"));
    snprintf(out, size, "cannot be scheduled: %s", message);
}

/* ErrImagePull, ImagePullBackOff, InvalidImageName, CrashLoopBackOff, … */
static void
why_container_waits(const struct stage_facts *facts, char *out, size_t size)
{
    const char *reason = text_of(waiting(facts->pod), "reason");
    char message[LIMIT_KUBE_MESSAGE], cleaned[64];

    if (!*reason || strcmp(reason, "ContainerCreating") == 0 ||
        strcmp(reason, "PodInitializing") == 0)
        return;
    kube_problem_clean(cleaned, sizeof(cleaned), reason);
    kube_problem_clean(message, sizeof(message),
                       text_of(waiting(facts->pod), "message"));
    snprintf(out, size, "%s%s: %s",
             strstr(reason, "Image") ? "the image cannot be pulled, " : "", cleaned,
             message);
}

static void
why_volume(const struct stage_facts *facts, char *out, size_t size)
{
    const char *found = event_message(facts->events, "FailedMount");
    char message[LIMIT_KUBE_MESSAGE];

    if (!found || !*text_of(waiting(facts->pod), "reason"))
        return;
    kube_problem_clean(message, sizeof(message), found);
    snprintf(out, size, "a volume cannot be mounted: %s", message);
}

/* The controller's own words: a quota, a policy, a webhook. */
static void
why_controller(const struct stage_facts *facts, char *out, size_t size)
{
    const char *reason = facts->claim->reason;
    const char *event = event_message(facts->events, "FailedCreate");
    const char *said = event ? event : facts->claim->message;
    char message[LIMIT_KUBE_MESSAGE];

    if (!event && (!reason || strcmp(reason, "ReconcilerError") != 0))
        return;
    kube_problem_clean(message, sizeof(message), said);
    snprintf(out, size, "%s%s",
             strstr(message, "exceeded quota") ? "the quota is used up: "
             : strstr(message, "violates PodSecurity") ||
                     strstr(message, "denied the request")
                 ? "a policy refuses the pod: "
                 : "the pod cannot be made: ",
             message);
}

static void
is_pulling(const struct stage_facts *facts, char *out, size_t size)
{
    const char *pulling = event_message(facts->events, "Pulling");
    const char *pulled = event_message(facts->events, "Pulled");
    char message[LIMIT_KUBE_MESSAGE];

    if (!pulling || pulled)
        return;
    kube_problem_clean(message, sizeof(message), pulling); /* Pulling image "…" */
    snprintf(out, size, "%s", message);
    if (*out == 'P')
        *out = 'p';
}

static void
is_starting(const struct stage_facts *facts, char *out, size_t size)
{
    const json_t *status = json_object_get(facts->pod, "status");
    const char *phase = text_of(status, "phase");
    const char *said = facts->claim->message ? facts->claim->message : "";

    if (strcmp(phase, "Running") == 0 || strstr(said, "is Running") ||
        strstr(said, "is Ready"))
        snprintf(out, size, "starting");
    else if (strcmp(text_of(condition_of(facts->pod, "PodScheduled"), "status"),
                    "True") == 0 ||
             strcmp(text_of(condition_of(facts->sandbox, "PodScheduled"), "status"),
                    "True") == 0)
        snprintf(out, size, "scheduled, its container is being made");
}

static void
is_assigned(const struct stage_facts *facts, char *out, size_t size)
{
    char message[LIMIT_KUBE_MESSAGE];

    kube_problem_clean(message, sizeof(message), facts->claim->message);
    if (facts->claim->sandbox)
        snprintf(out, size, "claimed%s%s", *message ? ": " : "", message);
    else if (*message)
        snprintf(out, size, "%s", message);
}

static answer_fn *const questions[] = {
    why_unschedulable, why_container_waits, why_volume,  why_controller,
    is_pulling,        is_starting,         is_assigned,
};

void
stage_describe(const struct stage_facts *facts, char *out, size_t size)
{
    const struct queue_place queue = queue_find(facts->queue, facts->wish);
    char what[LIMIT_KUBE_MESSAGE + 80] = "", place[KUBE_NAME_LEN + 60] = "";

    if (queue.waiting)
        snprintf(place, sizeof(place), " (place %u of %u that wait for pool %s)",
                 queue.place, queue.waiting, facts->wish->pool);
    for (size_t i = 0; i < COUNT_OF(questions) && !*what; i++)
        questions[i](facts, what, sizeof(what));
    if (facts->claim->sandbox)
        snprintf(out, size, "pod %s/%s: %s%s", facts->wish->namespace,
                 facts->claim->sandbox, what, place);
    else
        snprintf(out, size, "SandboxClaim %s/%s on pool %s: %s%s",
                 facts->wish->namespace, facts->wish->name, facts->wish->pool,
                 *what ? what : "no pod is free, a new one is being made", place);
}

/* --- ends --- */

static void
end_of_pod(const struct stage_facts *facts, char *out, size_t size)
{
    const json_t *status = json_object_get(facts->pod, "status");
    const char *reason = text_of(status, "reason");
    char message[LIMIT_KUBE_MESSAGE], cleaned[64];

    kube_problem_clean(message, sizeof(message), text_of(status, "message"));
    kube_problem_clean(cleaned, sizeof(cleaned), reason);
    if (*cleaned)
        snprintf(out, size, "%s%s%s", cleaned, *message ? ": " : "", message);
}

static void
end_of_container(const struct stage_facts *facts, char *out, size_t size)
{
    const json_t *container = container_status(facts->pod);
    const json_t *ended =
        json_object_get(json_object_get(container, "state"), "terminated");
    char reason[64];

    if (!ended)
        ended = json_object_get(json_object_get(container, "lastState"), "terminated");
    if (!ended)
        return;
    kube_problem_clean(reason, sizeof(reason), text_of(ended, "reason"));
    snprintf(out, size, "its container ended with exit code %lld%s%s",
             (long long)json_integer_value(json_object_get(ended, "exitCode")),
             *reason ? ", " : "", reason);
}

static void
end_by_event(const struct stage_facts *facts, char *out, size_t size)
{
    static const char *const reasons[] = {"Evicted", "Preempted", "Preempting",
                                          "TaintManagerEviction", "Killing"};
    char message[LIMIT_KUBE_MESSAGE];

    for (size_t i = 0; i < COUNT_OF(reasons); i++) {
        const char *said = event_message(facts->events, reasons[i]);
        if (!said)
            continue;
        kube_problem_clean(message, sizeof(message), said);
        snprintf(out, size, "%s: %s", reasons[i], message);
        return;
    }
}

static void
end_of_claim(const struct stage_facts *facts, char *out, size_t size)
{
    char message[LIMIT_KUBE_MESSAGE], reason[64];

    kube_problem_clean(message, sizeof(message), facts->claim->message);
    kube_problem_clean(reason, sizeof(reason), facts->claim->reason);
    if (facts->claim->phase == CLAIM_PENDING) /* its message is about another pod */
        snprintf(out, size, "its pod was deleted or replaced");
    else if (*message && facts->claim->phase != CLAIM_READY)
        snprintf(out, size, "%s%s%s", reason, *reason ? ": " : "", message);
}

void
stage_describe_end(const struct stage_facts *facts, char *out, size_t size)
{
    static answer_fn *const answers[] = {end_of_pod, end_of_container, end_by_event,
                                         end_of_claim};

    *out = '\0';
    for (size_t i = 0; i < COUNT_OF(answers) && !*out; i++)
        answers[i](facts, out, size);
}

json_int_t
stage_restarts(const json_t *pod)
{
    return json_integer_value(json_object_get(container_status(pod), "restartCount"));
}
