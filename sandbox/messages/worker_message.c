#include "sandbox/messages/worker_message.h"

#include "common/limits.h"

static enum worker_message_kind
sign_of(enum message_id id)
{
    switch (id) {
    case MESSAGE_HELLO:
        return WORKER_HELLO;
    case MESSAGE_INTERRUPTED:
        return WORKER_INTERRUPTED;
    case MESSAGE_VARIABLES:
        return WORKER_VARIABLES;
    case MESSAGE_IMPORTS:
        return WORKER_IMPORTS;
    case MESSAGE_CHECKPOINTS_WANTED:
        return WORKER_WISHES;
    case MESSAGE_DEBUGGER:
        return WORKER_DEBUGS;
    case MESSAGE_NONE:
#define KIND_SIGN(ID) /* above */
#define OTHERS(ID)    case MESSAGE_##ID:
#include "common/messages.def"
        break;
    }
    abort(); /* the others have another kind */
}

/* Only for a type that a worker may send. */
static enum worker_message_kind
kind_of(const struct message_type *type)
{
    switch (type->kind) {
    case MESSAGE_IS_SIGN:
        return sign_of(type->id);
    case MESSAGE_IS_QUESTION:
        return WORKER_ASKS;
    case MESSAGE_IS_REPLY:
        return WORKER_ENDS;
    case MESSAGE_IS_REQUEST:
    case MESSAGE_IS_COMM:
    case MESSAGE_IS_ASIDE:
    case MESSAGE_IS_STEP:
    case MESSAGE_IS_QUERY:
    case MESSAGE_IS_OUTPUT:
    case MESSAGE_IS_ANSWER:
    case MESSAGE_IS_EVENT:
    case MESSAGE_IS_STATUS:
        break;
    }
    return type->phase == PHASE_BEGIN ? WORKER_BEGINS : WORKER_OUTPUT;
}

/* What it answers: the request that runs, or one beside that. Whatever else belongs to
 * a request that runs belongs to the former. */
static const struct request *
find_open(const struct message_type *type, const char *parent,
          const struct request_queue *requests)
{
    if (request_queue_is_running(requests, parent))
        return request_queue_running(requests);
    if (type->kind == MESSAGE_IS_REPLY || type->phase == PHASE_BEGIN)
        return request_queue_find_beside(requests, parent);
    return NULL;
}

static bool
parent_fits(const struct message_type *type, const char *parent,
            const struct request_queue *requests)
{
    bool is_running = request_queue_is_running(requests, parent);

    switch (type->phase) {
    case PHASE_NEVER:
    case PHASE_ASIDE: /* worker_message_check_aside */
        return false;
    case PHASE_FIRST:
        return !*parent;
    case PHASE_ANY:
        return is_running || !*parent || request_queue_knows(requests, parent);
    case PHASE_KNOWN:
        return is_running || request_queue_knows(requests, parent);
    case PHASE_RUNNING:
    case PHASE_BEGIN:
        return find_open(type, parent, requests);
    }
    return false;
}

static enum worker_message_kind
kind_beside(enum worker_message_kind kind)
{
    return kind == WORKER_ENDS ? WORKER_ENDS_BESIDE : WORKER_BEGINS_BESIDE;
}

static int
check_phase(const struct message_type *type, const struct worker_talk *talk,
            const struct request *open, struct error *err)
{
    bool has_begun =
        open && (open == request_queue_running(talk->requests) ? talk->has_begun
                                                               : open->has_begun);

    if (talk->said_hello == (type->phase == PHASE_FIRST))
        return error_set(err, ERR_BAD_INPUT,
                         talk->said_hello ? "a second hello"
                                          : "the first message is not a hello");
    if (type->kind == MESSAGE_IS_QUESTION && talk->asks)
        return error_set(err, ERR_BAD_INPUT, "a second question before an answer");
    if (type->kind == MESSAGE_IS_REPLY && open->type->reply != type->id)
        return error_set(err, ERR_BAD_INPUT, "%s answered by %s", open->type->type,
                         type->type);
    if (type->phase == PHASE_BEGIN &&
        (has_begun || !(open->type->carries & IS_COUNTED)))
        return error_set(err, ERR_BAD_INPUT, "%s%s of %s", has_begun ? "a second " : "",
                         type->type, open->type->type);
    return 0;
}

static int
check_load(const struct message_type *type, const struct envelope *message,
           struct error *err)
{
    if (message->metadata.len && !(type->carries & CARRIES_METADATA))
        return error_set(err, ERR_BAD_INPUT, "%s with metadata", type->type);
    if (message->buffer_count && !(type->carries & CARRIES_BUFFERS))
        return error_set(err, ERR_BAD_INPUT, "%s with buffers", type->type);
    return 0;
}

int
worker_message_check(const struct envelope *message, const struct worker_talk *talk,
                     enum worker_message_kind *kind, struct error *err)
{
    const struct message_type *type = messages_find(message->type);

    if (!type || type->phase == PHASE_NEVER)
        return error_set(err, ERR_BAD_INPUT, "a message of an unknown type");
    if (!parent_fits(type, message->parent, talk->requests))
        return error_set(err, ERR_BAD_INPUT, "%s for a request that it does not have",
                         type->type);
    const struct request *open = find_open(type, message->parent, talk->requests);
    if (check_phase(type, talk, open, err) < 0 || check_load(type, message, err) < 0)
        return -1;
    *kind = open && open != request_queue_running(talk->requests)
                ? kind_beside(kind_of(type))
                : kind_of(type);
    return 0;
}

int
worker_message_check_aside(const struct envelope *message,
                           const struct request_queue *requests, bool *ends,
                           struct error *err)
{
    const struct message_type *type = messages_find(message->type);
    bool is_event = type && type->phase == PHASE_ASIDE && !*message->parent;

    *ends = type && type->kind == MESSAGE_IS_REPLY &&
            request_queue_is_aside(requests, message->parent, type->id);
    if (!is_event && !*ends)
        return error_set(err, ERR_BAD_INPUT, "a message that a debugger does not send");
    return check_load(type, message, err);
}

static bool
are_strings(json_t *object)
{
    const char *key;
    json_t *value;

    json_object_foreach (object, key, value)
        if (!json_is_string(value))
            return false;
    return true;
}

json_t *
worker_message_parse_hello(struct slice content, struct error *err)
{
    json_error_t at;
    json_t *python, *packages;

    if (content.len > LIMIT_HELLO_BYTES)
        return (void)error_set(err, ERR_TOO_LARGE, "hello over %d bytes",
                               LIMIT_HELLO_BYTES),
               NULL;
    json_auto_t *hello =
        json_loadb(content.data, content.len, JSON_REJECT_DUPLICATES, &at);
    if (json_unpack(hello, "{s:o, s:o}", "python", &python, "packages", &packages) <
            0 ||
        !json_is_string(python) || !json_is_object(packages) || !are_strings(packages))
        return (void)error_set(err, ERR_BAD_INPUT, "hello without python and packages"),
               NULL;
    return json_pack("{s:O, s:O}", "python", python, "packages", packages);
}

/* Names and types are shown to the user: nothing in them may steer a terminal. */
static bool
is_showable(const json_t *value)
{
    const char *text = json_string_value(value);

    if (!text || !*text || json_string_length(value) > LIMIT_VARIABLE_NAME)
        return false;
    for (const char *at = text; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f || (unsigned char)*at == 0xc2)
            return false; /* 0xc2 leads to the controls beyond ASCII */
    return true;
}

static bool
is_variable(const json_t *value)
{
    return json_object_size(value) == 3 &&
           is_showable(json_object_get(value, "name")) &&
           is_showable(json_object_get(value, "type")) &&
           json_integer_value(json_object_get(value, "bytes")) > 0;
}

static bool
are_names(const json_t *names)
{
    size_t index;
    json_t *name;

    if (!json_is_array(names) || json_array_size(names) > LIMIT_VARIABLE_NAMES)
        return false;
    json_array_foreach (names, index, name)
        if (!is_showable(name))
            return false;
    return true;
}

json_t *
worker_message_parse_variables(struct slice content, struct error *err)
{
    json_error_t at;
    size_t index;
    json_t *value, *count, *largest, *names = NULL;

    json_auto_t *said =
        content.len > LIMIT_VARIABLES_BYTES
            ? NULL
            : json_loadb(content.data, content.len, JSON_REJECT_DUPLICATES, &at);
    if (json_unpack(said, "{s:o, s:o, s?o}", "count", &count, "largest", &largest,
                    "names", &names) < 0 ||
        json_integer_value(count) < 0 || !json_is_integer(count) ||
        !json_is_array(largest) || json_array_size(largest) > LIMIT_VARIABLES)
        return (void)error_set(err, ERR_BAD_INPUT, "variables without count and list"),
               NULL;
    json_array_foreach (largest, index, value)
        if (!is_variable(value))
            return (void)error_set(err, ERR_BAD_INPUT, "a malformed variable"), NULL;
    if (names && !are_names(names))
        return (void)error_set(err, ERR_BAD_INPUT, "malformed names of variables"),
               NULL;
    return json_pack("{s:O, s:O, s:O*}", "count", count, "largest", largest, "names",
                     names);
}

json_t *
worker_message_parse_imports(struct slice content, struct error *err)
{
    json_t *names, *name;
    size_t index;

    json_auto_t *said =
        content.len > LIMIT_IMPORTS_BYTES
            ? NULL
            : json_loadb(content.data, content.len, JSON_REJECT_DUPLICATES, NULL);
    if (json_unpack(said, "{s:o}", "names", &names) < 0 || !json_is_array(names) ||
        json_array_size(names) > LIMIT_IMPORTS)
        return (void)error_set(err, ERR_BAD_INPUT, "imports without a list of names"),
               NULL;
    json_array_foreach (names, index, name)
        if (!json_is_string(name))
            return (void)error_set(err, ERR_BAD_INPUT, "a malformed import"), NULL;
    return json_incref(names);
}
