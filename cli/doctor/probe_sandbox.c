/* One sandbox, claimed as a notebook's would be, and one cell in it. */
#include <stdio.h>
#include <time.h>

#include "cli/doctor/probe.h"
#include "cli/outcome.h"
#include "cli/sandbox_use.h"

#define CELL "doctor"

/* Versions of the packages that people know, in one line; missing ones are left out. */
static const char *const packages[] = {"ipython", "numpy", "pandas", "matplotlib"};

struct trial {
    struct report *report;
    struct timespec began;
    bool is_unsent; /* the cell: the sandbox may have failed before, and says why */
    bool is_told;
};

static double
ms_since(const struct timespec *began)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - began->tv_sec) * 1e3 +
           (double)(now.tv_nsec - began->tv_nsec) / 1e6;
}

static const char *
text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

static void
tell_ready(struct trial *trial, const json_t *content)
{
    AUTO(buffer) struct buffer versions = BUFFER_INIT(SIZE_MAX);
    const json_t *all = json_object_get(content, "packages");

    for (size_t i = 0; i < COUNT_OF(packages); i++)
        if (json_object_get(all, packages[i]))
            buffer_printf(&versions, ", %s %s", packages[i], text_of(all, packages[i]));
    report_add(trial->report, "start", CHECK_OK, NULL,
               "ready after %.0f ms: Python %s%s", ms_since(&trial->began),
               text_of(content, "python"), versions.data ? versions.data : "");
    clock_gettime(CLOCK_MONOTONIC, &trial->began);
}

static void
tell_cell(struct trial *trial, const json_t *content)
{
    bool is_good = strcmp(text_of(content, "status"), "ok") == 0;

    if (is_good)
        report_add(trial->report, "cell", CHECK_OK, NULL, "runs in %.1f ms",
                   ms_since(&trial->began));
    else
        report_add(trial->report, "cell", CHECK_FAILED, NULL, "%s",
                   text_of(content, "evalue"));
}

static enum daemon_watch
on_event(const struct envelope *event, void *context)
{
    struct trial *trial = context;
    json_auto_t *content = json_loadb(event->content.data, event->content.len, 0, NULL);

    bool is_ready = strcmp(event->type, "sandbox_ready") == 0;
    if (is_ready && trial->is_unsent)
        return DAEMON_ENOUGH;
    if (is_ready)
        tell_ready(trial, content);
    else if (strcmp(event->type, "execute_reply") == 0)
        tell_cell(trial, content);
    else if (strcmp(event->type, "sandbox_failed") == 0)
        report_add(trial->report, "start", CHECK_FAILED, text_of(content, "remedy"),
                   "%s", text_of(content, "message"));
    else if (strcmp(event->type, "worker_exited") == 0)
        report_add(trial->report, "cell", CHECK_FAILED, NULL, "%s",
                   text_of(content, "message"));
    else
        return DAEMON_GO_ON;
    trial->is_told = true;
    return is_ready ? DAEMON_GO_ON : DAEMON_ENOUGH;
}

void
probe_sandbox(struct report *report)
{
    AUTO(sandbox_use) struct sandbox_use use = SANDBOX_USE_INIT;
    struct trial trial = {.report = report};
    struct daemon_watcher watcher = {.on_event = on_event, .fd = -1, .context = &trial};
    struct error err, ignored;

    clock_gettime(CLOCK_MONOTONIC, &trial.began);
    if (sandbox_use_claim(&use, NULL, &err) < 0) {
        report_add(report, "start", CHECK_FAILED, NULL, "%s", err.text);
        return;
    }
    trial.is_unsent = sandbox_use_execute(&use, CELL, "1 + 1", &err) < 0;
    int status = sandbox_use_watch(&use, &watcher, trial.is_unsent ? &ignored : &err);
    if (status < 0 || (trial.is_unsent && !trial.is_told))
        report_add(report, "start", CHECK_FAILED, NULL, "%s", err.text);
}
