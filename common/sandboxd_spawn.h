/*
 * sandboxd_spawn: start this installation's cellpod-sandboxd for this user.
 *
 * By posix_spawn, since the caller may have threads and must not fork. The daemon gets
 * its own session and a small environment, and outlives the caller.
 */
#pragma once

#include "common/error.h"

enum {
    SANDBOXD_PATIENCE_MS = 20000, /* until it listens */
    SANDBOXD_SAID_BYTES = 600,    /* of what it says by then, with the NUL */
};

/* *ready is a pipe (non-blocking, close-on-exec) on which it writes one line, for
 * sandboxd_spawn_judge; end of file means that it ended without writing one. */
int sandboxd_spawn(const char *socket_path, int *ready, struct error *err) MUST_CHECK;

/* 0 if a sandboxd runs: this one, or another that got the lock first and may not listen
 * yet. Removes the line's end from `said`. */
int sandboxd_spawn_judge(char *said, struct error *err) MUST_CHECK;

/* One sandboxd under gVisor, for the caller alone: cellpod-runsc, which makes `folder`
 * and a socket in it (RUNSC_SOCKET). *owner is our end of a pipe: when it closes, for
 * whatever reason, cellpod-runsc and its sandbox end. workspace may be NULL. */
#define RUNSC_SOCKET "sockets/sandboxd"

struct runsc_place {
    const char *folder, *python, *workspace;
};

int sandboxd_spawn_runsc(const struct runsc_place *place, int *ready, int *owner,
                         struct error *err) MUST_CHECK;
