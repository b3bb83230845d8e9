/*
 * signals: SIGINT interrupts the running cell, if there is one, and never the kernel;
 * SIGTERM shuts the kernel down in order.
 */
#pragma once

#include "common/error.h"

struct kernel;

struct signals {
    int fd; /* -1: none */
};

/* Before any thread starts: threads inherit it. */
void signals_block(void);

int signals_start(struct kernel *kernel, struct error *err) MUST_CHECK;
void signals_release(struct signals *signals);
