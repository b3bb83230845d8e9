/*
 * kernel: the parts of the program, and the loop that they run on.
 */
#pragma once

#include <czmq.h>

#include "common/timer.h"
#include "kernel/archive/archive.h"
#include "kernel/archive/outputs_comm.h"
#include "kernel/ask/ask.h"
#include "kernel/beside.h"
#include "kernel/carrying.h"
#include "kernel/content/usage.h"
#include "kernel/debug.h"
#include "kernel/dispatch.h"
#include "kernel/execution.h"
#include "kernel/idleness.h"
#include "kernel/jupyter/channels.h"
#include "kernel/jupyter/heartbeat.h"
#include "kernel/jupyter/input.h"
#include "kernel/jupyter/publish.h"
#include "kernel/jupyter/replay.h"
#include "kernel/output/inspector.h"
#include "kernel/output/provenance.h"
#include "kernel/outputs.h"
#include "kernel/outputs_magic.h"
#include "kernel/patience.h"
#include "kernel/process/options.h"
#include "kernel/process/parent_poller.h"
#include "kernel/process/reach.h"
#include "kernel/process/signals.h"
#include "kernel/shell.h"
#include "kernel/shutdown.h"
#include "kernel/subshell.h"
#include "kernel/takeover.h"

struct kernel {
    zloop_t *loop;
    const struct options *options;       /* borrowed */
    const struct connection *connection; /* borrowed */
    struct channels channels;
    struct heartbeat heartbeat;
    struct session session;
    struct replay *replay;
    struct publisher publisher;
    struct sandbox *sandbox;
    struct shell shell;
    struct patience patience;
    struct execution execution;
    struct ask ask;
    struct debug debug;
    struct subshells subshells;
    struct besides besides;
    struct provenance provenance;
    struct inspector inspector;
    struct input input;
    struct parent_poller parent_poller;
    struct signals signals;
    struct timer start;
    struct shutdown shutdown;
    struct usage usage;
    struct takeover takeover;
    struct idleness idleness;
    struct carrying carrying;
    struct reach reach;
    struct archive archive;
    struct outputs_magic outputs_magic;
    struct outputs_comms outputs_comms;
    char *python_version; /* best known so far */
    bool has_debugger;    /* likewise */
};

/* Binds the sockets and fills in ports that were 0. Signals that the kernel handles
 * must be blocked already (signals_block), for threads start here. */
int kernel_new(struct kernel **out, const struct options *options,
               struct connection *connection, struct error *err) MUST_CHECK;
void kernel_free(struct kernel *kernel);

/* Until shutdown; the program's exit status. */
int kernel_run(struct kernel *kernel);

static inline void
auto_kernel(struct kernel **kernel)
{
    kernel_free(*kernel);
}
