/*
 * utf8: is this well-formed UTF-8 (Unicode 15, table 3-7: no surrogates, no overlong
 * forms, nothing past U+10FFFF)?
 */
#pragma once

#include "common/base.h"

#define UTF8_REPLACEMENT "\xEF\xBF\xBD"

/* Length of the well-formed sequence at the start of data, or 0 if there is none. */
size_t utf8_sequence(const char *data, size_t len);
bool utf8_is_valid(struct slice text);
size_t utf8_count(struct slice text); /* code points of what is valid */
