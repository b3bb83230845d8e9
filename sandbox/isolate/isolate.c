#include "sandbox/isolate/isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "sandbox/isolate/failure.h"
#include "sandbox/isolate/landlock.h"
#include "sandbox/isolate/seccomp_filter.h"
#include "sandbox/isolate/tree.h"
#include "sandbox/isolate/users.h"

enum {
    SPARE_MB = 1024,
    OOM_SCORE = 500, /* the kernel kills sandboxes before the user's own programs */
    PROXY_BACKLOG = 128,
    NO_CORE = 1, /* 0 would still start a core_pattern that is a program, outside */
};

enum {
    LOCAL, /* a pod's business is its own */
    EVERYWHERE,
};

static bool
is_due(int where)
{
    return where == EVERYWHERE || isolate_mode() == ISOLATE_OWN;
}

static int
start_session(struct tree *tree UNUSED, struct isolate_failure *failure UNUSED)
{
    if (isolate_mode() == ISOLATE_OWN && getpid() != 1) {
        errno = EINVAL;
        return failed(failure, "be process 1");
    }
    return setsid() < 0 ? -1 : 0;
}

static int
start_loopback(struct tree *tree UNUSED, struct isolate_failure *failure UNUSED)
{
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
    AUTO(fd) int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    return any < 0 ? -1 : ioctl(any, SIOCSIFFLAGS, &request);
}

/* Where memory is metered, what one socket can hold is known: sockets are counted
 * (sandbox/resources/unmapped.h). */
static int
bound_sockets(struct tree *tree, struct isolate_failure *failure)
{
    static const struct {
        const char *name, *value;
    } settings[] = {
        {"sys/net/ipv4/tcp_rmem", "4096 131072 131072"},
        {"sys/net/ipv4/tcp_wmem", "4096 65536 65536"  },
    };

    for (size_t i = 0; tree->plan->is_metered && i < COUNT_OF(settings); i++) {
        AUTO(fd) int file = openat(tree->proc, settings[i].name, O_WRONLY | O_CLOEXEC);
        ssize_t len = (ssize_t)strlen(settings[i].value);
        if (file < 0 || write(file, settings[i].value, (size_t)len) != len)
            return failed(failure, "set %s", settings[i].name);
    }
    return 0;
}

/* Made in this network namespace; who accepts on it is in another one. */
static int
listen_for_proxy(struct tree *tree, struct isolate_failure *failure UNUSED)
{
    const struct sockaddr_in name = {.sin_family = AF_INET,
                                     .sin_port =
                                         htons((uint16_t)tree->plan->proxy_port),
                                     .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    if (!tree->plan->proxy_port)
        return 0;
    tree->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (tree->listener < 0 ||
        bind(tree->listener, (const struct sockaddr *)&name, sizeof(name)) < 0)
        return -1;
    return listen(tree->listener, PROXY_BACKLOG);
}

static int
name_host(struct tree *tree UNUSED, struct isolate_failure *failure UNUSED)
{
    return sethostname("sandbox", strlen("sandbox"));
}

static int
go_to_work(struct tree *tree, struct isolate_failure *failure)
{
    if (chdir(tree->plan->cwd) < 0)
        return failed(failure, "go to %s", tree->plan->cwd);
    return 0;
}

static int
volunteer_for_oom(struct tree *tree, struct isolate_failure *failure UNUSED)
{
    char score[16];
    int len = snprintf(score, sizeof(score), "%d", OOM_SCORE);

    /* The files of a process that is not dumpable are root's. */
    if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
        return -1;
    AUTO(fd) int file = openat(tree->proc, "self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0 || write(file, score, (size_t)len) != len)
        return -1;
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

static int
become_user(struct tree *tree, struct isolate_failure *failure)
{
    return users_become(tree->plan->sandbox_id, failure);
}

static int
enter_user_namespace(struct tree *tree, struct isolate_failure *failure)
{
    return users_enter_namespace(tree->proc, ISOLATE_ID, ISOLATE_ID, failure);
}

static int
limit(int resource, rlim_t most)
{
    struct rlimit now;

    if (getrlimit((__rlimit_resource_t)resource, &now) < 0)
        return -1;
    /* A limit that is lower already stays; raising it may be forbidden. */
    rlim_t value = most < now.rlim_max ? most : now.rlim_max;
    return setrlimit((__rlimit_resource_t)resource, &(struct rlimit){value, value});
}

/* What this process has already, most of it shared with the zygote. */
static int
read_data_bytes(int proc, rlim_t *out)
{
    char text[128] = "";
    unsigned long pages;
    AUTO(fd) int file = openat(proc, "self/statm", O_RDONLY | O_CLOEXEC);

    if (file < 0 || read(file, text, sizeof(text) - 1) <= 0 ||
        sscanf(text, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
        return -1;
    *out = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
    return 0;
}

/* A request for memory that is far beyond what there is fails at once, as MemoryError,
 * and no variable is lost. Programs reserve more than they use: so not at the limit. */
static int
limit_memory(const struct tree *tree)
{
    rlim_t own, most = ((rlim_t)tree->plan->memory_mb * 2 + SPARE_MB) << 20;

    if (!tree->plan->memory_mb || !is_due(LOCAL))
        return 0;
    return read_data_bytes(tree->proc, &own) < 0 ? -1 : limit(RLIMIT_DATA, own + most);
}

/* After the user namespace: what counts processes then counts this sandbox's alone. */
static int
set_limits(struct tree *tree, struct isolate_failure *failure)
{
    const struct {
        const char *name;
        int resource;
        rlim_t most;
        int where; /* gVisor has neither message queues nor real time */
    } rows[] = {
        {"processes",      RLIMIT_NPROC,    tree->plan->pids,   EVERYWHERE},
        {"open files",     RLIMIT_NOFILE,   tree->plan->nofile, EVERYWHERE},
        {"core dumps",     RLIMIT_CORE,     NO_CORE,            EVERYWHERE},
        {"message queues", RLIMIT_MSGQUEUE, 0,                  LOCAL     },
        {"real time",      RLIMIT_RTPRIO,   0,                  LOCAL     },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (is_due(rows[i].where) && limit(rows[i].resource, rows[i].most) < 0)
            return failed(failure, "limit %s", rows[i].name);
    return limit_memory(tree) < 0 ? failed(failure, "limit memory") : 0;
}

static int
drop_privileges(struct tree *tree, struct isolate_failure *failure)
{
    close(take_fd(&tree->proc));
    if (tree->plan->idmap >= 0)
        close(tree->plan->idmap);
    return users_drop_privileges(failure);
}

static int
enter_landlock(struct tree *tree, struct isolate_failure *failure)
{
    if (isolate_mode() == ISOLATE_POD && !landlock_is_there())
        return 0; /* said in isolate.h, docs/isolation.md and the zygote's log */
    return landlock_enter(tree->plan, failure);
}

static int
install_filter(struct tree *tree, struct isolate_failure *failure)
{
    return seccomp_filter_install(tree->plan->is_metered, failure);
}

/* In order: each step may forbid what an earlier one needs, the last one the most. */
static const struct {
    enum isolate_layer layer;
    int where;
    const char *name;
    int (*run)(struct tree *tree, struct isolate_failure *failure);
} steps[] = {
    {ISOLATE_PROCESSES,  EVERYWHERE, "start a session",                start_session       },
    {ISOLATE_FILES,      LOCAL,      "make mounts private",            tree_make_private   },
    {ISOLATE_FILES,      LOCAL,      "mount an empty root",            tree_make_root      },
    {ISOLATE_FILES,      LOCAL,      "lay out the root",               tree_add_folders    },
    {ISOLATE_FILES,      LOCAL,      "mount scratch folders",          tree_add_scratch    },
    {ISOLATE_FILES,      LOCAL,      "show the system",                tree_add_system     },
    {ISOLATE_FILES,      LOCAL,      "fill /dev",                      tree_add_devices    },
    {ISOLATE_FILES,      LOCAL,      "mount /proc",                    tree_add_proc       },
    {ISOLATE_FILES,      LOCAL,      "mount the user's folders",       tree_add_binds      },
    {ISOLATE_FILES,      LOCAL,      "make the root read-only",        tree_close          },
    {ISOLATE_FILES,      LOCAL,      "leave the old root",             tree_enter          },
    {ISOLATE_FILES,      EVERYWHERE, "go to the working folder",       go_to_work          },
    {ISOLATE_NETWORK,    LOCAL,      "start loopback",                 start_loopback      },
    {ISOLATE_NETWORK,    LOCAL,      "bound what sockets hold",        bound_sockets       },
    {ISOLATE_NETWORK,    LOCAL,      "listen for the proxy",           listen_for_proxy    },
    {ISOLATE_NETWORK,    LOCAL,      "name the host",                  name_host           },
    {ISOLATE_LIMITS,     LOCAL,      "die first when memory runs out", volunteer_for_oom   },
    {ISOLATE_USERS,      LOCAL,      "become an unprivileged user",    become_user         },
    {ISOLATE_USERS,      LOCAL,      "enter a user namespace",         enter_user_namespace},
    {ISOLATE_LIMITS,     EVERYWHERE, "set resource limits",            set_limits          },
    {ISOLATE_PRIVILEGES, EVERYWHERE, "drop privileges",                drop_privileges     },
    {ISOLATE_LANDLOCK,   EVERYWHERE, "restrict file access",           enter_landlock      },
    {ISOLATE_SECCOMP,    EVERYWHERE, "restrict system calls",          install_filter      },
};

int
isolate_enter(const struct isolate_plan *plan, int *listener,
              struct isolate_failure *failure)
{
    struct tree tree = TREE_INIT(plan);

    *failure = (struct isolate_failure){0};
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        if (plan->waived & 1u << steps[i].layer || !is_due(steps[i].where))
            continue;
        if (steps[i].run(&tree, failure) < 0) {
            failure_explain(failure, steps[i].layer, steps[i].name);
            return -1;
        }
    }
    *listener = tree.listener;
    return 0;
}

int
isolate_compile(struct isolate_failure *failure)
{
    *failure = (struct isolate_failure){0};
    if (seccomp_filter_compile(failure) == 0)
        return 0;
    failure_explain(failure, ISOLATE_SECCOMP, "compile the filters");
    return -1;
}
