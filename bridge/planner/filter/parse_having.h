/*
 * parse_having: bounds for the numbers of groups.
 */
#pragma once

#include "bridge/planner/tokens/parser.h"

/* "more than", "at least", also of groups: "only", "over". */
bool parse_having_comparison(const struct parser *p, int at, enum plan_operator *op);
/* "twice", "3 times": *end is its last token. */
bool parse_having_number(const struct parser *p, int at, double *number, int *end);
void parse_having_set(struct parser *p, enum query_aggregate reduce,
                      const struct value *of, enum plan_operator op, double number);
/* "above the overall rate": against the same number of all rows. Takes the comparison
 * at `at`, if it is one of those. */
bool parse_having_overall(struct parser *p, int at);
/* "with at least 20 ratings": that many that are there. */
bool parse_having_count_of(struct parser *p, int at);
/* "with at least 10 orders", "more than once", "with songs in more than 4 genres". */
bool parse_having_counts(struct parser *p, int at);
/* Marks "with" or "whose" at `at` as used, if one stands there. */
void parse_having_use_with(struct parser *p, int at);
/* What rows are called, or are as good as: "lots", "admissions". */
bool parse_having_is_rows(const struct parser *p, int at);
