/*
 * capture: run a program of this machine and keep what it prints.
 */
#pragma once

#include "common/error.h"

/* arguments[0] is looked for on PATH. Its first line, without the newline; its standard
 * error goes nowhere. Fails when it cannot be run, exits with a failure, or takes over
 * ten seconds. */
char *capture_line(char *const *arguments, struct error *err) MUST_CHECK;
