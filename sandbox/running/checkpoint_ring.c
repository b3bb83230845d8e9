#include "sandbox/running/checkpoint_ring.h"

#include <stdlib.h>
#include <time.h>

#include "sandbox/resources/process_tree.h"

#define LOG_COMPONENT "checkpoint"
#include "common/log.h"

enum {
    WORTH_BYTES = 8 << 20, /* that one holds alone: less is no help */
    DENSE = 4,             /* of the newest, none is left out */
};

#define FOR_EACH_SLOT(ring, slot)                      \
    for (struct checkpoint_slot *slot = (ring)->slots; \
         slot < (ring)->slots + CHECKPOINT_SLOTS; slot++)

static bool
is_frozen(const struct checkpoint_slot *slot)
{
    return checkpoint_is_frozen(&slot->checkpoint);
}

static bool
is_settled(const struct checkpoint_slot *slot)
{
    return checkpoint_is_settled(&slot->checkpoint);
}

static bool
is_ready(const struct checkpoint_slot *slot)
{
    return is_settled(slot) && checkpoint_is_alive(&slot->checkpoint);
}

static struct checkpoint_slot *
slot_of(struct checkpoint_ring *ring, const struct checkpoint *checkpoint)
{
    FOR_EACH_SLOT(ring, slot)
    if (&slot->checkpoint == checkpoint)
        return slot;
    return NULL;
}

static int
compare_cells(const void *a, const void *b)
{
    const struct checkpoint_slot *const *left = a, *const *right = b;

    return ((*left)->checkpoint.cell > (*right)->checkpoint.cell) -
           ((*left)->checkpoint.cell < (*right)->checkpoint.cell);
}

/* Those that are settled, by their cells, the oldest first. */
static size_t
sort_settled(struct checkpoint_ring *ring, struct checkpoint_slot **sorted)
{
    size_t count = 0;

    FOR_EACH_SLOT(ring, slot)
    if (is_settled(slot))
        sorted[count++] = slot;
    qsort(sorted, count, sizeof(*sorted), compare_cells);
    return count;
}

/* --- making room --- */

/* Which one is missed least: of the older ones, the one with the closest neighbours,
 * for its age. The oldest of all stays. */
static struct checkpoint_slot *
choose_superfluous(struct checkpoint_slot **sorted, size_t count)
{
    struct checkpoint_slot *chosen = sorted[0];
    double least = 2;

    for (size_t i = 1; i + DENSE < count; i++) {
        double age = sorted[count - 1]->checkpoint.cell - sorted[i]->checkpoint.cell;
        double gap = (sorted[i + 1]->checkpoint.cell - sorted[i - 1]->checkpoint.cell) /
                     (age > 0 ? age : 1);
        if (gap < least) {
            least = gap;
            chosen = sorted[i];
        }
    }
    return chosen;
}

static void
make_room(struct checkpoint_ring *ring)
{
    struct checkpoint_slot *sorted[CHECKPOINT_SLOTS];
    size_t count;

    while ((count = sort_settled(ring, sorted)) > ring->keep)
        checkpoint_drop(&choose_superfluous(sorted, count)->checkpoint);
}

/* What it stands for anew; and once another cell has one, nobody goes back to what was
 * undone before. */
static void
drop_replaced(struct checkpoint_ring *ring, const struct checkpoint_slot *fresh)
{
    const bool has_gone_on = fresh->checkpoint.cell != ring->position;

    FOR_EACH_SLOT(ring, slot)
    if (slot != fresh && is_settled(slot) &&
        (slot->checkpoint.cell == fresh->checkpoint.cell ||
         (has_gone_on && slot->checkpoint.cell > ring->position)))
        checkpoint_drop(&slot->checkpoint);
}

static void
on_frozen(void *context)
{
    struct checkpoint_ring *ring = context;

    ring->ops.on_frozen(ring->ops.context);
}

/* Not before: a worker that dies in between is succeeded by what was there already. */
static void
on_settled(void *context)
{
    struct checkpoint_ring *ring = context;
    struct checkpoint_slot *fresh = NULL;

    FOR_EACH_SLOT(ring, slot)
    if (is_settled(slot) && !slot->frozen_at)
        fresh = slot;
    if (!fresh)
        return;
    fresh->frozen_at = time(NULL);
    if (fresh->checkpoint.cell < ring->position ||
        fresh->checkpoint.cell > ring->cell || /* a lie */
        !checkpoint_is_alive(&fresh->checkpoint)) {
        checkpoint_drop(&fresh->checkpoint);
        return;
    }
    drop_replaced(ring, fresh);
    ring->position = fresh->checkpoint.cell;
    make_room(ring);
    ring->ops.on_settled(ring->ops.context);
}

static void
on_named(void *context, bool has_named)
{
    struct checkpoint_ring *ring = context;

    ring->ops.on_named(ring->ops.context, has_named);
}

void
checkpoint_ring_init(struct checkpoint_ring *ring, struct loop *loop, unsigned keep,
                     const struct checkpoint_ring_ops *ops)
{
    *ring = (struct checkpoint_ring){
        .keep = keep < CHECKPOINTS_MOST ? keep : CHECKPOINTS_MOST, .ops = *ops};
    FOR_EACH_SLOT(ring, slot)
    slot->checkpoint = (struct checkpoint){.loop = loop,
                                           .socket = -1,
                                           .pidfd = -1,
                                           .on_frozen = on_frozen,
                                           .on_settled = on_settled,
                                           .on_named = on_named,
                                           .context = ring};
}

void
checkpoint_ring_drop(struct checkpoint_ring *ring)
{
    FOR_EACH_SLOT(ring, slot)
    checkpoint_drop(&slot->checkpoint);
}

/* --- lending --- */

static bool
is_free(const struct checkpoint_slot *slot)
{
    return slot->checkpoint.state == CHECKPOINT_NONE;
}

static bool
is_unmade(const struct checkpoint_slot *slot)
{
    return !is_free(slot) && !is_settled(slot);
}

static struct checkpoint_slot *
find_oldest(struct checkpoint_ring *ring, bool (*is_it)(const struct checkpoint_slot *))
{
    struct checkpoint_slot *oldest = NULL;

    FOR_EACH_SLOT(ring, slot)
    if (is_it(slot) && (!oldest || slot->number < oldest->number))
        oldest = slot;
    return oldest;
}

static size_t
count_unmade(struct checkpoint_ring *ring)
{
    size_t count = 0;

    FOR_EACH_SLOT(ring, slot)
    count += is_unmade(slot);
    return count;
}

/* Of those that are still to be made there are at most two: one that was lent and never
 * used, or not to its end, makes room. */
static struct checkpoint_slot *
take_slot(struct checkpoint_ring *ring)
{
    struct checkpoint_slot *slot =
        find_oldest(ring, count_unmade(ring) < 2 ? is_free : is_unmade);

    slot->number = ++ring->lent;
    slot->frozen_at = 0;
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
    FOR_EACH_SLOT(ring, slot)
    checkpoint_hear(&slot->checkpoint);
}

void
checkpoint_ring_begin_cell(struct checkpoint_ring *ring, int cell)
{
    checkpoint_ring_hear(ring);
    ring->cell = cell;
}

/* --- looking --- */

static struct checkpoint *
find_newest(struct checkpoint_ring *ring)
{
    struct checkpoint_slot *newest = NULL;

    FOR_EACH_SLOT(ring, slot)
    if (is_ready(slot) && (!newest || slot->number > newest->number))
        newest = slot;
    return newest ? &newest->checkpoint : NULL;
}

bool
checkpoint_ring_has_heir(struct checkpoint_ring *ring)
{
    FOR_EACH_SLOT(ring, slot)
    if (is_frozen(slot) && checkpoint_is_alive(&slot->checkpoint))
        return true;
    return false;
}

struct checkpoint *
checkpoint_ring_find(struct checkpoint_ring *ring, int pidfd)
{
    FOR_EACH_SLOT(ring, slot)
    if (is_frozen(slot) && checkpoint_is_process(&slot->checkpoint, pidfd))
        return &slot->checkpoint;
    return NULL;
}

struct checkpoint *
checkpoint_ring_of_cell(struct checkpoint_ring *ring, int cell)
{
    FOR_EACH_SLOT(ring, slot)
    if (is_ready(slot) && slot->checkpoint.cell == cell)
        return &slot->checkpoint;
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

static json_t *
bytes_alone(const struct checkpoint_slot *slot)
{
    uint64_t alone = process_tree_alone(checkpoint_pid(&slot->checkpoint));

    return json_integer(alone == UINT64_MAX ? 0 : (json_int_t)alone);
}

json_t *
checkpoint_ring_list(struct checkpoint_ring *ring, bool with_sizes)
{
    struct checkpoint_slot *sorted[CHECKPOINT_SLOTS];
    size_t count = sort_settled(ring, sorted);
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++) {
        const struct checkpoint_slot *slot = sorted[i];
        if (is_ready(slot))
            json_array_append_new(
                list, json_pack("{s:i, s:I, s:o*, s:b}", "cell", slot->checkpoint.cell,
                                "at", (json_int_t)slot->frozen_at, "bytes",
                                with_sizes ? bytes_alone(slot) : NULL, "undone",
                                slot->checkpoint.cell > ring->position));
    }
    return list;
}

/* --- becoming the worker --- */

void
checkpoint_ring_move_to(struct checkpoint_ring *ring,
                        const struct checkpoint *checkpoint, bool is_wanted)
{
    const struct checkpoint_slot *than = slot_of(ring, checkpoint);

    if (!than)
        return;
    FOR_EACH_SLOT(ring, slot)
    if (slot->number > than->number && !(is_wanted && is_settled(slot)))
        checkpoint_drop(&slot->checkpoint);
    ring->position = than->checkpoint.cell;
}

/* --- memory --- */

void
checkpoint_ring_thin(struct checkpoint_ring *ring)
{
    const struct checkpoint *newest = find_newest(ring);

    FOR_EACH_SLOT(ring, slot)
    if (is_settled(slot) && &slot->checkpoint != newest)
        checkpoint_drop(&slot->checkpoint);
}

static size_t
count_ready(struct checkpoint_ring *ring)
{
    size_t count = 0;

    FOR_EACH_SLOT(ring, slot)
    count += is_ready(slot);
    return count;
}

bool
checkpoint_ring_give_way(struct checkpoint_ring *ring)
{
    struct checkpoint *newest = find_newest(ring);

    if (count_ready(ring) > 1) {
        log_info("all but the newest give way");
        checkpoint_ring_thin(ring);
        return true;
    }
    if (!newest || process_tree_alone(checkpoint_pid(newest)) < WORTH_BYTES)
        return false;
    log_info("pid=%d gives way", (int)checkpoint_pid(newest));
    checkpoint_drop(newest);
    return true;
}
