/* filter: columns against numbers, dates and other columns. */
#include "bridge/planner/filter/parse_comparisons.h"
#include "bridge/planner/calendar/calendar.h"
#include "bridge/planner/durations/parse_units.h"
#include "bridge/planner/filter/parse_conditions.h"

enum {
    SECONDS_OF_WEEKS = 8 * 7 * 86400, /* what ages of people are longer than */
};

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

static enum plan_operator
opposite(enum plan_operator op)
{
    static const enum plan_operator of[] = {
        [OP_EQ] = OP_NE, [OP_NE] = OP_EQ, [OP_GT] = OP_LE,
        [OP_GE] = OP_LT, [OP_LT] = OP_GE, [OP_LE] = OP_GT,
    };

    return op <= OP_LE ? of[op] : op;
}

static bool
says_amount(const struct parser *p, int at)
{
    return lexicon_lists(p->lexicon, "word.amountsof", p->token[at].text);
}

/* A column of names, which is compared with no number. */
static bool
is_name(const struct parser *p, int at)
{
    const struct column *column = token_column(p, at);

    return column && token_is_free(p, at) && column->kind == COLUMN_TEXT &&
           !column_is_number(column) && !column->yes;
}

static bool
names_money(struct parser *p, int at)
{
    const char *text = token_is(p, at, TERM_UNIT) ? p->token[at].text : "";
    const size_t len = strlen(text);

    return lexicon_lists(p->lexicon, "word.currencies", text) ||
           (words_is_plural(text) &&
            lexicon_lists(p->lexicon, "word.currencies",
                          arena_text(p->arena, text, len - 1)));
}

/* Whether money is named at `unit`, and what stands at `at` is none. */
static bool
is_other_money(struct parser *p, int unit, int at)
{
    const struct column *column = token_column(p, at);

    return column && names_money(p, unit) && !column_is_in_currency(column, p->lexicon);
}

/* The column that a comparison is of: the one before it, or the one after its number.
 */
static int
compared_column(struct parser *p, int at, int end)
{
    int i = at - 1;
    bool is_apart = false;

    while (i >= 0 && (parse_conditions_is_link(p, i) || token_is(p, i, TERM_NOT) ||
                      (i == at - 1 && token_is(p, i, TERM_BY))))
        is_apart |= token_is(p, i--, TERM_WITH);
    /* "seasons with more than 350 mm of rain": of what follows */
    int after = token_is(p, end + 1, TERM_OF) || token_is(p, end + 1, TERM_IN)
                    ? end + 2
                    : end + 1;
    if (token_kind(p, after, TOKEN_VALUE) && is_other_money(p, end, after))
        return -1; /* "over 200 euros a night" */
    if (token_kind(p, after, TOKEN_VALUE) && token_is_free(p, after) &&
        value_is_quantity(p, p->token[after].value) &&
        (is_apart ||
         (is_name(p, i) &&
          says_amount(p, at)))) /* "companies have more than 500 employees" */
        return after;
    if (token_kind(p, i, TOKEN_VALUE) && !p->token[i].is_used)
        return i;
    if (token_kind(p, after, TOKEN_VALUE) && !p->token[after].is_used)
        return after;
    return -1;
}

bool
parse_comparisons_reduces(const struct parser *p, int column)
{
    return token_is(p, column - 1, TERM_MEAN) || token_is(p, column - 1, TERM_SUM) ||
           token_is(p, column - 1, TERM_MEDIAN) || token_is(p, column - 1, TERM_MIN) ||
           token_is(p, column - 1, TERM_MAX) || token_is(p, column - 1, TERM_DEVIATION);
}

bool
parse_comparisons_fit(const struct parser *p, int column, int operand)
{
    const struct value *value = p->token[column].value;
    const struct column *about = value_column(p, value);

    if (about && (about->flags & FLAG_KEY) && !value_is_quantity(p, value) &&
        p->token[column].item->len < about->words.count)
        return false; /* "patients with over 10 tests": no names are larger */
    if (token_kind(p, operand, TOKEN_NUMBER))
        return value_is_quantity(p, value) || value_is_flag(p, value) ||
               (value_column(p, value) && column_is_number(value_column(p, value)));
    if (token_kind(p, operand, TOKEN_DATE))
        return value_is_date(p, value);
    if (token_kind(p, operand, TOKEN_VALUE) && value_is_date(p, value) &&
        value_is_date(p, p->token[operand].value))
        return !query_value_is_same(value, p->token[operand].value);
    return token_kind(p, operand, TOKEN_VALUE) && value_is_quantity(p, value) &&
           value_is_quantity(p, p->token[operand].value);
}

void
parse_comparisons_set(struct parser *p, struct test *test, int at)
{
    if (token_kind(p, at, TOKEN_NUMBER))
        parser_add_operand(
            test, (struct operand){.is_number = true,
                                   .number = p->token[at].number *
                                             parse_units_factor(p, at + 1, test->of)});
    else if (token_kind(p, at, TOKEN_DATE))
        parser_add_operand(test, (struct operand){.text = token_text(p, at)});
    else
        test->than = p->token[at].value;
}

int
parse_comparisons_unit(const struct parser *p, int at)
{
    bool is_unit = token_is(p, at + 1, TERM_UNIT) ||
                   (token_kind(p, at, TOKEN_NUMBER) && parse_units_is(p, at + 1) &&
                    !token_kind(p, at + 1, TOKEN_VALUE));

    return is_unit ? at + 1 : at;
}

/* "lasted", "weighed": what the unit says anyway. */
static void
use_measuring(struct parser *p, int at)
{
    if (token_kind(p, at, TOKEN_UNKNOWN) &&
        (lexicon_lists(p->lexicon, "word.took", p->token[at].text) ||
         lexicon_lists(p->lexicon, "word.measuring", p->token[at].text)))
        token_use(p, at, at);
}

/* "slower than" is "speed less than"; what is slower takes longer. */
static bool
is_of_speed(const struct parser *p, int at)
{
    const size_t bound = p->token[at].item->begin;

    return bound > 0 && lexicon_lists(p->lexicon, "word.velocity",
                                      p->reading->words.at[bound - 1].text);
}

static enum plan_operator
turned(enum plan_operator op)
{
    return op == OP_LT ? OP_GT : op == OP_GT ? OP_LT : op;
}

/* "longer than 3000 km": of the one column that is in km. */
static bool
take_of_unit(struct parser *p, int at, enum plan_operator op)
{
    if (!token_kind(p, at + 1, TOKEN_NUMBER))
        return false;
    if (is_of_speed(p, at) && parse_units_seconds(p, at + 2) > 0)
        op = turned(op); /* "faster than 2 hours" */
    const struct item *item = p->token[at + 1].item;
    const bool has_unit = item->kind == ITEM_VALUE; /* "450 ml", as cells have it */
    const int last = has_unit ? at + 1 : at + 2;
    int column =
        has_unit ? p->frame->value[item->value].column : parse_units_column(p, last);

    if (column < 0 && last < p->count && parse_units_is_known(p, last))
        column = parse_units_convertible(p, last);
    if (column < 0 || token_kind(p, at + 2, TOKEN_VALUE))
        return false;
    const bool has_per = /* "200 euros a night" of `rate_eur/night` */
        column_is_per_unit(&p->frame->column[column], p->lexicon) &&
        is_other_money(p, last, last + 1);
    bool is_not = token_is(p, at - 1, TERM_NOT);
    struct test *test =
        parser_add_test(p, value_of_column(p, column), is_not ? opposite(op) : op);
    parser_note(p, "assume.column", token_text(p, last), p->frame->column[column].name);
    parse_comparisons_set(p, test, at + 1);
    token_use(p, is_not ? at - 1 : at, last + has_per);
    use_measuring(p, at - 1);
    parse_conditions_use_lead(p, at - 1 - is_not);
    return true;
}

/* The one number that is an age. */
static int
age_column(struct parser *p)
{
    const char *name = lexicon_say(p->lexicon, p->arena, "word.age", NULL, 0);
    uint64_t stem = name ? words_stem(name, strlen(name)) : 0;
    int found = -1;

    for (int i = 0; stem && i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];
        const struct value value = {.kind = VALUE_COLUMN, .column = i};

        for (size_t k = 0; k < column->words.count; k++)
            if (column->words.at[k].stem == stem && value_is_quantity(p, &value)) {
                if (found >= 0 && found != i)
                    return -1;
                found = i;
            }
    }
    return found;
}

/* Whom an age is said of: "patients"; "results over 10" are of what was measured. */
static bool
is_person(struct parser *p, int at)
{
    const struct column *column = token_column(p, at);
    uint64_t stem = at < 0 ? 0 : p->reading->words.at[p->token[at].item->begin].stem;

    if (column && !(column->flags & FLAG_KEY))
        return false;
    return lexicon_flags(p->lexicon, stem) & FLAG_PERSON ||
           (token_kind(p, at, TOKEN_ROWS) && frame_is_noun(p->frame, stem) &&
            parser_roots_measure(p) < 0);
}

/* "patients over 65" */
static bool
take_of_age(struct parser *p, int at, enum plan_operator op)
{
    int who = at - 1;

    while (parse_conditions_is_link(p, who))
        who--;
    int column = token_kind(p, at + 1, TOKEN_NUMBER) && p->token[at + 1].number < 120 &&
                         !token_has_currency(p, at + 1) &&
                         parse_comparisons_unit(p, at + 1) == at + 1 &&
                         (is_person(p, who) || p->token[at + 1].is_plural)
                     ? age_column(p)
                     : -1;

    if (column < 0 || (token_kind(p, at + 2, TOKEN_VALUE) && token_is_free(p, at + 2)))
        return false;
    struct test *test = parser_add_test(p, value_of_column(p, column), op);
    parser_note(p, "assume.column", token_text(p, at), p->frame->column[column].name);
    parse_comparisons_set(p, test, at + 1);
    token_use(p, is_person(p, who) ? who + 1 : at, at + 1);
    if (is_person(p, who) && !token_kind(p, who, TOKEN_VALUE) &&
        !token_kind(p, who, TOKEN_CELL))
        token_use(p, who, who); /* "women" are a condition of their own */
    return true;
}

/* "a response within 1 hour" of a column of minutes */
static bool
take_within(struct parser *p, int at)
{
    if (!token_is(p, at, TERM_IN) || !token_is_free(p, at) ||
        strcmp(p->token[at].text, "within") != 0 ||
        !token_kind(p, at - 1, TOKEN_VALUE) || !token_is_free(p, at - 1) ||
        !token_kind(p, at + 1, TOKEN_NUMBER) || parse_units_seconds(p, at + 2) <= 0 ||
        !parse_comparisons_fit(p, at - 1, at + 1))
        return false;
    parse_comparisons_set(p, parser_add_test(p, p->token[at - 1].value, OP_LE), at + 1);
    token_use(p, at - 1, at + 2);
    parse_conditions_use_lead(p, at - 2);
    return true;
}

bool
parse_comparisons_take(struct parser *p, int at)
{
    enum plan_operator op;

    if (take_within(p, at) || parse_levels_more_than(p, at))
        return true;
    if (!is_comparison(p, at, &op) || !token_is_free(p, at))
        return false;
    if (parse_levels_take(p, at, op) || parse_limits_take(p, at, op))
        return true;
    int operand = at + 1,
        column = compared_column(p, at, parse_comparisons_unit(p, operand));
    if (take_of_age(p, at, op) ||
        (column < 0 &&
         (parse_comparisons_of_quality(p, at, op) || take_of_unit(p, at, op) ||
          parse_comparisons_of_measure(p, at, op) ||
          parse_comparisons_of_score(p, at, op) ||
          parse_comparisons_of_amount(p, at, op))))
        return true;
    if (column >= 0 && column != operand && token_kind(p, operand, TOKEN_NUMBER) &&
        !parse_comparisons_fit(
            p, column, operand)) /* "delayed" of `delay_min`, not of its cause */
        p->token[column].value = value_wanted(p, column, true);
    if (column >= 0 && !parse_comparisons_fit(p, column, operand) &&
        (take_of_unit(p, at, op) || /* "buildings larger than 5000 m2" */
         parse_comparisons_of_score(p, at, op) ||
         parse_comparisons_of_amount(p, at, op)))
        return true;
    if (column < 0 || column == operand || parse_comparisons_reduces(p, column) ||
        !parse_comparisons_fit(p, column, operand))
        return false;
    if (is_of_speed(p, at) && parse_units_is_time(p, p->token[column].value))
        op = turned(op);
    int end = parse_comparisons_unit(p, operand);
    bool is_or = parse_conditions_follows_or(p, column < at ? column : at);
    struct test *test = parser_add_test(p, p->token[column].value, op);
    if (token_is(p, at - 1, TERM_NOT))
        test->op = opposite(op);
    test->is_or = is_or;
    parse_comparisons_set(p, test, operand);
    if (test->than && query_value_is_same(test->of, test->than))
        test->of = parse_comparisons_twin(p, test->of);
    /* "duration over 90 minutes", where "minutes" is a column, too */
    if (column < at && token_kind(p, end + 1, TOKEN_VALUE) &&
        parse_units_is(p, end + 1))
        end++;
    token_use(p, column < at ? column : at, column > end ? column : end);
    parse_conditions_use_lead(p, (column < at ? column : at) - 1);
    parse_comparisons_other_side(p, test, end);
    return true;
}

/* "patients between 30 and 40 years old" */
static bool
take_ages(struct parser *p, int at, int end)
{
    int who = at - 1, last = parse_comparisons_unit(p, end);

    while (parse_conditions_is_link(p, who))
        who--;
    int column =
        token_kind(p, end, TOKEN_NUMBER) && p->token[end].number < 120 &&
                is_person(p, who) &&
                (last == end || parse_units_seconds(p, last) > SECONDS_OF_WEEKS)
            ? age_column(p)
            : -1;
    if (column < 0)
        return false;
    struct test *test = parser_add_test(p, value_of_column(p, column), OP_BETWEEN);
    parser_note(p, "assume.column", token_text(p, at), p->frame->column[column].name);
    parse_comparisons_set(p, test, at + 1);
    parse_comparisons_set(p, test, end);
    token_use(p, who + 1, last);
    return true;
}

/* The unit stands behind the second number, and is that of both. */
static void
add_both(struct parser *p, struct test *test, int between, double factor)
{
    for (int i = between + 1; i <= between + 3; i += 2)
        parser_add_operand(
            test,
            (struct operand){.is_number = true, .number = p->token[i].number * factor});
}

/* "between 10 and 20 kilos": of the one column that is in such units. */
static bool
take_between_units(struct parser *p, int at, int end)
{
    const int unit = end + 1;
    int column = token_kind(p, end, TOKEN_NUMBER) ? parse_units_column(p, unit) : -1;

    if (column < 0 && unit < p->count && parse_units_is_known(p, unit))
        column = parse_units_convertible(p, unit);
    if (column < 0)
        return false;
    const struct value *of = value_of_column(p, column);
    const double factor = parse_units_factor(p, unit, of);
    struct test *test = parser_add_test(p, of, OP_BETWEEN);

    parser_note(p, "assume.column", token_text(p, unit), p->frame->column[column].name);
    add_both(p, test, at, factor);
    token_use(p, at, unit);
    use_measuring(p, at - 1);
    parse_conditions_use_lead(p, at - 1);
    return true;
}

bool
parse_comparisons_between(struct parser *p, int at)
{
    int end = at + 3;

    if (!token_is(p, at, TERM_BETWEEN) || !token_is_free(p, at) ||
        !(token_is(p, at + 2, TERM_AND) || token_is(p, at + 2, TERM_TO)) ||
        p->token[at + 1].kind != p->token[at + 3].kind ||
        !(token_kind(p, at + 1, TOKEN_NUMBER) || token_kind(p, at + 1, TOKEN_DATE)))
        return false;
    int column = compared_column(p, at, parse_comparisons_unit(p, end));
    if (column < 0)
        return take_ages(p, at, end) || take_between_units(p, at, end);
    if (!parse_comparisons_fit(p, column, at + 1))
        return false;
    struct test *test = parser_add_test(p, p->token[column].value, OP_BETWEEN);
    if (parse_comparisons_unit(p, at + 1) == at + 1 && token_kind(p, end, TOKEN_NUMBER))
        add_both(p, test, at, parse_units_factor(p, end + 1, test->of));
    else
        for (int i = at + 1; i <= end; i += 2)
            parse_comparisons_set(p, test, i);
    end = parse_comparisons_unit(p, end);
    token_use(p, column < at ? column : at, column > end ? column : end);
    parse_conditions_use_lead(p, (column < at ? column : at) - 1);
    return true;
}
