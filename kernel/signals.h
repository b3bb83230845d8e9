/*
 * signals: SIGINT interrupts the cell that runs, if one does, and never the kernel;
 * SIGTERM ends the kernel in good order.
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
