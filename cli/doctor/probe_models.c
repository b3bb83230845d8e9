/* Which provider answers %%ask. No model is asked; of a key, only its origin is
 * shown. */
#include "bridge/config/config.h"

#include "cli/doctor/probe.h"

void
probe_models(struct report *report)
{
    struct keys *keys = config_keys_take(NULL);
    struct config_choice choice = {0};
    struct error err;
    AUTO(config) struct config *config = config_load(NULL, &err);
    AUTO(endpoint) struct endpoint *endpoint =
        config ? config_endpoint(config, keys, &choice, &err) : NULL;

    if (!endpoint)
        report_add(report, "%%ask", config ? CHECK_NOTE : CHECK_FAILED, NULL, "%s",
                   err.text);
    else {
        AUTO(mem) char *title = endpoint_title(endpoint);
        report_add(report, "%%ask", CHECK_OK, NULL, "%s answers%s%s", title,
                   endpoint->key && endpoint->key_name ? ", with the key of " : "",
                   endpoint->key && endpoint->key_name ? endpoint->key_name : "");
    }
    config_keys_free(keys);
}
