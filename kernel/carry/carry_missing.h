/*
 * carry_missing: which file a cell did not find in its sandbox, and why it was not sent
 * there, though it lies beside the notebook.
 *
 * The error's text is whatever a cell has made of it. Of the names in it, the first
 * that the folder has is taken; nothing but its size is read.
 */
#pragma once

#include "kernel/carry/carry_scan.h"

/* The text of an error that says that there is no such file, with its name; NULL: it
 * says something else. ename and evalue may be NULL. The caller frees it. */
char *carry_missing_said(const char *ename, const char *evalue);

struct carry_missing {
    struct carry_scan_spec spec;
    char *said;                 /* owned */
    char *path;                 /* below the folder; NULL: it has no such file; owned */
    enum carry_left_reason why; /* CARRY_LEFT_COUNTED: it is one that is sent */
    uint64_t bytes;
};

void carry_missing_run(struct carry_missing *missing);
void carry_missing_release(struct carry_missing *missing);

/* What the user is told. notebook: what `cellpod cp' is to call it. The caller frees
 * it. */
char *carry_missing_tell(const struct carry_missing *missing, const char *notebook);
