/*
 * parse_day_parts: "in the morning", "before noon or after".
 */
#pragma once

#include "bridge/planner/tokens/parser.h"

/* date: the column of the moments; false: nothing of it stands at `at`. */
bool parse_day_parts_take(struct parser *p, int date, int at);
