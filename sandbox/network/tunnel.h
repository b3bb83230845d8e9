/*
 * tunnel: copies bytes between two stream sockets, both ways, until both ways have
 * ended.
 *
 * Bytes that cannot be written yet wait in a buffer of fixed size; while it is full,
 * the other side is not read. The end of one way is passed on (shutdown) after all its
 * bytes; the other way goes on. A broken or an idle connection ends both.
 */
#pragma once

#include "sandbox/loop.h"

enum {
    TUNNEL_BYTES = 32 << 10, /* that wait, each way */
};

struct tunnel;

struct tunnel_spec {
    struct loop *loop;
    int ends[2];             /* taken; not blocking */
    struct slice waiting[2]; /* to begin with, from ends[i] to the other; copied */
    int64_t idle_ms;
    void (*on_end)(void *context); /* once, from the loop; it may be freed from here */
    void *context;
};

struct tunnel *tunnel_new(const struct tunnel_spec *spec);
void tunnel_free(struct tunnel *tunnel); /* closes both */
/* Bytes copied from ends[0] and from ends[1], without those given at the start. */
uint64_t tunnel_passed(const struct tunnel *tunnel, int from);
