#include "sandbox/resources/mappings.h"

#include <fcntl.h>
#include <stdio.h>

#include "sandbox/loop.h"
#include "sandbox/resources/process_tree.h"

enum {
    MAPPING = 320,        /* its description, and its place in a tree */
    USUAL_MOST = 65530,   /* Linux's own setting */
    CERTAIN = 8,          /* from most / CERTAIN on, as many as there can be */
    NOTICED = 32,         /* growth by limit / NOTICED */
    MANY = 16,            /* limit / MANY and more are looked at again and again */
    LEAST_AGAIN_MS = 250, /* then */
    PAUSES_MANY = 20,     /* counting takes a twentieth of the time at most */
    PAUSES_GROWN = 2,     /* or a third, while there is ever more */
    MAX_PROCESSES = 1024,
    BLOCK = 32 << 10,
};

static uint64_t
unreclaimable(void)
{
    char text[4096];
    AUTO(fd) int fd = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

    text[len > 0 ? len : 0] = '\0';
    const char *at = strstr(text, "\nSUnreclaim:");
    return at ? strtoull(at + strlen("\nSUnreclaim:"), NULL, 10) << 10 : 0;
}

static uint64_t
read_most(void)
{
    char text[32];
    AUTO(fd) int fd = open("/proc/sys/vm/max_map_count", O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

    text[len > 0 ? len : 0] = '\0';
    uint64_t most = strtoull(text, NULL, 10);
    return most > USUAL_MOST ? most : USUAL_MOST;
}

static uint64_t
count_of(pid_t pid, uint64_t most)
{
    char path[64], block[BLOCK];
    uint64_t lines = 0;
    ssize_t len;

    snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
    AUTO(fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && (len = read(fd, block, sizeof(block))) > 0) {
        for (const char *at = block;
             (at = memchr(at, '\n', (size_t)(block + len - at))); at++)
            lines++;
        if (lines > most / CERTAIN)
            return most;
    }
    return lines;
}

struct members {
    pid_t root;
    pid_t pids[MAX_PROCESSES];
    size_t count;
};

static void
collect(void *context, pid_t pid, pid_t parent UNUSED)
{
    struct members *members = context;

    if (pid != members->root && members->count < COUNT_OF(members->pids))
        members->pids[members->count++] = pid;
}

static void
count_all(struct mappings *m, pid_t root)
{
    struct members members = {.root = root};
    uint64_t lines = 0;
    size_t done = 0;

    process_tree_walk(root, collect, &members);
    while (done < members.count && loop_now_ms() - m->when_ms < MAPPINGS_MOST_MS)
        lines += count_of(members.pids[(m->first + done++) % members.count], m->most);
    m->first = members.count ? (m->first + done) % members.count : 0;
    m->bytes = done ? lines * MAPPING * members.count / done : 0;
}

/* What it was before the sandbox had a process nobody knows: the first count is due at
 * once. */
static bool
is_due(const struct mappings *m, uint64_t slab, uint64_t limit)
{
    const int64_t passed = loop_now_ms() - m->when_ms;
    const int64_t rest = m->took_ms * PAUSES_MANY;

    if (!m->slab)
        return true;
    if (slab > m->slab + limit / NOTICED)
        return passed >= m->took_ms * PAUSES_GROWN;
    return m->bytes > limit / MANY &&
           passed >= (rest > LEAST_AGAIN_MS ? rest : LEAST_AGAIN_MS);
}

uint64_t
mappings_bytes(struct mappings *m, pid_t root, uint64_t limit)
{
    const uint64_t slab = unreclaimable();

    if (slab && is_due(m, slab, limit)) {
        if (!m->most)
            m->most = read_most();
        m->when_ms = loop_now_ms();
        count_all(m, root);
        m->slab = slab;
        m->took_ms = loop_now_ms() - m->when_ms;
    }
    return m->bytes;
}
