/*
 * archive_index: which cells there are in a notebook's files, the newest 1,024.
 */
#pragma once

#include "kernel/archive/archive_record.h"

enum {
    ARCHIVE_KEY = 16,       /* bytes of a digest */
    ARCHIVE_ID_SIZE = 128,  /* of a notebook's cell, with its end */
    ARCHIVE_NAME_SIZE = 80, /* of a sandbox or a request, with its end */
    ARCHIVE_CELLS = 1024,
};

struct archive_cell {
    uint32_t number;                 /* 0: none */
    unsigned char key[ARCHIVE_KEY];  /* of its request's header; of this process only */
    char id[ARCHIVE_ID_SIZE];        /* in the notebook; "": its client gave none */
    char sandbox[ARCHIVE_NAME_SIZE]; /* by which the sandbox knows it */
    char request[ARCHIVE_NAME_SIZE];
    long long count; /* In [count]; 0: not known */
    int64_t began, ended, seq;
    size_t bytes; /* of its outputs */
    size_t shows; /* how many of them a client would show */
    bool has_gap, is_open;
};

struct archive_index {
    struct archive_cell *cells; /* by their numbers; owned */
    uint32_t last;              /* number given */
};

void archive_index_init(struct archive_index *index);
void archive_index_release(struct archive_index *index);

/* A cell of that number; the one that has its place is forgotten. */
struct archive_cell *archive_index_add(struct archive_index *index, uint32_t number);
/* Enters what a record says of its cell, which is not open. Not if that is unknown. */
void archive_index_note(struct archive_index *index,
                        const struct archive_record *record);

/* All of them: the newest that matches, or NULL. */
struct archive_cell *archive_index_at(const struct archive_index *index,
                                      uint32_t number);
struct archive_cell *archive_index_find(const struct archive_index *index,
                                        const unsigned char key[ARCHIVE_KEY]);
struct archive_cell *archive_index_named(const struct archive_index *index,
                                         const char *sandbox, const char *request);
/* By a cell's id, or its execution count in digits; "": any. */
struct archive_cell *archive_index_wanted(const struct archive_index *index,
                                          const char *wanted);
