/*
 * memory_meter: what a sandbox's processes use, where no control group counts it. They
 * can be made to stand still meanwhile.
 */
#pragma once

#include <sys/types.h>

#include "sandbox/resources/process_tree.h"
#include "sandbox/resources/unmapped.h"

struct memory_meter {
    pid_t root; /* init; 0: nothing is there */
    struct unmapped unmapped;
    uint64_t began; /* what the worker held then, in full */
    bool is_standing;
};

/* Bytes. What processes share counts once. */
uint64_t memory_meter_exactly(struct memory_meter *meter);
/* Never less, and cheap. */
uint64_t memory_meter_quickly(struct memory_meter *meter);

/* Exact figures err where a checkpoint comes or goes: what it shares with the worker is
 * halved while it is not seen. What the worker holds in full does not depend on that.
 */
void memory_meter_begin(struct memory_meter *meter, pid_t worker); /* a cell does */
/* By at least so many bytes since the cell began, or it has started who holds as much.
 * spared: the worker and its checkpoints. */
bool memory_meter_has_grown(struct memory_meter *meter, pid_t worker,
                            const struct process_tree_spared *spared, uint64_t bytes);

void memory_meter_stand_still(struct memory_meter *meter);
void memory_meter_go_on(struct memory_meter *meter); /* also when they do */
