#include "kernel/ask/ask.h"

#include "common/limits.h"
#include "kernel/ask/ask_cell.h"
#include "kernel/ask/ask_help.h"
#include "kernel/jupyter/json_scan.h"

#define LOG_COMPONENT "ask"
#include "common/log.h"

void
ask_init(struct ask *ask, const struct ask_host *host, zloop_t *loop)
{
    const struct bridge_spec spec = {.loop = loop, .planner = bridge_planner};

    ask->host = *host;
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
    json_decref(cell->earlier);
    ask_held_release(&cell->held);
    free(cell->message);
    free(cell);
}

/* The bridge calls `finished` for a cancelled question, too; without a cell it is
 * ignored. */
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
ask_is_for(struct slice content)
{
    struct slice code = json_scan_field(content, "code");

    if (json_scan_is_true(content, "silent", false) ||
        (!memmem(code.data, code.len, "%ask", 4) &&
         !memmem(code.data, code.len, "%fix", 4)))
        return false;
    AUTO(mem) char *text = json_scan_text(content, "code");
    return text && (magic_is_ours(text) || ask_help_is_for(text));
}

/* --- steps --- */

const char *
ask_send_step(struct ask *ask, enum message_id request, json_t *content)
{
    json_auto_t *owned = content;
    AUTO(mem) char *text = json_dumps(owned, JSON_COMPACT);

    ask->cell->asked = request;
    return ask->host.send(ask->host.context, messages_name(request),
                          slice_of(text ? text : "{}"),
                          request == MESSAGE_ATTEMPT_REQUEST);
}

static void
take_announcement(struct ask *ask, const struct envelope *event UNUSED)
{
    struct ask_cell *cell = ask->cell;
    AUTO(mem) char *code = json_scan_text(ask->cell->content, "code");
    struct error err;

    cell->wants_help = ask_help_is_for(code);
    if (!cell->wants_help && magic_parse(&cell->magic, code, &err) < 0) {
        ask_answer_fail(ask, err.text);
        return;
    }
    if (!ask_command_run(ask))
        ask_send_step(ask, MESSAGE_PROFILE_REQUEST,
                      json_pack("{s:b}", "failure", cell->magic.fix));
}

static void
take_profile(struct ask *ask, const struct envelope *event)
{
    struct ask_cell *cell = ask->cell;

    if (event->content.len > LIMIT_PROFILE) {
        ask_answer_fail(ask, "the description of the data is too large");
        return;
    }
    cell->profile = json_loadb(event->content.data, event->content.len, 0, NULL);
    if (cell->magic.show)
        ask_command_show(ask);
    else
        ask_answer_start(ask);
}

static ask_reply_fn *
taker_of(enum message_id request)
{
    switch (request) {
    case MESSAGE_ANNOUNCE_REQUEST:
        return take_announcement;
    case MESSAGE_PROFILE_REQUEST:
        return take_profile;
    case MESSAGE_CHECK_REQUEST:
        return ask_answer_take_check;
    case MESSAGE_ATTEMPT_REQUEST:
        return ask_attempt_take_reply;
    case MESSAGE_ATTEMPT_END_REQUEST:
        return ask_attempt_take_end;
    case MESSAGE_NONE:
#define KIND_STEP(ID) /* above */
#define OTHERS(ID)    case MESSAGE_##ID:
#include "common/messages.def"
        break;
    }
    abort(); /* not a step of ours */
}

bool
ask_take_reply(struct ask *ask, const struct envelope *event)
{
    enum message_id asked = ask->cell->asked;

    if (asked == MESSAGE_NONE ||
        strcmp(event->type, messages_name(messages_row(asked)->reply)) != 0)
        return false;
    taker_of(asked)(ask, event);
    return true;
}

/* --- its life --- */

void
ask_begin(struct ask *ask, struct slice header, struct slice content, const char *id)
{
    AUTO(mem) char *code = json_scan_text(content, "code");
    struct ask_cell *cell = xcalloc(1, sizeof(*cell));

    cell->header = header;
    cell->content = content;
    snprintf(cell->id, sizeof(cell->id), "%s", id);
    cell->magic = (struct magic){.retries = -1, .level = -1};
    cell->status = BRIDGE_CODE; /* nothing has gone wrong yet */
    ask_held_init(&cell->held);
    cell->is_counted = json_scan_is_true(content, "store_history", true);
    ask->cell = cell;
    ask_send_step(
        ask, MESSAGE_ANNOUNCE_REQUEST,
        json_pack("{s:s, s:b}", "code", code, "store_history", cell->is_counted));
}

void
ask_end(struct ask *ask)
{
    if (ask->cell)
        ask_attempt_discard(ask);
    drop_cell(ask);
}

/* Only the end of an attempt is worth waiting for: its code is interrupted, and ended
 * if it goes on; then the attempt is undone. If the attempt is already being ended, it
 * is decided whether it stays: the interrupt came too late, and only ends a worker that
 * is stuck. */
bool
ask_interrupt(struct ask *ask)
{
    struct ask_cell *cell = ask->cell;

    if (!cell)
        return false;
    if (cell->asked != MESSAGE_NONE)
        ask->host.interrupt_worker(ask->host.context);
    if (cell->asked == MESSAGE_ATTEMPT_END_REQUEST)
        return true;
    cell->was_interrupted = true;
    if (cell->asking)
        bridge_ask_cancel(cell->asking);
    if (cell->asked == MESSAGE_ATTEMPT_REQUEST)
        return true;
    if (cell->asked == MESSAGE_NONE && cell->has_attempt)
        ask_attempt_end(ask, false);
    else
        ask_answer_conclude(ask);
    return true;
}
