/*
 * process_tree: the processes of a sandbox, as /proc shows them.
 *
 * All of them descend from its init, because its pid namespace hands orphans to init.
 * What is read may be out of date when it arrives: processes come and go.
 */
#pragma once

#include <sys/types.h>

#include "common/base.h"

typedef void process_visit_fn(void *context, pid_t pid, pid_t parent);

/* The root comes first. At most some thousand are visited. */
void process_tree_walk(pid_t root, process_visit_fn *visit, void *context);

/* The text of a small file of /proc/PID, cut to size; "" when there is none. */
const char *process_tree_read(pid_t pid, const char *name, char *text, size_t size);

/* Bytes, 0 when not known. Shared memory counts by its share (PSS); where we may not
 * see that, or it would take long, in full. */
uint64_t process_tree_memory_of(pid_t pid);
/* What it shares with nobody, or more where that would take long; UINT64_MAX when not
 * known. */
uint64_t process_tree_alone(pid_t pid);
/* With all that it shares: never less, and cheap. */
uint64_t process_tree_resident_of(pid_t pid);

struct process_tree_memory_of {
    uint64_t bytes;   /* of all */
    uint64_t largest; /* of the largest one but the root */
    pid_t pid;        /* that one's, or 0 */
};

/* The root, init, counts only where its share can be seen: it keeps nothing itself. */
struct process_tree_memory_of process_tree_memory(pid_t root);
uint64_t process_tree_resident(pid_t root); /* without the root */

struct process_tree_spared {
    bool (*is_spared)(void *context, pid_t pid);
    void *context;
};

/* Without the root and who is spared. */
uint64_t process_tree_resident_but(pid_t root,
                                   const struct process_tree_spared *spared);

/* Is one of them, but the root, about to end? Linux takes back what it had until then,
 * and at last no figure shows it. */
bool process_tree_is_dying(pid_t root);

/* Bytes that they, and those that they have reaped, have written to disks. False when
 * none of them shows it; init does to root only. */
bool process_tree_written(pid_t root, uint64_t *bytes);

/* A signal to all but the root, which is to go on reporting. */
void process_tree_signal(pid_t root, int signal);

/* SIGKILL to all but the root and who is spared. False when nobody else is there who
 * was not about to end anyway. */
bool process_tree_kill_all(pid_t root, const struct process_tree_spared *spared);

/* SIGKILL to `pid` if it (still) is in this tree, and is not its root. */
bool process_tree_kill(pid_t root, pid_t pid);
