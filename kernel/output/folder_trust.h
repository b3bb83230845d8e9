/*
 * folder_trust: what a model's code has left in a notebook's folder, remembered until
 * the user says that it is fine.
 *
 * A worker's death and a restart take a model's code away, not its files: a module that
 * it wrote is imported by the user's next cell. So a kernel writes down, where no
 * sandbox reaches (STATE/untrusted/), that a model's code runs in this folder and since
 * when; and which files that Python or Jupyter would load are new or changed since
 * (loadable_files.h). While there is one, every kernel in this folder treats what it
 * shows as the model's. `cellpod trust` forgets them. Several kernels may be in one
 * folder; what one that was killed has not written down is found by the next.
 */
#pragma once

#include <jansson.h>
#include <time.h>

#include "common/error.h"

struct folder_trust {
    char *folder;  /* NULL: cells have none of the user's */
    json_t *files; /* that are not trusted; NULL before the first look */
    json_t *told;  /* of these the user has been */
    bool is_open;  /* a model's code has run in this kernel's sandbox */
};

/* folder: copied; NULL: nothing is remembered. */
void folder_trust_init(struct folder_trust *trust, const char *folder);
void folder_trust_release(struct folder_trust *trust);

/* A model's code is about to run; its sandbox is gone, with all that ran in it. */
void folder_trust_begin(struct folder_trust *trust);
void folder_trust_end(struct folder_trust *trust);

/* Look again. A line for the user about files that were not told before, malloc'ed; or
 * NULL. */
char *folder_trust_look(struct folder_trust *trust);
bool folder_trust_is_untrusted(const struct folder_trust *trust);

/* The user says so: *files are trusted from now on (a new reference, maybe empty). */
int folder_trust_forget(const char *folder, json_t **files,
                        struct error *err) MUST_CHECK;
