/*
 * ask_show: what a cell with %%ask shows of its own: one display with its progress,
 * which becomes its summary, and the code.
 */
#pragma once

#include "bridge/bridge.h"

struct kernel;

/* Under `name`, a display of this cell: new, or in place of what it showed. */
void ask_show_progress(struct kernel *kernel, const char *text, bool is_new);
void ask_show_summary(struct kernel *kernel, const struct bridge_answer *answer,
                      bool is_new);
void ask_show_code(struct kernel *kernel, const struct bridge_answer *answer);

/* Text as it is, with the metadata. */
void ask_show_text(struct kernel *kernel, const char *text, const json_t *metadata);
void ask_print(struct kernel *kernel, const char *text); /* on stdout */
