/* filters: what the parts of draft_filters() share. */
#pragma once

#include "bridge/planner/draft/draft.h"

enum {
    FILTER_NEAR = 6, /* items between a comparison and its column */
};

/* NULL when the plan has no room for it. */
struct filter *filter_add(struct draft *draft, int column, enum plan_operator op);
void filter_add_operand(struct filter *filter, struct operand operand);

/* "or" between the condition at `at` and the one before it. */
bool filter_follows_or(const struct draft *draft, size_t at);
bool filter_is_negated(const struct draft *draft, size_t at);
void filter_use_negation(struct draft *draft, size_t at);
enum plan_operator filter_negate(enum plan_operator op);

/* Conditions that begin at item `at`; what is none is left alone. */
bool filter_is_comparison(const struct item *item, enum plan_operator *op);
void filter_take_comparison(struct draft *draft, size_t at, enum plan_operator op);
void filter_take_number(struct draft *draft, size_t at);
void filter_take_text(struct draft *draft, size_t at, enum plan_operator op);
void filter_take_value(struct draft *draft, size_t at);

/* Naming all values of a column, or several side by side, compares groups. */
void filter_compare_values(struct draft *draft);
