#include "kube/claim_object.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <sys/random.h>

#include "kube/access/rfc3339.h"

#define USER_LEN 20 /* of a name */

/* Reasons of the Ready condition that waiting does not cure, and reasons that mean that
 * a ready claim is over. From upstream's controllers; with other reasons, it may still
 * become ready. */
static const struct {
    const char *reason;
    enum claim_phase phase;
} final_reasons[] = {
    {"WarmPoolNotFound",          CLAIM_REFUSED},
    {"TemplateNotFound",          CLAIM_REFUSED},
    {"InvalidMetadata",           CLAIM_REFUSED},
    {"EnvVarsInjectionRejected",  CLAIM_REFUSED},
    {"VolumeClaimTemplatesError", CLAIM_REFUSED},
    {"ClaimExpired",              CLAIM_ENDED  },
    {"SandboxExpired",            CLAIM_ENDED  },
    {"SandboxSuspended",          CLAIM_ENDED  },
    {"PodSucceeded",              CLAIM_ENDED  },
    {"PodFailed",                 CLAIM_ENDED  },
};

static const char *
text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text && *text ? text : NULL;
}

/* --- names --- */

static bool
is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool
claim_object_is_name(const char *text)
{
    size_t len = strlen(text);

    for (size_t i = 0; i < len; i++)
        if (!is_plain(text[i]) && text[i] != '-' && text[i] != '.')
            return false;
    return len > 0 && len <= KUBE_NAME_LEN && is_plain(text[0]) &&
           is_plain(text[len - 1]);
}

const char *
claim_object_pod(const json_t *sandbox, const char *name)
{
    const json_t *metadata = json_object_get(sandbox, "metadata");
    const char *named = json_string_value(json_object_get(
        json_object_get(metadata, "annotations"), "agents.x-k8s.io/pod-name"));

    return named && claim_object_is_name(named) ? named : name;
}

void
claim_object_label(const char *text, char out[KUBE_NAME_LEN + 1])
{
    size_t len = 0;

    for (const char *at = text; *at && len < KUBE_NAME_LEN; at++) {
        bool is_fine = isalnum((unsigned char)*at) && (unsigned char)*at < 128;
        bool is_inner = strchr("-_.", *at);
        if (is_fine || (is_inner && len))
            out[len++] = *at;
        else if (len && out[len - 1] != '-')
            out[len++] = '-';
    }
    while (len && !isalnum((unsigned char)out[len - 1]))
        len--;
    out[len] = '\0';
}

static void
name_part(const char *user, char out[USER_LEN + 1])
{
    size_t len = 0;

    for (const char *at = user; *at && *at != '@' && len < USER_LEN; at++) {
        char c = (char)tolower((unsigned char)*at);
        if (is_plain(c))
            out[len++] = c;
        else if (len && out[len - 1] != '-')
            out[len++] = '-';
    }
    while (len && out[len - 1] == '-')
        len--;
    out[len] = '\0';
}

int
claim_object_make_name(const char *user, char out[KUBE_NAME_LEN + 1])
{
    char part[USER_LEN + 1];
    uint64_t number;

    if (getrandom(&number, sizeof(number), 0) != sizeof(number))
        return -1;
    name_part(user, part);
    snprintf(out, KUBE_NAME_LEN + 1, "cellpod-%s%s%016llx", part, *part ? "-" : "",
             (unsigned long long)number);
    return 0;
}

/* --- as we write it --- */

static json_t *
labels(const struct claim_wish *wish)
{
    json_t *all = json_pack("{s:s, s:s}", "app.kubernetes.io/part-of", "cellpod",
                            "app.kubernetes.io/managed-by", "cellpod-kernel");
    char value[KUBE_NAME_LEN + 1];

    claim_object_label(wish->user, value);
    if (*value)
        json_object_set_new(all, "cellpod.dev/user", json_string(value));
    claim_object_label(wish->host, value);
    if (*value)
        json_object_set_new(all, "cellpod.dev/host", json_string(value));
    return all;
}

/* For who looks at pods: agent-sandbox lets claims put labels of this domain on them,
 * and of no other unless its operator says so
 * (/etc/sandbox-config/allowed-label-domains). */
static json_t *
pod_labels(const struct claim_wish *wish)
{
    char value[KUBE_NAME_LEN + 1];

    claim_object_label(wish->user, value);
    return *value ? json_pack("{s:s}", POD_LABEL_DOMAIN "/user", value) : json_object();
}

json_t *
claim_object_make(const struct claim_wish *wish, time_t shutdown)
{
    char when[RFC3339_SIZE];

    rfc3339_write(shutdown, when);
    return json_pack(
        "{s:s, s:s, s:{s:s, s:s, s:o}, s:{s:{s:s}, s:{s:o}, s:{s:s, s:s}}}",
        "apiVersion", CLAIM_VERSION, "kind", "SandboxClaim", "metadata", "name",
        wish->name, "namespace", wish->namespace, "labels", labels(wish), "spec",
        "warmPoolRef", "name", wish->pool, "additionalPodMetadata", "labels",
        pod_labels(wish), "lifecycle", "shutdownTime", when, "shutdownPolicy",
        "Delete");
}

json_t *
claim_object_renewal(time_t shutdown)
{
    char when[RFC3339_SIZE];

    rfc3339_write(shutdown, when);
    return json_pack("{s:{s:{s:s}}}", "spec", "lifecycle", "shutdownTime", when);
}

/* --- as we read it --- */

static const json_t *
ready_condition(const json_t *status)
{
    const json_t *condition;
    size_t at;

    json_array_foreach (json_object_get(status, "conditions"), at, condition) {
        const char *type = text_of(condition, "type");
        if (type && strcmp(type, "Ready") == 0)
            return condition;
    }
    return NULL;
}

static enum claim_phase
phase_of(const char *status, const struct claim_state *state)
{
    for (size_t i = 0; state->reason && i < COUNT_OF(final_reasons); i++)
        if (strcmp(state->reason, final_reasons[i].reason) == 0)
            return final_reasons[i].phase;
    return status && strcmp(status, "True") == 0 && state->ip ? CLAIM_READY
                                                              : CLAIM_PENDING;
}

bool
claim_object_is_suspended(const struct claim_state *state)
{
    return state->reason && strcmp(state->reason, "SandboxSuspended") == 0;
}

/* It goes into a URL, so it must be an address and nothing else. */
static const char *
first_ip(const json_t *sandbox)
{
    const char *ip =
        json_string_value(json_array_get(json_object_get(sandbox, "podIPs"), 0));
    unsigned char bytes[sizeof(struct in6_addr)];

    if (!ip ||
        (inet_pton(AF_INET, ip, bytes) != 1 && inet_pton(AF_INET6, ip, bytes) != 1))
        return NULL;
    return ip;
}

void
claim_object_read(const json_t *object, struct claim_state *out)
{
    const json_t *metadata = json_object_get(object, "metadata");
    const json_t *status = json_object_get(object, "status");
    const json_t *sandbox = json_object_get(status, "sandbox");
    const json_t *ready = ready_condition(status);
    const char *created = text_of(metadata, "creationTimestamp");

    if (!object) {
        *out = (struct claim_state){
            .phase = CLAIM_ENDED,
            .reason = "Deleted",
            .message = "somebody deleted the claim, or it was not renewed in time"};
        return;
    }
    *out = (struct claim_state){
        .reason = text_of(ready, "reason"),
        .message = text_of(ready, "message"),
        .sandbox = text_of(sandbox, "name"),
        .ip = first_ip(sandbox),
        .version = text_of(metadata, "resourceVersion"),
    };
    if (out->sandbox && !claim_object_is_name(out->sandbox))
        out->sandbox = NULL;
    if (out->version && out->version[strspn(out->version, "0123456789")])
        out->version = NULL; /* it goes into a URL */
    if (!created || !rfc3339_read(created, &out->created))
        out->created = 0;
    out->phase = text_of(metadata, "deletionTimestamp")
                     ? CLAIM_ENDED
                     : phase_of(text_of(ready, "status"), out);
}
