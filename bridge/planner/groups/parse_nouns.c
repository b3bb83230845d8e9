/* aggregate: nouns for rows: "number of orders", "average order value". */
#include "bridge/planner/groups/parse_groups.h"

/* "average order value" */
static void
take_amount_behind(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;
    const struct item *item = p->token[at].item;

    if (p->token[at].is_plural || !scan->reduce || scan->reduce == REDUCE_COUNT ||
        !parser_roots_is_amount(p, item->begin + item->len))
        return;
    scan->is_worth = true;
    if (token_is(p, at + 1, TERM_AMOUNT))
        token_use(p, at + 1, at + 1);
}

/* "clicks by country", where no column has countries */
static bool
is_key_unknown(const struct parse_scan *scan, int at, int key)
{
    const struct parser *p = scan->p;

    return scan->is_key && key < 0 && !p->token[at].is_noun &&
           !p->token[at].is_plural && p->token[at].item->kind == ITEM_UNKNOWN &&
           !token_kind(p, at + 1, TOKEN_VALUE) && !token_kind(p, at + 2, TOKEN_VALUE) &&
           (scan->key_term == TERM_BY ||
            (scan->key_term == TERM_EACH && p->frame->noun));
}

/* "how much was claimed", "total claimed": what rows are worth, and not how many. */
static bool
is_worth_of_rows(const struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;
    const bool is_done = words_ends_in_ed(token_text(p, at));

    return scan->reduce == REDUCE_SUM &&
           (is_done || token_is(p, scan->reduce_at, TERM_HOW_MUCH)) &&
           parser_roots_amount(p) >= 0;
}

/* "how much did we invoice": not how many invoices. */
static bool
is_lost_worth(const struct parse_scan *scan, int at)
{
    const struct parser *p = scan->p;

    return scan->reduce == REDUCE_SUM && !p->token[at].is_plural &&
           token_is(p, scan->reduce_at, TERM_HOW_MUCH);
}

/* "average invoice value": of a number that each has, and not of how many there are. */
static bool
is_mean_of_one(const struct parse_scan *scan, int at)
{
    return scan->reduce == REDUCE_MEAN && !scan->is_key &&
           !scan->p->token[at].is_plural && scan->reduce_at == at - 1 &&
           token_is(scan->p, at - 1, TERM_MEAN);
}

/* "invoices" of `invoice_lines`, several of which have one number. */
static bool
is_not_head(const struct parser *p, int at)
{
    const struct words *words = &p->frame->words;
    const uint64_t stem = p->reading->words.at[p->token[at].item->begin].stem;
    const struct words *full =
        words->count ? lexicon_expansion(p->lexicon, words->at[0].stem) : NULL;

    return p->token[at].is_plural && words->count >= 2 &&
           words->at[words->count - 1].stem != stem &&
           (words->at[0].stem == stem || (full && full->at[0].stem == stem));
}

/* "tickets sold" of a column `qty`: not the orders that they were sold by. */
static bool
take_goods(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;
    const struct words *words = &p->frame->words;
    const uint64_t stem = p->reading->words.at[p->token[at].item->begin].stem;
    const bool is_head = words->count > 0 && words->at[words->count - 1].stem == stem;
    const int column =
        !is_head && lexicon_lists(p->lexicon, "word.goods", token_text(p, at))
            ? parser_roots_quantity(p)
            : -1;

    if (column < 0 || p->query->amounts || scan->reduce == REDUCE_DISTINCT)
        return false;
    const bool is_sum = !scan->reduce || scan->reduce == REDUCE_COUNT;
    parser_add_amount(p, is_sum ? REDUCE_SUM : scan->reduce,
                      value_of_column(p, column));
    parser_note(p, "assume.measure", p->frame->column[column].name, NULL);
    scan->reduce = REDUCE_NONE;
    return true;
}

/* "receipts" of which each line has the `receipt_no`: they, and no lines. */
static bool
has_lines(const struct parser *p, int at, int key)
{
    const struct column *column = &p->frame->column[key];

    if (!p->token[at].is_plural || !p->token[at].is_noun || column->words.count != 2 ||
        !(column->last_flags & FLAG_KEY))
        return false;
    for (int i = 0; i < p->frame->columns; i++)
        if (i != key &&
            column_is_called(&p->frame->column[i], p->lexicon, "word.lines") &&
            p->frame->column[i].is_integer)
            return true; /* `LineNo`: which of them a row is */
    return false;
}

/* "companies" of a table with a row for each company and year: they are the companies.
 */
static bool
is_thing_of_rows(const struct parser *p, int at, int key)
{
    const struct column *column = key < 0 ? NULL : &p->frame->column[key];

    return column && !column->is_unique && p->token[at].is_plural &&
           (has_lines(p, at, key) ||
            (column->kind == COLUMN_TEXT && column->words.count == 1));
}

/* "how many patients": those of the key, where several rows have one; or the rows. */
static void
count_things(struct parse_scan *scan, int at, int key)
{
    struct parser *p = scan->p;

    if (key >= 0 && !p->frame->column[key].is_unique && scan->reduce != REDUCE_MEAN &&
        (scan->reduce == REDUCE_DISTINCT || !p->token[at].is_noun ||
         is_not_head(p, at) || has_lines(p, at, key) ||
         p->frame->column[key].words.count == 1)) {
        parser_add_amount(p, REDUCE_DISTINCT, value_of_column(p, key));
        parser_note(p, "assume.distinct", p->frame->column[key].name, NULL);
    } else if ((scan->reduce == REDUCE_DISTINCT && key < 0) ||
               (scan->reduce == REDUCE_MEAN && key >= 0 && is_not_head(p, at))) {
        parser_refuse(p, "refuse.word", token_text(p, at));
    } else {
        parser_add_amount(p, REDUCE_COUNT, NULL);
        scan->mean_rows = scan->reduce == REDUCE_MEAN;
        scan->mean_at = at;
        if (!p->token[at].is_noun)
            parser_note(p, "assume.rows", token_text(p, at), NULL);
    }
}

void
parse_nouns_take(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;
    bool counts = scan->reduce == REDUCE_COUNT || scan->reduce == REDUCE_SUM ||
                  scan->reduce == REDUCE_DISTINCT || scan->reduce == REDUCE_MEAN;
    int key = parse_rows_key(p, at);

    if (key < 0 && scan->reduce == REDUCE_DISTINCT && token_flags(p, at) & FLAG_PERSON)
        key = parse_people_party(p); /* "distinct borrowers" of `member_id` */
    const bool is_per_other =        /* "orders per patient", of whom there are none */
        scan->is_key && scan->key_term == TERM_PER && scan->has_rows && key < 0 &&
        !p->query->amounts && !p->token[at].is_noun;
    if (is_per_other || is_key_unknown(scan, at, key)) {
        parser_refuse(p, "refuse.column", token_text(p, at));
        return;
    }
    scan->has_rows = true;
    if (is_thing_of_rows(p, at, key))
        scan->things = key + 1;
    token_use(p, at, at);
    take_amount_behind(scan, at);
    if (parse_amounts_worth(scan, at) || (!scan->is_key && take_goods(scan, at)))
        return;
    if (scan->is_key && p->query->amounts && scan->key_term == TERM_PER) {
        parse_keys_per_rows(scan, at);
        return;
    }
    if (is_worth_of_rows(scan, at)) {
        parse_amounts_of_row(scan);
        return;
    }
    if (is_lost_worth(scan, at)) {
        parser_refuse(p, "refuse.word", token_text(p, scan->reduce_at));
        return;
    }
    if (is_mean_of_one(scan, at)) {
        parse_amounts_of_row(scan);
        if (scan->reduce)
            parser_refuse(p, "refuse.word", token_text(p, scan->reduce_at));
        return;
    }
    if (!counts) {
        if (p->token[at].is_noun && !p->token[at].is_plural && !scan->is_key)
            parse_amounts_of_row(scan); /* "median gift" */
        return;
    }
    count_things(scan, at, key);
    scan->reduce = REDUCE_NONE;
}

/* "which sector has the most companies", "orders by region" */
void
parse_nouns_count(const struct parse_scan *scan)
{
    struct parser *p = scan->p;
    const int key = scan->things - 1;
    bool is_key = key < 0;

    for (unsigned i = 0; i < p->query->keys; i++)
        is_key |=
            key >= 0 && value_column(p, p->query->key[i]) == &p->frame->column[key];
    if (is_key) {
        parser_add_amount(p, REDUCE_COUNT, NULL);
        return;
    }
    parser_add_amount(p, REDUCE_DISTINCT, value_of_column(p, key));
    parser_note(p, "assume.distinct", p->frame->column[key].name, NULL);
}
