/*
 * html_reduce: HTML of code that nobody has read, reduced to what tables need.
 *
 * It is parsed (libxml2), and what is known to be harmless is written anew from the
 * parser's events: elements and attributes of two tables, style sheets by css_reduce,
 * everything else as escaped text or not at all. Nothing that is written can run, load
 * or link to anything, or lie over other parts of the page; and as it holds no element
 * with rules of its own for text (but one style sheet, in front, without a `<'), every
 * parser reads it as it was written.
 */
#pragma once

#include "common/buffer.h"

enum {
    HTML_NAMES = 6, /* of what was left out, each once */
    HTML_NAME = 24,
};

struct html_losses {
    unsigned count;
    char names[HTML_NAMES][HTML_NAME];
};

/* Fails when the text is over a limit (size, depth, length of one tag), and when
 * libxml2 cannot be had: then there is no HTML to show. */
int html_reduce(struct slice html, struct buffer *out, struct html_losses *losses,
                struct error *err) MUST_CHECK;
