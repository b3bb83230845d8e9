/*
 * carry_scan: what of the notebook's folder may be carried: regular files, those
 * nearest to the notebook first, within the bounds of struct carry_bounds.
 *
 * Reads names and sizes, no contents. Run by carry's thread: a folder may lie on a
 * slow file system.
 */
#pragma once

#include <sys/stat.h>

#include "kernel/carry/carry_left.h"

struct carry_bounds {
    uint64_t file_bytes, total_bytes;
    unsigned files;
};

/* What changes when a file does. */
struct carry_stamp {
    uint64_t device, inode, size;
    struct timespec written, changed;
};

void carry_stamp_take(struct carry_stamp *stamp, const struct stat *st);
bool carry_stamp_equals(const struct carry_stamp *a, const struct carry_stamp *b);

struct carry_file {
    char *path; /* owned */
    struct carry_stamp stamp;
};

struct carry_scan {
    struct carry_file *files; /* sorted by depth, then by name */
    size_t count;
    struct carry_left left;
    bool is_wanted_left;
    enum carry_left_reason wanted_why; /* if so */
};

struct carry_scan_spec {
    int root;           /* the folder */
    bool is_flat;       /* what lies directly in it, no folders */
    const char *except; /* a path that is left out, or NULL */
    const char *wanted; /* a path whose reason to be left out is asked for, or NULL */
    struct carry_bounds bounds;
};

void carry_scan_run(const struct carry_scan_spec *spec, struct carry_scan *out);
void carry_scan_release(struct carry_scan *scan);
