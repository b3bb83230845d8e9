/* What is accepted keeps its promises, and is accepted again when it is written out. */
#include <stdlib.h>

#include "sandbox/life/claim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
is_promised(const struct claim *claim)
{
    return *claim->task_id && json_is_array(claim->mounts) &&
           json_is_object(claim->env) && json_is_object(claim->resources) &&
           json_is_array(claim->waive) &&
           (!claim->workspace_path || claim->workspace_path[0] == '/') &&
           (!claim->cwd || claim->cwd[0] == '/') && claim->ttl_seconds >= 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(claim) struct claim claim = {.tree = NULL};
    AUTO(claim) struct claim again = {.tree = NULL};
    struct error err;

    if (claim_parse((struct slice){(const char *)data, size}, &claim, &err) < 0)
        return 0;
    AUTO(mem) char *text = json_dumps(claim.tree, JSON_COMPACT);
    if (!is_promised(&claim) || !text ||
        claim_parse((struct slice){text, strlen(text)}, &again, &err) < 0)
        abort();
    return 0;
}
