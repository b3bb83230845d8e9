/*
 * sides: "before and after May 20": a time parts the rows into two groups.
 */
#pragma once

#include "bridge/planner/tokens/parser.h"

/* The last test of the query, which "before" made, says which group a row is in. */
void parse_sides_group(struct parser *p);
