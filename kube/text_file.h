/*
 * text_file: a small file as one NUL-terminated text.
 */
#pragma once

#include "common/error.h"

/* Refuses what is larger than `largest` bytes or holds a NUL. Wipes what it gave up. */
char *text_file_read(const char *path, size_t largest, struct error *err) MUST_CHECK;
