/*
 * ask_show: what a %%ask cell itself shows: one display with its progress, which
 * becomes its summary, and the code.
 */
#pragma once

#include "bridge/bridge.h"

struct ask;

/* The display of the running cell: a line of progress, then the summary in its place.
 */
void ask_show_progress(struct ask *ask, const struct bridge_progress *progress);
void ask_show_summary(struct ask *ask, const struct bridge_answer *answer);

void ask_show_diff(struct ask *ask, const struct bridge_answer *answer);
void ask_show_code(struct ask *ask, const struct bridge_answer *answer);

/* Text as it is, with the metadata. */
void ask_show_text(struct ask *ask, const char *text, const json_t *metadata);
void ask_show_printed(struct ask *ask, const char *text); /* on stdout */
