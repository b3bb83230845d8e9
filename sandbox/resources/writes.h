/*
 * writes: keeps a cell to what it may write to disks.
 *
 * Linux counts for every process how much it has written to files that go to a disk,
 * less what was deleted before it got there; who reaps a process inherits its count. At
 * the limit the cell is told, once: its worker raises OSError. When it writes on, it is
 * killed. What is written after a cell, by what it left running, is counted on until
 * the next one.
 */
#pragma once

#include <sys/types.h>

#include "common/base.h"
#include "sandbox/loop.h"

struct writes_ops {
    void (*tell)(void *context);
    void (*kill)(void *context);
    void (*fail)(void *context, const char *message); /* it cannot be counted here */
    void *context;
};

struct writes {
    struct loop *loop;
    struct writes_ops ops;
    uint64_t limit; /* bytes; 0: none */
    pid_t root;
    bool is_busy;
    struct loop_timer look;
    uint64_t begun;      /* the count when the cell began */
    uint64_t told_at;    /* what it had written then; 0: it was not told */
    uint64_t seen, gone; /* in the processes that are there; of those that are not */
    unsigned dips;       /* looks in a row that saw less than before */
};

void writes_init(struct writes *writes, struct loop *loop, uint64_t limit,
                 const struct writes_ops *ops);
void writes_release(struct writes *writes);

/* The processes from root on; 0: there is none now. */
void writes_watch(struct writes *writes, pid_t root);
void writes_set_busy(struct writes *writes, bool is_busy); /* a cell begins, or ends */
