#include "cli/doctor/layers.h"

#define X(layer, text, may_waive) \
    [ISOLATE_##layer] = {.name = text, .waivable = may_waive, LAYER_##layer},
#define LAYER_PROCESSES                                \
    .gives = "own pid, mount, ipc and uts namespaces", \
    .takes = "sight of, and signals to, all processes outside"
#define LAYER_FILES                                    \
    .gives = "own file tree by mounts and pivot_root", \
    .takes = "all files but the system's, Python's and the workspace's"
#define LAYER_NETWORK                 \
    .gives = "own network namespace", \
    .takes = "the network, but for hosts that are listed"
#define LAYER_LIMITS                               \
    .gives = "limits of processes and open files", \
    .takes = "endless processes, open files and scratch space"
#define LAYER_USERS                \
    .gives = "own user namespace", \
    .takes = "the user's identity: no file outside belongs to the cell"
#define LAYER_PRIVILEGES                           \
    .gives = "no capabilities, no new privileges", \
    .takes = "capabilities, and every way to gain them"
#define LAYER_LANDLOCK   \
    .gives = "Landlock", \
    .takes = "writing outside the workspace, links and pipes inside it"
#define LAYER_SECCOMP                         \
    .gives = "system calls by an allow-list", \
    .takes = "the system calls that are not listed below"

const struct layer layers[ISOLATE_LAYER_COUNT] = {ISOLATE_LAYERS(X)};
