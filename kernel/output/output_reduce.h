/*
 * output_reduce: what code that a model wrote may show: text, checked pictures, tables.
 *
 * By MIME type, in one table: HTML is reduced (kernel/output/html_reduce.h); Markdown
 * and LaTeX are shown as their source, because clients turn them into HTML; everything
 * else that a client may run, load or follow (JavaScript, SVG, widgets, PDF, vendors'
 * types) is left out. There is always a text instead. Pure functions.
 */
#pragma once

#include "common/buffer.h"

/*
 * content: of a display_data, update_display_data or execute_result. *out is what to
 * send instead. notice: lines for the cell's stderr, empty when nothing was left out.
 */
void output_reduce_display(struct slice content, struct buffer *out,
                           struct buffer *notice);

/* content: of a reply. Pages of its payload, values of its user_expressions and what it
 * says of an object (inspect_reply) hold displays too. */
void output_reduce_reply(struct slice content, struct buffer *out,
                         struct buffer *notice);
