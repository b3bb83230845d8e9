/*
 * text_file: a small file as one NUL-terminated text.
 */
#pragma once

#include "common/error.h"

/* Refuses a file that is larger than `largest` bytes or holds a NUL. Wipes the memory
 * that it frees. */
char *text_file_read(const char *path, size_t largest, struct error *err) MUST_CHECK;
