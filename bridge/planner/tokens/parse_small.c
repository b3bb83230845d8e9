/* Small signs and words around numbers: "under-35s", "more than 25 kg" of cells that
 * read "25 kg", "returned" where nothing is to be returned. */
#include "bridge/planner/tokens/parser.h"

enum {
    YEAR_LEAST = 1000, /* "the 1990s" are ten years */
};

static bool
is_behind_comparison(const struct parser *p)
{
    static const enum term terms[] = {TERM_GREATER, TERM_GREATER_EQUAL,
                                      TERM_LESS,    TERM_LESS_EQUAL,
                                      TERM_OVER,    TERM_BETWEEN};

    for (size_t i = 0; i < COUNT_OF(terms); i++)
        if (token_is(p, p->count - 1, terms[i]))
            return true;
    return false;
}

/* "35s": the number, and how many are so old. */
static bool
ends_number(struct parser *p, const struct item *item, const struct word *word)
{
    const struct word *before = item->begin ? word - 1 : NULL;

    if (strcmp(word->text, "s") != 0 || !before || before->end != word->begin ||
        !token_kind(p, p->count - 1, TOKEN_NUMBER) || before->kind != WORD_NUMBER ||
        before->number >= YEAR_LEAST)
        return false;
    p->token[p->count - 1].is_plural = true;
    return true;
}

bool
parse_small_is_noise(struct parser *p, const struct item *item, enum token_kind kind)
{
    const struct word *word = &p->reading->words.at[item->begin];

    if (kind == TOKEN_MARK && word->text[0] == '-')
        return token_is(p, p->count - 1, TERM_NOT) || /* "non-urgent" */
               (is_behind_comparison(p) && item->begin &&
                word[-1].end == word->begin); /* "under-35s" */
    return kind == TOKEN_UNKNOWN && ends_number(p, item, word);
}

bool
parse_small_is_none(const struct parser *p, const struct item *item)
{
    const struct item *next = item + 1, *end = p->reading->item + p->reading->count;

    return item->len == 1 && next < end &&
           lexicon_exact(p->lexicon, &p->reading->words, item->begin, 1) == TERM_NOT &&
           next->kind == ITEM_COLUMN &&
           (item->kind != ITEM_VALUE ||
            next->link[0].column != p->frame->value[item->value].column) &&
           (token_is(p, p->count - 1, TERM_WITH) ||
            token_is(p, p->count - 1, TERM_WHOSE) ||
            token_kind(p, p->count - 1, TOKEN_ROWS));
}

bool
parse_small_is_number(const struct parser *p, const struct item *item)
{
    return item->kind == ITEM_VALUE && is_behind_comparison(p) &&
           p->reading->words.at[item->begin].kind == WORD_NUMBER;
}

/* As the question has it: a table may know the word without its ending. */
static bool
is_participle(const struct parser *p, const struct word *word)
{
    const char *text = p->reading->question.data;

    return words_ends_in_ed(word->text) ||
           (word->corrected && word->end <= p->reading->question.len &&
            word->end - word->begin > 4 && text[word->end - 2] == 'e' &&
            text[word->end - 1] == 'd');
}

bool
parse_small_is_lasting(const struct parser *p, const struct item *item)
{
    const struct item *next = item + 1, *end = p->reading->item + p->reading->count;
    const struct word *word = &p->reading->words.at[item->begin];

    if (item->kind != ITEM_TERM || item->term != TERM_BOTTOM || item->len != 1 ||
        !lexicon_lists(p->lexicon, "word.took", word->text))
        return false;
    if (!lexicon_lists(p->lexicon, "word.ends", word->text))
        return true; /* "lasts" */
    const bool is_named =
        item->begin && lexicon_lists(p->lexicon, "word.articles", word[-1].text);
    return !is_named && item > p->reading->item &&
           (next == end || next->kind == ITEM_STOP || next->kind == ITEM_COMMA ||
            (next->kind == ITEM_TERM &&
             (next->term == TERM_MEAN || next->term == TERM_HIGH ||
              next->term == TERM_LOW || next->term == TERM_BY)));
}

bool
parse_small_is_spending(const struct parser *p, const struct item *item)
{
    const struct item *next = item + 1, *end = p->reading->item + p->reading->count;

    while (next < end && next->kind == ITEM_TERM && next->term == TERM_FILLER)
        next++; /* "the" */
    const bool has_most = next < end && next->kind == ITEM_TERM &&
                          next->term == TERM_HIGH &&
                          (next + 1 == end || next[1].kind != ITEM_COLUMN);
    const bool is_noun = /* "total spend" */
        token_is(p, p->count - 1, TERM_SUM) || token_is(p, p->count - 1, TERM_MEAN);
    const bool is_verb = item->kind == ITEM_UNKNOWN ||
                         (item->kind == ITEM_TERM && item->term == TERM_FILLER);
    return is_verb && item->len == 1 && (has_most || is_noun) &&
           lexicon_lists(p->lexicon, "word.spenders",
                         p->reading->words.at[item->begin].text);
}

bool
parse_small_is_done(const struct parser *p, const struct item *item)
{
    const struct words *words = &p->reading->words;
    const size_t next = item->begin + item->len;
    const bool is_dated = /* "reported within 2 hours": the time of it is asked */
        next < words->count && strcmp(words->at[next].text, "within") == 0;

    return item->kind == ITEM_TERM && item->len == 1 &&
           (item->term == TERM_SHOW || (item->term == TERM_FILLER && is_dated)) &&
           is_participle(p, &words->at[item->begin]) &&
           (is_dated || token_is(p, p->count - 1, TERM_NOT) ||
            token_is(p, p->count - 1, TERM_IS));
}
