/*
 * emit: a plan as a Python program, short and commented.
 *
 * It works on pandas 1.5 to 3 and never changes the user's frames.
 */
#pragma once

#include "bridge/planner/query/plan.h"
#include "bridge/planner/words/python.h"

/* The caller's to free. `lexicon` has the words of comments and labels. */
char *emit_program(const struct plan *plan, const struct frame *frame,
                   const struct profile *profile, const struct lexicon *lexicon,
                   struct arena *arena);

/* What the plan shows in words, for titles, comments and lists of alternatives. */
char *emit_title(const struct plan *plan, const struct frame *frame,
                 const struct lexicon *lexicon, struct arena *arena);
