#include "sandbox/resources/memory_meter.h"

#include <signal.h>

#include "sandbox/resources/process_tree.h"

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
