/*
 * Conditions: which rows the question is about.
 */
#include <math.h>

#include "bridge/planner/draft.h"

enum {
    NEAR = 6, /* items between a comparison and its column */
};

static const struct comparison {
    enum term term;
    enum plan_operator op;
} comparisons[] = {
    {TERM_GREATER,       OP_GT     },
    {TERM_GREATER_EQUAL, OP_GE     },
    {TERM_LESS,          OP_LT     },
    {TERM_LESS_EQUAL,    OP_LE     },
    {TERM_EQUAL,         OP_EQ     },
    {TERM_UNEQUAL,       OP_NE     },
    {TERM_BETWEEN,       OP_BETWEEN},
    {TERM_BEFORE,        OP_LT     },
    {TERM_AFTER,         OP_GT     },
    {TERM_SINCE,         OP_GE     },
    {TERM_UNTIL,         OP_LE     },
    {TERM_REACHES,       OP_GE     },
    {TERM_OVER,          OP_GT     },
    {TERM_FROM,          OP_BETWEEN},
};

static bool
is_comparison(const struct item *item, enum plan_operator *op)
{
    if (!item || item->kind != ITEM_TERM || item->is_used)
        return false;
    for (size_t i = 0; i < COUNT_OF(comparisons); i++)
        if (comparisons[i].term == item->term) {
            *op = comparisons[i].op;
            return true;
        }
    return false;
}

static bool
is_operand(const struct item *item)
{
    return item && !item->is_used &&
           (item->kind == ITEM_NUMBER || item->kind == ITEM_DATE);
}

/* The next number or date, with nothing but small words before it. */
static size_t
operand_after(const struct draft *draft, size_t at)
{
    for (size_t i = at; i < at + 4; i++) {
        const struct item *item = draft_item(draft, i);

        if (is_operand(item))
            return i;
        if (!item || item->kind != ITEM_TERM ||
            (item->term != TERM_FILLER && item->term != TERM_OF &&
             item->term != TERM_TO && item->term != TERM_YEAR && item->term != TERM_IS))
            return SIZE_MAX;
    }
    return SIZE_MAX;
}

static struct operand
read_operand(const struct draft *draft, const struct item *item)
{
    struct slice text = reading_text(draft->reading, item);

    if (item->kind == ITEM_NUMBER)
        return (struct operand){.is_number = true, .number = item->number};
    return (struct operand){.text = arena_text(draft->arena, text.data, text.len)};
}

static bool
takes_numbers(const struct column *column)
{
    return column_is_number(column) || column->role == ROLE_TIME;
}

static bool
looks_like_year(const struct operand *operand)
{
    return operand->is_number && operand->number >= 1000 && operand->number <= 2999 &&
           operand->number == floor(operand->number);
}

static bool
can_compare(const struct column *column, const struct operand *operand)
{
    if (operand->is_number && column->kind == COLUMN_DATE)
        return looks_like_year(operand);
    if (operand->is_number)
        return takes_numbers(column) && column->kind != COLUMN_BOOL;
    return column->role == ROLE_TIME || column->kind == COLUMN_DATE ||
           (column->kind == COLUMN_TEXT && column->flags & FLAG_TIME);
}

static int
pick_column(const struct draft *draft, const struct item *item,
            const struct operand *operand)
{
    for (unsigned i = 0; i < item->links; i++) {
        const struct column *column = draft_column(draft, item->link[i].column);

        if (can_compare(column, operand) &&
            (column->role != ROLE_KEY || item->link[i].score >= 0.55f))
            return item->link[i].column;
    }
    return -1;
}

/* "weight between 1974 and 1980" speaks of years unless the weights are such. */
static bool
may_hold(const struct draft *draft, int column, const struct operand *operand,
         bool is_about_time, bool is_adjacent)
{
    const struct column *about = draft_column(draft, column);

    if (about->role == ROLE_TIME || draft_time_column(draft) < 0)
        return true;
    if (is_about_time || (looks_like_year(operand) && !is_adjacent))
        return false;
    return !looks_like_year(operand) || !about->has_range ||
           (operand->number >= about->low && operand->number <= about->high);
}

/* Back to the column that is compared; not over another comparison. */
static int
column_before(struct draft *draft, size_t at, const struct operand *operand)
{
    const struct item *verb = draft_item(draft, at);
    bool is_about_time = verb->kind == ITEM_TERM &&
                         (verb->term == TERM_FROM || verb->term == TERM_SINCE ||
                          verb->term == TERM_UNTIL || verb->term == TERM_BEFORE ||
                          verb->term == TERM_AFTER);

    for (size_t back = 0, i = at; i > 0 && back < NEAR; back++, i--) {
        const struct item *item = draft_item(draft, i - 1);

        if (item->kind == ITEM_STOP || item->kind == ITEM_NUMBER)
            break;
        if (item->kind != ITEM_COLUMN)
            continue;
        int column = pick_column(draft, item, operand);
        if (column < 0 || !may_hold(draft, column, operand, is_about_time, back == 0))
            continue;
        draft_use(draft, i - 1, at);
        return column;
    }
    return -1;
}

/* "less than 1500 hours": a unit that is a column's word. */
static int
column_after(struct draft *draft, size_t at, const struct operand *operand)
{
    for (size_t i = at; i < at + 2; i++) {
        const struct item *item = draft_item(draft, i);

        if (!item || item->kind == ITEM_STOP || item->kind == ITEM_COMMA ||
            (item->kind == ITEM_TERM && item->term != TERM_FILLER))
            break;
        int column = item->kind == ITEM_COLUMN ? pick_column(draft, item, operand) : -1;
        if (column < 0)
            continue;
        draft_use(draft, i, i + 1);
        return column;
    }
    return -1;
}

/* "from 1995 to 2010" names no column: it is about the time. */
static int
column_of_time(struct draft *draft, const struct operand *operand)
{
    int column = draft_time_column(draft);

    if (column < 0 || (operand->is_number && !looks_like_year(operand)))
        return -1;
    return column;
}

/* A column of two-digit years is asked about with four digits. */
static void
fit_year(const struct column *column, struct operand *operand)
{
    if (looks_like_year(operand) && column->has_range && column->high <= 99 &&
        column->low >= 0)
        operand->number = fmod(operand->number, 100);
}

static struct filter *
add_filter(struct draft *draft, int column, enum plan_operator op)
{
    struct plan *plan = &draft->plan;

    if (plan->filters == FILTERS_MAX)
        return NULL;
    struct filter *filter = &plan->filter[plan->filters++];
    *filter = (struct filter){.column = column, .op = op};
    return filter;
}

static void
add_operand(struct filter *filter, struct operand operand)
{
    if (filter && filter->operands < OPERANDS_MAX)
        filter->operand[filter->operands++] = operand;
}

/* "or" between this condition and the one before it. */
static bool
follows_or(const struct draft *draft, size_t at)
{
    for (size_t i = at; i > 0 && i + 12 > at; i--) {
        const struct item *item = draft_item(draft, i - 1);

        if (item->kind == ITEM_TERM && item->term == TERM_OR)
            return true;
        if (item->kind == ITEM_NUMBER || item->kind == ITEM_STOP ||
            (item->kind == ITEM_TERM && item->term == TERM_AND))
            return false;
    }
    return false;
}

static bool
is_negated(const struct draft *draft, size_t at)
{
    for (size_t i = at; i > 0 && i + 4 > at; i--) {
        const struct item *item = draft_item(draft, i - 1);

        if (item->kind == ITEM_TERM &&
            (item->term == TERM_NOT || item->term == TERM_EXCEPT))
            return true;
        if (item->kind == ITEM_COLUMN)
            continue;
        if (item->kind != ITEM_TERM ||
            (item->term != TERM_FILLER && item->term != TERM_IS &&
             item->term != TERM_IN && item->term != TERM_FROM &&
             item->term != TERM_EQUAL))
            return false;
    }
    return false;
}

static void
use_negation(struct draft *draft, size_t at)
{
    for (size_t i = at; i > 0 && i + 4 > at; i--)
        if (draft_is_term(draft, i - 1, TERM_NOT) ||
            draft_is_term(draft, i - 1, TERM_EXCEPT)) {
            draft_use(draft, i - 1, at);
            return;
        }
}

static enum plan_operator
negate(enum plan_operator op)
{
    static const struct {
        enum plan_operator op, opposite;
    } opposites[] = {
        {OP_EQ,       OP_NE          },
        {OP_GT,       OP_LE          },
        {OP_GE,       OP_LT          },
        {OP_LT,       OP_GE          },
        {OP_LE,       OP_GT          },
        {OP_IN,       OP_NOT_IN      },
        {OP_NULL,     OP_NOT_NULL    },
        {OP_CONTAINS, OP_NOT_CONTAINS},
    };

    for (size_t i = 0; i < COUNT_OF(opposites); i++)
        if (opposites[i].op == op)
            return opposites[i].opposite;
    return op;
}

/* --- numbers and dates --- */

static size_t
second_operand(const struct draft *draft, size_t first)
{
    const struct item *item = draft_item(draft, first + 1);

    if (!item || item->kind != ITEM_TERM ||
        (item->term != TERM_AND && item->term != TERM_TO && item->term != TERM_UNTIL &&
         item->term != TERM_FILLER))
        return SIZE_MAX;
    return operand_after(draft, first + 2);
}

static int
find_column(struct draft *draft, size_t at, size_t end, const struct operand *operand)
{
    int column = column_before(draft, at, operand);

    if (column < 0)
        column = column_after(draft, end, operand);
    if (column >= 0)
        return column;
    column = column_of_time(draft, operand);
    if (column >= 0)
        draft_note(draft, "assume.time", draft_column(draft, column)->name, NULL);
    return column;
}

static void
take_comparison(struct draft *draft, size_t at, enum plan_operator op)
{
    size_t first = operand_after(draft, at + 1), second = SIZE_MAX;

    if (first == SIZE_MAX)
        return;
    if (op == OP_BETWEEN) {
        second = second_operand(draft, first);
        if (second == SIZE_MAX && draft_item(draft, at)->term != TERM_FROM)
            return;
        op = second == SIZE_MAX ? OP_GE : op;
    }
    size_t end = (second == SIZE_MAX ? first : second) + 1;
    struct operand low = read_operand(draft, draft_item(draft, first));
    bool is_or = follows_or(draft, at), is_not = is_negated(draft, at);
    int column = find_column(draft, at, end, &low);
    if (column < 0)
        return;
    struct filter *filter = add_filter(draft, column, is_not ? negate(op) : op);
    fit_year(draft_column(draft, column), &low);
    add_operand(filter, low);
    if (second != SIZE_MAX) {
        struct operand high = read_operand(draft, draft_item(draft, second));

        fit_year(draft_column(draft, column), &high);
        add_operand(filter, high);
    }
    if (filter)
        filter->is_or = is_or;
    use_negation(draft, at);
    draft_use(draft, at, end);
}

/* "whose id is 10", "in 1999", "not majoring in 600", "5 cylinder cars". */
static void
take_number(struct draft *draft, size_t at)
{
    struct operand operand = read_operand(draft, draft_item(draft, at));
    const struct item *before = at ? draft_item(draft, at - 1) : NULL;
    bool is_not = is_negated(draft, at), is_or = follows_or(draft, at);
    int column = -1;

    if (before && before->kind == ITEM_TERM &&
        (before->term == TERM_IS || before->term == TERM_IN ||
         before->term == TERM_NOT || before->term == TERM_FOR ||
         before->term == TERM_EQUAL))
        column = column_before(draft, at, &operand);
    else if (before && before->kind == ITEM_COLUMN)
        column = column_before(draft, at, &operand);
    if (column < 0 && draft_item(draft, at + 1) &&
        draft_item(draft, at + 1)->kind == ITEM_COLUMN) {
        int next = pick_column(draft, draft_item(draft, at + 1), &operand);

        if (next >= 0 && draft_column(draft, next)->role == ROLE_DISCRETE) {
            column = next;
            draft_use(draft, at + 1, at + 2);
        }
    }
    if (column < 0 && before && before->kind == ITEM_TERM &&
        (before->term == TERM_IN || before->term == TERM_FOR ||
         before->term == TERM_ONLY || before->term == TERM_FILLER))
        column = column_of_time(draft, &operand);
    if (column < 0)
        return;
    fit_year(draft_column(draft, column), &operand);
    struct filter *filter = add_filter(draft, column, is_not ? OP_NE : OP_EQ);
    add_operand(filter, operand);
    if (filter)
        filter->is_or = is_or;
    use_negation(draft, at);
    draft_use(draft, at, at + 1);
}

/* --- nothing there --- */

static void
take_empty(struct draft *draft, size_t at)
{
    for (size_t back = 0, i = at; i > 0 && back < 4; back++, i--) {
        const struct item *item = draft_item(draft, i - 1);

        if (item->kind != ITEM_COLUMN && item->kind != ITEM_TERM)
            return;
        if (item->kind != ITEM_COLUMN || item->is_used)
            continue;
        struct filter *filter = add_filter(
            draft, item->link[0].column, is_negated(draft, at) ? OP_NOT_NULL : OP_NULL);
        if (filter)
            filter->is_or = follows_or(draft, i - 1);
        draft_use(draft, i - 1, at + 1);
        return;
    }
}

/* --- parts of text --- */

static const struct item *
text_operand(const struct draft *draft, size_t at)
{
    const struct item *item = draft_item(draft, at);

    if (!item || item->is_used)
        return NULL;
    bool is_quoted = draft->reading->words.at[item->begin].quote;
    bool is_letter = reading_text(draft->reading, item).len == 1;
    bool is_word = item->kind == ITEM_UNKNOWN || item->kind == ITEM_VALUE ||
                   (item->kind == ITEM_NUMBER && is_quoted) ||
                   (item->kind == ITEM_TERM && (is_quoted || is_letter));
    return is_word ? item : NULL;
}

static int
text_column(struct draft *draft, size_t from, size_t to)
{
    for (size_t i = to; i < to + 5 && draft_item(draft, i); i++)
        if (draft_item(draft, i)->kind == ITEM_COLUMN &&
            !draft_item(draft, i)->is_used) {
            draft_use(draft, to, i + 1);
            return draft_resolve(draft, draft_item(draft, i), false);
        } else if (draft_item(draft, i)->kind != ITEM_TERM ||
                   draft_item(draft, i)->term == TERM_BY) {
            break;
        }
    for (size_t back = 0, i = from; i > 0 && back < NEAR; back++, i--)
        if (draft_item(draft, i - 1)->kind == ITEM_COLUMN) {
            draft_use(draft, i - 1, from);
            return draft_resolve(draft, draft_item(draft, i - 1), false);
        } else if (draft_item(draft, i - 1)->kind == ITEM_STOP) {
            break;
        }
    return -1;
}

/* A run of words in one pair of quotation marks is one text. */
static struct operand
quoted_operand(const struct draft *draft, const struct item *item, size_t *at)
{
    const struct words *words = &draft->reading->words;
    int quote = words->at[item->begin].quote;
    size_t begin = words->at[item->begin].begin, end;

    do
        end = words->at[draft_item(draft, *at)->begin + draft_item(draft, *at)->len - 1]
                  .end;
    while (++*at < draft->reading->count && quote &&
           words->at[draft_item(draft, *at)->begin].quote == quote);
    return (struct operand){.text = arena_text(draft->arena,
                                               draft->reading->question.data + begin,
                                               end - begin)};
}

static void
take_text(struct draft *draft, size_t at, enum plan_operator op)
{
    struct operand operand[OPERANDS_MAX];
    unsigned operands = 0;
    size_t i = at + 1;
    bool is_not = is_negated(draft, at);

    while (draft_is_term(draft, i, TERM_LETTERS) ||
           draft_is_term(draft, i, TERM_FILLER))
        if (text_operand(draft, i))
            break;
        else
            i++;
    while (operands < OPERANDS_MAX) {
        const struct item *item = text_operand(draft, i);

        if (!item)
            break;
        operand[operands++] = quoted_operand(draft, item, &i);
        if (!draft_is_term(draft, i, TERM_OR) && !draft_is_term(draft, i, TERM_AND))
            break;
        i += text_operand(draft, i + 1) ? 1 : 0;
    }
    int column = operands ? text_column(draft, at, i) : -1;
    if (column < 0)
        return;
    for (unsigned k = 0; k < operands; k++) {
        struct filter *filter = add_filter(draft, column, is_not ? negate(op) : op);

        add_operand(filter, operand[k]);
        if (filter)
            filter->is_or = k > 0 || follows_or(draft, at);
    }
    draft_use(draft, at, i);
}

/* --- values --- */

/* Which column a value is of, when several have it: one that is named beside it. */
static int
value_column(const struct draft *draft, size_t at, const char **text)
{
    const struct frame *frame = draft->frame;
    const struct item *item = draft_item(draft, at);
    int best = frame->value[item->value].column;

    *text = frame->value[item->value].text;
    for (int v = item->value; v >= 0; v = frame->value[v].next)
        for (size_t i = at > 3 ? at - 3 : 0; i < at + 3; i++) {
            const struct item *near = draft_item(draft, i);

            for (unsigned k = 0; near && near->kind == ITEM_COLUMN && k < near->links;
                 k++)
                if (near->link[k].column == frame->value[v].column) {
                    *text = frame->value[v].text;
                    return frame->value[v].column;
                }
        }
    return best;
}

static bool
names_column(const struct item *item, int column)
{
    for (unsigned k = 0; item && item->kind == ITEM_COLUMN && k < item->links; k++)
        if (item->link[k].column == column && item->link[k].score >= 0.5f)
            return true;
    return false;
}

/* "origin is USA", "the banking industry": the column beside its value is said already.
 */
static void
use_naming(struct draft *draft, size_t at, int column)
{
    if (names_column(draft_item(draft, at + 1), column))
        draft_use(draft, at + 1, at + 2);
    for (size_t i = at; i > 0 && i + 3 > at; i--) {
        const struct item *item = draft_item(draft, i - 1);

        if (names_column(item, column)) {
            draft_use(draft, i - 1, at);
            return;
        }
        if (item->kind != ITEM_TERM ||
            (item->term != TERM_IS && item->term != TERM_EQUAL &&
             item->term != TERM_IN && item->term != TERM_NOT &&
             item->term != TERM_FILLER && item->term != TERM_UNEQUAL))
            return;
    }
}

static struct filter *
filter_of(struct draft *draft, int column, bool is_not)
{
    for (unsigned i = 0; i < draft->plan.filters; i++) {
        struct filter *filter = &draft->plan.filter[i];

        if (filter->column == column &&
            (is_not ? filter->op == OP_NE || filter->op == OP_NOT_IN
                    : filter->op == OP_EQ || filter->op == OP_IN))
            return filter;
    }
    return NULL;
}

static void
take_value(struct draft *draft, size_t at)
{
    const char *text;
    int column = value_column(draft, at, &text);
    bool is_not =
        is_negated(draft, at) || (at && draft_is_term(draft, at - 1, TERM_UNEQUAL));
    struct filter *filter = filter_of(draft, column, is_not);

    if (filter) {
        filter->op = is_not ? OP_NOT_IN : OP_IN;
    } else {
        filter = add_filter(draft, column, is_not ? OP_NE : OP_EQ);
        if (filter)
            filter->is_or = follows_or(draft, at);
    }
    add_operand(filter, (struct operand){.text = text});
    use_naming(draft, at, column);
    use_negation(draft, at);
    draft_use(draft, at, at + 1);
}

/* --- all of them --- */

static enum plan_operator
text_operator(enum term term)
{
    return term == TERM_STARTS ? OP_STARTS : term == TERM_ENDS ? OP_ENDS : OP_CONTAINS;
}

static bool
is_text_test(const struct item *item)
{
    return item->kind == ITEM_TERM &&
           (item->term == TERM_LETTERS || item->term == TERM_CONTAINS ||
            item->term == TERM_STARTS || item->term == TERM_ENDS);
}

/* Naming all values of a column, or several side by side, compares groups. */
static void
compare_values(struct draft *draft)
{
    for (unsigned i = 0; i < draft->plan.filters; i++) {
        struct filter *filter = &draft->plan.filter[i];
        const struct column *column = draft_column(draft, filter->column);

        if (filter->op != OP_IN || filter->operands < 2)
            continue;
        struct item *item = draft_item(draft, 0);
        for (size_t k = 0; k < draft->reading->count; k++, item++)
            if (item->kind == ITEM_VALUE &&
                draft->frame->value[item->value].column == filter->column) {
                item->kind = ITEM_COLUMN;
                item->link[0] = (struct link){filter->column, 0.96f};
                item->links = 1;
                item->is_used = false;
            }
        if (column->unique >= 0 && (json_int_t)filter->operands >= column->unique) {
            memmove(filter, filter + 1,
                    (draft->plan.filters - i - 1) * sizeof(*filter));
            draft->plan.filters--;
            i--;
        }
    }
}

void
draft_filters(struct draft *draft)
{
    enum plan_operator op;

    for (size_t i = 0; i < draft->reading->count; i++) {
        const struct item *item = draft_item(draft, i);

        if (item->is_used)
            continue;
        if (is_comparison(item, &op))
            take_comparison(draft, i, op);
        else if (is_text_test(item))
            take_text(draft, i, text_operator(item->term));
        else if (draft_is_term(draft, i, TERM_EMPTY))
            take_empty(draft, i);
    }
    for (size_t i = 0; i < draft->reading->count; i++) {
        const struct item *item = draft_item(draft, i);

        if (!item->is_used && item->kind == ITEM_NUMBER)
            take_number(draft, i);
        else if (!item->is_used && item->kind == ITEM_VALUE)
            take_value(draft, i);
    }
    compare_values(draft);
}
