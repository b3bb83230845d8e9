#include "kernel/carrying.h"

#include "kernel/jupyter/json_scan.h"
#include "kernel/kernel.h"

static struct carry *
carry_of(struct kernel *kernel)
{
    return &kernel->carrying.carry;
}

static void
on_stage(void *context, const char *stage)
{
    stage_line_change(context, stage);
}

/* For the next cell that shows something. */
static void
note(struct kernel *kernel)
{
    AUTO(mem) char *more = carry_take_notice(carry_of(kernel));
    AUTO(mem) char *before = TAKE(kernel->execution.notice);

    if (before || more)
        kernel->execution.notice =
            xasprintf("%s%s", before ? before : "", more ? more : "");
}

void
carrying_end(struct carrying *carrying)
{
    carrying->is_holding = false;
    buffer_release(&carrying->content);
    buffer_release(&carrying->metadata);
}

static void
go_on(struct kernel *kernel)
{
    if (kernel->execution.request && !execution_is_posted(&kernel->execution) &&
        sandbox_is_ready(kernel->sandbox))
        execution_send(kernel);
}

static void
on_sent(void *context)
{
    note(context);
    go_on(context);
}

static void
end_cell(struct kernel *kernel)
{
    struct carrying *carrying = &kernel->carrying;
    AUTO(buffer) struct buffer content = carrying->content;
    AUTO(buffer) struct buffer metadata = carrying->metadata;

    carrying->content = carrying->metadata = (struct buffer)BUFFER_INIT(SIZE_MAX);
    carrying->is_holding = false;
    execution_end(kernel, buffer_slice(&content), buffer_slice(&metadata));
}

static void
on_brought(void *context)
{
    struct kernel *kernel = context;

    note(kernel);
    if (kernel->carrying.is_holding)
        end_cell(kernel);
    else
        go_on(kernel);
}

void
carrying_init(struct kernel *kernel)
{
    const struct carry_owner owner = {on_stage, on_sent, on_brought, kernel};

    kernel->carrying.content = kernel->carrying.metadata =
        (struct buffer)BUFFER_INIT(SIZE_MAX);
    carry_init(carry_of(kernel), kernel->loop, &owner);
}

void
carrying_release(struct carrying *carrying)
{
    carry_release(&carrying->carry);
    carrying_end(carrying);
}

/* Elsewhere: a sandboxd on this machine is reached by a socket. */
static bool
is_elsewhere(const struct kernel *kernel)
{
    const struct place_spec *place = &kernel->options->place;

    return place->type == &place_gke ||
           (place->type == &place_given && !place->address.unix_path);
}

void
carrying_lose(struct kernel *kernel)
{
    carry_forget(carry_of(kernel));
    carrying_end(&kernel->carrying);
}

void
carrying_configure(struct kernel *kernel)
{
    if (!is_elsewhere(kernel))
        return;
    reach_open(&kernel->reach, kernel->loop, kernel->sandbox);
    carrying_lose(kernel);
    carry_configure(carry_of(kernel), kernel->options->sandbox);
    note(kernel);
}

const char *
carrying_folder(const struct kernel *kernel)
{
    const struct carry *carry = &kernel->carrying.carry;

    return carry_is_on(carry) && carry->choice.is_back ? carry->choice.folder : NULL;
}

bool
carrying_is_before(struct kernel *kernel)
{
    struct execution *execution = &kernel->execution;

    if (!request_is_cell(execution->request) || !carry_is_on(carry_of(kernel)))
        return false;
    if (!carry_is_busy(carry_of(kernel)) && !execution->is_carried) {
        execution->is_carried = true;
        if (execution->state == EXECUTION_WAITING)
            stage_line_begin(kernel);
        carry_send(carry_of(kernel), kernel->sandbox);
    }
    return carry_is_busy(carry_of(kernel));
}

/* That a file is not there, in the words of the cell's error; NULL: another error, or
 * none. */
static char *
missing_of(struct slice content)
{
    AUTO(mem) char *ename = json_scan_text(content, "ename");
    AUTO(mem) char *evalue = json_scan_text(content, "evalue");

    return carry_missing_said(ename, evalue);
}

bool
carrying_is_after(struct kernel *kernel, struct slice content, struct slice metadata)
{
    struct carrying *carrying = &kernel->carrying;
    struct execution *execution = &kernel->execution;

    if (carrying->is_holding)
        return true; /* it has replied already */
    if (!request_is_cell(execution->request) || !execution_is_posted(execution) ||
        execution->is_brought || !sandbox_is_ready(kernel->sandbox) ||
        !carry_is_on(&carrying->carry) || carry_is_busy(&carrying->carry))
        return false;
    AUTO(mem) char *said = missing_of(content);
    if (!said && !carry_brings(&carrying->carry))
        return false;
    execution->is_brought = carrying->is_holding = true;
    buffer_append(&carrying->content, content.data, content.len);
    buffer_append(&carrying->metadata, metadata.data, metadata.len);
    carry_bring(&carrying->carry, &said);
    return true;
}

bool
carrying_interrupt(struct kernel *kernel)
{
    if (!kernel->carrying.is_holding)
        return false;
    publish_stderr(&kernel->publisher,
                   "cellpod: what this cell has written still comes from the sandbox; "
                   "the next cell waits for it.\n",
                   request_header(kernel->execution.request));
    end_cell(kernel);
    return true;
}
