/*
 * parse_comparisons: what comparisons with and without a word for them share.
 */
#pragma once

#include "bridge/planner/tokens/parser.h"

/* Whether the value at `column` can be compared with what stands at `operand`. */
bool parse_comparisons_fit(const struct parser *p, int column, int operand);
/* "mean price": the value at `column` is one number of each group. */
bool parse_comparisons_reduces(const struct parser *p, int column);
/* Compares `test` with the number, date or column at `at`. */
void parse_comparisons_set(struct parser *p, struct test *test, int at);
/* The unit behind the number at `at`: "10 days", "5 kg"; `at` where there is none. */
int parse_comparisons_unit(const struct parser *p, int at);

/* "over budget": what it came to, against that; false: there is no such pair. */
bool parse_limits_take(struct parser *p, int at, enum plan_operator op);

/* --- against the mean or the median of all rows, or of a row's own group --- */
bool parse_levels_take(struct parser *p, int at, enum plan_operator op);
bool parse_levels_more_than(struct parser *p, int at); /* "more streams than average" */
/* Instead of `value` compared with itself: the other of two such columns. */
const struct value *parse_comparisons_twin(struct parser *p, const struct value *value);
/* "below 6.5 or above 7.5": the test becomes both; end: where the first bound stands.
 */
void parse_comparisons_other_side(struct parser *p, struct test *test, int end);

/* Of the one number that a quality, a cell or the rows speak of; false: there is none.
 */
bool parse_comparisons_of_quality(struct parser *p, int at, enum plan_operator op);
bool parse_comparisons_of_measure(struct parser *p, int at, enum plan_operator op);
bool parse_comparisons_of_amount(struct parser *p, int at, enum plan_operator op);
bool parse_comparisons_of_score(struct parser *p, int at, enum plan_operator op);
