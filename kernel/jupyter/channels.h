/*
 * channels: the five sockets that clients connect to, bound.
 *
 * Without the socket options set here, clients miss messages: see the comments in
 * channels.c. With CURVE keys, either all five are encrypted or the kernel does not
 * start.
 */
#pragma once

#include "kernel/jupyter/connection_file.h"

struct channels {
    void *context;
    void *sockets[CHANNELS]; /* the heartbeat's is the heartbeat thread's */
    void *heartbeat_context;
};

#define CHANNELS_INIT \
    {                 \
        0             \
    }

/* Ports that were 0 are filled in. */
int channels_bind(struct channels *channels, struct connection *connection,
                  struct error *err) MUST_CHECK;

/* Waits at most LINGER (a second) for clients to take what was sent. */
void channels_release(struct channels *channels);

/* tcp://IP:PORT or ipc://IP-PORT; port 0 is "any". The caller frees it. */
char *channels_endpoint(const struct connection *connection, int port);

static inline void
auto_channels(struct channels *channels)
{
    channels_release(channels);
}
