/* profile_reader: what the parts of profile share. */
#pragma once

#include "bridge/planner/profile/profile.h"

struct profile_reader {
    struct arena *arena;
    const struct lexicon *lexicon;
    struct error *err;
    int pandas;        /* major version, 0: unknown */
    int columns;       /* read so far, of all frames */
    struct words lone; /* "min", what it is the least beside, what it is alone */
    bool is_lone;      /* no column of the frame has what it is the least beside */
    json_t *rows;      /* borrowed: those that the frame's profile shows, or NULL */
    json_t *sample;    /* borrowed: a column's cells in them */
};

int column_read(struct profile_reader *reader, struct column *column, json_t *json,
                json_int_t rows) MUST_CHECK;
/* Whether text is plain numbers. Without values its `forms` decide: then decimals
 * ("12.50") are told from the numbers that are names. */
bool column_is_numeric_text(const struct column *column, json_t *forms);
/* Finds out whether texts are numbers with units, of one currency. */
void column_read_measured(struct column *column, json_t *texts);
/* "00:04:36", or a dtype of spans: how long, not at what time. Measured then. */
void column_read_span(struct profile_reader *reader, struct column *column,
                      json_t *json);
/* A span's cells as an expression of numbers, counted in its unit. */
const char *column_seconds(struct arena *arena, const struct column *column,
                           const char *cells);
/* Words of a name that are short for something by what they are counted in: "t" of
 * `TMax_C`, "exp" of `TotExp_kEUR`. */
void column_spell_out(const struct profile_reader *reader, struct column *column);
void column_add_forms(struct profile_reader *reader, struct column *column);
/* "wait_min" of a table without a "max": minutes, not the least. */
bool column_is_lone(const struct profile_reader *reader, const struct column *column);
/* "stu_hrs" is read as "student hours". */
struct words column_expand(struct profile_reader *reader, const struct words *words);
void frame_index_values(struct profile_reader *reader, struct frame *frame);
