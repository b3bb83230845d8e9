/*
 * checkpoint_ring: the checkpoints that a worker makes after its cells. The newest few
 * are kept, and are the worker, should that end.
 *
 * A socket is lent with each cell (checkpoint.h): so there are never more than it was
 * asked for, whatever the worker does.
 */
#pragma once

#include "sandbox/life/checkpoint.h"

enum {
    CHECKPOINTS_MOST = 1,
    /* One more that is being made, and one that is lent to the cell that follows. */
    CHECKPOINT_SLOTS = CHECKPOINTS_MOST + 2,
};

struct checkpoint_ring {
    unsigned keep; /* 0: none are made */
    uint64_t lent; /* so far */
    void (*on_frozen)(void *context);
    void *context;
    struct checkpoint_slot {
        struct checkpoint checkpoint;
        uint64_t number; /* which was lent first */
    } slots[CHECKPOINT_SLOTS];
};

/* In place: it is not to be moved. */
void checkpoint_ring_init(struct checkpoint_ring *ring, struct loop *loop,
                          unsigned keep, void (*on_frozen)(void *context),
                          void *context);
void checkpoint_ring_drop(struct checkpoint_ring *ring); /* ends all of them */

/* As checkpoint_lend. ERR_CONFLICT when none are to be made. */
int checkpoint_ring_lend(struct checkpoint_ring *ring, pid_t parent,
                         struct error *err) MUST_CHECK;

/* What was said by one that is about to be frozen is heard now. */
void checkpoint_ring_hear(struct checkpoint_ring *ring);

/* NULL: none is frozen that lives. */
struct checkpoint *checkpoint_ring_newest(struct checkpoint_ring *ring);
/* The frozen one that is this process, or NULL. */
struct checkpoint *checkpoint_ring_find(struct checkpoint_ring *ring, int pidfd);
bool checkpoint_ring_is_process(const struct checkpoint_ring *ring, pid_t pid);

/* It is about to be the worker: what is newer than that ends. */
void checkpoint_ring_drop_newer(struct checkpoint_ring *ring,
                                const struct checkpoint *checkpoint);

/* Memory is nearly used up: ends those that hold some alone. False: nothing was to be
 * had. */
bool checkpoint_ring_give_way(struct checkpoint_ring *ring);
