/*
 * interrupt: what an interrupt does, given the ones before it.
 *
 * SIGINT first. A worker says `interrupted` when its handler has run. As long as it has
 * not, the signal is sent again each second (one may have come before the code began),
 * and after three the user is told. Only after that does a further interrupt kill. Pure
 * state, no clock: the owner ticks it once a second while interrupt_is_open.
 */
#pragma once

#include "common/base.h"

enum {
    INTERRUPT_TICK_MS = 1000
};

struct interrupt {
    bool open;      /* a SIGINT was sent, and no one has confirmed it */
    unsigned ticks; /* seconds since */
};

enum interrupt_action {
    INTERRUPT_NOTHING,
    INTERRUPT_SIGNAL,
    INTERRUPT_NOTICE,
    INTERRUPT_KILL,
};

enum interrupt_action interrupt_ask(struct interrupt *interrupt);
enum interrupt_action interrupt_tick(struct interrupt *interrupt);
void interrupt_close(struct interrupt *interrupt); /* heard, or the request has ended */

static inline bool
interrupt_is_open(const struct interrupt *interrupt)
{
    return interrupt->open;
}
