#include "sandbox/isolate/tree_contents.h"

#include <stddef.h>

const char *const tree_folders[] = {
    "/dev", "/dev/pts", "/dev/shm", "/etc", "/home",      "/home/sandbox",
    "/opt", "/proc",    "/run",     "/tmp", "/var",       "/var/tmp",
    "/mnt", "/srv",     "/root",    "/sys", "/workspace", NULL,
};

#define PASSWD                                              \
    "root:x:0:0:root:/root:/usr/sbin/nologin\n"             \
    "sandbox:x:1000:1000:sandbox:/home/sandbox:/bin/bash\n" \
    "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n"
#define GROUP    "root:x:0:\nsandbox:x:1000:\nnogroup:x:65534:\n"
#define HOSTS    "127.0.0.1 localhost sandbox\n::1 localhost\n"
#define NSSWITCH "passwd: files\ngroup: files\nhosts: files dns\n"

/* Who is who, and what has which name, inside. ISOLATE_ID is 1000. */
const struct tree_text tree_texts[] = {
    {"/etc/passwd",        PASSWD     },
    {"/etc/group",         GROUP      },
    {"/etc/hosts",         HOSTS      },
    {"/etc/hostname",      "sandbox\n"},
    {"/etc/nsswitch.conf", NSSWITCH   },
    {"/etc/bash.bashrc",   ""         },
    {NULL,                 NULL       },
};

const struct tree_link tree_links[] = {
    {"/dev/fd",     "/proc/self/fd"  },
    {"/dev/stdin",  "/proc/self/fd/0"},
    {"/dev/stdout", "/proc/self/fd/1"},
    {"/dev/stderr", "/proc/self/fd/2"},
    {"/dev/ptmx",   "pts/ptmx"       },
    {"/etc/mtab",   "/proc/mounts"   },
    {"/var/run",    "/run"           },
    {NULL,          NULL             },
};

/* Folders of one file system of limited size. The first is where it is put together. */
const char *const tree_scratch_folders[] = {
    "/tmp", "/home/sandbox", "/dev/shm", "/var/tmp", "/workspace", NULL,
};

#define BIND           false /* what the path leads to */
#define LINK_OR_FOLDER true  /* a symbolic link stays one */

/* The system. What this host does not have is left out. */
const struct tree_system_path tree_system_paths[] = {
    {"/usr",                     BIND          },
    {"/bin",                     LINK_OR_FOLDER},
    {"/sbin",                    LINK_OR_FOLDER},
    {"/lib",                     LINK_OR_FOLDER},
    {"/lib32",                   LINK_OR_FOLDER},
    {"/lib64",                   LINK_OR_FOLDER},
    {"/libx32",                  LINK_OR_FOLDER},
    {"/nix/store",               BIND          },
    {"/etc/alternatives",        BIND          },
    {"/etc/ca-certificates",     BIND          },
    {"/etc/crypto-policies",     BIND          },
    {"/etc/fonts",               BIND          },
    {"/etc/gai.conf",            BIND          },
    {"/etc/host.conf",           BIND          },
    {"/etc/inputrc",             BIND          },
    {"/etc/ld.so.cache",         BIND          },
    {"/etc/ld.so.conf",          BIND          },
    {"/etc/ld.so.conf.d",        BIND          },
    {"/etc/locale.alias",        BIND          },
    {"/etc/localtime",           LINK_OR_FOLDER},
    {"/etc/magic",               BIND          },
    {"/etc/matplotlibrc",        BIND          },
    {"/etc/mime.types",          BIND          },
    {"/etc/os-release",          LINK_OR_FOLDER},
    {"/etc/pki/ca-trust",        BIND          },
    {"/etc/pki/tls/cert.pem",    BIND          },
    {"/etc/pki/tls/certs",       BIND          },
    {"/etc/protocols",           BIND          },
    {"/etc/python3",             BIND          },
    {"/etc/services",            BIND          },
    {"/etc/ssl/certs",           BIND          },
    {"/etc/ssl/openssl.cnf",     BIND          },
    {"/etc/terminfo",            BIND          },
    {"/etc/texmf",               BIND          },
    {"/etc/timezone",            BIND          },
    {"/sys/devices/system/cpu",  BIND          },
    {"/sys/devices/system/node", BIND          },
    {"/var/cache/fontconfig",    BIND          },
    {"/var/lib/texmf",           BIND          },
    {NULL,                       BIND          },
};

const char *const tree_devices[] = {
    "/dev/null",    "/dev/zero", "/dev/full", "/dev/random",
    "/dev/urandom", "/dev/tty",  NULL,
};

/* What /proc tells about the host rather than the sandbox, or does to it. */
const char *const tree_masked[] = {
    "/proc/acpi",          "/proc/asound",
    "/proc/bus",           "/proc/cmdline",
    "/proc/config.gz",     "/proc/driver",
    "/proc/dynamic_debug", "/proc/fs",
    "/proc/interrupts",    "/proc/iomem",
    "/proc/ioports",       "/proc/irq",
    "/proc/kallsyms",      "/proc/kcore",
    "/proc/key-users",     "/proc/keys",
    "/proc/kmsg",          "/proc/kpagecgroup",
    "/proc/kpagecount",    "/proc/kpageflags",
    "/proc/latency_stats", "/proc/modules",
    "/proc/mtrr",          "/proc/pressure",
    "/proc/sched_debug",   "/proc/schedstat",
    "/proc/scsi",          "/proc/slabinfo",
    "/proc/softirqs",      "/proc/swaps",
    "/proc/sysrq-trigger", "/proc/sysvipc",
    "/proc/timer_list",    "/proc/timer_stats",
    "/proc/tty",           "/proc/vmallocinfo",
    "/proc/zoneinfo",      NULL,
};
