/*
 * options: what the command line and the environment say.
 */
#pragma once

#include "sandbox/address.h"

#define OPTIONS_USAGE                                                           \
    "usage: cellpod-sandboxd --listen unix:PATH|tcp:HOST:PORT [--capacity N]\n" \
    "                        [--tokens required|none] [--isolation own|pod]\n"  \
    "                        [--token-file FILE] [--claims key|open]\n"         \
    "                        [--runtime-api token|open] [--grace SECONDS]\n"    \
    "                        [--log-format text|json] [--ready-fd N]\n"

struct options {
    struct address address;
    bool needs_tokens;      /* for what is below a sandbox, over TCP */
    bool is_open;           /* --runtime-api open; see runtime_api.h */
    bool has_open_claims;   /* --claims open: whoever reaches us may claim */
    const char *token_file; /* of the key that a claim needs else; NULL: none */
    bool is_pod;            /* a container isolates; see docs/isolation.md */
    int ready_fd; /* who started us waits there for one line; -1: nobody waits */
    unsigned capacity;
    long grace_seconds;        /* of a pod that is being stopped; -1: not said */
    unsigned preload_mb;       /* CELLPOD_PRELOAD_MB; 0: nothing is preloaded */
    const char *python;        /* absolute; for claims that name none */
    int64_t idle_exit_seconds; /* CELLPOD_IDLE_EXIT_SECONDS; 0: it stays */
    const char *log_levels;    /* CELLPOD_LOG */
    const char *log_format;    /* --log-format, or CELLPOD_LOG_FORMAT */
    const char *notice;        /* CELLPOD_NOTICE, of who has made the pod; NULL: none */
};

/* Strings are borrowed from argv and the environment. */
int options_parse(int argc, char **argv, struct options *out,
                  struct error *err) MUST_CHECK;
