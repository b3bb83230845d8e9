/*
 * parse_hours: times of the day, "between 9 and 17 o'clock".
 */
#pragma once

#include "bridge/planner/tokens/parser.h"

/* Takes the time of the day that stands at `at` as a test of the column `date`; false
 * when there is none. */
bool parse_hours_take(struct parser *p, int date, int at);
