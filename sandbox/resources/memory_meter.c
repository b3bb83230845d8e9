#include "sandbox/resources/memory_meter.h"

#include <signal.h>

uint64_t
memory_meter_exactly(struct memory_meter *meter)
{
    return process_tree_memory(meter->root).bytes +
           unmapped_bytes(&meter->unmapped, meter->root);
}

uint64_t
memory_meter_quickly(struct memory_meter *meter)
{
    return process_tree_resident(meter->root) +
           unmapped_bytes(&meter->unmapped, meter->root);
}

static uint64_t
held_by(struct memory_meter *meter, pid_t worker)
{
    return (worker > 0 ? process_tree_resident_of(worker) : 0) +
           unmapped_bytes(&meter->unmapped, meter->root);
}

void
memory_meter_begin(struct memory_meter *meter, pid_t worker)
{
    meter->began = held_by(meter, worker);
}

bool
memory_meter_has_grown(struct memory_meter *meter, pid_t worker,
                       const struct process_tree_spared *spared, uint64_t bytes)
{
    return held_by(meter, worker) >= meter->began + bytes ||
           process_tree_resident_but(meter->root, spared) >= bytes;
}

void
memory_meter_stand_still(struct memory_meter *meter)
{
    process_tree_signal(meter->root, SIGSTOP);
    meter->is_standing = true;
}

void
memory_meter_go_on(struct memory_meter *meter)
{
    if (meter->is_standing && meter->root)
        process_tree_signal(meter->root, SIGCONT);
    meter->is_standing = false;
}
