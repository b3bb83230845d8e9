/*
 * diff: what a repair changes, line by line.
 */
#pragma once

#include "common/base.h"

/* Lines that begin with "-", "+" or " " (some around each change); owned. Far between
 * two texts that have little in common, all lines are exchanged. */
char *diff_lines(const char *before, const char *after);
