/* share: of the total that the largest have, "what share of sales comes from the top 10
 * customers". */
#include "bridge/planner/tokens/parser.h"

struct top {
    int begin, end; /* its words */
    int extreme;    /* "top" */
    int count;      /* the number */
    int whose;      /* rows, periods, or the column that groups them */
    bool is_percent;
};

static bool
is_percent_at(const struct parser *p, int at)
{
    return token_is(p, at, TERM_SHARE) || token_is(p, at, TERM_PERCENT_UNIT);
}

/* "the three worst machines": those with the most of what is bad. */
static bool
is_worst(const struct parser *p, int at)
{
    bool is_bad = false;

    for (int i = 0; i < p->count; i++) {
        const struct column *column = token_column(p, i);
        is_bad |= column && column->flags & FLAG_BAD;
    }
    return is_bad && token_is(p, at, TERM_LOW) && token_flags(p, at) & FLAG_JUDGING;
}

static bool
is_best(const struct parser *p, int at)
{
    return token_is(p, at, TERM_TOP) || token_is(p, at, TERM_HIGH) || is_worst(p, at);
}

/* Behind what else the same word says: "wettest" is the highest, and rain. */
static int
behind_same_word(const struct parser *p, int extreme)
{
    const struct word *words = p->reading->words.at;
    const size_t begin = words[p->token[extreme].item->begin].begin;
    int at = extreme + 1;

    while (at < p->count && words[p->token[at].item->begin].begin == begin)
        at++;
    return at;
}

static bool
is_whose(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_ROWS) || token_part(p, at) != PART_NONE ||
           (token_kind(p, at, TOKEN_VALUE) &&
            !value_is_quantity(p, p->token[at].value));
}

/* "top 10 customers", "largest 5 % of orders" */
static bool
top_in_front(const struct parser *p, int at, struct top *top)
{
    const int count = is_best(p, at) ? behind_same_word(p, at) : -1;

    if (!token_kind(p, count, TOKEN_NUMBER))
        return false;
    const bool is_word = is_percent_at(p, count + 1);

    *top = (struct top){.begin = at, .extreme = at, .count = count};
    top->is_percent = is_word || token_has_percent(p, count);
    top->whose = count + 1 + is_word;
    top->whose += token_is(p, top->whose, TERM_OF);
    top->end = top->whose;
    return true;
}

/* "the ten biggest customers", "the 10 % most delayed flights" */
static bool
top_behind(const struct parser *p, int at, struct top *top)
{
    const bool is_word = is_percent_at(p, at + 1);
    const int extreme = at + 1 + is_word;

    if (!token_kind(p, at, TOKEN_NUMBER) || extreme >= p->count)
        return false;
    *top = (struct top){.begin = at, .extreme = extreme, .count = at};
    top->is_percent = is_word || token_has_percent(p, at);
    if (is_best(p, extreme)) {
        top->whose = top->end = behind_same_word(p, extreme);
        return true;
    }
    top->extreme = extreme + 1; /* "three agents", of whom the busiest are meant */
    if (!is_whose(p, extreme) || !is_best(p, top->extreme))
        return false;
    top->whose = extreme;
    top->end = behind_same_word(p, top->extreme) - 1;
    return true;
}

static bool
find_top(const struct parser *p, struct top *top)
{
    for (int i = 0; i + 2 < p->count; i++)
        if (top_in_front(p, i, top) || top_behind(p, i, top))
            return p->token[top->count].number >= 1 && is_whose(p, top->whose);
    return false;
}

/* The number whose total is shared: the one that is named, else what rows amount to. */
static const struct value *
find_measure(struct parser *p, const struct top *top, int *at)
{
    const struct value *found = NULL;

    *at = -1;
    for (int i = 0; i < p->count; i++) {
        if ((i >= top->begin && i <= top->end) || !token_kind(p, i, TOKEN_VALUE) ||
            !token_is_free(p, i) || !value_is_quantity(p, value_wanted(p, i, true)))
            continue;
        if (found)
            return NULL; /* of which? */
        found = value_wanted(p, i, true);
        *at = i;
    }
    if (found)
        return found;
    const int column = parser_roots_amount(p);
    if (column >= 0)
        parser_note(p, "assume.measure", p->frame->column[column].name, NULL);
    return column >= 0 ? value_of_column(p, column) : NULL;
}

/* Whether "wettest" ranks by another number than the one that is shared. */
static bool
is_by_other(struct parser *p, const struct top *top, const struct value *of)
{
    for (int i = top->extreme + 1; i < behind_same_word(p, top->extreme); i++)
        if (token_kind(p, i, TOKEN_VALUE) && i != top->whose &&
            value_is_quantity(p, value_wanted(p, i, true)) &&
            !(of && query_value_is_same(value_wanted(p, i, true), of)))
            return true;
    return false;
}

static const struct value *
group_of(struct parser *p, int whose)
{
    const enum query_part part = token_part(p, whose);
    const int date = part ? parser_roots_time(p) : -1;

    if (date >= 0)
        return value_of_part(p, value_of_column(p, date), part);
    const struct column *column = token_column(p, whose);
    const int key = column                             ? p->token[whose].value->column
                    : token_kind(p, whose, TOKEN_ROWS) ? parse_rows_key(p, whose)
                                                       : -1;

    return key < 0 || p->frame->column[key].is_unique ? NULL : value_of_column(p, key);
}

static void
use_words(struct parser *p, int share, int measure, const struct top *top)
{
    token_use(p, share, share);
    if (measure >= 0) {
        token_use(p, measure, measure);
        if (token_is(p, measure - 1, TERM_SUM))
            token_use(p, measure - 1, measure - 1);
        if (token_is(p, measure + 1, TERM_UNIT))
            token_use(p, measure + 1, measure + 1); /* "delay minutes" */
    }
    token_use(p, top->begin, top->end);
    for (int i = share + 1; i < p->count; i++)
        if (token_is(p, i, TERM_SUM) && token_is(p, i - 1, TERM_OF)) /* "the total" */
            token_use(p, i, i);
    const int join = top->begin - 1;
    if (token_is(p, join, TERM_FROM) || token_is(p, join, TERM_BY) ||
        token_is(p, join, TERM_IN) || token_is(p, join, TERM_FOR) ||
        token_is(p, join, TERM_TO))
        token_use(p, join, join);
    if (token_is(p, top->end + 1, TERM_DISTRIBUTION))
        token_use(p, top->end + 1, top->end + 1); /* "make up" */
}

/* "how much of" */
static bool
asks_for_share(const struct parser *p, int at)
{
    return token_is(p, at, TERM_SHARE) ||
           (token_is(p, at, TERM_HOW_MUCH) && token_is(p, at + 1, TERM_OF));
}

void
parse_share_of_top(struct parser *p)
{
    struct top top;
    int share = -1, measure;

    for (int i = 0; i < p->count && share < 0; i++)
        if (asks_for_share(p, i) && token_is_free(p, i))
            share = i;
    if (share < 0 || !find_top(p, &top) || share == top.whose - 1 ||
        top.count == share - 1 ||
        (share == top.end + 2 && token_is(p, top.end + 1, TERM_BY)))
        return; /* "top 2 clinics by share of referred ones": that is what ranks them */
    const struct value *group = group_of(p, top.whose);
    const bool counts_rows =
        group && token_kind(p, share + 1, TOKEN_ROWS) && share + 1 != top.whose;
    const struct value *of = counts_rows ? NULL : find_measure(p, &top, &measure);
    if ((!of && !counts_rows) || is_by_other(p, &top, of))
        return;
    parser_add_amount(p, of ? REDUCE_SUM : REDUCE_COUNT, of);
    p->query->share = SHARE_TOP;
    p->query->top.of = group;
    p->query->top.count = p->token[top.count].number;
    p->query->top.is_percent = top.is_percent;
    p->query->shape = SHAPE_NUMBER;
    p->has_subject = true;
    use_words(p, share, counts_rows ? share + 1 : measure, &top);
}
