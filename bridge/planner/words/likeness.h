/*
 * likeness: how alike two words are, whatever they mean.
 */
#pragma once

#include <stddef.h>

#include "common/base.h"

/* How many slips make `text` of `known`, if they are likely: one letter wrong, missing,
 * added or swapped, two in long words, and in one of four letters a swap alone. 0:
 * none. */
unsigned likeness_slips(const char *text, const char *known);

enum {
    LIKENESS_ROOT = 5,  /* letters that "rejection" and "rejected" share at least */
    LIKENESS_EVENT = 4, /* and "shipment" and "shipped" */
};

/* Whether a noun names what a participle says has happened: "arrival" and "arrived". */
bool likeness_is_event(const char *noun, const char *participle);

/* Whether one of the two is the other with an ending: "breach" and "breached",
 * "reassign" and "reassignments". */
bool likeness_is_inflected(const char *a, const char *b);

/* "dropouts" of "dropped" and "out": a verb and what stands behind it, as one noun. */
bool likeness_is_phrasal(const char *noun, const char *verb, const char *particle);

/* How many letters they begin with alike, in either case. */
size_t likeness_shared(const char *a, const char *b);
