/*
 * archive_files: the files that a notebook's outputs are kept in.
 *
 *     FOLDER/lock       held by the kernel that writes
 *     FOLDER/now        records are appended here
 *     FOLDER/before     what was `now` until that was full
 *     FOLDER/damaged    a `now` that could not be read to its end; nobody reads it
 *
 * Nothing is followed, and nothing is used that another user owns or may write to. A
 * record is written as a whole or not at all.
 */
#pragma once

#include "kernel/archive/archive_record.h"

struct archive_files {
    int folder, lock, now;
    size_t written; /* to `now` */
    size_t most;    /* bytes of one file */
};

/* ERR_BUSY: another kernel writes there. Makes the folder if need be. */
int archive_files_open(struct archive_files *files, const char *folder, size_t most,
                       struct error *err) MUST_CHECK;
void archive_files_close(struct archive_files *files);

bool archive_files_has_room(const struct archive_files *files, size_t bytes);
int archive_files_append(struct archive_files *files, struct slice bytes,
                         struct error *err) MUST_CHECK;
/* `now` is `before` from here on, and there is an empty `now`. */
int archive_files_turn(struct archive_files *files, struct error *err) MUST_CHECK;

/* Return false to stop. */
typedef bool archive_record_fn(void *context, const struct archive_record *record);

/* Of both files, the older first. damaged: what is behind `good` in it cannot be read;
 * the rest was. */
struct archive_reading {
    bool is_before_damaged, is_now_damaged;
    size_t good; /* bytes of `now` */
};

int archive_files_read(const struct archive_files *files, archive_record_fn *take,
                       void *context, struct archive_reading *reading,
                       struct error *err) MUST_CHECK;
/* Sets the damaged `now` aside; its first `good` bytes stay. */
int archive_files_mend(struct archive_files *files, size_t good,
                       struct error *err) MUST_CHECK;

/* Removes folders beside this one that were last written before that time. */
void archive_files_sweep(const char *folder, int64_t before);
