#include "kernel/stage_line.h"

#include "kernel/kernel.h"

#define SHOWN_AFTER_MS 1000

static void
show(struct kernel *kernel, enum message_id type, const char *stage)
{
    AUTO(buffer) struct buffer content = BUFFER_INIT(SIZE_MAX);
    AUTO(mem) char *text = xasprintf("cellpod: %s \u2026", stage);

    buffer_append_text(&content, "{\"data\":{\"text/plain\":");
    buffer_append_json_string(&content, slice_of(text)); /* a cluster's words, too */
    buffer_printf(&content,
                  "},\"metadata\":{},\"transient\":{\"display_id\":\"cellpod-%s-%s\"}}",
                  kernel->session.ident, kernel->execution.id);
    execution_publish(kernel, type, &content);
}

static void
on_due(void *context)
{
    struct kernel *kernel = context;

    if (!execution_is_shown(&kernel->execution))
        return;
    execution_enter(&kernel->execution, EXECUTION_STAGED);
    const char *stage = carry_stage(&kernel->carrying.carry);
    show(kernel, MESSAGE_DISPLAY_DATA, *stage ? stage : sandbox_stage(kernel->sandbox));
}

void
stage_line_begin(struct kernel *kernel)
{
    timer_set(&kernel->execution.stage_line.timer, kernel->loop, SHOWN_AFTER_MS, on_due,
              kernel);
}

void
stage_line_change(struct kernel *kernel, const char *stage)
{
    if (kernel->execution.state == EXECUTION_STAGED)
        show(kernel, MESSAGE_UPDATE_DISPLAY_DATA, stage);
}

void
stage_line_end(struct kernel *kernel)
{
    AUTO(buffer) struct buffer content = BUFFER_INIT(SIZE_MAX);

    timer_cancel(&kernel->execution.stage_line.timer);
    if (kernel->execution.state != EXECUTION_STAGED)
        return;
    execution_enter(&kernel->execution, EXECUTION_WAITING);
    buffer_append_text(&content, "{\"wait\":false}");
    execution_publish(kernel, MESSAGE_CLEAR_OUTPUT, &content);
}
