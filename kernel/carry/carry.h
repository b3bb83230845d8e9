/*
 * carry: the notebook's folder travels to a sandbox that does not share it, and back.
 *
 * Before a cell, what lies beside the notebook and is new or changed since it was last
 * sent goes to the sandbox's working folder: by name, size and times what is looked at,
 * by SHA-256 what is sent (carry_send.c). After a cell, what is new or changed there
 * comes back (carry_bring.c, carry_store.h). docs/architecture.md, "Files that travel".
 */
#pragma once

#include "kernel/carry/carry_choice.h"
#include "kernel/carry/carry_missing.h"
#include "kernel/carry/carry_store.h"
#include "kernel/carry/carry_thread.h"
#include "kernel/carry/carry_tree.h"
#include "kernel/client/sandbox.h"

struct carry_owner {
    void (*on_stage)(void *context, const char *stage); /* while it sends */
    void (*on_sent)(void *context);                     /* each carry_send ends so */
    void (*on_brought)(void *context);                  /* each carry_bring */
    void *context;
};

enum carry_state {
    CARRY_IDLE,
    CARRY_WAITING, /* for the thread, which still does something for another sandbox */
    CARRY_SENDING,
    CARRY_BRINGING,
};

/* What both sides have of a path. */
struct carry_record {
    struct carry_known known;     /* here */
    char there[CARRY_STATE_SIZE]; /* ""; or its state, which has been dealt with */
    char told[CARRY_STATE_SIZE];  /* of this state the user knows that it cannot come */
};

struct carry {
    struct carry_owner owner;
    zloop_t *loop;
    struct sandbox *sandbox; /* borrowed */
    struct carry_choice choice;
    int root;
    struct carry_thread thread;
    bool is_stale; /* what the thread does is for a sandbox that is gone */
    enum carry_state state;
    int64_t began;
    zhashx_t *records; /* by path */
    bool has_baseline; /* what was there before the first cell is in them */
    bool is_old;       /* its sandboxd cannot list files: nothing comes back */

    struct carry_scan scan; /* of carry_send */
    size_t at;
    struct carry_load load;
    unsigned sent_files;
    uint64_t sent_bytes;
    struct carry_left left, told; /* now; by the last notice */
    bool is_first;                /* nothing was sent to this sandbox before */

    struct carry_tree tree; /* of carry_bring, with `at` */
    struct buffer fetched;
    struct carry_store store;
    unsigned brought_files, copies;
    uint64_t brought_bytes;
    struct carry_left left_back;  /* that was not told before */
    bool told_cut;                /* that there is more than is listed */
    unsigned told_refused;        /* names that cannot come */
    struct buffer copied;         /* about files that are kept twice */
    struct carry_missing missing; /* what the cell did not find */

    char *notice; /* for the user, or NULL; owned */
    char stage[96];
};

void carry_init(struct carry *carry, zloop_t *loop, const struct carry_owner *owner);
void carry_release(struct carry *carry);

/* For the next sandbox. flags: as carry_choice_make. */
void carry_configure(struct carry *carry, const json_t *flags);
/* Nothing of what was sent is there any more; no callback follows. */
void carry_forget(struct carry *carry);

bool carry_is_on(const struct carry *carry);
bool carry_is_busy(const struct carry *carry);
/* Begins to send what has changed. */
void carry_send(struct carry *carry, struct sandbox *sandbox);
/* Does what cells write come back? */
bool carry_brings(const struct carry *carry);
/* Begins to bring it, if so; then tells of the file whose absence the cell's error
 * states, which is taken: as carry_missing_said makes it, or NULL. */
void carry_bring(struct carry *carry, char **said);
/* What it does, in words; "" when it does nothing. */
const char *carry_stage(const struct carry *carry);
/* A line to tell the user, which the caller frees; or NULL. */
char *carry_take_notice(struct carry *carry);

/* --- for its own files --- */

struct carry_record *carry_find(const struct carry *carry, const char *path);
struct carry_record *carry_find_or_add(struct carry *carry, const char *path);
void carry_tell(struct carry *carry, const char *line);
/* The task that has ended was for a sandbox that is gone. */
bool carry_drops_stale(struct carry *carry);
/* Ends carry_send or carry_bring; what they hold is released. */
void carry_end(struct carry *carry);
