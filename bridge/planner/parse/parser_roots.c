/* Columns and values that a question names by a word of the same root. */
#include <strings.h>

#include "bridge/planner/parse/parser.h"
#include "bridge/planner/words/likeness.h"

enum {
    ROOT_VALUES_MAX = 60,
    INFLECTED_LEAST = 4,
};

/* "pass" and "passed": one is the other with an ending. */
static bool
is_inflected(const char *word, const char *other)
{
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

static bool
is_root(const char *word, const char *other)
{
    if (is_inflected(word, other))
        return true;
    size_t len = likeness_shared(word, other), least = strlen(word),
           size = strlen(other);

    if (size < least)
        least = size;
    return len >= LIKENESS_ROOT && (len + 3 >= least || len > LIKENESS_ROOT) &&
           strchr(other, ' ') == NULL;
}

/* How likely a column of dates is the time that a question speaks of. */
static int
time_score(const struct parser *p, int column)
{
    const struct column *about = &p->frame->column[column];
    int score = about->kind == COLUMN_DATE ? 100 : 0;
    struct words full = about->words;

    if (about->flags & FLAG_BIRTH)
        score -= 50;
    for (int i = 0; i < p->count; i++) {
        if (token_column(p, i) == about && p->token[i].score >= 0.6f)
            score += 40;
        for (size_t k = 0; k < full.count; k++)
            if (p->token[i].kind != TOKEN_VALUE &&
                is_root(p->token[i].text, full.at[k].text))
                score += 20;
    }
    return score;
}

int
parser_roots_time(struct parser *p)
{
    int best = -1, most = -1, many = 0, runner = -1;

    for (int i = 0; i < p->frame->columns; i++) {
        if (p->frame->column[i].role != ROLE_TIME)
            continue;
        int score = time_score(p, i);
        many += score >= 60;
        if (score > most) {
            runner = most;
            most = score;
            best = i;
        } else if (score > runner) {
            runner = score;
        }
    }
    if (many > 1 && runner == most)
        parser_note(p, "assume.time", p->frame->column[best].name, NULL);
    return best;
}

static bool
root_of_column(struct parser *p, const char *word, struct test *test)
{
    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];
        const struct value value = {.kind = VALUE_COLUMN, .column = i};

        if (!value_is_flag(p, &value))
            continue;
        for (size_t k = 0; k < column->words.count; k++)
            if (is_root(word, column->words.at[k].text)) {
                *test = (struct test){.of = value_of_column(p, i), .op = OP_EQ};
                return true;
            }
    }
    return false;
}

bool
parser_roots_is_date(const struct parser *p, const char *word)
{
    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];

        for (size_t k = 0; column->kind == COLUMN_DATE && k < column->words.count; k++)
            if (is_root(word, column->words.at[k].text))
                return true;
    }
    return false;
}

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
    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];
        size_t at;
        json_t *text;

        if (column->kind != COLUMN_TEXT ||
            json_array_size(column->values) > ROOT_VALUES_MAX)
            continue;
        json_array_foreach (column->values, at, text)
            if (is_root(word, json_string_value(text))) {
                *test = (struct test){.of = value_of_column(p, i), .op = OP_EQ};
                parser_add_operand(test,
                                   (struct operand){.text = json_string_value(text)});
                return true;
            }
    }
    return false;
}
