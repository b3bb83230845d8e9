/*
 * planner: a question about data answered by rules, as Python source.
 *
 * Pure: no network, no clock, no state but the lexicon. It says how sure it is, what it
 * assumed and which words it did not understand; below a bar it refuses and says what
 * it could do instead. docs/planner.md has the JSON of profiles and plans.
 */
#pragma once

#include <jansson.h>

#include "bridge/planner/words/lexicon.h"

struct planner_request {
    const struct lexicon *lexicon;
    struct slice question;
    json_t *profile;  /* borrowed */
    json_t *previous; /* borrowed; plans of this notebook, oldest first, or NULL */
};

enum planner_outcome {
    PLANNER_ANSWERED,
    PLANNER_ASKS,    /* message is a question back */
    PLANNER_REFUSED, /* message says why, and what can be asked */
};

struct planner_answer {
    enum planner_outcome outcome;
    json_t *plan;  /* owned, an object; JSON null when refused for want of any plan */
    char *code;    /* owned; "" unless answered */
    char *message; /* owned; "" when answered */
    char *explanation; /* owned; its steps in words, or NULL */
    double confidence; /* 0 to 1 */
    json_t *assumed;   /* owned arrays of sentences, words, ready questions */
    json_t *not_understood;
    json_t *alternatives;
};

/* Fails only for a profile that is none; what cannot be answered is a refusal. */
int planner_answer(struct planner_answer *answer, const struct planner_request *request,
                   struct error *err) MUST_CHECK;
void planner_answer_release(struct planner_answer *answer);

static inline void
auto_planner_answer(struct planner_answer *answer)
{
    planner_answer_release(answer);
}
