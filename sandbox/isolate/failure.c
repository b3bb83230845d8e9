#include "sandbox/isolate/failure.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static const struct {
    const char *name;
    bool waivable;
} layers[] = {
#define X(layer, name, waivable) [ISOLATE_##layer] = {name, waivable},
    ISOLATE_LAYERS(X)
#undef X
};

/* What helps, by layer and errno (0: any). The first row that fits is given. */
static const struct {
    enum isolate_layer layer;
    int sys;
    const char *remedy;
} remedies[] = {
    {ISOLATE_PROCESSES, ENOSPC,
     "too many namespaces: end other sandboxes, or raise user.max_pid_namespaces, "
     "user.max_mnt_namespaces and user.max_net_namespaces with sysctl"               },
    {ISOLATE_PROCESSES, EPERM,
     "making namespaces is forbidden here; in a container, start it with "
     "--security-opt seccomp=unconfined --cap-add SYS_ADMIN"                         },
    {ISOLATE_PROCESSES, EAGAIN,
     "too many processes: end some, or raise the limit (ulimit -u)"                  },
    {ISOLATE_PROCESSES, ENOMEM, "no memory left: end some programs or sandboxes"     },
    {ISOLATE_FILES,     ENOSYS, "cellpod needs Linux 5.13 or newer"                  },
    {ISOLATE_FILES,     ELOOP,
     "the path leads through a symbolic link; give the folder's real path"           },
    {ISOLATE_FILES,     ENOENT, "the folder does not exist; make it, or leave it out"},
    {ISOLATE_FILES,     EPERM,
     "mounting is forbidden here; in a container, start it with --security-opt "
     "systempaths=unconfined --security-opt apparmor=unconfined --cap-add SYS_ADMIN" },
    {ISOLATE_FILES,     EACCES,
     "mounting is forbidden by a security module (AppArmor or SELinux): allow it for "
     "this Python"                                                                   },
    {ISOLATE_FILES,     ENOSPC,
     "too many mounts: raise fs.mount-max with sysctl, or mount fewer folders"       },
    {ISOLATE_USERS,     ENOSPC,
     "no more user namespaces: sudo sysctl -w user.max_user_namespaces=10000"        },
    {ISOLATE_LANDLOCK,  0,
     "Landlock is not active in this kernel: add landlock to lsm= on its command line "
     "(Linux 5.13 or newer), or do without it: CELLPOD_WAIVE=landlock"               },
    {ISOLATE_SECCOMP,   0,
     "this kernel has no seccomp filters: use one with CONFIG_SECCOMP_FILTER, or do "
     "without: CELLPOD_WAIVE=seccomp"                                                },
};

const char *
failure_layer_name(enum isolate_layer layer)
{
    return layers[layer].name;
}

uint32_t
isolate_waiver(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(layers); i++)
        if (layers[i].waivable && strcmp(layers[i].name, name) == 0)
            return 1u << i;
    return 0;
}

void
failure_set(struct isolate_failure *failure, const char *fmt, ...)
{
    va_list args;
    int sys = errno;

    va_start(args, fmt);
    vsnprintf(failure->step, sizeof(failure->step), fmt, args);
    va_end(args);
    failure->sys = sys;
}

void
failure_explain(struct isolate_failure *failure, enum isolate_layer layer,
                const char *step)
{
    failure->layer = failure_layer_name(layer);
    if (!failure->step[0])
        failure_set(failure, "%s", step);
    snprintf(failure->message, sizeof(failure->message), "layer %s: %s: %s",
             failure->layer, failure->step, strerror(failure->sys));
    for (size_t i = 0; i < COUNT_OF(remedies) && !failure->remedy[0]; i++)
        if (remedies[i].layer == layer &&
            (remedies[i].sys == 0 || remedies[i].sys == failure->sys))
            snprintf(failure->remedy, sizeof(failure->remedy), "%s",
                     remedies[i].remedy);
}
