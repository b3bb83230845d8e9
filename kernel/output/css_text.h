/*
 * css_text: a style sheet's text, read name by name. Pure; nothing is copied.
 */
#pragma once

#include "common/buffer.h"

enum {
    CSS_LONGEST_NAME = 64, /* bytes of a name that is taken for good */
};

/* What is left to read. */
struct css_cursor {
    const char *at, *end;
};

struct css_cursor css_text_cursor(struct slice text);
size_t css_text_left(const struct css_cursor *c);
char css_text_peek(const struct css_cursor *c); /* '\0' at the end */

/* Spaces and comments, which may stand anywhere. True if there were any. */
bool css_text_skip_space(struct css_cursor *c);

/* Letters, digits, '-' and '_'; may be empty. */
struct slice css_text_take_name(struct css_cursor *c);

/* Up to a byte that ends it, which is taken too. */
struct slice css_text_take_until(struct css_cursor *c, char stop);

/* In lower case. */
void css_text_append_name(struct buffer *out, struct slice name);

/* Whatever its case. */
bool css_text_is_one_of(struct slice name, const char *const *list, size_t count);
#define CSS_IS_ONE_OF(name, list) css_text_is_one_of(name, list, COUNT_OF(list))
