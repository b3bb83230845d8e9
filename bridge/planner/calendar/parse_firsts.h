/* parse_firsts: what is new in a period. */
#pragma once

#include "bridge/planner/tokens/parser.h"

/* Leaves rows of a date that is the first of what they are of, "new customers"; before
 * groups are looked for. */
void parse_firsts(struct parser *p);
