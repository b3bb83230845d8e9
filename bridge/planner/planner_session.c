#include "bridge/planner/planner_session.h"

const char *
planner_session_say(struct planner_session *s, const char *key, const char *a,
                    const char *b)
{
    const char *args[] = {a ? a : "", b ? b : ""};

    return lexicon_say(s->lexicon, s->arena, key, args, COUNT_OF(args));
}

void
planner_session_add(json_t *list, const char *text)
{
    json_t *json = json_string(text), *old;
    size_t at;

    json_array_foreach (list, at, old)
        if (json_equal(old, json)) {
            json_decref(json);
            return;
        }
    json_array_append_new(list, json ? json : json_null());
}
