/*
 * followup: questions that change the answer before: "only for Europe", "as a line
 * chart", "and by year".
 */
#pragma once

#include "bridge/planner/draft/draft.h"

/* Whether the draft is only a change of something, and makes no sense on its own. */
bool followup_is_one(const struct draft *draft);

/* Whether it begins as a question that stands alone does not: "only", "now". */
bool followup_is_cued(const struct reading *reading);
/* "by quarter instead", "in Rome": it says how to split, or of which rows, and nothing
 * that could be split. */
bool followup_is_led(const struct draft *draft);

/* Makes draft->plan the changed `before`. */
void followup_apply(struct draft *draft, const struct plan *before);
