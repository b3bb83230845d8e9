/* Phrases that are conditions: "negative income", "when it rains", "over 50 for pm10".
 */
#include "bridge/planner/tokens/parser.h"

static bool
is_extreme(const struct parser *p, int at, enum term one, enum term other)
{
    return token_is(p, at, one) || token_is(p, at, other);
}

/* "negative net income", "a positive balance" */
static void
name_signs(struct parser *p)
{
    for (int i = 0; i + 1 < p->count; i++) {
        const struct column *column =
            token_kind(p, i, TOKEN_UNKNOWN) ? token_column(p, i + 1) : NULL;

        if (!column || !column->has_range || column->low >= 0 ||
            !value_is_quantity(p, p->token[i + 1].value))
            continue;
        const bool is_below =
            lexicon_lists(p->lexicon, "word.negative", p->token[i].text);
        if (!is_below && !lexicon_lists(p->lexicon, "word.positive", p->token[i].text))
            continue;
        p->at = i + 1; /* where the test stands */
        parser_add_operand(
            parser_add_test(p, p->token[i + 1].value, is_below ? OP_LT : OP_GT),
            (struct operand){.is_number = true, .number = 0});
        token_drop(p, i, i + 1);
        if (token_is(p, i - 1, TERM_WITH) || token_is(p, i - 1, TERM_WHOSE))
            token_use(p, i - 1, i - 1);
    }
}

/* "difference between the highest and the lowest price": the range. */
static void
name_range(struct parser *p)
{
    for (int i = 0; i < p->count; i++) {
        const int first = i + 1 + token_is(p, i + 1, TERM_BETWEEN), last = first + 2;
        const bool are_ends = (is_extreme(p, first, TERM_HIGH, TERM_MAX) &&
                               is_extreme(p, last, TERM_LOW, TERM_MIN)) ||
                              (is_extreme(p, first, TERM_LOW, TERM_MIN) &&
                               is_extreme(p, last, TERM_HIGH, TERM_MAX));

        if (!(token_is(p, i, TERM_DIFFERENCE) || token_is(p, i, TERM_RANGE_OF)) ||
            !are_ends || !token_is(p, first + 1, TERM_AND) ||
            !token_kind(p, last + 1, TOKEN_VALUE))
            continue;
        p->token[i].term = TERM_RANGE_OF;
        p->token[last] = p->token[i];
        token_drop(p, i, last - 1);
    }
}

/* "percentage of firm years", "of site-months": rows, of which each is one. */
static void
name_row_periods(struct parser *p)
{
    for (int i = 2; i < p->count; i++) {
        const bool is_counted =
            token_is(p, i - 2, TERM_SHARE) || token_is(p, i - 2, TERM_HOW_MANY) ||
            token_is(p, i - 2, TERM_COUNT) || token_is(p, i - 2, TERM_OF);
        if (is_counted && token_is(p, i - 1, TERM_HOUR) && p->token[i - 1].is_plural &&
            token_is(p, i, TERM_WITH) && !token_is(p, i - 2, TERM_OF))
            p->token[i - 1].kind = TOKEN_ROWS; /* "percentage of hours with" */
        const bool is_of_names =
            token_kind(p, i - 1, TOKEN_ROWS) ||
            (token_kind(p, i - 1, TOKEN_VALUE) && !p->token[i - 1].is_plural &&
             !value_is_quantity(p, p->token[i - 1].value));

        const struct column *time = token_column(p, i);
        const bool is_period =
            time ? time->role == ROLE_TIME && time->kind == COLUMN_NUMBER
                 : token_part(p, i) != PART_NONE;

        if (!is_counted || !is_of_names || !is_period || !p->token[i].is_plural ||
            p->token[i].item->len != 1)
            continue;
        p->token[i - 1].kind = TOKEN_ROWS;
        parser_note(
            p, "assume.rows",
            arena_printf(p->arena, "%s %s", token_text(p, i - 1), token_text(p, i)),
            NULL);
        token_drop(p, i, i);
    }
}

/* "readings over 50 for pm10": the bound stands behind what it is of. */
static void
name_bounded(struct parser *p)
{
    for (int i = 0; i + 3 < p->count; i++) {
        if (!token_is_bound(p, i) || !token_kind(p, i + 1, TOKEN_NUMBER) ||
            !token_is(p, i + 2, TERM_FOR) || !token_kind(p, i + 3, TOKEN_VALUE) ||
            token_kind(p, i - 1, TOKEN_VALUE) ||
            !value_is_quantity(p, p->token[i + 3].value))
            continue;
        const struct token value = p->token[i + 3];
        token_drop(p, i + 2, i + 2);
        memmove(&p->token[i + 1], &p->token[i], 2 * sizeof(value));
        p->token[i] = value;
        token_drop(p, i + 3, i + 3);
    }
}

/* "when it rains" of `rain_mm`: where there is any. */
static void
name_weather(struct parser *p)
{
    for (int i = 1; i + 1 < p->count; i++) {
        const bool is_end = i + 2 >= p->count || token_kind(p, i + 2, TOKEN_COMMA) ||
                            token_kind(p, i + 2, TOKEN_STOP);
        const struct column *column = token_column(p, i + 1);

        if (!token_is(p, i, TERM_WHEN) || !is_end || !column || column->low != 0 ||
            !column->has_range || !value_is_quantity(p, p->token[i + 1].value) ||
            !(column->flags & FLAG_ADDITIVE))
            continue;
        p->at = i + 1; /* where the test stands */
        struct test *test = parser_add_test(p, p->token[i + 1].value, OP_GT);
        parser_add_operand(test, (struct operand){.is_number = true, .number = 0});
        parser_note(p, "assume.root", token_text(p, i + 1),
                    query_test_name(p->arena, p->frame, test));
        token_drop(p, i, i + 1);
    }
}

/* A number of rain or snow. */
static bool
is_rain(const struct parser *p, int at, const void *about)
{
    const struct column *column = &p->frame->column[at];
    const struct value value = {.kind = VALUE_COLUMN, .column = at};

    (void)about;
    return value_is_quantity(p, &value) && column->has_range && column->low >= 0 &&
           column_is_short_called(column, p->lexicon, "word.rains");
}

/* The "rainy" or the "dry" of days, from `at` on; -1. */
static int
weather_at(const struct parser *p, int at, const char *list)
{
    for (int i = at; i + 1 < p->count; i++)
        if (token_kind(p, i, TOKEN_UNKNOWN) &&
            lexicon_lists(p->lexicon, list, p->token[i].text) &&
            (token_part(p, i + 1) == PART_DAY || token_is(p, i + 1, TERM_VERSUS)))
            return i;
    return -1;
}

/* "on wet days versus dry days" */
static void
compare_weather(struct parser *p, int wet, int dry, const struct value *rain)
{
    struct test test = {.of = rain, .op = OP_GT};
    const int from = wet < dry ? wet : dry, to = wet < dry ? dry : wet;

    parser_add_operand(&test, (struct operand){.is_number = true, .number = 0});
    struct value *key = value_of_test(p, &test);
    key->yes = token_text(p, wet);
    key->no = token_text(p, dry);
    parser_add_key(p, key);
    p->key_is_given[0] = p->query->is_compared = true;
    token_drop(p, from, to + 1);
}

/* "rainy days", "on dry days" of `rain_mm`. */
static void
name_weather_days(struct parser *p)
{
    const int wet = weather_at(p, 0, "word.rainy"), dry = weather_at(p, 0, "word.dry");
    const int column =
        wet >= 0 || dry >= 0 ? value_only_column(p, is_rain, NULL) : NO_COLUMN;

    if (column < 0)
        return;
    if (wet >= 0 && dry >= 0) {
        compare_weather(p, wet, dry, value_of_column(p, column));
        return;
    }
    p->at = wet >= 0 ? wet : dry; /* where the test stands */
    struct test *test =
        parser_add_test(p, value_of_column(p, column), wet >= 0 ? OP_GT : OP_EQ);
    parser_add_operand(test, (struct operand){.is_number = true, .number = 0});
    parser_note(p, "assume.root", token_text(p, p->at),
                query_test_name(p->arena, p->frame, test));
    token_drop(p, p->at, p->at);
}

/* "which agent closed the most tickets" of a date `closed`: what was done to them. */
static void
name_done(struct parser *p)
{
    for (int i = 1; i + 1 < p->count; i++) {
        const struct column *column = token_column(p, i);

        if (!column || column->kind != COLUMN_DATE || p->token[i].item->len != 1 ||
            !words_ends_in_ed(p->token[i].text) ||
            !(token_kind(p, i - 1, TOKEN_VALUE) || token_kind(p, i - 1, TOKEN_ROWS)) ||
            !(token_is(p, i + 1, TERM_HIGH) || token_is(p, i + 1, TERM_LOW)))
            continue;
        p->at = i; /* where the test stands */
        if (column->nulls > 0)
            parser_add_test(p, p->token[i].value, OP_NOT_NULL);
        token_drop(p, i, i);
    }
}

/* What is so or not: "paid", "appealed". */
static bool
is_fact(struct parser *p, int at)
{
    struct test test;

    if (token_kind(p, at, TOKEN_VALUE))
        return value_is_flag(p, p->token[at].value) ||
               value_is_date(p, p->token[at].value);
    return token_kind(p, at, TOKEN_UNKNOWN) &&
           parser_roots_find(p, p->token[at].text, &test);
}

/* "were not paid or appealed": neither. */
static void
name_neither(struct parser *p)
{
    for (int i = 1; i + 2 < p->count; i++)
        if (token_is(p, i - 1, TERM_NOT) && token_is(p, i + 1, TERM_OR) &&
            is_fact(p, i) && is_fact(p, i + 2))
            p->token[i + 1].term = TERM_NOT;
}

/* "towns under oversight", "cars under warranty": what is so, and nothing below it. */
static void
name_under(struct parser *p)
{
    for (int i = 1; i + 1 < p->count; i++) {
        struct test test;
        const bool is_under = token_is(p, i, TERM_LESS) && p->token[i].item->len == 1 &&
                              lexicon_lists(p->lexicon, "word.under", p->token[i].text);
        const bool is_flag = token_kind(p, i + 1, TOKEN_VALUE) &&
                             value_is_flag(p, p->token[i + 1].value);

        if (!is_under)
            continue;
        if (is_flag || (token_kind(p, i + 1, TOKEN_UNKNOWN) &&
                        parser_roots_find(p, p->token[i + 1].text, &test)))
            p->token[i].term = TERM_WITH;
        else if (token_kind(p, i + 1, TOKEN_CELL))
            token_drop(p, i, i);
    }
}

void
parse_conditions_said(struct parser *p)
{
    name_under(p);
    name_signs(p);
    name_range(p);
    name_row_periods(p);
    name_bounded(p);
    name_weather(p);
    name_weather_days(p);
    name_done(p);
    name_neither(p);
}
