/* filter: missing cells, and dates that have not come. */
#include "bridge/planner/filter/parse_conditions.h"

static bool
is_lacking(const struct parser *p, int at)
{
    return token_is(p, at, TERM_MISSING) || token_is(p, at, TERM_EMPTY) ||
           token_is(p, at, TERM_NOT) || token_is(p, at, TERM_EXCEPT);
}

/* "shipped orders" are those that have a ship date. */
static bool
is_participle(const struct parser *p, int at)
{
    const struct word *word = &p->reading->words.at[p->token[at].item->begin];
    struct slice written = reading_text(p->reading, p->token[at].item);

    return (written.len > 4 && strncmp(written.data + written.len - 2, "ed", 2) == 0) ||
           (p->token[at].item->len == 2 && words_ends_in_ed(word->text)) ||
           lexicon_flags(p->lexicon, word->stem) & FLAG_VERBAL;
}

/* A value that says that there is none: "none". */
static const char *
text_of_none(const struct column *column)
{
    size_t at;
    json_t *value;

    json_array_foreach (column->values, at, value)
        if (strcasecmp(json_string_value(value), "none") == 0)
            return json_string_value(value);
    return NULL;
}

/* "have not been discharged", "not yet shipped": there is no such date. */
static bool
is_unfinished(struct parser *p, int at)
{
    int not_at = at - 1;

    while (token_is(p, not_at, TERM_IS))
        not_at--;
    if (!token_is(p, not_at, TERM_NOT) || !token_is_free(p, not_at))
        return false;
    parser_add_test(p, p->token[at].value, OP_NULL);
    token_use(p, not_at, at);
    parse_conditions_use_lead(p, not_at - 1);
    return true;
}

/* "how many have left": those with a date of leaving. */
static bool
take_happened(struct parser *p, int at)
{
    static const enum term calendar[] = {
        TERM_IN,   TERM_BETWEEN, TERM_AFTER, TERM_SINCE, TERM_BEFORE,  TERM_UNTIL,
        TERM_FROM, TERM_BOTTOM,  TERM_TOP,   TERM_TO,    TERM_MISSING, TERM_EMPTY};
    const struct column *column = token_column(p, at);
    bool asks = false;

    if (column->kind != COLUMN_DATE || column->nulls <= 0 || !is_participle(p, at) ||
        !(token_kind(p, at - 1, TOKEN_ROWS) || token_is(p, at - 1, TERM_IS) ||
          (token_is(p, at - 1, TERM_HOW_MANY) &&
           (at + 1 >= p->count || token_kind(p, at + 1, TOKEN_STOP)))))
        return false;
    for (size_t i = 0; i < COUNT_OF(calendar); i++)
        if (token_is(p, at + 1, calendar[i]))
            return false;
    if (token_kind(p, at + 1, TOKEN_NUMBER) || token_kind(p, at + 1, TOKEN_DATE))
        return false;
    for (int i = 0; i < p->count; i++)
        asks |= token_is(p, i, TERM_HOW_MANY) || token_is(p, i, TERM_SHARE) ||
                token_is(p, i, TERM_COUNT);
    if (!asks)
        return false;
    parse_conditions_add(p, at, OP_NOT_NULL);
    return true;
}

/* "shipped orders", "orders not shipped": by whether they have that date. */
static bool
take_dated_rows(struct parser *p, int at)
{
    if (token_column(p, at)->kind != COLUMN_DATE ||
        !token_kind(p, at + 1, TOKEN_ROWS) || !is_participle(p, at) ||
        token_is(p, at - 1, TERM_BY))
        return false;
    const bool is_not = token_is(p, at - 1, TERM_NOT);
    parser_add_test(p, p->token[at].value, is_not ? OP_NULL : OP_NOT_NULL);
    token_use(p, at - is_not, at);
    return true;
}

/* "no tip" of a yes or no: it is no; but "missing tip". */
static bool
may_be_missing(const struct parser *p, int at)
{
    if (token_is(p, at - 1, TERM_EMPTY) && value_is_quantity_at(p, at) &&
        token_column(p, at) && token_column(p, at)->nulls == 0)
        return false; /* "empty seats": on which nobody sits */
    return token_column(p, at) && token_is_free(p, at) &&
           (!value_is_flag(p, p->token[at].value) ||
            token_is(p, at - 1, TERM_MISSING) || token_is(p, at - 1, TERM_EMPTY));
}

/* "lack the age or the weight": the second of them, too. */
static bool
take_missing_too(struct parser *p, int at)
{
    const bool is_or = token_is(p, at - 1, TERM_OR);
    const unsigned last = p->query->tests - 1;

    if (!(is_or || token_is(p, at - 1, TERM_AND)) || !p->query->tests ||
        p->query->test[last].op != OP_NULL || !token_kind(p, at - 2, TOKEN_VALUE) ||
        !query_value_is_same(p->query->test[last].of, p->token[at - 2].value) ||
        token_is(p, at + 1, TERM_IS) || token_is(p, at + 1, TERM_BY))
        return false;
    parser_add_test(p, p->token[at].value, OP_NULL)->is_or = is_or;
    token_use(p, at - 1, at);
    return true;
}

/* "no garden" of `garden_m2`, some of which is 0: none, and not unknown. */
/* "rows without a fee", "no figure for the fee": nothing stands there. */
static bool
speaks_of_cells(const struct parser *p, int at)
{
    const struct item *item = p->token[at].item;
    const size_t next = item->begin + item->len;

    if (next < p->reading->words.count &&
        lexicon_lists(p->lexicon, "word.figures", p->reading->words.at[next].text))
        return true;
    for (int i = 0; i < at; i++)
        if (token_kind(p, i, TOKEN_ROWS) && p->token[i].item->kind == ITEM_TERM &&
            p->token[i].item->term == TERM_ROWS)
            return true;
    return false;
}

static bool
is_none_of_amount(const struct parser *p, int at, int before)
{
    const struct column *column = token_column(p, at);

    if (column->nulls && speaks_of_cells(p, at))
        return false;
    return token_is(p, before, TERM_NOT) && !p->wants_which && column->has_range &&
           column->low == 0 && value_is_quantity(p, p->token[at].value) &&
           (column->flags & FLAG_DAYS || /* "no absence": of none of them */
            !(column->flags & (FLAG_INTENSIVE | FLAG_TIME | FLAG_SECONDS |
                               FLAG_MINUTES | FLAG_HOURS))) &&
           column->kind == COLUMN_NUMBER;
}

/* "no rating", "without a rating", "missing age", "age is missing", "with a known age"
 */
bool
parse_nulls_take(struct parser *p, int at)
{
    const struct column *column = token_column(p, at);

    if (!may_be_missing(p, at))
        return false;
    if (take_dated_rows(p, at) || take_missing_too(p, at))
        return true;
    if (column->nulls != 0 && is_participle(p, at) && is_unfinished(p, at))
        return true;
    if (take_happened(p, at))
        return true;
    int after = at + 1;
    bool is_not = false;
    while (token_is(p, after, TERM_IS) || token_is(p, after, TERM_NOT) ||
           (after == at + 1 && token_kind(p, after, TOKEN_ROWS)))
        is_not |= token_is(p, after++, TERM_NOT);
    /* "how many per probe are missing": not of the probe */
    bool is_key = token_is(p, at - 1, TERM_PER) || token_is(p, at - 1, TERM_EACH);
    if (!is_key &&
        (token_is(p, after, TERM_MISSING) || token_is(p, after, TERM_EMPTY)) &&
        (after > at + 1 || token_is(p, at - 1, TERM_IS) ||
         token_is(p, at - 1, TERM_WHOSE) || token_is(p, at - 1, TERM_WITH))) {
        parser_add_test(p, p->token[at].value, is_not ? OP_NOT_NULL : OP_NULL);
        token_use(p, at, after);
        parse_conditions_use_lead(p, at - 1);
        return true;
    }
    int before = at - 1;
    while (token_is(p, before, TERM_IN) || token_is(p, before, TERM_WITH))
        before--;
    const char *none = text_of_none(column);
    if (column->kind == COLUMN_TEXT && !none && column->nulls == 0 &&
        !column->placeholder)
        return false;
    if (!is_lacking(p, before) ||
        (p->has_explicit_chart && token_is(p, before, TERM_MISSING)))
        return false;
    bool is_known = token_is(p, before - 1, TERM_NOT) && !token_is(p, before, TERM_NOT);
    /* "no tip", where every row has a number: nought */
    bool is_nought =
        !none && ((value_is_quantity(p, p->token[at].value) && column->nulls == 0 &&
                   column->has_range && column->low <= 0) ||
                  is_none_of_amount(p, at, before));
    if (is_nought && column->nulls)
        parser_note(p, "assume.none", column->name, NULL);
    struct test *test = parser_add_test(p, p->token[at].value,
                                        is_nought  ? is_known ? OP_NE : OP_EQ
                                        : none     ? OP_EQ
                                        : is_known ? OP_NOT_NULL
                                                   : OP_NULL);
    if (is_nought)
        parser_add_operand(test, (struct operand){.is_number = true, .number = 0});
    if (none) {
        parser_add_operand(test, (struct operand){.text = none});
        test->is_not = is_known;
    }
    token_use(p, before - is_known, at);
    parse_conditions_use_lead(p, before - is_known - 1);
    return true;
}
