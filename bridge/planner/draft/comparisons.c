/*
 * Conditions on numbers and dates: "weight above 3000", "since 2015", "in 1999".
 */
#include <math.h>

#include "bridge/planner/draft/filters.h"

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

bool
filter_is_comparison(const struct item *item, enum plan_operator *op)
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

enum { /* the years that pandas has dates of */
    DATED_FIRST = 1678,
    DATED_LAST = 2261,
};

static bool
can_compare(const struct column *column, const struct operand *operand)
{
    if (operand->is_number && column->kind == COLUMN_DATE)
        return operand->number >= DATED_FIRST && operand->number <= DATED_LAST &&
               operand->number == floor(operand->number);
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
            item->link[i].score > item->link[0].score - 0.25f && /* as good a name */
            (column->role != ROLE_KEY || item->link[i].score >= 0.55f))
            return item->link[i].column;
    }
    return -1;
}

/* --- which column --- */

/* So many times as large as any number of a column: something else is meant. */
static const double FAR = 100;

/* Of none that the data's dates are near: "kwh over 2000" in a table of 2023. */
static bool
is_no_year(const struct draft *draft, const struct operand *operand)
{
    const struct column *time = draft_column(draft, draft_time_column(draft));

    return time->first_year && (operand->number < time->first_year - 1 ||
                                operand->number > time->last_year + 1);
}

/* "weight between 1974 and 1980" speaks of years unless the weights are such. */
static bool
may_hold(const struct draft *draft, int column, const struct operand *operand,
         bool is_about_time, bool is_adjacent)
{
    const struct column *about = draft_column(draft, column);

    if (about->role == ROLE_TIME || draft_time_column(draft) < 0 ||
        (is_adjacent && looks_like_year(operand) && is_no_year(draft, operand)))
        return true;
    if (is_about_time || (looks_like_year(operand) && !is_adjacent))
        return false;
    if (operand->is_number && about->has_range &&
        fabs(operand->number) >
            FAR * fmax(fabs((double)about->low), fabs((double)about->high)))
        return false; /* "3 bedrooms … under 500k" */
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

    for (size_t back = 0, i = at; i > 0 && back < FILTER_NEAR; back++, i--) {
        const struct item *item = draft_item(draft, i - 1);

        if (item->kind == ITEM_STOP || item->kind == ITEM_NUMBER)
            break;
        if (item->kind != ITEM_COLUMN)
            continue;
        int column = pick_column(draft, item, operand);
        if (column < 0 || !may_hold(draft, column, operand, is_about_time, back == 0))
            continue;
        for (size_t used = i - 1; used < at; used++)
            if (draft_item(draft, used)->kind != ITEM_VALUE)
                draft_use(draft, used, used + 1); /* values are conditions themselves */
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

    if (column < 0 || (operand->is_number &&
                       (!looks_like_year(operand) || is_no_year(draft, operand))))
        return -1;
    return column;
}

/* A column of two-digit years is asked about with four digits. */
static void
fit_year(const struct column *column, struct operand *operand)
{
    if (looks_like_year(operand) &&
        (column->flags & FLAG_YEAR || column->role == ROLE_TIME) && column->has_range &&
        column->high <= 99 && column->low >= 0)
        operand->number = fmod(operand->number, 100);
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

/* --- conditions --- */

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

void
filter_take_comparison(struct draft *draft, size_t at, enum plan_operator op)
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
    bool is_or = filter_follows_or(draft, at), is_not = filter_is_negated(draft, at);
    int column = find_column(draft, at, end, &low);
    if (column < 0)
        return;
    struct filter *filter = filter_add(draft, column, is_not ? filter_negate(op) : op);
    fit_year(draft_column(draft, column), &low);
    filter_add_operand(filter, low);
    if (second != SIZE_MAX) {
        struct operand high = read_operand(draft, draft_item(draft, second));

        fit_year(draft_column(draft, column), &high);
        filter_add_operand(filter, high);
    }
    if (filter)
        filter->is_or = is_or;
    if (is_not)
        filter_use_negation(draft, at);
    draft_use(draft, at, end);
}

/* "whose id is 10", "in 1999", "not majoring in 600", "5 cylinder cars". */
void
filter_take_number(struct draft *draft, size_t at)
{
    struct operand operand = read_operand(draft, draft_item(draft, at));
    const struct item *before = at ? draft_item(draft, at - 1) : NULL;
    bool is_not = filter_is_negated(draft, at), is_or = filter_follows_or(draft, at);
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
    struct filter *filter = filter_add(draft, column, is_not ? OP_NE : OP_EQ);
    filter_add_operand(filter, operand);
    if (filter)
        filter->is_or = is_or;
    if (is_not)
        filter_use_negation(draft, at);
    draft_use(draft, at, at + 1);
}
