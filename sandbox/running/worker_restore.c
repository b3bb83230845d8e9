/* What a cell of the user's wants with the checkpoints: a list, or to go back to one.
 */
#include <stdio.h>

#include "sandbox/running/worker_state.h"

enum {
    RESTORE_MS = 2000, /* what a checkpoint gets to name itself */
    WISHES = 4,        /* of one request: each list costs us a look at /proc */
};

static void
answer(struct worker *w, json_t *content)
{
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
    const struct request *running = request_queue_running(w->spec.requests);
    struct error err;

    json_auto_t *owned = content;
    if (!running || !w->channel)
        return;
    json_auto_t *line =
        json_pack("{s:s, s:s}", "type", messages_name(MESSAGE_CHECKPOINTS), "parent",
                  running->id);
    AUTO(mem) char *text = json_dumps(owned, JSON_COMPACT);
    if (envelope_append(&bytes, line, slice_of(text), SLICE(""), NULL, 0, &err) < 0)
        abort(); /* our own words, and few */
    channel_send(w->channel, &bytes);
}

static void
list(struct worker *w, bool with_sizes)
{
    answer(w, json_pack("{s:o, s:i, s:i}", "checkpoints",
                        checkpoint_ring_list(&w->ring, with_sizes), "position",
                        w->ring.position, "keep", (int)w->ring.keep));
}

static void
refuse(struct worker *w, const char *why)
{
    const int cell = w->wanted;
    char text[128];

    worker_forget_restore(w);
    snprintf(text, sizeof(text), "The checkpoint from after In [%d] %s.", cell, why);
    answer(w, json_pack("{s:s}", "error", text));
}

static void
restore(struct worker *w, int cell)
{
    struct checkpoint *checkpoint = checkpoint_ring_of_cell(&w->ring, cell);
    struct error err;

    w->wanted = cell;
    if (!checkpoint || checkpoint_is_frozen(&w->checkpoint) ||
        checkpoint_call(checkpoint, &err) < 0)
        refuse(w, "is not there any more");
    else
        loop_timer_set(w->spec.loop, &w->restore_timer, RESTORE_MS);
}

void
worker_hear_wish(struct worker *w, const struct envelope *e)
{
    json_int_t cell;

    if (!worker_runs(w, "execute_request")) {
        worker_violate(w,
                       "it asked for its checkpoints for another request than a cell");
        return;
    }
    if (++w->wishes > WISHES || e->content.len > LIMIT_WISH_BYTES) {
        worker_violate(w, "it asked for its checkpoints too often, or for too long");
        return;
    }
    json_decref(TAKE(w->told));
    w->told = json_loadb(e->content.data, e->content.len, JSON_REJECT_DUPLICATES, NULL);
    cell = json_integer_value(json_object_get(w->told, "restore"));
    if (!json_object_get(w->told, "restore"))
        list(w, json_is_true(json_object_get(w->told, "sizes")));
    else if (json_is_integer(json_object_get(w->told, "restore")) && cell >= 0 &&
             cell < INT32_MAX && w->wanted == NOTHING_WANTED)
        restore(w, (int)cell);
    else
        worker_violate(w, "it asked for a checkpoint that cannot be");
}

void
worker_on_named(void *context, bool has_named)
{
    struct worker *w = context;

    loop_timer_cancel(w->spec.loop, &w->restore_timer);
    if (w->wanted == NOTHING_WANTED)
        return;
    if (has_named)
        worker_kill(w, END_RESTORED);
    else
        refuse(w, "has ended");
}

void
worker_on_restore_overdue(void *context)
{
    struct worker *w = context;
    struct checkpoint *checkpoint = checkpoint_ring_of_cell(&w->ring, w->wanted);

    if (checkpoint)
        checkpoint_drop(checkpoint);
    refuse(w, "does not answer");
}

bool
worker_wants(struct worker *w, const struct checkpoint *checkpoint)
{
    return w->wanted != NOTHING_WANTED && w->death.end == END_RESTORED &&
           checkpoint_ring_of_cell(&w->ring, w->wanted) == checkpoint;
}

void
worker_forget_restore(struct worker *w)
{
    loop_timer_cancel(w->spec.loop, &w->restore_timer);
    w->wanted = NOTHING_WANTED;
}
