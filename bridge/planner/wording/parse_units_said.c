/* Units behind a number as they are written: "50 µg/m³", "90 km/h", "30 °C". Where the
 * number's column has that unit they say nothing more; in another they stay, and the
 * question is refused. */
#include "bridge/planner/tokens/parser.h"

#include <ctype.h>

enum {
    SPELLED_MOST = 24, /* bytes of "ugm3" */
    NEAR_MOST = 4,     /* tokens between a column and its number */
};

/* "µg" and "m³" as a name of a column has them: "ug", "m3". */
static void
spell(char *to, size_t size, const char *text)
{
    static const struct {
        const char *sign, *letter;
    } signs[] = {
        {"\xc2\xb5", "u"}, /* micro */
        {"\xce\xbc", "u"}, /* mu */
        {"\xc2\xb2", "2"},
        {"\xc2\xb3", "3"},
    };
    size_t len = strlen(to);

    while (*text && len + 1 < size) {
        size_t k = 0;

        while (k < COUNT_OF(signs) &&
               strncmp(text, signs[k].sign, strlen(signs[k].sign)) != 0)
            k++;
        if (k < COUNT_OF(signs)) {
            to[len++] = signs[k].letter[0];
            text += strlen(signs[k].sign);
        } else {
            to[len++] = *text++;
        }
    }
    to[len] = 0;
}

/* The end of the column's name, written together, is `unit`. */
static bool
ends_in_unit(const struct column *column, const char *unit)
{
    const struct words *words = &column->words;

    for (size_t first = words->count; first-- > 0;) {
        char spelled[SPELLED_MOST] = "";

        for (size_t i = first; i < words->count; i++)
            if (!words_is_per(words, i))
                spell(spelled, sizeof(spelled), words->at[i].text);
        if (strcmp(spelled, unit) == 0)
            return first > 0;
        if (strlen(spelled) > strlen(unit))
            return false;
    }
    return false;
}

/* The number's column: the nearest before it. */
static const struct column *
column_before(const struct parser *p, int at)
{
    for (int i = at - 1; i >= 0 && i >= at - NEAR_MOST; i--)
        if (value_is_quantity_at(p, i))
            return token_column(p, i);
    return NULL;
}

static bool
is_unit_part(const struct parser *p, int at)
{
    return (token_kind(p, at, TOKEN_UNKNOWN) || token_kind(p, at, TOKEN_TERM)) &&
           p->token[at].item->len == 1;
}

/* "µg/m³" behind the number, the "in" or the bracket at `at` */
static void
drop_ratio(struct parser *p, int at)
{
    const bool is_bracketed =
        token_is_mark(p, at, '(') && token_is_mark(p, at + 4, ')');

    const struct column *column = column_before(p, at);
    char unit[SPELLED_MOST] = "";

    if (!column || !is_unit_part(p, at + 1) || !token_is_mark(p, at + 2, '/') ||
        !is_unit_part(p, at + 3))
        return;
    spell(unit, sizeof(unit), p->reading->words.at[p->token[at + 1].item->begin].text);
    spell(unit, sizeof(unit), p->reading->words.at[p->token[at + 3].item->begin].text);
    if (!ends_in_unit(column, unit) || (token_is_mark(p, at, '(') && !is_bracketed))
        return;
    token_drop(p, token_kind(p, at, TOKEN_NUMBER) ? at + 1 : at, at + 3 + is_bracketed);
}

/* --- degrees --- */

/* What is behind the sign of "°C", in small letters; NULL: it is none. */
static const char *
scale_at(const struct parser *p, int at)
{
    static const char *const signs[] = {"\xc2\xb0", "\xc2\xba"};
    const char *text = token_kind(p, at, TOKEN_UNKNOWN) ? p->token[at].text : "";

    for (size_t i = 0; i < COUNT_OF(signs); i++)
        if (strncmp(text, signs[i], strlen(signs[i])) == 0)
            return text + strlen(signs[i]);
    return NULL;
}

static bool
is_in_degrees(const struct parser *p, const struct column *column, const char *scale)
{
    const struct words *words = &column->words;
    const char *last = words->count > 1 ? words->at[words->count - 1].text : "";
    const bool has_scale = lexicon_lists(p->lexicon, "word.degrees", last);

    if (!has_scale)
        return column_is_called(column, p->lexicon, "word.temperatures");
    return !*scale || last[0] == scale[0] || strncmp(last, "deg", 3) == 0;
}

/* "above 30 °C" of `TMax_C` and `TMin_C`: of the one that goes as far; NULL: of none.
 */
static const struct value *
temperature_of(struct parser *p, const char *scale, bool is_above)
{
    int found = -1, count = 0;
    bool is_said = false;

    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];
        const bool suits =
            reading_is_said_by(p->reading, is_above ? TERM_MAX : TERM_MIN, column);

        if (column->kind != COLUMN_NUMBER || !is_in_degrees(p, column, scale))
            continue;
        count++;
        if (!is_said || suits)
            found = i;
        is_said |= suits;
    }
    return count == 1 || (count > 1 && is_said) ? value_of_column(p, found) : NULL;
}

/* "days above 30 °C": with a temperature above. */
static void
name_temperature(struct parser *p, int at, const char *scale)
{
    const int bound = at - 1;
    const bool is_above = token_is(p, bound, TERM_GREATER) ||
                          token_is(p, bound, TERM_GREATER_EQUAL) ||
                          token_is(p, bound, TERM_OVER);
    const struct value *of =
        is_above || token_is(p, bound, TERM_LESS) || token_is(p, bound, TERM_LESS_EQUAL)
            ? temperature_of(p, scale, is_above)
            : NULL;

    if (!of)
        return;
    parser_note(p, "assume.column", token_text(p, at + 1),
                p->frame->column[of->column].name);
    token_drop(p, at + 1, at + 1);
    token_make_room(p, bound, 2);
    p->token[bound] = p->token[bound + 1] = p->token[bound + 3];
    p->token[bound].kind = TOKEN_TERM;
    p->token[bound].term = TERM_WITH;
    token_become_other(p, bound + 1, bound + 1, of);
}

static void
drop_degrees(struct parser *p, int at)
{
    const char *scale = scale_at(p, at + 1);
    const struct column *column = column_before(p, at);

    if (!scale)
        return;
    if (!column)
        name_temperature(p, at, scale);
    else if (is_in_degrees(p, column, scale))
        token_drop(p, at + 1, at + 1);
}

static bool
begins_with(const struct parser *p, int at, const void *about)
{
    const struct column *column = &p->frame->column[at];
    const struct value value = {.kind = VALUE_COLUMN, .column = at};

    return value_is_quantity(p, &value) && column->words.count > 1 &&
           column->words.at[0].stem == *(const uint64_t *)about;
}

/* "average hours", "more than 50 hours a week" of `hours_week`: the column, no unit. */
static void
name_hours(struct parser *p, int at)
{
    static const enum term before[] = {TERM_MEAN, TERM_SUM, TERM_MEDIAN,  TERM_MORE,
                                       TERM_HIGH, TERM_LOW, TERM_HOW_MANY};
    bool is_asked = token_kind(p, at - 1, TOKEN_NUMBER) && token_is_bound(p, at - 2);

    for (size_t i = 0; i < COUNT_OF(before); i++)
        is_asked |= token_is(p, at - 1, before[i]);
    if (!is_asked || !p->token[at].is_plural)
        return;
    const uint64_t stem = p->reading->words.at[p->token[at].item->begin].stem;
    const int column = value_only_column(p, begins_with, &stem);
    if (column < 0)
        return;
    parser_note(p, "assume.column", token_text(p, at), p->frame->column[column].name);
    token_become_other(p, at, at, value_of_column(p, column));
    const struct words *words = &p->frame->column[column].words;
    for (size_t i = 1; i < words->count && at + 1 < p->count; i++)
        if (words->at[i].stem ==
            p->reading->words.at[p->token[at + 1].item->begin].stem)
            token_set_aside(p, at + 1); /* "a week" */
}

void
parse_units_said(struct parser *p)
{
    for (int i = 1; i < p->count; i++) {
        if (token_kind(p, i, TOKEN_NUMBER) || token_is(p, i, TERM_IN) ||
            token_is_mark(p, i, '('))
            drop_ratio(p, i);
        if (token_kind(p, i, TOKEN_NUMBER))
            drop_degrees(p, i);
        if (token_is(p, i, TERM_HOUR))
            name_hours(p, i);
    }
}
