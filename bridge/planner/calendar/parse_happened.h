/*
 * parse_happened: what has happened to some of the rows, told by a date that the others
 * lack: "which makes do we sell", "sales per month" of `SoldOn`.
 */
#pragma once

#include "bridge/planner/tokens/parser.h"

/* Whether the token at `at` is a verb for a column of dates: "sold", "sells", "selling"
 * of `SoldOn`, and neither "sale date" nor a date that is asked for. */
bool parse_happened_is_verb(const struct parser *p, int at);

/* A verb for the column of dates at `at` ("sold", "best-selling"), and no date that is
 * asked for: the rows that have one. False: it is something else. */
bool parse_happened_take(struct parser *p, int at);

/* Nouns for such events ("sales", "cancellations"), where rows are more than those. */
void parse_happened_nouns(struct parser *p);
