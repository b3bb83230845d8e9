#include "common/limits.h"
#include "kernel/ask/ask_cell.h"
#include "kernel/jupyter/json_scan.h"
#include "kernel/output/provenance.h"

void
ask_attempt_start(struct ask *ask, const struct bridge_run *run)
{
    struct ask_cell *cell = ask->cell;

    ask_attempt_discard(ask);
    cell->has_attempt = true;
    provenance_attempt_begins(ask->host.provenance, run->is_models);
    const char *id = ask_send_step(
        ask, MESSAGE_ATTEMPT_REQUEST,
        json_pack("{s:s, s:b, s:b, s:b, s:b, s:b, s:b, s:{}}", "code", run->code,
                  "models", run->is_models, "repair", run->is_repair, "silent", 0,
                  "store_history", 0, "is_counted", cell->is_counted, "allow_stdin", 0,
                  "user_expressions"));
    if (ask->cell)
        snprintf(cell->attempt_id, sizeof(cell->attempt_id), "%s", id);
}

void
ask_attempt_show(struct ask *ask, const json_t *metadata)
{
    struct ask_cell *cell = ask->cell;

    ask_held_show(&cell->held, ask, metadata);
    cell->attempt_id[0] = '\0';
}

void
ask_attempt_discard(struct ask *ask)
{
    struct ask_cell *cell = ask->cell;

    if (!cell->attempt_id[0])
        return;
    memcpy(ask->discarded[ask->discarded_count++ % ASK_DISCARDED], cell->attempt_id,
           PARENT_ID_SIZE);
    cell->attempt_id[0] = '\0';
    ask_held_clear(&cell->held);
}

void
ask_attempt_end(struct ask *ask, bool keep)
{
    ask->cell->has_attempt = false;
    ask_send_step(ask, MESSAGE_ATTEMPT_END_REQUEST, json_pack("{s:b}", "keep", keep));
}

static const char *
text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

void
ask_attempt_take_reply(struct ask *ask, const struct envelope *event)
{
    struct ask_cell *cell = ask->cell;

    json_decref(cell->reply);
    cell->reply =
        json_loadb(event->content.data, event->content.len, JSON_ALLOW_NUL, NULL);
    cell->asked = MESSAGE_NONE;
    if (cell->was_interrupted) {
        ask_attempt_discard(ask);
        ask_attempt_end(ask, false);
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
        .failure = json_object_get(cell->reply, "failure"),
        .findings = json_object_get(cell->reply, "findings"),
        .showed = cell->held.has_shown,
    };
    if (!bridge_ask_ran(cell->asking, &ran))
        ask_attempt_discard(ask);
}

/* The worker says whether the attempt's variables stay, whatever we asked for: the
 * answer that people see must agree with it. */
void
ask_attempt_take_end(struct ask *ask, const struct envelope *event)
{
    const struct ask_cell *cell = ask->cell;
    bool kept = json_scan_is_true(event->content, "kept", false);

    provenance_attempt_ends(ask->host.provenance);
    if (cell->status == BRIDGE_ANSWERED && !kept) {
        ask->host.fail(ask->host.context, "WorkerDied",
                       "the worker ended after it had run the code",
                       "Its output above is valid, but its variables are lost.", NULL);
        return;
    }
    ask_answer_conclude(ask);
}

bool
ask_attempt_takes_output(struct ask *ask, const struct envelope *event)
{

    for (size_t i = 0; i < ASK_DISCARDED; i++)
        if (ask->discarded[i][0] && strcmp(ask->discarded[i], event->parent) == 0)
            return true;
    if (!ask->cell || !ask->cell->attempt_id[0] ||
        strcmp(ask->cell->attempt_id, event->parent) != 0)
        return false;
    ask_held_add(&ask->cell->held, event);
    return true;
}
