/*
 * checkpoint: a frozen fork of a worker, which becomes the worker should that end, or
 * when the user wants to go back to it.
 *
 * A socket pair is made for it, and one end is lent to the worker with the request that
 * wants a checkpoint. The worker forks, and the fork says `c` and a number over that
 * socket: the kernel tells whose words they are, so no worker can name another process.
 * Upon our answer it names itself to init, and waits, frozen; the first envelope that
 * it is sent wakes it, and the end of the socket ends it. The worker then says `n`
 * there: whenever it dies, init has a name of a process that we know. The worker is
 * hostile, and so is its fork.
 */
#pragma once

#include <sys/types.h>

#include "common/error.h"
#include "sandbox/loop.h"

enum checkpoint_state {
    CHECKPOINT_NONE,
    CHECKPOINT_LENT,    /* the worker may make one */
    CHECKPOINT_FROZEN,  /* there is one, and init may know it */
    CHECKPOINT_SETTLED, /* init knows it: what it stands for is safe with it alone */
    CHECKPOINT_CALLED,  /* it is to name itself once more, as the next successor */
};

struct checkpoint {
    struct loop *loop;
    enum checkpoint_state state;
    int socket, pidfd; /* -1: none */
    struct loop_watch watch;
    pid_t parent; /* whose child it has to be */
    int32_t cell; /* that its variables are from, it says; -1: that cannot be */
    void (*on_frozen)(void *context);
    void (*on_settled)(void *context);
    void (*on_named)(void *context, bool has_named); /* false: it has ended instead */
    void *context;
};

/* Returns the end that the worker is to get, or -1. parent: the process that orphans of
 * the sandbox go to. One that was there is dropped. */
int checkpoint_lend(struct checkpoint *checkpoint, pid_t parent,
                    struct error *err) MUST_CHECK;

/* What it has said already, if anything, is heard now. */
void checkpoint_hear(struct checkpoint *checkpoint);

bool checkpoint_is_frozen(const struct checkpoint *checkpoint); /* settled or not */
bool checkpoint_is_settled(const struct checkpoint *checkpoint);
bool checkpoint_is_alive(const struct checkpoint *checkpoint);
bool checkpoint_is_process(const struct checkpoint *checkpoint, int pidfd);
pid_t checkpoint_pid(const struct checkpoint *checkpoint); /* -1: there is none */

/* Has a settled one name itself to init, as the next successor; then on_named. */
int checkpoint_call(struct checkpoint *checkpoint, struct error *err) MUST_CHECK;

/* It is the worker now: hands over its socket and its pidfd. */
void checkpoint_wake(struct checkpoint *checkpoint, int *socket, int *pidfd);

/* Ends it. Harmless when there is none. */
void checkpoint_drop(struct checkpoint *checkpoint);
