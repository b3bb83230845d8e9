/* The words of a question, one by one. */
#include "bridge/planner/parse/parser.h"

bool
token_kind(const struct parser *p, int at, enum token_kind kind)
{
    return at >= 0 && at < p->count && p->token[at].kind == kind;
}

bool
token_is(const struct parser *p, int at, enum term term)
{
    return token_kind(p, at, TOKEN_TERM) && p->token[at].term == term;
}

bool
token_is_free(const struct parser *p, int at)
{
    return at >= 0 && at < p->count && !p->token[at].is_used;
}

void
token_use(struct parser *p, int from, int to)
{
    for (int i = from < 0 ? 0 : from; i <= to && i < p->count; i++)
        p->token[i].is_used = true;
}

const char *
token_text(struct parser *p, int at)
{
    struct slice text = reading_text(p->reading, p->token[at].item);

    return text.len ? arena_text(p->arena, text.data, text.len) : p->token[at].text;
}

const struct column *
token_column(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_VALUE) ? value_column(p, p->token[at].value) : NULL;
}
