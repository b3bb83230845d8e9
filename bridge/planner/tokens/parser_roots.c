/* Columns and values that a question names by a word of the same root. */
#include <strings.h>

#include "bridge/planner/tokens/parser.h"
#include "bridge/planner/words/likeness.h"

enum {
    ROOT_VALUES_MAX = 60,
    INFLECTED_LEAST = 4,
};

/* Without its ending: "open" of "opening" and "opened", "clos" of "closure". */
static size_t
bare_length(const char *word)
{
    static const char *const endings[] = {"ing", "ed", "ure", "ures", "al", "als"};
    size_t len = strlen(word);

    for (size_t i = 0; i < COUNT_OF(endings); i++) {
        size_t size = strlen(endings[i]);

        if (len >= size + INFLECTED_LEAST && strcmp(word + len - size, endings[i]) == 0)
            return len - size;
    }
    return len;
}

bool
parser_roots_is_inflected(const char *word, const char *other)
{
    size_t bare = bare_length(word);

    if (bare == bare_length(other) && strncasecmp(word, other, bare) == 0)
        return true;
    static const char *const endings[] = {"d", "ed", "ing", "ion", "s", "es"};
    bool is_longer = strlen(word) > strlen(other);
    const char *longer = is_longer ? word : other, *shorter = is_longer ? other : word;
    size_t len = strlen(shorter);

    if (len < INFLECTED_LEAST || strncasecmp(longer, shorter, len) != 0)
        return false;
    for (size_t i = 0; i < COUNT_OF(endings); i++)
        if (strcmp(longer + len, endings[i]) == 0)
            return true;
    return false;
}

bool
parser_roots_is_root(const char *word, const char *other)
{
    if (parser_roots_is_inflected(word, other))
        return true;
    size_t len = likeness_shared(word, other), least = strlen(word),
           size = strlen(other);

    if (size < least)
        least = size;
    return len >= LIKENESS_ROOT && (len + 3 >= least || len > LIKENESS_ROOT) &&
           strchr(other, ' ') == NULL;
}

/* "result_value", "reading": the only number that is called no more than one. */
static int
only_number_called(struct parser *p, const char *key, const char *other)
{
    const char *names = lexicon_say(p->lexicon, p->arena, key, NULL, 0);
    struct words known = words_split(p->arena, slice_of(names ? names : ""), 32);
    int found = -1;

    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];
        const struct value value = {.kind = VALUE_COLUMN, .column = i};
        bool is_measure = false;

        for (size_t k = 0; k < column->words.count; k++)
            for (size_t w = 0; w < known.count; w++)
                is_measure |= lexicon_stands_for(p->lexicon, column->words.at[k].stem,
                                                 known.at[w].stem);
        if (!is_measure || !value_is_quantity(p, &value) ||
            (other && column_is_called(column, p->lexicon, other)))
            continue;
        if (found >= 0 && frame_owns(p->frame, i) == frame_owns(p->frame, found))
            return -1;
        if (found < 0 || frame_owns(p->frame, i))
            found = i;
    }
    return found;
}

int
parser_roots_grain(const struct parser *p, enum query_part part)
{
    bool is_month = part == PART_MONTH || part == PART_MONTH_NAME,
         is_quarter = part == PART_QUARTER || part == PART_QUARTER_NAME;
    const char *name =
        is_month     ? lexicon_say(p->lexicon, p->arena, "grain.month", NULL, 0)
        : is_quarter ? lexicon_say(p->lexicon, p->arena, "grain.quarter", NULL, 0)
                     : NULL;

    for (int i = 0; name && i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];

        if (column->kind == COLUMN_NUMBER && column->words.count == 1 &&
            column->words.at[0].stem == words_stem(name, strlen(name)) &&
            column->low >= 1 && column->high <= 12)
            return i;
    }
    return -1;
}

bool
parser_roots_is_amount(struct parser *p, size_t at)
{
    return at < p->reading->words.count &&
           lexicon_lists_stem(p->lexicon, "word.amounts",
                              p->reading->words.at[at].stem);
}

int
parser_roots_measure(struct parser *p)
{
    return only_number_called(p, "word.measures", NULL);
}

int
parser_roots_quality(struct parser *p, const char *word)
{
    static const char *const keys[] = {"word.temperatures", "word.weights",
                                       "word.heights", "word.depths", "word.speeds"};

    for (size_t i = 0; i < COUNT_OF(keys); i++)
        if (lexicon_lists(p->lexicon, keys[i], word))
            return only_number_called(p, keys[i], NULL);
    return -1;
}

int
parser_roots_quantity(struct parser *p)
{
    return only_number_called(p, "word.quantities",
                              "word.pricing"); /* no `unit_price` */
}

/* `amt_claimed` of "claims": money that rows are called after. */
static bool
is_money_of_noun(const struct parser *p, int at, const void *about)
{
    const struct column *column = &p->frame->column[at];
    const struct value value = {.kind = VALUE_COLUMN, .column = at};
    bool is_called = false;

    (void)about;
    if (!value_is_quantity(p, &value) || !column_is_in_currency(column, p->lexicon))
        return false;
    for (size_t k = 0; k < column->words.count; k++)
        for (size_t w = 0; w < p->frame->words.count; w++)
            is_called |= strlen(column->words.at[k].text) > 3 &&
                         parser_roots_is_root(p->frame->words.at[w].text,
                                              column->words.at[k].text);
    return is_called;
}

int
parser_roots_amount(struct parser *p)
{
    const int named = only_number_called(p, "word.amounts", NULL);

    return named >= 0 ? named : value_only_column(p, is_money_of_noun, NULL);
}

/* `damage_usd`, where nothing else is money; -1. */
static int
only_money(struct parser *p)
{
    int found = -1;

    for (int i = 0; i < p->frame->columns; i++) {
        const struct value value = {.kind = VALUE_COLUMN, .column = i};

        if (!value_is_quantity(p, &value) ||
            !column_is_in_currency(&p->frame->column[i], p->lexicon))
            continue;
        if (found >= 0)
            return -1;
        found = i;
    }
    return found;
}

int
parser_roots_worth(struct parser *p)
{
    const int amount = parser_roots_amount(p);

    if (amount >= 0)
        return amount;
    const int price = only_number_called(p, "word.prices", NULL);
    return price >= 0 ? price : only_money(p);
}

/* "cancellations" of `cancelled`, and of the `CNX` that is short for it. */
static bool
is_root_of_word(const struct parser *p, const char *word, const struct word *name)
{
    const struct words *full = lexicon_expansion(p->lexicon, name->stem);

    for (size_t i = 0; full && i < full->count; i++)
        if (parser_roots_is_root(word, full->at[i].text))
            return true;
    return parser_roots_is_root(word, name->text);
}

int
parser_roots_flag(const struct parser *p, const char *word)
{
    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];
        const struct value value = {.kind = VALUE_COLUMN, .column = i};

        if (!value_is_flag(p, &value))
            continue;
        for (size_t k = 0; k < column->words.count; k++)
            if (is_root_of_word(p, word, &column->words.at[k]) ||
                (k && likeness_is_phrasal(word, column->words.at[k - 1].text,
                                          column->words.at[k].text)))
                return i;
    }
    return -1;
}

static bool
root_of_column(struct parser *p, const char *word, struct test *test)
{
    const int column = parser_roots_flag(p, word);

    if (column < 0)
        return false;
    *test = (struct test){.of = value_of_column(p, column), .op = OP_EQ};
    return true;
}

int
parser_roots_date(const struct parser *p, const char *word)
{
    int found = PARSER_ROOTS_NONE;

    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];
        bool is_meant = false;

        for (size_t k = 0; column->kind == COLUMN_DATE && !column->is_clock &&
                           k < column->words.count;
             k++)
            is_meant |=
                strcasecmp(word, column->words.at[k].text) == 0 ||
                is_root_of_word(p, word, &column->words.at[k]) ||
                likeness_is_event(word, column->words.at[k].text) ||
                lexicon_is_form(p->lexicon, word, column->words.at[k].text) ||
                lexicon_is_short_for(p->lexicon, column->words.at[k].text, word);
        if (is_meant)
            found = found == PARSER_ROOTS_NONE ? i : PARSER_ROOTS_SEVERAL;
    }
    return found == PARSER_ROOTS_NONE && lexicon_lists(p->lexicon, "word.leaves", word)
               ? parser_time_end(p)
               : found;
}

static bool root_of_date(struct parser *p, const char *word, struct test *test);

/* "unplanned" of `planned`. */
static bool
root_of_negated(struct parser *p, const char *word, struct test *test)
{
    static const char *const prefixes[] = {"un", "non"};

    for (size_t i = 0; i < COUNT_OF(prefixes); i++) {
        size_t len = strlen(prefixes[i]);

        if (strncmp(word, prefixes[i], len) == 0 &&
            strlen(word) >= len + INFLECTED_LEAST &&
            root_of_column(p, word + len, test)) {
            test->is_not = true;
            return true;
        }
        if (strncmp(word, prefixes[i], len) == 0 &&
            strlen(word) >= len + INFLECTED_LEAST &&
            root_of_date(p, word + len, test)) {
            test->op = OP_NULL; /* "unsold" of `sale_date` */
            return true;
        }
    }
    return false;
}

/* "closed" of a date `closed` that some rows do not have. */
static bool
root_of_date(struct parser *p, const char *word, struct test *test)
{
    int date = parser_roots_date(p, word);

    if (date < 0 || p->frame->column[date].nulls <= 0)
        return false;
    *test = (struct test){.of = value_of_column(p, date), .op = OP_NOT_NULL};
    return true;
}

/* "dropout" of `dropout_reason`, which some rows do not have. */
static bool
root_of_filled(struct parser *p, const char *word, struct test *test)
{
    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];
        const struct words *words = &column->words;

        if (column->kind != COLUMN_TEXT || column->nulls <= 0 || words->count < 2 ||
            !lexicon_lists_stem(p->lexicon, "word.reasons",
                                words->at[words->count - 1].stem) ||
            !(strcasecmp(word, words->at[0].text) == 0 ||
              parser_roots_is_root(word, words->at[0].text)))
            continue;
        *test = (struct test){.of = value_of_column(p, i), .op = OP_NOT_NULL};
        return true;
    }
    return false;
}

/* "renewed" of `renewals`: at least once. */
static bool
root_of_count(struct parser *p, const char *word, struct test *test)
{
    int found = -1;

    if (!words_ends_in_ed(word))
        return false;
    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];
        const struct value value = {.kind = VALUE_COLUMN, .column = i};

        if (column->words.count != 1 || !column->is_integer || column->low != 0 ||
            !value_is_quantity(p, &value) ||
            !parser_roots_is_root(word, column->words.at[0].text))
            continue;
        if (found >= 0)
            return false;
        found = i;
    }
    if (found < 0)
        return false;
    *test = (struct test){.of = value_of_column(p, found), .op = OP_GT};
    parser_add_operand(test, (struct operand){.is_number = true, .number = 0});
    return true;
}

/* "open" of a date `closed`, "active" of an `end_date`: who has none. */
static bool
root_of_open(struct parser *p, const char *word, const char *opposite,
             struct test *test)
{
    int end = lexicon_lists(p->lexicon, "word.stays", word) ? parser_time_end(p) : -1;

    if (opposite && root_of_date(p, opposite, test)) {
        test->op = OP_NULL;
        return true;
    }
    if (end < 0)
        return false;
    *test = (struct test){.of = value_of_column(p, end), .op = OP_NULL};
    return true;
}

/* "profitable", "loss" of the one number that is a profit: above or below nought. */
static bool
root_of_profit(struct parser *p, const char *word, struct test *test)
{
    const bool is_loss = lexicon_lists(p->lexicon, "word.losses", word);
    const int profit = is_loss || lexicon_lists(p->lexicon, "word.profitable", word)
                           ? only_number_called(p, "word.profits", NULL)
                           : -1;

    if (profit < 0)
        return false;
    *test =
        (struct test){.of = value_of_column(p, profit), .op = is_loss ? OP_LT : OP_GT};
    parser_add_operand(test, (struct operand){.is_number = true, .number = 0});
    return true;
}

static bool root_of_cell(struct parser *p, const char *word, struct test *test);

bool
parser_roots_find(struct parser *p, const char *word, struct test *test)
{
    const char *opposite = lexicon_opposite(p->lexicon, words_stem(word, strlen(word)));

    if (strlen(word) < INFLECTED_LEAST)
        return false;
    if (root_of_column(p, word, test))
        return true;
    if (opposite && root_of_column(p, opposite, test)) {
        test->is_not = true;
        return true;
    }
    if (root_of_negated(p, word, test) || root_of_cell(p, word, test) ||
        parse_deadlines_find(p, word, test) || root_of_date(p, word, test) ||
        root_of_count(p, word, test) || root_of_filled(p, word, test) ||
        root_of_profit(p, word, test))
        return true;
    return root_of_open(p, word, opposite, test);
}

static bool
root_of_cell(struct parser *p, const char *word, struct test *test)
{
    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];
        size_t at;
        json_t *text;

        if (column->kind != COLUMN_TEXT ||
            json_array_size(column->values) > ROOT_VALUES_MAX)
            continue;
        json_array_foreach (column->values, at, text)
            if (parser_roots_is_root(word, json_string_value(text)) ||
                likeness_is_event(word, json_string_value(text))) { /* "hires" */
                *test = (struct test){.of = value_of_column(p, i), .op = OP_EQ};
                parser_add_operand(test,
                                   (struct operand){.text = json_string_value(text)});
                return true;
            }
    }
    return false;
}
