/*
 * kernel_info: describes this kernel to clients. Answered at any time, without a
 * sandbox.
 */
#pragma once

#include "kernel/dispatch.h"

handler_fn kernel_info_handle;

/* The version of that Python, from its virtual environment or its name ("3.11",
 * "3.11.2"); the sandbox reports the exact one later. Never NULL; the caller frees
 * it. */
char *kernel_info_guess_python(const char *python);

/* Is debugpy where that Python imports from? Likewise. */
bool kernel_info_guess_debugger(const char *python);
