#include "kube/queue.h"

static const char *
text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* Of this pool, and without a pod so far. */
static bool
is_waiting(const json_t *object, const char *pool)
{
    const json_t *spec = json_object_get(object, "spec");
    struct claim_state state;

    if (strcmp(text_of(json_object_get(spec, "warmPoolRef"), "name"), pool) != 0)
        return false;
    claim_object_read(object, &state);
    return state.phase == CLAIM_PENDING;
}

/* Times of the same form are in order as texts; names decide within a second. */
static bool
is_older(const json_t *a, const json_t *b)
{
    int order =
        strcmp(text_of(a, "creationTimestamp"), text_of(b, "creationTimestamp"));

    return order ? order < 0 : strcmp(text_of(a, "name"), text_of(b, "name")) < 0;
}

static const json_t *
find_own(const json_t *items, const char *name)
{
    const json_t *item;
    size_t at;

    json_array_foreach (items, at, item)
        if (strcmp(text_of(json_object_get(item, "metadata"), "name"), name) == 0)
            return json_object_get(item, "metadata");
    return NULL;
}

struct queue_place
queue_find(const json_t *list, const struct claim_wish *wish)
{
    const json_t *items = json_object_get(list, "items"), *item;
    const json_t *own = find_own(items, wish->name);
    struct queue_place found = {0};
    size_t at;

    if (!own)
        return found;
    json_array_foreach (items, at, item) {
        if (!is_waiting(item, wish->pool))
            continue;
        found.waiting++;
        found.place += is_older(json_object_get(item, "metadata"), own);
    }
    found.place++;
    return found.waiting > 1 ? found : (struct queue_place){0};
}
