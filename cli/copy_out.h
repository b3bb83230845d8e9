/*
 * copy_out: files and folders of cells, copied to where the user wants them.
 *
 * What is copied is a stranger's, and may change meanwhile: no link is followed,
 * nothing but files and folders is opened, names are checked
 * (kernel/carry/carry_path.h) and depth is bounded. Of a folder, hidden names are left
 * out, since programs load such files unasked. A copy is whole or not there; it has no
 * mode of the original's, and its holes. What is there already is replaced only if that
 * is wanted.
 */
#pragma once

#include <stdio.h>

#include "common/error.h"

struct copy_out {
    bool overwrites;
    size_t copied; /* files */
    size_t hidden; /* names that were left out */
    size_t failed; /* the same, each told on stderr, up to a number of lines */
};

/* entry: of the file or folder, O_PATH, and what to call it in messages; it becomes
 * `name` in the folder `into`. -1: the copy cannot be written. */
int copy_out_run(struct copy_out *copy, int entry, const char *shown, int into,
                 const char *name, struct error *err) MUST_CHECK;

/* A name that cells have made: without what steers a terminal. */
void copy_out_print_name(FILE *out, const char *name);
