/* filter: values of cells, one or several. */
#include "bridge/planner/filter/parse_conditions.h"

static int
cell_column(const struct parser *p, int at)
{
    return p->frame->value[p->token[at].item->value].column;
}

/* Of several columns that have the value, the one that is named beside it. */
static bool
find_cell(const struct parser *p, int at, int column, const char **text)
{
    for (int v = p->token[at].item->value; v >= 0; v = p->frame->value[v].next)
        if (p->frame->value[v].column == column) {
            *text = p->frame->value[v].text;
            return true;
        }
    return false;
}

static int
named_beside(const struct parser *p, int at, int *where)
{
    const char *text;

    for (int i = at - 1; i >= 0 && i >= at - 3; i--) {
        if (token_kind(p, i, TOKEN_VALUE) && p->token[i].value->kind == VALUE_COLUMN &&
            find_cell(p, at, p->token[i].value->column, &text)) {
            *where = i;
            return p->token[i].value->column;
        }
        if (i == at - 1 && token_is(p, i, TERM_BY))
            continue; /* "paid by card" */
        if (!parse_conditions_is_link(p, i) && !token_is(p, i, TERM_EQUAL) &&
            !token_is(p, i, TERM_NOT) && !token_is(p, i, TERM_UNEQUAL))
            break;
    }
    if (token_kind(p, at + 1, TOKEN_VALUE) &&
        p->token[at + 1].value->kind == VALUE_COLUMN &&
        find_cell(p, at, p->token[at + 1].value->column, &text)) {
        *where = at + 1;
        return p->token[at + 1].value->column;
    }
    return -1;
}

/* "who agree that they like the job": the column that is named has the value. */
static int
named_anywhere(const struct parser *p, int at)
{
    const char *text;

    if (p->frame->value[p->token[at].item->value].next < 0)
        return -1;
    for (int i = 0; i < p->count; i++)
        if (token_kind(p, i, TOKEN_VALUE) && !p->token[i].is_used &&
            p->token[i].value->kind == VALUE_COLUMN && !token_is(p, i - 1, TERM_BY) &&
            find_cell(p, at, p->token[i].value->column, &text)) {
            p->token[i].is_used = true;
            return p->token[i].value->column;
        }
    for (unsigned i = 0; i < p->query->tests; i++)
        if (p->query->test[i].of->kind == VALUE_COLUMN &&
            find_cell(p, at, p->query->test[i].of->column, &text))
            return p->query->test[i].of->column;
    return -1;
}

/* "out of ORD", "leaving ORD", "departures per month at ORD": says a word which end of
 * a way it is? *from: the token that says so, which the cell takes; rows stay what they
 * are. */
static bool
leads(const struct parser *p, int at, const char *list, int *from)
{
    const size_t begin = p->token[at].item->begin;
    const struct word *words = p->reading->words.at;

    for (size_t back = 1; back <= 2 && back <= begin; back++)
        if (lexicon_lists(p->lexicon, list, words[begin - back].text)) {
            const int joins = at - 1 - parse_conditions_is_link(p, at - 1);

            *from = token_kind(p, joins, TOKEN_UNKNOWN) ? joins : at;
            return true;
        }
    *from = at;
    for (int i = 0; i < at; i++)
        if (token_kind(p, i, TOKEN_ROWS) &&
            lexicon_lists(p->lexicon, list, p->token[i].text))
            return true;
    return false;
}

/* "from Airport to Central" of `start_station` and `end_station`: -1 where the two are
 * no ends of one way. */
static int
column_of_way(const struct parser *p, int at, int *from)
{
    static const struct {
        enum term term;
        const char *list, *verbs;
    } ways[] = {
        {TERM_FROM, "word.origins",      "word.departs"},
        {TERM_TO,   "word.destinations", "word.arrives"},
    };
    const struct value_entry *entry = p->frame->value;
    int found[2] = {-1, -1};

    for (int v = p->token[at].item->value; v >= 0; v = entry[v].next)
        for (size_t k = 0; k < COUNT_OF(ways); k++) {
            const struct words *words = &p->frame->column[entry[v].column].words;

            for (size_t w = 0; w < words->count; w++)
                if (lexicon_lists(p->lexicon, ways[k].list, words->at[w].text))
                    found[k] = entry[v].column;
        }
    for (size_t k = 0; found[0] >= 0 && found[1] >= 0 && k < COUNT_OF(ways); k++) {
        *from = at - 1;
        if (token_is(p, at - 1, ways[k].term) || leads(p, at, ways[k].verbs, from))
            return found[k];
    }
    return -1;
}

static bool
is_not_at(struct parser *p, int at)
{
    for (int i = at;
         i >= 0 && (parse_conditions_is_link(p, i) || token_is(p, i, TERM_NOT) ||
                    token_is(p, i, TERM_EXCEPT) || token_is(p, i, TERM_UNEQUAL));
         i--)
        if (!parse_conditions_is_link(p, i)) {
            token_use(p, i, at);
            return true;
        }
    return false;
}

static bool
joins_cells(const struct parser *p, int at)
{
    return token_is(p, at, TERM_AND) || token_is(p, at, TERM_OR) ||
           token_is(p, at, TERM_VERSUS) || token_kind(p, at, TOKEN_COMMA) ||
           (p->wants_compare && token_is(p, at, TERM_WITH)); /* "compare A with B" */
}

/* "Rome, Oslo and Bern": one set. Returns its last token. */
static int
take_set(struct parser *p, int at, int column, struct test *test, bool *is_compared)
{
    const char *text;
    int end = at, next;

    for (;;) {
        next = end + 1;
        bool is_joined = joins_cells(p, next), versus = token_is(p, next, TERM_VERSUS);
        while (joins_cells(p, next) || parse_conditions_is_link(p, next)) {
            versus |= token_is(p, next, TERM_VERSUS);
            next++;
        }
        if (!is_joined || !token_kind(p, next, TOKEN_CELL) ||
            !find_cell(p, next, column, &text))
            return end;
        parser_add_operand(test, (struct operand){.text = text});
        *is_compared |= versus;
        end = next;
    }
}

/* All spellings of a value: they differ by case. */
static void
fold_cell(struct parser *p, struct test *test)
{
    const struct column *column = value_column(p, test->of);

    if (column && column->is_mixed)
        parser_note(p, "assume.case", column->name, NULL);
}

/* "by priority, from low to urgent": the order of a column's values, as it is anyway.
 */
static bool
take_order(struct parser *p, int at)
{
    const char *text;
    size_t count;

    if (!token_is(p, at - 1, TERM_TO) || !token_is(p, at - 3, TERM_FROM) ||
        !(token_kind(p, at - 2, TOKEN_CELL) || token_is(p, at - 2, TERM_LOW) ||
          token_is(p, at - 2, TERM_HIGH)))
        return false;
    for (int i = 0; i < at - 3; i++)
        if (token_column(p, i) && token_is_free(p, i) &&
            find_cell(p, at, p->token[i].value->column, &text) &&
            lexicon_ordinal(p->lexicon, p->arena, token_column(p, i)->values, &count)) {
            token_use(p, at - 3, at);
            return true;
        }
    return false;
}

/* "short staffed rounds against the rest": the last token of it; -1. */
static int
rest_behind(const struct parser *p, int at)
{
    at += token_kind(p, at, TOKEN_ROWS);
    if (!token_is(p, at, TERM_VERSUS))
        return -1;
    do
        at++;
    while (parse_conditions_is_link(p, at));
    return token_is(p, at, TERM_REST) ? at + token_kind(p, at + 1, TOKEN_ROWS) : -1;
}

/* Rows that have the value, and all others. */
static void
split_by_cell(struct parser *p, int column, const char *text)
{
    struct test test = {.of = value_of_column(p, column), .op = OP_EQ};

    parser_add_operand(&test, (struct operand){.text = text});
    parser_add_key(p, value_of_test(p, &test));
    p->query->is_compared = true;
    fold_cell(p, &test);
}

bool
parse_cells_take(struct parser *p, int at)
{
    int beside = -1, column;
    const char *text = "";
    bool is_compared = false;

    if (!token_kind(p, at, TOKEN_CELL) || !token_is_free(p, at))
        return false;
    if (take_order(p, at))
        return true;
    column = named_beside(p, at, &beside);
    int from = at, way = column < 0 ? column_of_way(p, at, &from) : -1;
    if (way >= 0) {
        column = way;
        if (from < at)
            token_use(p, from, at - 1);
    }
    if (column < 0)
        column = named_anywhere(p, at);
    if (column < 0)
        column = cell_column(p, at);
    find_cell(p, at, column, &text);
    int first = beside >= 0 && beside < at ? beside : at;
    const int rest = rest_behind(p, beside > at ? beside + 1 : at + 1);
    if (rest >= 0) {
        split_by_cell(p, column, text);
        token_use(p, first, rest);
        parse_conditions_use_lead(p, first - 1);
        return true;
    }
    bool is_or = parse_conditions_follows_or(p, first);
    bool is_not = is_not_at(p, at - 1) || (first < at && is_not_at(p, first - 1));
    struct test *test =
        parser_add_test(p, value_of_column(p, column), is_not ? OP_NE : OP_EQ);
    test->is_or = is_or;
    parser_add_operand(test, (struct operand){.text = text});
    int end = take_set(p, at, column, test, &is_compared);
    if (token_column(p, end + 1) == &p->frame->column[column])
        end++; /* "good or outstanding effort" */
    if (test->operands > 1)
        test->op = is_not ? OP_NOT_IN : OP_IN;
    if (beside < 0 && way < 0 && p->frame->value[p->token[at].item->value].next >= 0)
        parser_note(p, "assume.filter", token_text(p, at),
                    p->frame->column[column].name);
    bool is_apart = end + 1 == p->count && token_kind(p, at - 1, TOKEN_COMMA);
    bool is_all = (!p->wants_share || is_apart) &&
                  p->frame->column[column].unique == (json_int_t)test->operands;
    const bool is_each = is_apart && token_is(p, end - 1, TERM_AND);
    bool splits =
        !is_not && test->operands > 1 &&
        (is_compared || is_all || is_each || p->wants_compare || p->wants_which);
    token_use(p, first, end > beside ? end : beside);
    parse_conditions_use_lead(p, first - 1);
    fold_cell(p, test);
    if (splits) {
        parser_add_key(p, test->of);
        p->query->is_compared = test->operands == 2;
    }
    return true;
}
