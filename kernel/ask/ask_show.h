/*
 * ask_show: what a cell with %%ask shows of its own: one display with its progress,
 * which becomes its summary, and the code.
 */
#pragma once

#include "bridge/bridge.h"

struct kernel;

/* The display of the running cell: a line of progress, then the summary in its place.
 */
void ask_show_progress(struct kernel *kernel, const struct bridge_progress *progress);
void ask_show_summary(struct kernel *kernel, const struct bridge_answer *answer);

void ask_show_code(struct kernel *kernel, const struct bridge_answer *answer);

/* Text as it is, with the metadata. */
void ask_show_text(struct kernel *kernel, const char *text, const json_t *metadata);
void ask_print(struct kernel *kernel, const char *text); /* on stdout */
