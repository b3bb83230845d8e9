/*
 * parse_dates: single days, as they are written out.
 */
#pragma once

#include "bridge/planner/tokens/parser.h"

struct day {
    int year, month, day;
};

/* Takes the day around the month that stands at `at`, as a test of the column `date`;
 * false when there is no whole day. */
bool parse_dates_take(struct parser *p, int date, int at);

/* Reads that day only; it stands at [*first, *last]. */
bool parse_dates_read(const struct parser *p, int at, struct day *day, int *first,
                      int *last);

struct day parse_dates_next(struct day day);

/* A test of the column `date` against that day. */
struct test *parse_dates_add(struct parser *p, int date, enum plan_operator op,
                             struct day day);

/* "over 2024": a year of the data at `at`, not a bound. */
bool parse_dates_is_over(const struct parser *p, int date, int at);
