/*
 * parse_this: "this month", "this year vs last year".
 */
#pragma once

#include "bridge/planner/tokens/parser.h"

/* Takes "this month" at `at` as a test that rows are of the period that the last of the
 * dates in the column `date` is in: what today is, data do not know. False: no such
 * period stands there. */
bool parse_this_take(struct parser *p, int date, int at);

/* Whether "this year" stands at `at`, with "vs last year" behind it. */
bool parse_this_is_compared(const struct parser *p, int at);
