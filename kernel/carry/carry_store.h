/*
 * carry_store: puts a file that a sandbox has changed beside the notebook.
 *
 * The path and the bytes are whatever cells have made of them. No link is followed;
 * the file takes its place when it is whole. What was changed here since it was sent,
 * or is not a file of ours at all, stays: the sandbox's version comes beside it, as
 * "sales (from the sandbox).csv".
 */
#pragma once

#include "kernel/carry/carry_load.h"

enum carry_stored {
    CARRY_STORED,
    CARRY_STORED_SAME, /* it has these bytes already */
    CARRY_STORED_COPY, /* beside what has changed here */
    CARRY_STORED_NOT,
};

/* What is known of a path: both sides had these bytes. */
struct carry_known {
    bool is_known;
    struct carry_stamp stamp;
    unsigned char digest[CARRY_DIGEST];
};

struct carry_store {
    int root;
    const char *path;
    struct slice bytes;
    struct carry_known known; /* before; after, where it is CARRY_STORED or SAME */
    enum carry_stored outcome;
    enum carry_left_reason why; /* CARRY_STORED_NOT */
    char *copy;                 /* CARRY_STORED_COPY: its path; owned */
};

void carry_store_run(struct carry_store *store);

/* Why a path of a sandbox's is not put beside the notebook: programs act on such files
 * by themselves, or it is a notebook. NULL: it may be. */
const char *carry_store_refuses(const char *path);
/* "sales (from the sandbox).csv", with a number from the second on. The caller frees
 * it. */
char *carry_store_copy_path(const char *path, unsigned number);
