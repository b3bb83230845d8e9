/*
 * mention: what a mentioned column could be in a chart.
 *
 * A test says whether a mention may take a part; mention_find() gives the first that
 * may.
 */
#pragma once

#include "bridge/planner/draft/draft.h"

typedef bool mention_test(const struct draft *draft, const struct mention *mention);

mention_test mention_is_any, mention_is_aggregated, mention_is_measure, mention_is_on_x,
    mention_is_on_y, mention_is_series, mention_is_time;
mention_test mention_is_quantity;
mention_test mention_is_binary;
mention_test mention_is_free_quantity;  /* no series */
mention_test mention_is_free_number;    /* any number that nothing is grouped by */
mention_test mention_is_likely_measure; /* may be averaged without being told */
mention_test mention_is_invited; /* said to be part of the chart, not of its rows */
mention_test mention_is_invited_name, mention_is_invited_other;
mention_test mention_is_plain_quantity;
mention_test mention_is_name, mention_is_pure_name;
mention_test mention_is_grouping, mention_is_not_quantity;
mention_test mention_is_small_group; /* few enough to be lines of one chart */

bool
mention_is_strong(const struct mention *mention); /* series or facet, by its words */
bool mention_is_dimension_place(const struct mention *mention);
enum column_role mention_role(const struct draft *draft, const struct mention *mention);

/* The first that passes and is not one of these two; NULL if none does. */
struct mention *mention_find(struct draft *draft, mention_test *wanted,
                             const struct mention *not_a, const struct mention *not_b);
unsigned mention_count(struct draft *draft, mention_test *wanted);
unsigned mention_live(const struct draft *draft); /* that were not dropped */
