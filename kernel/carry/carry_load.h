/*
 * carry_load: the bytes of one file as they were at one moment, and their SHA-256.
 */
#pragma once

#include "kernel/carry/carry_scan.h"

enum {
    CARRY_DIGEST = 32
};

struct carry_load {
    struct buffer bytes;
    struct carry_stamp stamp; /* of what was read */
    unsigned char digest[CARRY_DIGEST];
    bool is_executable;
    bool is_loaded;
    enum carry_left_reason why; /* if it is not */
};

/* A file that is written meanwhile is read again, a few times. */
void carry_load_run(int root, const char *path, uint64_t most, struct carry_load *out);
void carry_load_release(struct carry_load *load);

void carry_load_digest(struct slice bytes, unsigned char digest[CARRY_DIGEST]);
