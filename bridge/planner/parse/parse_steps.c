/* having, along time, rank, shape: what is done with groups, and how it is shown. */
#include "bridge/planner/parse/parser.h"

/* --- shape --- */

struct shape_word {
    enum term term;
    enum plan_mark mark;
    enum plan_layout layout;
};

static bool
take_mark(struct parser *p, int at)
{
    static const struct shape_word words[] = {
        {TERM_BAR,       MARK_BAR,       LAYOUT_NONE   },
        {TERM_STACKED,   MARK_BAR,       LAYOUT_STACKED},
        {TERM_GROUPED,   MARK_BAR,       LAYOUT_GROUPED},
        {TERM_LINE,      MARK_LINE,      LAYOUT_NONE   },
        {TERM_PIE,       MARK_PIE,       LAYOUT_NONE   },
        {TERM_HEATMAP,   MARK_HEATMAP,   LAYOUT_NONE   },
        {TERM_SCATTER,   MARK_SCATTER,   LAYOUT_NONE   },
        {TERM_HISTOGRAM, MARK_HISTOGRAM, LAYOUT_NONE   },
        {TERM_BOX,       MARK_BOX,       LAYOUT_NONE   },
        {TERM_RELATION,  MARK_SCATTER,   LAYOUT_NONE   },
    };

    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (token_is(p, at, words[i].term)) {
            p->query->mark = words[i].mark;
            p->query->layout = words[i].layout ? words[i].layout : p->query->layout;
            p->query->shape = SHAPE_CHART;
            p->has_explicit_chart = true;
            p->is_legacy |= words[i].mark == MARK_SCATTER ||
                            words[i].mark == MARK_HISTOGRAM ||
                            words[i].mark == MARK_BOX;
            return true;
        }
    return false;
}

static bool
take_style(struct parser *p, int at)
{
    struct query *query = p->query;

    if (token_is(p, at, TERM_TABLE))
        query->is_table_asked = true;
    else if (token_is(p, at, TERM_HORIZONTAL))
        query->is_horizontal = true;
    else if (token_is(p, at, TERM_LOG))
        query->is_log = true;
    else if (token_is(p, at, TERM_DIFFERENCE))
        query->is_difference = p->wants_compare = true;
    else if (token_is(p, at, TERM_COMPARE))
        p->wants_compare = true;
    else if (token_is(p, at, TERM_TIME))
        p->wants_time = true;
    else
        return false;
    return true;
}

void
parse_shape(struct parser *p)
{
    for (int i = 0; i < p->count; i++) {
        if (!token_kind(p, i, TOKEN_TERM))
            continue;
        if (take_mark(p, i) || take_style(p, i)) {
            token_use(p, i, i);
            if (token_is(p, i - 1, TERM_AS) || token_is(p, i - 1, TERM_WITH) ||
                token_is(p, i - 1, TERM_IN))
                token_use(p, i - 1, i - 1);
        }
        if (token_is(p, i, TERM_VERSUS))
            p->wants_compare = true;
        if (token_is(p, i, TERM_WHICH))
            p->wants_which = true;
    }
}

/* --- having --- */

/* "admissions" where rows are those, and a column is half called so. */
static bool
is_weak_noun(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_VALUE) && p->token[at].is_plural &&
           p->token[at].score < 0.8f && !value_is_quantity(p, p->token[at].value) &&
           lexicon_flags(p->lexicon,
                         p->reading->words.at[p->token[at].item->begin].stem) &
               FLAG_ROWS;
}

static bool
number_of(const struct parser *p, int at, double *number, int *end)
{
    if (token_is(p, at, TERM_ONCE) || token_is(p, at, TERM_TWICE)) {
        *number = token_is(p, at, TERM_ONCE) ? 1 : 2;
        *end = at;
        return true;
    }
    if (!token_kind(p, at, TOKEN_NUMBER))
        return false;
    *number = p->token[at].number;
    *end = at;
    if (token_is(p, at + 1, TERM_TIMES) || token_kind(p, at + 1, TOKEN_ROWS) ||
        is_weak_noun(p, at + 1)) {
        *end = at + 1;
        return true;
    }
    return false;
}

static bool
comparison_at(const struct parser *p, int at, enum plan_operator *op)
{
    static const struct {
        enum term term;
        enum plan_operator op;
    } terms[] = {
        {TERM_GREATER,       OP_GT},
        {TERM_OVER,          OP_GT},
        {TERM_GREATER_EQUAL, OP_GE},
        {TERM_LESS,          OP_LT},
        {TERM_LESS_EQUAL,    OP_LE},
        {TERM_EQUAL,         OP_EQ},
        {TERM_ONLY,          OP_EQ},
    };

    for (size_t i = 0; i < COUNT_OF(terms); i++)
        if (token_is(p, at, terms[i].term)) {
            *op = terms[i].op;
            return true;
        }
    return false;
}

static void
set_having(struct parser *p, enum query_aggregate reduce, const struct value *of,
           enum plan_operator op, double number)
{
    p->query->having.is_there = true;
    p->query->having.amount = (struct amount){.reduce = reduce, .of = of};
    p->query->having.op = op;
    p->query->having.number = number;
}

/* "with at least 10 orders", "more than once" */
static bool
take_count(struct parser *p, int at)
{
    enum plan_operator op = OP_EQ;
    double number;
    int end;
    bool compares = comparison_at(p, at, &op);

    if (!compares && !token_is(p, at, TERM_ONCE) && !token_is(p, at, TERM_TWICE))
        return false;
    if (!number_of(p, compares ? at + 1 : at, &number, &end))
        return false;
    if (op == OP_GT && token_is(p, at - 1, TERM_NOT))
        op = OP_LE;
    set_having(p, REDUCE_COUNT, NULL, op, number);
    token_use(p, at, end);
    for (int i = at - 1; token_is(p, i, TERM_WITH) || token_is(p, i, TERM_WHOSE) ||
                         token_is(p, i, TERM_IS) || token_is(p, i, TERM_NOT);
         i--)
        token_use(p, i, i);
    return true;
}

/* "with total revenue above 1000", "whose average rating is at least 4" */
static bool
take_reduced(struct parser *p, int at)
{
    enum plan_operator op;
    int column = at - 1;

    if (!comparison_at(p, at, &op) || !token_kind(p, at + 1, TOKEN_NUMBER))
        return false;
    while (token_is(p, column, TERM_IS) || token_is(p, column, TERM_OF))
        column--;
    if (!token_kind(p, column, TOKEN_VALUE) || !token_is_free(p, column))
        return false;
    enum query_aggregate reduce = token_is(p, column - 1, TERM_MEAN)     ? REDUCE_MEAN
                                  : token_is(p, column - 1, TERM_SUM)    ? REDUCE_SUM
                                  : token_is(p, column - 1, TERM_MEDIAN) ? REDUCE_MEDIAN
                                                                         : REDUCE_NONE;
    if (!reduce)
        return false;
    set_having(p, reduce, p->token[column].value, op, p->token[at + 1].number);
    bool has_unit =
        token_is(p, at + 2, TERM_UNIT) ||
        (token_kind(p, at + 2, TOKEN_VALUE) &&
         query_value_is_same(p->token[at + 2].value, p->token[column].value));
    token_use(p, column - 1, at + 1 + has_unit);
    for (int i = column - 2; token_is(p, i, TERM_WITH) || token_is(p, i, TERM_WHOSE);
         i--)
        token_use(p, i, i);
    return true;
}

/* "averaging at least 2 goals": of the number that follows. */
static bool
take_reduced_after(struct parser *p, int at)
{
    enum plan_operator op;
    enum query_aggregate reduce = token_is(p, at - 1, TERM_MEAN)     ? REDUCE_MEAN
                                  : token_is(p, at - 1, TERM_SUM)    ? REDUCE_SUM
                                  : token_is(p, at - 1, TERM_MEDIAN) ? REDUCE_MEDIAN
                                                                     : REDUCE_NONE;

    if (!reduce || !comparison_at(p, at, &op) || !token_kind(p, at + 1, TOKEN_NUMBER) ||
        !token_kind(p, at + 2, TOKEN_VALUE) ||
        !value_is_quantity(p, p->token[at + 2].value))
        return false;
    set_having(p, reduce, p->token[at + 2].value, op, p->token[at + 1].number);
    token_use(p, at - 1, at + 2);
    if (token_is(p, at - 2, TERM_WITH) || token_is(p, at - 2, TERM_WHOSE))
        token_use(p, at - 2, at - 2);
    return true;
}

void
parse_having(struct parser *p)
{
    for (int i = 0; i < p->count && !p->query->having.is_there; i++)
        if (token_is_free(p, i) &&
            (take_count(p, i) || take_reduced(p, i) || take_reduced_after(p, i)))
            return;
}

/* --- along time --- */

static void
set_along(struct parser *p, enum query_along along)
{
    if (p->query->along && p->query->along != along &&
        !(p->query->along == ALONG_PERCENT || along == ALONG_PERCENT))
        parser_refuse(p, "refuse.along", "");
    if (p->query->along != ALONG_PERCENT || along == ALONG_YEAR_BEFORE)
        p->query->along = along;
    p->wants_time = true;
}

/* "3 month rolling average", "rolling 7 day mean", "moving average over 3 months" */
static void
take_rolling(struct parser *p, int at)
{
    int first = at, last = at;

    if (token_is(p, at + 1, TERM_MEAN))
        last = at + 1;
    p->query->window = 0;
    for (int i = at - 4 < 0 ? 0 : at - 4; i < at + 6 && i < p->count; i++) {
        if (!token_kind(p, i, TOKEN_NUMBER) || p->token[i].is_used ||
            p->token[i].number < 2 || p->token[i].number > 366)
            continue;
        p->query->window = (int)p->token[i].number;
        token_use(p, i, i);
        for (int k = i + 1; k <= i + 2; k++)
            if (token_is(p, k, TERM_MONTH) || token_is(p, k, TERM_DAY) ||
                token_is(p, k, TERM_WEEK) || token_is(p, k, TERM_QUARTER) ||
                token_is(p, k, TERM_YEAR)) {
                p->token[k].is_used = false; /* the grain, too */
                p->token[k].kind = TOKEN_TERM;
                p->wants_time = true;
            }
        if (token_is(p, i - 1, TERM_OVER) || token_is(p, i - 1, TERM_OF))
            token_use(p, i - 1, i - 1);
        break;
    }
    token_use(p, first, last);
    if (token_is(p, last + 1, TERM_OF))
        token_use(p, last + 1, last + 1);
    if (!p->query->window) {
        p->query->window = 3;
        parser_note(p, "assume.window", "3", NULL);
    }
    set_along(p, ALONG_ROLLING);
}

static bool
has_percent(const struct parser *p)
{
    for (int i = 0; i < p->count; i++)
        if (token_is(p, i, TERM_SHARE) || token_is(p, i, TERM_PERCENT_UNIT))
            return true;
    return p->has_percent;
}

/* The period that "week over week" names. */
static void
find_part(struct parser *p, int at)
{
    const struct item *item = p->token[at].item;

    for (size_t i = item->begin; i < item->begin + item->len; i++) {
        enum query_part part =
            parser_part(lexicon_exact(p->lexicon, &p->reading->words, i, 1));

        if (part)
            p->along_part = part;
    }
}

static void
use_percent(struct parser *p)
{
    for (int i = 0; i < p->count; i++)
        if (token_is(p, i, TERM_SHARE) || token_is(p, i, TERM_PERCENT_UNIT)) {
            token_use(p, i, i);
            if (token_is(p, i - 1, TERM_IN) || token_is(p, i - 1, TERM_AS))
                token_use(p, i - 1, i - 1);
        }
}

void
parse_along(struct parser *p)
{
    for (int i = 0; i < p->count; i++) {
        if (!token_is_free(p, i))
            continue;
        if (token_is(p, i, TERM_CUMULATIVE)) {
            set_along(p, ALONG_CUMULATIVE);
        } else if (token_is(p, i, TERM_CHANGE)) {
            set_along(p, has_percent(p) ? ALONG_PERCENT : ALONG_CHANGE);
            use_percent(p);
        } else if (token_is(p, i, TERM_GROWTH)) {
            set_along(p, ALONG_PERCENT);
            use_percent(p);
        } else if (token_is(p, i, TERM_YEAR_BEFORE)) {
            p->query->along = ALONG_YEAR_BEFORE;
            p->wants_time = true;
            use_percent(p);
        } else if (token_is(p, i, TERM_ROLLING)) {
            take_rolling(p, i);
            continue;
        } else {
            continue;
        }
        find_part(p, i);
        token_use(p, i, i);
    }
}

/* --- rank --- */

static bool
is_extreme(const struct parser *p, int at)
{
    return token_is(p, at, TERM_HIGH) || token_is(p, at, TERM_LOW) ||
           token_is(p, at, TERM_TOP) || token_is(p, at, TERM_BOTTOM);
}

/* "five doctors with the highest …": the number that the question begins with. */
static int
number_in_front(const struct parser *p)
{
    for (int i = 0; i < 2 && i + 1 < p->count; i++)
        if (token_kind(p, i, TOKEN_NUMBER) && token_is_free(p, i) &&
            (token_kind(p, i + 1, TOKEN_VALUE) || token_kind(p, i + 1, TOKEN_ROWS)) &&
            p->token[i + 1].is_plural)
            return i;
    return -1;
}

/* "the 5 largest", "top 5", "largest 5" */
static void
take_extreme(struct parser *p, int at)
{
    struct query *query = p->query;
    bool is_low = token_is(p, at, TERM_LOW) || token_is(p, at, TERM_BOTTOM);
    int number = token_kind(p, at + 1, TOKEN_NUMBER)   ? at + 1
                 : token_kind(p, at - 1, TOKEN_NUMBER) ? at - 1
                 : token_kind(p, at + 1, TOKEN_VALUE) &&
                         token_kind(p, at + 2, TOKEN_NUMBER) &&
                         token_kind(p, at + 3, TOKEN_ROWS)
                     ? at + 2 /* "the oldest 5 employees" */
                     : number_in_front(p);

    if (number >= 0 && token_is_free(p, number) && p->token[number].number >= 1 &&
        p->token[number].number <= 10000) {
        query->rank.count = (int)p->token[number].number;
        token_use(p, number, number);
    }
    if (query->rank.is_there && token_is(p, at, TERM_TOP) && at + 1 == p->count) {
        query->is_sorted = true; /* "the fewest first": an order */
        query->sorts_down = !query->rank.is_low;
        query->rank.is_there = false;
        token_use(p, at, at);
        return;
    }
    if (query->rank.is_there && p->rank_at >= 0 && (is_low != query->rank.is_low) &&
        !is_extreme(p, at - 1)) {
        parser_refuse(p, "refuse.rank", token_text(p, at));
        return;
    }
    query->rank.is_there = true;
    query->rank.is_low |= is_low;
    if (p->rank_at < 0 || token_is(p, p->rank_at, TERM_TOP))
        p->rank_at = at;
    token_use(p, at, at);
}

/* "when was the last order": a date. */
static bool
take_when(struct parser *p)
{
    int date = token_is(p, 0, TERM_WHEN) ? parser_roots_time(p) : -1;

    for (int i = 1; date >= 0 && i < p->count; i++)
        if (token_is_free(p, i) && is_extreme(p, i)) {
            bool is_first = token_is(p, i, TERM_TOP) || token_is(p, i, TERM_LOW);

            parser_add_amount(p, is_first ? REDUCE_MIN : REDUCE_MAX,
                              value_of_column(p, date));
            token_use(p, 0, 0);
            token_use(p, i, i);
            for (int k = 1; k < p->count; k++)
                if (token_column(p, k) && token_column(p, k)->kind == COLUMN_DATE)
                    token_use(p, k, k);
            return true;
        }
    return false;
}

void
parse_rank(struct parser *p)
{
    if (take_when(p))
        return;
    for (int i = 0; i < p->count; i++)
        if (token_is_free(p, i) && is_extreme(p, i))
            take_extreme(p, i);
    for (int i = 0; i < p->count; i++) {
        if (token_is(p, i, TERM_DESCENDING) || token_is(p, i, TERM_ASCENDING)) {
            p->query->is_sorted = true;
            p->query->sorts_down = token_is(p, i, TERM_DESCENDING);
            token_use(p, i, i);
        } else if (token_is(p, i, TERM_ALPHABETIC)) {
            p->query->is_sorted = p->query->sorts_by_key = true;
            token_use(p, i, i);
        } else if (token_is(p, i, TERM_SORT) && token_is_free(p, i)) {
            p->query->is_sorted = true;
            p->query->sorts_down |= !token_is(p, i + 2, TERM_ASCENDING);
            token_use(p, i, i);
            if (token_is(p, i + 1, TERM_BY))
                token_use(p, i + 1, i + 1);
        }
    }
}
