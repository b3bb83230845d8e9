/*
 * sandboxd_start: start cellpod-sandboxd, and learn when it listens.
 *
 * By posix_spawn, since this process has threads of ZeroMQ and must not fork. When
 * another kernel starts one at the same moment, ours finds the lock taken and exits.
 * That is success too, though the other may not listen yet.
 */
#pragma once

#include <czmq.h>

#include "common/error.h"

struct sandboxd_start;

/* Called exactly once, unless cancelled; err is NULL if a sandboxd runs. */
typedef void sandboxd_started_fn(void *context, const struct error *err);

int sandboxd_start(struct sandboxd_start **out, zloop_t *loop, const char *socket_path,
                   sandboxd_started_fn *done, void *context,
                   struct error *err) MUST_CHECK;
/* The same for one that was spawned already; takes `ready`. */
struct sandboxd_start *sandboxd_start_await(zloop_t *loop, int ready, int patience_ms,
                                            sandboxd_started_fn *done, void *context);
void sandboxd_start_cancel(struct sandboxd_start *start); /* sandboxd goes on */
