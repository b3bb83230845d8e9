/*
 * parse_events: verbs that say no more than that there is a row.
 */
#pragma once

#include "bridge/planner/tokens/parser.h"

/* Whether the reading's item at `at` is such a verb; then it is noted as one. */
bool parse_events_is(struct parser *p, size_t at);
