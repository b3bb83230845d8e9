/*
 * inspection: all that is looked at in a message of the sandbox before it is believed.
 *
 * Its JSON, its fields, the kernel's own metadata (which nobody else writes), its
 * pictures, and what is left out of it if a model's code may have made it. One pure
 * function, so that it can run beside the event loop (kernel/output/inspector.h): a
 * message of some megabytes can be seconds of work.
 */
#pragma once

#include "common/buffer.h"
#include "common/messages.h"

struct inspection_order {
    const struct message_type *type;
    struct slice content, metadata;
    bool reduces;          /* kernel/output/provenance.h */
    uint64_t image_budget; /* bytes that its pictures may have when they are decoded */
};

struct inspection {
    bool is_refused;
    struct error why; /* if it is */
    bool is_rewritten, is_metadata_rewritten;
    struct buffer content, metadata; /* what to take instead of the order's */
    struct buffer complaint;         /* for the cell's stderr; empty: none */
    uint64_t image_budget;           /* what is left of it */
};

void inspection_init(struct inspection *inspection);
void inspection_release(struct inspection *inspection);

void inspection_run(const struct inspection_order *order,
                    struct inspection *inspection);

/* Is it short and plain enough for the event loop? */
bool inspection_is_brief(const struct inspection_order *order);

static inline void
auto_inspection(struct inspection *inspection)
{
    inspection_release(inspection);
}
