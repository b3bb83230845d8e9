/*
 * css_reduce: style sheets of tables, built anew from what is known to be harmless.
 *
 * A rule stays if each of its selectors begins at a table of pandas' (#T_…,
 * .dataframe), a declaration if its property is in a table and its value is made of
 * plain words, numbers, colours and a few functions. No address, no text, no escape
 * gets through, and nothing that moves a thing over another. What stays is written from
 * its parts, never copied. Pure functions.
 */
#pragma once

#include "common/buffer.h"

/* Each appends what stays and returns how much was left out. */
unsigned css_reduce_sheet(struct slice text, struct buffer *out);
unsigned css_reduce_declarations(struct slice text, struct buffer *out);

/* Names that tables of pandas have: T_6f0c1_row0_col1 and col_heading, level0, row3. */
bool css_reduce_is_table_id(struct slice name);
bool css_reduce_is_table_class(struct slice name);
