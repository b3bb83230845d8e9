/* filter: "bills above the average", "heavier than the mean of its own stream". */
#include "bridge/planner/filter/parse_comparisons.h"
#include "bridge/planner/filter/parse_conditions.h"

/* "of its own stream", "for their cuisine": where the groups stand that each row is
 * held against; -1. */
static int
own_group_behind(const struct parser *p, int at)
{
    /* "average of their district": the word may belong to the term before */
    const int key = at + (token_is(p, at, TERM_OF) || token_is(p, at, TERM_FOR) ||
                          token_is(p, at, TERM_IN));
    bool is_own = false;

    if (!token_kind(p, key, TOKEN_VALUE) || value_is_quantity(p, p->token[key].value))
        return -1;
    const struct item *item = p->token[key].item, *before = p->token[at - 1].item;
    for (size_t i = before->begin + before->len - 1; i < item->begin + item->len; i++)
        is_own |= lexicon_lists(p->lexicon, "word.own", p->reading->words.at[i].text);
    return is_own ? key : -1;
}

/* "above their own station's average", "above the district average": the group stands
 * before the mean; -1. */
static int
own_group_before(const struct parser *p, int at)
{
    const bool is_group = token_kind(p, at, TOKEN_VALUE) && token_is_free(p, at) &&
                          !value_is_quantity(p, p->token[at].value) &&
                          !value_is_date(p, p->token[at].value);

    return is_group &&
                   (token_is(p, at + 1, TERM_MEAN) || token_is(p, at + 1, TERM_MEDIAN))
               ? at
               : -1;
}

/* "visit more than the average", "bills above the median": against all rows, or those
 * of the same group. */
bool
parse_levels_take(struct parser *p, int at, enum plan_operator op)
{
    const int start = at + token_is(p, at + 1, TERM_IS),
              before = own_group_before(p, start + 1), than = start + (before >= 0);
    bool is_median = token_is(p, than + 1, TERM_MEDIAN);
    int column = at - 1, end = than + 1;

    if (!(is_median || token_is(p, than + 1, TERM_MEAN)) ||
        token_is(p, at, TERM_AFTER) || token_is(p, at, TERM_BEFORE))
        return false; /* "after sowing, on average" */
    while (parse_conditions_is_link(p, column))
        column--;
    if (!token_kind(p, column, TOKEN_VALUE) || p->token[column].is_used) {
        column = end + 1; /* "above average price" */
        end++;
    }
    if (!token_kind(p, column, TOKEN_VALUE) || p->token[column].is_used ||
        !value_is_quantity(p, value_wanted(p, column, true)) ||
        parse_comparisons_reduces(p, column < at ? column : at))
        return false;
    const struct value *value = value_wanted(p, column, true);
    end += column < at && token_kind(p, end + 1, TOKEN_VALUE) && /* "the mean BMI" */
           query_value_is_same(value_wanted(p, end + 1, true), value);
    const int group = before >= 0 ? before : own_group_behind(p, end + 1);
    p->token[column].value = value;
    parser_add_test(p, value, op)->than =
        value_make(p, (struct value){.kind = VALUE_LEVEL,
                                     .left = value,
                                     .right = group < 0 ? NULL : p->token[group].value,
                                     .count = is_median ? LEVEL_MEDIAN : 0});
    token_use(p, column < at ? column : at, group > end ? group : end);
    parse_conditions_use_lead(p, (column < at ? column : at) - 1);
    return true;
}

/* "more streams than average" */
bool
parse_levels_more_than(struct parser *p, int at)
{
    const bool is_median = token_is(p, at + 1, TERM_MEDIAN);
    const int column = at - 1, more = at - 2;

    if (!token_is(p, at, TERM_THAN) || !(is_median || token_is(p, at + 1, TERM_MEAN)) ||
        !token_is(p, more, TERM_MORE) || !token_is_free(p, more) ||
        !token_kind(p, column, TOKEN_VALUE) ||
        !value_is_quantity(p, value_wanted(p, column, true)))
        return false;
    const struct value *value = value_wanted(p, column, true);
    const bool is_less = lexicon_lists(p->lexicon, "word.lessers", p->token[more].text);
    p->token[column].value = value;
    parser_add_test(p, value, is_less ? OP_LT : OP_GT)->than =
        value_make(p, (struct value){.kind = VALUE_LEVEL,
                                     .left = value,
                                     .count = is_median ? LEVEL_MEDIAN : 0});
    token_use(p, more, at + 1);
    parse_conditions_use_lead(p, more - 1);
    return true;
}
