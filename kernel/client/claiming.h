/*
 * claiming: how a kernel gets its sandbox from a place.
 *
 * Asks the place for an address and posts the claim there. Without an answer it tries
 * again, until its time is up. The claim's task_id makes that safe: however often the
 * claim is posted, there is one sandbox.
 *
 * On another machine, a claim that is to be kept goes on with what an earlier kernel of
 * the notebook has left, if that is still there (session_record.h).
 */
#pragma once

#include <jansson.h>

#include "common/timer.h"
#include "kernel/client/sandbox_link.h"
#include "kernel/place/session_record.h"

struct claiming_owner {
    void (*on_stage)(void *context, const char *stage); /* as a place's */
    /* The link leads to the sandbox. kept: of the answer, about a session that was
     * there before; or NULL. */
    void (*on_claimed)(void *context, const json_t *kept);
    void (*on_failed)(void *context, const struct sandbox_loss *loss);
    /* Before on_claimed: a sentence for the user. */
    void (*on_told)(void *context, const char *text);
    /* As a place's; and, of claiming_resume: the link leads to it again, as it was. */
    void (*on_paused)(void *context, const char *why);
    void (*on_resumed)(void *context);
    void *context;
};

struct claiming {
    zloop_t *loop;
    struct sandbox_link *link; /* filled in */
    struct place *place;       /* owned */
    struct claiming_owner owner;
    json_t *body; /* NULL: no claim is under way */
    struct session_record record;
    bool is_again; /* the session from before is looked for, and may still be there */
    int64_t began; /* 0 until the place has found an address */
    bool is_resuming; /* what was paused; nothing is claimed */
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
/* As those of the place. Ends in on_resumed or on_failed. */
unsigned claiming_pause_after(const struct claiming *claiming);
bool claiming_pause(struct claiming *claiming);
void claiming_resume(struct claiming *claiming);
/* As place_title. */
const char *claiming_title(const struct claiming *claiming);
/* As place_explain. */
bool claiming_explain(struct claiming *claiming, const char *told);
/* After on_failed, or when the sandbox is lost: as claiming_leave, but a session from
 * before that was not reached stays for another try. */
void claiming_lose(struct claiming *claiming);
/* No callback of the owner follows. Otherwise as place_leave. */
void claiming_leave(struct claiming *claiming, place_left_fn *done, void *context);
