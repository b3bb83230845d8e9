/*
 * packet: one JSON object in one datagram, with descriptors attached (SCM_RIGHTS).
 *
 * sandboxd exchanges packets with the zygote and with the inits of sandboxes. The peer
 * may be hostile: a packet that is too long, has too many descriptors or is not a JSON
 * object is an error.
 */
#pragma once

#include <jansson.h>

#include "common/error.h"

enum {
    PACKET_MAX_BYTES = 64 << 10,
    PACKET_MAX_FDS = 4,
};

struct packet {
    json_t *json;     /* owned */
    const char *type; /* borrowed from json; "" when absent */
    int fds[PACKET_MAX_FDS];
    size_t fd_count; /* owned; packet_take_fd moves one out */
};

#define PACKET_INIT \
    {               \
        0           \
    }

/* Both ends close-on-exec; the first does not block. */
int packet_pair(int ends[2], struct error *err) MUST_CHECK;

/* 1: *out is filled. 0: nothing there now. -1: malformed, or ERR_UNAVAILABLE at the
 * end. */
int packet_receive(int fd, struct packet *out, struct error *err) MUST_CHECK;
void packet_release(struct packet *packet);
int packet_take_fd(struct packet *packet, size_t index); /* -1 when there is none */

/* Never blocks: err->sys is EAGAIN when the peer's queue is full. fds are borrowed. */
int packet_send(int fd, const json_t *json, const int *fds, size_t fd_count,
                struct error *err) MUST_CHECK;

static inline void
auto_packet(struct packet *packet)
{
    packet_release(packet);
}
