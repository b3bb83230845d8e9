#include "bridge/model_list.h"

#include "bridge/models/exchange.h"
#include "bridge/models/model_api.h"
#include "common/limits.h"

enum {
    PATIENCE_MS = 4000,
    NAMES_MAX = 12,
};

struct row {
    struct models *models;
    struct endpoint *endpoint;
    struct exchange *exchange;
    struct buffer body;
    char *text; /* NULL while it is awaited */
};

struct models {
    struct bridge *bridge;
    bridge_models_fn *ready;
    void *context;
    struct alarm done;
    char *choice; /* who would answer now */
    size_t count;
    struct row rows[];
};

void
model_list_free(struct models *models)
{
    if (!models)
        return;
    alarms_clear(&models->done);
    for (size_t i = 0; i < models->count; i++) {
        struct row *row = &models->rows[i];
        exchange_cancel(row->exchange);
        endpoint_free(row->endpoint);
        buffer_release(&row->body);
        free(row->text);
    }
    free(models->choice);
    free(models);
}

static void
finish(void *context)
{
    struct models *models = context;
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);
    bridge_models_fn *ready = models->ready;
    void *for_ready = models->context;

    for (size_t i = 0; i < models->count; i++)
        buffer_printf(&out, "%s\n", models->rows[i].text);
    if (models->choice)
        buffer_printf(&out, "\n%s\n", models->choice);
    models->bridge->models = NULL;
    model_list_free(models);
    ready(out.data, for_ready);
}

static void
finish_if_done(struct models *models)
{
    for (size_t i = 0; i < models->count; i++)
        if (!models->rows[i].text)
            return;
    alarms_set(models->bridge->alarms, &models->done, ALARM_SOON, 0, finish, models);
}

/* "data" of OpenAI's and Anthropic's lists, "models" of Gemini's. */
static char *
list_names(const struct row *row)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);
    json_auto_t *reply = json_loadb(row->body.data, row->body.len, 0, NULL);
    const json_t *list = json_object_get(reply, "data");
    size_t shown = 0;

    if (!json_is_array(list))
        list = json_object_get(reply, "models");
    if (!json_is_array(list))
        return xasprintf("%-18s reached, but it lists no models",
                         row->endpoint->provider);
    buffer_printf(&out, "%-18s reached:", row->endpoint->provider);
    for (; shown < json_array_size(list) && shown < NAMES_MAX; shown++) {
        const json_t *model = json_array_get(list, shown);
        const char *id = json_string_value(json_object_get(model, "id"));
        char name[128];
        if (!id)
            id = json_string_value(json_object_get(model, "name"));
        failure_clean(name, sizeof(name), slice_of(id));
        buffer_printf(&out, "%s %s", shown ? "," : "", name);
    }
    if (json_array_size(list) > shown)
        buffer_printf(&out, " and %zu more", json_array_size(list) - shown);
    return TAKE(out.data);
}

static bool
on_bytes(struct slice bytes, void *context)
{
    struct row *row = context;

    return buffer_append(&row->body, bytes.data, bytes.len) == 0;
}

static void
on_done(const struct failure *failure, void *context)
{
    struct row *row = context;

    row->exchange = NULL;
    if (failure) {
        AUTO(mem) char *name = xasprintf("%-18s", row->endpoint->provider);
        row->text = failure_sentence(failure, name, NULL);
    } else {
        row->text = list_names(row);
    }
    if (row->endpoint->key)
        secret_erase(row->endpoint->key, row->text, strlen(row->text));
    finish_if_done(row->models);
}

static void
ask_server(struct row *row)
{
    const struct endpoint *endpoint = row->endpoint;
    AUTO(mem) char *url = endpoint->api->models_url(endpoint);
    const struct exchange_spec spec = {
        .pool = row->models->bridge->pool,
        .alarms = row->models->bridge->alarms,
        .url = url,
        .headers = {endpoint->api->header},
        .secret_prefix = endpoint->api->auth_prefix,
        .secret = endpoint->key,
        .ca_file = endpoint->ca_file,
        .connect_ms = PATIENCE_MS,
        .first_byte_ms = PATIENCE_MS,
        .idle_ms = PATIENCE_MS,
        .on_bytes = on_bytes,
        .on_done = on_done,
        .context = row,
    };
    struct error err;

    row->exchange = exchange_start(&spec, &err);
    if (!row->exchange)
        row->text = xasprintf("%-18s %s", endpoint->provider, err.text);
}

/* The table names it already. */
static const char *
without_name(const char *sentence, const char *name)
{
    size_t len = strlen(name);

    if (strncmp(sentence, name, len) != 0 || !strchr(": ", sentence[len]))
        return sentence;
    return sentence + len + strspn(sentence + len, ": ");
}

static void
start_row(struct row *row, const struct config *config, const char *name)
{
    struct error err;

    row->body = (struct buffer)BUFFER_INIT(LIMIT_REPLY_TEXT);
    row->endpoint = config_probe(config, row->models->bridge->keys, name, &err);
    if (!row->endpoint)
        row->text = xasprintf("%-18s %s", name, without_name(err.text, name));
    else if (row->endpoint->api->is_local)
        row->text = xasprintf("%-18s built in, answers without a network", name);
    else if (!row->endpoint->api->models_url)
        row->text = xasprintf("%-18s configured; it cannot list its models", name);
    else
        ask_server(row);
}

static char *
choice_of(struct bridge *bridge, const struct config *config)
{
    const struct magic magic = {.retries = -1, .level = -1};
    struct error err;
    AUTO(endpoint) struct endpoint *endpoint =
        shared_endpoint(bridge, &magic, config, &err);

    if (!endpoint)
        return xasprintf("A question would fail: %s.", err.text);
    AUTO(mem) char *title = endpoint_title(endpoint);
    return xasprintf("Questions go to %s.", title);
}

void
bridge_models(struct bridge *bridge, bridge_models_fn *ready, void *context)
{
    struct error err;
    AUTO(config) struct config *config = config_load(bridge->config_path, &err);
    json_auto_t *names = config ? config_providers(config) : json_array();
    size_t count = config ? json_array_size(names) : 1;

    bridge_models_cancel(bridge);
    struct models *models =
        xcalloc(1, sizeof(*models) + count * sizeof(models->rows[0]));
    models->bridge = bridge;
    models->ready = ready;
    models->context = context;
    models->count = count;
    bridge->models = models;
    if (config)
        models->choice = choice_of(bridge, config);
    else
        models->rows[0].text = xstrdup(err.text);
    for (size_t i = 0; config && i < count; i++) {
        models->rows[i].models = models;
        start_row(&models->rows[i], config,
                  json_string_value(json_array_get(names, i)));
    }
    finish_if_done(models);
}

void
bridge_models_cancel(struct bridge *bridge)
{
    model_list_free(TAKE(bridge->models));
}
