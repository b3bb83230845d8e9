/*
 * sandbox_parts: what a sandbox of this kernel consists of; for sandbox.c and
 * sandbox_calls.c alone.
 */
#pragma once

#include "kernel/client/call.h"
#include "kernel/client/claiming.h"
#include "kernel/client/event_stream.h"
#include "kernel/client/pulse.h"
#include "kernel/client/sandbox.h"

#define RUN_AGAIN "Run the cell again: it gets a new sandbox."

enum sandbox_state {
    SANDBOX_NONE,
    SANDBOX_CLAIMING,
    SANDBOX_WAITING, /* ours; its first worker is on its way */
    SANDBOX_READY,
    SANDBOX_PAUSED,   /* nobody uses it */
    SANDBOX_RESUMING, /* somebody wants to */
};

struct sandbox {
    struct sandbox_owner owner;
    struct sandbox_link link;
    struct claiming claiming;
    struct event_stream events;
    struct pulse pulse;
    struct call_queue calls;

    enum sandbox_state state;
    char stage[640];     /* of the claim */
    unsigned generation; /* rises with each claim and each loss */
    unsigned interrupts; /* of this sandbox */
    bool keeps_pod;      /* it could not be paused */
};

/* For a call about it, as it is now. */
struct call *sandbox_new_call(struct sandbox *sandbox, const char *id,
                              call_done_fn *done);

void sandbox_lose(struct sandbox *sandbox, const struct sandbox_loss *loss);
/* The same, and the place explains it, or is named. context is the sandbox. */
void sandbox_lose_at_place(void *context, const struct sandbox_loss *loss);
