/*
 * archive_record: one record of a file of kept outputs.
 *
 * A head of fixed size, which names the lengths of up to three parts, then the parts. A
 * digest over all of it tells a record that was cut or damaged. Integers are in the
 * machine's own order: on a machine of another kind, or after a change of this format,
 * the mark does not match. Pure functions.
 */
#pragma once

#include "common/buffer.h"

enum archive_kind {
    ARCHIVE_CELL = 1, /* begins a cell: its id in the notebook */
    ARCHIVE_NAME,     /* how the sandbox knows it: the sandbox's id, the request's */
    ARCHIVE_OUTPUT,   /* type, content, metadata */
    ARCHIVE_GAP,      /* something that it put out is not here */
    ARCHIVE_END,      /* it has ended */
};

enum {
    ARCHIVE_PARTS = 3,
    ARCHIVE_HEAD = 56,              /* bytes */
    ARCHIVE_RECORD_MOST = 64 << 20, /* bytes of its parts together */
};

struct archive_record {
    enum archive_kind kind;
    uint32_t cell; /* its number, in all files of the notebook; from 1 */
    int64_t time;  /* seconds since 1970 */
    int64_t seq;   /* OUTPUT: the sandbox's number for the event, or 0.
                      CELL: 1 if it began in an older file */
    struct slice parts[ARCHIVE_PARTS];
};

size_t archive_record_size(const struct archive_record *record);
void archive_record_append(struct buffer *out, const struct archive_record *record);

/* The record at the front of bytes, whose parts point into them. Returns how many bytes
 * it has; 0 if more are needed, *needed in total; or -1 if there is no whole record. */
ssize_t archive_record_parse(struct slice bytes, struct archive_record *out,
                             size_t *needed);
