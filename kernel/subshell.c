#include "kernel/subshell.h"

#include "kernel/jupyter/json_scan.h"
#include "kernel/kernel.h"

#define LOG_COMPONENT "subshell"
#include "common/log.h"

struct subshell {
    STAILQ_ENTRY(subshell) link;
    char id[ZUUID_STR_LEN + 5]; /* with its dashes, and the end */
    STAILQ_HEAD(, request) queue;
    struct request *current; /* the one that a handler works on; borrowed */
    unsigned open;           /* what the worker has to do for it */
    bool is_running, is_deleted;
};

void
subshell_init(struct subshells *subshells)
{
    STAILQ_INIT(&subshells->list);
}

static struct request *
take_first(struct subshell *subshell)
{
    struct request *request = STAILQ_FIRST(&subshell->queue);

    if (request)
        STAILQ_REMOVE_HEAD(&subshell->queue, link);
    return request;
}

void
subshell_release(struct subshells *subshells)
{
    struct subshell *subshell;
    struct request *request;

    while ((subshell = STAILQ_FIRST(&subshells->list))) {
        STAILQ_REMOVE_HEAD(&subshells->list, link);
        while ((request = take_first(subshell)))
            request_free(request);
        free(subshell);
    }
}

const char *
subshell_id(const struct subshell *subshell)
{
    return subshell->id;
}

static struct subshell *
find(const struct kernel *kernel, const char *id)
{
    struct subshell *subshell;

    STAILQ_FOREACH (subshell, &kernel->subshells.list, link)
        if (!subshell->is_deleted && strcmp(subshell->id, id) == 0)
            return subshell;
    return NULL;
}

static void
drop_if_over(struct kernel *kernel, struct subshell *subshell)
{
    if (!subshell->is_deleted || subshell->open || subshell->current ||
        subshell->is_running)
        return;
    STAILQ_REMOVE(&kernel->subshells.list, subshell, subshell, link);
    kernel->subshells.count--;
    free(subshell);
}

/* --- requests --- */

static bool
may_begin(const struct kernel *kernel)
{
    const struct execution *execution = &kernel->execution;

    return !(execution->request && execution->is_ask) &&
           !shutdown_is_under_way(&kernel->shutdown);
}

/* As in shell.c: whatever finishes a request meanwhile leaves the next one to the loop
 * here. */
static void
run(struct kernel *kernel, struct subshell *subshell)
{
    struct request *request;

    if (subshell->is_running)
        return;
    subshell->is_running = true;
    while (!subshell->current && may_begin(kernel) &&
           (request = take_first(subshell))) {
        shell_dequeued(kernel, request);
        subshell->current = request;
        dispatch(kernel, request);
    }
    subshell->is_running = false;
}

void
subshell_run_all(struct kernel *kernel)
{
    struct subshell *subshell, *next;

    for (subshell = STAILQ_FIRST(&kernel->subshells.list); subshell; subshell = next) {
        next = STAILQ_NEXT(subshell, link);
        run(kernel, subshell);
        drop_if_over(kernel, subshell);
    }
}

static void
reply_unknown(struct kernel *kernel, struct request *request, const char *id)
{
    AUTO(mem) char *why = xasprintf("Unknown subshell_id '%.64s'", id);

    dispatch_reply_error(kernel, request,
                         &(struct failure){"UnknownSubshellError", why, "",
                                           kernel->execution.count, NULL});
    dispatch_finish(kernel, request);
}

static void
refuse(struct kernel *kernel, struct request *request, const char *id)
{
    request->subshell = NULL;
    request->is_beside = false;
    publish_status(&kernel->publisher, "busy", request_header(request));
    reply_unknown(kernel, request, id);
}

bool
subshell_take(struct kernel *kernel, struct request *request)
{
    const char *id =
        json_string_value(json_object_get(request->message.header, "subshell_id"));
    struct subshell *subshell = id ? find(kernel, id) : NULL;

    if (!id)
        return false;
    if (!subshell) {
        refuse(kernel, request, id);
        return true;
    }
    request->subshell = subshell;
    request->is_beside = true;
    STAILQ_INSERT_TAIL(&subshell->queue, request, link);
    shell_queued(kernel, request);
    run(kernel, subshell);
    return true;
}

void
subshell_finished(struct kernel *kernel, struct request *request)
{
    struct subshell *subshell = request->subshell;

    if (request != subshell->current)
        return;
    subshell->current = NULL;
    run(kernel, subshell);
    drop_if_over(kernel, subshell);
}

void
subshell_abort(struct kernel *kernel, struct subshell *subshell)
{
    struct request *request;

    shell_drain(kernel);
    STAILQ_FOREACH (request, &subshell->queue, link)
        if (request->type && request->type->id == MESSAGE_EXECUTE_REQUEST)
            request->is_aborted = true;
}

/* --- its life --- */

void
subshell_entered(struct subshell *subshell)
{
    subshell->open++;
}

void
subshell_left(struct kernel *kernel, struct subshell *subshell)
{
    subshell->open--;
    drop_if_over(kernel, subshell);
}

void
subshell_answer_order(struct kernel *kernel, const struct subshell *subshell,
                      struct request *request)
{
    AUTO(mem) char *content =
        request->type->id == MESSAGE_CREATE_SUBSHELL_REQUEST
            ? xasprintf("{\"status\":\"ok\",\"subshell_id\":\"%s\"}", subshell->id)
            : xstrdup("{\"status\":\"ok\"}");

    dispatch_reply(kernel, request, slice_of(content), SLICE(""));
}

static struct subshell *
add(struct kernel *kernel)
{
    struct subshell *subshell = xcalloc(1, sizeof(*subshell));
    zuuid_t *uuid = zuuid_new();

    snprintf(subshell->id, sizeof(subshell->id), "%s", zuuid_str_canonical(uuid));
    zuuid_destroy(&uuid);
    STAILQ_INIT(&subshell->queue);
    STAILQ_INSERT_TAIL(&kernel->subshells.list, subshell, link);
    kernel->subshells.count++;
    return subshell;
}

/* Can the worker be told at once? A takeover reads nothing before there is a cell. */
static bool
has_worker(const struct kernel *kernel)
{
    return sandbox_is_ready(kernel->sandbox) && !takeover_is_pending(&kernel->takeover);
}

int
subshell_handle_create(struct kernel *kernel, struct request *request,
                       struct error *err)
{
    if (kernel->subshells.count >= LIMIT_SUBSHELLS)
        return error_set(
            err, ERR_BUSY,
            "there are %d subshells, the most that a kernel has: delete one "
            "first, or wait until what ran in a deleted one has ended",
            LIMIT_SUBSHELLS);
    struct subshell *subshell = add(kernel);
    if (has_worker(kernel)) {
        beside_order(kernel, subshell, "open", request);
        return 0;
    }
    subshell_answer_order(kernel, subshell, request);
    dispatch_finish(kernel, request);
    return 0;
}

/* What runs in it is interrupted, and answered at once: it may not react. */
static void
end(struct kernel *kernel, struct subshell *subshell, struct request *request)
{
    struct request *waiting;
    bool is_at_rest = !subshell->open;

    subshell->is_deleted = true;
    subshell->open++; /* it stays until here is its end */
    while ((waiting = take_first(subshell))) {
        shell_dequeued(kernel, waiting);
        refuse(kernel, waiting, subshell->id);
    }
    beside_abandon(kernel, subshell);
    if (!is_at_rest || !has_worker(kernel)) {
        subshell_answer_order(kernel, subshell, request);
        dispatch_finish(kernel, request);
    }
    if (has_worker(kernel))
        beside_order(kernel, subshell, "close", is_at_rest ? request : NULL);
    subshell_left(kernel, subshell);
}

int
subshell_handle_delete(struct kernel *kernel, struct request *request,
                       struct error *err UNUSED)
{
    AUTO(mem) char *id = json_scan_text(request_content(request), "subshell_id");
    struct subshell *subshell = id ? find(kernel, id) : NULL;

    if (subshell)
        end(kernel, subshell, request);
    else
        reply_unknown(kernel, request, id ? id : "");
    return 0;
}

int
subshell_handle_list(struct kernel *kernel, struct request *request,
                     struct error *err UNUSED)
{
    json_auto_t *content = json_pack("{s:s, s:[]}", "status", "ok", "subshell_id");
    struct subshell *subshell;

    STAILQ_FOREACH (subshell, &kernel->subshells.list, link)
        if (!subshell->is_deleted)
            json_array_append_new(json_object_get(content, "subshell_id"),
                                  json_string(subshell->id));
    AUTO(mem) char *text = json_dumps(content, JSON_COMPACT);
    dispatch_reply(kernel, request, slice_of(text), SLICE(""));
    return 0;
}
