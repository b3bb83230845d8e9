/*
 * parse_dates: single days, as they are written out.
 */
#pragma once

#include "bridge/planner/tokens/parser.h"

/* Takes the day around the month that stands at `at`, as a test of the column `date`;
 * false when there is no whole day. */
bool parse_dates_take(struct parser *p, int date, int at, int month);

/* "over 2024": a year of the data at `at`, not a bound. */
bool parse_dates_is_over(const struct parser *p, int date, int at);
