/* Values that are said with a word more: "year 9" of "Y9", "paid in cash" of a payment.
 */
#include "bridge/planner/tokens/parser.h"

#include <ctype.h>

enum {
    NUMBER_MOST = 999, /* behind a letter: more are amounts, and no names */
};

/* Whether a word is one of the column's name, or what that is short for. */
static bool
names_column(const struct parser *p, const struct column *column, const char *word)
{
    const uint64_t stem = words_stem(word, strlen(word));

    for (size_t i = 0; i < column->words.count; i++) {
        const struct word *name = &column->words.at[i];
        const struct words *full = lexicon_expansion(p->lexicon, name->stem);

        if (lexicon_stands_for(p->lexicon, name->stem, stem) ||
            lexicon_is_form(p->lexicon, word, name->text) ||
            (strlen(name->text) > 3 && parser_roots_is_root(word, name->text)))
            return true;
        for (size_t k = 0; full && k < full->count; k++)
            if (lexicon_is_form(p->lexicon, word, full->at[k].text))
                return true;
    }
    return false;
}

static void
become_cell(struct parser *p, int at, int value, size_t len)
{
    struct item *item = arena_alloc(p->arena, 1, sizeof(*item));

    *item = *p->token[at].item;
    item->kind = ITEM_VALUE;
    item->value = value;
    item->len = len;
    p->token[at].item = item;
    p->token[at].kind = TOKEN_CELL;
    p->token[at].term = TERM_NONE;
}

/* "year 9", "grade 5": of values that are the word's first letter and the number. */
static void
name_numbered(struct parser *p, int at)
{
    const struct token *word = &p->token[at], *number = word + 1;

    if (at + 1 >= p->count || !token_kind(p, at + 1, TOKEN_NUMBER) ||
        !(number->number >= 0 && number->number <= NUMBER_MOST) || !word->text ||
        !isalpha((unsigned char)*word->text) || word->is_plural ||
        number->item->begin != word->item->begin + word->item->len)
        return;
    const char *text = arena_printf(p->arena, "%c%.12g", *word->text, number->number);
    for (int v = frame_find_value(p->frame, words_squash(0, text)); v >= 0;
         v = p->frame->value[v].next)
        if (names_column(p, &p->frame->column[p->frame->value[v].column], word->text)) {
            become_cell(p, at, v, word->item->len + number->item->len);
            token_drop(p, at + 1, at + 1);
            return;
        }
}

/* "paid in cash", "shipped by courier": the verb says no more than the column does. */
static void
drop_verb(struct parser *p, int at)
{
    const bool joins = token_is(p, at + 1, TERM_IN) || token_is(p, at + 1, TERM_BY) ||
                       token_is(p, at + 1, TERM_WITH);
    const int cell = at + 1 + joins;

    if (!token_kind(p, at, TOKEN_UNKNOWN) || !token_kind(p, cell, TOKEN_CELL) ||
        !(words_ends_in_ed(p->token[at].text) ||
          lexicon_lists(p->lexicon, "word.spends", p->token[at].text)) ||
        !names_column(p, token_cell_column(p, cell), p->token[at].text))
        return;
    const struct token value = p->token[cell];
    token_drop(p, at, cell);
    p->token[at] = value;
}

static bool
is_number_called(const struct parser *p, int column, const void *about)
{
    const uint64_t stem = *(const uint64_t *)about;
    const struct words *words = &p->frame->column[column].words;
    const struct value value = {.kind = VALUE_COLUMN, .column = column};
    bool is_called = false;

    for (size_t i = 0; i < words->count; i++)
        is_called |= words->at[i].stem == stem;
    return is_called && value_is_quantity(p, &value);
}

/* "total paid" of an amount, where "paid" is a status, too. */
static void
name_amount(struct parser *p, int at)
{
    const enum term before =
        at > 0 && token_kind(p, at - 1, TOKEN_TERM) ? p->token[at - 1].term : TERM_NONE;

    if (!token_kind(p, at, TOKEN_CELL) || p->token[at].item->len != 1 ||
        (before != TERM_SUM && before != TERM_MEAN && before != TERM_MEDIAN &&
         before != TERM_MAX && before != TERM_MIN) ||
        token_kind(p, at + 1, TOKEN_ROWS) || token_kind(p, at + 1, TOKEN_VALUE) ||
        token_kind(p, at + 1, TOKEN_UNKNOWN))
        return;
    const uint64_t stem = words_stem(p->token[at].text, strlen(p->token[at].text));
    const int found = value_only_column(p, is_number_called, &stem);
    if (found < 0)
        return;
    parser_note(p, "assume.column", token_text(p, at), p->frame->column[found].name);
    token_become(p, at, at, value_of_column(p, found));
}

/* "trial conversion" of `trial_converted`: the rest of its name, in another form. */
static void
drop_rest_of_name(struct parser *p, int at)
{
    const struct column *column = token_column(p, at - 1);

    if (column && token_kind(p, at, TOKEN_UNKNOWN) && column->words.count > 1 &&
        p->token[at - 1].score < 0.9f &&
        p->token[at - 1].item + 1 == p->token[at].item &&
        names_column(p, column, p->token[at].text)) {
        p->token[at - 1].score = 0.9f;
        memmove(&p->token[at], &p->token[at + 1],
                (size_t)(p->count - at - 1) * sizeof(p->token[at]));
        p->count--;
    }
}

static bool
is_key_of_text(const struct parser *p, int at, const void *about)
{
    const struct column *column = &p->frame->column[at];

    (void)about;
    return column->is_unique && column->kind == COLUMN_TEXT &&
           (column->role == ROLE_KEY || column->flags & FLAG_KEY);
}

/* "ticket INC0204109": the row that is called so. */
static void
take_key(struct parser *p, int at)
{
    const struct word *words = p->reading->words.at;
    const int key = token_kind(p, at, TOKEN_UNKNOWN) &&
                            token_kind(p, at + 1, TOKEN_NUMBER) &&
                            words[p->token[at].item->begin].end ==
                                words[p->token[at + 1].item->begin].begin
                        ? value_only_column(p, is_key_of_text, NULL)
                        : -1;

    const bool is_percentile = key >= 0 && strcmp(p->token[at].text, "p") == 0 &&
                               p->token[at + 1].number < 100;
    if (key < 0 || is_percentile || (at > 0 && token_is_bound(p, at - 1)))
        return;
    const size_t begin = words[p->token[at].item->begin].begin,
                 end = words[p->token[at + 1].item->begin].end;
    p->at = at;
    struct test *test = parser_add_test(p, value_of_column(p, key), OP_EQ);
    parser_add_operand(
        test,
        (struct operand){.text = arena_text(p->arena, p->reading->question.data + begin,
                                            end - begin)});
    token_drop(p, at, at + 1);
}

/* "lightest and heaviest weight": of one number both. */
static void
name_both_ends(struct parser *p, int at)
{
    const bool is_low = token_is(p, at, TERM_LOW);

    if (!(is_low || token_is(p, at, TERM_HIGH)) || !token_column(p, at + 1) ||
        !token_is(p, at + 2, TERM_AND) ||
        !token_is(p, at + 3, is_low ? TERM_HIGH : TERM_LOW) ||
        token_column(p, at + 4) != token_column(p, at + 1))
        return;
    memmove(&p->token[at + 1], &p->token[at + 2],
            (size_t)(p->count - at - 2) * sizeof(p->token[at]));
    p->count--;
}

/* "more than 8 km away" */
static void
drop_away(struct parser *p, int at)
{
    if (token_kind(p, at, TOKEN_UNKNOWN) && token_is(p, at - 1, TERM_UNIT) &&
        lexicon_lists(p->lexicon, "word.away", p->token[at].text))
        token_drop(p, at, at);
}

void
parse_cells_said(struct parser *p)
{
    for (int i = 0; i < p->count; i++) {
        name_numbered(p, i);
        name_amount(p, i);
        drop_rest_of_name(p, i);
        take_key(p, i);
        name_both_ends(p, i);
        drop_verb(p, i);
        drop_away(p, i);
    }
}
