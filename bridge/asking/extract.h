/*
 * extract: the code in a model's answer.
 *
 * Pure. Nothing is parsed as Python here: what stands in no fence is taken as code with
 * is_bare, and the check in the sandbox decides whether it is.
 */
#pragma once

#include "common/base.h"

struct extract {
    enum {
        EXTRACT_CODE,
        EXTRACT_REFUSAL, /* the model said CANNOT; `said` is its reason */
        EXTRACT_CUT,     /* a fence was opened and never closed */
        EXTRACT_NONE,    /* no code at all; `said` is all there is */
    } kind;
    char *code, *said; /* owned, never NULL */
    bool is_bare;
};

/* `goes_on`: the answer of a base model, which went on from a text. */
void extract_code(struct extract *out, struct slice answer, bool goes_on);
void extract_release(struct extract *extract);

/* The same code but for blanks, blank lines and comment lines: owned. */
char *extract_normalize(const char *code);

static inline void
auto_extract(struct extract *extract)
{
    extract_release(extract);
}
