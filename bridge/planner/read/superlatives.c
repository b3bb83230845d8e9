/*
 * "lightest" becomes "lowest weight" where there is a weight: which of its readings a
 * superlative has depends on the table.
 */
#include "bridge/planner/read/reader.h"

static bool
is_named(const struct reader *reader, const struct column *column,
         const struct word *word)
{
    unsigned group[UNIT_GROUPS_MAX];
    size_t groups = lexicon_groups(reader->lexicon, word, 1, group, UNIT_GROUPS_MAX);

    /* millimetres of rain are no length */
    if (column_is_called(column, reader->lexicon, "word.rains"))
        return lexicon_lists(reader->lexicon, "word.rains", word->text);
    for (unsigned f = 0; f < column->forms; f++)
        for (unsigned i = 0; i < column->form[f].count; i++) {
            const struct unit *unit = &column->form[f].unit[i];

            if (unit->stem == word->stem ||
                (unit->start &&
                 strncmp(word->text, unit->start, strlen(unit->start)) == 0))
                return true;
            for (size_t k = 0; k < groups; k++)
                for (unsigned g = 0; g < unit->groups; g++)
                    if (unit->group[g] == group[k])
                        return true;
        }
    return reader_is_lettered(reader, column, word) ||
           reader_is_measure(reader, column, word);
}

/* A date, or a year that is not one part of a date beside others. */
static bool
is_whole_time(const struct frame *frame, const struct column *column)
{
    unsigned parts = 0;

    for (int i = 0; i < frame->columns; i++)
        parts += frame->column[i].kind == COLUMN_NUMBER &&
                 frame->column[i].words.count == 1 &&
                 frame->column[i].flags & FLAG_TIME;
    return column->role == ROLE_TIME && (column->kind == COLUMN_DATE || parts < 2);
}

/* "earliest" of a table whose only time is called otherwise: `Launch_UTC`. */
static bool
has_time(const struct reader *reader)
{
    for (int i = 0; i < reader->frame->columns; i++)
        if (reader->frame->column[i].role == ROLE_TIME &&
            reader->frame->column[i].kind == COLUMN_DATE)
            return true;
    return false;
}

static bool
can_rank(const struct reader *reader, const struct word *by)
{
    if (lexicon_exact(reader->lexicon, &(struct words){(struct word *)by, 1}, 0, 1) ==
        TERM_COUNT)
        return true; /* "most popular": of which there are most */
    for (int i = 0; i < reader->frame->columns; i++) {
        const struct column *column = &reader->frame->column[i];
        bool has_order = column_is_number(column) || column->is_measured ||
                         column->role == ROLE_TIME;

        const bool is_share = column->is_percent || strchr(column->name, '%') ||
                              column_is_called(column, reader->lexicon, "word.shares");
        if (is_share && lexicon_lists(reader->lexicon, "word.crowds", by->text))
            continue; /* "most popular" by an attendance in percent */
        if (has_order && column->role != ROLE_KEY && is_named(reader, column, by) &&
            (!(lexicon_flags(reader->lexicon, by->stem) & FLAG_TIME) ||
             is_whole_time(reader->frame, column)))
            return true;
    }
    return lexicon_lists(reader->lexicon, "word.dates", by->text) && has_time(reader);
}

/* words[at .. at + len) become the two words from `by` on. */
static void
replace(struct words *words, size_t at, size_t len, const struct word *by)
{
    size_t begin = words->at[at].begin, end = words->at[at + len - 1].end;

    memmove(&words->at[at + 2], &words->at[at + len],
            (words->count - at - len) * sizeof(*words->at));
    words->count += 2 - len;
    for (size_t i = 0; i < 2; i++) {
        words->at[at + i] = by[i];
        words->at[at + i].begin = begin;
        words->at[at + i].end = end;
        words->at[at + i].superlative = true;
    }
}

/* "oldest build year": the time that is ranked by is said. */
static const struct word *
choose_named(const struct reader *reader, const struct words *readings, size_t after)
{
    const struct words *words = &reader->words;

    for (size_t i = 0; i + 1 < readings->count; i += 3) {
        if (!(lexicon_flags(reader->lexicon, readings->at[i + 1].stem) & FLAG_TIME))
            continue;
        for (int k = 0; k < reader->frame->columns && after < words->count; k++) {
            const struct column *column = &reader->frame->column[k];

            if ((column->role == ROLE_TIME || column->is_clock) &&
                column->words.count > 0 &&
                column->words.count <= words->count - after &&
                column->words.at[0].stem == words->at[after].stem &&
                column->words.at[column->words.count - 1].stem ==
                    words->at[after + column->words.count - 1].stem)
                return &readings->at[i];
        }
    }
    return NULL;
}

static bool
says(const struct reader *reader, const char *name)
{
    for (size_t i = 0; i < reader->words.count; i++)
        if (strcmp(reader->words.at[i].text, name) == 0 ||
            lexicon_is_form(reader->lexicon, reader->words.at[i].text, name))
            return true;
    return false;
}

/* What stands before the unit: "damage" of `est_damage_usd`, "rate" of
 * `rate_eur/night`. */
static const struct word *
head_of(const struct reader *reader, const struct column *column)
{
    size_t at = 0;

    for (size_t i = 0;
         i < column->words.count &&
         !(lexicon_flags(reader->lexicon, column->words.at[i].stem) & FLAG_UNIT);
         i++)
        if (column->words.at[i].kind == WORD_TEXT) /* no bracket of "Fare (EUR)" */
            at = i;
    return &column->words.at[at];
}

/* "most expensive" where only `ask_eur` and `sold_eur` are money: by the one that is
 * spoken of ("the most expensive flat sold"), else the first of them. */
static const struct word *
choose_money(const struct reader *reader, const struct words *readings)
{
    const struct column *found = NULL;

    if (readings->count < 2 ||
        !lexicon_lists(reader->lexicon, "word.pricing", readings->at[1].text))
        return NULL;
    for (int i = 0; i < reader->frame->columns; i++) {
        const struct column *column = &reader->frame->column[i];

        if (column->kind == COLUMN_NUMBER && column->role == ROLE_QUANTITY &&
            column_is_in_currency(column, reader->lexicon) &&
            (!found || (says(reader, head_of(reader, column)->text) &&
                        !says(reader, head_of(reader, found)->text))))
            found = column;
    }
    if (!found)
        return NULL;
    struct word *pair = arena_alloc(reader->arena, 2, sizeof(*pair));
    pair[0] = readings->at[0];
    pair[1] = *head_of(reader, found);
    pair[1].corrected = true; /* it is said what was taken for the price */
    return pair;
}

/* "oldest order" of a table with `birth_date`: people alone are born. */
static bool
is_birth_of_none(const struct reader *reader, const struct word *by)
{
    if (!(lexicon_flags(reader->lexicon, by->stem) & FLAG_BIRTH))
        return false;
    for (size_t i = 0; i < reader->words.count; i++)
        if (lexicon_flags(reader->lexicon, reader->words.at[i].stem) &
            (FLAG_PERSON | FLAG_WHO))
            return false;
    return true;
}

/* Readings are pairs of words with commas between. */
static const struct word *
choose(const struct reader *reader, const struct words *readings, size_t after)
{
    for (size_t i = 0; i + 1 < readings->count; i += 3) /* "longest trip by distance" */
        for (size_t k = after; k < reader->words.count; k++)
            if (reader->words.at[k].stem == readings->at[i + 1].stem &&
                can_rank(reader, &readings->at[i + 1]))
                return &readings->at[i];
    for (size_t i = 0; i + 1 < readings->count; i += 3)
        if (can_rank(reader, &readings->at[i + 1]) &&
            !is_birth_of_none(reader, &readings->at[i + 1]))
            return &readings->at[i];
    return NULL;
}

/* Whether the word at `at` is a number of its own, which `by` does not name. */
static bool
names_number(const struct reader *reader, const struct word *by, size_t at)
{
    bool found = false;
    size_t len;

    if (at < reader->words.count) { /* "longest average delay" */
        const enum term term = lexicon_term(reader->lexicon, &reader->words, at, &len);
        at += term == TERM_MEAN || term == TERM_MEDIAN || term == TERM_SUM ? len : 0;
    }
    if (at < reader->words.count &&
        lexicon_lists_stem(reader->lexicon, "word.premises", reader->words.at[at].stem))
        return false; /* "cheapest district" is none of the `floor_area` */
    for (int i = 0; at < reader->words.count && i < reader->frame->columns; i++) {
        const struct column *column = &reader->frame->column[i];

        if ((column->role != ROLE_QUANTITY && !column->is_measured) ||
            !is_named(reader, column, &reader->words.at[at]) ||
            frame_is_noun(reader->frame, reader->words.at[at].stem))
            continue;
        if (is_named(reader, column, by + 1))
            return false;
        found = true;
    }
    return found;
}

/* "the most recent 90 days" are the last ones: the word that says so, or NULL. */
static const struct word *
word_of_last(const struct reader *reader, const struct words *readings, size_t after)
{
    const struct words *words = &reader->words;
    const char *last =
        lexicon_say(reader->lexicon, reader->arena, "word.last", NULL, 0);

    if (!last || readings->count < 2 || after + 1 >= words->count ||
        !(lexicon_flags(reader->lexicon, readings->at[1].stem) & FLAG_TIME) ||
        words->at[after].kind != WORD_NUMBER ||
        !(lexicon_flags(reader->lexicon, words->at[after + 1].stem) &
          (FLAG_TIME | FLAG_DAYS | FLAG_WEEKS | FLAG_MONTHS | FLAG_YEARS)))
        return NULL;
    return words_split(reader->arena, slice_of(last), 1).at;
}

/* The words [at, at + len) become one. */
static void
shorten(struct words *words, size_t at, size_t len, const struct word *by)
{
    const size_t begin = words->at[at].begin, end = words->at[at + len - 1].end;

    memmove(&words->at[at + 1], &words->at[at + len],
            (words->count - at - len) * sizeof(*words->at));
    words->count -= len - 1;
    words->at[at] = *by;
    words->at[at].begin = begin;
    words->at[at].end = end;
}

/* "takes the longest" asks for a time, not for the length that a column holds. */
static bool
is_of_time(const struct reader *reader, size_t at, const struct word *by)
{
    const struct word *word = reader->words.at;

    for (size_t i = at; i > 0 && i + 2 > at; i--)
        if (lexicon_lists(reader->lexicon, "word.took", word[i - 1].text))
            return lexicon_lists(reader->lexicon, "word.longest", word[at].text) &&
                   !lexicon_lists(reader->lexicon, "word.elapsed", by[1].text);
    return false;
}

/* "latest price" is the price of a row, and no extreme of prices; "when was the latest
 * sale" asks for no price. */
static bool
is_number_of_date(const struct reader *reader, const struct words *readings,
                  const struct word *by)
{
    bool is_date = lexicon_lists(reader->lexicon, "word.dates", by[1].text);
    size_t len;

    for (size_t i = 0; !can_rank(reader, &by[1]) && i + 1 < readings->count; i += 3)
        is_date |=
            lexicon_lists(reader->lexicon, "word.dates", readings->at[i + 1].text);
    return is_date &&
           lexicon_term(reader->lexicon, &reader->words, 0, &len) != TERM_WHEN;
}

void
reader_find_ranks(struct reader *reader)
{
    struct words *words = &reader->words;

    for (size_t at = 0; at < words->count; at++) {
        size_t len, term_len;
        const struct words *readings = lexicon_rank(reader->lexicon, words, at, &len);

        if (!readings || words->count + 2 - len > WORDS_MAX)
            continue;
        const struct word *last = word_of_last(reader, readings, at + len);
        if (last) {
            shorten(words, at, len, last);
            continue;
        }
        enum term term = lexicon_term(reader->lexicon, words, at, &term_len);
        const struct word *named = choose_named(reader, readings, at + len);
        if (named) { /* the extreme alone */
            shorten(words, at, len, named);
            words->at[at].end = words->at[at].begin;
            continue;
        }
        const struct word *by = choose(reader, readings, at + len);
        if (!by)
            by = choose_money(reader, readings);
        if (by && is_of_time(reader, at, by))
            continue;
        if (!by && names_number(reader, readings->at, at + len))
            by = readings->at; /* "cheapest rent": of what follows */
        if (by && names_number(reader, by, at + len)) {
            /* "longest delays": of what follows, and not by length */
            if (term == TERM_NONE && !is_number_of_date(reader, readings, by)) {
                shorten(words, at, len, by);
                words->at[at].end = words->at[at].begin;
            }
            continue;
        }
        if (by && !(term != TERM_NONE && term_len > len)) /* "longest first" */
            replace(words, at, len, by);
    }
}
