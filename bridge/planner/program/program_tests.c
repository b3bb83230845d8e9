/* Conditions: which rows. */
#include "bridge/planner/program/program.h"

static const struct column *
column_of(const struct program *p, const struct value *value)
{
    return value->kind == VALUE_COLUMN ? &p->frame->column[value->column] : NULL;
}

static const char *
operand(struct program *p, const struct operand *value, bool folds)
{
    if (value->is_number)
        return python_number(p->arena, value->number);
    AUTO(mem) char *low = xstrdup(value->text);
    for (char *c = low; folds && *c; c++)
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c + 32) : *c;
    return program_text(p, low);
}

static const char *
list_of(struct program *p, const struct test *test, bool folds)
{
    const char *list = "";

    for (unsigned i = 0; i < test->operands; i++)
        list = arena_printf(p->arena, "%s%s%s", list, i ? ", " : "",
                            operand(p, &test->operand[i], folds));
    return list;
}

/* What is compared: text, a number, a date or a part of one. */
static const char *
compared(struct program *p, const struct test *test, bool *folds)
{
    const struct column *column = column_of(p, test->of);
    bool is_number = (test->operands && test->operand[0].is_number) || test->than;

    *folds = false;
    if (!column && test->of->kind == VALUE_PART && test->of->part == PART_MONTH_NAME)
        return arena_printf(p->arena, "%s.dt.month", program_date(p, test->of->left));
    if (!column)
        return test->of->kind == VALUE_PART ? program_key(p, test->of)
                                            : program_number(p, test->of);
    if (column->kind == COLUMN_DATE)
        return program_date(p, test->of);
    if (is_number)
        return program_number(p, test->of);
    *folds = column->is_mixed;
    if (column->kind != COLUMN_TEXT)
        return arena_printf(p->arena, "%s.astype(str)",
                            program_cells(p, test->of->column));
    return program_key(p, test->of);
}

static const char *
text_test(struct program *p, const struct test *test)
{
    const char *cells = program_cells(p, test->of->column),
               *text = operand(p, &test->operand[0], false);

    if (test->op == OP_CONTAINS || test->op == OP_NOT_CONTAINS)
        return arena_printf(p->arena,
                            "%s%s.str.contains(%s, case=False, regex=False, na=False)",
                            test->op == OP_NOT_CONTAINS ? "~" : "", cells, text);
    return arena_printf(p->arena, "%s.str.lower().str.%s(%s, na=False)", cells,
                        test->op == OP_STARTS ? "startswith" : "endswith",
                        operand(p, &test->operand[0], true));
}

/* The last n days end with the data; months are whole ones, the last included. */
static const char *
last_test(struct program *p, const struct test *test)
{
    if (test->of->kind == VALUE_PART) { /* "this month" */
        const char *part = program_key(p, test->of);

        return test->last > 1 ? arena_printf(p->arena, "%s >= %s.max() - %d", part,
                                             part, test->last - 1)
                              : arena_printf(p->arena, "%s == %s.max()", part, part);
    }
    const char *date = program_date(p, test->of);

    if (test->last < 0)
        return arena_printf(
            p->arena, "%s < %s.min().normalize() + pd.DateOffset(%s=%d)", date, date,
            test->unit == PART_DAY    ? "days"
            : test->unit == PART_WEEK ? "weeks"
            : test->unit == PART_YEAR ? "years"
            : test->unit == PART_HOUR ? "hours"
                                      : "months",
            -test->last * (test->unit == PART_QUARTER ? 3 : 1));

    if (test->unit == PART_DAY || test->unit == PART_WEEK)
        return arena_printf(p->arena, "%s > %s.max() - pd.Timedelta(days=%d)", date,
                            date, test->last * (test->unit == PART_WEEK ? 7 : 1));
    if (test->unit == PART_HOUR)
        return arena_printf(p->arena, "%s > %s.max() - pd.Timedelta(hours=%d)", date,
                            date, test->last);
    return arena_printf(p->arena, "%s > %s.max() - pd.DateOffset(months=%d)", date,
                        date,
                        test->last * (test->unit == PART_YEAR      ? 12
                                      : test->unit == PART_QUARTER ? 3
                                                                   : 1));
}

static const char *
flag_test(struct program *p, const struct test *test)
{
    const struct column *column = column_of(p, test->of);
    const char *flag = program_flag(p, test->of->column);

    if (!test->is_not)
        return flag;
    if (column->nulls == 0 && column->kind == COLUMN_BOOL)
        return arena_printf(p->arena, "~%s", flag);
    if (column->nulls == 0 && !column->yes)
        return arena_printf(p->arena, "%s == 0", program_cells(p, test->of->column));
    return arena_printf(p->arena, "~(%s)%s", flag,
                        column->nulls == 0
                            ? ""
                            : arena_printf(p->arena, " & %s.notna()",
                                           program_cells(p, test->of->column)));
}

static const char *
compared_with(struct program *p, const struct value *value)
{
    const struct column *column = column_of(p, value);

    return column && column->kind == COLUMN_DATE ? program_date(p, value)
                                                 : program_number(p, value);
}

/* "n/a" among numbers is none. */
static const char *
cells_that_may_miss(struct program *p, const struct value *value)
{
    const struct column *column = column_of(p, value);

    return column && value->kind == VALUE_COLUMN && !column_says_missing(column)
               ? program_cells(p, value->column)
               : program_number(p, value);
}

static const char *
plain_test(struct program *p, const struct test *test)
{
    bool folds;
    const char *cells = compared(p, test, &folds);

    switch (test->op) {
    case OP_EQ:
    case OP_NE:
    case OP_GT:
    case OP_GE:
    case OP_LT:
    case OP_LE:
        return arena_printf(p->arena, "%s %s %s", cells, plan_operator_name(test->op),
                            test->than ? compared_with(p, test->than)
                                       : operand(p, &test->operand[0], folds));
    case OP_BETWEEN:
        return arena_printf(p->arena, "%s.between(%s)", cells, list_of(p, test, folds));
    case OP_IN:
        return arena_printf(p->arena, "%s.isin([%s])", cells, list_of(p, test, folds));
    case OP_NOT_IN:
        return arena_printf(p->arena, "~%s.isin([%s])", cells, list_of(p, test, folds));
    case OP_CONTAINS:
    case OP_NOT_CONTAINS:
    case OP_STARTS:
    case OP_ENDS:
        return text_test(p, test);
    case OP_NULL:
    case OP_NOT_NULL:
        return arena_printf(p->arena, "%s.%s()", cells_that_may_miss(p, test->of),
                            test->op == OP_NULL ? "isna" : "notna");
    }
    return "True";
}

static bool
is_flag_test(const struct program *p, const struct test *test)
{
    const struct column *column = column_of(p, test->of);

    return column && !test->operands && !test->than && test->op == OP_EQ &&
           program_is_flag(column);
}

static const char *
condition(struct program *p, const struct test *test)
{
    if (test->last)
        return last_test(p, test);
    if (is_flag_test(p, test))
        return flag_test(p, test);
    if (test->of->kind == VALUE_PART && test->of->part == PART_WEEKEND)
        return arena_printf(p->arena, "%s.dt.day_of_week %s 5",
                            program_date(p, test->of->left), test->is_not ? "<" : ">=");
    const bool is_made = test->of->kind == VALUE_TEST && test->op == OP_EQ &&
                         !test->operands && !test->than;
    const char *text = is_made ? program_mask(p, test->of->test, test->of->tests)
                               : plain_test(p, test);
    return test->is_not ? arena_printf(p->arena, "~(%s)", text) : text;
}

const char *
program_mask(struct program *p, const struct test *test, unsigned tests)
{
    const char *text = "";

    if (tests == 1)
        return condition(p, test);
    for (unsigned i = 0; i < tests; i++)
        text = arena_printf(p->arena, "%s%s(%s)", text,
                            i == 0          ? ""
                            : test[i].is_or ? " | "
                                            : " & ",
                            condition(p, &test[i]));
    return text;
}
