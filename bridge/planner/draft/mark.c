/*
 * Which chart shows what the question mentions, where it names none.
 */
#include "bridge/planner/draft/mention.h"

static enum plan_mark
infer_relation(struct draft *draft)
{
    unsigned quantities = mention_count(draft, mention_is_free_quantity);

    if (quantities >= 2 && !mention_find(draft, mention_is_aggregated, NULL, NULL))
        return MARK_SCATTER;
    if (mention_find(draft, mention_is_time, NULL, NULL) && quantities)
        return MARK_LINE;
    return MARK_BAR;
}

/* "relationship between employee_id and salary": two numbers of any sort. */
static bool
relates_numbers(struct draft *draft)
{
    unsigned numbers = 0;

    if (!(draft->wishes & (WISH_RELATION | WISH_CORRELATION)) || draft->has_count)
        return false;
    for (unsigned i = 0; i < draft->mentions; i++) {
        const struct mention *mention = &draft->mention[i];

        if (mention->is_dropped || mention_is_dimension_place(mention))
            continue;
        if (mention->aggregate != AGG_NONE ||
            mention_role(draft, mention) == ROLE_DISCRETE)
            return false;
        numbers += mention_is_free_number(draft, mention);
    }
    return numbers >= 2;
}

enum plan_mark
draft_infer_mark(struct draft *draft)
{
    struct mention *time = mention_find(draft, mention_is_time, NULL, NULL);
    bool has_aggregate = mention_find(draft, mention_is_aggregated, NULL, NULL) ||
                         draft->aggregate != AGG_NONE;

    if (draft->wishes & WISH_SHARE &&
        !mention_find(draft, mention_is_binary, NULL, NULL))
        return MARK_PIE;
    if (relates_numbers(draft))
        return MARK_SCATTER;
    if (draft->wishes & WISH_TIME && !draft->has_count &&
        mention_count(draft, mention_is_free_quantity))
        return MARK_LINE;
    if (draft->plan.grain == GRAIN_WEEKDAY ||
        (draft->has_bin && draft->wishes & WISH_COMPARE))
        return MARK_BAR;
    if (!draft->has_count && !has_aggregate &&
        mention_count(draft, mention_is_free_quantity) >= 2)
        return infer_relation(draft);
    if (draft->has_count)
        return time && draft->wishes & WISH_TIME ? MARK_LINE : MARK_BAR;
    if (time && (has_aggregate || mention_count(draft, mention_is_quantity)))
        return MARK_LINE;
    if (time && draft->wishes & WISH_TIME)
        return MARK_LINE;
    return MARK_BAR;
}
