/*
 * listen: the one socket of a sandboxd.
 *
 * Of a unix socket PATH.lock is held for as long as the daemon lives: of two that start
 * at once, one wins. A socket that a dead daemon left behind is removed by who holds
 * the lock. Of TCP addresses the kernel sees to it.
 */
#pragma once

#include "sandbox/address.h"

struct listen_socket {
    int fd, lock;
    char *path; /* NULL: TCP */
};

#define LISTENER_INIT \
    {                 \
        -1, -1, NULL  \
    }

/* 1: another daemon has the unix socket. */
int listen_open(const struct address *address, struct listen_socket *out,
                struct error *err) MUST_CHECK;
void listen_close(struct listen_socket *listener); /* removes the socket first */

static inline void
auto_listen_socket(struct listen_socket *listener)
{
    listen_close(listener);
}
