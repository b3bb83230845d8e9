#include "kernel/ask.h"

#include "common/limits.h"
#include "kernel/ask_help.h"
#include "kernel/ask_show.h"
#include "kernel/json_fields.h"
#include "kernel/kernel.h"

#define LOG_COMPONENT "ask"
#include "common/log.h"

enum {
    EARLIER_KEPT = 10
};

/* What the cell waits for. */
enum ask_step {
    STEP_ANNOUNCING, /* the worker: counts it */
    STEP_PROFILING,  /* the worker: describes the data */
    STEP_THINKING,   /* the bridge */
    STEP_CHECKING,   /* the worker: looks at the code */
    STEP_RUNNING,    /* the worker's fork */
    STEP_ENDING,     /* the worker: the fork has taken its place, or is gone */
};

struct ask_cell {
    enum ask_step step;
    struct magic magic;
    bool is_counted, wants_help; /* %ask? */
    json_t *profile;
    struct bridge_ask *asking; /* NULL when it has finished */
    bool is_listing;           /* --models */
    bool shows_progress;       /* its display is there */
    bool was_interrupted;
    bool has_fork; /* an attempt waits for its end */

    char attempt_id[PARENT_ID_SIZE];
    struct ask_held held;
    json_t *reply; /* of the last attempt */

    /* the end */
    enum bridge_status status;
    char *message;
    json_t *payload;
};

void
ask_init(struct ask *ask, zloop_t *loop)
{
    const struct bridge_spec spec = {.loop = loop, .planner = bridge_planner};

    ask->bridge = bridge_new(&spec);
    ask->earlier = json_array();
}

static void
free_cell(struct ask_cell *cell)
{
    magic_release(&cell->magic);
    json_decref(cell->profile);
    json_decref(cell->reply);
    json_decref(cell->payload);
    ask_held_release(&cell->held);
    free(cell->message);
    free(cell);
}

/* The bridge calls `finished` for what is cancelled: without a cell it is heard by
 * nobody. */
static void
drop_cell(struct ask *ask)
{
    struct ask_cell *cell = TAKE(ask->cell);

    if (!cell)
        return;
    if (cell->asking)
        bridge_ask_cancel(cell->asking);
    if (cell->is_listing)
        bridge_models_cancel(ask->bridge);
    free_cell(cell);
}

void
ask_release(struct ask *ask)
{
    drop_cell(ask);
    bridge_free(TAKE(ask->bridge));
    json_decref(TAKE(ask->earlier));
}

bool
ask_is_for(const struct request *request)
{
    struct slice content = request_content(request);
    struct slice code = json_field(content, "code");

    if (!request_is_execute(request) || json_field_is_true(content, "silent", false) ||
        !memmem(code.data, code.len, "%ask", 4))
        return false;
    AUTO(mem) char *text = json_field_text(content, "code");
    return text && (magic_is_ask(text) || ask_help_is_for(text));
}

/* --- steps in the worker
 * --------------------------------------------------------------
 */

/* Takes content. */
static void
send_step(struct kernel *kernel, enum ask_step step, const char *type, json_t *content)
{
    json_auto_t *owned = content;
    AUTO(mem) char *text = json_dumps(owned, JSON_COMPACT);

    kernel->ask.cell->step = step;
    execution_send(kernel, type, slice_of(text ? text : "{}"), step == STEP_RUNNING);
}

/* The attempt is to vanish: what it still says is not heard. */
static void
discard_attempt(struct ask *ask)
{
    struct ask_cell *cell = ask->cell;

    if (!cell->attempt_id[0])
        return;
    memcpy(ask->discarded[ask->discarded_count++ % ASK_DISCARDED], cell->attempt_id,
           PARENT_ID_SIZE);
    cell->attempt_id[0] = '\0';
    ask_held_clear(&cell->held);
}

static void
end_attempt(struct kernel *kernel, bool keep)
{
    kernel->ask.cell->has_fork = false;
    send_step(kernel, STEP_ENDING, "attempt_end_request",
              json_pack("{s:b}", "keep", keep));
}

/* --- the end
 * --------------------------------------------------------------------------
 */

static void
reply_ok(struct kernel *kernel)
{
    const struct ask_cell *cell = kernel->ask.cell;
    json_t *payload = cell->payload ? json_incref(cell->payload) : json_array();
    json_auto_t *content = json_pack(
        "{s:s, s:I, s:{}, s:o}", "status", "ok", "execution_count",
        (json_int_t)kernel->execution.count, "user_expressions", "payload", payload);
    AUTO(mem) char *text = json_dumps(content, JSON_COMPACT);

    execution_end(kernel, slice_of(text), SLICE(""));
}

static void
reply_interrupted(struct kernel *kernel)
{
    execution_fail(kernel, "KeyboardInterrupt", "the question was interrupted", "");
}

static void
reply_failed(struct kernel *kernel)
{
    struct ask_cell *cell = kernel->ask.cell;
    json_auto_t *lines = json_incref(json_object_get(cell->reply, "traceback"));
    AUTO(mem) char *message = TAKE(cell->message);

    execution_fail_below(kernel, lines, "AskError", message);
}

static void
conclude(struct kernel *kernel)
{
    const struct ask_cell *cell = kernel->ask.cell;

    if (cell->was_interrupted)
        reply_interrupted(kernel);
    else if (cell->status == BRIDGE_FAILED || cell->status == BRIDGE_REFUSED)
        reply_failed(kernel);
    else
        reply_ok(kernel);
}

/* Only when no fork is left. */
static void
fail(struct kernel *kernel, const char *message)
{
    kernel->ask.cell->status = BRIDGE_FAILED;
    kernel->ask.cell->message = xstrdup(message);
    conclude(kernel);
}

void
ask_end(struct kernel *kernel)
{
    if (kernel->ask.cell)
        discard_attempt(&kernel->ask);
    drop_cell(&kernel->ask);
}

static void
remember(struct ask *ask, const struct bridge_answer *answer)
{
    json_t *entry = json_pack("{s:s, s:s}", "question", ask->cell->magic.question,
                              "code", answer->code);
    json_t *plan = json_object_get(answer->metadata, "plan");

    if (plan)
        json_object_set(entry, "plan", plan);
    json_array_append_new(ask->earlier, entry);
    if (json_array_size(ask->earlier) > EARLIER_KEPT)
        json_array_remove(ask->earlier, 0);
}

/* --- what the bridge wants
 * ------------------------------------------------------------
 */

static void
on_progress(const struct bridge_progress *progress, void *arg)
{
    struct kernel *kernel = arg;
    struct ask_cell *cell = kernel->ask.cell;

    if (!cell)
        return;
    ask_show_progress(kernel, progress->text, !cell->shows_progress);
    cell->shows_progress = true;
}

static void
on_check(const char *content, void *arg)
{
    send_step(arg, STEP_CHECKING, "check_request", json_loads(content, 0, NULL));
}

static void
on_run(const struct bridge_run *run, void *arg)
{
    struct kernel *kernel = arg;
    struct ask_cell *cell = kernel->ask.cell;

    discard_attempt(&kernel->ask);
    cell->has_fork = true;
    send_step(kernel, STEP_RUNNING, "attempt_request",
              json_pack("{s:s, s:b, s:b, s:b, s:b, s:{}}", "code", run->code, "silent",
                        0, "store_history", 0, "is_counted", cell->is_counted,
                        "allow_stdin", 0, "user_expressions"));
    memcpy(cell->attempt_id, kernel->execution.id, PARENT_ID_SIZE);
}

static json_t *
next_cell(const char *code)
{
    return json_pack("[{s:s, s:s, s:b}]", "source", "set_next_input", "text", code,
                     "replace", 0);
}

/* A refusal of the planner is no error: it says what can be asked instead. */
static bool
is_answer(const struct bridge_answer *answer)
{
    const char *api = json_string_value(json_object_get(answer->metadata, "api"));

    return answer->status == BRIDGE_REFUSED && api && strcmp(api, "planner") == 0;
}

static void
show_answer(struct kernel *kernel, const struct bridge_answer *answer)
{
    struct ask_cell *cell = kernel->ask.cell;

    ask_show_summary(kernel, answer, !cell->shows_progress);
    cell->shows_progress = true;
    if (answer->code && !cell->magic.code_only)
        ask_show_code(kernel, answer);
    if (is_answer(answer))
        ask_show_text(kernel, answer->said, answer->metadata);
    if (answer->status == BRIDGE_ANSWERED)
        ask_held_show(&cell->held, kernel, answer->metadata);
}

static void
note_answer(struct kernel *kernel, const struct bridge_answer *answer)
{
    struct ask_cell *cell = kernel->ask.cell;

    cell->status = is_answer(answer) ? BRIDGE_CODE : answer->status;
    cell->message = xstrdup(answer->message);
    if (answer->status == BRIDGE_ANSWERED || answer->status == BRIDGE_CODE)
        remember(&kernel->ask, answer);
    if (answer->status == BRIDGE_CODE && cell->magic.code_only)
        cell->payload = next_cell(answer->code);
    if (answer->status == BRIDGE_ANSWERED)
        cell->payload = json_incref(json_object_get(cell->reply, "payload"));
}

static void
on_finished(const struct bridge_answer *answer, void *arg)
{
    struct kernel *kernel = arg;
    struct ask_cell *cell = kernel->ask.cell;

    if (!cell) /* it is this end that cancelled */
        return;
    cell->asking = NULL;
    note_answer(kernel, answer);
    show_answer(kernel, answer);
    if (answer->status == BRIDGE_ANSWERED)
        cell->attempt_id[0] = '\0'; /* from now on it shows like any cell */
    else
        discard_attempt(&kernel->ask);
    if (cell->has_fork)
        end_attempt(kernel, answer->status == BRIDGE_ANSWERED);
    else
        conclude(kernel);
}

static void
start_asking(struct kernel *kernel)
{
    struct ask_cell *cell = kernel->ask.cell;
    const struct bridge_events events = {on_progress, on_check, on_run, on_finished,
                                         kernel};
    const struct bridge_question question = {&cell->magic, cell->profile,
                                             kernel->ask.earlier};

    cell->step = STEP_THINKING;
    cell->asking = bridge_ask(kernel->ask.bridge, &question, &events);
}

/* --- cells that ask nobody
 * ------------------------------------------------------------
 */

static void
show_request(struct kernel *kernel)
{
    struct ask_cell *cell = kernel->ask.cell;
    const struct bridge_question question = {&cell->magic, cell->profile,
                                             kernel->ask.earlier};
    struct error err;
    AUTO(mem) char *text = bridge_show(kernel->ask.bridge, &question, &err);

    if (!text) {
        fail(kernel, err.text);
        return;
    }
    ask_print(kernel, text);
    reply_ok(kernel);
}

static void
on_models(const char *text, void *arg)
{
    struct kernel *kernel = arg;

    kernel->ask.cell->is_listing = false;
    ask_print(kernel, text);
    reply_ok(kernel);
}

static void
list_models(struct kernel *kernel)
{
    kernel->ask.cell->step = STEP_THINKING;
    kernel->ask.cell->is_listing = true;
    bridge_models(kernel->ask.bridge, on_models, kernel);
}

static void
show_help(struct kernel *kernel)
{
    struct ask_cell *cell = kernel->ask.cell;
    AUTO(mem) char *text = magic_help();

    if (cell->wants_help)
        cell->payload = ask_help_page(text);
    else
        ask_print(kernel, text);
    reply_ok(kernel);
}

/* --- what the worker answers
 * ----------------------------------------------------------
 */

static void
on_announced(struct kernel *kernel, const struct envelope *event UNUSED)
{
    struct ask_cell *cell = kernel->ask.cell;
    AUTO(mem)
    char *code = json_field_text(request_content(kernel->execution.request), "code");
    struct error err;

    cell->wants_help = ask_help_is_for(code);
    if (!cell->wants_help && magic_parse(&cell->magic, code, &err) < 0) {
        fail(kernel, err.text);
        return;
    }
    if (cell->wants_help || cell->magic.help)
        show_help(kernel);
    else if (cell->magic.models)
        list_models(kernel);
    else
        send_step(kernel, STEP_PROFILING, "profile_request", json_object());
}

static void
on_profiled(struct kernel *kernel, const struct envelope *event)
{
    struct ask_cell *cell = kernel->ask.cell;

    if (event->content.len > LIMIT_PROFILE) {
        fail(kernel, "the description of the data is too large");
        return;
    }
    cell->profile = json_loadb(event->content.data, event->content.len, 0, NULL);
    if (cell->magic.show)
        show_request(kernel);
    else
        start_asking(kernel);
}

static void
on_checked(struct kernel *kernel, const struct envelope *event)
{
    kernel->ask.cell->step = STEP_THINKING;
    bridge_ask_checked(kernel->ask.cell->asking, event->content);
}

static const char *
text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static void
on_attempted(struct kernel *kernel, const struct envelope *event)
{
    struct ask_cell *cell = kernel->ask.cell;

    json_decref(cell->reply);
    cell->reply =
        json_loadb(event->content.data, event->content.len, JSON_ALLOW_NUL, NULL);
    cell->step = STEP_THINKING;
    if (cell->was_interrupted) {
        discard_attempt(&kernel->ask);
        end_attempt(kernel, false);
        return;
    }
    const char *status = text_of(cell->reply, "status");
    bool is_ok = status && strcmp(status, "ok") == 0;
    const char *death = text_of(cell->reply, "death");
    const struct bridge_ran ran = {
        .ename = is_ok || death ? NULL : text_of(cell->reply, "ename"),
        .evalue = is_ok || death ? NULL : text_of(cell->reply, "evalue"),
        .traceback = json_object_get(cell->reply, "traceback"),
        .printed = cell->held.printed.data,
        .death = death,
        .showed = cell->held.has_shown,
    };
    if (!bridge_ask_ran(cell->asking, &ran))
        discard_attempt(&kernel->ask);
}

static void
on_attempt_ended(struct kernel *kernel, const struct envelope *event)
{
    const struct ask_cell *cell = kernel->ask.cell;
    bool kept = json_field_is_true(event->content, "kept", false);

    if (cell->status == BRIDGE_ANSWERED && !cell->was_interrupted && !kept) {
        execution_fail(kernel, "WorkerDied",
                       "the process that ran the code ended before it could take over",
                       "What it shows above is true, but its variables are gone.");
        return;
    }
    conclude(kernel);
}

static const struct {
    const char *type;
    enum ask_step step;
    void (*take)(struct kernel *kernel, const struct envelope *event);
} replies[] = {
    {"announce_reply",    STEP_ANNOUNCING, on_announced    },
    {"profile_reply",     STEP_PROFILING,  on_profiled     },
    {"check_reply",       STEP_CHECKING,   on_checked      },
    {"attempt_reply",     STEP_RUNNING,    on_attempted    },
    {"attempt_end_reply", STEP_ENDING,     on_attempt_ended},
};

void
ask_take_reply(struct kernel *kernel, const struct envelope *event)
{
    struct ask_cell *cell = kernel->ask.cell;

    for (size_t i = 0; cell && i < COUNT_OF(replies); i++)
        if (strcmp(replies[i].type, event->type) == 0 &&
            replies[i].step == cell->step) {
            replies[i].take(kernel, event);
            return;
        }
    log_error("reply to nothing type=%s", event->type);
}

bool
ask_takes_output(struct kernel *kernel, const struct envelope *event)
{
    struct ask *ask = &kernel->ask;

    for (size_t i = 0; i < ASK_DISCARDED; i++)
        if (ask->discarded[i][0] && strcmp(ask->discarded[i], event->parent) == 0)
            return true;
    if (!ask->cell || !ask->cell->attempt_id[0] ||
        strcmp(ask->cell->attempt_id, event->parent) != 0)
        return false;
    ask_held_add(&ask->cell->held, event);
    return true;
}

/* --- its life
 * -------------------------------------------------------------------------
 */

void
ask_begin(struct kernel *kernel)
{
    struct slice content = request_content(kernel->execution.request);
    AUTO(mem) char *code = json_field_text(content, "code");
    struct ask_cell *cell = xcalloc(1, sizeof(*cell));

    cell->magic = (struct magic){.retries = -1, .level = -1};
    ask_held_init(&cell->held);
    cell->is_counted = json_field_is_true(content, "store_history", true);
    kernel->ask.cell = cell;
    send_step(kernel, STEP_ANNOUNCING, "announce_request",
              json_pack("{s:s, s:b}", "code", code, "store_history", cell->is_counted));
}

/* The bridge's part ends at once; a fork that is there must still go. */
static void
cancel_asking(struct ask *ask)
{
    struct ask_cell *cell = TAKE(ask->cell); /* so that `finished` is not heard */

    cell->was_interrupted = true;
    if (cell->asking)
        bridge_ask_cancel(TAKE(cell->asking));
    ask->cell = cell;
}

/* Code that runs is told, and answers soon; nothing else is worth waiting for. */
bool
ask_interrupt(struct kernel *kernel)
{
    struct ask_cell *cell = kernel->ask.cell;

    if (!cell)
        return false;
    cancel_asking(&kernel->ask);
    if (cell->step == STEP_THINKING && cell->has_fork) {
        end_attempt(kernel, false);
        return true;
    }
    if (cell->step != STEP_THINKING)
        execution_interrupt_worker(kernel);
    if (cell->step != STEP_RUNNING)
        reply_interrupted(kernel);
    return true;
}
