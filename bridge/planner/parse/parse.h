/*
 * parse: a question as a query. The order of the operators, and the account of words.
 */
#pragma once

#include "bridge/planner/tokens/parser.h"

/* Whether the question is understood to its last word. What is not is in `refusal`. */
bool parse_question(struct parser *p, struct arena *arena,
                    const struct reading *reading, const struct lexicon *lexicon,
                    struct query *query);
