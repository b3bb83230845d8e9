/*
 * sandbox_use: one sandbox for this process, from its claim to its end.
 */
#pragma once

#include "cli/daemon.h"

struct sandbox_use {
    struct daemon *daemon;
    char *id;
    char *notice; /* for the user, about the folder; or NULL */
};

#define SANDBOX_USE_INIT \
    {                    \
        NULL, NULL, NULL \
    }

/* As a notebook in the current folder would claim it; `flags` is the section "sandbox"
 * of the command line, or NULL. The sandbox ends with this process at the latest. It
 * may still be starting when this returns. */
int sandbox_use_claim(struct sandbox_use *use, const json_t *flags,
                      struct error *err) MUST_CHECK;
void sandbox_use_end(struct sandbox_use *use);

/* Queue a cell. */
int sandbox_use_execute(struct sandbox_use *use, const char *id, const char *code,
                        struct error *err) MUST_CHECK;
int sandbox_use_interrupt(struct sandbox_use *use, struct error *err) MUST_CHECK;
int sandbox_use_answer(struct sandbox_use *use, const char *line,
                       struct error *err) MUST_CHECK;

/* Events from the first one on. */
int sandbox_use_watch(struct sandbox_use *use, const struct daemon_watcher *watcher,
                      struct error *err) MUST_CHECK;

static inline void
auto_sandbox_use(struct sandbox_use *use)
{
    sandbox_use_end(use);
}
