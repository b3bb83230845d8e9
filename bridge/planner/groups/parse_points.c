/* shape: charts of rows as they are: histograms, boxes, points. */
#include "bridge/planner/durations/parse_units.h"

enum {
    NUMBERS_MAX = 2,
};

/* What is on the axes. */
struct axes {
    const struct value *number[NUMBERS_MAX];
    const struct value *key;
    int numbers, keys;
};

/* Words that say which of the two axes follows, and nothing else. */
static bool
joins(const struct parser *p, int at)
{
    static const enum term terms[] = {
        TERM_BY, TERM_PER, TERM_EACH, TERM_VERSUS, TERM_AND,    TERM_OVER,
        TERM_IN, TERM_FOR, TERM_WITH, TERM_OF,     TERM_X_AXIS, TERM_DIFFERENT};

    for (size_t i = 0; i < COUNT_OF(terms); i++)
        if (token_is(p, at, terms[i]))
            return true;
    return false;
}

static bool
is_given_as_key(const struct parser *p, int at)
{
    return token_is(p, at - 1, TERM_BY) || token_is(p, at - 1, TERM_PER) ||
           token_is(p, at - 1, TERM_EACH);
}

static bool
take_value(struct parser *p, int at, struct axes *axes)
{
    const struct value *value = value_wanted(p, at, true);
    const bool is_box = p->draws_rows == MARK_BOX;
    const struct column *column = value_column(p, value);

    if (value_is_quantity(p, value) && !(is_box && is_given_as_key(p, at) && column &&
                                         column->role == ROLE_DISCRETE)) {
        if (axes->numbers == NUMBERS_MAX)
            return false;
        axes->number[axes->numbers++] = value;
    } else {
        axes->key = value_wanted(p, at, false);
        axes->keys++;
    }
    token_use(p, at, at);
    return true;
}

/* "by month": of the table's time. */
static bool
take_part(struct parser *p, int at, struct axes *axes)
{
    const enum query_part part = token_part(p, at);
    const int date = part ? parser_roots_time(p) : -1;

    if (date < 0)
        return false;
    axes->key = value_of_part(p, value_of_column(p, date), part);
    axes->keys++;
    token_use(p, at, at);
    return true;
}

static bool
find_axes(struct parser *p, struct axes *axes)
{
    for (int i = 0; i < p->count; i++) {
        if (!token_is_free(p, i))
            continue;
        if (i > 0 && token_kind(p, i - 1, TOKEN_VALUE) &&
            parse_units_is_own(p, i, p->token[i - 1].value)) {
            token_use(p, i, i); /* "effort hours" */
        } else if (token_kind(p, i, TOKEN_VALUE)) {
            if (!take_value(p, i, axes))
                return false;
        } else if (token_part(p, i) != PART_NONE) {
            if (!take_part(p, i, axes))
                return false;
        } else if (joins(p, i) || token_kind(p, i, TOKEN_ROWS)) {
            token_use(p, i, i);
        }
    }
    return true;
}

/* "by place and place": one group alone of a yes or no is no grouping. */
static bool
is_chosen(const struct parser *p, const struct value *key)
{
    for (unsigned i = 0; value_is_flag(p, key) && i < p->query->tests; i++)
        if (query_value_is_same(p->query->test[i].of, key))
            return true;
    return false;
}

/* Whether those are the axes of such a chart. */
static bool
fit(const struct parser *p, const struct axes *axes)
{
    if (p->draws_rows == MARK_SCATTER)
        return axes->numbers == 2 && axes->keys == 0;
    return axes->numbers == 1 && axes->keys <= (p->draws_rows == MARK_BOX) &&
           !(axes->key && is_chosen(p, axes->key));
}

/* "boxplot of glucose by gender": of what was measured, in the rows of glucose. */
static void
take_measure(struct parser *p, struct axes *axes)
{
    const int column = p->query->tests ? parser_roots_measure(p) : -1;

    if (column < 0)
        return;
    axes->number[axes->numbers++] = value_of_column(p, column);
    parser_note(p, "assume.measure", p->frame->column[column].name, NULL);
}

void
parse_points(struct parser *p)
{
    struct axes axes = {0};

    const bool are_known = find_axes(p, &axes);
    if (axes.numbers == 0)
        take_measure(p, &axes);
    if (!are_known || !fit(p, &axes)) {
        parser_refuse(p, "refuse.chart", "");
        return;
    }
    const bool is_scatter = p->draws_rows == MARK_SCATTER;
    struct amount *amount = parser_add_amount(
        p, is_scatter ? REDUCE_CORRELATION : REDUCE_NONE, axes.number[0]);
    if (is_scatter)
        amount->with = axes.number[1];
    if (axes.key)
        parser_add_key(p, axes.key);
    p->query->shape = SHAPE_CHART;
    p->query->mark = p->draws_rows;
    p->has_subject = true;
}
