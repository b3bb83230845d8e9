#include "kernel/takeover.h"

#include "kernel/jupyter/json_scan.h"
#include "kernel/kernel.h"

#define LOG_COMPONENT "takeover"
#include "common/log.h"

#define FRESH "%fresh starts afresh, as a restart from the menu does."

void
takeover_release(struct takeover *takeover)
{
    free(TAKE(takeover->notice));
    free((char *)takeover->header.data);
    takeover->header = SLICE("");
    takeover->header.data = NULL;
}

void
takeover_forget(struct kernel *kernel)
{
    struct takeover *takeover = &kernel->takeover;

    takeover_release(takeover);
    takeover->state = TAKEOVER_NONE;
    takeover->cell[0] = '\0';
}

/* --- what is told --- */

/* Names that the worker gave; sandboxd has checked that they steer no terminal. */
static void
append_names(struct buffer *text, const json_t *variables)
{
    const json_t *names = json_object_get(variables, "names");
    const json_int_t count = json_integer_value(json_object_get(variables, "count"));
    size_t i;
    json_t *name;

    if (!json_array_size(names))
        return;
    json_array_foreach (names, i, name) {
        const char *word = json_string_value(name);
        buffer_printf(text, "%s%s", i ? ", " : ": ", word ? word : "");
    }
    if (count > (json_int_t)json_array_size(names))
        buffer_printf(text, " and %lld more",
                      (long long)count - (long long)json_array_size(names));
}

static void
append_since(struct buffer *text, json_int_t ago_ms)
{
    const time_t ended = time(NULL) - (time_t)(ago_ms / 1000);
    struct tm local;
    char clock[sizeof("23:59:59")];

    strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&ended, &local));
    buffer_printf(text, "its kernel ended at %s without a shutdown", clock);
}

static char *
make_notice(const json_t *taken)
{
    AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX);
    const bool is_cut = json_is_true(json_object_get(taken, "is_cut"));
    const char *cell = json_string_value(json_object_get(taken, "cell"));

    buffer_append_text(&text, "cellpod: this is the session from before; ");
    append_since(&text, json_integer_value(json_object_get(taken, "ago_ms")));
    buffer_append_text(&text, ". Its variables are here");
    append_names(&text, json_object_get(taken, "variables"));
    buffer_append_text(&text, ". " FRESH "\n");
    if (cell && *cell)
        buffer_printf(&text, "cellpod: below is what its last cell has put out%s.\n",
                      is_cut ? ", except the beginning, which is no longer kept" : "");
    return xstrndup(text.data, text.len);
}

void
takeover_tell(struct kernel *kernel, const char *text)
{
    struct takeover *takeover = &kernel->takeover;
    AUTO(mem) char *before = TAKE(takeover->notice);

    takeover->notice = xasprintf("%s%s", before ? before : "", text);
}

void
takeover_note_elsewhere(struct kernel *kernel, json_int_t pid)
{
    AUTO(mem) char *text = xasprintf(
        "cellpod: the session from before is in use by another kernel of this "
        "notebook (process %lld). This is a fresh one.\n",
        (long long)pid);

    takeover_tell(kernel, text);
}

static void
show_notice(struct kernel *kernel)
{
    struct takeover *takeover = &kernel->takeover;
    const struct request *request = kernel->execution.request;

    if (!takeover->notice || !execution_is_shown(&kernel->execution))
        return;
    stage_line_end(kernel);
    publish_stderr(&kernel->publisher, takeover->notice, request_header(request));
    free(TAKE(takeover->notice));
}

/* --- taking it over --- */

bool
takeover_is_pending(const struct takeover *takeover)
{
    return takeover->state == TAKEOVER_PENDING;
}

#define NO_CELL "the session from before has been taken over: run a cell first"

bool
takeover_refuses(struct kernel *kernel, const struct request *request,
                 struct error *err)
{
    const bool is_silent = json_scan_is_true(request_content(request), "silent", false);

    if (!takeover_is_pending(&kernel->takeover) ||
        (request_is_cell(request) && !is_silent))
        return false;
    (void)error_set(err, ERR_UNAVAILABLE, NO_CELL);
    return true;
}

/* What the earlier kernel knew, and this one cannot: whose code has run there. */
static void
restore_provenance(struct kernel *kernel, const json_t *taken)
{
    if (json_is_false(json_object_get(taken, "models")))
        return;
    provenance_attempt_begins(&kernel->provenance, true);
    provenance_attempt_ends(&kernel->provenance);
}

void
takeover_note(struct kernel *kernel, const json_t *taken)
{
    struct takeover *takeover = &kernel->takeover;
    const char *cell = json_string_value(json_object_get(taken, "cell"));

    log_info("cell=%s", cell ? cell : "");
    AUTO(mem) char *told = TAKE(takeover->notice);
    takeover_forget(kernel);
    takeover->state = TAKEOVER_PENDING;
    takeover->after = json_integer_value(json_object_get(taken, "after"));
    takeover->last = json_integer_value(json_object_get(taken, "last"));
    takeover->question = json_integer_value(json_object_get(taken, "question"));
    snprintf(takeover->cell, sizeof(takeover->cell), "%s", cell ? cell : "");
    takeover->notice = make_notice(taken);
    takeover_tell(kernel, told ? told : "");
    restore_provenance(kernel, taken);
    outputs_go_on_with(kernel, takeover->cell);
    parent_headers_start(
        kernel->execution.parents,
        (unsigned)json_integer_value(json_object_get(taken, "takeover")));
    if (!kernel->execution.request || execution_is_posted(&kernel->execution))
        return;
    execution_name(&kernel->execution); /* it had one that was used there before */
    if (execution_is_shown(&kernel->execution))
        takeover_send(kernel);
    else
        execution_fail(kernel, "SandboxError", NO_CELL, "");
}

static void
begin(struct kernel *kernel)
{
    struct takeover *takeover = &kernel->takeover;
    const struct slice header = request_header(kernel->execution.request);

    takeover->header = (struct slice){xstrndup(header.data, header.len), header.len};
    takeover->state = *takeover->cell ? TAKEOVER_FOLLOWING : TAKEOVER_OVER;
    show_notice(kernel);
    sandbox_listen(kernel->sandbox, takeover->after);
}

void
takeover_send(struct kernel *kernel)
{
    if (takeover_is_pending(&kernel->takeover))
        begin(kernel);
    if (kernel->takeover.state == TAKEOVER_FOLLOWING)
        return; /* takeover_end sends it */
    show_notice(kernel);
    execution_send(kernel);
}

/* --- the earlier kernel's last cell --- */

bool
takeover_is_for(const struct takeover *takeover, const struct envelope *event)
{
    return takeover->state == TAKEOVER_FOLLOWING &&
           strcmp(takeover->cell, event->parent) == 0;
}

struct slice
takeover_parent(const struct takeover *takeover)
{
    return takeover->header;
}

void
takeover_ask(struct kernel *kernel, const struct envelope *event)
{
    const struct takeover *takeover = &kernel->takeover;
    const struct execution *execution = &kernel->execution;

    if (event->seq <= takeover->last && event->seq != takeover->question)
        return; /* answered, when the earlier kernel was there */
    if (execution->request && execution->allows_stdin)
        input_ask(&kernel->input, execution->request, event);
    else
        publish_stderr(&kernel->publisher,
                       "cellpod: the cell from before waits for input, which this "
                       "client cannot give. Interrupt it.\n",
                       takeover->header);
}

void
takeover_end(struct kernel *kernel)
{
    kernel->takeover.state = TAKEOVER_OVER;
    outputs_end_earlier(kernel, kernel->takeover.cell);
    input_end(&kernel->input);
    if (kernel->execution.request && !execution_is_posted(&kernel->execution))
        execution_send(kernel);
}

bool
takeover_interrupt(struct kernel *kernel)
{
    if (kernel->takeover.state != TAKEOVER_FOLLOWING)
        return false;
    sandbox_interrupt(kernel->sandbox, kernel->takeover.cell);
    return true;
}

/* --- starting afresh --- */

bool
takeover_is_to_refresh(const struct request *request)
{
    AUTO(mem) char *code = request_is_cell(request)
                               ? json_scan_text(request_content(request), "code")
                               : NULL;
    const char *at = code ? code + strspn(code, " \t\n") : "";

    return strncmp(at, "%fresh", 6) == 0 && !at[6 + strspn(at + 6, " \t\n")];
}

static void
on_ended(void *context)
{
    struct kernel *kernel = context;

    if (!kernel->execution.request ||
        !takeover_is_to_refresh(kernel->execution.request))
        return; /* it was interrupted; the next cell claims */
    if (execution_is_shown(&kernel->execution))
        publish_stderr(&kernel->publisher, "cellpod: this is a fresh session.\n",
                       request_header(kernel->execution.request));
    kernel->execution.count = 0;
    execution_end(kernel,
                  SLICE("{\"status\":\"ok\",\"execution_count\":0,\"payload\":[],"
                        "\"user_expressions\":{}}"),
                  SLICE(""));
    execution_claim(kernel);
}

void
takeover_refresh(struct kernel *kernel)
{
    takeover_forget(kernel);
    kernel->takeover.is_refreshed = true;
    provenance_fresh_sandbox(&kernel->provenance);
    sandbox_end(kernel->sandbox, on_ended, kernel);
}
