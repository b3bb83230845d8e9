/*
 * capture: runs a program of this machine and returns what it prints.
 */
#pragma once

#include "common/error.h"

/* arguments[0] is looked for on PATH. Returns the first line that it prints, without
 * the newline; its standard error is dropped. Fails when the program cannot be run,
 * exits with a failure, or takes over ten seconds. */
char *capture_line(char *const *arguments, struct error *err) MUST_CHECK;
