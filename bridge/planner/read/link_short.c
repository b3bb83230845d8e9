/* Columns with short names: "dissolved oxygen" of `do_mgl`, "water temperature" of
 * `wtemp_c`, "total ratings" of `n_rat`. */
#include "bridge/planner/read/reader.h"

enum {
    INITIALS_MOST = 4,
    SHORT_MOST = 5,
    REST_LEAST = 3,    /* letters that two words begin with alike */
    UNKNOWN_LEAST = 6, /* of a word that begins with a name but for its last letter */
    WORD_LEAST = 3,
};

static const float SURE = 0.95f, LIKELY = 0.8f, ALONE = 0.68f, TAKEN = 0.6f,
                   GUESSED = 0.58f;

/* The only word of a name beside units: "do" of `do_mgl`; NULL. */
static const char *
sole_word(const struct reader *reader, const struct column *column)
{
    const unsigned units =
        FLAG_UNIT | FLAG_SECONDS | FLAG_MINUTES | FLAG_HOURS | FLAG_DAYS;
    const char *found = NULL;

    for (size_t i = 0; i < column->words.count; i++) {
        const struct word *word = &column->words.at[i];

        if (word->kind != WORD_TEXT ||
            (i && lexicon_flags(reader->lexicon, word->stem) & units))
            continue;
        if (found)
            return NULL;
        found = word->text;
    }
    return found;
}

/* Neither the grammar nor the table knows it otherwise. */
static bool
is_unknown(const struct reader *reader, size_t at)
{
    const struct word *word = &reader->words.at[at];
    const struct span *span = &reader->span[at][0];

    return word->kind == WORD_TEXT && strlen(word->text) > WORD_LEAST &&
           lexicon_exact(reader->lexicon, &reader->words, at, 1) == TERM_NONE &&
           !frame_is_noun(reader->frame, word->stem) &&
           (!span->links || span->link[0].score < TAKEN);
}

/* Looked up once: tables have many columns, and questions many words. */
static const bool *
find_unknown(const struct reader *reader)
{
    bool *unknown =
        arena_alloc(reader->arena, reader->words.count + 1, sizeof(*unknown));

    for (size_t at = 0; at < reader->words.count; at++)
        unknown[at] = is_unknown(reader, at);
    return unknown;
}

/* "median" */
static bool
is_reduced(const struct reader *reader, size_t at)
{
    static const enum term terms[] = {TERM_MEAN, TERM_MEDIAN, TERM_SUM,  TERM_MIN,
                                      TERM_MAX,  TERM_COUNT,  TERM_HIGH, TERM_LOW};
    const enum term term = lexicon_exact(reader->lexicon, &reader->words, at, 1);

    for (size_t i = 0; i < COUNT_OF(terms); i++)
        if (term == terms[i])
            return true;
    return false;
}

/* "days on lot" of `dol`: three words and more, one of them said nowhere else. */
static void
link_acronym(struct reader *reader, int column, const char *name)
{
    const size_t len = strlen(name);

    for (size_t at = 0; at + len <= reader->words.count; at++) {
        bool is_new = false;
        size_t said = 0;

        for (; said < len; said++) {
            const struct word *word = &reader->words.at[at + said];

            if (word->kind != WORD_TEXT || word->text[0] != name[said] ||
                !word->text[1] || is_reduced(reader, at + said))
                break;
            is_new |= !reader->span[at + said][0].links &&
                      !frame_is_noun(reader->frame, word->stem) &&
                      lexicon_exact(reader->lexicon, &reader->words, at + said, 1) ==
                          TERM_NONE;
        }
        if (said == len && is_new)
            reader_add_link(&reader->span[at][len - 1], (struct link){column, LIKELY});
    }
}

/* Both letters of the name begin a part of the word: "dt" of "downtime". */
static bool
is_compound(const char *text, const char *name)
{
    const size_t len = strlen(text);
    bool is_found = false;

    for (size_t i = REST_LEAST; i + REST_LEAST <= len; i++)
        is_found |= text[i] == name[1];
    return text[0] == name[0] && is_found;
}

/* "downtime" of `dt_min` */
static void
link_compound(struct reader *reader, int column, const char *name, const bool *unknown)
{
    for (size_t at = 0; strlen(name) == 2 && at < reader->words.count; at++) {
        const char *text = reader->words.at[at].text;

        if (unknown[at] && strlen(text) >= UNKNOWN_LEAST + 2 && is_compound(text, name))
            reader_add_link(&reader->span[at][0], (struct link){column, ALONE});
    }
}

/* "payload mass" of `PL_Mass_kg`: as above, in a name of several words. */
static void
link_compound_of(struct reader *reader, int column, const bool *unknown)
{
    const struct words *words = &reader->frame->column[column].words;

    for (size_t k = 0; k + 1 < words->count; k++) {
        const char *name = words->at[k].text;

        if (strlen(name) != 2 || words->at[k].kind != WORD_TEXT ||
            lexicon_knows(reader->lexicon, words->at[k].stem))
            continue;
        for (size_t at = 0; at + 1 < reader->words.count; at++)
            if (unknown[at] && reader->words.at[at + 1].stem == words->at[k + 1].stem &&
                is_compound(reader->words.at[at].text, name))
                reader_add_link(&reader->span[at][1], (struct link){column, LIKELY});
    }
}

static void
link_initials(struct reader *reader, int column, const char *name, const bool *unknown)
{
    const size_t len = strlen(name);

    if (len < 2 || len > INITIALS_MOST)
        return;
    if (len >= REST_LEAST && !lexicon_knows(reader->lexicon, words_stem(name, len)))
        link_acronym(reader, column, name);
    for (size_t at = 0; at + len <= reader->words.count; at++) {
        size_t said = 0;

        while (unknown[at + len - 1] && said < len) {
            const struct word *word = &reader->words.at[at + said];

            if (word->kind != WORD_TEXT || word->text[0] != name[said] ||
                strlen(word->text) <= WORD_LEAST)
                break;
            said++;
        }
        if (said == len)
            reader_add_link(&reader->span[at][len - 1], (struct link){column, LIKELY});
    }
}

/* "temperature" of the "temp" behind the first letter of "wtemp". */
static bool
is_rest(const struct reader *reader, const char *rest, const struct word *word)
{
    const size_t len = strlen(rest);
    const struct words *full =
        lexicon_expansion(reader->lexicon, words_stem(rest, len));

    for (size_t i = 0; full && i < full->count; i++)
        if (full->at[i].stem == word->stem)
            return true;
    return len > REST_LEAST && word->kind == WORD_TEXT &&
           strncmp(word->text, rest, len) == 0;
}

bool
reader_is_lettered(const struct reader *reader, const struct column *column,
                   const struct word *word)
{
    const char *name = sole_word(reader, column);

    return name && strlen(name) > REST_LEAST && is_rest(reader, name + 1, word);
}

static void
link_lettered(struct reader *reader, int column, const char *name, const bool *unknown)
{
    const size_t len = strlen(name);

    if (len < REST_LEAST + 1 || lexicon_knows(reader->lexicon, words_stem(name, len)))
        return; /* no "rice" of a `price` */
    for (size_t at = 0; at < reader->words.count; at++) {
        const char *text = reader->words.at[at].text;
        const bool is_first = text[0] == name[0] && strlen(text) > WORD_LEAST;

        if (is_first && at + 1 < reader->words.count &&
            is_rest(reader, name + 1, &reader->words.at[at + 1]))
            reader_add_link(&reader->span[at][1], (struct link){column, LIKELY});
        else if (unknown[at] && ((strlen(text) >= len &&
                                  is_rest(reader, name + 1, &reader->words.at[at])) ||
                                 (len <= SHORT_MOST && strlen(text) >= UNKNOWN_LEAST &&
                                  strncmp(text, name, len - 1) == 0)))
            reader_add_link(&reader->span[at][0], (struct link){column, ALONE});
    }
}

/* "ratings" behind "total", "most": how many there are, of `n_rat`. */
static void
link_counted(struct reader *reader, int column)
{
    const struct words *words = &reader->frame->column[column].words;

    if (words->count != 2 ||
        !lexicon_lists(reader->lexicon, "word.counters", words->at[0].text))
        return;
    for (size_t at = 1; at < reader->words.count; at++) {
        const struct word *word = &reader->words.at[at];
        const size_t len =
            strlen(words->at[1].text) - words_is_plural(words->at[1].text);
        size_t before = at - 1;

        while (before && reader->place[before].is_light)
            before--;
        if (word->kind == WORD_TEXT && words_is_plural(word->text) &&
            (word->stem == words->at[1].stem ||
             (len >= REST_LEAST && strncmp(word->text, words->at[1].text, len) == 0)) &&
            lexicon_lists(reader->lexicon, "word.tallies",
                          reader->words.at[before].text))
            reader_add_link(&reader->span[at][0], (struct link){column, SURE});
    }
}

/* How well a word names a column by itself: "sale", or "asking" of "ask". */
static float
named_by(const struct reader *reader, size_t at, int column, const struct word *name)
{
    const struct span *span = &reader->span[at][0];
    const struct word *word = &reader->words.at[at];

    if (strlen(name->text) >= REST_LEAST &&
        strncmp(word->text, name->text, strlen(name->text)) == 0)
        return LIKELY;
    for (unsigned i = 0; i < span->links; i++)
        if (span->link[i].column == column)
            return span->link[i].score;
    return 0;
}

/* "asking price", "sale price" of `ask_eur` and `sold_eur`. */
static void
link_priced(struct reader *reader, int column)
{
    const struct words *words = &reader->frame->column[column].words;

    if (words->count != 2 ||
        !column_is_in_currency(&reader->frame->column[column], reader->lexicon))
        return;
    for (size_t at = 0; at + 1 < reader->words.count; at++)
        if (lexicon_lists(reader->lexicon, "word.pricing",
                          reader->words.at[at + 1].text) &&
            named_by(reader, at, column, &words->at[0]) >= TAKEN)
            reader_add_link(&reader->span[at][1], (struct link){column, LIKELY});
}

/* The "date" of "earliest": of any time, where no column is called so. */
static void
link_time(struct reader *reader, int column)
{
    const struct column *about = &reader->frame->column[column];

    if (about->role != ROLE_TIME || about->kind != COLUMN_DATE ||
        (about->flags & FLAG_BIRTH && reader_has_other_time(reader)))
        return;
    for (size_t at = 0; at < reader->words.count; at++)
        if (reader->words.at[at].superlative && !reader->span[at][0].links &&
            lexicon_lists(reader->lexicon, "word.dates", reader->words.at[at].text))
            reader_add_link(&reader->span[at][0], (struct link){column, ALONE});
}

/* "price per night" of `rate_eur/night`. */
static void
link_price_per(struct reader *reader, int column)
{
    const struct column *about = &reader->frame->column[column];
    const struct word *unit =
        about->words.count ? &about->words.at[about->words.count - 1] : NULL;

    if (!unit || !column_is_per_unit(about, reader->lexicon) ||
        !column_is_in_currency(about, reader->lexicon))
        return;
    for (size_t at = 0; at + 2 < reader->words.count; at++)
        if (lexicon_lists(reader->lexicon, "word.pricing", reader->words.at[at].text) &&
            lexicon_exact(reader->lexicon, &reader->words, at + 1, 1) == TERM_PER &&
            reader->words.at[at + 2].stem == unit->stem)
            reader_add_link(&reader->span[at][2], (struct link){column, LIKELY});
}

/* What is measured, and in which units. */
static const struct {
    const char *nouns, *units;
} dimensions[MEASURES] = {
    {"word.weighing",  "word.masses" },
    {"word.distances", "word.lengths"},
};

/* "kg", and "miles" of a mile. */
static bool
is_unit(const struct reader *reader, const char *units, const struct word *word)
{
    const size_t len = strlen(word->text);

    return lexicon_lists(reader->lexicon, units, word->text) ||
           (words_is_plural(word->text) &&
            lexicon_lists(reader->lexicon, units,
                          arena_text(reader->arena, word->text, len - 1)));
}

/* The only number that is counted in such units: `net_kg` of a "weight"; -1. */
static int
column_in_units(const struct reader *reader, const char *units)
{
    int found = -1;

    for (int i = 0; i < reader->frame->columns; i++) {
        const struct column *column = &reader->frame->column[i];
        const size_t count = column->words.count;

        if (!count || !(column->is_measured || column->role == ROLE_QUANTITY) ||
            !is_unit(reader, units, &column->words.at[count - 1]))
            continue;
        if (found >= 0)
            return -1;
        found = i;
    }
    return found;
}

/* The column that such a noun means; -1: none. Each list is looked through once. */
static int
measure_of(const struct reader *reader, const struct word *word)
{
    for (size_t i = 0; i < COUNT_OF(dimensions); i++) {
        struct measure_found *found = &reader->measure[i];

        if (!lexicon_lists(reader->lexicon, dimensions[i].nouns, word->text))
            continue;
        if (!found->is_looked)
            found->column = column_in_units(reader, dimensions[i].units);
        found->is_looked = true;
        return found->column;
    }
    return -1;
}

bool
reader_is_measure(const struct reader *reader, const struct column *column,
                  const struct word *word)
{
    const int found = measure_of(reader, word);

    return found >= 0 && &reader->frame->column[found] == column;
}

static void
link_dimensions(struct reader *reader)
{
    for (size_t at = 0; at < reader->words.count; at++) {
        struct span *span = &reader->span[at][0];

        if (span->links && span->link[0].score >= TAKEN)
            continue;
        const int column = measure_of(reader, &reader->words.at[at]);
        if (column >= 0)
            reader_add_link(span, (struct link){column, LIKELY});
    }
}

/* The one column of money that is taken in: no cost, and no price of a piece; -1. */
static int
only_income(const struct reader *reader)
{
    int found = -1;

    for (int i = 0; i < reader->frame->columns; i++) {
        const struct column *column = &reader->frame->column[i];

        if (column->role != ROLE_QUANTITY ||
            !column_is_in_currency(column, reader->lexicon))
            continue;
        if (found >= 0 || column_is_per_unit(column, reader->lexicon) ||
            column_is_called(column, reader->lexicon, "word.outlays") ||
            column_is_called(column, reader->lexicon, "word.pieces"))
            return -1;
        found = i;
    }
    return found;
}

/* "revenue", "money" of `order_val_eur`, where nothing else is money. */
static void
link_income(struct reader *reader)
{
    const int column = only_income(reader);

    for (size_t at = 0; column >= 0 && at < reader->words.count; at++) {
        struct span *span = &reader->span[at][0];

        if (!span->links &&
            lexicon_lists(reader->lexicon, "word.monies", reader->words.at[at].text))
            reader_add_link(span, (struct link){column, GUESSED});
    }
}

void
reader_link_short(struct reader *reader)
{
    const bool *unknown = find_unknown(reader);

    link_income(reader);
    link_dimensions(reader);
    for (int i = 0; i < reader->frame->columns; i++) {
        const struct column *column = &reader->frame->column[i];
        const char *name = sole_word(reader, column);

        link_counted(reader, i);
        link_priced(reader, i);
        link_price_per(reader, i);
        link_compound_of(reader, i, unknown);
        link_time(reader, i);
        if (name)
            link_compound(reader, i, name, unknown);
        if (!name || lexicon_expansion(reader->lexicon, words_stem(name, strlen(name))))
            continue;
        link_initials(reader, i, name, unknown);
        link_lettered(reader, i, name, unknown);
    }
}
