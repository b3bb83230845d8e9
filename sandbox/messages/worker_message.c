#include "sandbox/messages/worker_message.h"

#include "common/limits.h"

enum parent_rule {
    NO_PARENT,
    KNOWN_PARENT,
    ANY_PARENT, /* known, or none: nothing was asked yet, and a library speaks up */
    RUNNING_PARENT,
};

static const struct message_rule {
    const char *type;
    enum parent_rule parent;
    enum worker_message_kind kind;
} rules[] = {
    {"hello",               NO_PARENT,      WORKER_HELLO      },
    {"interrupted",         KNOWN_PARENT,   WORKER_INTERRUPTED},
    {"variables",           ANY_PARENT,     WORKER_VARIABLES  },
    {"stream",              ANY_PARENT,     WORKER_OUTPUT     },
    {"display_data",        ANY_PARENT,     WORKER_OUTPUT     },
    {"update_display_data", ANY_PARENT,     WORKER_OUTPUT     },
    {"execute_input",       ANY_PARENT,     WORKER_OUTPUT     },
    {"execute_result",      ANY_PARENT,     WORKER_OUTPUT     },
    {"error",               ANY_PARENT,     WORKER_OUTPUT     },
    {"clear_output",        ANY_PARENT,     WORKER_OUTPUT     },
    {"comm_open",           ANY_PARENT,     WORKER_OUTPUT     },
    {"comm_msg",            ANY_PARENT,     WORKER_OUTPUT     },
    {"comm_close",          ANY_PARENT,     WORKER_OUTPUT     },
    {"input_request",       RUNNING_PARENT, WORKER_ASKS       },
    {"execute_reply",       RUNNING_PARENT, WORKER_ENDS       },
    {"complete_reply",      RUNNING_PARENT, WORKER_ENDS       },
    {"inspect_reply",       RUNNING_PARENT, WORKER_ENDS       },
    {"is_complete_reply",   RUNNING_PARENT, WORKER_ENDS       },
    {"history_reply",       RUNNING_PARENT, WORKER_ENDS       },
    {"comm_info_reply",     RUNNING_PARENT, WORKER_ENDS       },
    {"announce_reply",      RUNNING_PARENT, WORKER_ENDS       },
    {"profile_reply",       RUNNING_PARENT, WORKER_ENDS       },
    {"check_reply",         RUNNING_PARENT, WORKER_ENDS       },
    {"command_reply",       RUNNING_PARENT, WORKER_ENDS       },
    {"attempt_reply",       RUNNING_PARENT, WORKER_ENDS       },
    {"attempt_end_reply",   RUNNING_PARENT, WORKER_ENDS       },
    {"done",                RUNNING_PARENT, WORKER_ENDS       },
};

static const struct message_rule *
find_rule(const char *type)
{
    for (size_t i = 0; i < COUNT_OF(rules); i++)
        if (strcmp(rules[i].type, type) == 0)
            return &rules[i];
    return NULL;
}

static bool
parent_fits(enum parent_rule rule, const char *parent,
            const struct request_queue *requests)
{
    if (request_queue_is_running(requests, parent))
        return rule != NO_PARENT;
    switch (rule) {
    case NO_PARENT:
        return !*parent;
    case ANY_PARENT:
        return !*parent || request_queue_knows(requests, parent);
    case KNOWN_PARENT:
        return request_queue_knows(requests, parent);
    case RUNNING_PARENT:
        return false;
    }
    return false;
}

static int
check_kind(const struct envelope *message, enum worker_message_kind kind,
           const struct worker_talk *talk, struct error *err)
{
    const struct request *running = request_queue_running(talk->requests);

    if (talk->said_hello == (kind == WORKER_HELLO))
        return error_set(err, ERR_BAD_INPUT,
                         talk->said_hello ? "a second hello"
                                          : "the first message is no hello");
    if (kind == WORKER_ASKS && talk->asks)
        return error_set(err, ERR_BAD_INPUT, "a second question before an answer");
    if (kind == WORKER_ENDS && strcmp(running->type->reply_type, message->type) != 0)
        return error_set(err, ERR_BAD_INPUT, "%s answered by %s", running->type->type,
                         message->type);
    return 0;
}

int
worker_message_check(const struct envelope *message, const struct worker_talk *talk,
                     enum worker_message_kind *kind, struct error *err)
{
    const struct message_rule *rule = find_rule(message->type);

    if (!rule)
        return error_set(err, ERR_BAD_INPUT, "a message of an unknown type");
    if (!parent_fits(rule->parent, message->parent, talk->requests))
        return error_set(err, ERR_BAD_INPUT, "%s for a request that it does not have",
                         rule->type);
    if (check_kind(message, rule->kind, talk, err) < 0)
        return -1;
    *kind = rule->kind;
    return 0;
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

json_t *
worker_message_parse_variables(struct slice content, struct error *err)
{
    json_error_t at;
    size_t index;
    json_t *value, *count, *largest;

    json_auto_t *said =
        content.len > LIMIT_VARIABLES_BYTES
            ? NULL
            : json_loadb(content.data, content.len, JSON_REJECT_DUPLICATES, &at);
    if (json_unpack(said, "{s:o, s:o}", "count", &count, "largest", &largest) < 0 ||
        json_integer_value(count) < 0 || !json_is_integer(count) ||
        !json_is_array(largest) || json_array_size(largest) > LIMIT_VARIABLES)
        return (void)error_set(err, ERR_BAD_INPUT, "variables without count and list"),
               NULL;
    json_array_foreach (largest, index, value)
        if (!is_variable(value))
            return (void)error_set(err, ERR_BAD_INPUT, "a variable that is none"), NULL;
    return json_pack("{s:O, s:O}", "count", count, "largest", largest);
}
