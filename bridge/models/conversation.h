/*
 * conversation: the messages to a model, in order, before they get a provider's format.
 */
#pragma once

#include "common/base.h"

enum role {
    ROLE_SYSTEM, /* only the first */
    ROLE_USER,
    ROLE_ASSISTANT,
};

struct conversation {
    struct said {
        enum role role;
        char *text;
    } * said;
    size_t count;
};

void conversation_add(struct conversation *conversation, enum role role, char **text);
void conversation_release(struct conversation *conversation);

static inline void
auto_conversation(struct conversation *conversation)
{
    conversation_release(conversation);
}
