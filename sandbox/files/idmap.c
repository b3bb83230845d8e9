#include "sandbox/files/idmap.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "common/limits.h"

struct idmap_cache {
    struct {
        bool made;
        int fd;
        uid_t owner;
        gid_t group;
    } slots[LIMIT_SANDBOXES];
};

struct idmap_cache *
idmap_cache_new(void)
{
    return xcalloc(1, sizeof(struct idmap_cache));
}

void
idmap_cache_free(struct idmap_cache *idmap_cache)
{
    if (!idmap_cache)
        return;
    for (size_t i = 0; i < COUNT_OF(idmap_cache->slots); i++)
        if (idmap_cache->slots[i].made)
            close(idmap_cache->slots[i].fd);
    free(idmap_cache);
}

static int
write_map(pid_t pid, const char *name, unsigned from, unsigned to, struct error *err)
{
    char path[64], line[64];

    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    int len = snprintf(line, sizeof(line), "%u %u 1\n", from, to);
    AUTO(fd) int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, line, (size_t)len) != len)
        return error_sys(err, "map users for a workspace");
    return 0;
}

static int
open_mapped(pid_t holder, uid_t owner, gid_t group, uid_t sandbox_uid,
            struct error *err)
{
    char path[64];

    if (write_map(holder, "uid_map", owner, sandbox_uid, err) < 0 ||
        write_map(holder, "gid_map", group, sandbox_uid, err) < 0)
        return -1;
    snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)holder);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? error_sys(err, "open a user namespace") : fd;
}

/* The namespace lives on in the descriptor; who was born into it is not needed then. */
static int
make(uid_t owner, gid_t group, uid_t sandbox_uid, struct error *err)
{
    pid_t holder = (pid_t)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);

    if (holder < 0)
        return error_sys(err, "make a user namespace");
    if (holder == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    int fd = open_mapped(holder, owner, group, sandbox_uid, err);
    kill(holder, SIGKILL);
    waitpid(holder, NULL, 0);
    return fd;
}

int
idmap_cache_get(struct idmap_cache *idmap_cache, unsigned slot, uid_t owner,
                gid_t group, uid_t sandbox_uid, struct error *err)
{
    if (idmap_cache->slots[slot].made && idmap_cache->slots[slot].owner == owner &&
        idmap_cache->slots[slot].group == group)
        return idmap_cache->slots[slot].fd;
    int fd = make(owner, group, sandbox_uid, err);
    if (fd < 0)
        return -1;
    if (idmap_cache->slots[slot].made)
        close(idmap_cache->slots[slot].fd);
    idmap_cache->slots[slot].made = true;
    idmap_cache->slots[slot].fd = fd;
    idmap_cache->slots[slot].owner = owner;
    idmap_cache->slots[slot].group = group;
    return fd;
}
