/*
 * heartbeat: echoes what clients send on its channel, from a thread of its own, so that
 * nothing the kernel does can delay it.
 */
#pragma once

#include <pthread.h>

#include "kernel/jupyter/channels.h"

struct heartbeat {
    pthread_t thread;
    bool is_running;
    void *context;
};

#define HEARTBEAT_INIT \
    {                  \
        0              \
    }

/* Takes the heartbeat's socket and context out of channels. */
int heartbeat_start(struct heartbeat *heartbeat, struct channels *channels,
                    struct error *err) MUST_CHECK;
void heartbeat_stop(struct heartbeat *heartbeat);

static inline void
auto_heartbeat(struct heartbeat *heartbeat)
{
    heartbeat_stop(heartbeat);
}
