/*
 * The layers of isolation, each tried in a process of its own with the code that every
 * sandbox runs (sandbox/isolate). A layer that fails and may be waived is waived, so
 * that those behind it are tried too.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "cli/doctor/layers.h"
#include "cli/doctor/probe.h"
#include "common/paths.h"
#include "kernel/place/claim.h"
#include "kernel/place/workspace_choice.h"
#include "sandbox/files/idmap.h"
#include "sandbox/life/spec.h"

enum {
    KEPT_FD = 3, /* isolate_keep_only */
    KEPT_IDMAP_FD = 4,
    PIDS = 64,
    OPEN_FILES = 256,
    SCRATCH_MB = 16,
};

/* The report of the process in the sandbox before it ends, or of the one that forks
 * it. */
struct verdict {
    bool is_inside;
    char layer[32], message[256], remedy[512];
};

/* The library that zygotes load. */
#define ISOLATE_FUNCTIONS(X) \
    X(waiver)                \
    X(prepare)               \
    X(compile)               \
    X(spawn)                 \
    X(keep_only)             \
    X(enter)

static struct {
#define X(name) __typeof__(isolate_##name) *name;
    ISOLATE_FUNCTIONS(X)
#undef X
} isolate;

static int
load_library(struct error *err)
{
    AUTO(mem) char *path = paths_installed("lib/cellpod/libcellpod-isolate.so", err);
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;

    if (!path)
        return -1;
    if (!library)
        return error_set(err, ERR_SYSTEM, "%s", dlerror());
#define X(name)                                                 \
    *(void **)&isolate.name = dlsym(library, "isolate_" #name); \
    if (!isolate.name)                                          \
        return error_set(err, ERR_SYSTEM, "%s lacks isolate_" #name, path);
    ISOLATE_FUNCTIONS(X)
#undef X
    return 0;
}

/* --- in processes of their own --- */

static void
say(int to, const struct isolate_failure *failure)
{
    struct verdict verdict = {.is_inside = !failure};

    if (failure) {
        snprintf(verdict.layer, sizeof(verdict.layer), "%s", failure->layer);
        snprintf(verdict.message, sizeof(verdict.message), "%s", failure->message);
        snprintf(verdict.remedy, sizeof(verdict.remedy), "%s", failure->remedy);
    }
    _exit(write(to, &verdict, sizeof(verdict)) != sizeof(verdict));
}

/* As the zygote does, in that order, and then its child. */
static NORETURN void
lock_oneself_in(const struct isolate_plan *plan, int to)
{
    struct isolate_plan inside = *plan;
    struct isolate_failure failure;
    int pidfd = -1, listener;

    if (isolate.prepare(ISOLATE_OWN, &failure) < 0 || isolate.compile(&failure) < 0)
        say(to, &failure);
    pid_t pid = isolate.spawn(plan->waived, &pidfd, &failure);
    if (pid < 0)
        say(to, &failure);
    if (pid > 0)
        _exit(0);
    if (isolate.keep_only(to, plan->idmap, &failure) < 0)
        say(to, &failure);
    if (plan->idmap >= 0)
        inside.idmap = KEPT_IDMAP_FD;
    say(KEPT_FD, isolate.enter(&inside, &listener, &failure) < 0 ? &failure : NULL);
    _exit(1);
}

static void
try(const struct isolate_plan *plan, struct verdict *verdict)
{
    int ends[2];

    *verdict = (struct verdict){.layer = "processes",
                                .message = "the process that tried it ended early"};
    if (pipe2(ends, O_CLOEXEC) < 0)
        return;
    AUTO(fd) int from = ends[0];
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        lock_oneself_in(plan, ends[1]);
    close(ends[1]);
    struct verdict said;
    if (pid > 0 && read(from, &said, sizeof(said)) == sizeof(said))
        *verdict = said;
    if (pid > 0)
        waitpid(pid, NULL, 0);
}

/* --- layer by layer --- */

static struct isolate_plan
plain_plan(uint32_t waived)
{
    return (struct isolate_plan){
        .waived = waived,
        .sandbox_id = geteuid() == 0 ? (int64_t)SANDBOX_UID_BASE : -1,
        .idmap = -1,
        .pids = PIDS,
        .nofile = OPEN_FILES,
        .tmp_mb = SCRATCH_MB,
        .cwd = "/tmp",
    };
}

static int
layer_of(const struct verdict *verdict)
{
    for (int i = 0; i < ISOLATE_LAYER_COUNT; i++)
        if (strcmp(layers[i].name, verdict->layer) == 0)
            return i;
    return ISOLATE_PROCESSES;
}

static uint32_t
users_waivers(void)
{
    char *notice = NULL;
    struct error err;
    json_auto_t *claim = claim_make(true, NULL, &notice, &err);
    uint32_t waived = 0;
    size_t i;
    json_t *name;

    json_array_foreach (json_object_get(claim, "waive"), i, name)
        waived |= isolate.waiver(json_string_value(name));
    free(notice);
    return waived;
}

/* "layer files: mount /proc: Operation not permitted" without its first two words. */
static const char *
what_failed(const struct verdict *verdict)
{
    const char *colon = strstr(verdict->message, ": ");

    return strncmp(verdict->message, "layer ", 6) == 0 && colon ? colon + 2
                                                                : verdict->message;
}

static void
tell_good(struct report *report, int layer)
{
    int version = layer == ISOLATE_LANDLOCK
                      ? (int)syscall(SYS_landlock_create_ruleset, NULL, 0,
                                     LANDLOCK_CREATE_RULESET_VERSION)
                      : 0;

    if (version > 0)
        report_add(report, layers[layer].name, CHECK_OK, NULL, "%s, ABI %d",
                   layers[layer].gives, version);
    else
        report_add(report, layers[layer].name, CHECK_OK, NULL, "%s",
                   layers[layer].gives);
}

static void
tell_layer(struct report *report, int layer, const struct verdict *failed,
           uint32_t waived, bool is_past)
{
    if (failed)
        report_add(report, layers[layer].name, CHECK_FAILED, failed->remedy, "%s%s",
                   what_failed(failed),
                   layers[layer].waivable ? "" : " (it cannot be waived)");
    else if (waived & 1u << layer)
        report_add(report, layers[layer].name, CHECK_NOTE, NULL,
                   "waived by you: sandboxes do without it");
    else if (is_past)
        report_add(report, layers[layer].name, CHECK_SKIPPED, NULL,
                   "not tried: an earlier layer failed");
    else
        tell_good(report, layer);
}

/* True when a sandbox could be entered, perhaps without the layers that failed. */
static bool
probe_layers(struct report *report, uint32_t users)
{
    struct verdict verdict, failed[ISOLATE_LAYER_COUNT];
    uint32_t has_failed = 0, given_up = users;
    bool is_inside = false, goes_on = true;

    while (goes_on) {
        struct isolate_plan plan = plain_plan(given_up);
        try(&plan, &verdict);
        is_inside = verdict.is_inside;
        if (is_inside)
            break;
        int layer = layer_of(&verdict);
        failed[layer] = verdict;
        goes_on = layers[layer].waivable && !(given_up & 1u << layer);
        has_failed |= 1u << layer;
        given_up |= 1u << layer;
    }
    for (int i = 0; i < ISOLATE_LAYER_COUNT; i++)
        tell_layer(report, i, has_failed & 1u << i ? &failed[i] : NULL, users,
                   !is_inside);
    return is_inside && !has_failed;
}

/* --- the folder --- */

/* The current folder as a sandbox would get it: for root its owner is mapped. */
static void
probe_workspace(struct report *report, const char *folder, uint32_t waived)
{
    AUTO(idmap_cache) struct idmap_cache *idmap_cache = idmap_cache_new();
    struct isolate_bind bind = {folder, folder, BIND_USERS | BIND_WRITABLE};
    struct isolate_plan plan = plain_plan(waived);
    struct verdict verdict;
    struct stat about;
    struct error err;

    plan.binds = &bind;
    plan.bind_count = 1;
    plan.cwd = folder;
    if (stat(folder, &about) < 0) {
        report_add(report, "workspace", CHECK_FAILED, NULL, "%s no longer exists",
                   folder);
        return;
    }
    if (geteuid() == 0 &&
        (plan.idmap = idmap_cache_get(idmap_cache, 0, about.st_uid, about.st_gid,
                                      SANDBOX_UID_BASE, &err)) < 0) {
        report_add(report, "workspace", CHECK_FAILED, NULL, "%s", err.text);
        return;
    }
    try(&plan, &verdict);
    if (verdict.is_inside)
        report_add(report, "workspace", CHECK_OK, NULL, "%s can be mounted%s", folder,
                   plan.idmap < 0 ? "" : ", id-mapped to its owner");
    else
        report_add(report, "workspace", CHECK_FAILED, verdict.remedy, "%s: %s", folder,
                   what_failed(&verdict));
}

void
probe_isolation(struct report *report)
{
    AUTO(mem) char *folder = realpath(".", NULL);
    const char *home = getenv("HOME");
    struct error err;

    if (load_library(&err) < 0) {
        report_add(report, "library", CHECK_FAILED, "install cellpod again", "%s",
                   err.text);
        return;
    }
    uint32_t waived = users_waivers();

    report_add(report, "user", CHECK_OK, NULL, "%s",
               geteuid() == 0 ? "root: sandboxes get unprivileged users of their own"
                              : "an ordinary user: needs user namespaces");
    bool can_enter = probe_layers(report, waived);
    if (!folder || workspace_choice_refuses(folder, home))
        report_add(
            report, "workspace", CHECK_NOTE, "start notebooks in a folder of their own",
            "cells would not see %s: %s", folder ? folder : "this folder",
            folder ? workspace_choice_refuses(folder, home) : "it no longer exists");
    else if (can_enter)
        probe_workspace(report, folder, waived);
    else
        report_add(report, "workspace", CHECK_SKIPPED, NULL,
                   "not tried: no sandbox could be started");
}
