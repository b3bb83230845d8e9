#include "kube/claim_problem.h"

#include <stdio.h>

static void
set(struct kube_problem *out, const char *message, const char *kubectl,
    const struct claim_wish *wish)
{
    snprintf(out->message, sizeof(out->message), "%s", message);
    snprintf(out->remedy, sizeof(out->remedy),
             "For details, run `%.120s describe sandboxclaim -n %s %s'.", kubectl,
             wish->namespace, wish->name);
}

void
claim_problem_refused(const struct stage_facts *facts, const char *kubectl,
                      struct kube_problem *out)
{
    const struct claim_wish *wish = facts->wish;
    char said[300], reason[64], message[512];

    kube_problem_clean(said, sizeof(said), facts->claim->message);
    kube_problem_clean(reason, sizeof(reason), facts->claim->reason);
    snprintf(message, sizeof(message),
             "SandboxClaim %s/%s on pool %s was refused: %s: %s", wish->namespace,
             wish->name, wish->pool, *reason ? reason : "deleted", said);
    set(out, message, kubectl, wish);
}

void
claim_problem_late(const struct stage_facts *facts, const char *kubectl,
                   unsigned wait_seconds, struct kube_problem *out)
{
    char stage[400], message[640];

    stage_describe(facts, stage, sizeof(stage));
    snprintf(message, sizeof(message), "no pod was ready within %u s: %.560s",
             wait_seconds, *out->message ? out->message : stage);
    set(out, message, kubectl, facts->wish);
}

void
claim_problem_ended(const struct stage_facts *facts, const char *kubectl,
                    const char *title, const char *told, struct kube_problem *out)
{
    char why[400];

    stage_describe_end(facts, why, sizeof(why));
    if (*told)
        snprintf(out->message, sizeof(out->message), "%s: %s%s%.200s", title, told,
                 *why ? "; " : "", why);
    else
        snprintf(out->message, sizeof(out->message), "%s has ended%s%s", title,
                 *why ? ": " : "", why);
    snprintf(out->remedy, sizeof(out->remedy),
             "Its variables are lost. Run the cell again to get a new pod. For "
             "details, run `%.120s get events -n %s'.",
             kubectl, facts->wish->namespace);
}
