/*
 * command: the commands of `cellpod`, one function each.
 *
 * arguments[0] is the command's own name; NULL ends them. The result is the program's
 * exit status.
 */
#pragma once

#include "common/error.h"

enum {
    EXIT_FINE = 0,
    EXIT_FAILED = 1, /* reported on stderr */
    EXIT_USAGE = 2,
};

int command_doctor(char **arguments);
int command_run(char **arguments);
int command_ps(char **arguments);
int command_rm(char **arguments);
int command_warm(char **arguments);
int command_cp(char **arguments);
int command_install(char **arguments);
int command_trust(char **arguments);

/* Prints "cellpod: TEXT" on stderr; returns the exit status for it. */
int command_fail(const struct error *err);
int command_misused(const char *fmt, ...) PRINTF(1, 2);
