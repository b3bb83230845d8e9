/* Columns of amounts that a question calls by what they are amounts of: "money awarded"
 * of `sum_awarded`, "average invoice" of `inv_total`. */
#include "bridge/planner/tokens/parser.h"

enum {
    NOUN_LEAST = 4,    /* letters; shorter ones begin too many others */
    PORTION_LEAST = 3, /* "VAT" */
};

/* "inv" and "award" of "invoice" and "awarded". */
static bool
is_called(const struct parser *p, const struct word *part, const struct word *word)
{
    return lexicon_stands_for(p->lexicon, part->stem, word->stem) ||
           parser_roots_is_inflected(part->text, word->text);
}

/* `inv_total` is an amount of invoices, and of nothing else. */
static bool
is_sum_of(const struct parser *p, int at, const void *about)
{
    const struct column *column = &p->frame->column[at];
    const struct value value = {.kind = VALUE_COLUMN, .column = at};
    const struct word *word = about;
    unsigned called = 0, sums = 0;

    if (!value_is_quantity(p, &value))
        return false;
    for (size_t i = 0; i < column->words.count; i++) {
        const struct word *part = &column->words.at[i];
        if (lexicon_lists(p->lexicon, "word.sums", part->text))
            sums++;
        else if (is_called(p, part, word))
            called++;
        else if (!(lexicon_flags(p->lexicon, part->stem) & FLAG_UNIT))
            return false;
    }
    return called == 1 && sums > 0;
}

/* The one such column; below 0: none, or several. */
static int
sum_of(const struct parser *p, int at)
{
    const struct item *item = at >= 0 && at < p->count ? p->token[at].item : NULL;

    if (!item || item->len != 1)
        return NO_COLUMN;
    const struct word *word = &p->reading->words.at[item->begin];
    if (word->kind != WORD_TEXT || strlen(word->text) < NOUN_LEAST)
        return NO_COLUMN;
    return value_only_column(p, is_sum_of, word);
}

/* A column that the question surely names stands for itself. */
static bool
is_sure(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_VALUE) && p->token[at].score >= 0.6f;
}

static bool
is_money(const struct parser *p, int at)
{
    return (token_kind(p, at, TOKEN_VALUE) || token_kind(p, at, TOKEN_UNKNOWN)) &&
           !is_sure(p, at) &&
           lexicon_lists(p->lexicon, "word.moneys", p->token[at].text);
}

static void
become_sum(struct parser *p, int from, int to, int noun, int column)
{
    parser_note(p, "assume.column", token_text(p, noun), p->frame->column[column].name);
    token_become_other(p, from, to, value_of_column(p, column));
}

/* "money awarded", "award money" */
static bool
take_money(struct parser *p, int at)
{
    for (int step = 1; step >= -1; step -= 2) {
        const int noun = at + step, column = sum_of(p, noun);
        if (column >= 0) {
            become_sum(p, step > 0 ? at : noun, step > 0 ? noun : at, noun, column);
            return true;
        }
    }
    return false;
}

/* "Who has asked for the most money?": the money is what was asked for. */
static bool
take_money_apart(struct parser *p, int at)
{
    int noun = -1;

    for (int i = 0; i < p->count; i++)
        if (i != at && sum_of(p, i) >= 0) {
            if (noun >= 0)
                return false;
            noun = i;
        }
    if (noun < 0)
        return false;
    become_sum(p, at, at, noun, sum_of(p, noun));
    token_drop(p, noun, noun);
    return true;
}

/* "average invoice", where invoices are rows or values; not "average invoice weight".
 */
static bool
take_mean(struct parser *p, int at)
{
    const bool is_noun = token_kind(p, at, TOKEN_ROWS) ||
                         token_kind(p, at, TOKEN_CELL) ||
                         token_kind(p, at, TOKEN_UNKNOWN);
    const bool is_reduced =
        token_is(p, at - 1, TERM_MEAN) || token_is(p, at - 1, TERM_MEDIAN) ||
        ((token_is(p, at - 1, TERM_HIGH) || token_is(p, at - 1, TERM_LOW)) &&
         !token_kind(p, at, TOKEN_ROWS));

    if (!is_noun || !is_reduced || p->token[at].is_plural ||
        token_kind(p, at + 1, TOKEN_VALUE) || token_is(p, at + 1, TERM_AMOUNT) ||
        token_kind(p, at + 1, TOKEN_UNKNOWN) || token_kind(p, at + 1, TOKEN_ROWS))
        return false;
    const int column = sum_of(p, at);
    if (column < 0)
        return false;
    become_sum(p, at, at, at, column);
    return true;
}

/* "average deal size": what a deal amounts to. */
static bool
take_size(struct parser *p, int at)
{
    const int column =
        token_kind(p, at, TOKEN_ROWS) && token_kind(p, at + 1, TOKEN_UNKNOWN) &&
                lexicon_lists(p->lexicon, "word.worths", p->token[at + 1].text)
            ? parser_roots_amount(p)
            : -1;

    if (column < 0)
        return false;
    become_sum(p, at, at + 1, at + 1, column);
    return true;
}

/* "total billed", "how much did we invoice": what the rows amount to. */
static bool
take_charged(struct parser *p, int at)
{
    const bool is_summed = token_is(p, at - 1, TERM_SUM) ||
                           token_is(p, at - 1, TERM_HOW_MUCH) ||
                           token_is(p, at - 1, TERM_MEAN);
    const int column =
        is_summed && token_kind(p, at, TOKEN_UNKNOWN) &&
                !token_kind(p, at + 1, TOKEN_VALUE) &&
                !token_kind(p, at + 1, TOKEN_UNKNOWN) &&
                !token_kind(p, at + 1, TOKEN_ROWS) &&
                lexicon_lists(p->lexicon, "word.charged", p->token[at].text)
            ? parser_roots_amount(p)
            : -1;

    if (column < 0)
        return false;
    become_sum(p, at, at, at, column);
    return true;
}

/* "commission" of `comm_rate`, "VAT" of `VATpct` */
static bool
is_portion_called(const struct parser *p, int at, const void *about)
{
    const struct column *column = &p->frame->column[at];
    const struct words *words = &column->words;
    const struct word *word = about;

    return column->kind == COLUMN_NUMBER && words->count == 2 && column->has_range &&
           column->low >= 0 && column->high <= 100 &&
           lexicon_lists(p->lexicon, "word.portions", words->at[1].text) &&
           (is_called(p, &words->at[0], word) ||
            (strlen(words->at[0].text) >= NOUN_LEAST &&
             strncmp(words->at[0].text, word->text, strlen(words->at[0].text)) == 0));
}

/* What part of the amount it is; below 0: no column says so, or several do. */
static int
portion_column(const struct parser *p, int at)
{
    const struct word *word = &p->reading->words.at[p->token[at].item->begin];

    if (p->token[at].item->len != 1 || word->kind != WORD_TEXT ||
        !lexicon_lists_stem(p->lexicon, "word.cuts", word->stem))
        return NO_COLUMN; /* "attendance" of `AttendPct` is no money */
    return value_only_column(p, is_portion_called, word);
}

/* "VAT charged", "total commission": that part of what the rows amount to. */
static bool
take_portion(struct parser *p, int at)
{
    if (!(token_kind(p, at, TOKEN_UNKNOWN) || token_kind(p, at, TOKEN_VALUE)) ||
        strlen(p->token[at].text) < PORTION_LEAST)
        return false;
    const bool is_behind =
                   at + 1 < p->count &&
                   lexicon_lists(p->lexicon, "word.charged", p->token[at + 1].text),
               is_summed =
                   token_is(p, at - 1, TERM_SUM) || token_is(p, at - 1, TERM_HOW_MUCH),
               is_alone =
                   at == 0 && token_kind(p, at + 1, TOKEN_TERM) &&
                   (token_is(p, at + 1, TERM_BY) || token_is(p, at + 1, TERM_PER) ||
                    token_is(p, at + 1, TERM_EACH) ||
                    parser_part(p->token[at + 1].term) != PART_NONE);
    const int rate = is_behind || is_summed || is_alone ? portion_column(p, at) : -1;
    const int amount = rate < 0 ? -1 : parser_roots_worth(p);

    if (amount < 0)
        return false;
    const struct value *part = value_of_column(p, rate);
    if (p->frame->column[rate].high > 1)
        part = value_make(p, (struct value){.kind = VALUE_ARITHMETIC,
                                            .op = '/',
                                            .left = part,
                                            .right = value_make(
                                                p, (struct value){.kind = VALUE_NUMBER,
                                                                  .number = 100})});
    struct value *named =
        value_make(p, (struct value){.kind = VALUE_ARITHMETIC,
                                     .op = '*',
                                     .left = value_of_column(p, amount),
                                     .right = part,
                                     .name = token_text(p, at)});
    parser_note(p, "assume.portion", p->frame->column[amount].name,
                p->frame->column[rate].name);
    token_become_other(p, at, at + is_behind, named);
    return true;
}

/* Whether what stands at `at` is a number that is ordered, averaged or looked for. */
static bool
is_number_said(const struct parser *p, int at)
{
    static const enum term terms[] = {
        TERM_BY,        TERM_SORT, TERM_DESCENDING, TERM_MEAN, TERM_MAX,
        TERM_ASCENDING, TERM_HIGH, TERM_LOW,        TERM_MIN,  TERM_MEDIAN};
    const int before = at - 1 - token_is(p, at - 1, TERM_OF);

    for (size_t i = 0; i < COUNT_OF(terms); i++)
        if (token_is(p, before, terms[i]))
            return true;
    return at == 0 &&
           token_is(p, p->count - 1, TERM_MEAN); /* "total by city, average" */
}

/* "sorted by total", "average total" of a `total_gbp`, and no sum of anything. */
static void
name_total(struct parser *p)
{
    for (int i = 0; i < p->count; i++) {
        if (!token_is(p, i, TERM_SUM) || !is_number_said(p, i) ||
            token_kind(p, i + 1, TOKEN_VALUE) || token_kind(p, i + 1, TOKEN_UNKNOWN) ||
            token_kind(p, i + 1, TOKEN_ROWS) || token_is(p, i + 1, TERM_OF))
            continue;
        const int column =
            value_number_called(p, &p->reading->words.at[p->token[i].item->begin]);
        if (column >= 0)
            token_become(p, i, i, value_of_column(p, column));
    }
}

void
parse_sums(struct parser *p)
{
    bool is_done = false;

    name_total(p);

    for (int i = 0; i < p->count && !is_done; i++)
        is_done = take_portion(p, i) || take_size(p, i) || take_charged(p, i) ||
                  (is_money(p, i) ? take_money(p, i) || take_money_apart(p, i)
                                  : take_mean(p, i));
}
