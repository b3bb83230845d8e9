#include "kernel/archive/outputs_comm.h"

#include "common/json_text.h"
#include "kernel/jupyter/json_scan.h"

enum {
    MOST_COMMS = 16,
    MOST_ASKS = 256, /* of all of them, that are open */
};

struct outputs_comm {
    LIST_ENTRY(outputs_comm) link;
    char *id; /* owned */
};

struct outputs_ask {
    LIST_ENTRY(outputs_ask) link;
    unsigned ticket;
    bool follows;
    char *comm;          /* owned */
    json_t *have;        /* owned; or NULL */
    struct slice header; /* of the request; owned */
};

void
outputs_comm_init(struct outputs_comms *comms)
{
    LIST_INIT(&comms->open);
    LIST_INIT(&comms->asks);
}

static void
remove_comm(struct outputs_comms *comms, struct outputs_comm *comm)
{
    LIST_REMOVE(comm, link);
    comms->open_count--;
    free(comm->id);
    free(comm);
}

static void
remove_ask(struct outputs_comms *comms, struct outputs_ask *ask)
{
    LIST_REMOVE(ask, link);
    comms->ask_count--;
    json_decref(ask->have);
    free(ask->comm);
    free((char *)ask->header.data);
    free(ask);
}

void
outputs_comm_release(struct outputs_comms *comms)
{
    while (LIST_FIRST(&comms->open))
        remove_comm(comms, LIST_FIRST(&comms->open));
    while (LIST_FIRST(&comms->asks))
        remove_ask(comms, LIST_FIRST(&comms->asks));
}

static struct outputs_comm *
find(const struct outputs_comms *comms, struct slice content)
{
    AUTO(mem) char *id = json_scan_text(content, "comm_id");
    struct outputs_comm *comm;

    LIST_FOREACH (comm, &comms->open, link)
        if (id && strcmp(comm->id, id) == 0)
            return comm;
    return NULL;
}

static bool
names_target(struct slice content)
{
    AUTO(mem) char *target = json_scan_text(content, "target_name");

    return target && strcmp(target, OUTPUTS_COMM_TARGET) == 0;
}

bool
outputs_comm_is_for(const struct outputs_comms *comms, const struct request *request)
{
    const struct slice content = request_content(request);

    if (!request->type || request->type->kind != MESSAGE_IS_COMM)
        return false;
    return find(comms, content) ||
           (request->type->id == MESSAGE_COMM_OPEN && names_target(content));
}

bool
outputs_comm_refuses(const struct outputs_comms *comms, const struct envelope *event)
{
    const struct message_type *type = messages_find(event->type);

    return type && type->kind == MESSAGE_IS_COMM &&
           (find(comms, event->content) || names_target(event->content));
}

/* --- what is said to a client --- */

/* data is JSON text. */
static void
say(struct outputs_comms *comms, enum message_id type, const char *comm,
    struct slice data, struct slice parent)
{
    AUTO(buffer) struct buffer content = BUFFER_INIT(SIZE_MAX);

    buffer_append_text(&content, "{\"comm_id\":");
    buffer_append_json_string(&content, slice_of(comm));
    buffer_append_text(&content, ",\"data\":");
    buffer_append(&content, data.data, data.len);
    buffer_append_text(&content, "}");
    publish(comms->publisher, &(struct outgoing){.type = messages_name(type),
                                                 .parent = parent,
                                                 .content = buffer_slice(&content)});
    if (outbox_is_full(comms->publisher->outbox))
        sandbox_hold(comms->sandbox, true);
}

static void
say_json(struct outputs_comms *comms, enum message_id type, const char *comm,
         json_t *data, struct slice parent)
{
    AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX);

    json_text_append(&text, data);
    say(comms, type, comm, buffer_slice(&text), parent);
}

static void
refuse(struct outputs_comms *comms, const char *comm, struct slice parent,
       const char *why)
{
    say_json(comms, MESSAGE_COMM_MSG, comm,
             json_pack("{s:s, s:s}", "method", "error", "message", why), parent);
}

/* --- what a client says --- */

static void
begin_ask(struct outputs_comms *comms, const char *comm, const struct request *request,
          unsigned ticket, const json_t *data)
{
    json_t *have = json_object_get(data, "have");
    struct outputs_ask *ask = xcalloc(1, sizeof(*ask));
    const struct slice header = request_header(request);

    ask->ticket = ticket;
    ask->comm = xstrdup(comm);
    ask->have = json_incref(have);
    ask->follows = json_is_true(json_object_get(data, "follow"));
    ask->header = (struct slice){xstrndup(header.data, header.len), header.len};
    LIST_INSERT_HEAD(&comms->asks, ask, link);
    comms->ask_count++;
}

static void
ask(struct outputs_comms *comms, const char *comm, const struct request *request,
    const json_t *data)
{
    const char *method = json_string_value(json_object_get(data, "method"));
    const char *cell = json_string_value(json_object_get(data, "cell"));
    const struct slice parent = request_header(request);
    unsigned ticket;

    if (comms->ask_count == MOST_ASKS) {
        refuse(comms, comm, parent, "too many cells are followed: close this comm");
        return;
    }
    if (method && strcmp(method, "list") == 0) {
        ticket = archive_list(comms->archive);
    } else if (method && strcmp(method, "get") == 0 && cell && *cell) {
        ticket = archive_show(comms->archive, cell,
                              json_is_true(json_object_get(data, "follow")));
    } else {
        refuse(comms, comm, parent, "`method' must be `list', or `get' with a `cell'");
        return;
    }
    if (ticket) {
        begin_ask(comms, comm, request, ticket, data);
        return;
    }
    AUTO(mem) char *why = xasprintf("no outputs of this notebook are kept, because %s",
                                    comms->archive->choice.why);
    refuse(comms, comm, parent, why);
}

static int
open_comm(struct outputs_comms *comms, const struct request *request, struct error *err)
{
    AUTO(mem) char *id = json_scan_text(request_content(request), "comm_id");

    if (!id || !*id || strlen(id) > LIMIT_REQUEST_ID)
        return error_set(err, ERR_BAD_INPUT, "comm_open without a comm_id");
    if (find(comms, request_content(request)))
        return error_set(err, ERR_CONFLICT, "this comm is open");
    if (comms->open_count == MOST_COMMS) {
        say_json(comms, MESSAGE_COMM_CLOSE, id, json_object(), request_header(request));
        return 0;
    }
    struct outputs_comm *comm = xcalloc(1, sizeof(*comm));
    comm->id = TAKE(id);
    LIST_INSERT_HEAD(&comms->open, comm, link);
    comms->open_count++;
    return 0;
}

static void
close_comm(struct outputs_comms *comms, struct outputs_comm *comm)
{
    struct outputs_ask *ask, *next;

    for (ask = LIST_FIRST(&comms->asks); ask; ask = next) {
        next = LIST_NEXT(ask, link);
        if (strcmp(ask->comm, comm->id) != 0)
            continue;
        archive_unfollow(comms->archive, ask->ticket);
        remove_ask(comms, ask);
    }
    remove_comm(comms, comm);
}

int
outputs_comm_handle(struct outputs_comms *comms, const struct request *request,
                    struct error *err)
{
    const struct slice content = request_content(request);
    struct outputs_comm *comm = find(comms, content);

    if (request->type->id == MESSAGE_COMM_OPEN)
        return open_comm(comms, request, err);
    if (request->type->id == MESSAGE_COMM_CLOSE) {
        close_comm(comms, comm);
        return 0;
    }
    const struct slice given = json_scan_field(content, "data");
    json_auto_t *data = json_loadb(given.data, given.len, JSON_ALLOW_NUL, NULL);
    ask(comms, comm->id, request, data);
    return 0;
}

/* --- what the archive answers --- */

static void
append_item(struct buffer *text, const struct archive_item *item)
{
    const struct slice metadata = item->metadata.len ? item->metadata : SLICE("{}");

    buffer_printf(text, "{\"type\":\"%s\",\"content\":", item->type);
    buffer_append(text, item->content.data, item->content.len);
    buffer_append_text(text, ",\"metadata\":");
    buffer_append(text, metadata.data, metadata.len);
    buffer_append_text(text, "}");
}

static void
append_shown(struct buffer *text, const struct archive_answer *answer)
{
    buffer_append_text(text, "{\"method\":\"get\",\"cell\":");
    buffer_append_json_string(text, slice_of(answer->id));
    buffer_printf(text,
                  ",\"found\":true,\"count\":%lld,\"began\":%lld,\"running\":%s,"
                  "\"gap\":%s,\"outputs\":[",
                  answer->count, (long long)answer->began,
                  answer->is_open ? "true" : "false",
                  answer->has_gap ? "true" : "false");
    for (size_t i = 0; i < answer->shown.count; i++) {
        buffer_append_text(text, i ? "," : "");
        append_item(text, &answer->shown.items[i]);
    }
    buffer_append_text(text, "]}");
}

/* Has the document what the cell showed last? */
static bool
is_had(const json_t *have, const json_t *cell)
{
    const json_t *count =
        json_object_get(have, json_string_value(json_object_get(cell, "cell")));

    return count && json_equal(count, json_object_get(cell, "count")) &&
           !json_is_true(json_object_get(cell, "running"));
}

static void
append_list(struct buffer *text, const struct archive_answer *answer,
            const json_t *have)
{
    json_auto_t *cells = json_loads(answer->list, 0, NULL);
    json_t *lacking = json_array(), *cell;
    size_t i;

    json_array_foreach (cells, i, cell)
        if (!is_had(have, cell))
            json_array_append(lacking, cell);
    json_text_append(text, json_pack("{s:s, s:o}", "method", "list", "cells", lacking));
}

static void
append_answer(struct buffer *text, const struct archive_answer *answer,
              const json_t *have)
{
    switch (answer->news) {
    case ARCHIVE_LISTED:
        append_list(text, answer, have);
        return;
    case ARCHIVE_SHOWN:
        if (answer->is_found)
            append_shown(text, answer);
        else
            buffer_append_text(text, "{\"method\":\"get\",\"found\":false}");
        return;
    case ARCHIVE_MORE:
        buffer_append_text(text, "{\"method\":\"more\",\"cell\":");
        buffer_append_json_string(text, slice_of(answer->id));
        buffer_append_text(text, ",\"output\":");
        append_item(text, &answer->shown.items[0]);
        buffer_append_text(text, "}");
        return;
    case ARCHIVE_ENDED:
        buffer_append_text(text, "{\"method\":\"end\",\"cell\":");
        buffer_append_json_string(text, slice_of(answer->id));
        buffer_append_text(text, "}");
        return;
    }
}

static bool
is_last(const struct archive_answer *answer, bool follows)
{
    return answer->news != ARCHIVE_MORE &&
           (answer->news != ARCHIVE_SHOWN || !answer->is_open || !follows);
}

bool
outputs_comm_take_answer(struct outputs_comms *comms, struct archive_answer *given)
{
    AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX);
    struct outputs_ask *ask;

    LIST_FOREACH (ask, &comms->asks, link)
        if (ask->ticket == given->ticket)
            break;
    if (!ask)
        return false;
    AUTO(archive_answer) struct archive_answer *answer = given;
    append_answer(&text, answer, ask->have);
    say(comms, MESSAGE_COMM_MSG, ask->comm, buffer_slice(&text), ask->header);
    if (is_last(answer, ask->follows))
        remove_ask(comms, ask);
    return true;
}

/* --- comm_info --- */

bool
outputs_comm_add_info(const struct outputs_comms *comms, const struct request *request,
                      struct slice content, struct buffer *out)
{
    const struct slice wanted =
        json_scan_field(request_content(request), "target_name");
    const struct outputs_comm *comm;

    if (LIST_EMPTY(&comms->open) || (json_scan_kind(wanted) == JSON_KIND_STRING &&
                                     !names_target(request_content(request))))
        return false;
    json_t *reply = json_loadb(content.data, content.len, JSON_ALLOW_NUL, NULL);
    json_t *open = json_object_get(reply, "comms");
    LIST_FOREACH (comm, &comms->open, link)
        if (open)
            json_object_set_new(open, comm->id,
                                json_pack("{s:s}", "target_name", OUTPUTS_COMM_TARGET));
    if (reply)
        json_text_append(out, reply);
    return out->len;
}
