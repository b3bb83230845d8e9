#include "sandbox/life/checkpoint_ring.h"

#include "sandbox/resources/process_tree.h"

#define LOG_COMPONENT "checkpoint"
#include "common/log.h"

enum {
    WORTH_BYTES = 8 << 20, /* that one holds alone: less is no help */
};

static struct checkpoint_slot *
find_slot(struct checkpoint_ring *ring, enum checkpoint_state state)
{
    struct checkpoint_slot *oldest = NULL;

    for (size_t i = 0; i < COUNT_OF(ring->slots); i++) {
        struct checkpoint_slot *slot = &ring->slots[i];
        if (slot->checkpoint.state == state &&
            (!oldest || slot->number < oldest->number))
            oldest = slot;
    }
    return oldest;
}

static size_t
count_frozen(const struct checkpoint_ring *ring)
{
    size_t count = 0;

    for (size_t i = 0; i < COUNT_OF(ring->slots); i++)
        count += checkpoint_is_frozen(&ring->slots[i].checkpoint);
    return count;
}

static void
on_frozen(void *context)
{
    struct checkpoint_ring *ring = context;

    while (count_frozen(ring) > ring->keep)
        checkpoint_drop(&find_slot(ring, CHECKPOINT_FROZEN)->checkpoint);
    ring->on_frozen(ring->context);
}

void
checkpoint_ring_init(struct checkpoint_ring *ring, struct loop *loop, unsigned keep,
                     void (*on_frozen_)(void *context), void *context)
{
    *ring = (struct checkpoint_ring){.keep = keep < CHECKPOINTS_MOST ? keep
                                                                     : CHECKPOINTS_MOST,
                                     .on_frozen = on_frozen_,
                                     .context = context};
    for (size_t i = 0; i < COUNT_OF(ring->slots); i++)
        ring->slots[i].checkpoint = (struct checkpoint){.loop = loop,
                                                        .socket = -1,
                                                        .pidfd = -1,
                                                        .on_frozen = on_frozen,
                                                        .context = ring};
}

void
checkpoint_ring_drop(struct checkpoint_ring *ring)
{
    for (size_t i = 0; i < COUNT_OF(ring->slots); i++)
        checkpoint_drop(&ring->slots[i].checkpoint);
}

/* One that was lent and never used makes room for the next. */
static struct checkpoint_slot *
take_slot(struct checkpoint_ring *ring)
{
    struct checkpoint_slot *slot = find_slot(ring, CHECKPOINT_NONE);

    if (!slot)
        slot = find_slot(ring, CHECKPOINT_LENT);
    slot->number = ++ring->lent;
    return slot;
}

int
checkpoint_ring_lend(struct checkpoint_ring *ring, pid_t parent, struct error *err)
{
    if (!ring->keep)
        return error_set(err, ERR_CONFLICT, "no checkpoints are kept");
    return checkpoint_lend(&take_slot(ring)->checkpoint, parent, err);
}

void
checkpoint_ring_hear(struct checkpoint_ring *ring)
{
    for (size_t i = 0; i < COUNT_OF(ring->slots); i++)
        checkpoint_hear(&ring->slots[i].checkpoint);
}

static bool
is_ready(const struct checkpoint *checkpoint)
{
    return checkpoint_is_frozen(checkpoint) && checkpoint_is_alive(checkpoint);
}

struct checkpoint *
checkpoint_ring_newest(struct checkpoint_ring *ring)
{
    struct checkpoint_slot *newest = NULL;

    for (size_t i = 0; i < COUNT_OF(ring->slots); i++) {
        struct checkpoint_slot *slot = &ring->slots[i];
        if (is_ready(&slot->checkpoint) && (!newest || slot->number > newest->number))
            newest = slot;
    }
    return newest ? &newest->checkpoint : NULL;
}

struct checkpoint *
checkpoint_ring_find(struct checkpoint_ring *ring, int pidfd)
{
    for (size_t i = 0; i < COUNT_OF(ring->slots); i++)
        if (checkpoint_is_frozen(&ring->slots[i].checkpoint) &&
            checkpoint_is_process(&ring->slots[i].checkpoint, pidfd))
            return &ring->slots[i].checkpoint;
    return NULL;
}

bool
checkpoint_ring_is_process(const struct checkpoint_ring *ring, pid_t pid)
{
    for (size_t i = 0; i < COUNT_OF(ring->slots); i++)
        if (checkpoint_pid(&ring->slots[i].checkpoint) == pid)
            return true;
    return false;
}

void
checkpoint_ring_drop_newer(struct checkpoint_ring *ring,
                           const struct checkpoint *checkpoint)
{
    const struct checkpoint_slot *than = NULL;

    for (size_t i = 0; i < COUNT_OF(ring->slots); i++)
        if (&ring->slots[i].checkpoint == checkpoint)
            than = &ring->slots[i];
    for (size_t i = 0; i < COUNT_OF(ring->slots); i++)
        if (than && ring->slots[i].number > than->number)
            checkpoint_drop(&ring->slots[i].checkpoint);
}

bool
checkpoint_ring_give_way(struct checkpoint_ring *ring)
{
    bool did = false;

    for (size_t i = 0; i < COUNT_OF(ring->slots); i++) {
        struct checkpoint *checkpoint = &ring->slots[i].checkpoint;
        if (!is_ready(checkpoint) ||
            process_tree_alone(checkpoint_pid(checkpoint)) < WORTH_BYTES)
            continue;
        log_info("pid=%d gives way", (int)checkpoint_pid(checkpoint));
        checkpoint_drop(checkpoint);
        did = true;
    }
    return did;
}
