/*
 * Conditions on parts of text: "name contains the letter M", "starting with A".
 */
#include "bridge/planner/draft/filters.h"

static const struct item *
text_operand(const struct draft *draft, size_t at)
{
    const struct item *item = draft_item(draft, at);

    if (!item || item->is_used)
        return NULL;
    bool is_quoted = draft->reading->words.at[item->begin].quote;
    bool is_letter = reading_text(draft->reading, item).len == 1;
    bool is_word = item->kind == ITEM_UNKNOWN || item->kind == ITEM_VALUE ||
                   (item->kind == ITEM_NUMBER && is_quoted) ||
                   (item->kind == ITEM_TERM && (is_quoted || is_letter));
    return is_word ? item : NULL;
}

/* "orders with the word … in the comment", where none is called so: not in their ids.
 */
static bool
is_text(const struct draft *draft, const struct item *item)
{
    return item->kind == ITEM_COLUMN && item->links > 0 &&
           draft_column(draft, item->link[0].column)->kind == COLUMN_TEXT;
}

static int
text_column(struct draft *draft, size_t from, size_t to)
{
    for (size_t i = to; i < to + 5 && draft_item(draft, i); i++)
        if (is_text(draft, draft_item(draft, i)) && !draft_item(draft, i)->is_used) {
            draft_use(draft, to, i + 1);
            return draft_resolve(draft, draft_item(draft, i), false);
        } else if (draft_item(draft, i)->kind != ITEM_TERM ||
                   draft_item(draft, i)->term == TERM_BY) {
            break;
        }
    for (size_t back = 0, i = from; i > 0 && back < FILTER_NEAR; back++, i--)
        if (is_text(draft, draft_item(draft, i - 1))) {
            draft_use(draft, i - 1, from);
            return draft_resolve(draft, draft_item(draft, i - 1), false);
        } else if (draft_item(draft, i - 1)->kind == ITEM_STOP) {
            break;
        }
    return -1;
}

/* A run of words in one pair of quotation marks is one text. */
static struct operand
quoted_operand(const struct draft *draft, const struct item *item, size_t *at)
{
    const struct words *words = &draft->reading->words;
    int quote = words->at[item->begin].quote;
    size_t begin = words->at[item->begin].begin, end;

    do
        end = words->at[draft_item(draft, *at)->begin + draft_item(draft, *at)->len - 1]
                  .end;
    while (++*at < draft->reading->count && quote &&
           words->at[draft_item(draft, *at)->begin].quote == quote);
    return (struct operand){.text = arena_text(draft->arena,
                                               draft->reading->question.data + begin,
                                               end - begin)};
}

void
filter_take_text(struct draft *draft, size_t at, enum plan_operator op)
{
    struct operand operand[OPERANDS_MAX];
    unsigned operands = 0;
    size_t i = at + 1;
    bool is_not = filter_is_negated(draft, at);

    while (draft_is_term(draft, i, TERM_LETTERS) ||
           draft_is_term(draft, i, TERM_FILLER))
        if (text_operand(draft, i))
            break;
        else
            i++;
    while (operands < OPERANDS_MAX) {
        const struct item *item = text_operand(draft, i);

        if (!item)
            break;
        operand[operands++] = quoted_operand(draft, item, &i);
        if (!draft_is_term(draft, i, TERM_OR) && !draft_is_term(draft, i, TERM_AND))
            break;
        i += text_operand(draft, i + 1) ? 1 : 0;
    }
    int column = operands ? text_column(draft, at, i) : -1;
    if (column < 0)
        return;
    for (unsigned k = 0; k < operands; k++) {
        struct filter *filter =
            filter_add(draft, column, is_not ? filter_negate(op) : op);

        filter_add_operand(filter, operand[k]);
        if (filter)
            filter->is_or = k > 0 || filter_follows_or(draft, at);
    }
    draft_use(draft, at, i);
}
