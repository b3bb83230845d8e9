/* "minutes by genre", "hours worked": a unit stands for the one column that has it. */
#include "bridge/planner/durations/parse_units.h"

enum {
    UNITS_MOST = 6, /* of a question that stand for columns */
};

struct looked {
    uint64_t stem[UNITS_MOST];
    int column[UNITS_MOST];
    int count;
};

/* "the hours" of a table, not "by hour". */
static bool
may_name(const struct parser *p, int at)
{
    const bool is_grain = token_is(p, at, TERM_HOUR) || token_is(p, at, TERM_DAY);

    return token_is_free(p, at) &&
           ((token_is(p, at, TERM_UNIT) && parse_units_is_known(p, at)) ||
            (token_kind(p, at, TOKEN_UNKNOWN) && words_is_plural(p->token[at].text)) ||
            (is_grain && words_is_plural(p->token[at].text))) &&
           !token_kind(p, at - 1, TOKEN_NUMBER) && !token_is(p, at - 1, TERM_IN) &&
           !token_is(p, at - 1, TERM_PER) && !token_is(p, at - 1, TERM_EACH) &&
           !token_kind(p, at + 1, TOKEN_VALUE);
}

/* "min_played" begins with its unit: what was done in minutes. */
static bool
begins_with_unit(const struct parser *p, int column)
{
    const struct words *words = &p->frame->column[column].words;
    const unsigned times = FLAG_SECONDS | FLAG_MINUTES | FLAG_HOURS;

    return words->count > 1 && lexicon_flags(p->lexicon, words->at[0].stem) & times;
}

/* The one that has the unit at `at`, or the one of several that begins with it. */
static int
column_of(const struct parser *p, int at)
{
    int found = parse_units_column(p, at), count = 0;

    for (int i = 0; found < 0 && i < p->frame->columns; i++) {
        const struct value value = {.kind = VALUE_COLUMN, .column = i};

        if (value_is_quantity(p, &value) && parse_units_is_own(p, at, &value) &&
            begins_with_unit(p, i) && ++count == 1)
            found = i;
    }
    return count > 1 ? -1 : found;
}

static bool
is_named_otherwise(const struct parser *p, int column)
{
    for (int i = 0; i < p->count; i++)
        if (token_column(p, i) == &p->frame->column[column])
            return true;
    return false;
}

/* "played", "worked": what was done in them. */
static bool
is_done(const struct parser *p, int at)
{
    return (token_kind(p, at, TOKEN_UNKNOWN) || token_kind(p, at, TOKEN_ROWS)) &&
           words_ends_in_ed(p->token[at].text);
}

static const struct item *
word_as_item(struct parser *p, const struct item *item, size_t at)
{
    struct item *word = arena_alloc(p->arena, 1, sizeof(*word));

    *word = *item;
    word->begin += at;
    word->len = 1;
    return word;
}

/* "by hours" is one term, of which the last word may be a unit. */
static void
part_from_by(struct parser *p, int at)
{
    struct token *token = &p->token[at];
    const struct item *item = token->item;

    if (!token_is(p, at, TERM_HOUR) || item->len != 2 || strcmp(token->text, "by") != 0)
        return;
    const struct item *last = word_as_item(p, item, 1);
    if (!words_is_plural(p->reading->words.at[last->begin].text))
        return;
    token->item = last;
    token->text = p->reading->words.at[last->begin].text;
}

/* Whether rows have a time of day, by which "per hour" groups them. */
static bool
has_clock(const struct parser *p)
{
    for (int i = 0; i < p->frame->columns; i++)
        if (p->frame->column[i].kind == COLUMN_DATE &&
            !p->frame->column[i].has_no_clock)
            return true;
    return false;
}

/* "fee per hour" of a column of minutes, where no row has a time of day: the one
 * divided by the other, and no groups. */
static void
split_per(struct parser *p, int at)
{
    const struct token whole = p->token[at];

    if (!token_is(p, at, TERM_HOUR) || whole.item->len != 2 ||
        lexicon_exact(p->lexicon, &p->reading->words, whole.item->begin, 1) !=
            TERM_PER ||
        !token_kind(p, at - 1, TOKEN_VALUE) ||
        !value_is_quantity(p, p->token[at - 1].value) || has_clock(p))
        return;
    token_make_room(p, at, 1);
    p->token[at] = whole;
    p->token[at].term = TERM_PER;
    p->token[at].item = word_as_item(p, whole.item, 0);
    p->token[at + 1].term = TERM_UNIT;
    p->token[at + 1].item = word_as_item(p, whole.item, 1);
    if (parse_units_column(p, at + 1) >= 0)
        return;
    memmove(&p->token[at], &p->token[at + 1],
            (size_t)(p->count - at - 1) * sizeof(p->token[at]));
    p->count--;
    p->token[at] = whole;
}

/* Of wide tables each unit is looked for once, and not many are. */
static int
column_once(const struct parser *p, struct looked *looked, int at)
{
    const uint64_t stem = p->reading->words.at[p->token[at].item->begin].stem;

    for (int i = 0; i < looked->count; i++)
        if (looked->stem[i] == stem)
            return looked->column[i];
    if (looked->count == UNITS_MOST)
        return -1;
    const int column = column_of(p, at);
    looked->stem[looked->count] = stem;
    looked->column[looked->count++] = column;
    return column;
}

/* "effort hours" of what is kept in minutes: in hours, and no groups. */
static void
take_unit_behind(struct parser *p, int at)
{
    const struct item *item = p->token[at].item, *next = item + 1;

    if (!token_kind(p, at, TOKEN_VALUE) || !value_is_quantity(p, p->token[at].value) ||
        !(token_is(p, at + 1, TERM_HOUR) || token_is(p, at + 1, TERM_DAY)) ||
        !words_is_plural(p->token[at + 1].text) || p->token[at + 1].item != next)
        return;
    const struct value *value = parse_units_scaled(p, at + 1, p->token[at].value);
    if (value->is_scaled || value->kind != VALUE_COLUMN)
        token_become_other(p, at, at + 1, value);
}

/* "litres of diesel" of `diesel_l`: how it is counted, and what is. */
static void
drop_own_units(struct parser *p)
{
    for (int i = 0; i + 2 < p->count; i++)
        if ((token_kind(p, i, TOKEN_UNKNOWN) || token_is(p, i, TERM_UNIT)) &&
            words_is_plural(p->token[i].text) && token_is(p, i + 1, TERM_OF) &&
            token_kind(p, i + 2, TOKEN_VALUE) && parse_units_is(p, i) &&
            parse_units_is_own(p, i, p->token[i + 2].value))
            token_drop(p, i, i + 1);
}

/* "hours of downtime" of a column of minutes. */
void
parse_units_of(struct parser *p, int at)
{
    const struct value *value =
        token_kind(p, at + 2, TOKEN_VALUE) ? p->token[at + 2].value : NULL;

    if (!value || !token_is(p, at + 1, TERM_OF) || !parse_units_is_known(p, at) ||
        !token_is_free(p, at) || token_kind(p, at - 1, TOKEN_NUMBER) ||
        value->kind != VALUE_COLUMN || !value_is_quantity(p, value))
        return;
    const struct value *scaled = parse_units_scaled(p, at, value);
    if (scaled == value && !parse_units_is_own(p, at, value))
        return;
    token_become(p, at, at + 2, scaled);
}

/* `ReworkMin` of "rework". */
static bool
is_time_of(const struct parser *p, int at, const void *about)
{
    const struct column *column = &p->frame->column[at];
    const struct value value = {.kind = VALUE_COLUMN, .column = at};
    const struct word *word = about;

    if (!value_is_quantity(p, &value))
        return false;
    for (size_t i = 0; i + 1 < column->words.count; i++)
        if (column->words.at[i].stem == word->stem)
            return lexicon_flags(p->lexicon,
                                 column->words.at[column->words.count - 1].stem) &
                   (FLAG_SECONDS | FLAG_MINUTES | FLAG_HOURS | FLAG_DAYS);
    return false;
}

/* "rework hours by month", where a cell says "Rework", too: the time that it took. */
static void
name_time_of_cell(struct parser *p)
{
    for (int i = 0; i + 1 < p->count; i++) {
        if (!token_kind(p, i, TOKEN_CELL) || !token_kind(p, i + 1, TOKEN_TERM) ||
            !p->token[i + 1].is_plural || parse_units_seconds(p, i + 1) <= 0 ||
            !token_is_beside(&p->token[i], &p->token[i + 1]))
            continue;
        const int column = value_only_column(
            p, is_time_of, &p->reading->words.at[p->token[i].item->begin]);
        if (column < 0)
            continue;
        parser_note(p, "assume.column", token_text(p, i),
                    p->frame->column[column].name);
        token_become_other(p, i, i + 1,
                           parse_units_scaled(p, i + 1, value_of_column(p, column)));
    }
}

void
parse_units_named(struct parser *p)
{
    name_time_of_cell(p);
    drop_own_units(p);
    for (int i = 0; i < p->count; i++)
        split_per(p, i);
    for (int i = 0; i < p->count; i++) {
        take_unit_behind(p, i);
        parse_units_in_scale(p, i);
    }
    struct looked looked = {.count = 0};

    for (int i = 0; i < p->count; i++) {
        part_from_by(p, i);
        const int column = may_name(p, i) ? column_once(p, &looked, i) : -1;

        if (column < 0 || is_named_otherwise(p, column))
            continue;
        const struct value *value =
            parse_units_scaled(p, i, value_of_column(p, column));
        if (token_kind(p, i, TOKEN_TERM) && !token_is(p, i, TERM_UNIT) &&
            value->kind != VALUE_COLUMN)
            continue; /* "days" of a column of seconds are the calendar's */
        parser_note(p, "assume.column", token_text(p, i),
                    p->frame->column[column].name);
        token_become(p, i, i + is_done(p, i + 1), value);
    }
}
