/*
 * stage_line: the line in a cell that waits for the sandbox; it says what the cell
 * waits for.
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
/* The sandbox has reached another stage. */
void stage_line_change(struct kernel *kernel, const char *stage);
/* It waits no longer. */
void stage_line_end(struct kernel *kernel);
