/*
 * patience: is_complete_request while a sandbox is still starting.
 *
 * jupyter console gives its kernel a second to say whether what was typed is complete.
 * If the answer comes later, the console never asks again, and each cell takes one more
 * Enter. So a request that waits for a sandbox, perhaps behind others, is answered
 * `unknown` within that second, out of turn: the console then runs what was typed.
 */
#pragma once

#include "common/timer.h"
#include "kernel/jupyter/request.h"

struct kernel;

struct patience {
    struct timer timer; /* for the question that has waited longest */
};

/* A request has come. */
void patience_begin(struct kernel *kernel, struct request *request);
void patience_release(struct patience *patience);
