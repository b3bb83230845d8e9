/*
 * extract: finds the code in a model's answer.
 *
 * Pure. Python is not parsed here: text outside of a fence is taken as code, with
 * is_bare, and the check in the sandbox decides whether it is code.
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

/* `goes_on`: the answer of a base model, which continues a text. */
void extract_code(struct extract *out, struct slice answer, bool goes_on);
void extract_release(struct extract *extract);

/* The code without blanks, blank lines and comment lines, to compare it: owned. */
char *extract_normalize(const char *code);

static inline void
auto_extract(struct extract *extract)
{
    extract_release(extract);
}
