#include "kernel/sandbox_owner.h"

#include "kernel/client/pulse.h"
#include "kernel/jupyter/json_scan.h"
#include "kernel/kernel.h"
#include "kernel/notice.h"
#include "kernel/relay.h"

static void
on_stage(void *context, const char *stage)
{
    stage_line_change(context, stage);
}

static bool
has_package(struct slice ready, const char *name)
{
    return json_scan_field(json_scan_field(ready, "packages"), name).len;
}

static void
on_ready(void *context, const struct envelope *event)
{
    struct kernel *kernel = context;
    char *version = json_scan_check(event->content, &(struct error){0}) == 0
                        ? json_scan_text(event->content, "python")
                        : NULL;

    if (version) {
        free(kernel->python_version);
        kernel->python_version = version;
    }
    kernel->has_debugger = has_package(event->content, "debugpy");
    kernel->execution.count = 0;
    debug_send(kernel);
    beside_send(kernel);
    if (kernel->execution.request && !execution_is_posted(&kernel->execution))
        takeover_send(kernel);
}

static void
on_taken(void *context, const json_t *taken)
{
    struct kernel *kernel = context;
    const char *version = json_string_value(json_object_get(taken, "python"));

    if (version) {
        free(kernel->python_version);
        kernel->python_version = xstrdup(version);
    }
    kernel->execution.count = 0;
    takeover_note(kernel, taken);
}

static void
on_elsewhere(void *context, json_int_t pid)
{
    takeover_note_elsewhere(context, pid);
}

static void
on_told(void *context, const char *text)
{
    takeover_tell(context, text);
}

static void
on_kept(void *context, const char *why)
{
    struct kernel *kernel = context;
    const struct execution *execution = &kernel->execution;
    struct slice cell = parent_headers_find(execution->parents, execution->last_cell);

    if (cell.len)
        publish_stderr(&kernel->publisher, why, cell);
}

static void
on_resumed(void *context)
{
    struct kernel *kernel = context;

    debug_send(kernel);
    beside_send(kernel);
    if (kernel->execution.request && !execution_is_posted(&kernel->execution))
        takeover_send(kernel);
}

static void
on_event(void *context, const struct envelope *event)
{
    relay_event(context, event);
}

/* Its cell goes on: only the user knows whether it can be given up. */
static void
on_silent(void *context, const char *who, bool is_silent)
{
    struct kernel *kernel = context;
    AUTO(mem) char *text =
        is_silent ? xasprintf("cellpod: %s has not answered for %d s. It is asked for "
                              "%d s more. To get another sandbox at once, without its "
                              "variables, restart the kernel.\n",
                              who, PULSE_TOLD_S, PULSE_LOST_S - PULSE_TOLD_S)
                  : xasprintf("cellpod: %s answers again.\n", who);

    if (execution_is_shown(&kernel->execution))
        publish_stderr(&kernel->publisher, text,
                       request_header(kernel->execution.request));
}

static void
on_lost(void *context, const struct sandbox_loss *loss)
{
    struct kernel *kernel = context;

    struct execution *execution = &kernel->execution;

    takeover_forget(kernel);
    carrying_lose(kernel);
    if (execution->request)
        execution_fail(kernel, "SandboxError", loss->message, loss->remedy);
    else
        notice_tell_of_loss(kernel, loss->message);
    debug_end(kernel, loss->message);
    beside_end(kernel, loss->message);
    provenance_fresh_sandbox(&kernel->provenance);
    execution->count = 0;
}

static bool
is_current(const struct execution *execution, const char *id)
{
    return execution_is_posted(execution) && strcmp(execution->id, id) == 0;
}

static void
on_sent(void *context, const char *id, const struct error *err)
{
    struct kernel *kernel = context;
    struct execution *execution = &kernel->execution;

    debug_sent(kernel, id, err);
    beside_sent(kernel, id, err);
    if (!is_current(execution, id))
        return;
    if (err) {
        execution_fail(kernel, "SandboxError", err->text,
                       "The sandbox did not accept the request.");
        return;
    }
    bool is_to_stop = execution->state == EXECUTION_STOPPING;
    execution_enter(execution, EXECUTION_RUNNING);
    if (is_to_stop)
        sandbox_interrupt(kernel->sandbox, id);
    shell_go_on(kernel);
}

/* Not delivered, though the request is the current one: sandboxd has not begun it yet,
 * because a fresh worker is starting. The interrupt was still meant for this
 * request. */
static void
on_interrupted(void *context, const char *id, bool delivered)
{
    struct kernel *kernel = context;

    if (!delivered && is_current(&kernel->execution, id))
        interrupt_try_again(kernel);
}

struct sandbox_owner
sandbox_owner_make(struct kernel *kernel)
{
    return (struct sandbox_owner){on_stage,  on_ready, on_taken,   on_elsewhere,
                                  on_told,   on_kept,  on_resumed, on_event,
                                  on_silent, on_lost,  on_sent,    on_interrupted,
                                  kernel};
}
