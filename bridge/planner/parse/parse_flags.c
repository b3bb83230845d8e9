/* filter: missing cells, yes and no. */
#include "bridge/planner/parse/parse_conditions.h"

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
    size_t len = strlen(word->text);

    return (len > 4 && strcmp(word->text + len - 2, "ed") == 0) ||
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
        !(token_kind(p, at - 1, TOKEN_ROWS) || token_is(p, at - 1, TERM_IS)))
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
    parser_add_test(p, p->token[at].value, OP_NOT_NULL);
    token_use(p, at, at);
    parse_conditions_use_lead(p, at - 1);
    return true;
}

/* "no rating", "without a rating", "missing age", "age is missing", "with a known age"
 */
bool
parse_flags_null(struct parser *p, int at)
{
    const struct column *column = token_column(p, at);

    if (!column || !token_is_free(p, at) || value_is_flag(p, p->token[at].value))
        return false;
    if (column->kind == COLUMN_DATE && token_kind(p, at + 1, TOKEN_ROWS) &&
        is_participle(p, at) && !token_is(p, at - 1, TERM_BY)) {
        parser_add_test(p, p->token[at].value,
                        token_is(p, at - 1, TERM_NOT) ? OP_NULL : OP_NOT_NULL);
        token_use(p, token_is(p, at - 1, TERM_NOT) ? at - 1 : at, at);
        return true;
    }
    if (column->nulls != 0 && is_participle(p, at) && is_unfinished(p, at))
        return true;
    if (take_happened(p, at))
        return true;
    int after = at + 1;
    bool is_not = false;
    while (token_is(p, after, TERM_IS) || token_is(p, after, TERM_NOT) ||
           (after == at + 1 && token_kind(p, after, TOKEN_ROWS)))
        is_not |= token_is(p, after++, TERM_NOT);
    if ((token_is(p, after, TERM_MISSING) || token_is(p, after, TERM_EMPTY)) &&
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
    if (column->kind == COLUMN_TEXT && !none && column->nulls == 0)
        return false;
    if (!is_lacking(p, before) ||
        (p->has_explicit_chart && token_is(p, before, TERM_MISSING)))
        return false;
    bool is_known = token_is(p, before - 1, TERM_NOT) && !token_is(p, before, TERM_NOT);
    /* "no tip", where every row has a number: nought */
    bool is_nought = !none && value_is_quantity(p, p->token[at].value) &&
                     column->nulls == 0 && column->has_range && column->low <= 0;
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

static bool
is_grouping(const struct parser *p, int at)
{
    return token_is(p, at, TERM_BY) || token_is(p, at, TERM_PER) ||
           token_is(p, at, TERM_EACH) || token_is(p, at, TERM_OVER) ||
           token_is(p, at, TERM_SERIES) || token_is(p, at, TERM_GROUP_BY) ||
           token_is(p, at, TERM_MEAN) || token_is(p, at, TERM_SUM) ||
           token_is(p, at, TERM_VERSUS) || token_is(p, at, TERM_CORRELATION) ||
           token_is(p, at, TERM_DISTRIBUTION) || token_is(p, at, TERM_WHICH) ||
           token_is(p, at, TERM_TOP);
}

static void
add_flag(struct parser *p, int at, const struct test *found)
{
    bool is_not = token_is(p, at - 1, TERM_NOT) || token_is(p, at - 1, TERM_EXCEPT) ||
                  (parse_conditions_is_link(p, at - 1) &&
                   (token_is(p, at - 2, TERM_NOT) || token_is(p, at - 2, TERM_EXCEPT)));
    bool is_or = parse_conditions_follows_or(p, at);
    for (int i = at - 1; is_or && i >= 0; i--)
        if (token_is(p, i, TERM_OR)) {
            token_use(p, i, i);
            break;
        }

    /* "gifts vs non gifts": two groups. */
    bool is_and_rest =
        p->wants_compare && token_is(p, at + 1, TERM_AND) &&
        (token_is(p, at + 2, TERM_REST) || token_is(p, at + 2, TERM_NOT));
    if (token_is(p, at + 1, TERM_VERSUS) || token_is(p, at - 1, TERM_VERSUS) ||
        is_and_rest) {
        struct test *test = arena_alloc(p->arena, 1, sizeof(*test));
        *test = *found;
        parser_add_key(p, found->operands
                              ? value_make(p, (struct value){.kind = VALUE_TEST,
                                                             .test = test,
                                                             .tests = 1})
                              : found->of);
        p->query->is_compared = true;
        int end = at + 1 + is_and_rest;
        while (token_is(p, end, TERM_VERSUS) || token_is(p, end, TERM_NOT) ||
               token_is(p, end, TERM_REST) ||
               (token_kind(p, end, TOKEN_VALUE) && end > at + 1 &&
                query_value_is_same(p->token[end].value, found->of)) ||
               (token_kind(p, end, TOKEN_UNKNOWN) &&
                (token_is(p, end - 1, TERM_NOT) || token_is(p, end - 1, TERM_VERSUS))))
            end++;
        if (token_kind(p, end - 1, TOKEN_UNKNOWN) && token_is(p, end - 2, TERM_VERSUS))
            parser_note(p, "assume.opposite", token_text(p, end - 1),
                        query_test_name(p->arena, p->frame, found));
        token_use(p, at, end - 1);
        return;
    }
    struct test *test = parser_add_test(p, found->of, found->op);
    *test = *found;
    test->is_not = is_not != found->is_not;
    test->is_or = is_or;
    if (is_not)
        token_use(p, parse_conditions_is_link(p, at - 1) ? at - 2 : at - 1, at);
    token_use(p, at, at);
    parse_conditions_use_lead(p, is_not ? at - 2 : at - 1);
}

/* The yes or no that a word may mean: `has_solar` of "solar". */
static const struct value *
flag_meant(struct parser *p, int at)
{
    if (!token_kind(p, at, TOKEN_VALUE) || p->token[at].value->kind != VALUE_COLUMN)
        return NULL;
    for (unsigned i = 0; i < p->token[at].item->links; i++) {
        const struct value *value =
            value_of_column(p, p->token[at].item->link[i].column);

        if (value_is_flag(p, value))
            return value;
    }
    return NULL;
}

/* "sites with and without solar": two groups. */
bool
parse_flags_with_without(struct parser *p, int at)
{
    const struct value *flag;

    if (!token_is(p, at, TERM_WITH) || !token_is_free(p, at) ||
        !(token_is(p, at + 1, TERM_AND) || token_is(p, at + 1, TERM_VERSUS)) ||
        !(token_is(p, at + 2, TERM_EXCEPT) || token_is(p, at + 2, TERM_NOT)) ||
        !(flag = flag_meant(p, at + 3)))
        return false;
    parser_add_key(p, flag);
    p->query->is_compared = true;
    parser_note(p, "assume.column", token_text(p, at + 3), value_column(p, flag)->name);
    p->token[at + 3].value = flag;
    token_use(p, at, at + 3);
    return true;
}

/* "ratio of passed to failed": numbers of each, and no condition. */
static bool
is_of_ratio(const struct parser *p)
{
    for (int i = 0; i < p->count; i++)
        if (token_is(p, i, TERM_RATIO))
            return true;
    return false;
}

/* "cancelled flights", "who survived", "not returned": no column of numbers is asked.
 */
bool
parse_flags_take(struct parser *p, int at)
{
    struct test found = {.op = OP_EQ};

    if (!token_is_free(p, at) || token_is(p, at + 1, TERM_RATE))
        return false;
    if (token_kind(p, at, TOKEN_VALUE) && value_is_flag(p, p->token[at].value)) {
        if (is_grouping(p, at - 1) ||
            (token_is(p, at - 1, TERM_AND) && p->token[at - 1].is_used))
            return false;
        found.of = p->token[at].value;
    } else if (token_kind(p, at, TOKEN_UNKNOWN) ||
               (token_kind(p, at, TOKEN_ROWS) && !p->token[at].is_noun &&
                (token_is(p, at - 1, TERM_WITH) || token_is(p, at - 1, TERM_WHOSE) ||
                 token_is(p, at - 1, TERM_EXCEPT) || token_is(p, at - 1, TERM_NOT)))) {
        if (is_grouping(p, at - 1) || is_of_ratio(p) ||
            !parser_roots_find(p, p->token[at].text, &found))
            return false;
        if (found.operands)
            parser_note(p, "assume.root", token_text(p, at), found.operand[0].text);
    } else {
        return false;
    }
    p->counts_flag |= p->token[at].is_plural;
    add_flag(p, at, &found);
    return true;
}
