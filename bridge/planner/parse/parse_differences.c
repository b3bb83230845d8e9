/* derive: what one number is more than another, with its sign or without. */
#include "bridge/planner/tokens/parser.h"

/* Two columns of numbers, and not the same. */
static bool
are_two(const struct parser *p, int one, int two)
{
    return token_column(p, one) && token_column(p, two) &&
           p->token[one].value->kind == VALUE_COLUMN &&
           p->token[two].value->kind == VALUE_COLUMN && value_is_quantity_at(p, one) &&
           value_is_quantity_at(p, two) &&
           !query_value_is_same(p->token[one].value, p->token[two].value);
}

static const struct value *
difference(struct parser *p, int one, int two, bool is_distance)
{
    return value_make(p, (struct value){.kind = VALUE_ARITHMETIC,
                                        .op = '-',
                                        .left = p->token[one].value,
                                        .right = p->token[two].value,
                                        .is_distance = is_distance});
}

/* "difference between finish and half time", "change from baseline to week 12",
 * "absolute difference between both scores". */
void
parse_differences_take(struct parser *p, int at)
{
    const bool is_change = token_is(p, at, TERM_CHANGE),
               is_distance =
                   token_kind(p, at - 1, TOKEN_UNKNOWN) &&
                   lexicon_lists(p->lexicon, "word.absolute", p->token[at - 1].text);
    const int first = at + 1 +
                      (is_change && (token_is(p, at + 1, TERM_FROM) ||
                                     token_is(p, at + 1, TERM_BETWEEN))),
              second = first + 2;

    if (!(token_is(p, at, TERM_DIFFERENCE) || first == at + 2) ||
        !are_two(p, first, second) ||
        !(token_is(p, first + 1, TERM_AND) || token_is(p, first + 1, TERM_TO)))
        return;
    token_become(p, at - is_distance, second,
                 difference(p, is_change ? second : first, is_change ? first : second,
                            is_distance));
    p->query->is_difference = p->wants_compare = false;
}
