/*
 * parse_seasons: "summer 2023", "the first half of 2024".
 */
#pragma once

#include "bridge/planner/tokens/parser.h"

/* Takes the season or the half of a year that stands at `at` as a test of the column
 * `date`; false when there is none, or no column of dates. */
bool parse_seasons_take(struct parser *p, int date, int at);
