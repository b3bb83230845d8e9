/*
 * isolate: how a process forked from the zygote locks itself in.
 *
 * The zygote calls prepare once and spawn for each sandbox; the child calls enter,
 * which walks a table of steps (isolate.c) and stops at the first one that fails: there
 * is never a sandbox that lacks a wall, except those that the plan waives by name.
 * Loaded by ctypes (sandbox/worker/cellpod/isolate.py mirrors the structs). Needs
 * Linux 5.13.
 *
 * Functions return 0, or -1 with *failure filled in. One thread only.
 */
#pragma once

#include <sys/types.h>

#include "common/base.h"

/* layer, its name, and whether a user may do without it */
#define ISOLATE_LAYERS(X)              \
    X(PROCESSES, "processes", false)   \
    X(FILES, "files", false)           \
    X(NETWORK, "network", true)        \
    X(LIMITS, "limits", true)          \
    X(USERS, "users", true)            \
    X(PRIVILEGES, "privileges", false) \
    X(LANDLOCK, "landlock", true)      \
    X(SECCOMP, "seccomp", true)

enum isolate_layer {
#define X(layer, name, waivable) ISOLATE_##layer,
    ISOLATE_LAYERS(X)
#undef X
    ISOLATE_LAYER_COUNT,
};

struct isolate_failure {
    const char *layer;
    int sys; /* errno */
    char step[160];
    char message[256];
    char remedy[512]; /* "" when there is none to give */
    char notice[384]; /* "", or what the user should know although nothing failed */
};

/* A folder of the host in the sandbox, at `target`. */
struct isolate_bind {
    const char *source;
    const char *target;
    uint32_t flags;
};

enum {
    BIND_WRITABLE = 1, /* else read-only */
    BIND_USERS = 2,    /* the user's own: canonical path, no devices, no set-user-id,
                          owner mapped; see protect.h */
    BIND_IF_THERE = 4, /* nothing happens when the source does not exist */
    BIND_STATE = 8,    /* with BIND_USERS: cellpod's own, in which nobody else looks */
};

struct isolate_plan {
    const struct isolate_bind *binds; /* parents before what lies in them */
    uint32_t bind_count;
    uint32_t waived;    /* bit 1 << enum isolate_layer */
    int64_t sandbox_id; /* uid and gid outside; -1: those of the zygote */
    int32_t idmap;      /* user namespace for BIND_USERS, or -1 */
    uint32_t pids, nofile, tmp_mb;
    uint32_t proxy_port; /* on the sandbox's loopback; 0: there is no proxy */
    uint32_t memory_mb;  /* 0: no limit. Somebody else enforces it; see set_limits */
    /* By looking, not by a control group: memory that no look would show is not to be
     * had, and sockets hold little. */
    uint32_t is_metered;
    const char *cwd;
};

/* Whose walls there are. */
enum isolate_mode {
    ISOLATE_OWN, /* all of them ours */
    /* A pod's, which has a file tree, a network and a user of its own, and where no
     * namespace can be had. Ours, within: a session, limits, no privileges, seccomp,
     * and Landlock where the kernel has it (gVisor has not). */
    ISOLATE_POD,
};

/* Who the code is inside, whoever it is outside. */
enum {
    ISOLATE_ID = 1000,
};

/* The bit of a layer that may be waived; 0 when there is none of that name. */
uint32_t isolate_waiver(const char *name);

/* Once, in the zygote, before anything is imported: forget the environment block that
 * /proc/PID/environ shows, hide from debuggers, and, for an ordinary user, become the
 * owner of a user namespace, without which none of the others can be made. The mode
 * holds for all that follows. */
int isolate_prepare(enum isolate_mode mode, struct isolate_failure *failure) MUST_CHECK;
enum isolate_mode isolate_mode(void);

/* Compile the seccomp filters: after the imports, so that forks share them. */
int isolate_compile(struct isolate_failure *failure) MUST_CHECK;

/* fork(), into new namespaces where there are any. Returns the child's pid and *pidfd,
 * 0 in the child, or -1. */
pid_t isolate_spawn(uint32_t waived, int *pidfd,
                    struct isolate_failure *failure) MUST_CHECK;

/* In the child: keep `keep` and `idmap` (or -1), close every other descriptor and put
 * /dev/null in the place of 0, 1 and 2. `keep` becomes descriptor 3. */
int isolate_keep_only(int keep, int idmap, struct isolate_failure *failure) MUST_CHECK;

/* In the child: all walls, in order. *listener is a socket that listens at proxy_port,
 * for whoever is outside to accept on, or -1. */
int isolate_enter(const struct isolate_plan *plan, int *listener,
                  struct isolate_failure *failure) MUST_CHECK;
