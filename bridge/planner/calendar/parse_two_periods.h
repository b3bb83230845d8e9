/*
 * parse_two_periods: the same months of two years, side by side: "the first half of
 * 2024 versus the first half of 2023".
 */
#pragma once

#include "bridge/planner/tokens/parser.h"

/* Two tests and a key, when two such periods stand at `at`; date: the column they are
 * of. */
bool parse_two_periods(struct parser *p, int date, int at);
