/*
 * languages: the lexicons that there are, by name.
 *
 * NAME.txt in ~/.config/cellpod/planner (the user's own), else in
 * PREFIX/share/cellpod/planner.
 */
#pragma once

#include "bridge/planner/words/lexicon.h"

/* NULL or "": English. Read with the first question and kept for the life of the
 * process. The error for a language that is not there lists those that are. */
const struct lexicon *languages_find(const char *name, struct error *err) MUST_CHECK;

/* Of those that ship, the one in which more words of the question are known, by two at
 * least, than in English; else English. */
const struct lexicon *languages_detect(struct slice question,
                                       struct error *err) MUST_CHECK;
