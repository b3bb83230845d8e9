/*
 * lexicon: the words of one language, loaded from its file.
 *
 * Everything that depends on the language is in that file, also what the planner says.
 * Its format is described in docs/planner.md. Immutable once loaded.
 */
#pragma once

#include <jansson.h>

#include "bridge/planner/words/terms.h"
#include "bridge/planner/words/words.h"
#include "common/error.h"

enum {
    LEXICON_PHRASE_MAX = 6, /* words of a phrase */
};

/* What is known of a word as part of a column's name. */
enum lexicon_flag {
    FLAG_GENERIC = 1,    /* code, id, name, type: says little by itself */
    FLAG_KEY = 2,        /* id, number: identifies a row, so is not a measure */
    FLAG_LABEL = 4,      /* name, title: what a row is called */
    FLAG_ADDITIVE = 8,   /* sales, quantity: sums make sense */
    FLAG_INTENSIVE = 16, /* rate, price, age: means make sense */
    FLAG_TIME = 32,      /* year, date */
    FLAG_LIGHT = 64,     /* of, the: may stand inside a column's name */
    FLAG_YEAR = 128,     /* a column of years when its numbers look like years */
    FLAG_CODE = 256,     /* its numbers name kinds, and are not measures */
    FLAG_JUDGING = 1024, /* best, worst: by the most, or by the least of what is bad */
    FLAG_BAD = 2048,     /* delay, cost: the less the better */
    FLAG_ROWS = 4096,    /* orders, people: what rows of tables often are */
    FLAG_DRAW = 8192,    /* plot, chart: a picture is asked */
    FLAG_BIRTH = 16384,  /* dates long before what the rows tell of */
    FLAG_TAIL = 32768,   /* type, score: adds nothing to the column beside it */
    FLAG_SIDE = 65536,   /* home, away: columns that differ by it alone add up */
    FLAG_SECONDS = 1 << 17, /* "sec": what a number of time counts; so are the next */
    FLAG_MINUTES = 1 << 18,
    FLAG_HOURS = 1 << 19,
    FLAG_DAYS = 1 << 20,
    FLAG_WEEKS = 1 << 21,
    FLAG_MONTHS = 1 << 22,
    FLAG_YEARS = 1 << 23,
    FLAG_UNIT = 1 << 24,   /* km, kg: other units */
    FLAG_VERBAL = 1 << 25, /* left, sold: told of by a date that is there */
    FLAG_WHO = 1 << 26,
    FLAG_TRAIT = 1 << 28,  /* seats, doors: counted, and no sums of it make sense */
    FLAG_PERSON = 1 << 27, /* waiter, doctor: who does something */
    FLAG_STATE = 1 << 29,  /* cancelled, failed: verbs that tell rows apart */
    FLAG_EVENT = 1 << 30,  /* borrow, sell: verbs that say that there is a row */
    FLAG_VAGUE = 512,      /* cheap, recent: picks rows, and does not say which */
};

struct lexicon;

struct lexicon *lexicon_load(const char *path, struct error *err) MUST_CHECK;
void lexicon_free(struct lexicon *lexicon);

/* The term of the longest phrase that starts at words[at]; *len is its length. */
enum term lexicon_term(const struct lexicon *lexicon, const struct words *words,
                       size_t at, size_t *len);
/* The term of exactly these words; *len as given. */
enum term lexicon_exact(const struct lexicon *lexicon, const struct words *words,
                        size_t at, size_t len);

/* Groups of synonyms that hold exactly these words: how many of at most `max`. */
size_t lexicon_groups(const struct lexicon *lexicon, const struct word *at, size_t len,
                      unsigned *groups, size_t max);
/* Whether a group is of what stands in cells ("USA"), not of columns' names. */
bool lexicon_is_of_values(const struct lexicon *lexicon, unsigned group);
/* The phrases of a group. */
const char *const *lexicon_group(const struct lexicon *lexicon, unsigned group,
                                 size_t *count);

unsigned lexicon_flags(const struct lexicon *lexicon, uint64_t stem);

/* Question words rewritten by the file's `means` rules ("oldest" > "highest age"). */
struct words lexicon_rewrite(const struct lexicon *lexicon, struct arena *arena,
                             const struct words *words);
/* What a superlative that starts at words[at] ranks by: its readings ("highest age",
 * "lowest date"), with a comma between them; NULL if there is none. */
const struct words *lexicon_rank(const struct lexicon *lexicon,
                                 const struct words *words, size_t at, size_t *len);
/* What an abbreviation in a column's name stands for, or NULL. */
const struct words *lexicon_expansion(const struct lexicon *lexicon, uint64_t stem);
/* Whether a word is that one, or short for it: "amt" of "amount". */
bool lexicon_stands_for(const struct lexicon *lexicon, uint64_t word, uint64_t stem);

/* "passed" of "failed": of a yes or no, one word for each; or NULL. */
const char *lexicon_opposite(const struct lexicon *lexicon, uint64_t stem);

/* What a measure's name is worked out of ("quantity * price"): the nth way, or NULL. */
const char *lexicon_formula(const struct lexicon *lexicon, const struct word *at,
                            size_t len, unsigned nth);
/* The order of values that have one ("low", "medium", "high"), as a table has them;
 * NULL when they are not all of one such order. */
const char **lexicon_ordinal(const struct lexicon *lexicon, struct arena *arena,
                             json_t *values, size_t *count);

bool lexicon_knows(const struct lexicon *lexicon, uint64_t stem);
/* A known word that `text` may be a slip of, or NULL. */
const char *lexicon_spelling(const struct lexicon *lexicon, const char *text);

/* "obs" of "observation": letters that it begins with, and that are not a word. */
bool lexicon_is_short_for(const struct lexicon *lexicon, const char *name,
                          const char *word);
/* "win" and "won", "decision" and "decided": whether the file's list of forms has the
 * two as a pair. */
bool lexicon_is_form(const struct lexicon *lexicon, const char *word, const char *form);

/* Whether a sentence of the file, taken as a list of words, has this one. */
bool lexicon_lists(const struct lexicon *lexicon, const char *key, const char *word);
/* The same of a word in whatever form: by its stem. */
bool lexicon_lists_stem(const struct lexicon *lexicon, const char *key, uint64_t stem);

/* A sentence of the file; "{0}", "{1}" and so on are filled from args. */
char *lexicon_say(const struct lexicon *lexicon, struct arena *arena, const char *key,
                  const char *const *args, size_t count);

static inline void
auto_lexicon(struct lexicon **lexicon)
{
    lexicon_free(*lexicon);
}
