/* filter: "more than 5 minutes late", "left early", "on time", where a number says how
 * late rows are. */
#include "bridge/planner/durations/parse_units.h"
#include "bridge/planner/filter/parse_comparisons.h"
#include "bridge/planner/filter/parse_conditions.h"

enum {
    WORD_LEAST = 4, /* letters of "late" */
};

static bool
begins_one_of(const struct parser *p, const char *list, const char *start)
{
    const char *text = lexicon_say(p->lexicon, p->arena, list, NULL, 0);
    const struct words known = words_split(p->arena, slice_of(text ? text : ""), 32);

    for (size_t i = 0; i < known.count; i++)
        if (strncmp(known.at[i].text, start, strlen(start)) == 0)
            return true;
    return false;
}

/* "left" of `dep_delay`, "landed" of `arr_delay` */
static bool
are_of_one_way(const struct parser *p, const char *part, const char *word)
{
    static const char *const lists[] = {"word.departures", "word.arrivals"};

    for (size_t i = 0; i < COUNT_OF(lists); i++)
        if (lexicon_lists(p->lexicon, lists[i], word) &&
            begins_one_of(p, lists[i], part))
            return true;
    return false;
}

/* Whether a word of the question names what else the column is called: "departed" of
 * `dep_delay`. */
static bool
is_spoken_of(const struct parser *p, const struct column *column)
{
    for (size_t i = 0; i < column->words.count; i++)
        for (size_t k = 0; k < p->reading->words.count; k++) {
            const struct word *part = &column->words.at[i],
                              *word = &p->reading->words.at[k];
            const size_t len = strlen(part->text);

            if (!lexicon_lists(p->lexicon, "word.delays", part->text) && len >= 3 &&
                (lexicon_stands_for(p->lexicon, part->stem, word->stem) ||
                 strncmp(part->text, word->text, len) == 0 ||
                 are_of_one_way(p, part->text, word->text)))
                return true;
        }
    return false;
}

/* "left late" of `dep_delay`; -1: no verb, or of no column. */
static int
delay_of_verb(const struct parser *p, int at)
{
    for (int i = 0; token_kind(p, at, TOKEN_UNKNOWN) && i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];

        for (size_t k = 0; k < column->words.count; k++)
            if (column->kind == COLUMN_NUMBER &&
                strlen(column->words.at[k].text) >= 3 &&
                column_is_short_called(column, p->lexicon, "word.delays") &&
                are_of_one_way(p, column->words.at[k].text, p->token[at].text))
                return i;
    }
    return -1;
}

/* The only one whose name begins one of the list's words; -1. */
static int
delay_of_way(const struct parser *p, const char *list)
{
    int found = -1;

    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];
        const char *part = column->words.count > 1 ? column->words.at[0].text : "";

        if (column->kind != COLUMN_NUMBER || strlen(part) < 3 ||
            !column_is_short_called(column, p->lexicon, "word.delays") ||
            !begins_one_of(p, list, part))
            continue;
        if (found >= 0)
            return -1;
        found = i;
    }
    return found;
}

/* `delay_min`; of several the one that is spoken of; -1. */
static int
delay_column(struct parser *p, int at)
{
    int found = -1, spoken = -1;
    unsigned count = 0, spoken_count = 0;

    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];
        const struct value value = {.kind = VALUE_COLUMN, .column = i};

        if (!value_is_quantity(p, &value) || value_is_flag(p, &value) ||
            !column_is_short_called(column, p->lexicon, "word.delays") ||
            column_is_short_called(column, p->lexicon, "word.charges")) /* "late fee" */
            continue;
        found = i;
        count++;
        if (is_spoken_of(p, column)) {
            spoken = i;
            spoken_count++;
        }
    }
    if (count > 1 && spoken_count != 1)
        spoken = delay_of_verb(p, at - 1);
    if (count >= 2 && spoken < 0) /* flights are late where they arrive */
        spoken =
            delay_of_way(p, lexicon_lists(p->lexicon, "word.delayed", token_text(p, at))
                                ? "word.departures"
                                : "word.arrivals");
    return count == 1 ? found : spoken;
}

/* "arriving", "left", "ran": what was late, said by a verb. */
static bool
is_verb(const struct parser *p, int at)
{
    static const char *const lists[] = {"word.departures", "word.arrivals", "word.ran"};
    const bool is_half_name = token_column(p, at) && p->token[at].score < 0.6f;

    for (size_t i = 0; i < COUNT_OF(lists); i++)
        if ((token_kind(p, at, TOKEN_UNKNOWN) || token_kind(p, at, TOKEN_VALUE)) &&
            lexicon_lists(p->lexicon, lists[i], p->token[at].text))
            return true;
    return is_half_name && p->token[at].item->len == 1;
}

static void
finish(struct parser *p, struct test *test, int first, int last)
{
    while (token_is(p, first - 1, TERM_IS) || token_is(p, first - 1, TERM_BY) ||
           is_verb(p, first - 1)) {
        first--;
        if (is_verb(p, first))
            token_drop(p, first, first);
    }
    parser_note(p, "assume.root", token_text(p, last),
                query_test_name(p->arena, p->frame, test));
    const int where = last + 1 + parse_conditions_is_link(p, last + 1);
    if (where > last + 1 && token_kind(p, where, TOKEN_VALUE) &&
        query_value_is_same(p->token[where].value, test->of))
        last = where; /* "late on arrival" */
    token_use(p, first, last);
    parse_conditions_use_lead(p, first - 1);
}

/* "more than 5 minutes late", "late by more than 5 minutes" */
static bool
take_by(struct parser *p, int at, int number, int column, bool is_early)
{
    static const struct {
        enum term term;
        enum plan_operator op, early;
    } terms[] = {
        {TERM_GREATER,       OP_GT, OP_LT},
        {TERM_OVER,          OP_GT, OP_LT},
        {TERM_GREATER_EQUAL, OP_GE, OP_LE},
        {TERM_LESS,          OP_LT, OP_GT},
        {TERM_LESS_EQUAL,    OP_LE, OP_GE},
    };
    const int unit = parse_comparisons_unit(p, number);

    if (!token_kind(p, number, TOKEN_NUMBER))
        return false;
    for (size_t i = 0; i < COUNT_OF(terms); i++) {
        if (!token_is(p, number - 1, terms[i].term))
            continue;
        const struct value *value = value_of_column(p, column);
        const double factor = unit == number ? 1 : parse_units_factor(p, unit, value);
        struct test *test =
            parser_add_test(p, value, is_early ? terms[i].early : terms[i].op);
        parser_add_operand(test,
                           (struct operand){.is_number = true,
                                            .number = p->token[number].number * factor *
                                                      (is_early ? -1 : 1)});
        finish(p, test, number - 1 < at ? number - 1 : at, unit > at ? unit : at);
        return true;
    }
    return false;
}

/* "delayed flights" of `delay_min`, "were delayed" */
static bool
is_delayed(struct parser *p, int at)
{
    const struct column *column = token_column(p, at);

    return column && lexicon_lists(p->lexicon, "word.delayed", token_text(p, at)) &&
           p->token[at].item->len == 1 &&
           column_is_short_called(column, p->lexicon, "word.delays") &&
           !value_is_flag(p, p->token[at].value) &&
           (token_kind(p, at + 1, TOKEN_ROWS) || token_kind(p, at + 1, TOKEN_STOP) ||
            at + 1 == p->count);
}

bool
parse_late_take(struct parser *p, int at)
{
    static const struct {
        const char *list;
        enum plan_operator op;
        bool is_early;
    } says[] = {
        {"word.late",   OP_GT, false},
        {"word.early",  OP_LT, true },
        {"word.ontime", OP_LE, false},
    };

    const bool delayed = is_delayed(p, at);

    if (!delayed &&
        (!token_kind(p, at, TOKEN_UNKNOWN) || strlen(p->token[at].text) < WORD_LEAST))
        return false;
    for (size_t i = 0; i < COUNT_OF(says); i++) {
        if (delayed ? i > 0
                    : !lexicon_lists(p->lexicon, says[i].list, p->token[at].text))
            continue;
        const int column = delay_column(p, at);
        const int before = token_kind(p, at - 1, TOKEN_NUMBER) ? at - 1 : at - 2;
        if (column < 0)
            return false;
        if (take_by(p, at, before, column, says[i].is_early) ||
            take_by(p, at, at + 2 + token_is(p, at + 1, TERM_BY), column,
                    says[i].is_early))
            return true;
        if (token_kind(p, before, TOKEN_NUMBER))
            return false; /* "5 minutes late" sets no bound */
        struct test *test = parser_add_test(p, value_of_column(p, column), says[i].op);
        parser_add_operand(test, (struct operand){.is_number = true, .number = 0});
        finish(p, test, at, at);
        return true;
    }
    return false;
}
