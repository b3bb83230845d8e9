/*
 * sandbox_host: what all sandboxes of a daemon share; lives longer than they.
 */
#pragma once

#include "sandbox/files/idmap.h"
#include "sandbox/resources/resources.h"
#include "sandbox/resources/tally.h"
#include "sandbox/start/zygote.h"

struct sandbox;

struct sandbox_host {
    struct loop *loop;
    struct zygote_pool *zygotes;
    struct idmap_cache *idmap_cache;
    bool is_pod; /* a container isolates */
    struct resources_host resources;
    struct tally *tally; /* the pool's */
    const char *notice;  /* for each one's first cell, or NULL */
    const char *state_dir;
    const char *python; /* where a claim names no template */
    /* Every process is gone: the sandbox may be freed, but not before this returns. */
    void (*on_gone)(void *context, struct sandbox *sandbox);
    void *context;
};
