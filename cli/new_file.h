/*
 * new_file: a copy that gets its name when it is whole.
 *
 * Where the file system can do that, it has no name at all until then, so that a
 * program that is killed leaves nothing; else a hidden one, which is taken away again.
 */
#pragma once

#include "common/error.h"

struct new_file {
    int into, fd; /* fd -1: it could not be made, see errno */
    bool has_name;
    char temporary[40];
};

/* In the folder `into`, which outlives it. */
struct new_file new_file_make(int into);
/* -1 with errno: EEXIST where the name is taken and is not to be replaced. */
int new_file_name(struct new_file *file, const char *name, bool replaces) MUST_CHECK;

/* For AUTO(new_file): closes it, and removes what has got no name. */
void auto_new_file(struct new_file *file);
