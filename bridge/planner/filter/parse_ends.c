/* filter: "the last two seasons" of a column that is not a date, but comes in order. */
#include "bridge/planner/tokens/parser.h"

static int
compare_texts(const void *a, const void *b)
{
    return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

/* The values in order, where each carries a number: "2022/23", "week 7". */
static const char **
values_in_order(struct parser *p, const struct column *column, size_t *count)
{
    size_t at;
    json_t *value;
    const char **text;

    *count = json_array_size(column->values);
    if (column->kind != COLUMN_TEXT || *count == 0 || column->is_mixed)
        return NULL;
    text = arena_alloc(p->arena, *count, sizeof(*text));
    json_array_foreach (column->values, at, value) {
        text[at] = json_string_value(value);
        if (!text[at] || !text[at][strcspn(text[at], "0123456789")])
            return NULL;
    }
    qsort(text, *count, sizeof(*text), compare_texts);
    return text;
}

/* Years as numbers. */
static bool
take_numbers(struct parser *p, const struct value *value, int number, bool is_first)
{
    const struct column *column = value_column(p, value);

    if (column->kind != COLUMN_NUMBER || column->role != ROLE_TIME ||
        !column->is_integer || !column->has_range)
        return false;
    parser_add_operand(parser_add_test(p, value, is_first ? OP_LE : OP_GE),
                       (struct operand){.is_number = true,
                                        .number = is_first
                                                      ? column->low + number - 1
                                                      : column->high - number + 1});
    parser_note(p, is_first ? "assume.first" : "assume.last", column->name, NULL);
    return true;
}

static bool
take_texts(struct parser *p, const struct value *value, int number, bool is_first)
{
    const struct column *column = value_column(p, value);
    const char *list = "";
    size_t count;
    const char **text = values_in_order(p, column, &count);

    if (!text || number > OPERANDS_MAX || (size_t)number > count)
        return false;
    struct test *test = parser_add_test(p, value, number > 1 ? OP_IN : OP_EQ);
    size_t from = is_first ? 0 : count - (size_t)number;
    for (size_t i = from; i < from + (size_t)number; i++) {
        parser_add_operand(test, (struct operand){.text = text[i]});
        list = arena_printf(p->arena, "%s%s%s", list, i > from ? ", " : "", text[i]);
    }
    parser_note(p, is_first ? "assume.firsts" : "assume.lasts", column->name, list);
    return true;
}

static void
take(struct parser *p, int at)
{
    int of = token_kind(p, at + 1, TOKEN_NUMBER) ? at + 2 : at + 1;
    const struct column *column = token_column(p, of);
    double number = of == at + 2 ? p->token[at + 1].number : 1;

    /* "the last 3 years" of a column of years */
    int date = token_is(p, of, TERM_YEAR) ? parser_roots_time(p) : -1;
    if (date >= 0 && p->frame->column[date].kind == COLUMN_NUMBER) {
        p->token[of].value = value_of_column(p, date);
        column = &p->frame->column[date];
    }
    if (!column || number < 1 || number > 1000 ||
        (number > 1 && !p->token[of].is_plural))
        return;
    bool is_first = token_is(p, at, TERM_TOP);
    if (!take_numbers(p, p->token[of].value, (int)number, is_first) &&
        !take_texts(p, p->token[of].value, (int)number, is_first))
        return;
    token_use(p, at, of);
    for (int i = at - 1; token_is(p, i, TERM_IN) || token_is(p, i, TERM_FOR) ||
                         token_is(p, i, TERM_FROM) || token_is(p, i, TERM_OVER);
         i--)
        token_use(p, i, i);
}

void
parse_ends(struct parser *p)
{
    for (int i = 0; i + 1 < p->count; i++)
        if (token_is_free(p, i) && token_is_end(p, i))
            take(p, i);
}

bool
parse_ends_is_said(const struct parser *p)
{
    for (int i = 0; i + 1 < p->count; i++) {
        int of = token_kind(p, i + 1, TOKEN_NUMBER) ? i + 2 : i + 1;

        if (token_is_end(p, i) &&
            (token_column(p, of) ||
             (token_kind(p, of, TOKEN_TERM) && parser_part(p->token[of].term))))
            return true;
    }
    return false;
}
