#include "bridge/models/conversation.h"

void
conversation_add(struct conversation *conversation, enum role role, char **text)
{
    size_t size = (conversation->count + 1) * sizeof(*conversation->said);

    conversation->said = xrealloc(conversation->said, size);
    conversation->said[conversation->count++] = (struct said){role, TAKE(*text)};
}

void
conversation_release(struct conversation *conversation)
{
    for (size_t i = 0; i < conversation->count; i++)
        free(conversation->said[i].text);
    free(conversation->said);
    *conversation = (struct conversation){0};
}
