/*
 * checkpoint_ring: the checkpoints that a worker makes after its cells. The newest is
 * the worker, should that end, and a user goes back to any of them.
 *
 * A socket is lent with each cell (checkpoint.h): so there are never more than it was
 * asked for, whatever the worker does. Each is known by the number of the cell after
 * which it was made; only the newest for a number is kept. The `position` is the number
 * of the cell that the worker's variables are from: what is newer than that was undone,
 * and is kept until another cell makes a checkpoint.
 */
#pragma once

#include <jansson.h>

#include "sandbox/running/checkpoint.h"

enum {
    CHECKPOINTS_MOST = 16,
    /* One more that is being made, and one that is lent to the cell that follows. */
    CHECKPOINT_SLOTS = CHECKPOINTS_MOST + 2,
};

struct checkpoint_ring_ops {
    void (*on_frozen)(void *context);  /* as of checkpoint.h */
    void (*on_settled)(void *context); /* and what it replaces has ended */
    void (*on_named)(void *context, bool has_named); /* of the one that was called */
    void *context;
};

struct checkpoint_ring {
    unsigned keep; /* 0: none are made */
    uint64_t lent; /* so far */
    int cell;      /* that began last: none can be from a later one */
    int position;
    struct checkpoint_ring_ops ops;
    struct checkpoint_slot {
        struct checkpoint checkpoint;
        uint64_t number;   /* which was lent first */
        int64_t frozen_at; /* seconds since 1970 */
    } slots[CHECKPOINT_SLOTS];
};

/* In place: it is not to be moved. */
void checkpoint_ring_init(struct checkpoint_ring *ring, struct loop *loop,
                          unsigned keep, const struct checkpoint_ring_ops *ops);
void checkpoint_ring_drop(struct checkpoint_ring *ring); /* ends all of them */

/* As checkpoint_lend. ERR_CONFLICT when none are to be made. */
int checkpoint_ring_lend(struct checkpoint_ring *ring, pid_t parent,
                         struct error *err) MUST_CHECK;

/* What was said by one that is about to be frozen is heard now. */
void checkpoint_ring_hear(struct checkpoint_ring *ring);
/* This cell begins. */
void checkpoint_ring_begin_cell(struct checkpoint_ring *ring, int cell);

/* Would any take the worker's place? */
bool checkpoint_ring_has_heir(struct checkpoint_ring *ring);
/* The frozen one that is this process, or NULL. */
struct checkpoint *checkpoint_ring_find(struct checkpoint_ring *ring, int pidfd);
/* The one from after that cell, or NULL. */
struct checkpoint *checkpoint_ring_of_cell(struct checkpoint_ring *ring, int cell);
bool checkpoint_ring_is_process(const struct checkpoint_ring *ring, pid_t pid);

/* New reference: [{"cell":4,"at":seconds,"bytes":held alone,"undone":false},…], the
 * oldest first; without sizes no "bytes": Linux looks at each page for them. */
json_t *checkpoint_ring_list(struct checkpoint_ring *ring, bool with_sizes);

/* It is about to be the worker, and its cell the position. Unless the user goes back to
 * it, what was made after it ends. */
void checkpoint_ring_move_to(struct checkpoint_ring *ring,
                             const struct checkpoint *checkpoint, bool is_wanted);

/* Ends all but the newest. */
void checkpoint_ring_thin(struct checkpoint_ring *ring);
/* Memory is nearly used up: first all but the newest end, then that, if it holds some
 * alone. False: nothing was to be had. */
bool checkpoint_ring_give_way(struct checkpoint_ring *ring);
