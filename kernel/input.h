/*
 * input: the stdin channel. When the worker asks, the client that sent the cell is
 * asked, and its answer goes to the worker. Nothing blocks: an interrupt ends the
 * question together with the cell.
 */
#pragma once

#include "common/envelope.h"
#include "kernel/jupyter/request.h"

struct kernel;

struct input {
    bool is_asking;
    json_int_t question; /* the seq of the event that asked last */
};

/* Begin to read the socket. */
void input_start(struct kernel *kernel);
/* event: the worker's input_request. */
void input_ask(struct kernel *kernel, const struct request *request,
               const struct envelope *event);
/* The cell is over: answers that come now are dropped. */
void input_end(struct input *input);
