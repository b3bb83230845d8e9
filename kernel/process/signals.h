/*
 * signals: SIGINT and SIGTERM come to the loop, and end nothing by themselves.
 */
#pragma once

#include <czmq.h>

#include "common/error.h"

struct signals_listener {
    void (*on_interrupt)(void *context); /* SIGINT */
    void (*on_terminate)(void *context); /* SIGTERM */
    void *context;
};

struct signals {
    int fd; /* -1: none */
    struct signals_listener listener;
};

/* Before any thread starts: threads inherit it. */
void signals_block(void);

int signals_start(struct signals *signals, zloop_t *loop,
                  const struct signals_listener *listener,
                  struct error *err) MUST_CHECK;
void signals_release(struct signals *signals);
