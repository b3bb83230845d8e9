#include "bridge/config/config_parts.h"
#include "bridge/models/model_api.h"
#include "common/net/ip.h"
#include "common/paths.h"

enum {
    DEFAULT_ANSWER_TOKENS = 4096,
    DEFAULT_TEXT_TOKENS = 512, /* of a base model, which does not stop by itself */
};

static int
use_env_key(struct endpoint *endpoint, const struct keys *keys, const char *name,
            struct error *err)
{
    const struct key *key = name ? config_find_key(keys, name) : NULL;

    if (!key || endpoint->key)
        return 0;
    if (!key->secret) {
        *err = key->err;
        return -1;
    }
    endpoint->key = secret_copy(key->secret, err);
    endpoint->key_name = xstrdup(name);
    return endpoint->key ? 0 : -1;
}

static int
use_key_file(struct endpoint *endpoint, const char *path, struct error *err)
{
    if (!path)
        return 0;
    AUTO(mem) char *file = paths_expand_home(path);
    endpoint->key = secret_read_file(file, err);
    endpoint->key_name = xstrdup(file);
    return endpoint->key ? 0 : -1;
}

/* The file's own words go before the environment's well-known names. */
static int
find_secret(struct endpoint *endpoint, const struct keys *keys,
            const struct builtin *builtin, const json_t *settings, struct error *err)
{
    if (use_key_file(endpoint, config_text(settings, "key_file"), err) < 0 ||
        use_env_key(endpoint, keys, config_text(settings, "key_env"), err) < 0)
        return -1;
    for (size_t i = 0; builtin && i < COUNT_OF(builtin->key_env); i++)
        if (use_env_key(endpoint, keys, builtin->key_env[i], err) < 0)
            return -1;
    if (endpoint->key || !endpoint->needs_key)
        return 0;
    return error_set(err, ERR_DENIED,
                     "%s needs a key: set %s, or key_file in the "
                     "configuration (docs/ask.md)",
                     endpoint->provider, builtin->key_env[0]);
}

/* The host of http://HOST, http://HOST:PORT/… and http://[HOST]/…; else empty. */
static struct slice
plain_host(const char *url)
{
    if (strncmp(url, "http://", 7) != 0)
        return SLICE("");
    url += 7;
    bool has_brackets = *url == '[';
    url += has_brackets;
    return (struct slice){url, strcspn(url, has_brackets ? "]" : ":/")};
}

/* This machine: unencrypted text to it passes no other machine. A name that only looks
 * like an address may belong to another machine. */
static bool
is_near(const char *url)
{
    static const unsigned char one[16] = {[15] = 1};
    struct slice host = plain_host(url);
    struct ip ip;

    if (slice_equals(host, SLICE("localhost")))
        return true;
    if (!ip_parse(host, &ip))
        return false;
    return ip.family == AF_INET ? ip.bytes[0] == 127 : memcmp(ip.bytes, one, 16) == 0;
}

static int
check_url(const struct endpoint *endpoint, const json_t *settings, struct error *err)
{
    const char *url = endpoint->base_url;
    bool is_https = strncmp(url, "https://", 8) == 0;
    bool is_http = strncmp(url, "http://", 7) == 0;

    if (endpoint->api->is_local || (endpoint->api->takes_token && !*url))
        return 0;
    if (!is_https && !is_http)
        return error_set(err, ERR_BAD_INPUT, "%s: base_url must start with https://",
                         endpoint->provider);
    if (strchr(url, '@') || strchr(url, '?'))
        return error_set(err, ERR_BAD_INPUT,
                         "%s: base_url must not contain a password or a query",
                         endpoint->provider);
    if (is_http && !is_near(url) && (endpoint->key || endpoint->api->takes_token) &&
        !json_is_true(json_object_get(settings, "allow_http")))
        return error_set(err, ERR_DENIED,
                         "%s: the key would be sent unencrypted to %s: use https://, "
                         "or set allow_http",
                         endpoint->provider, url);
    return 0;
}

static int64_t
seconds(const json_t *settings, const char *name, int64_t otherwise)
{
    return 1000 * config_number(settings, name, otherwise);
}

static void
fill_limits(struct endpoint *endpoint, const json_t *settings)
{
    bool is_here = is_near(endpoint->base_url);

    endpoint->context_tokens = (long)config_number(settings, "context_tokens", 0);
    endpoint->max_tokens = (long)config_number(
        settings, "max_tokens",
        endpoint->api->continues_text ? DEFAULT_TEXT_TOKENS : DEFAULT_ANSWER_TOKENS);
    endpoint->connect_ms = seconds(settings, "connect_seconds", 10);
    endpoint->first_byte_ms =
        seconds(settings, "first_byte_seconds", is_here ? 120 : 60);
    endpoint->idle_ms = seconds(settings, "idle_seconds", 60);
    endpoint->turn_ms = seconds(settings, "turn_seconds", 300);
}

static int
fill_google(struct endpoint *endpoint, const json_t *settings, struct error *err)
{
    const char *project = config_text(settings, "project");
    const char *location = config_text(settings, "location");
    const char *host = getenv("GCE_METADATA_HOST");

    endpoint->project =
        xstrdup(config_first(project, getenv("GOOGLE_CLOUD_PROJECT"), NULL));
    endpoint->location =
        xstrdup(config_first(location, getenv("GOOGLE_CLOUD_LOCATION"), "global"));
    endpoint->token_command = json_incref(json_object_get(settings, "token_command"));
    const char *url = config_text(settings, "metadata_url");
    endpoint->metadata_url =
        url ? xstrdup(url)
            : xasprintf(
                  "http://%s/computeMetadata/v1/instance/service-accounts/default/"
                  "token",
                  host && *host ? host : "metadata.google.internal");
    if (!endpoint->api->takes_token || endpoint->project[0])
        return 0;
    return error_set(err, ERR_BAD_INPUT,
                     "%s: set `project` in the configuration, or "
                     "GOOGLE_CLOUD_PROJECT",
                     endpoint->provider);
}

static const struct model_api *
api_of(const char *name, const struct builtin *builtin, const json_t *settings,
       struct error *err)
{
    const char *wanted = config_text(settings, "api");

    if (!wanted && builtin)
        wanted = builtin->api;
    const struct model_api *api = wanted ? model_api_find(wanted) : NULL;
    if (!api)
        (void)error_set(err, ERR_BAD_INPUT, "ask.providers.%s.api must be one of %s",
                        name, model_api_list());
    return api;
}

struct endpoint *
config_probe(const struct config *config, const struct keys *keys, const char *name,
             struct error *err)
{
    const struct builtin *builtin = config_find_builtin(name);
    const json_t *settings = config_find_provider(config, name);
    AUTO(endpoint) struct endpoint *endpoint = xcalloc(1, sizeof(*endpoint));

    endpoint->api = api_of(name, builtin, settings, err);
    if (!endpoint->api)
        return NULL;
    const char *base_env =
        builtin && builtin->base_env ? getenv(builtin->base_env) : NULL;
    const char *token_field = config_text(settings, "token_field");
    endpoint->provider = xstrdup(name);
    endpoint->base_url =
        xstrdup(config_first(base_env, config_text(settings, "base_url"),
                             builtin ? builtin->base_url : NULL));
    endpoint->model = xstrdup(config_first(config_text(settings, "model"), NULL, NULL));
    endpoint->needs_key = builtin && builtin->needs_key && !is_near(endpoint->base_url);
    endpoint->token_field = xstrdup(
        config_first(token_field, builtin ? builtin->token_field : NULL, "max_tokens"));
    endpoint->parameters = json_incref(json_object_get(settings, "parameters"));
    fill_limits(endpoint, settings);
    const char *ca_file = config_text(settings, "ca_file");
    endpoint->ca_file = ca_file ? paths_expand_home(ca_file) : NULL;
    if (find_secret(endpoint, keys, builtin, settings, err) < 0 ||
        check_url(endpoint, settings, err) < 0 ||
        fill_google(endpoint, settings, err) < 0)
        return NULL;
    return TAKE(endpoint);
}
