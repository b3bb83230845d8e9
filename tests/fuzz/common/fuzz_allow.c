/* One rule a line, then the host that is asked for in the last one: no rule opens a
 * name as an address, nor an address that is not public through a name. */
#include <stdlib.h>

#include "common/net/allow.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_verdicts(const struct allow_list *list, const struct host *host)
{
    enum allow_verdict bare = allow_address(list, &host->address, 443, false);
    enum allow_verdict named = allow_address(list, &host->address, 443, true);

    if (bare == ALLOW_SPECIAL || named == ALLOW_NOT_LISTED)
        abort();
    if (bare == ALLOW_YES && named != ALLOW_YES)
        abort();
    if (named == ALLOW_YES && bare != ALLOW_YES && ip_special_of(&host->address))
        abort();
    if (allow_name(list, host->name, 443))
        abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_auto_t *rules = json_array();
    AUTO(allow_list) struct allow_list *list = NULL;
    struct slice rest = {(const char *)data, size};
    const char *end;
    struct host host;
    struct error err;

    while ((end = memchr(rest.data, '\n', rest.len))) {
        size_t len = (size_t)(end - rest.data);
        json_array_append_new(rules, json_stringn(rest.data, len));
        rest.data += len + 1;
        rest.len -= len + 1;
    }
    bool is_v6 = rest.len && memchr(rest.data, ':', rest.len);
    if (allow_list_parse(rules, &list, &err) < 0 ||
        host_parse(rest, is_v6, &host, &err) < 0)
        return 0;
    if (host.is_address)
        check_verdicts(list, &host);
    else
        allow_name(list, host.name, 443);
    return 0;
}
