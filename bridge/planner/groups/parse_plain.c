/* group and aggregate: a column where nothing said what it is. */
#include "bridge/planner/calendar/parse_happened.h"
#include "bridge/planner/groups/parse_groups.h"

/* "weight shipped to Italy": what happened to the rows, not a time. */
static bool
is_participle(const struct parser *p, int at)
{
    const unsigned flags = token_flags(p, at);

    return (words_ends_in_ed(p->token[at].text) || flags & FLAG_VERBAL) &&
           (token_kind(p, at - 1, TOKEN_ROWS) || token_kind(p, at - 1, TOKEN_VALUE) ||
            token_kind(p, at - 1, TOKEN_CELL) || token_is(p, at - 1, TERM_IS));
}

/* Whether the cell at `at` is one of that column's. */
static bool
has_cell(const struct parser *p, int at, const struct value *value)
{
    const struct value_entry *entry = p->frame->value;

    for (int v = p->token[at].item->value; v >= 0; v = entry[v].next)
        if (value->kind == VALUE_COLUMN && entry[v].column == value->column)
            return true;
    return false;
}

static bool
is_named_so(const struct column *column, const char *word)
{
    for (size_t i = 0; i < column->words.count; i++)
        if (strcmp(column->words.at[i].text, word) == 0)
            return true;
    return false;
}

/* "open" of `dt_open`, where `dt_closed` tells who is not. */
static bool
has_opposite(struct parser *p, int at)
{
    struct test found;

    return parser_roots_find(p, p->token[at].text, &found) && found.op == OP_NULL;
}

/* "tickets that are still open" of `opened`: which rows, not a time. */
static bool
is_state(struct parser *p, int at)
{
    const struct column *column = token_column(p, at);

    return column && (!is_named_so(column, p->token[at].text) || has_opposite(p, at)) &&
           !is_participle(p, at) &&
           (token_is(p, at - 1, TERM_IS) || token_kind(p, at + 1, TOKEN_ROWS)) &&
           !token_is(p, 0, TERM_WHEN);
}

/* "open" where `opened` and `closed` are dates: without the latter. */
static void
take_state(struct parser *p, int at)
{
    struct test found;

    if (!parser_roots_find(p, p->token[at].text, &found) || found.op != OP_NULL) {
        parser_refuse(p, "refuse.word", token_text(p, at));
        return;
    }
    const struct column *column = value_column(p, found.of);
    parser_add_test(p, found.of, found.op);
    parser_note(p, "assume.opposite", token_text(p, at), column->name);
    token_use(p, at, at);
    if (token_is(p, at - 1, TERM_IS))
        token_use(p, at - 1, at - 1);
}

/* "turnaround (collected to reported)": what it runs between. */
static bool
is_end_of_duration(const struct parser *p, const struct value *value)
{
    for (int i = 0; i < p->count; i++) {
        const struct value *span = p->token[i].value;

        if (token_kind(p, i, TOKEN_VALUE) && span->kind == VALUE_DURATION &&
            (query_value_is_same(span->left, value) ||
             query_value_is_same(span->right, value)))
            return true;
    }
    return false;
}

/* "average age of the patients" of `patient_id`: whose it is, not groups. */
static bool
is_whose(const struct parse_scan *scan, int at)
{
    const struct parser *p = scan->p;
    const struct column *column = token_column(p, at);

    return column && (column->flags & FLAG_KEY) && p->token[at].is_plural &&
           p->token[at].score < 0.95f && !scan->is_which && p->query->amounts &&
           !p->query->rank.is_there && !p->query->having.is_there &&
           (token_is(p, at - 1, TERM_OF) || token_is(p, at - 1, TERM_FOR) ||
            token_is(p, at - 1, TERM_FROM) ||
            (token_kind(p, at - 1, TOKEN_VALUE) && p->token[at - 1].is_used &&
             value_is_flag(p, p->token[at - 1].value)));
}

/* "income of listed companies": rows of those, not groups. */
static bool
is_of_flagged(const struct parse_scan *scan, int at)
{
    const struct parser *p = scan->p;

    return p->token[at].is_plural && token_kind(p, at - 1, TOKEN_VALUE) &&
           p->token[at - 1].is_used && value_is_flag(p, p->token[at - 1].value) &&
           token_is(p, at - 2, TERM_OF) && !scan->is_which && p->query->amounts == 1 &&
           p->query->amount[0].of && !p->query->rank.is_there &&
           !p->query->having.is_there;
}

/* "songs in a minor key" of a mode: a noun for that one value, not groups. */
static bool
is_of_one_cell(const struct parser *p, int at)
{
    const size_t begin = at > 0 ? p->token[at - 1].item->begin : 0;

    return token_kind(p, at - 1, TOKEN_CELL) && begin > 0 &&
           p->token[at].item->begin == begin + p->token[at - 1].item->len &&
           !has_cell(p, at - 1, p->token[at].value) &&
           lexicon_lists(p->lexicon, "word.once", p->reading->words.at[begin - 1].text);
}

/* A column where nothing said what it is: numbers are reduced, names group. */
void
parse_plain_take(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;
    const struct value *value = p->token[at].value;

    if (value_is_quantity(p, value))
        parse_amounts_take(scan, at);
    else if (p->token[at].is_plural && token_kind(p, at - 1, TOKEN_CELL) &&
             (p->token[at].score < 0.95f || !has_cell(p, at - 1, value))) {
        scan->has_rows |= token_is(p, at - 2, TERM_SHOW);
        token_use(p, at, at); /* "corporate customers" are rows */
    } else if (is_of_flagged(scan, at))
        token_use(p, at, at);
    else if (value_is_date(p, value) && token_kind(p, at + 1, TOKEN_TERM) &&
             parser_part(p->token[at + 1].term))
        token_use(p, at, at); /* "order date month" */
    else if (value_is_date(p, value) && is_state(p, at))
        take_state(p, at);
    else if (value_is_date(p, value)) {
        p->wants_time |= !parse_happened_take(p, at) && !is_end_of_duration(p, value);
        token_use(p, at, at);
    } else if (is_whose(scan, at) || is_of_one_cell(p, at)) {
        parser_note(p, "assume.event", token_text(p, at), NULL);
        token_use(p, at, at);
    } else
        parse_keys_take(scan, at);
}
