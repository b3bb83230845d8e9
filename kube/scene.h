/*
 * scene: the objects behind a claim that waits, followed: its Sandbox, its Pod, their
 * events; and the claims of the same pool, for its place among those that wait.
 *
 * The first three are watched. Claims of others change too often for that: they are
 * counted first, and listed ever more rarely, the more so the more there are: where
 * hundreds wait, each of them asks for all. What we may not read is left out, and not
 * asked for again.
 */
#pragma once

#include "common/timer.h"
#include "kube/claim_object.h"
#include "kube/watch.h"

enum scene_part {
    SCENE_SANDBOX,
    SCENE_POD,
    SCENE_EVENTS,
    SCENE_PARTS,
};

struct scene;

struct scene_watch {
    struct scene *scene;
    enum scene_part part;
    struct kube_watch *watch;     /* NULL: not begun, or forbidden */
    char name[KUBE_NAME_LEN + 1]; /* of what is watched, for its subject */
    bool is_forbidden;
    json_t *found; /* NULL: nothing is there; of events an EventList */
};

struct scene {
    zloop_t *loop;
    struct kube_api *api;
    const struct claim_wish *wish;
    void (*on_change)(void *context); /* soon after one: several make one */
    void *context;
    struct scene_watch watches[SCENE_PARTS];
    struct timer telling;
    struct {
        struct kube_call *call;
        struct timer next;
        int64_t wait_ms;
        int64_t began_ms, due_ms; /* when it may be listed; 0: not counted yet */
        bool is_forbidden;
        json_t *found;
    } queue;
};

void scene_init(struct scene *scene, zloop_t *loop, struct kube_api *api,
                const struct claim_wish *wish, void (*on_change)(void *context),
                void *context);
/* Begins, or goes on, with another Sandbox perhaps; on_change follows. sandbox: NULL
 * while there is none. */
void scene_follow(struct scene *scene, const char *sandbox);
void scene_stop(struct scene *scene); /* and forgets all; also when it has not begun */
