/*
 * log_file: standard error goes to STATE/sandboxd.log, which stays small.
 */
#pragma once

#include "common/error.h"

int log_file_open(const char *state_dir, struct error *err) MUST_CHECK;
/* Keeps the newest part when it has grown too large. Cheap; call it now and then. */
void log_file_trim(void);
