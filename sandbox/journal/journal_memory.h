/*
 * journal_memory: what a worker and sandboxd share of text that is printed and not yet
 * sent. The worker writes it (journal_writer.h); sandboxd reads it once the worker is
 * dead (sandbox/running/output_journal.h), whatever it then holds. A worker may die
 * between any two stores: after each of them the memory says each byte once.
 */
#pragma once

#include <assert.h>
#include <stdint.h>

#include "common/limits.h"

enum {
    JOURNAL_STREAMS = 2,      /* stdout, stderr */
    JOURNAL_PIECE = 16 << 10, /* bytes that are taken out of a pipe at once, at most */
    JOURNAL_MARK = 0xfe,      /* around a stream and a request; no byte of UTF-8 */
};

/* What was taken out of a stream's pipe and is not yet part of the text. */
struct journal_piece {
    uint32_t is_taken; /* 0: what else is here means nothing */
    uint32_t put_at;   /* 0, or 1 + where it is being put: what is there or behind it in
                          the text does not count */
    char bytes[JOURNAL_PIECE]; /* then zeros */
};

struct journal_memory {
    uint64_t before; /* bytes of text of this worker before what is here */
    struct journal_piece pieces[JOURNAL_STREAMS];
    /* UTF-8, with MARK STREAM REQUEST MARK wherever text of another stream ('1', '2')
     * or request (its id) goes on; then zeros. */
    char text[LIMIT_KEPT_TEXT - sizeof(uint64_t) -
              JOURNAL_STREAMS * sizeof(struct journal_piece)];
};

static_assert(sizeof(struct journal_memory) == LIMIT_KEPT_TEXT, "no padding");
