/* aggregate: one number by another: "revenue per employee", "rate per adult". */
#include "bridge/planner/durations/parse_units.h"
#include "bridge/planner/groups/parse_groups.h"

/* Of what each row has: the parts of medians, and of "EUR/night", do not add up. */
static bool
is_ratio_of_rows(const struct parser *p, const struct amount *last)
{
    const struct column *column = last->of ? value_column(p, last->of) : NULL;

    return last->of && ((column && last->reduce == REDUCE_MEAN &&
                         column_is_per_unit(column, p->lexicon)) ||
                        (!last->is_implied && (last->reduce == REDUCE_MEDIAN ||
                                               last->reduce == REDUCE_QUANTILE ||
                                               last->reduce == REDUCE_STD)));
}

/* "rate per hour" of `rate_eur` beside `hrs`: a rate is divided already. */
static bool
is_rate(const struct parser *p, const struct value *of)
{
    const struct column *column = of ? value_column(p, of) : NULL;

    for (size_t i = 0; column && i < column->words.count; i++)
        if (strcmp(column->words.at[i].text, "rate") == 0)
            return true;
    return false;
}

void
parse_amounts_ratio(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;
    struct amount *last = &p->query->amount[p->query->amounts - 1];
    struct amount *per = arena_alloc(p->arena, 1, sizeof(*per));
    const struct value *value = p->token[at].value;

    if (is_rate(p, last->of) && parse_units_seconds(p, at) > 0) {
        token_use(p, at, at);
        return;
    }
    if (is_ratio_of_rows(p, last) && value_is_quantity(p, value) &&
        scan->per_count <= 0) { /* "median price per square foot" */
        last->of = value_make(p, (struct value){.kind = VALUE_ARITHMETIC,
                                                .op = '/',
                                                .left = last->of,
                                                .right = value});
        token_use(p, at, at);
        return;
    }
    *per = (struct amount){.reduce = value_is_quantity(p, value) ? REDUCE_SUM
                                                                 : REDUCE_DISTINCT,
                           .of = value};
    last->reduce = last->of ? REDUCE_SUM : REDUCE_COUNT;
    last->per = per;
    last->per_count = scan->per_count;
    scan->per_count = 0;
    last->is_implied = false;
    token_use(p, at, at);
    parser_note(p, "assume.ratio",
                last->of ? query_value_name(p->arena, p->frame, last->of) : "rows",
                query_value_name(p->arena, p->frame, value));
}

/* "revenue per km", "price per kilogram" of a column of grams. */
bool
parse_ratios_of_unit(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;
    const bool is_open =
        scan->is_key && scan->key_term == TERM_PER && p->query->amounts &&
        (token_is(p, at, TERM_UNIT) || token_kind(p, at, TOKEN_UNKNOWN)) &&
        parse_units_is_known(p, at);
    const int column = is_open ? parse_units_column(p, at) : -1;
    const struct column *of =
        is_open ? value_column(p, p->query->amount[p->query->amounts - 1].of) : NULL;

    /* "price per tonne" of `price_eur/t`, of `price_per_t`: its own name */
    if (of && column_is_per_unit(of, p->lexicon) && parse_units_names_last(p, at, of)) {
        token_use(p, at, at);
        scan->is_key = false;
        scan->opened = 0;
        return true;
    }
    for (size_t i = 0; of && column >= 0 && i < of->words.count; i++)
        if (lexicon_exact(p->lexicon, &of->words, i, 1) == TERM_PER) {
            token_use(p, at, at);
            return true;
        }
    if (column < 0 || !p->query->amount[p->query->amounts - 1].of)
        return false;
    p->token[at].kind = TOKEN_VALUE;
    p->token[at].score = 1;
    p->token[at].value = parse_units_scaled(p, at, value_of_column(p, column));
    parse_amounts_ratio(scan, at);
    scan->is_key = false;
    return true;
}

/* "cost per 1000 impressions" */
bool
parse_ratios_count(struct parse_scan *scan, int at)
{
    const struct parser *p = scan->p;

    const int of = at + 1 + token_is(p, at + 1, TERM_OF);

    if (!scan->is_key || scan->key_term != TERM_PER || !p->query->amounts ||
        !token_kind(p, at, TOKEN_NUMBER) || p->token[at].number < 2 ||
        !token_kind(p, of, TOKEN_VALUE) || !value_is_quantity(p, p->token[of].value))
        return false;
    scan->per_count = p->token[at].number;
    token_use(scan->p, at, of - 1);
    return true;
}
