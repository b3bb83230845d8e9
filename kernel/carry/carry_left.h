/*
 * carry_left: what was not carried, and why: counted by reason, with the first of each
 * for an example.
 */
#pragma once

#include "common/buffer.h"

/* Columns: reason, and how it is told after the example. */
#define CARRY_LEFT_REASONS(X)                                                     \
    X(LARGE, "larger than carry_file_mb")                                         \
    X(TOTAL, "more than carry_mb in all")                                         \
    X(COUNT, "more than carry_files files")                                       \
    X(LINK, "links are not followed")                                             \
    X(SPECIAL, "not a regular file")                                              \
    X(NAME, "a name that is not UTF-8, or too long")                              \
    X(UNREADABLE, "cannot be read")                                               \
    X(CHANGING, "changes while it is read")                                       \
    X(DEEP, "too many folders deep, or too many names to look at")                \
    X(NO_ROOM, "no space is left there")                                          \
    X(SLOW, "it took too long")                                                   \
    X(THERE, "another file of that name is there")                                \
    X(ACTED_ON, "programs act on such a file by themselves, or it is a notebook") \
    X(FLAT, "not directly in your home folder")                                   \
    X(NO_ROOM_HERE, "no space is left here")                                      \
    X(UNWRITABLE, "cannot be written here")                                       \
    X(REFUSED, "refused there")                                                   \
    X(IGNORED, "named in .cellpodignore")                                         \
    X(REMOVED, "sent before, and removed there since")                            \
    X(OUT, "hidden names, Python environments and the like are not sent")

enum carry_left_reason {
#define X(reason, text) CARRY_LEFT_##reason,
    CARRY_LEFT_REASONS(X)
#undef X
    CARRY_LEFT_COUNTED,
};

struct carry_left {
    struct {
        unsigned count;
        uint64_t bytes; /* of the first */
        char first[64]; /* its path, shortened */
    } of[CARRY_LEFT_COUNTED];
};

void carry_left_note(struct carry_left *left, enum carry_left_reason reason,
                     const char *path, uint64_t bytes);
void carry_left_add(struct carry_left *left, const struct carry_left *more);
unsigned carry_left_count(const struct carry_left *left);
/* Would the same be told of both? */
bool carry_left_equals(const struct carry_left *a, const struct carry_left *b);

/* "big.bin (10.0 GB, larger than carry_file_mb), 2 others (…)" */
void carry_left_append(struct buffer *text, const struct carry_left *left);
/* "1.2 MB" */
void carry_left_append_size(struct buffer *text, uint64_t bytes);
