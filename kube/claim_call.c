#include "kube/claim_call.h"

#define SILENCE_MS 40000 /* for a server to be there that a claim is created on */
#define CALL_MS    10000
#define DELETE_MS  60000

struct kube_subject
claim_call_subject(const struct claim_wish *wish, const char *verb)
{
    return (struct kube_subject){verb, "SandboxClaim", CLAIM_RESOURCE, wish->namespace,
                                 wish->name};
}

char *
claim_call_collection(const struct claim_wish *wish)
{
    return xasprintf("/apis/" CLAIM_VERSION "/namespaces/%s/sandboxclaims",
                     wish->namespace);
}

static char *
path_of(const struct claim_wish *wish)
{
    AUTO(mem) char *collection = claim_call_collection(wish);

    return xasprintf("%s/%s", collection, wish->name);
}

/* One that is waited for until the server is there. */
static struct kube_call *
start_patiently(struct kube_api *api, const struct claim_wish *wish,
                struct kube_request request, int64_t patience_ms,
                const struct claim_call_owner *owner)
{
    request.subject = claim_call_subject(wish, "create");
    request.timeout_ms = CALL_MS;
    request.patience_ms = patience_ms;
    request.silence_ms = SILENCE_MS;
    request.on_retry = owner->on_retry;
    request.on_done = owner->on_done;
    request.context = owner->context;
    return kube_api_start(api, &request);
}

struct kube_call *
claim_call_greet(struct kube_api *api, const struct claim_wish *wish,
                 int64_t patience_ms, const struct claim_call_owner *owner)
{
    const struct kube_request request = {.method = "GET", .path = "/version"};

    return start_patiently(api, wish, request, patience_ms, owner);
}

struct kube_call *
claim_call_create(struct kube_api *api, const struct claim_wish *wish, time_t shutdown,
                  int64_t patience_ms, const struct claim_call_owner *owner)
{
    json_auto_t *body = claim_object_make(wish, shutdown);
    AUTO(mem) char *path = claim_call_collection(wish);
    const struct kube_request request = {.method = "POST", .path = path, .body = body};

    return start_patiently(api, wish, request, patience_ms, owner);
}

struct kube_call *
claim_call_renew(struct kube_api *api, const struct claim_wish *wish, time_t shutdown,
                 int64_t patience_ms, const struct claim_call_owner *owner)
{
    json_auto_t *patch = claim_object_renewal(shutdown);
    AUTO(mem) char *path = path_of(wish);

    return kube_api_start(api, &(struct kube_request){
                                   .method = "PATCH",
                                   .path = path,
                                   .content_type = "application/merge-patch+json",
                                   .body = patch,
                                   .subject = claim_call_subject(wish, "patch"),
                                   .timeout_ms = CALL_MS,
                                   .patience_ms = patience_ms,
                                   .on_done = owner->on_done,
                                   .context = owner->context,
                               });
}

struct kube_call *
claim_call_delete(struct kube_api *api, const struct claim_wish *wish,
                  const struct claim_call_owner *owner)
{
    AUTO(mem) char *path = path_of(wish);

    return kube_api_start(api, &(struct kube_request){
                                   .method = "DELETE",
                                   .path = path,
                                   .subject = claim_call_subject(wish, "delete"),
                                   .timeout_ms = CALL_MS,
                                   .patience_ms = DELETE_MS,
                                   .on_done = owner->on_done,
                                   .context = owner->context,
                               });
}
