#include "kernel/beside.h"

#include "kernel/content/request_content.h"
#include "kernel/jupyter/json_scan.h"
#include "kernel/kernel.h"

#define LOG_COMPONENT "beside"
#include "common/log.h"

#define WORKER_DIED "WorkerDied"

struct beside {
    TAILQ_ENTRY(beside) link;
    struct request *request;   /* owned; NULL: nobody asks, or not any more */
    const char *order;         /* to the worker, in its place; or NULL */
    char *target;              /* of an order: the request that it is about; or NULL */
    struct subshell *subshell; /* NULL: the main thread */
    char id[PARENT_ID_SIZE];   /* as the sandbox knows it */
    struct buffer prepared;    /* its content, where that was completed */
    bool is_posted, is_sent;   /* for this sandbox; and on its way to it */
};

void
beside_init(struct besides *besides)
{
    TAILQ_INIT(&besides->open);
}

static void
beside_free(struct beside *b)
{
    request_free(b->request);
    buffer_release(&b->prepared);
    free(b->target);
    free(b);
}

void
beside_release(struct besides *besides)
{
    struct beside *b;

    while ((b = TAILQ_FIRST(&besides->open))) {
        TAILQ_REMOVE(&besides->open, b, link);
        beside_free(b);
    }
}

bool
beside_is_any(const struct besides *besides)
{
    return !TAILQ_EMPTY(&besides->open);
}

static struct beside *
find(const struct kernel *kernel, const char *id)
{
    struct beside *b;

    TAILQ_FOREACH (b, &kernel->besides.open, link)
        if (strcmp(b->id, id) == 0)
            return b;
    return NULL;
}

const struct request *
beside_find(const struct kernel *kernel, const char *id)
{
    const struct beside *b = find(kernel, id);

    return b && !b->order ? b->request : NULL;
}

/* --- the end of one --- */

static void send_next(struct kernel *kernel);

/* It is not in the list any more when whoever waits for that goes on. */
static void
finish(struct kernel *kernel, struct beside *b)
{
    struct request *request = TAKE(b->request);
    struct subshell *subshell = b->subshell;

    TAILQ_REMOVE(&kernel->besides.open, b, link);
    kernel->besides.of_main -= !subshell;
    if (kernel->besides.in_flight == b)
        kernel->besides.in_flight = NULL; /* it has ended, so sandboxd had it */
    beside_free(b);
    send_next(kernel);
    if (subshell)
        subshell_left(kernel, subshell);
    if (request)
        dispatch_finish(kernel, request);
    shell_go_on(kernel);
    execution_go_on(kernel);
}

static void
abort_if_asked(struct kernel *kernel, const struct beside *b)
{
    struct slice content = request_content(b->request);

    if (request_is_cell(b->request) && !json_scan_is_true(content, "silent", false) &&
        json_scan_is_true(content, "stop_on_error", true))
        subshell_abort(kernel, b->subshell);
}

static void
show_failure(struct kernel *kernel, const struct beside *b,
             const struct failure *failure)
{
    AUTO(buffer) struct buffer content = BUFFER_INIT(SIZE_MAX);

    buffer_append_text(&content, "{");
    failure_append(&content, failure);
    buffer_append_text(&content, "}");
    publish(&kernel->publisher, &(struct outgoing){.type = messages_name(MESSAGE_ERROR),
                                                   .parent = request_header(b->request),
                                                   .content = buffer_slice(&content)});
}

/* An order whose worker is gone is obeyed: with it all of its threads are. */
static void
answer_failure(struct kernel *kernel, struct beside *b, const char *ename,
               const char *why)
{
    const struct failure failure = {ename, why, "", kernel->execution.count, NULL};

    if (b->request && b->order) {
        subshell_answer_order(kernel, b->subshell, b->request);
    } else if (b->request) {
        if (request_is_cell(b->request))
            show_failure(kernel, b, &failure);
        abort_if_asked(kernel, b);
        dispatch_reply_error(kernel, b->request, &failure);
    }
}

static void
fail(struct kernel *kernel, struct beside *b, const char *ename, const char *why)
{
    answer_failure(kernel, b, ename, why);
    finish(kernel, b);
}

/* --- the beginning --- */

static int
make_envelope(const struct beside *b, struct buffer *out, struct error *err)
{
    const struct wire_message *message = &b->request->message;
    json_auto_t *line =
        json_pack("{s:s, s:s, s:s}", "id", b->id, "type", message->type, "beside",
                  b->subshell ? subshell_id(b->subshell) : "");

    if (strlen(message->id) <= LIMIT_REQUEST_ID)
        json_object_set_new(line, "msg_id", json_string(message->id));
    if (message->parts[WIRE_METADATA].len > LIMIT_ENVELOPE_METADATA)
        return error_set(err, ERR_TOO_LARGE, "metadata over %d bytes",
                         LIMIT_ENVELOPE_METADATA);
    return envelope_append(
        out, line,
        b->prepared.len ? buffer_slice(&b->prepared) : message->parts[WIRE_CONTENT],
        message->parts[WIRE_METADATA], message->buffers, message->buffer_count, err);
}

static int
make_order(const struct beside *b, struct buffer *out, struct error *err)
{
    json_auto_t *line = json_pack("{s:s, s:s, s:s}", "id", b->id, "type",
                                  messages_name(MESSAGE_SUBSHELL_REQUEST), "beside",
                                  b->subshell ? subshell_id(b->subshell) : "");
    json_auto_t *content =
        json_pack("{s:s, s:s*}", "order", b->order, "request", b->target);
    AUTO(mem) char *text = json_dumps(content, JSON_COMPACT);

    return envelope_append(out, line, slice_of(text), SLICE(""), NULL, 0, err);
}

static void
send_one(struct kernel *kernel, struct beside *b)
{
    AUTO(buffer) struct buffer envelope = BUFFER_INIT(LIMIT_ENVELOPE_BYTES);
    struct error err;

    b->is_sent = true;
    if ((b->order ? make_order : make_envelope)(b, &envelope, &err) < 0) {
        fail(kernel, b, "RequestError", err.text);
        return;
    }
    kernel->besides.in_flight = b;
    if (!b->order)
        outputs_name(kernel, b->request, b->id);
    sandbox_send(kernel->sandbox, b->id, NULL, &envelope);
}

/* Two that are on their way at once may arrive in any order. */
static void
send_next(struct kernel *kernel)
{
    struct beside *b = TAILQ_FIRST(&kernel->besides.open);

    while (b && (!b->is_posted || b->is_sent))
        b = TAILQ_NEXT(b, link);
    if (b && !kernel->besides.in_flight)
        send_one(kernel, b);
}

static void
post(struct kernel *kernel, struct beside *b)
{
    b->is_posted = true;
    send_next(kernel);
}

static struct beside *
begin(struct kernel *kernel, struct request *request, struct subshell *subshell)
{
    struct beside *b = xcalloc(1, sizeof(*b));

    b->request = request;
    b->subshell = subshell;
    b->prepared = (struct buffer)BUFFER_INIT(LIMIT_ENVELOPE_BYTES);
    parent_headers_add(kernel->execution.parents, request && request_is_cell(request),
                       request ? request_header(request) : SLICE("{}"), b->id);
    TAILQ_INSERT_TAIL(&kernel->besides.open, b, link);
    kernel->besides.of_main += !subshell;
    if (subshell)
        subshell_entered(subshell);
    return b;
}

static int
check(const struct kernel *kernel, const struct request *request, struct error *err)
{
    if (takeover_is_pending(&kernel->takeover))
        return error_set(err, ERR_UNAVAILABLE,
                         "an earlier session of this notebook waits to be taken over: "
                         "run a cell outside of subshells first");
    if (request_is_cell(request) && ask_is_for(request_content(request)))
        return error_set(err, ERR_BAD_INPUT,
                         "%%%%ask needs the main shell: a subshell does not undo what "
                         "a model's code has done");
    if (request_is_cell(request) && outputs_magic_is_for(request))
        return error_set(err, ERR_BAD_INPUT,
                         "%%outputs needs the main shell: run it in a cell outside of "
                         "subshells");
    return 0;
}

int
beside_handle(struct kernel *kernel, struct request *request, struct error *err)
{
    AUTO(buffer) struct buffer prepared = BUFFER_INIT(LIMIT_ENVELOPE_BYTES);

    if (check(kernel, request, err) < 0 ||
        request_content_prepare(request->type, request_content(request), &prepared,
                                err) < 0)
        return -1;
    struct beside *b = begin(kernel, request, request->subshell);
    b->prepared = prepared;
    prepared = (struct buffer)BUFFER_INIT(LIMIT_ENVELOPE_BYTES);
    kernel->execution.image_budget = IMAGE_BUDGET;
    if (sandbox_is_ready(kernel->sandbox))
        post(kernel, b);
    else if (!sandbox_is_coming(kernel->sandbox))
        execution_claim(kernel);
    return 0;
}

void
beside_send(struct kernel *kernel)
{
    struct beside *b;

    TAILQ_FOREACH (b, &kernel->besides.open, link)
        b->is_posted = true;
    send_next(kernel);
}

/* --- orders --- */

static void
order(struct kernel *kernel, struct subshell *subshell, const char *order,
      const char *target, struct request *request)
{
    struct beside *b = begin(kernel, request, subshell);

    b->order = order;
    b->target = target ? xstrdup(target) : NULL;
    post(kernel, b);
}

void
beside_order(struct kernel *kernel, struct subshell *subshell, const char *what,
             struct request *request)
{
    order(kernel, subshell, what, NULL, request);
}

static void
interrupt(struct kernel *kernel, const struct beside *b)
{
    if (b->is_posted && !b->order)
        order(kernel, b->subshell, "interrupt", b->id, NULL);
}

/* The orders come behind those that are looked at, and are left alone themselves. */
void
beside_interrupt(struct kernel *kernel)
{
    struct beside *b, *next;

    for (b = TAILQ_FIRST(&kernel->besides.open); b; b = next) {
        next = TAILQ_NEXT(b, link);
        interrupt(kernel, b);
    }
}

void
beside_abandon(struct kernel *kernel, struct subshell *subshell)
{
    struct beside *b, *next;

    for (b = TAILQ_FIRST(&kernel->besides.open); b; b = next) {
        next = TAILQ_NEXT(b, link);
        if (b->subshell != subshell || b->order || !b->request)
            continue;
        if (b->is_sent)
            interrupt(kernel, b);
        answer_failure(kernel, b, "SubshellDeleted",
                       "the subshell was deleted while this ran in it");
        if (b->is_sent)
            dispatch_finish(kernel, TAKE(b->request));
        else
            finish(kernel, b);
    }
}

/* --- what becomes of them --- */

void
beside_sent(struct kernel *kernel, const char *id, const struct error *err)
{
    struct beside *b = find(kernel, id);

    if (b && err) {
        fail(kernel, b, "SandboxError", err->text);
    } else if (b && kernel->besides.in_flight == b) {
        kernel->besides.in_flight = NULL;
        send_next(kernel);
    }
}

static bool
is_reply_to(const struct beside *b, const struct envelope *event)
{
    enum message_id id = b->order ? MESSAGE_SUBSHELL_REPLY : b->request->type->reply;

    return strcmp(event->type, messages_name(id)) == 0;
}

static void
take_answer(struct kernel *kernel, struct beside *b, const struct envelope *event)
{
    bool is_cell = request_is_cell(b->request);
    bool exits = is_cell && execution_asks_to_exit(event->content);

    if (slice_equals(json_scan_field(event->content, "status"), SLICE("\"error\"")))
        abort_if_asked(kernel, b);
    dispatch_reply(kernel, b->request, event->content, event->metadata);
    finish(kernel, b);
    if (exits)
        shutdown_after_reply(kernel);
}

bool
beside_take_reply(struct kernel *kernel, const struct envelope *event)
{
    struct beside *b = find(kernel, event->parent);

    if (!b)
        return false;
    if (b->request && !is_reply_to(b, event)) {
        fail(kernel, b, "SandboxError",
             "the sandbox sent another reply than was asked");
    } else if (b->request && !b->order) {
        take_answer(kernel, b, event);
    } else {
        if (b->request)
            subshell_answer_order(kernel, b->subshell, b->request);
        finish(kernel, b);
    }
    return true;
}

bool
beside_refuse(struct kernel *kernel, const char *id, const char *why)
{
    struct beside *b = find(kernel, id);

    if (b)
        fail(kernel, b, "SandboxError", why);
    return b;
}

void
beside_take_loss(struct kernel *kernel, const struct envelope *event,
                 struct slice parent UNUSED)
{
    AUTO(mem) char *why = json_scan_text(event->content, "message");
    struct beside *b = find(kernel, event->parent);

    if (b)
        fail(kernel, b, WORKER_DIED, why ? why : "the worker has ended");
}

static struct beside *
find_posted(const struct kernel *kernel)
{
    struct beside *b;

    TAILQ_FOREACH (b, &kernel->besides.open, link)
        if (b->is_posted)
            return b;
    return NULL;
}

/* Those that come meanwhile are of the next sandbox. */
void
beside_end(struct kernel *kernel, const char *why)
{
    struct beside *b;

    TAILQ_FOREACH (b, &kernel->besides.open, link)
        b->is_sent = b->is_posted; /* nothing goes there any more */
    while ((b = find_posted(kernel)))
        fail(kernel, b, WORKER_DIED, why);
}
