/*
 * kernel_info: who this kernel is. Answered without a sandbox, at any time.
 */
#pragma once

#include "kernel/dispatch.h"

handler_fn kernel_info_handle;

/* The version of that Python as its virtual environment, or its name, tells it ("3.11",
 * "3.11.2"); the sandbox knows better later on. Never NULL; the caller frees it. */
char *kernel_info_guess_python(const char *python);
