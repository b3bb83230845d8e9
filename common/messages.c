#include "common/messages.h"

#include <assert.h>

#define METADATA CARRIES_METADATA
#define BUFFERS  CARRIES_BUFFERS
#define COUNTED  IS_COUNTED

#define FIELD(name, kind) {#name, kind},
#define TEXT(name)        FIELD(name, HOLDS_TEXT)
#define NUMBER(name)      FIELD(name, HOLDS_NUMBER)
#define BOOLEAN(name)     FIELD(name, HOLDS_BOOLEAN)
#define ARRAY(name)       FIELD(name, HOLDS_ARRAY)
#define OBJECT(name)      FIELD(name, HOLDS_OBJECT)
#define BUNDLE(name)      FIELD(name, HOLDS_BUNDLE)

static const struct message_type types[MESSAGES] = {
#define MESSAGE(ID, TYPE, KIND, SENDERS, CHANNELS, REPLY, PHASE, CARRIES, FIELDS) \
    [MESSAGE_##ID] = {.id = MESSAGE_##ID,                                         \
                      .type = TYPE,                                               \
                      .kind = MESSAGE_IS_##KIND,                                  \
                      .senders = SENDERS,                                         \
                      .channels = CHANNELS,                                       \
                      .reply = MESSAGE_##REPLY,                                   \
                      .phase = PHASE_##PHASE,                                     \
                      .carries = CARRIES,                                         \
                      .fields = {FIELDS}},
#include "common/messages.def"
};

const struct message_type *
messages_find(const char *type)
{
    for (size_t i = 1; i < MESSAGES; i++)
        if (strcmp(types[i].type, type) == 0)
            return &types[i];
    return NULL;
}

const struct message_type *
messages_row(enum message_id id)
{
    assert(id != MESSAGE_NONE);
    return &types[id];
}

const char *
messages_name(enum message_id id)
{
    return messages_row(id)->type;
}

bool
messages_is_for_worker(const struct message_type *type)
{
    return type->kind == MESSAGE_IS_REQUEST || type->kind == MESSAGE_IS_ASIDE ||
           type->kind == MESSAGE_IS_COMM || type->kind == MESSAGE_IS_STEP;
}

bool
messages_is_output(const struct message_type *type)
{
    return type->kind == MESSAGE_IS_OUTPUT || type->kind == MESSAGE_IS_COMM;
}
