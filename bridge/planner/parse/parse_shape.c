/* shape: the kind of chart or table, and how it is styled. */
#include "bridge/planner/query/chart_words.h"
#include "bridge/planner/tokens/parser.h"

enum {
    DISTINCT_FEW = 12,
};

static bool
take_mark(struct parser *p, int at)
{
    const struct chart_word *word = chart_word_of(p->token[at].term);

    if (!word || (token_is(p, at, TERM_RELATION) && token_is(p, at + 1, TERM_MORE)))
        return false; /* "more rain leads to lower sales": parse_correlation */
    p->query->mark = word->mark;
    p->query->layout = word->layout ? word->layout : p->query->layout;
    p->query->shape = SHAPE_CHART;
    p->has_explicit_chart = true;
    if (word->is_of_rows && word->term != TERM_RELATION)
        p->draws_rows = word->mark;
    else
        p->is_legacy |= word->is_of_rows;
    return true;
}

static bool
take_style(struct parser *p, int at)
{
    struct query *query = p->query;

    if (token_is(p, at, TERM_TABLE))
        query->is_table_asked = true;
    else if (token_is(p, at, TERM_HORIZONTAL))
        query->style.is_horizontal = true;
    else if (token_is(p, at, TERM_LOG))
        query->style.is_log = true;
    else if (token_is(p, at, TERM_LABELS))
        query->style.has_labels = true;
    else if (token_is(p, at, TERM_DIFFERENCE))
        query->is_difference = p->wants_compare = true;
    else if (token_is(p, at, TERM_COMPARE))
        p->wants_compare = true;
    else if (token_is(p, at, TERM_TIME))
        p->wants_time = true;
    else if (!token_is(p, at, TERM_VERTICAL) && !token_is(p, at, TERM_LINEAR))
        return false;
    return true;
}

/* "breakdown of genders in percent", "split": how many of each, not a chart of rows.
 */
static void
take_breakdown(struct parser *p)
{
    bool has_percent = false;
    int at = -1, named = -1;

    for (int i = 0; i < p->count; i++) {
        has_percent |= token_is(p, i, TERM_PERCENT_UNIT) || token_is(p, i, TERM_SHARE);
        at = token_is(p, i, TERM_DISTRIBUTION) ? i : at;
        if (token_kind(p, i, TOKEN_VALUE) && !value_is_quantity(p, p->token[i].value))
            named = i;
    }
    if (has_percent && at >= 0 && named >= 0)
        token_use(p, at, at);
}

/* "distribution of rates by hotel", "spread of marks per subject": a box for each. */
static void
take_distribution(struct parser *p, int at)
{
    static const enum term keys[] = {TERM_BY, TERM_PER, TERM_EACH, TERM_OVER};
    const int number = value_is_quantity_at(p, at + 1) ? at + 1 : at - 1,
              by = (number > at ? number : at) + 1;
    const struct column *key = token_column(p, by + 1);
    const struct column *column = token_column(p, number);
    const bool is_few = /* cylinders: how many of each, as of any other names */
        column && column->is_integer && column->unique >= 0 &&
        column->unique <= DISTINCT_FEW;
    bool is_by = false;

    for (size_t k = 0; k < COUNT_OF(keys); k++)
        is_by |= token_is(p, by, keys[k]);
    if (!value_is_quantity_at(p, number) || is_few || !is_by || !key ||
        p->has_explicit_chart || key->role == ROLE_TIME ||
        value_is_quantity_at(p, by + 1))
        return;
    p->query->mark = p->draws_rows = MARK_BOX;
    p->query->shape = SHAPE_CHART;
    p->has_explicit_chart = true;
    token_use(p, at, at);
    if (token_is(p, by, TERM_OVER))
        p->token[by].term = TERM_BY; /* "across hotels" */
}

void
parse_shape(struct parser *p)
{
    take_breakdown(p);
    p->wants_which |= p->wants_who;
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
        if (token_is(p, i, TERM_WHICH) && !token_is(p, i + 1, TERM_HIGH) &&
            !token_is(p, i + 1, TERM_LOW) && /* "what's the highest", "what share" */
            !token_is(p, i + 1, TERM_SHARE))
            p->wants_which = true;
    }
    for (int i = 0; i < p->count; i++)
        if (token_is(p, i, TERM_DISTRIBUTION) &&
            lexicon_lists(p->lexicon, "word.dispersions", p->token[i].text))
            take_distribution(p, i);
}

bool
parse_shape_has_time(const struct parser *p)
{
    for (unsigned i = 0; i < p->query->keys; i++)
        if (query_value_is_time(p->frame, p->query->key[i]))
            return true;
    return false;
}

/* "the last visit of each patient": a bar has no length that is a date. */
static bool
gives_dates(const struct parser *p)
{
    for (unsigned i = 0; i < p->query->amounts; i++) {
        const struct amount *amount = &p->query->amount[i];

        if (amount->of && value_is_date(p, amount->of) &&
            (amount->reduce == REDUCE_MIN || amount->reduce == REDUCE_MAX))
            return true;
    }
    return false;
}

static bool
is_plain_chart(const struct parser *p)
{
    const struct query *query = p->query;

    return query->amounts == 1 && !gives_dates(p) && query->keys <= 2 &&
           !query->rank.is_within && !query->is_table_asked &&
           (!query->rank.is_there || query->rank.count != 1) && !query->rank.is_nth;
}

/* "orders per month, highest first": a line goes on as time does. */
static bool
is_reordered(const struct query *query)
{
    return query->rank.is_there ||
           (query->is_sorted && (query->sorts_down || !query->sorts_by_key));
}

static bool
is_crowded_key(const struct column *column)
{
    size_t names = json_array_size(column->values);

    return column->unique > 40 || names > 40 || (column->unique < 0 && !names);
}

void
parse_shape_choose(struct parser *p)
{
    struct query *query = p->query;

    if (query->shape == SHAPE_ROWS && !query->amounts) {
        if (p->has_explicit_chart && !query->rank.by) /* what to draw is open */
            parser_refuse(p, "refuse.x", "");
        return;
    }
    if (!query->keys && query->amounts == 1 &&
        query->amount[0].reduce == REDUCE_CORRELATION) {
        query->shape = SHAPE_CHART;
        query->mark = MARK_SCATTER;
        return;
    }
    if (!query->keys) {
        if (p->has_explicit_chart)
            parser_refuse(p, "refuse.x", "");
        query->shape = SHAPE_NUMBER;
        return;
    }
    const struct value *first = query->key[0];
    const struct column *column = value_column(p, first);
    bool is_crowded = column && !query_value_is_time(p->frame, first) &&
                      is_crowded_key(column) && query->rank.count == 0;
    bool is_nested = query->keys == 2 && query_value_is_time(p->frame, query->key[0]) &&
                     query_value_is_time(p->frame, query->key[1]);
    if (is_nested && p->has_explicit_chart) { /* a time has one axis */
        parser_refuse(p, "refuse.chart", "");
        return;
    }
    if (!p->has_explicit_chart && (!is_plain_chart(p) || is_crowded || is_nested ||
                                   (query->move && query->keys > 1))) {
        query->shape = SHAPE_TABLE;
        return;
    }
    if (p->has_explicit_chart && (query->keys > 2 || query->amounts > 1 ||
                                  gives_dates(p) || (query->move && query->keys > 1))) {
        parser_refuse(p, "refuse.chart", "");
        return;
    }
    query->shape = SHAPE_CHART;
    if (!query->mark)
        query->mark = query->layout == LAYOUT_STACKED && query->keys > 1     ? MARK_BAR
                      : parse_shape_has_time(p) && !is_reordered(query)      ? MARK_LINE
                      : query->share == SHARE_TOTAL && !query->rank.is_there ? MARK_PIE
                                                                             : MARK_BAR;
    if (query->mark == MARK_PIE && query->keys == 1 && query->share == SHARE_TOTAL)
        query->share = SHARE_NONE; /* a pie says it by itself */
    if (query->mark == MARK_PIE && query->keys > 1)
        query->mark = MARK_BAR;
    if (query->mark == MARK_HEATMAP && query->keys < 2)
        parser_refuse(p, "refuse.two", "");
    if (query->keys == 2 && query->mark == MARK_BAR && !query->layout)
        query->layout = query->amount[0].reduce == REDUCE_COUNT ||
                                query->amount[0].reduce == REDUCE_SUM
                            ? LAYOUT_STACKED
                            : LAYOUT_GROUPED;
}
