/*
 * listen: the one socket of a user's sandboxd.
 *
 * PATH.lock is held for as long as the daemon lives: of two that start at once, one
 * wins. A socket that a dead daemon left behind is removed by who holds the lock.
 */
#pragma once

#include "common/error.h"

struct listener {
    int fd, lock;
    char *path;
};

#define LISTENER_INIT \
    {                 \
        -1, -1, NULL  \
    }

/* address: "unix:PATH". 1: another daemon has it. */
int listener_open(const char *address, struct listener *out,
                  struct error *err) MUST_CHECK;
void listener_close(struct listener *listener); /* removes the socket first */

static inline void
auto_listener(struct listener *listener)
{
    listener_close(listener);
}
