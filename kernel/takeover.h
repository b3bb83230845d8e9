/*
 * takeover: the session of an earlier kernel of this notebook, which ended without a
 * shutdown.
 *
 * sandboxd has kept its sandbox, and answers our claim with it
 * (sandbox/life/sandbox_keep.c). Nothing is read of it before a cell is there that can
 * show it. The first cell says what was taken over, then shows what the earlier
 * kernel's last cell has put out, as untrusted as ever, and while that cell runs it
 * waits. An interrupt is for the cell that runs.
 */
#pragma once

#include <jansson.h>

#include "common/envelope.h"
#include "common/limits.h"

struct kernel;
struct request;

enum takeover_state {
    TAKEOVER_NONE,
    TAKEOVER_PENDING,   /* there is no cell yet that could show it */
    TAKEOVER_FOLLOWING, /* the earlier cell's events come, its end is not there yet */
    TAKEOVER_OVER,      /* what else comes of the earlier kernel's cells is shown */
};

struct takeover {
    enum takeover_state state;
    bool is_keeping;                 /* the next kernel could take over ours */
    bool is_refreshed;               /* the user wants a fresh one */
    char cell[LIMIT_REQUEST_ID + 1]; /* the earlier kernel's last; "": none to show */
    json_int_t after, last; /* events: show those behind `after`; old up to `last` */
    json_int_t question;    /* the old one that still waits for an answer; 0: none */
    char *notice;           /* for the first cell, or NULL */
    struct slice header;    /* of the first cell; owned */
};

void takeover_release(struct takeover *takeover);

/* sandboxd has given us what was kept, or told who has it. */
void takeover_note(struct kernel *kernel, const json_t *taken);
void takeover_note_elsewhere(struct kernel *kernel, json_int_t pid);
/* What else the first cell is to say. */
void takeover_tell(struct kernel *kernel, const char *text);
void takeover_forget(struct kernel *kernel); /* the sandbox is lost */

bool takeover_is_pending(const struct takeover *takeover);
/* Before there is a cell nothing else is answered. */
bool takeover_refuses(struct kernel *kernel, const struct request *request,
                      struct error *err);
/* execution_send, for the current request; behind the earlier cell, if that runs. */
void takeover_send(struct kernel *kernel);

/* `%fresh`, and nothing else? */
bool takeover_is_to_refresh(const struct request *request);
/* Ends the sandbox and claims a fresh one; then the current cell is over. */
void takeover_refresh(struct kernel *kernel);

/* Is it an event of the earlier kernel's last cell, which is not over? */
bool takeover_is_for(const struct takeover *takeover, const struct envelope *event);
/* Where output goes whose cell this kernel does not know; empty: nowhere. */
struct slice takeover_parent(const struct takeover *takeover);
void takeover_ask(struct kernel *kernel, const struct envelope *event); /* input() */
void takeover_end(struct kernel *kernel); /* the earlier cell is over */
/* False: there is no earlier cell that runs. */
bool takeover_interrupt(struct kernel *kernel);
