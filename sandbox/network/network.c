#include "sandbox/network/network.h"

/* Variables by which a daemon's own way out may be a proxy. */
static const char *const upstream[] = {
    "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy",
};

/* This sandbox's loopback. Where a rule names one of them, the outside one is meant. */
static const char *const direct[] = {"localhost", "127.0.0.1", "::1"};

static int
check_way_out(struct error *err)
{
    for (size_t i = 0; i < COUNT_OF(upstream); i++) {
        const char *value = getenv(upstream[i]);
        if (value && *value)
            return error_set(
                err, ERR_BAD_INPUT,
                "network.mode \"list\": this machine reaches the network through the "
                "proxy in %s, behind which cellpod cannot check addresses; unset it "
                "for cellpod, or use network.mode \"none\"",
                upstream[i]);
    }
    return 0;
}

static bool
holds_text(const json_t *array, const char *text)
{
    size_t index;
    json_t *value;

    json_array_foreach (array, index, value)
        if (json_is_string(value) && strcmp(json_string_value(value), text) == 0)
            return true;
    return false;
}

int
network_plan(struct network *network, const json_t *claimed, const json_t *waived,
             struct error *err)
{
    const char *mode = json_string_value(json_object_get(claimed, "mode"));
    json_t *rules = json_object_get(claimed, "allow");
    json_auto_t *none = json_array();

    if (!mode || strcmp(mode, "list") != 0)
        return 0;
    if (holds_text(waived, "network"))
        return error_set(err, ERR_BAD_INPUT,
                         "network.mode \"list\" needs the layer \"network\", which is "
                         "waived: remove one of the two");
    if (check_way_out(err) < 0)
        return -1;
    return allow_list_parse(rules && !json_is_null(rules) ? rules : none,
                            &network->allow, err);
}

int
network_open(struct network *network, const struct proxy_spec *spec, struct error *err)
{
    struct proxy_spec with_rules = *spec;

    if (!network->allow) {
        auto_fd(&with_rules.listener);
        return 0;
    }
    network_close(network);
    with_rules.allow = network->allow;
    network->proxy = proxy_new(&with_rules, err);
    return network->proxy ? 0 : -1;
}

void
network_close(struct network *network)
{
    proxy_free(TAKE(network->proxy));
}

void
network_release(struct network *network)
{
    network_close(network);
    allow_list_free(TAKE(network->allow));
}

json_t *
network_port(const struct network *network)
{
    return network->allow ? json_integer(PROXY_PORT) : json_null();
}

static char *
no_proxy(const struct allow_list *allow)
{
    AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX);

    for (size_t i = 0; i < COUNT_OF(direct); i++)
        if (!allow_mentions(allow, direct[i]))
            buffer_printf(&text, "%s%s", text.len ? "," : "", direct[i]);
    return xstrdup(text.data ? text.data : "");
}

void
network_set_env(const struct network *network, json_t *env)
{
    /* In both spellings: programs look for one or the other. pip must not cache its
     * downloads, since the cache would fill the scratch folders. */
    static const char *const led[] = {"HTTP_PROXY", "HTTPS_PROXY", "http_proxy",
                                      "https_proxy"};
    AUTO(mem) char *url = xasprintf("http://127.0.0.1:%d", PROXY_PORT);

    if (!network->allow)
        return;
    AUTO(mem) char *exceptions = no_proxy(network->allow);
    for (size_t i = 0; i < COUNT_OF(led); i++)
        json_object_set_new(env, led[i], json_string(url));
    json_object_set_new(env, "NO_PROXY", json_string(exceptions));
    json_object_set_new(env, "no_proxy", json_string(exceptions));
    if (!json_object_get(env, "PIP_NO_CACHE_DIR"))
        json_object_set_new(env, "PIP_NO_CACHE_DIR", json_string("1"));
    if (!json_object_get(env, "PIP_RETRIES"))
        json_object_set_new(env, "PIP_RETRIES", json_string("2"));
}
