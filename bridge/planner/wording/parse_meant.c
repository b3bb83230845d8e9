/* Small words and terms that stand for a value of cells: "grade A", "never". */
#include <ctype.h>

#include "bridge/planner/tokens/parser.h"

/* "not ok", "are not GET": a small word that stands where a value does. */
static int
small_cell_of(const struct parser *p, const struct item *item, const struct word *word)
{
    const struct item *before = item > p->reading->item ? item - 1 : NULL;

    if (item->term != TERM_FILLER || item->len != 1 || !before ||
        before->kind != ITEM_TERM || word->kind != WORD_TEXT ||
        (before->term != TERM_NOT && before->term != TERM_EQUAL &&
         before->term != TERM_UNEQUAL))
        return -1;
    return frame_find_value(p->frame, words_squash(0, word->text));
}

/* "in A minor": a capital in the middle of small letters, and so no article. */
static bool
is_capital_within(const struct parser *p, const struct item *item)
{
    const struct word *word = &p->reading->words.at[item->begin];
    const char *text = p->reading->question.data;
    size_t next = item->begin + item->len;

    return item->begin > 0 && isupper((unsigned char)text[word->begin]) &&
           p->reading->words.at[item->begin - 1].kind == WORD_TEXT &&
           next < p->reading->words.count &&
           islower((unsigned char)text[p->reading->words.at[next].begin]) &&
           islower((unsigned char)text[p->reading->words.at[item->begin - 1].begin]);
}

/* "grade A": an article, but for the column before it and its capital. */
static int
article_cell_of(const struct parser *p, const struct item *item,
                const struct word *word)
{
    const struct item *before = item > p->reading->item ? item - 1 : NULL;

    if (item->term != TERM_FILLER || item->len != 1 || !before ||
        !isupper((unsigned char)p->reading->question.data[word->begin]))
        return -1;
    if (before->kind != ITEM_COLUMN)
        return is_capital_within(p, item)
                   ? frame_find_value(p->frame, words_squash(0, word->text))
                   : -1;
    for (int v = frame_find_value(p->frame, words_squash(0, word->text)); v >= 0;
         v = p->frame->value[v].next)
        if (p->frame->value[v].column == before->link[0].column)
            return v;
    return -1;
}

/* "urgency high", "high urgency": a value of the column beside it, not a rank. */
static int
extreme_cell_of(const struct parser *p, const struct item *item,
                const struct word *word)
{
    const struct reading *reading = p->reading;
    const struct item *end = reading->item + reading->count;

    if (item->len != 1 || (item->term != TERM_HIGH && item->term != TERM_LOW) ||
        word->superlative)
        return -1;
    for (int v = frame_find_value(p->frame, words_squash(0, word->text)); v >= 0;
         v = p->frame->value[v].next)
        for (int step = -1; step <= 1; step += 2) {
            const struct item *beside = item + step;

            if (beside >= reading->item && beside < end &&
                beside->kind == ITEM_COLUMN &&
                beside->link[0].column == p->frame->value[v].column)
                return v;
        }
    return -1;
}

/* "never" is a value where a column that is named has it. */
static int
cell_of(const struct parser *p, const struct item *item, const struct word *word)
{
    if (item->len != 1 || item->term != TERM_NOT || word->kind != WORD_TEXT)
        return -1;
    for (int v = frame_find_value(p->frame, words_squash(0, word->text)); v >= 0;
         v = p->frame->value[v].next)
        for (size_t i = 0; i < p->reading->count; i++)
            if (p->reading->item[i].kind == ITEM_COLUMN &&
                p->reading->item[i].link[0].column == p->frame->value[v].column &&
                p->frame->column[p->frame->value[v].column].unique > 2)
                return v;
    return -1;
}

/* "summer" is a value where some column has it. */
static int
season_cell_of(const struct parser *p, const struct item *item)
{
    const struct word *last = &p->reading->words.at[item->begin + item->len - 1];

    return item->term >= TERM_WINTER && item->term <= TERM_AUTUMN
               ? frame_find_value(p->frame, words_squash(0, last->text))
               : -1;
}

/* "breakdown rounds": the value, and not how something breaks down. */
static int
kind_cell_of(const struct parser *p, const struct item *item, const struct word *word)
{
    const struct item *next = item + 1, *end = p->reading->item + p->reading->count;

    return item->len == 1 && next < end && word->kind == WORD_TEXT &&
                   (item->term == TERM_SERIES || item->term == TERM_DISTRIBUTION) &&
                   frame_is_noun(p->frame, p->reading->words.at[next->begin].stem)
               ? frame_find_value(p->frame, words_squash(0, word->text))
               : -1;
}

/* "breakdowns per lorry": rows that have the value, which is a term elsewhere. */
static int
counted_cell_of(const struct parser *p, const struct item *item,
                const struct word *word)
{
    static const enum term behind[] = {TERM_PER, TERM_BY, TERM_EACH, TERM_IN,
                                       TERM_OVER};
    const struct item *next = item + 1, *end = p->reading->item + p->reading->count;
    const size_t len = strlen(word->text);
    const bool is_head = p->count == 0 || token_is(p, p->count - 1, TERM_HOW_MANY) ||
                         token_is(p, p->count - 1, TERM_COUNT);
    bool is_counted = false;

    for (size_t i = 0; next < end && i < COUNT_OF(behind); i++)
        is_counted |= next->kind == ITEM_TERM && next->term == behind[i];
    is_counted |= next < end && lexicon_lists(p->lexicon, "word.this",
                                              p->reading->words.at[next->begin].text);
    return item->len == 1 && word->kind == WORD_TEXT && is_head && is_counted &&
                   words_is_plural(word->text)
               ? frame_find_value(
                     p->frame,
                     words_squash(0, arena_text(p->arena, word->text, len - 1)))
               : -1;
}

/* "annual billing", "billed annually": a value of the column beside it, and no period.
 */
static int
period_cell_of(const struct parser *p, const struct item *item, const struct word *word)
{
    const struct item *end = p->reading->item + p->reading->count;
    const size_t len = strlen(word->text);
    const bool is_adverb = len > 4 && strcmp(word->text + len - 2, "ly") == 0;

    if (item->len != 1 || item->term < TERM_YEAR || item->term > TERM_DAY)
        return -1;
    for (int cut = 0; cut <= 2 * is_adverb; cut += 2) {
        const char *text = arena_text(p->arena, word->text, len - (size_t)cut);

        for (int v = frame_find_value(p->frame, words_squash(0, text)); v >= 0;
             v = p->frame->value[v].next) {
            const struct column *column = &p->frame->column[p->frame->value[v].column];

            for (int step = -1; step <= 1; step += 2) {
                const struct item *beside = item + step;
                const bool is_there = beside >= p->reading->item && beside < end;

                for (size_t i = 0; is_there && i < column->words.count; i++)
                    if (p->reading->words.at[beside->begin].stem ==
                            column->words.at[i].stem ||
                        parser_roots_is_root(p->reading->words.at[beside->begin].text,
                                             column->words.at[i].text))
                        return v;
            }
        }
    }
    return -1;
}

/* "for returns", "billing and returns": not at the head, where one is told to show. */
static int
shown_cell_of(const struct parser *p, const struct item *item, const struct word *word)
{
    return item->term == TERM_SHOW && item->len == 1 && item > p->reading->item &&
                   word->kind == WORD_TEXT
               ? frame_find_value(p->frame, words_squash(0, word->text))
               : -1;
}

/* "it customers", "in the it sector", and not "show us customers". */
static int
code_cell_of(const struct parser *p, const struct item *item, const struct word *word)
{
    const struct item *next = item + 1, *end = p->reading->item + p->reading->count,
                      *before = item > p->reading->item ? item - 1 : NULL;

    if (item->term != TERM_FILLER || item->len != 1 || next >= end ||
        !lexicon_lists(p->lexicon, "word.codes", word->text) ||
        (before && before->kind == ITEM_TERM && before->term == TERM_SHOW))
        return -1;
    const struct word *noun = &p->reading->words.at[next->begin];
    const bool is_thing =
        words_is_plural(noun->text) &&
        (next->kind == ITEM_COLUMN || frame_is_noun(p->frame, noun->stem) ||
         lexicon_flags(p->lexicon, noun->stem) & FLAG_ROWS);
    for (int v = frame_find_value(p->frame, words_squash(0, word->text)); v >= 0;
         v = p->frame->value[v].next)
        if (is_thing || (next->kind == ITEM_COLUMN &&
                         next->link[0].column == p->frame->value[v].column))
            return v;
    return -1;
}

int
parse_meant_cell(const struct parser *p, const struct item *item,
                 const struct word *word)
{
    int cell = cell_of(p, item, word);

    cell = cell < 0 ? small_cell_of(p, item, word) : cell;
    cell = cell < 0 ? article_cell_of(p, item, word) : cell;
    cell = cell < 0 ? extreme_cell_of(p, item, word) : cell;
    cell = cell < 0 ? counted_cell_of(p, item, word) : cell;
    cell = cell < 0 ? kind_cell_of(p, item, word) : cell;
    cell = cell < 0 ? period_cell_of(p, item, word) : cell;
    cell = cell < 0 ? shown_cell_of(p, item, word) : cell;
    cell = cell < 0 ? code_cell_of(p, item, word) : cell;
    return cell < 0 ? season_cell_of(p, item) : cell;
}
