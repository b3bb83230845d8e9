/*
 * place_gke: a pod of a warm pool in a Kubernetes cluster, claimed for this kernel.
 *
 * Each claim of a sandbox makes a new SandboxClaim, or goes on with the one that an
 * earlier kernel has left. Leaving it deletes it; it counts as left once the API server
 * has confirmed that.
 */
#include <pwd.h>

#include "common/timer.h"
#include "kernel/place/gke_options.h"
#include "kernel/place/place.h"
#include "kube/access/access_find.h"
#include "kube/claim.h"

#define LOG_COMPONENT "gke"
#include "common/log.h"

#define HEADERS      3
#define REPLACEMENTS 2 /* of pods that do not answer, for one sandbox */

struct gke {
    struct place place;
    const struct gke_options *options;
    struct gke_settings settings;
    struct kube_api *api; /* NULL before the first claim */
    char *namespace;
    struct kube_claim *claim; /* the one that is wanted; NULL: none */
    unsigned replaced;        /* pods that did not answer, before this one */
    int64_t began;            /* of the first claim for this sandbox */
    zlistx_t *leaving;        /* those that are being deleted */
    struct timer told;        /* `left`, that they are */
    place_left_fn *left;
    void *left_arg;
    struct sandbox_address address; /* of the strings below */
    char *url, *headers[HEADERS + 1];
};

static struct place *
open_gke(const struct place_spec *spec, const struct place_host *host)
{
    struct gke *gke = xcalloc(1, sizeof(*gke));

    gke->place = (struct place){&place_gke, *host};
    gke->options = spec->gke;
    gke->leaving = zlistx_new();
    return &gke->place;
}

static void
fail(struct gke *gke, const char *message, const char *remedy)
{
    const struct place_host *host = &gke->place.host;

    host->on_failed(host->context, &(struct sandbox_loss){message, remedy});
}

/* --- the address of a pod --- */

static void
forget_address(struct gke *gke)
{
    free(TAKE(gke->url));
    for (size_t i = 0; i < HEADERS; i++)
        free(TAKE(gke->headers[i]));
    gke->address = (struct sandbox_address){0};
}

static void
set_address(struct gke *gke, const char *ip, const char *sandbox)
{
    const struct gke_settings *settings = &gke->settings;
    const char *router = settings->router;
    bool is_v6 = strchr(ip, ':');

    forget_address(gke);
    if (router) {
        size_t len = strlen(router);
        gke->url =
            xasprintf("%.*s", (int)(router[len - 1] == '/' ? len - 1 : len), router);
        gke->headers[0] = xasprintf("X-Sandbox-ID: %s", sandbox);
        gke->headers[1] = xasprintf("X-Sandbox-Namespace: %s", gke->namespace);
        gke->headers[2] = xasprintf("X-Sandbox-Port: %u", settings->port);
    } else {
        gke->url = xasprintf("http://%s%s%s:%u", is_v6 ? "[" : "", ip, is_v6 ? "]" : "",
                             settings->port);
    }
    gke->address = (struct sandbox_address){
        .url = gke->url, .headers = router ? (const char *const *)gke->headers : NULL};
}

/* --- what the claim says --- */

static void
on_stage(void *context, const char *stage)
{
    struct gke *gke = context;

    gke->place.host.on_stage(gke->place.host.context, stage);
}

static void
on_ready(void *context, const char *ip, const char *sandbox)
{
    struct gke *gke = context;

    set_address(gke, ip, sandbox);
    gke->place.host.on_found(gke->place.host.context, &gke->address);
}

static void
on_lost(void *context, const struct kube_problem *problem)
{
    fail(context, problem->message, problem->remedy);
}

static void
on_missing(void *context, const char *why)
{
    struct gke *gke = context;

    gke->place.host.on_missing(gke->place.host.context, why);
}

static void
on_paused(void *context, const char *why)
{
    struct gke *gke = context;

    gke->place.host.on_paused(gke->place.host.context, why);
}

/* Who was waiting may claim anew: not while the API that told us is at it. */
static void
on_left(void *context)
{
    struct gke *gke = context;

    if (gke->left)
        TAKE(gke->left)(gke->left_arg);
}

static void
on_gone(void *context, struct kube_claim *claim)
{
    struct gke *gke = context;
    void *item = zlistx_find(gke->leaving, claim);

    if (item)
        zlistx_detach(gke->leaving, item);
    if (zlistx_size(gke->leaving) == 0 && gke->left)
        timer_set(&gke->told, gke->place.host.loop, 0, on_left, gke);
}

/* --- claiming --- */

static const char *
user_name(void)
{
    const char *hub = getenv("JUPYTERHUB_USER");
    const char *user = hub && *hub ? hub : getenv("USER");
    const struct passwd *entry = user && *user ? NULL : getpwuid(geteuid());

    return user && *user ? user : entry ? entry->pw_name : "";
}

/* Done again for each claim, if nothing is under way: the kubeconfig may have been
 * corrected meanwhile. */
static int
find_cluster(struct gke *gke, struct error *err)
{
    AUTO(kube_access) struct kube_access access = {0};

    if (gke_options_check(gke->options, &gke->settings, err) < 0)
        return -1;
    if (gke->api && zlistx_size(gke->leaving) > 0)
        return 0;
    if (access_find(gke->settings.context, &access, err) < 0)
        return -1;
    const char *namespace = gke->settings.namespace ? gke->settings.namespace
                            : access.namespace      ? access.namespace
                                                    : "default";
    if (!claim_object_is_name(namespace))
        return error_set(err, ERR_BAD_INPUT,
                         "%.200s: its namespace is not a valid name", access.origin);
    free(gke->namespace);
    gke->namespace = xstrdup(namespace);
    kube_api_free(gke->api);
    gke->api = kube_api_new(gke->place.host.loop, &access);
    return 0;
}

/* Of the time to wait, what those before have left. */
static unsigned
wait_seconds(const struct gke *gke)
{
    const int64_t waited = (zclock_mono() - gke->began) / 1000;

    return waited < gke->settings.wait_seconds
               ? gke->settings.wait_seconds - (unsigned)waited
               : 1;
}

/* again: the name of a claim that is there already; NULL: a new one. */
static void
start_claim(struct gke *gke, const char *again)
{
    const struct kube_claim_owner owner = {on_stage, on_ready,  on_missing, on_lost,
                                           on_gone,  on_paused, gke};
    char host[256] = "";
    struct error err;

    if (find_cluster(gke, &err) < 0) {
        fail(gke, err.text, "For details, run `kubectl config view --minify'.");
        return;
    }
    gethostname(host, sizeof(host) - 1);
    if (!gke->replaced)
        on_stage(gke, again ? "looking for the session from before" : "claiming a pod");
    gke->claim = kube_claim_new(gke->place.host.loop, gke->api,
                                &(struct kube_claim_spec){
                                    .namespace = gke->namespace,
                                    .pool = gke->settings.pool,
                                    .user = user_name(),
                                    .host = host,
                                    .again = again,
                                    .ttl_seconds = gke->settings.ttl_seconds,
                                    .wait_seconds = wait_seconds(gke),
                                },
                                &owner, &err);
    if (!gke->claim)
        fail(gke, err.text, "");
}

static void
start_anew(struct gke *gke, const char *again)
{
    gke->replaced = 0;
    gke->began = zclock_mono();
    start_claim(gke, again);
}

static void
find(struct place *place, bool nobody_answers UNUSED)
{
    struct gke *gke = (struct gke *)place;

    if (!gke->claim) {
        start_anew(gke, NULL);
    } else if (gke->url) /* its pod is ready, sandboxd in it not yet */
        place->host.on_found(place->host.context, &gke->address);
}

/* --- what an earlier kernel has left --- */

/* Where it is, and by which way it is reached. */
static char *
identify(const struct place *place)
{
    const struct gke *gke = (const struct gke *)place;
    struct gke_settings settings;
    struct error err;

    if (gke_options_check(gke->options, &settings, &err) < 0)
        return NULL; /* which place_find says */
    return xasprintf("gke %s %s %s %s %u", settings.context ? settings.context : "",
                     settings.namespace ? settings.namespace : "", settings.pool,
                     settings.router ? settings.router : "direct", settings.port);
}

static const char *
mark(const struct place *place)
{
    return kube_claim_name(((const struct gke *)place)->claim);
}

static void
find_again(struct place *place, const char *mark)
{
    struct gke *gke = (struct gke *)place;

    if (claim_object_is_name(mark))
        start_anew(gke, mark);
    else
        on_missing(gke, "its record is damaged");
}

static void
drop(struct place *place)
{
    struct gke *gke = (struct gke *)place;

    kube_claim_free(TAKE(gke->claim));
    forget_address(gke);
}

/* --- while nobody needs it --- */

static unsigned
pause_after(const struct place *place)
{
    return ((const struct gke *)place)->settings.suspend_seconds;
}

static bool
pause_it(struct place *place)
{
    const struct gke *gke = (const struct gke *)place;

    return gke->claim && kube_claim_pause(gke->claim);
}

static void
resume(struct place *place)
{
    struct gke *gke = (struct gke *)place;

    gke->began = zclock_mono();
    kube_claim_resume(gke->claim);
}

/* --- leaving --- */

static void
leave_claim(struct gke *gke)
{
    struct kube_claim *claim = TAKE(gke->claim);

    if (!claim)
        return;
    zlistx_add_end(gke->leaving, claim);
    kube_claim_leave(claim);
    forget_address(gke);
}

/* Its node is gone, say, and the cluster has not noticed yet. */
static bool
replace(struct place *place, const char *why)
{
    struct gke *gke = (struct gke *)place;

    if (!gke->claim || gke->replaced == REPLACEMENTS || wait_seconds(gke) <= 1)
        return false;
    AUTO(mem) char *stage =
        xasprintf("%s: %s; claiming another pod", kube_claim_title(gke->claim), why);
    log_error("%s", stage);
    gke->replaced++;
    leave_claim(gke);
    on_stage(gke, stage);
    start_claim(gke, NULL);
    return true;
}

static void
leave(struct place *place, place_left_fn *done, void *context)
{
    struct gke *gke = (struct gke *)place;

    leave_claim(gke);
    if (!done)
        return;
    gke->left = done;
    gke->left_arg = context;
    if (zlistx_size(gke->leaving) == 0)
        TAKE(gke->left)(context);
}

static const char *
title(const struct place *place)
{
    const struct gke *gke = (const struct gke *)place;

    return gke->claim ? kube_claim_title(gke->claim) : NULL;
}

static bool
explain(struct place *place, const char *told)
{
    const struct gke *gke = (const struct gke *)place;

    return gke->claim && kube_claim_doubt(gke->claim, told);
}

static void
close_gke(struct place *place)
{
    struct gke *gke = (struct gke *)place;

    timer_cancel(&gke->told);
    for (void *claim = zlistx_first(gke->leaving); claim;
         claim = zlistx_next(gke->leaving))
        kube_claim_free(claim);
    zlistx_destroy(&gke->leaving);
    kube_claim_free(gke->claim);
    kube_api_free(gke->api);
    forget_address(gke);
    free(gke->namespace);
    free(gke);
}

const struct place_type place_gke = {
    .open = open_gke,
    .find = find,
    .leave = leave,
    .close = close_gke,
    .title = title,
    .explain = explain,
    .replace = replace,
    .pause_after = pause_after,
    .pause = pause_it,
    .resume = resume,
    .identify = identify,
    .mark = mark,
    .find_again = find_again,
    .drop = drop,
};
