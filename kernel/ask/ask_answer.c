#include "kernel/ask/ask_cell.h"
#include "kernel/ask/ask_show.h"

enum {
    EARLIER_KEPT = 10
};

/* --- the reply --- */

/* What later questions learn about this one. */
static void
remember(struct ask *ask)
{
    json_array_append_new(ask->earlier, TAKE(ask->cell->earlier));
    if (json_array_size(ask->earlier) > EARLIER_KEPT)
        json_array_remove(ask->earlier, 0);
}

static void
reply_ok(struct ask *ask)
{
    struct ask_cell *cell = ask->cell;
    json_t *payload = cell->payload ? json_incref(cell->payload) : json_array();
    json_auto_t *content = json_pack(
        "{s:s, s:I, s:{}, s:o}", "status", "ok", "execution_count",
        (json_int_t)*ask->host.execution_count, "user_expressions", "payload", payload);
    AUTO(mem) char *text = json_dumps(content, JSON_COMPACT);

    if (cell->earlier)
        remember(ask);
    ask->host.end(ask->host.context, slice_of(text));
}

static void
reply_failed(struct ask *ask)
{
    struct ask_cell *cell = ask->cell;
    json_auto_t *lines = json_incref(json_object_get(cell->reply, "traceback"));
    AUTO(mem) char *message = TAKE(cell->message);

    ask->host.fail(ask->host.context, "AskError", message, "", lines);
}

void
ask_answer_conclude(struct ask *ask)
{
    const struct ask_cell *cell = ask->cell;

    if (cell->was_interrupted)
        ask->host.fail(ask->host.context, "KeyboardInterrupt",
                       "the question was interrupted", "", NULL);
    else if (cell->status == BRIDGE_FAILED || cell->status == BRIDGE_REFUSED)
        reply_failed(ask);
    else
        reply_ok(ask);
}

void
ask_answer_fail(struct ask *ask, const char *message)
{
    ask->cell->status = BRIDGE_FAILED;
    ask->cell->message = xstrdup(message);
    ask_answer_conclude(ask);
}

/* --- what the bridge wants --- */

static void
on_progress(const struct bridge_progress *progress, void *context)
{
    struct ask *ask = context;

    if (ask->cell)
        ask_show_progress(ask, progress);
}

static void
on_check(const char *content, void *context)
{
    ask_send_step(context, MESSAGE_CHECK_REQUEST, json_loads(content, 0, NULL));
}

void
ask_answer_take_check(struct ask *ask, const struct envelope *event)
{
    ask->cell->asked = MESSAGE_NONE;
    bridge_ask_checked(ask->cell->asking, event->content);
}

static void
on_run(const struct bridge_run *run, void *context)
{
    ask_attempt_start(context, run);
}

/* --- the end of a question --- */

static json_t *
next_cell(const char *code)
{
    return json_pack("[{s:s, s:s, s:b}]", "source", "set_next_input", "text", code,
                     "replace", 0);
}

/* A refusal of the planner is not an error: it says what to ask instead. */
static bool
is_answer(const struct bridge_answer *answer)
{
    const char *api = json_string_value(json_object_get(answer->metadata, "api"));

    return answer->status == BRIDGE_REFUSED && api && strcmp(api, "planner") == 0;
}

static json_t *
earlier_entry(const struct ask_cell *cell, const struct bridge_answer *answer)
{
    json_t *entry =
        json_pack("{s:s, s:s}", "question", cell->magic.question, "code", answer->code);
    json_t *plan = json_object_get(answer->metadata, "plan");

    if (plan)
        json_object_set(entry, "plan", plan);
    return entry;
}

static void
note_answer(struct ask_cell *cell, const struct bridge_answer *answer)
{
    cell->status = is_answer(answer) ? BRIDGE_CODE : answer->status;
    cell->message = xstrdup(answer->message);
    bool is_kept = answer->status == BRIDGE_ANSWERED || answer->status == BRIDGE_CODE;
    if (is_kept && !cell->magic.fix) /* follow-ups are of answers */
        cell->earlier = earlier_entry(cell, answer);
    if (answer->status == BRIDGE_CODE && cell->magic.code_only)
        cell->payload = next_cell(answer->code);
    if (answer->status == BRIDGE_ANSWERED)
        cell->payload = json_incref(json_object_get(cell->reply, "payload"));
}

static void
show_answer(struct ask *ask, const struct bridge_answer *answer)
{
    ask_show_summary(ask, answer);
    if (answer->status == BRIDGE_CANCELLED)
        return;
    if (is_answer(answer))
        ask_show_text(ask, answer->said, answer->metadata);
    if (answer->diff) /* what was changed, then what the cell shows */
        ask_show_diff(ask, answer);
    if (answer->status == BRIDGE_ANSWERED) /* the answer first */
        ask_attempt_show(ask, answer->metadata);
    if (answer->code && !answer->diff && !ask->cell->magic.code_only)
        ask_show_code(ask, answer);
}

static void
on_finished(const struct bridge_answer *answer, void *context)
{
    struct ask *ask = context;
    struct ask_cell *cell = ask->cell;

    if (!cell) /* it is the cell's end that cancelled */
        return;
    cell->asking = NULL;
    note_answer(cell, answer);
    show_answer(ask, answer);
    if (answer->status == BRIDGE_CANCELLED) /* ask_interrupt goes on from here */
        return;
    if (answer->status != BRIDGE_ANSWERED)
        ask_attempt_discard(ask);
    if (cell->has_attempt)
        ask_attempt_end(ask, answer->status == BRIDGE_ANSWERED);
    else
        ask_answer_conclude(ask);
}

void
ask_answer_start(struct ask *ask)
{
    struct ask_cell *cell = ask->cell;
    const struct bridge_events events = {on_progress, on_check, on_run, on_finished,
                                         ask};
    const struct bridge_question question = {&cell->magic, cell->profile, ask->earlier};

    cell->asked = MESSAGE_NONE;
    cell->asking = bridge_ask(ask->bridge, &question, &events);
}
