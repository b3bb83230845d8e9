/*
 * ask_held: the outputs of an attempt, held back until the bridge has decided about it.
 */
#pragma once

#include "common/envelope.h"

struct ask;

struct ask_held {
    struct buffer events;  /* envelopes */
    struct buffer printed; /* the end of stdout */
    bool has_shown;        /* something that a person sees */
    bool is_over;          /* the limit: some are missing */
};

void ask_held_init(struct ask_held *held);
void ask_held_release(struct ask_held *held);
void ask_held_clear(struct ask_held *held);

void ask_held_add(struct ask_held *held, const struct envelope *event);

/* Relay all to the running cell; displays and results get `metadata` as their
 * "cellpod". */
void ask_held_show(struct ask_held *held, struct ask *ask, const json_t *metadata);

static inline void
auto_ask_held(struct ask_held *held)
{
    ask_held_release(held);
}
