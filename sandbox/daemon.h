/*
 * daemon: the parts of sandboxd put together, from its start to its orderly end.
 */
#pragma once

#include "common/error.h"

struct daemon;

struct daemon_spec {
    int listener;          /* borrowed */
    const char *state_dir; /* borrowed, like python */
    const char *python;
    unsigned capacity;
    unsigned preload_mb;  /* see zygote_pool_new */
    int64_t idle_exit_ms; /* 0: it stays until a signal comes */
    bool is_remote;       /* peers are not known by their user: TCP, or in a pod */
    bool needs_tokens;    /* then */
    bool is_open;         /* see pool_open */
    bool is_awaited; /* a kernel started it, and will claim: python is warmed at once */
    const char *key; /* see pool_set_claim_key; borrowed */
    const char *notice; /* for the first cell of a sandbox; borrowed, or NULL */
    bool is_pod;        /* one sandbox, within a container's walls; they end together */
    int64_t grace_ms;   /* of a pod that is asked to stop, see drain.h */
};

struct daemon *daemon_new(const struct daemon_spec *spec, struct error *err) MUST_CHECK;
void daemon_free(struct daemon *daemon);

/* Returns when a signal asked for it or nobody needs it any more, and every sandbox is
 * gone. */
int daemon_run(struct daemon *daemon, struct error *err) MUST_CHECK;

static inline void
auto_daemon(struct daemon **daemon)
{
    daemon_free(*daemon);
}
