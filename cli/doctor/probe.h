/*
 * probe: the checks of the doctor, one function for each area. Each tries the thing
 * itself, with the code that makes sandboxes, and leaves nothing behind.
 */
#pragma once

#include "cli/report.h"

void probe_machine(struct report *report);   /* probe_machine.c */
void probe_isolation(struct report *report); /* probe_isolation.c */
void probe_resources(struct report *report); /* probe_resources.c */
void probe_files(struct report *report);     /* probe_files.c */
void probe_models(struct report *report);    /* probe_models.c */
void probe_jupyter(struct report *report);   /* probe_jupyter.c */
void probe_sandbox(struct report *report);   /* probe_sandbox.c */

/* The first line of a file, or NULL. */
char *probe_read_line(const char *path);
