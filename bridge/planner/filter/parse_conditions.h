/*
 * parse_conditions: what the parsers of conditions share.
 *
 * A taker looks at one token; where a condition stands, it adds the test, marks the
 * tokens as used, and returns true.
 */
#pragma once

#include "bridge/planner/tokens/parser.h"

/* Words between a column and what it is compared with. */
bool parse_conditions_is_link(const struct parser *p, int at);
/* Marks those before `at` as used. */
void parse_conditions_use_lead(struct parser *p, int at);
/* Adds a test of the column at `at`, and marks it and what leads to it as used. */
struct test *parse_conditions_add(struct parser *p, int at, enum plan_operator op);
/* Whether the condition at `at` is joined to the one before by "or". */
bool parse_conditions_follows_or(const struct parser *p, int at);

/* --- takers --- */
bool parse_late_take(struct parser *p, int at);
bool parse_texts_take(struct parser *p, int at);
bool parse_comparisons_between(struct parser *p, int at);
bool parse_comparisons_take(struct parser *p, int at);
bool parse_has_participle(struct parser *p, int at); /* "rated bills" */
bool parse_has_take(struct parser *p, int at);
bool parse_numbers_take(struct parser *p, int at);
bool parse_implied_take(struct parser *p, int at); /* "above £100" */
bool parse_cells_take(struct parser *p, int at);
bool parse_with_without(struct parser *p, int at);
bool parse_nulls_take(struct parser *p, int at);
bool parse_flags_take(struct parser *p, int at);
