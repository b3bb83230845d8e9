/*
 * css_value: the value of a declaration, built anew from plain words, numbers, colours
 * and a few functions. Pure.
 */
#pragma once

#include "kernel/output/css_text.h"

enum {
    CSS_LONGEST_VALUE = 512, /* bytes; four times as many as it is written */
};

/* All that is left. False, with part of it in *out, when something else stands there.
 */
bool css_value_take(struct css_cursor *c, struct buffer *out);
