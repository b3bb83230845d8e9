#include "sandbox/isolate/offspring.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    ROUNDS = 1000
};

/* gVisor before 2023 knows no such thing: orphans go to process 1, and end with it. */
int
offspring_adopt(void)
{
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 || errno == EINVAL ? 0 : -1;
}

static bool
is_child(const char *pid)
{
    char path[32], text[512];
    int parent;

    snprintf(path, sizeof(path), "/proc/%.10s/stat", pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    size_t len = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[len] = '\0';
    const char *name_end = strrchr(text, ')'); /* the name may hold anything */
    return name_end && sscanf(name_end, ") %*c %d", &parent) == 1 && parent == getpid();
}

static void
kill_children(void)
{
    DIR *proc = opendir("/proc");

    if (!proc)
        return;
    for (struct dirent *entry = readdir(proc); entry; entry = readdir(proc)) {
        pid_t pid = (pid_t)atoi(entry->d_name);
        if (pid > 1 && is_child(entry->d_name))
            kill(pid, SIGKILL);
    }
    closedir(proc);
}

void
offspring_end(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        kill_children();
        if (waitpid(-1, NULL, 0) < 0 && errno == ECHILD)
            return;
        while (waitpid(-1, NULL, WNOHANG) > 0)
            continue;
    }
}
