/*
 * input: the stdin channel. The worker asks, the client that sent the cell is asked,
 * its answer goes to the worker. Nothing waits here: an interrupt ends the asking like
 * the cell.
 */
#pragma once

#include "kernel/request.h"

struct kernel;

struct input {
    bool is_asking;
};

/* Begin to read the socket. */
void input_start(struct kernel *kernel);
/* content: of the worker's input_request. */
void input_ask(struct kernel *kernel, const struct request *request,
               struct slice content);
/* The cell is over: answers that come now are for nobody. */
void input_end(struct input *input);
