/* aggregate: what several rows tell of, counted: "samples per month" of a `sample_no`,
 * "which method has the most customers". */
#include "bridge/planner/groups/parse_groups.h"

/* "customers", but "customer types" */
static bool
names_things(const struct parser *p, int at)
{
    const struct item *item = p->token[at].item;
    const struct word *last = &p->reading->words.at[item->begin + item->len - 1];

    return lexicon_flags(p->lexicon, last->stem) & (FLAG_PERSON | FLAG_ROWS);
}

static bool
is_thing(const struct parser *p, int at)
{
    const struct column *column = token_column(p, at);

    return column && p->token[at].is_plural && !column->is_unique &&
           p->token[at].score >= 0.55f && !value_is_flag(p, p->token[at].value) &&
           (column->kind == COLUMN_TEXT || column->last_flags & FLAG_KEY) &&
           column->role != ROLE_QUANTITY && column->role != ROLE_TIME &&
           (column->last_flags & FLAG_KEY || names_things(p, at));
}

/* "samples per month", "customers by region", but "customers by revenue" */
static bool
has_key_behind(const struct parser *p, int at)
{
    for (int i = at + 1; i + 1 < p->count; i++) {
        const bool is_own = token_part(p, i) && p->token[i].item->len > 1;

        if (is_own) /* "per month", one phrase */
            return true;
        if (token_kind(p, i, TOKEN_VALUE) || token_is(p, i, TERM_WITH))
            return false;
        if (!token_is(p, i, TERM_PER) && !token_is(p, i, TERM_BY) &&
            !token_is(p, i, TERM_EACH))
            continue;
        return token_part(p, i + 1) || (token_kind(p, i + 1, TOKEN_VALUE) &&
                                        !value_is_quantity(p, p->token[i + 1].value));
    }
    return token_part(p, p->count - 1) != PART_NONE; /* "samples monthly" */
}

/* Nothing is asked of anything else: "plot", "show me". */
static bool
is_first_named(const struct parser *p, int at)
{
    for (int i = 0; i < at; i++)
        if (!token_kind(p, i, TOKEN_CELL) && !token_kind(p, i, TOKEN_COMMA) &&
            !token_is(p, i, TERM_SHOW) && !token_is(p, i, TERM_OF) &&
            !token_is(p, i, TERM_LINE) && !token_is(p, i, TERM_BAR) &&
            !token_is(p, i, TERM_BARS))
            return false;
    return true;
}

/* "the most samples", "fewest customers": of some that are told apart. */
static bool
is_most_of(const struct parser *p, int at)
{
    const struct item *item = at > 0 ? p->token[at - 1].item : NULL;

    return item && p->query->rank.is_there && p->query->keys > 0 &&
           p->rank_at == at - 1 && !p->query->rank.count &&
           lexicon_lists(p->lexicon, "word.mosts",
                         p->reading->words.at[item->begin + item->len - 1].text);
}

/* "most accounts approved" of a date that some lack. */
static bool
take_dated(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;
    const struct column *column = token_column(p, at);

    if (!column || column->kind != COLUMN_DATE || !is_most_of(p, at))
        return false;
    if (column->nulls > 0)
        parser_add_test(p, p->token[at].value, OP_NOT_NULL);
    scan->has_rows = true;
    token_use(p, at, at);
    return true;
}

bool
parse_things_take(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;

    if (scan->is_which || scan->is_key || scan->reduce || p->query->amounts ||
        scan->has_rows)
        return false;
    if (take_dated(scan, at))
        return true;
    if (!is_thing(p, at))
        return false;
    if (p->query->rank.is_there ? !is_most_of(p, at)
                                : !is_first_named(p, at) || !has_key_behind(p, at))
        return false;
    scan->has_rows = true;
    scan->things = p->token[at].value->column + 1;
    token_use(p, at, at);
    return true;
}
