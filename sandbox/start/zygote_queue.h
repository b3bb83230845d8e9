/* The sandboxes that a zygote is to start, in the order in which they were asked for.
 */
#pragma once

#include "sandbox/start/zygote.h"

void zygote_queue_add(struct zygote_job **queue, struct zygote_job *job);

/* Closes its socket and forgets its spec: it is nobody's job any more. */
void zygote_queue_remove(struct zygote_job **queue, struct zygote_job *job);

/* The one of this id that the zygote was told of, or NULL. `id` may be NULL. */
struct zygote_job *zygote_queue_find(struct zygote_job *queue, const char *id);

/* Removes it, and calls its on_failed. `failure` stays the caller's. */
void zygote_queue_fail(struct zygote_job **queue, struct zygote_job *job,
                       const json_t *failure);

/* All that are in this state. */
void zygote_queue_fail_all(struct zygote_job **queue, enum zygote_job_state state,
                           const json_t *failure);
