/* group: the two axes of a heatmap or a table: "weekday x shop", "weekday vs hour",
 * "shops as rows and weekdays as columns". */
#include "bridge/planner/calendar/calendar.h"
#include "bridge/planner/groups/parse_groups.h"

/* It also joins what are no axes, so one of them has to be a part of a date. */
static bool
is_loose_cross(const struct parser *p, int at)
{
    return token_is(p, at, TERM_AND) || token_is(p, at, TERM_BY);
}

static bool
is_x(const struct parser *p, int at)
{
    return (token_is(p, at, TERM_X_AXIS) || token_kind(p, at, TOKEN_UNKNOWN)) &&
           strcmp(p->token[at].text, "x") == 0 && p->token[at].item->len == 1;
}

static bool
is_cross(const struct parser *p, int at)
{
    if (p->query->mark != MARK_HEATMAP)
        return is_x(p, at);
    return token_is(p, at, TERM_VERSUS) || is_loose_cross(p, at) || is_x(p, at);
}

/* NULL: no groups stand there. */
static const struct value *
axis_at(struct parser *p, int at)
{
    const enum query_part part =
        token_kind(p, at, TOKEN_TERM) ? parser_part(p->token[at].term) : PART_NONE;
    const int date = part ? parser_roots_time(p) : -1;

    if (date >= 0 && p->frame->column[date].kind == COLUMN_DATE)
        return calendar_part(p, date, part);
    if (!token_kind(p, at, TOKEN_VALUE))
        return NULL;
    const struct value *value = value_wanted(p, at, false);
    const struct column *column = value_column(p, value);
    return column && column->role != ROLE_QUANTITY && column->role != ROLE_TIME ? value
                                                                                : NULL;
}

/* "width x height" is a product. */
static bool
are_factors(const struct parser *p, const struct value *one, const struct value *other)
{
    const struct column *a = value_column(p, one), *b = value_column(p, other);

    return a && b && a->kind == COLUMN_NUMBER && b->kind == COLUMN_NUMBER;
}

static void
add_axes(struct parser *p, const struct value *one, const struct value *other)
{
    parser_add_key(p, one);
    parser_add_key(p, other);
    p->key_is_given[0] = p->key_is_given[1] = true;
    if (p->query->mark == MARK_HEATMAP) {
        p->wants_compare = false;
        p->has_axes = true;
    } else {
        p->query->is_table_asked = p->query->has_sides = true;
    }
}

/* "down", "across" at the end of what they are said of. */
static bool
is_side(const struct parser *p, int at, enum term side)
{
    const char *list = side == TERM_ROWS ? "word.down" : "word.across";
    const bool is_last = at + 1 == p->count || token_kind(p, at + 1, TOKEN_COMMA) ||
                         token_kind(p, at + 1, TOKEN_STOP) ||
                         token_is(p, at + 1, TERM_AND);

    return token_is(p, at, side) ||
           (is_last &&
            (token_kind(p, at, TOKEN_UNKNOWN) || token_is(p, at, TERM_OVER)) &&
            lexicon_lists(p->lexicon, list, p->token[at].text));
}

/* "shops as rows", "shops down the side": where the shops are named; -1: nowhere. */
static int
named_as(struct parser *p, enum term side, int *end)
{
    for (int i = 1; i < p->count; i++) {
        int at = i - 1;

        if (!is_side(p, i, side))
            continue;
        while (token_is(p, at, TERM_AS) || token_is(p, at, TERM_IN))
            at--;
        *end = i;
        return axis_at(p, at) ? at : -1;
    }
    return -1;
}

static bool
take_sides(struct parser *p)
{
    int rows_end, columns_end;
    const int rows = named_as(p, TERM_ROWS, &rows_end),
              columns = named_as(p, TERM_COLUMNS, &columns_end);
    const struct value *down = rows < 0 ? NULL : axis_at(p, rows),
                       *across = columns < 0 ? NULL : axis_at(p, columns);

    if (!down || !across || query_value_is_same(down, across))
        return false;
    add_axes(p, down, across);
    token_use(p, rows, rows_end);
    token_use(p, columns, columns_end);
    return true;
}

/* "heatmap of orders, country by plan": no number that the one could be grouped by. */
static bool
are_all_columns(const struct parser *p, int cross)
{
    int columns = 0;

    for (int i = 0; i < p->count; i++)
        columns += token_kind(p, i, TOKEN_VALUE);
    return token_is(p, cross, TERM_BY) && columns == 2;
}

void
parse_axes(struct parser *p)
{
    if (take_sides(p))
        return;
    for (int i = 1; i + 1 < p->count; i++) {
        const struct value *one = is_cross(p, i) ? axis_at(p, i - 1) : NULL,
                           *other = one ? axis_at(p, i + 1) : NULL;

        if (!other || (is_x(p, i) && are_factors(p, one, other)) ||
            (is_loose_cross(p, i) && one->kind != VALUE_PART &&
             other->kind != VALUE_PART && !are_all_columns(p, i)))
            continue;
        add_axes(p, one, other);
        token_use(p, i - 1, i + 1);
        if (token_is(p, i - 2, TERM_BY) || token_is(p, i - 2, TERM_OF))
            token_use(p, i - 2, i - 2);
        return;
    }
}
