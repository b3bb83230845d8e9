/*
 * digest_name: a file name for any text, the same one each time.
 *
 * 16 hexadecimal digits of its SHA-256. What is kept on disk is found by them: they do
 * not change from version to version.
 */
#pragma once

#include "common/base.h"

/* "PARENT/DIGITS". The caller frees it. */
char *digest_name_path(const char *parent, struct slice text);
