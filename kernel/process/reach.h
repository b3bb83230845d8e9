/*
 * reach: lets this user's other programs (`cellpod cp`) reach the sandbox of this
 * kernel, where it is elsewhere: on a socket it tells those that connect what it would
 * send itself. docs/sandbox-protocol.md, section 7.
 *
 * The sandbox's token is told to this user alone (the peer's uid is checked), and lies
 * in no file.
 */
#pragma once

#include <czmq.h>

#include "kernel/client/sandbox.h"

struct reach {
    int listener;
    const struct sandbox *sandbox; /* borrowed */
};

#define REACH_INIT \
    {              \
        -1, NULL   \
    }

/* The kernel works without it: what fails is logged. */
void reach_open(struct reach *reach, zloop_t *loop, const struct sandbox *sandbox);
void reach_release(struct reach *reach);
