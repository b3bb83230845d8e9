/*
 * init: sandboxd's side of pid 1 of one sandbox.
 *
 * Once it has forked a worker, it is as untrusted as the worker: its messages are
 * checked, and one wrong message ends it, and with it every process of the sandbox.
 */
#pragma once

#include <jansson.h>
#include <sys/types.h>

#include "sandbox/loop.h"

struct init;

/* How the worker ended. call: the system call that it was killed for, a plain name; or
 * "". */
struct init_exit {
    int status; /* of wait(2) */
    uint64_t peak_bytes;
    const char *call;
};

/* All are taken by who is told; -1: was not passed. */
struct init_passed {
    int workspace, scratch; /* as the sandbox sees them */
    int listener;           /* for the proxy */
};

struct init_ops {
    /* notice: for the user; NULL: there is none. */
    void (*on_ready)(void *context, const struct init_passed *passed,
                     const char *notice);
    void (*on_failed)(void *context, const json_t *failure); /* then on_gone */
    void (*on_started)(void *context, int pidfd); /* takes pidfd, may be -1 */
    void (*on_exited)(void *context, const struct init_exit *exit);
    /* The worker has ended, and another process is now the worker; takes pidfd, which
     * may be -1. Returns false if that was not expected. */
    bool (*on_succeeded)(void *context, int pidfd, const struct init_exit *exit);
    /* Every process of the sandbox is gone. It may be freed from here. */
    void (*on_gone)(void *context);
    void *context;
};

/* Takes our end of its socket. Init's messages wait there until the zygote has said
 * which process it is, since init may be faster. */
struct init *init_new(struct loop *loop, int socket, struct init_ops ops);
void init_free(struct init *init); /* does not wait for the process */

void init_spawned(struct init *init, pid_t pid, int pidfd); /* takes pidfd */
int init_start_worker(struct init *init, int channel, struct error *err) MUST_CHECK;
void init_kill(struct init *init);       /* then on_gone */
pid_t init_pid(const struct init *init); /* 0 when not known */

static inline void
auto_init(struct init **init)
{
    init_free(*init);
}
