/* What stands on the two sides of a comparison: another column of its kind, a second
 * bound. */
#include "bridge/planner/filter/parse_comparisons.h"
#include "bridge/planner/filter/parse_conditions.h"

/* "sold for more than the list price" of `sale_price` and `list_price`: the other of
 * the two that the question has a word for. */
const struct value *
parse_comparisons_twin(struct parser *p, const struct value *value)
{
    const struct column *column = value_column(p, value);
    const struct words *words = &p->reading->words;

    for (int i = 0; column && i < p->frame->columns; i++) {
        const struct column *other = &p->frame->column[i];
        const size_t last = other->words.count - 1;

        if (other == column || other->words.count != 2 || column->words.count != 2 ||
            other->kind != COLUMN_NUMBER ||
            other->words.at[last].stem != column->words.at[last].stem)
            continue;
        for (size_t k = 0; k < words->count; k++)
            if (words->at[k].stem == other->words.at[0].stem ||
                lexicon_is_form(p->lexicon, words->at[k].text, other->words.at[0].text))
                return value_of_column(p, i);
    }
    return value;
}

/* "below 6.5 or above 7.5": the two are one condition. */
void
parse_comparisons_other_side(struct parser *p, struct test *test, int end)
{
    static const struct {
        const char *text;
        enum plan_operator op;
    } sides[] = {
        {"above", OP_GT},
        {"over",  OP_GT},
        {"more",  OP_GT},
        {"below", OP_LT},
        {"under", OP_LT},
        {"less",  OP_LT}
    };
    const int side = end + 1 + token_is(p, end + 1, TERM_OR);
    const struct item *item = side < p->count ? p->token[side].item : NULL;

    if (!token_kind(p, side + 1, TOKEN_NUMBER) || !token_kind(p, side, TOKEN_TERM) ||
        (side == end + 1 && strcmp(p->token[side].text, "or") != 0))
        return;
    for (size_t i = 0; i < COUNT_OF(sides); i++)
        for (size_t k = item->begin; k < item->begin + item->len; k++) {
            if (strcmp(p->reading->words.at[k].text, sides[i].text) != 0)
                continue;
            struct test *both = arena_alloc(p->arena, 2, sizeof(*both));
            both[0] = *test;
            both[0].is_or = false;
            both[1] = (struct test){.of = test->of, .op = sides[i].op, .is_or = true};
            parse_comparisons_set(p, &both[1], side + 1);
            test->of = value_make(
                p, (struct value){.kind = VALUE_TEST, .test = both, .tests = 2});
            test->op = OP_EQ;
            test->operands = 0;
            test->than = NULL;
            token_use(p, end + 1, parse_comparisons_unit(p, side + 1));
            return;
        }
}
