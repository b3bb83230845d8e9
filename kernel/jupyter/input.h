/*
 * input: the stdin channel. The client that sent a cell is asked, and its answer is
 * told. Nothing blocks: an interrupt ends the question together with the cell.
 */
#pragma once

#include <czmq.h>

#include "common/envelope.h"
#include "kernel/jupyter/request.h"

struct input {
    void *socket; /* borrowed, as are the next two */
    struct session *session;
    struct replay *replay;
    bool is_asking;
    json_int_t question; /* the seq of the event that asked last */
    /* value: a string, as JSON */
    void (*on_answer)(void *context, struct slice value, json_int_t question);
    void *context;
};

/* Begin to read the socket. What is borrowed and who is told has been filled in. */
void input_start(struct input *input, zloop_t *loop);
/* event: the worker's input_request. */
void input_ask(struct input *input, const struct request *request,
               const struct envelope *event);
/* The cell is over: answers that come now are dropped. */
void input_end(struct input *input);
