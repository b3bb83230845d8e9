/*
 * parse_as_of: what was so on a day, told by when rows began and when they ended:
 * "unsold at the end of 2024", "open on 1 July 2023".
 */
#pragma once

#include "bridge/planner/tokens/parser.h"

/* Before the calendar takes such days for when something happened. */
void parse_as_of(struct parser *p);
