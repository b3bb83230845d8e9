/*
 * carry_tree: which files there are in a sandbox's working folder, as sandboxd lists
 * them; the names are whatever cells have made.
 *
 * Nothing is taken that is not a valid path (carry_path.h), twice there, hidden, or
 * out of bounds.
 */
#pragma once

#include "kernel/carry/carry_scan.h"

enum {
    CARRY_STATE_SIZE = 96
};

struct carry_entry {
    char *path; /* owned */
    uint64_t size;
    char state[CARRY_STATE_SIZE]; /* changes when the file does */
};

struct carry_tree {
    struct carry_entry *entries; /* by path */
    size_t count;
    bool is_cut;      /* there are more */
    unsigned refused; /* that are not taken */
};

/* ERR_BAD_INPUT: it is no such list. */
int carry_tree_parse(struct slice text, struct carry_tree *out,
                     struct error *err) MUST_CHECK;
void carry_tree_release(struct carry_tree *tree);

/* The "state" of an answer; false: it has none that can be kept. */
bool carry_tree_read_state(struct slice answer, char out[CARRY_STATE_SIZE]);
