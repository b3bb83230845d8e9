/*
 * moves: words that say which way a number went: "fell", "improved", "change".
 */
#pragma once

#include "bridge/planner/tokens/parser.h"

/* Which way, by the word at `at`; MOVE_NONE: it says nothing of that. */
enum query_move parse_moves_at(const struct parser *p, int at);
