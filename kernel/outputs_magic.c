#include "kernel/outputs_magic.h"

#include <time.h>

#include "common/json_text.h"
#include "kernel/jupyter/json_scan.h"
#include "kernel/kernel.h"

#define MAGIC "%outputs"

/* Its argument, owned; NULL: the code is something else. */
static char *
argument_of(const struct request *request)
{
    AUTO(mem) char *code = request_is_cell(request)
                               ? json_scan_text(request_content(request), "code")
                               : NULL;
    const char *at = code ? code + strspn(code, " \t\n") : "";

    if (strncmp(at, MAGIC, strlen(MAGIC)) != 0)
        return NULL;
    at += strlen(MAGIC);
    if (*at && !strchr(" \t\n", *at))
        return NULL;
    at += strspn(at, " \t");
    const size_t len = strcspn(at, " \t\n");
    return at[len + strspn(at + len, " \t\n")] ? NULL : xstrndup(at, len);
}

bool
outputs_magic_is_for(const struct request *request)
{
    AUTO(mem) char *argument = argument_of(request);

    return argument && !json_scan_is_true(request_content(request), "silent", false);
}

void
outputs_magic_begin(struct kernel *kernel)
{
    struct slice content = request_content(kernel->execution.request);
    AUTO(mem) char *code = json_scan_text(content, "code");
    AUTO(buffer) struct buffer step = BUFFER_INIT(SIZE_MAX);

    json_text_append(&step,
                     json_pack("{s:s, s:b}", "code", code, "store_history",
                               json_scan_is_true(content, "store_history", true)));
    kernel->outputs_magic.ticket = 0; /* an answer to an earlier one comes too late */
    execution_post_step(kernel, messages_name(MESSAGE_ANNOUNCE_REQUEST),
                        buffer_slice(&step), true);
}

bool
outputs_magic_take_reply(struct kernel *kernel, const struct envelope *event)
{
    if (strcmp(event->type, messages_name(MESSAGE_ANNOUNCE_REPLY)) != 0)
        return false;
    if (!kernel->archive.is_running) {
        AUTO(mem) char *text =
            xasprintf("no outputs of this notebook are kept, because %s",
                      kernel->archive.choice.why);
        execution_fail(kernel, "OutputsError", text, "");
        return true;
    }
    AUTO(mem) char *wanted = argument_of(kernel->execution.request);
    kernel->outputs_magic.ticket = archive_show(&kernel->archive, wanted, false);
    return true;
}

/* --- what is shown --- */

static void
append_heading(struct buffer *text, const struct archive_answer *answer)
{
    char when[sizeof("2026-11-23 22:15:09")];
    const time_t began = (time_t)answer->began;
    struct tm local;

    strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", localtime_r(&began, &local));
    buffer_append_text(text, "cellpod: what ");
    if (answer->count)
        buffer_printf(text, "cell [%lld]", answer->count);
    else
        buffer_append_text(text, "a cell");
    buffer_printf(text, " of %s has put out%s%s%s.", when,
                  answer->is_open ? " so far" : "",
                  answer->has_gap ? ", without what was too much to keep" : "",
                  answer->shown.count ? "" : ": nothing");
    if (*answer->others)
        buffer_printf(text, " Others: %s.", answer->others);
    buffer_append_text(text, "\n");
}

static void
show(struct kernel *kernel, const struct archive_answer *answer)
{
    AUTO(buffer) struct buffer heading = BUFFER_INIT(SIZE_MAX);
    const struct slice parent = request_header(kernel->execution.request);

    append_heading(&heading, answer);
    publish_stderr(&kernel->publisher, heading.data, parent);
    for (size_t i = 0; i < answer->shown.count; i++) {
        const struct archive_item *item = &answer->shown.items[i];
        publish(&kernel->publisher, &(struct outgoing){.type = item->type,
                                                       .parent = parent,
                                                       .content = item->content,
                                                       .metadata = item->metadata});
    }
}

static void
end(struct kernel *kernel)
{
    AUTO(buffer) struct buffer content = BUFFER_INIT(SIZE_MAX);

    buffer_printf(&content,
                  "{\"status\":\"ok\",\"execution_count\":%lld,\"payload\":[],"
                  "\"user_expressions\":{}}",
                  kernel->execution.count);
    execution_end(kernel, buffer_slice(&content), SLICE(""));
}

void
outputs_magic_take_answer(struct kernel *kernel, struct archive_answer *given)
{
    AUTO(archive_answer) struct archive_answer *answer = given;
    const struct execution *execution = &kernel->execution;

    if (!execution->request || !execution->is_outputs ||
        answer->ticket != kernel->outputs_magic.ticket)
        return; /* it was interrupted */
    if (answer->is_found) {
        show(kernel, answer);
        end(kernel);
        return;
    }
    AUTO(mem) char *others =
        *answer->others ? xasprintf("There are: %s.", answer->others) : xstrdup("");
    execution_fail(kernel, "OutputsError",
                   "no outputs of such a cell are kept for this notebook", others);
}
