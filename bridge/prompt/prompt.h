/*
 * prompt: the text for a model, within a budget of tokens. It is ordered so that its
 * start stays the same from question to question.
 *
 * If it does not fit, parts are left out in this order: earlier questions, all but one
 * sample row, all sample rows, frequent values, all but the likeliest columns' details,
 * all details; then the question is refused.
 */
#pragma once

#include <jansson.h>

#include "bridge/models/conversation.h"
#include "bridge/prompt/facts.h"

/* Earlier code for this question that failed, and what was reported about it. */
struct prompt_attempt {
    char *answer; /* what the model wrote, or its code */
    char *report;
};

struct prompt_spec {
    const char *question;
    const json_t *profile;
    const json_t *earlier; /* [{"question", "code"}], oldest first; NULL for none */
    const struct prompt_attempt *attempts;
    size_t attempt_count;
    int level;
    bool goes_on; /* for a base model: one text to go on from */
    bool explain;
    bool repairs;       /* the question is a cell that failed: prompt_repair() */
    long budget_tokens; /* 0: unknown */
    double
        tokens_per_byte_factor; /* learned from this model's own counts; 1 at first */
};

struct prompt_info {
    long tokens;          /* estimate */
    const char *left_out; /* what was left out, for people; NULL when nothing was */
};

int prompt_build(const struct prompt_spec *spec, struct conversation *out,
                 struct prompt_info *info, struct error *err) MUST_CHECK;

/* The question that %fix asks: the cell, its error as far as `level` allows (1 and up:
 * as names of `names`), and what the user adds. Owned. */
char *prompt_repair(const json_t *failure, const json_t *names, int level,
                    const char *hint);

/* Without the factor. */
long prompt_estimate(const struct conversation *conversation);

/* Everything that the model was shown by name: columns, variables. New array. */
json_t *prompt_names(const json_t *profile, int level);
