/*
 * claim: what a client asks for with POST /v1/sandboxes.
 *
 * Pure: text in, checked fields out. Paths are absolute and without "..", names are
 * names, numbers are in range; an unknown field is refused, so that a spelling
 * mistake never becomes a silent default. Whether a path exists is not known here.
 */
#pragma once

#include <jansson.h>

#include "common/error.h"

struct claim {
    json_t *tree;               /* owned; what follows is borrowed from it */
    const char *task_id;        /* never NULL */
    const char *template;       /* NULL: the daemon's default */
    const char *cwd;            /* NULL: the workspace */
    const char *workspace_path; /* NULL: a private one */
    const char *workspace_mode; /* "rw" or "ro" */
    json_t *mounts;    /* array of {"source","target","mode"}, filled in; never NULL */
    json_t *env;       /* object of strings; never NULL */
    json_t *resources; /* object; never NULL */
    json_t *network;   /* object; never NULL */
    const char *runtime;                  /* "namespaces" or "runsc" */
    json_t *waive;                        /* array of strings; never NULL */
    json_int_t ttl_seconds, idle_seconds; /* 0: for ever */
    bool owner;
    const json_t *keep; /* {"notebook","build","seconds","fresh","before"}; NULL: it
                           ends with its owner */
};

/* Do they ask for the same session of the same notebook: same folder, Python, walls and
 * limits? Who asks, for how long, and their variables of the environment do not
 * count. */
bool claim_is_same_session(const struct claim *a, const struct claim *b);

int claim_parse(struct slice body, struct claim *out, struct error *err) MUST_CHECK;
void claim_release(struct claim *claim);

/* On this machine a session is kept for who owned it, and found by that. */
int claim_check_local(const struct claim *claim, struct error *err) MUST_CHECK;
/* Over TCP a claim names no path or process of this machine, gives up no layer, and has
 * a task_id that cannot be guessed: it opens the sandbox to who says it again. */
int claim_check_remote(const struct claim *claim, struct error *err) MUST_CHECK;

/* What PATCH /v1/sandboxes/{id} may change; 0: unchanged. */
struct extension {
    json_int_t ttl_seconds, idle_seconds; /* from now on */
};

int claim_parse_extension(struct slice body, struct extension *out,
                          struct error *err) MUST_CHECK;

static inline void
auto_claim(struct claim *claim)
{
    claim_release(claim);
}
