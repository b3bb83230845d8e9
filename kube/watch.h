/*
 * watch: follows one object of the API server, or those about one, until it is ended.
 *
 * As clients of Kubernetes do it: a list, then a watch from that list's version on,
 * with bookmarks. A watch that ends is resumed where it was; if the server no longer
 * has its version (410 Gone), it begins with a list again. So the latest state is never
 * missed, though states in between may be. Failures are reported and retried.
 */
#pragma once

#include "kube/api.h"

struct kube_watch;

struct kube_watch_spec {
    const char *path;            /* of the collection; copied */
    struct kube_subject subject; /* its name is the object's; outlives the watch */
    const char *field;           /* that has this name; NULL: metadata.name */
    /* object is borrowed; NULL: it does not exist (any more), or nothing does */
    void (*on_object)(void *context, const json_t *object);
    /* Reports a failure; the watch goes on. */
    void (*on_problem)(void *context, const struct kube_answer *answer);
    void *context;
};

/* version: the watch begins after it; NULL: with a list. A handler may free the
 * watch. */
struct kube_watch *kube_watch_new(zloop_t *loop, struct kube_api *api,
                                  const struct kube_watch_spec *spec,
                                  const char *version);
void kube_watch_free(struct kube_watch *watch);

/* --- one line of a watch --- */

enum watch_event_type {
    WATCH_CHANGED, /* ADDED, MODIFIED */
    WATCH_DELETED,
    WATCH_BOOKMARK,
    WATCH_GONE,  /* ERROR with code 410 */
    WATCH_ERROR, /* any other ERROR */
};

struct watch_event {
    enum watch_event_type type;
    json_t *root;         /* owned */
    const json_t *object; /* in root */
    const char *version;  /* of the object, or NULL; digits */
};

int watch_event_parse(struct slice line, struct watch_event *out,
                      struct error *err) MUST_CHECK;

static inline void
auto_watch_event(struct watch_event *event)
{
    json_decref(event->root);
}
