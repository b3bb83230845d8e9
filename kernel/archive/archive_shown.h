/*
 * archive_shown: what a cell shows, made of the records of what it put out: cleared
 * where it was cleared, each display as it was last updated.
 */
#pragma once

#include "kernel/archive/archive_record.h"

/* stream, display_data, execute_result or error. */
struct archive_item {
    char *type; /* owned, as are the bytes of both */
    struct slice content, metadata;
};

struct archive_shown {
    struct archive_item *items;
    size_t count, capacity;
    bool is_to_clear; /* as soon as there is something else */
};

void archive_shown_release(struct archive_shown *shown);

/* One as it was published, of any type. */
void archive_shown_add(struct archive_shown *shown,
                       const struct archive_record *record);

/* A record of the files, in their order. is_own: of the cell; of others only updates of
 * its displays count. What is not a message that clients can read is left out. */
void archive_shown_take(struct archive_shown *shown,
                        const struct archive_record *record, bool is_own);
