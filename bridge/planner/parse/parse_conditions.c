/* filter: comparisons, sets, parts of text, missing cells, yes and no. */
#include "bridge/planner/parse/parser.h"

static bool
is_comparison(const struct parser *p, int at, enum plan_operator *op)
{
    static const struct {
        enum term term;
        enum plan_operator op;
    } terms[] = {
        {TERM_GREATER,       OP_GT},
        {TERM_GREATER_EQUAL, OP_GE},
        {TERM_LESS,          OP_LT},
        {TERM_LESS_EQUAL,    OP_LE},
        {TERM_EQUAL,         OP_EQ},
        {TERM_UNEQUAL,       OP_NE},
        {TERM_SINCE,         OP_GE},
        {TERM_AFTER,         OP_GT},
        {TERM_BEFORE,        OP_LT},
        {TERM_UNTIL,         OP_LE},
        {TERM_OVER,          OP_GT},
    };

    for (size_t i = 0; i < COUNT_OF(terms); i++)
        if (token_is(p, at, terms[i].term)) {
            *op = terms[i].op;
            return true;
        }
    return false;
}

/* Words between a column and what it is compared with. */
static bool
is_link(const struct parser *p, int at)
{
    return token_is(p, at, TERM_IS) || token_is(p, at, TERM_WHOSE) ||
           token_is(p, at, TERM_OF) || token_is(p, at, TERM_WITH) ||
           token_is(p, at, TERM_IN) || token_is(p, at, TERM_FOR) ||
           token_is(p, at, TERM_FROM) || token_is(p, at, TERM_ONLY);
}

static void
use_lead(struct parser *p, int at)
{
    while (is_link(p, at) || token_is(p, at, TERM_AND) ||
           (token_is(p, at, TERM_BETWEEN) && p->wants_compare)) {
        if (token_is(p, at, TERM_AND))
            break;
        token_use(p, at, at);
        at--;
    }
}

static bool
follows_or(const struct parser *p, int at)
{
    while (is_link(p, at - 1) || token_is(p, at - 1, TERM_NOT))
        at--;
    return token_is(p, at - 1, TERM_OR) && p->query->tests > 0;
}

static enum plan_operator
opposite(enum plan_operator op)
{
    static const enum plan_operator of[] = {
        [OP_EQ] = OP_NE, [OP_NE] = OP_EQ, [OP_GT] = OP_LE,
        [OP_GE] = OP_LT, [OP_LT] = OP_GE, [OP_LE] = OP_GT,
    };

    return op <= OP_LE ? of[op] : op;
}

/* --- comparisons --- */

/* The column that a comparison is of: the one before it, or the one after its number.
 */
static int
compared_column(const struct parser *p, int at, int end)
{
    int i = at - 1;

    while (i >= 0 && (is_link(p, i) || token_is(p, i, TERM_NOT)))
        i--;
    if (token_kind(p, i, TOKEN_VALUE) && !p->token[i].is_used)
        return i;
    int after = token_is(p, end + 1, TERM_OF) || token_is(p, end + 1, TERM_IN)
                    ? end + 2
                    : end + 1;
    if (token_kind(p, after, TOKEN_VALUE) && !p->token[after].is_used)
        return after;
    return -1;
}

static bool
is_measure_of_groups(const struct parser *p, int column)
{
    return token_is(p, column - 1, TERM_MEAN) || token_is(p, column - 1, TERM_SUM) ||
           token_is(p, column - 1, TERM_MEDIAN) || token_is(p, column - 1, TERM_COUNT);
}

static bool
can_compare(const struct parser *p, int column, int operand)
{
    const struct value *value = p->token[column].value;

    if (token_kind(p, operand, TOKEN_NUMBER))
        return value_is_quantity(p, value) || value_is_flag(p, value) ||
               (value_column(p, value) && column_is_number(value_column(p, value)));
    if (token_kind(p, operand, TOKEN_DATE))
        return value_is_date(p, value);
    return token_kind(p, operand, TOKEN_VALUE) && value_is_quantity(p, value) &&
           value_is_quantity(p, p->token[operand].value);
}

static void
set_operand(struct parser *p, struct test *test, int at)
{
    if (token_kind(p, at, TOKEN_NUMBER))
        test_operand(
            test, (struct operand){.is_number = true, .number = p->token[at].number});
    else if (token_kind(p, at, TOKEN_DATE))
        test_operand(test, (struct operand){.text = token_text(p, at)});
    else
        test->than = p->token[at].value;
}

/* Units after a number: "10 days", "5 kg" in the column's own unit. */
static int
unit_after(const struct parser *p, int at)
{
    return token_is(p, at + 1, TERM_DAY) || token_is(p, at + 1, TERM_HOUR) ||
                   token_is(p, at + 1, TERM_YEAR) || token_is(p, at + 1, TERM_UNIT) ||
                   token_is(p, at + 1, TERM_WEEK)
               ? at + 1
               : at;
}

static bool
take_comparison(struct parser *p, int at)
{
    enum plan_operator op;

    if (!is_comparison(p, at, &op) || !token_is_free(p, at))
        return false;
    int operand = at + 1, column = compared_column(p, at, unit_after(p, operand));
    if (column < 0 || column == operand || is_measure_of_groups(p, column) ||
        !can_compare(p, column, operand))
        return false;
    int end = unit_after(p, operand);
    bool is_or = follows_or(p, column < at ? column : at);
    struct test *test = test_add(p, p->token[column].value, op);
    if (token_is(p, at - 1, TERM_NOT))
        test->op = opposite(op);
    test->is_or = is_or;
    set_operand(p, test, operand);
    token_use(p, column < at ? column : at, column > end ? column : end);
    use_lead(p, (column < at ? column : at) - 1);
    return true;
}

static bool
take_between(struct parser *p, int at)
{
    int end = at + 3;

    if (!token_is(p, at, TERM_BETWEEN) || !token_is_free(p, at) ||
        !(token_is(p, at + 2, TERM_AND) || token_is(p, at + 2, TERM_TO)) ||
        p->token[at + 1].kind != p->token[at + 3].kind ||
        !(token_kind(p, at + 1, TOKEN_NUMBER) || token_kind(p, at + 1, TOKEN_DATE)))
        return false;
    int column = compared_column(p, at, unit_after(p, end));
    if (column < 0 || !can_compare(p, column, at + 1))
        return false;
    struct test *test = test_add(p, p->token[column].value, OP_BETWEEN);
    set_operand(p, test, at + 1);
    set_operand(p, test, at + 3);
    end = unit_after(p, end);
    token_use(p, column < at ? column : at, column > end ? column : end);
    use_lead(p, (column < at ? column : at) - 1);
    return true;
}

/* "10 or more", "18 and over" after the number, "rating of 5", "age 18", "class 1" */
static bool
take_number(struct parser *p, int at)
{
    enum plan_operator op = OP_EQ;

    if (!token_kind(p, at, TOKEN_NUMBER) || !token_is_free(p, at))
        return false;
    bool is_behind =
        token_is(p, at + 1, TERM_GREATER_EQUAL) || token_is(p, at + 1, TERM_LESS_EQUAL);
    if (is_behind)
        op = token_is(p, at + 1, TERM_GREATER_EQUAL) ? OP_GE : OP_LE;
    int i = at - 1;
    while (i >= 0 && is_link(p, i))
        i--;
    if (!token_kind(p, i, TOKEN_VALUE) || p->token[i].is_used ||
        !can_compare(p, i, at) || p->token[i].value->kind != VALUE_COLUMN)
        return false;
    if (token_is(p, i - 1, TERM_BY) || token_is(p, i - 1, TERM_TOP))
        return false;
    struct test *test = test_add(p, p->token[i].value, op);
    set_operand(p, test, at);
    token_use(p, i, at + is_behind);
    use_lead(p, i - 1);
    return true;
}

/* --- cells --- */

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
        if (!is_link(p, i) && !token_is(p, i, TERM_EQUAL) &&
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

static bool
is_not_at(struct parser *p, int at)
{
    for (int i = at;
         i >= 0 && (is_link(p, i) || token_is(p, i, TERM_NOT) ||
                    token_is(p, i, TERM_EXCEPT) || token_is(p, i, TERM_UNEQUAL));
         i--)
        if (!is_link(p, i)) {
            token_use(p, i, at);
            return true;
        }
    return false;
}

static bool
joins_cells(const struct parser *p, int at)
{
    return token_is(p, at, TERM_AND) || token_is(p, at, TERM_OR) ||
           token_is(p, at, TERM_VERSUS) || token_kind(p, at, TOKEN_COMMA);
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
        while (joins_cells(p, next) || is_link(p, next)) {
            versus |= token_is(p, next, TERM_VERSUS);
            next++;
        }
        if (!is_joined || !token_kind(p, next, TOKEN_CELL) ||
            !find_cell(p, next, column, &text))
            return end;
        test_operand(test, (struct operand){.text = text});
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

static bool
take_cell(struct parser *p, int at)
{
    int beside = -1, column;
    const char *text = "";
    bool is_compared = false;

    if (!token_kind(p, at, TOKEN_CELL) || !token_is_free(p, at))
        return false;
    column = named_beside(p, at, &beside);
    if (column < 0)
        column = named_anywhere(p, at);
    if (column < 0)
        column = cell_column(p, at);
    find_cell(p, at, column, &text);
    int first = beside >= 0 && beside < at ? beside : at;
    bool is_or = follows_or(p, first);
    bool is_not = is_not_at(p, at - 1) || (first < at && is_not_at(p, first - 1));
    struct test *test = test_add(p, value_of_column(p, column), is_not ? OP_NE : OP_EQ);
    test->is_or = is_or;
    test_operand(test, (struct operand){.text = text});
    int end = take_set(p, at, column, test, &is_compared);
    if (test->operands > 1)
        test->op = is_not ? OP_NOT_IN : OP_IN;
    if (beside < 0 && p->frame->value[p->token[at].item->value].next >= 0)
        parser_note(p, "assume.filter", token_text(p, at),
                    p->frame->column[column].name);
    bool splits = !is_not && test->operands > 1 &&
                  (is_compared || p->wants_compare || p->wants_which);
    token_use(p, first, end > beside ? end : beside);
    use_lead(p, first - 1);
    fold_cell(p, test);
    if (splits) {
        key_add(p, test->of);
        p->query->is_compared = test->operands == 2;
    }
    return true;
}

/* --- parts of text --- */

static const char *
quoted_after(struct parser *p, int at, int *end)
{
    const struct words *words = &p->reading->words;

    if (at + 1 >= p->count)
        return NULL;
    const struct item *item = p->token[at + 1].item;
    size_t first = item->begin, last = first + item->len - 1;
    int quote = words->at[first].quote;

    *end = at + 1;
    while (quote && last + 1 < words->count && words->at[last + 1].quote == quote)
        last++;
    while (*end + 1 < p->count && p->token[*end + 1].item->begin <= last)
        ++*end;
    size_t begin = words->at[first].begin, stop = words->at[last].end;
    if (stop > p->reading->question.len || begin > stop)
        return NULL;
    return arena_text(p->arena, p->reading->question.data + begin, stop - begin);
}

static bool
take_text(struct parser *p, int at)
{
    static const struct {
        enum term term;
        enum plan_operator op;
    } terms[] = {
        {TERM_CONTAINS, OP_CONTAINS},
        {TERM_LETTERS,  OP_CONTAINS},
        {TERM_STARTS,   OP_STARTS  },
        {TERM_ENDS,     OP_ENDS    },
    };
    int end;

    for (size_t i = 0; i < COUNT_OF(terms); i++) {
        if (!token_is(p, at, terms[i].term) || !token_is_free(p, at))
            continue;
        int column = at - 1;
        while (column >= 0 && (is_link(p, column) || token_is(p, column, TERM_NOT)))
            column--;
        const char *text = quoted_after(p, at, &end);
        if (!text || !token_column(p, column) ||
            token_column(p, column)->kind != COLUMN_TEXT)
            return false;
        struct test *test = test_add(p, p->token[column].value, terms[i].op);
        test->is_not = token_is(p, at - 1, TERM_NOT);
        test_operand(test, (struct operand){.text = text});
        token_use(p, column, end);
        use_lead(p, column - 1);
        return true;
    }
    return false;
}

/* --- missing, yes and no --- */

static bool
is_lacking(const struct parser *p, int at)
{
    return token_is(p, at, TERM_MISSING) || token_is(p, at, TERM_EMPTY) ||
           token_is(p, at, TERM_NOT) || token_is(p, at, TERM_EXCEPT);
}

/* "shipped orders" are those that have a ship date. */
static bool
is_participle(const char *text)
{
    size_t len = strlen(text);

    return len > 4 && strcmp(text + len - 2, "ed") == 0;
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

/* "no rating", "without a rating", "missing age", "age is missing", "with a known age"
 */
static bool
take_null(struct parser *p, int at)
{
    const struct column *column = token_column(p, at);

    if (!column || !token_is_free(p, at) || value_is_flag(p, p->token[at].value))
        return false;
    if (column->kind == COLUMN_DATE && token_kind(p, at + 1, TOKEN_ROWS) &&
        is_participle(p->token[at].text) && !token_is(p, at - 1, TERM_BY)) {
        test_add(p, p->token[at].value,
                 token_is(p, at - 1, TERM_NOT) ? OP_NULL : OP_NOT_NULL);
        token_use(p, token_is(p, at - 1, TERM_NOT) ? at - 1 : at, at);
        return true;
    }
    int after = at + 1;
    bool is_not = false;
    while (token_is(p, after, TERM_IS) || token_is(p, after, TERM_NOT))
        is_not |= token_is(p, after++, TERM_NOT);
    if ((token_is(p, after, TERM_MISSING) || token_is(p, after, TERM_EMPTY)) &&
        (after > at + 1 || token_is(p, at - 1, TERM_WHOSE) ||
         token_is(p, at - 1, TERM_WITH))) {
        test_add(p, p->token[at].value, is_not ? OP_NOT_NULL : OP_NULL);
        token_use(p, at, after);
        use_lead(p, at - 1);
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
    struct test *test = test_add(p, p->token[at].value,
                                 none       ? OP_EQ
                                 : is_known ? OP_NOT_NULL
                                            : OP_NULL);
    if (none) {
        test_operand(test, (struct operand){.text = none});
        test->is_not = is_known;
    }
    token_use(p, before - is_known, at);
    use_lead(p, before - is_known - 1);
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
                  (is_link(p, at - 1) &&
                   (token_is(p, at - 2, TERM_NOT) || token_is(p, at - 2, TERM_EXCEPT)));
    bool is_or = follows_or(p, at);

    /* "gifts vs non gifts": two groups. */
    if (token_is(p, at + 1, TERM_VERSUS) || token_is(p, at - 1, TERM_VERSUS)) {
        struct test *test = arena_alloc(p->arena, 1, sizeof(*test));
        *test = *found;
        key_add(p, found->operands ? value_make(p, (struct value){.kind = VALUE_TEST,
                                                                  .test = test,
                                                                  .tests = 1})
                                   : found->of);
        p->query->is_compared = true;
        int end = at + 1;
        while (token_is(p, end, TERM_VERSUS) || token_is(p, end, TERM_NOT) ||
               token_is(p, end, TERM_REST) ||
               (token_kind(p, end, TOKEN_VALUE) && end > at + 1 &&
                value_is_same(p->token[end].value, found->of)) ||
               (token_kind(p, end, TOKEN_UNKNOWN) && token_is(p, end - 1, TERM_NOT)))
            end++;
        token_use(p, at, end - 1);
        return;
    }
    struct test *test = test_add(p, found->of, found->op);
    *test = *found;
    test->is_not = is_not;
    test->is_or = is_or;
    if (is_not)
        token_use(p, is_link(p, at - 1) ? at - 2 : at - 1, at);
    token_use(p, at, at);
    use_lead(p, is_not ? at - 2 : at - 1);
}

/* "cancelled flights", "who survived", "not returned": no column of numbers is asked.
 */
static bool
take_flag(struct parser *p, int at)
{
    struct test found = {.op = OP_EQ};

    if (!token_is_free(p, at) || token_is(p, at + 1, TERM_RATE))
        return false;
    if (token_kind(p, at, TOKEN_VALUE) && value_is_flag(p, p->token[at].value)) {
        if (is_grouping(p, at - 1) ||
            (token_is(p, at - 1, TERM_AND) && p->token[at - 1].is_used))
            return false;
        found.of = p->token[at].value;
    } else if (token_kind(p, at, TOKEN_UNKNOWN)) {
        if (is_grouping(p, at - 1) || !parser_root(p, p->token[at].text, &found))
            return false;
        if (found.operands)
            parser_note(p, "assume.root", token_text(p, at), found.operand[0].text);
    } else {
        return false;
    }
    add_flag(p, at, &found);
    return true;
}

void
parse_conditions(struct parser *p)
{
    static bool (*const takers[])(struct parser *, int) = {
        take_text, take_between, take_comparison, take_cell,
        take_null, take_flag,    take_number,
    };

    for (size_t k = 0; k < COUNT_OF(takers); k++)
        for (int i = 0; i < p->count; i++)
            if (token_is_free(p, i)) {
                p->at = i;
                takers[k](p, i);
            }
}
