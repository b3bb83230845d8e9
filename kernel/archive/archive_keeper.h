/*
 * archive_keeper: what the thread of an archive does: it obeys orders with its files
 * and its index, and remembers what the user should be told.
 *
 * When a disk is full or a file cannot be written, cells have gaps; each next cell
 * tries again.
 */
#pragma once

#include "kernel/archive/archive.h"
#include "kernel/archive/archive_files.h"
#include "kernel/archive/archive_order.h"

enum {
    ARCHIVE_FOLLOWERS = 64
};

struct archive_keeper {
    struct archive_files files;
    struct archive_index index;
    const struct archive_choice *choice; /* borrowed */
    struct buffer scratch;               /* a record on its way */
    bool is_on;                          /* files are open */
    bool is_failing, has_failed;         /* now; once */
    char *notice;                        /* for the user, or NULL; owned */
    struct archive_answers answers;      /* for who asked */
    struct {
        unsigned ticket; /* 0: none */
        uint32_t cell;
    } followers[ARCHIVE_FOLLOWERS];
};

/* Looks at what is there. ERR_BUSY: another kernel writes there. */
int archive_keeper_open(struct archive_keeper *keeper,
                        const struct archive_choice *choice,
                        struct error *err) MUST_CHECK;
void archive_keeper_close(struct archive_keeper *keeper);

/* Also after a failed open: then there is nothing. */
void archive_keeper_obey(struct archive_keeper *keeper,
                         const struct archive_order *order);
