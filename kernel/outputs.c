#include "kernel/outputs.h"

#include "kernel/jupyter/json_scan.h"
#include "kernel/kernel.h"

/* What is kept of a cell. */
static const char *const types[] = {
    "stream", "display_data", "update_display_data", "execute_result",
    "error",  "clear_output", "execute_input",
};

static bool
is_kept(const char *type)
{
    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (strcmp(type, types[i]) == 0)
            return true;
    return false;
}

static bool
is_idle(const struct outgoing *message)
{
    return strcmp(message->type, "status") == 0 &&
           slice_equals(json_scan_field(message->content, "execution_state"),
                        SLICE("\"idle\""));
}

static void
tap(void *context, const struct outgoing *message)
{
    struct kernel *kernel = context;
    const struct archive_ref cell =
        message->earlier ? (struct archive_ref){SLICE(""), sandbox_id(kernel->sandbox),
                                                message->earlier}
                         : (struct archive_ref){message->parent, "", ""};

    if (is_kept(message->type) && (message->parent.len || message->earlier))
        archive_put(&kernel->archive, &cell,
                    &(struct archive_output){message->type, message->content,
                                             message->metadata, message->seq});
    else if (is_idle(message) && message->parent.len)
        archive_end(&kernel->archive, &cell);
}

int
outputs_start(struct kernel *kernel, struct error *err)
{
    struct archive_choice choice;

    archive_choice_make(kernel->options->sandbox, &choice);
    kernel->publisher.tap = tap;
    kernel->publisher.tap_context = kernel;
    return archive_start(&kernel->archive, &choice, err);
}

static bool
is_cell_to_keep(const struct request *request)
{
    return request_is_cell(request) && !request->is_aborted && !request->is_hurried &&
           !json_scan_is_true(request_content(request), "silent", false) &&
           !outputs_magic_is_for(request) && !takeover_is_to_refresh(request);
}

void
outputs_begin(struct kernel *kernel, const struct request *request)
{
    if (!is_cell_to_keep(request))
        return;
    AUTO(mem) char *id =
        json_scan_text(request->message.parts[WIRE_METADATA], "cellId");
    archive_begin(&kernel->archive, request_header(request), id);
}

void
outputs_name(struct kernel *kernel, const struct request *request, const char *id)
{
    if (request_is_cell(request))
        archive_name(&kernel->archive, request_header(request),
                     sandbox_id(kernel->sandbox), id);
}

void
outputs_go_on_with(struct kernel *kernel, const char *id)
{
    if (*id)
        archive_go_on(
            &kernel->archive,
            &(struct archive_ref){SLICE(""), sandbox_id(kernel->sandbox), id});
}

void
outputs_end_earlier(struct kernel *kernel, const char *id)
{
    if (*id)
        archive_end(&kernel->archive,
                    &(struct archive_ref){SLICE(""), sandbox_id(kernel->sandbox), id});
}

/* Shown with the first cell that shows something. */
static void
tell(struct kernel *kernel, char *notice)
{
    char **told = &kernel->execution.notice;
    char *both = *told ? xasprintf("%s%s", *told, notice) : xstrdup(notice);

    free(*told);
    *told = both;
    free(notice);
}

void
outputs_take_news(struct kernel *kernel)
{
    struct archive_answer *answer;
    char *notice = archive_take_notice(&kernel->archive);

    if (notice)
        tell(kernel, notice);
    while ((answer = archive_take_answer(&kernel->archive)))
        if (!outputs_comm_take_answer(&kernel->outputs_comms, answer))
            outputs_magic_take_answer(kernel, answer);
}
