/*
 * memory_meter: what a sandbox's processes use, where no control group counts it. They
 * can be made to stand still meanwhile.
 */
#pragma once

#include <sys/types.h>

#include "sandbox/resources/unmapped.h"

struct memory_meter {
    pid_t root; /* init; 0: nothing is there */
    struct unmapped unmapped;
    bool is_standing;
};

/* Bytes. What processes share counts once. */
uint64_t memory_meter_exactly(struct memory_meter *meter);
/* Never less, and cheap. */
uint64_t memory_meter_quickly(struct memory_meter *meter);

void memory_meter_stand_still(struct memory_meter *meter);
void memory_meter_go_on(struct memory_meter *meter); /* also when they do */
