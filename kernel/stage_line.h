/*
 * stage_line: the line in a cell that waits for the sandbox, and tells what for.
 *
 * It comes when the wait gets long, follows the sandbox's stages, and is cleared before
 * the cell shows anything.
 */
#pragma once

#include "common/timer.h"

struct kernel;

struct stage_line {
    struct timer timer; /* until the line is shown */
};

/* The execution waits from now on. */
void stage_line_begin(struct kernel *kernel);
/* What it waits for is another thing now. */
void stage_line_change(struct kernel *kernel, const char *stage);
/* It waits no longer. */
void stage_line_end(struct kernel *kernel);
