/*
 * judge: how sure a draft is, and what it did not understand.
 */
#pragma once

#include "bridge/planner/draft/draft.h"

enum {
    STRANGERS_MAX = 16,
};

struct verdict {
    double confidence;
    struct slice stranger[STRANGERS_MAX]; /* words of the question that no rule took */
    unsigned strangers;
    struct slice thing;   /* what rows were taken to be: nothing in the table says so */
    const char *vague;    /* an adjective that sets no bound, or NULL */
    const char *obstacle; /* a sentence's key, when the plan cannot be carried out */
    const char *about;    /* the column that it is about */
};

/* Whether the plan draws or computes with a column, conditions and order apart. */
bool judge_is_shown(const struct draft *draft, int column);
/* Why the plan cannot be carried out, if so: the verdict's obstacle. */
void judge_obstacle(const struct draft *draft, struct verdict *verdict);
struct verdict judge(struct draft *draft);
