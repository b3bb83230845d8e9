/*
 * reach: lets this user's other programs (`cellpod cp`) reach the sandbox of this
 * kernel, where it is elsewhere: on a socket it tells those that connect what it would
 * send itself. docs/sandbox-protocol.md, section 7.
 *
 * The sandbox's token is told to this user alone (the peer's uid is checked), and lies
 * in no file.
 */
#pragma once

#include "common/error.h"

struct kernel;

struct reach {
    int listener;
};

#define REACH_INIT \
    {              \
        -1         \
    }

/* The kernel works without it: what fails is logged. */
void reach_open(struct kernel *kernel);
void reach_release(struct reach *reach);
