#include "bridge/asking/asking.h"
#include "bridge/repair/diff.h"
#include "bridge/repair/repair.h"

int
asking_begin_repair(struct bridge_ask *ask, struct error *err)
{
    json_t *failure = json_object_get(ask->profile, "failure");

    if (!repair_code(failure))
        return error_set(err, ERR_BAD_INPUT,
                         "%%fix repairs the cell that failed last, and none has failed "
                         "in this session");
    ask->failed = json_incref(failure);
    return 0;
}

bool
asking_is_local_repair(const struct bridge_ask *ask)
{
    return ask->magic.fix && ask->endpoint && ask->endpoint->api->is_local;
}

char *
asking_diff(const struct bridge_ask *ask)
{
    const char *before = repair_code(json_object_get(ask->profile, "failure"));
    const char *after = asking_last_code(ask);

    return ask->magic.fix && before && after ? diff_lines(before, after) : NULL;
}
