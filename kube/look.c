#include "kube/look.h"

#define LOOK_MS 5000

static void next_step(struct look *look);

static const struct {
    const char *kind, *resource;
} steps[LOOK_STEPS] = {
    [LOOK_SANDBOX] = {"Sandbox", SANDBOX_RESOURCE},
    [LOOK_POD] = {"Pod",     "pods"          },
    [LOOK_EVENTS] = {"Event",   "events"        },
};

void
look_init(struct look *look, struct kube_api *api, const struct claim_wish *wish,
          void (*done)(void *context), void *context)
{
    *look = (struct look){.api = api, .wish = wish, .done = done, .context = context};
}

static void
forget(struct look *look)
{
    for (size_t i = 0; i < LOOK_STEPS; i++)
        json_decref(TAKE(look->found[i]));
}

void
look_release(struct look *look)
{
    if (look->call)
        kube_api_cancel(TAKE(look->call));
    forget(look);
}

static void
name_pod(struct look *look)
{
    snprintf(look->pod, sizeof(look->pod), "%s",
             claim_object_pod(look->found[LOOK_SANDBOX], look->sandbox));
}

static void
on_done(void *context, const struct kube_answer *answer)
{
    struct look *look = context;

    look->call = NULL;
    if (answer->status == 200)
        look->found[look->step] =
            json_loadb(answer->body.data, answer->body.len, 0, NULL);
    look->is_forbidden[look->step] = answer->status == 401 || answer->status == 403;
    if (look->step == LOOK_SANDBOX)
        name_pod(look);
    look->step++;
    next_step(look);
}

static char *
path_of(const struct look *look)
{
    const char *namespace = look->wish->namespace;

    switch (look->step) {
    case LOOK_SANDBOX:
        return xasprintf(SANDBOX_PATH "/%s", namespace, look->sandbox);
    case LOOK_POD:
        return xasprintf("/api/v1/namespaces/%s/pods/%s", namespace, look->pod);
    case LOOK_EVENTS:
    case LOOK_STEPS:
        break;
    }
    return xasprintf("/api/v1/namespaces/%s/events?limit=100&fieldSelector="
                     "involvedObject.name%%3D%s",
                     namespace, *look->pod ? look->pod : look->wish->name);
}

static bool
is_to_be_taken(const struct look *look)
{
    bool needs_sandbox = look->step == LOOK_SANDBOX || look->step == LOOK_POD;

    return !look->is_forbidden[look->step] && (!needs_sandbox || *look->sandbox);
}

static void
next_step(struct look *look)
{
    while (look->step < LOOK_STEPS && !is_to_be_taken(look)) {
        if (look->step == LOOK_SANDBOX)
            name_pod(look);
        look->step++;
    }
    if (look->step == LOOK_STEPS) {
        look->done(look->context);
        return;
    }
    AUTO(mem) char *path = path_of(look);
    look->call =
        kube_api_start(look->api, &(struct kube_request){
                                      .method = "GET",
                                      .path = path,
                                      .subject = {"get", steps[look->step].kind,
                                                  steps[look->step].resource,
                                                  look->wish->namespace, look->sandbox},
                                      .timeout_ms = LOOK_MS,
                                      .on_done = on_done,
                                      .context = look,
    });
}

void
look_start(struct look *look, const char *sandbox)
{
    if (look->call)
        return;
    forget(look);
    snprintf(look->sandbox, sizeof(look->sandbox), "%s", sandbox ? sandbox : "");
    look->step = LOOK_SANDBOX;
    next_step(look);
}
