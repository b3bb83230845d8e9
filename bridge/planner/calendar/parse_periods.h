/*
 * parse_periods: "since 2023", "from 2023 to 2024", "from May on".
 *
 * Each takes what stands at `at` as a test of the column `date`; false when it is none.
 */
#pragma once

#include "bridge/planner/tokens/parser.h"

/* Behind "since", "before", "until" and their like. */
bool parse_periods_bound(struct parser *p, int date, int at);

/* "2023 to now", "2023 or later" */
bool parse_periods_open(struct parser *p, int date, int at);

/* Behind "between" and "from". */
void parse_periods_range(struct parser *p, int date, int at);

/* "March to May 2024", "Oct-Dec" */
bool parse_periods_months(struct parser *p, int date, int at);

/* "1995 to 2009" */
void parse_periods_years(struct parser *p, int date, int at);

/* Whether "from" is since then: "from 2023 on", "by month from 2023"; "orders from
 * 2023" are that year's. Uses "on". */
bool parse_periods_is_open(struct parser *p, int date, int at);
