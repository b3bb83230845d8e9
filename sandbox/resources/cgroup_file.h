/*
 * cgroup_file: the files of a control group, by its folder and their name.
 */
#pragma once

#include "common/error.h"

int cgroup_file_write(const char *folder, const char *file, const char *text,
                      struct error *err) MUST_CHECK;
/* "" when it cannot be read. */
const char *cgroup_file_read(const char *folder, const char *file, char *text,
                             size_t size);
/* The number behind `key` in a file of "key value" lines, or of the whole file. */
bool cgroup_file_number(const char *folder, const char *file, const char *key,
                        uint64_t *out);
