/*
 * likeness: how alike two words are, whatever they mean.
 */
#pragma once

#include <stddef.h>

#include "common/base.h"

/* Whether typing `text` for `known` is a likely slip: one letter wrong, missing, added
 * or swapped; two in long words. */
bool likeness_is_slip(const char *text, const char *known);

enum {
    LIKENESS_ROOT = 5,  /* letters that "rejection" and "rejected" share at least */
    LIKENESS_EVENT = 4, /* and "shipment" and "shipped" */
};

/* Whether a noun names what a participle says has happened: "arrival" and "arrived". */
bool likeness_is_event(const char *noun, const char *participle);

/* How many letters they begin with alike, in either case. */
size_t likeness_shared(const char *a, const char *b);
