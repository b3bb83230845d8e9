#include "sandbox/api/execution.h"

#include "common/envelope.h"
#include "common/fields.h"
#include "common/limits.h"
#include "sandbox/token.h"

enum {
    ID_BYTES = 16,
    READ_BYTES = 64 << 10,
    TICK_MS = 100,    /* until it runs */
    INSIST_MS = 4000, /* between interrupts; the second one ends the worker */
    GRACE_MS = 3000,  /* for the worker to keep a program's time by itself */
    DEFAULT_SECONDS = 300,
    EXIT_FAILURE_CODE = 1,
    EXIT_TIMED_OUT = 124, /* as of timeout(1) */
};

struct execution {
    struct sandbox *sandbox; /* until the reader has ended */
    struct loop *loop;
    char id[sizeof("agent-") + 2 * ID_BYTES];
    bool is_program, is_running, is_over_time;
    double seconds;
    struct event_reader reader;
    struct buffer incoming;
    struct buffer out, err; /* texts, by stream */
    json_t *results, *error, *result;
    int64_t exit_code;
    size_t kept; /* bytes of all that */
    bool truncated;
    struct loop_timer news, clock;
    execution_fn done;
    void *context;
};

static json_t *
text_of(const struct buffer *buffer)
{
    return json_stringn(buffer_slice(buffer).data, buffer->len);
}

/* on_read hands the result out. */
static void
finish(struct execution *e)
{
    bool success = !e->error && e->exit_code == 0;

    event_log_detach(&e->reader);
    loop_timer_cancel(e->loop, &e->clock);
    loop_timer_cancel(e->loop, &e->news);
    e->result =
        json_pack("{s:b, s:o, s:o, s:I, s:O, s:O?}", "success", success, "stdout",
                  text_of(&e->out), "stderr", text_of(&e->err), "exit_code",
                  (json_int_t)e->exit_code, "results", e->results, "error", e->error);
    if (e->truncated)
        json_object_set_new(e->result, "truncated", json_true());
}

static void
set_error(struct execution *e, const char *name, const char *value)
{
    if (e->is_over_time) {
        name = "TimeoutError";
        value = "the code ran longer than its timeout and was stopped";
    }
    json_decref(e->error);
    e->error = json_pack("{s:s, s:s}", "ename", name, "evalue", value ? value : "");
    e->exit_code = e->is_over_time ? EXIT_TIMED_OUT : EXIT_FAILURE_CODE;
}

static void
finish_with(struct execution *e, const char *name, const char *value)
{
    set_error(e, name, value);
    finish(e);
}

/* --- what it shows --- */

static bool
has_room(struct execution *e, size_t len)
{
    e->truncated = e->truncated || len > LIMIT_EXECUTION_BYTES - e->kept;
    if (!e->truncated)
        e->kept += len;
    return !e->truncated;
}

static void
keep_text(struct execution *e, struct buffer *into, const json_t *text)
{
    size_t len = json_string_length(text);

    if (json_is_string(text) && has_room(e, len))
        buffer_append(into, json_string_value(text), len);
}

static const char *
member(const json_t *content, const char *name)
{
    const char *text = json_string_value(json_object_get(content, name));

    return text ? text : "";
}

static void
hear_stream(struct execution *e, const json_t *content)
{
    bool is_error = strcmp(member(content, "name"), "stderr") == 0;

    keep_text(e, is_error ? &e->err : &e->out, json_object_get(content, "text"));
}

static void
hear_display(struct execution *e, const json_t *content)
{
    json_t *data = json_object_get(content, "data");

    if (json_is_object(data))
        json_array_append(e->results, data);
}

static void
hear_error(struct execution *e, const json_t *content)
{
    json_t *traceback = json_object_get(content, "traceback");

    set_error(e, member(content, "ename"), member(content, "evalue"));
    if (json_is_array(traceback) && !e->is_over_time)
        json_object_set(e->error, "traceback", traceback);
}

static void
hear_reply(struct execution *e, const json_t *content)
{
    if (strcmp(member(content, "status"), "ok") != 0 && !e->error)
        hear_error(e, content);
    finish(e);
}

static void
hear_command_reply(struct execution *e, const json_t *content)
{
    keep_text(e, &e->out, json_object_get(content, "stdout"));
    keep_text(e, &e->err, json_object_get(content, "stderr"));
    e->exit_code = json_integer_value(json_object_get(content, "exit_code"));
    e->truncated = e->truncated || json_is_true(json_object_get(content, "truncated"));
    if (json_is_true(json_object_get(content, "timed_out")))
        e->is_over_time = true;
    if (e->is_over_time)
        set_error(e, "", "");
    hear_reply(e, content);
}

static void
hear_death(struct execution *e, const json_t *content)
{
    finish_with(e, "WorkerDied", member(content, "message"));
}

static void
hear_failure(struct execution *e, const json_t *content)
{
    finish_with(e, "SandboxFailed", member(content, "message"));
}

static void
hear_end(struct execution *e, const json_t *content)
{
    finish_with(e, "SandboxEnded", member(content, "message"));
}

static const struct {
    const char *type;
    void (*hear)(struct execution *e, const json_t *content);
} listeners[] = {
    {"stream",         hear_stream       },
    {"display_data",   hear_display      },
    {"execute_result", hear_display      },
    {"error",          hear_error        },
    {"execute_reply",  hear_reply        },
    {"command_reply",  hear_command_reply},
    {"worker_exited",  hear_death        },
    {"sandbox_failed", hear_failure      },
    {"sandbox_ended",  hear_end          },
};

/* Sandboxes write what they like: what cannot be read is as if it were not there. */
static void
hear(struct execution *e, const struct envelope *event)
{
    bool is_for_all = strcmp(event->type, "sandbox_failed") == 0 ||
                      strcmp(event->type, "sandbox_ended") == 0;
    if (!is_for_all && strcmp(event->parent, e->id) != 0)
        return;
    bool is_output = strcmp(event->type, "display_data") == 0 ||
                     strcmp(event->type, "execute_result") == 0;
    if (event->content.len > LIMIT_EXECUTION_BYTES ||
        (is_output && !has_room(e, event->content.len))) {
        e->truncated = true;
        if (strcmp(event->type, "execute_reply") == 0)
            finish_with(e, "ValueError", "its reply was too large");
        return;
    }
    json_auto_t *content =
        json_loadb(event->content.data, event->content.len, JSON_ALLOW_NUL, NULL);
    for (size_t i = 0; i < COUNT_OF(listeners); i++)
        if (strcmp(listeners[i].type, event->type) == 0) {
            listeners[i].hear(e, content);
            return;
        }
}

/* False when there is no whole event. */
static bool
take_event(struct execution *e)
{
    AUTO(envelope) struct envelope event = ENVELOPE_INIT;
    struct error err;
    ssize_t used = envelope_parse(buffer_slice(&e->incoming), &event, NULL, &err);

    if (used < 0)
        finish_with(e, "ProtocolError", err.text); /* our own log: never */
    if (used <= 0)
        return false;
    hear(e, &event);
    buffer_consume(&e->incoming, (size_t)used);
    return true;
}

static void
on_news(void *context)
{
    struct execution *e = context;

    loop_timer_set(e->loop, &e->news, 0);
}

/* One chunk in one pass of the loop. */
static void
on_read(void *context)
{
    struct execution *e = context;
    char *room = buffer_reserve(&e->incoming, READ_BYTES);
    size_t len = event_log_read(&e->reader, room, READ_BYTES);

    buffer_advance(&e->incoming, len);
    while (!e->result && take_event(e))
        continue;
    if (!e->result && !len && event_log_has_ended(&e->reader))
        finish_with(e, "SandboxEnded", "the sandbox has ended");
    if (e->result)
        e->done(e->context, e->result); /* it may be freed from there */
    else if (len)
        loop_timer_set(e->loop, &e->news, 0);
}

/* --- its time --- */

static void
on_clock(void *context)
{
    struct execution *e = context;

    if (event_log_has_ended(&e->reader))
        return;
    if (!e->is_running) {
        e->is_running = sandbox_is_running(e->sandbox, e->id);
        int64_t given = (int64_t)(e->seconds * 1000) + (e->is_program ? GRACE_MS : 0);
        loop_timer_set(e->loop, &e->clock, e->is_running ? given : TICK_MS);
        return;
    }
    e->is_over_time = true;
    sandbox_interrupt(e->sandbox, e->id, 0);
    loop_timer_set(e->loop, &e->clock, INSIST_MS);
}

/* --- life --- */

static int
post(struct execution *e, const struct execution_spec *spec, struct error *err)
{
    AUTO(buffer) struct buffer envelope = BUFFER_INIT(SIZE_MAX);
    json_auto_t *line = json_pack("{s:s, s:s}", "type", spec->type, "id", e->id);
    AUTO(mem) char *content = json_dumps(spec->content, JSON_COMPACT);

    if (!content)
        return error_set(err, ERR_BAD_INPUT, "the code is not UTF-8");
    if (envelope_append(&envelope, line, slice_of(content), SLICE(""), NULL, 0, err) <
        0)
        return -1;
    return sandbox_request(e->sandbox, &envelope, &spec->trace, err);
}

/* From here on; and what nobody ever read holds the worker up no longer. */
static int
follow(struct execution *e, struct error *err)
{
    struct event_log *log = sandbox_log(e->sandbox);
    char nothing;

    if (event_log_attach(log, &e->reader, event_log_last_seq(log), err) < 0)
        return -1;
    event_log_read(&e->reader, &nothing, 0);
    return 0;
}

struct execution *
execution_start(struct sandbox *sandbox, const struct execution_spec *spec,
                execution_fn done, void *context, struct error *err)
{
    struct execution *e = xcalloc(1, sizeof(*e));

    *e = (struct execution){.sandbox = sandbox,
                            .loop = sandbox_loop(sandbox),
                            .is_program = strcmp(spec->type, "command_request") == 0,
                            .seconds = spec->seconds,
                            .incoming = BUFFER_INIT(SIZE_MAX),
                            .out = BUFFER_INIT(LIMIT_EXECUTION_BYTES),
                            .err = BUFFER_INIT(LIMIT_EXECUTION_BYTES),
                            .results = json_array(),
                            .done = done,
                            .context = context};
    strcpy(e->id, "agent-");
    token_random_hex(e->id + strlen(e->id), ID_BYTES);
    e->reader = (struct event_reader){.on_news = on_news, .context = e};
    e->news = (struct loop_timer){.on_due = on_read, .context = e};
    e->clock = (struct loop_timer){.on_due = on_clock, .context = e};
    if (follow(e, err) < 0 || post(e, spec, err) < 0) {
        execution_free(e);
        return NULL;
    }
    loop_timer_set(e->loop, &e->clock, TICK_MS);
    return e;
}

void
execution_free(struct execution *e)
{
    if (!e)
        return;
    event_log_detach(&e->reader);
    loop_timer_cancel(e->loop, &e->news);
    loop_timer_cancel(e->loop, &e->clock);
    buffer_release(&e->incoming);
    buffer_release(&e->out);
    buffer_release(&e->err);
    json_decref(e->results);
    json_decref(e->error);
    json_decref(e->result);
    free(e);
}

/* --- what an agent asks --- */

static bool
is_language(const json_t *value)
{
    const char *name = json_string_value(value);

    return strcmp(name, "python") == 0 || strcmp(name, "bash") == 0;
}

int
execution_parse(struct slice body, struct execution_spec *out, struct error *err)
{
    static const struct field fields[] = {
        FIELD("language", TEXT, .must = "\"python\" or \"bash\"",
              .is_valid = is_language),
        FIELD("code", TEXT, .most = LIMIT_HTTP_BODY, .required = true),
        FIELD("timeout", NUMBER, .least = 0.001, .most = EXECUTION_MAX_SECONDS),
        FIELDS_END,
    };
    json_auto_t *tree = json_loadb(body.data, body.len, JSON_REJECT_DUPLICATES, NULL);

    if (!json_is_object(tree))
        return error_set(err, ERR_BAD_INPUT, "the body is not a JSON object");
    if (fields_check("", tree, fields, err) < 0)
        return -1;
    const char *language = json_string_value(json_object_get(tree, "language"));
    const json_t *timeout = json_object_get(tree, "timeout");
    bool is_bash = language && strcmp(language, "bash") == 0;
    double seconds =
        json_is_number(timeout) ? json_number_value(timeout) : DEFAULT_SECONDS;
    *out = (struct execution_spec){
        .type = is_bash ? "command_request" : "execute_request",
        .content = json_pack("{s:O, s:f}", is_bash ? "script" : "code",
                             json_object_get(tree, "code"), "timeout", seconds),
        .seconds = seconds,
    };
    return 0;
}
