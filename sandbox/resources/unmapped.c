#include "sandbox/resources/unmapped.h"

#include <linux/magic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "sandbox/resources/process_tree.h"

enum {
    FREE_SOCKETS = 64,
    FREE_FDS = 256,     /* of a process */
    SOCKET = 320 << 10, /* what the queue of one holds, and itself */
    FD = 9 << 10,       /* a pipe of two pages whose other end is closed */
    LARGE_PIPES = 1024, /* that a user has first: fs.pipe-user-pages-soft */
    LARGE_PIPE = 64 << 10,
    FILE_IN_MEMORY = 1 << 10, /* beside its pages */
    THREAD = 32 << 10,        /* stack, task */
    FREE_MAPPINGS = 4 << 20,  /* of some twenty workers */
    FAST = 32,                /* growth by limit / FAST since the last look */
};

static uint64_t
above(uint64_t count, uint64_t free)
{
    return count > free ? count - free : 0;
}

/* A file system of the container, in a pod, is none of ours. */
static uint64_t
scratch_bytes(int scratch)
{
    struct statfs about;

    if (scratch < 0 || fstatfs(scratch, &about) < 0 || about.f_type != TMPFS_MAGIC ||
        about.f_bfree > about.f_blocks || about.f_ffree > about.f_files)
        return 0;
    return (about.f_blocks - about.f_bfree) * (uint64_t)about.f_bsize +
           (about.f_files - about.f_ffree) * FILE_IN_MEMORY;
}

static uint64_t
number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);

    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* Of its network namespace: those too that are closed, but whose data waits. */
static uint64_t
socket_bytes(pid_t root)
{
    char text[1024];

    process_tree_read(root, "net/sockstat", text, sizeof(text));
    return above(number_after(text, "sockets: used"), FREE_SOCKETS) * SOCKET;
}

struct sum {
    pid_t root;
    uint64_t descriptors;
    uint64_t bytes;
};

static uint64_t
descriptor_bytes(uint64_t count)
{
    const uint64_t large = count < LARGE_PIPES ? count : LARGE_PIPES;

    return large * LARGE_PIPE + (count - large) * FD;
}

/* A table doubles: between 1,024 and 2,048 full pipes its size tells nothing of what
 * comes in. Linux tells their number from 6.2 on. */
static uint64_t
descriptors(pid_t pid, const char *status)
{
    char path[64];
    struct stat about;

    snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    if (stat(path, &about) == 0 && about.st_size > 0)
        return (uint64_t)about.st_size;
    return number_after(status, "\nFDSize:");
}

static void
add_process(void *context, pid_t pid, pid_t parent UNUSED)
{
    struct sum *sum = context;
    char text[4096];

    if (pid == sum->root)
        return;
    process_tree_read(pid, "status", text, sizeof(text));
    sum->descriptors += above(descriptors(pid, text), FREE_FDS);
    sum->bytes += number_after(text, "\nThreads:") * THREAD;
}

/*
 * Reading a list of mappings waits for whoever changes it, and on a busy machine that
 * may be a process that waits for a processor: long enough for the others to take all
 * they want. So it is not read while they take ever more of something else; when they
 * stand still they do not.
 */
static uint64_t
mapping_bytes(struct unmapped *unmapped, pid_t root, uint64_t others)
{
    const bool is_fast = others > unmapped->others + unmapped->limit / FAST;

    unmapped->others = others;
    return above(is_fast ? unmapped->mappings.bytes
                         : mappings_bytes(&unmapped->mappings, root, unmapped->limit),
                 FREE_MAPPINGS);
}

uint64_t
unmapped_bytes(struct unmapped *unmapped, pid_t root)
{
    struct sum sum = {.root = root};

    process_tree_walk(root, add_process, &sum);
    const uint64_t others = scratch_bytes(unmapped->scratch) + socket_bytes(root) +
                            descriptor_bytes(sum.descriptors) + sum.bytes;
    return others + mapping_bytes(unmapped, root, others);
}
