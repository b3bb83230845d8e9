/*
 * kernel_info: describes this kernel to clients. Answered at any time, without a
 * sandbox.
 */
#pragma once

#include "common/buffer.h"

/* What kernel_info_reply says of this kernel, whose cells run in that Python. */
void kernel_info_append(struct buffer *content, const char *python_version,
                        bool has_debugger);

/* The version of that Python, from its virtual environment or its name ("3.11",
 * "3.11.2"); the sandbox reports the exact one later. Never NULL; the caller frees
 * it. */
char *kernel_info_guess_python(const char *python);

/* Is debugpy where that Python imports from? Likewise. */
bool kernel_info_guess_debugger(const char *python);
