/*
 * output_journal: what a worker has printed and not said, should it die.
 *
 * A worker gathers text for some milliseconds before it says it. Meanwhile it also
 * keeps the text in memory that is ours (a memfd), and what C code and subprocesses
 * write lies in two pipes of ours. Once the worker is dead they are read. All of it is
 * hostile: sizes are bounded, reading never waits, and who is told of a piece of text
 * checks it like any message. The worker's side is sandbox/journal/.
 */
#pragma once

#include "common/error.h"
#include "sandbox/journal/journal_memory.h"

struct output_journal;

enum {
    OUTPUT_JOURNAL_PIPE = 1 << 20, /* bytes that are read of each pipe, at most */
};

/* Lends a worker its ends over our end of its channel, before it is there. */
struct output_journal *output_journal_new(int channel, struct error *err) MUST_CHECK;
void output_journal_free(struct output_journal *words);

/* A message of the worker has told its text up to there. 0 tells nothing. */
void output_journal_said(struct output_journal *words, uint64_t position);

/* Another process goes on with the memory, which it empties. */
void output_journal_restart(struct output_journal *words);

/* Text that no message has told; parent is the name of a request, "", or nonsense. */
typedef void (*output_journal_fn)(void *context, const char *stream, const char *parent,
                                  struct slice text);

/* What the memory says; parent: of what was taken out of the pipes. Pure. */
void output_journal_parse(const struct journal_memory *memory, uint64_t said,
                          const char *parent, output_journal_fn tell, void *context);

/* The worker is dead. parent: of what lies in the pipes. */
void output_journal_read(struct output_journal *words, const char *parent,
                         output_journal_fn tell, void *context);

static inline void
auto_output_journal(struct output_journal **words)
{
    output_journal_free(*words);
}
