/*
 * claiming: how a kernel gets its sandbox from a place.
 *
 * Asks the place for an address and posts the claim there. Without an answer it tries
 * again, until its time is up. The claim's task_id makes that safe: however often the
 * claim is posted, there is one sandbox.
 */
#pragma once

#include <jansson.h>

#include "common/timer.h"
#include "kernel/client/sandbox_link.h"

struct claiming_owner {
    void (*on_stage)(void *context, const char *stage); /* as a place's */
    /* The link leads to the sandbox. kept: of the answer, about a session that was
     * there before; or NULL. */
    void (*on_claimed)(void *context, const json_t *kept);
    void (*on_failed)(void *context, const struct sandbox_loss *loss);
    void *context;
};

struct claiming {
    zloop_t *loop;
    struct sandbox_link *link; /* filled in */
    struct place *place;       /* owned */
    struct claiming_owner owner;
    char *body;    /* NULL: no claim is under way */
    int64_t began; /* 0 until the place has found an address */
    struct http_call *call;
    struct timer next_try;
    struct timer silence; /* until it is told that nothing is heard */
    bool is_silent;       /* it was told */
};

void claiming_init(struct claiming *claiming, zloop_t *loop, struct sandbox_link *link,
                   const struct place_spec *place, const struct claiming_owner *owner);
void claiming_release(struct claiming *claiming);

/* Ends in one call of on_claimed or on_failed. spec is a claim without its task_id. */
void claiming_start(struct claiming *claiming, const json_t *spec);
/* As place_title. */
const char *claiming_title(const struct claiming *claiming);
/* As place_explain. */
bool claiming_explain(struct claiming *claiming, const char *told);
/* No callback of the owner follows. Otherwise as place_leave. */
void claiming_leave(struct claiming *claiming, place_left_fn *done, void *context);
