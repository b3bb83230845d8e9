/*
 * provenance: whose code may have made what the worker shows.
 *
 * From the moment a model's code runs until there is a fresh sandbox, whatever the
 * worker says may be that code's, whether it was kept or not: it may have left a
 * thread, or another way to show a table, or have said that it has ended when it has
 * not. A worker that died has left its files: in the sandbox, and in the notebook's
 * folder, which folder_trust.h remembers. So what is then shown is reduced
 * (kernel/output/output_reduce.h), whichever request it claims to belong to. Code of
 * the built-in planner is reduced while it runs, and forgotten. docs/security.md states
 * the rule for users.
 */
#pragma once

#include <jansson.h>

#include "common/envelope.h"
#include "kernel/output/folder_trust.h"

enum html_policy {
    HTML_ASKED,   /* reduced as above: the default */
    HTML_REDUCED, /* reduced for every cell */
    HTML_FULL,    /* never reduced */
};

struct provenance {
    enum html_policy policy;
    bool is_attempting; /* a question's code runs, or waits for its end */
    bool is_models;     /* a model's code has run in this sandbox */
    bool has_told;      /* that widgets are left out, of this worker */
    struct folder_trust folder;
};

/* From $CELLPOD_HTML, the flags and the configuration file; whatever is wrong there is
 * told by who makes the claim. folder: the notebook's, if cells work there; or NULL. */
void provenance_configure(struct provenance *provenance, const json_t *flags,
                          const char *folder);
void provenance_release(struct provenance *provenance);

void provenance_attempt_begins(struct provenance *provenance, bool is_models);
void provenance_attempt_ends(struct provenance *provenance);
void provenance_fresh_worker(struct provenance *provenance);
void provenance_fresh_sandbox(struct provenance *provenance);

/* Before and after each cell: a line for the user, malloc'ed; or NULL. */
char *provenance_look(struct provenance *provenance);

bool provenance_reduces(const struct provenance *provenance);

static inline bool
provenance_drops(const struct provenance *provenance, const char *type)
{
    return provenance_reduces(provenance) && strncmp(type, "comm_", 5) == 0;
}
