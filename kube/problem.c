#include "kube/problem.h"

#include <stdio.h>

#include "common/limits.h"
#include "common/utf8.h"

void
kube_problem_clean(char *out, size_t size, const char *text)
{
    size_t len = 0;
    bool was_space = true;

    for (const char *at = text ? text : ""; *at && len + 1 < size; at++) {
        bool is_space = (unsigned char)*at <= ' ' || *at == 0x7f;
        if (!is_space || !was_space)
            out[len++] = is_space ? ' ' : *at;
        was_space = is_space;
    }
    while (len && (out[len - 1] == ' ' || out[len - 1] == '.'))
        len--;
    out[len] = '\0';
}

/* What a row of the table below has at hand. */
struct facts {
    const struct kube_access *access;
    const struct kube_subject *subject;
    long status;
    const char *said, *kind; /* of the Status object: message, details.kind; or "" */
};

static bool
is_quota(const struct facts *facts)
{
    return strstr(facts->said, "exceeded quota");
}

static bool
is_policy(const struct facts *facts)
{
    return strstr(facts->said, "denied the request") ||
           strstr(facts->said, "violates PodSecurity") ||
           strstr(facts->said, "ValidatingAdmissionPolicy");
}

static bool
is_namespace_missing(const struct facts *facts)
{
    return strcmp(facts->kind, "namespaces") == 0;
}

/* If an object is missing, the Status names it. If its type is missing, no name is
 * there. */
static bool
is_type_missing(const struct facts *facts)
{
    return !*facts->kind;
}

#define PRINT_TO(out, ...) snprintf((out), sizeof(out), __VA_ARGS__)

static void
tell_credentials(const struct facts *facts, struct kube_problem *out)
{
    PRINT_TO(out->message,
             "the API server %.120s does not accept the credentials of %.150s: they "
             "have expired, or are meant for another cluster",
             facts->access->server, facts->access->origin);
    PRINT_TO(out->remedy,
             "For details, run `%.120s auth whoami'. On GKE, `gcloud auth login' "
             "renews them.",
             facts->access->kubectl);
}

static void
tell_quota(const struct facts *facts, struct kube_problem *out)
{
    PRINT_TO(out->message, "the quota of namespace %.63s is used up: %s",
             facts->subject->namespace, facts->said);
    PRINT_TO(out->remedy, "For details, run `%.120s describe resourcequota -n %.63s'.",
             facts->access->kubectl, facts->subject->namespace);
}

static void
tell_policy(const struct facts *facts, struct kube_problem *out)
{
    PRINT_TO(out->message, "a policy of the cluster refuses %s %.63s/%.63s: %s",
             facts->subject->kind, facts->subject->namespace,
             facts->subject->name ? facts->subject->name : "", facts->said);
    PRINT_TO(out->remedy,
             "For details, run `%.120s get "
             "validatingwebhookconfigurations,validatingadmissionpolicies'.",
             facts->access->kubectl);
}

static void
tell_forbidden(const struct facts *facts, struct kube_problem *out)
{
    PRINT_TO(out->message, "you are not allowed to %s the %s %.63s/%.63s: %s",
             facts->subject->verb, facts->subject->kind, facts->subject->namespace,
             facts->subject->name ? facts->subject->name : "",
             *facts->said ? facts->said : "forbidden");
    PRINT_TO(out->remedy, "For details, run `%.100s auth can-i %s %s -n %.63s'.",
             facts->access->kubectl, facts->subject->verb, facts->subject->resource,
             facts->subject->namespace);
}

static void
tell_no_namespace(const struct facts *facts, struct kube_problem *out)
{
    PRINT_TO(out->message, "the namespace %.63s does not exist at %.200s",
             facts->subject->namespace, facts->access->server);
    PRINT_TO(out->remedy, "`%.120s get namespaces' lists the existing ones.",
             facts->access->kubectl);
}

static void
tell_no_type(const struct facts *facts, struct kube_problem *out)
{
    PRINT_TO(out->message,
             "the cluster at %.200s does not know %s of version v1beta1: agent-sandbox "
             "is not installed there, or is too old",
             facts->access->server, facts->subject->kind);
    PRINT_TO(out->remedy,
             "For details, run `%.120s api-resources "
             "--api-group=extensions.agents.x-k8s.io'.",
             facts->access->kubectl);
}

static void
tell_busy(const struct facts *facts, struct kube_problem *out)
{
    PRINT_TO(out->message, "the API server %.150s is overloaded (429): %s",
             facts->access->server, *facts->said ? facts->said : "try again later");
    PRINT_TO(out->remedy, "For details, run `%.120s get --raw /readyz?verbose'.",
             facts->access->kubectl);
}

static void
tell_other(const struct facts *facts, struct kube_problem *out)
{
    PRINT_TO(out->message, "cannot %s the %s %.63s/%.63s: %s (status %ld)",
             facts->subject->verb, facts->subject->kind, facts->subject->namespace,
             facts->subject->name ? facts->subject->name : "",
             *facts->said ? facts->said : "the API server does not say why",
             facts->status);
    PRINT_TO(out->remedy, "For details, run `%.120s get %s -n %.63s'.",
             facts->access->kubectl, facts->subject->resource,
             facts->subject->namespace);
}

/* The first that fits; status 0 fits any. */
static const struct {
    long status;
    bool (*fits)(const struct facts *facts);
    void (*tell)(const struct facts *facts, struct kube_problem *out);
} rows[] = {
    {401, NULL,                 tell_credentials },
    {403, is_quota,             tell_quota       },
    {0,   is_policy,            tell_policy      },
    {403, NULL,                 tell_forbidden   },
    {404, is_namespace_missing, tell_no_namespace},
    {404, is_type_missing,      tell_no_type     },
    {429, NULL,                 tell_busy        },
    {0,   NULL,                 tell_other       },
};

static void
tell_silence(const struct kube_access *access, const struct error *why,
             struct kube_problem *out)
{
    PRINT_TO(out->message, "the API server %.120s (%.120s) %s: %.200s", access->server,
             access->origin,
             why && why->kind == ERR_DENIED ? "is not trusted" : "does not answer",
             why ? why->text : "no answer");
    PRINT_TO(out->remedy, "For details, run `%.120s cluster-info'.", access->kubectl);
}

void
kube_problem_of_answer(const struct kube_access *access,
                       const struct kube_subject *subject, long status,
                       struct slice body, const struct error *transport,
                       struct kube_problem *out)
{
    json_auto_t *root = json_loadb(body.data, body.len, 0, NULL);
    const json_t *details = json_object_get(root, "details");
    char said[LIMIT_KUBE_MESSAGE], kind[64];

    if (status == 0) {
        tell_silence(access, transport, out);
        return;
    }
    kube_problem_clean(said, sizeof(said),
                       json_string_value(json_object_get(root, "message")));
    kube_problem_clean(kind, sizeof(kind),
                       json_string_value(json_object_get(details, "kind")));
    const struct facts facts = {access, subject, status, said, kind};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if ((rows[i].status == 0 || rows[i].status == status) &&
            (!rows[i].fits || rows[i].fits(&facts))) {
            rows[i].tell(&facts, out);
            return;
        }
}
