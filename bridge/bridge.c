#include "bridge/bridge.h"

#include "bridge/model_list.h"
#include "bridge/models/turn.h"
#include "bridge/prompt/prompt.h"
#include "bridge/shared.h"
#include "common/utf8.h"

enum {
    FEWEST_TOKENS = 256,  /* of a budget: no prompt is smaller */
    USUAL_TOKENS = 24000, /* of a prompt to a model whose context is not known */
};

struct bridge *
bridge_new(const struct bridge_spec *spec)
{
    struct bridge *bridge = xcalloc(1, sizeof(*bridge));

    bridge->loop = spec->loop;
    bridge->pool = http_pool_new(spec->loop);
    bridge->alarms = alarms_new(spec->loop, spec->virtual_clock);
    bridge->token = token_new(spec->loop, bridge->pool, bridge->alarms);
    bridge->config_path = spec->config_path ? xstrdup(spec->config_path) : NULL;
    bridge->keys = config_keys_take(spec->config_path);
    bridge->planner = spec->planner;
    return bridge;
}

void
bridge_free(struct bridge *bridge)
{
    struct learned *learned;

    if (!bridge)
        return;
    while (bridge->asks)
        bridge_ask_cancel(bridge->asks);
    bridge_models_cancel(bridge);
    while ((learned = bridge->learned)) {
        bridge->learned = learned->next;
        free(learned->title);
        free(learned);
    }
    token_free(bridge->token);
    http_pool_free(bridge->pool);
    alarms_free(bridge->alarms);
    config_keys_free(bridge->keys);
    free(bridge->config_path);
    free(bridge);
}

void
bridge_advance(struct bridge *bridge, int64_t ms)
{
    alarms_advance(bridge->alarms, ms);
}

int64_t
bridge_now_ms(const struct bridge *bridge)
{
    return alarms_now_ms(bridge->alarms);
}

/* --- what questions share --- */

struct learned *
shared_learned(struct bridge *bridge, const struct endpoint *endpoint)
{
    AUTO(mem) char *title = endpoint_title(endpoint);

    for (struct learned *l = bridge->learned; l; l = l->next)
        if (strcmp(l->title, title) == 0)
            return l;
    struct learned *learned = xcalloc(1, sizeof(*learned));
    *learned =
        (struct learned){.title = TAKE(title), .factor = 1, .next = bridge->learned};
    bridge->learned = learned;
    return learned;
}

struct endpoint *
shared_endpoint(struct bridge *bridge, const struct magic *magic,
                const struct config *config, struct error *err)
{
    const struct config_choice choice = {magic->provider, magic->model};
    struct endpoint *endpoint = config_endpoint(config, bridge->keys, &choice, err);

    if (!endpoint)
        return NULL;
    const struct learned *learned = shared_learned(bridge, endpoint);
    endpoint->downgrades = learned->downgrades;
    if (!endpoint->context_tokens)
        endpoint->context_tokens = learned->context_tokens;
    return endpoint;
}

long
shared_budget(const struct endpoint *endpoint)
{
    long left = endpoint->context_tokens - endpoint_answer_tokens(endpoint);

    if (!endpoint->context_tokens)
        return USUAL_TOKENS;
    return left > FEWEST_TOKENS ? left : FEWEST_TOKENS;
}

int
shared_level(const struct magic *magic, const struct config *config)
{
    return magic->level >= 0 ? magic->level : config_level(config);
}

char *
shared_clean_text(const char *text)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);

    buffer_append_text(&out, "");
    while (*text) {
        size_t len = utf8_sequence(text, strlen(text));
        if (len)
            buffer_append(&out, text, len);
        else
            buffer_append_text(&out, UTF8_REPLACEMENT);
        text += len ? len : 1;
    }
    return TAKE(out.data);
}

char *
shared_question(const struct bridge_question *question, int level)
{
    const json_t *failure = json_object_get(question->profile, "failure");
    AUTO(mem) char *text = shared_clean_text(question->magic->question);

    if (!question->magic->fix)
        return TAKE(text);
    json_auto_t *names = prompt_names(question->profile, level);
    return prompt_repair(failure, names, level, text);
}

/* --- %ask --show, --provider <Tab> --- */

char *
bridge_show(struct bridge *bridge, const struct bridge_question *question,
            struct error *err)
{
    AUTO(config) struct config *config = config_load(bridge->config_path, err);
    AUTO(conversation) struct conversation conversation = {0};
    struct prompt_info info;

    if (!config)
        return NULL;
    AUTO(endpoint) struct endpoint *endpoint =
        shared_endpoint(bridge, question->magic, config, err);
    if (!endpoint)
        return NULL;
    const int level = shared_level(question->magic, config);
    AUTO(mem) char *text = shared_question(question, level);
    const struct prompt_spec spec = {
        .question = text,
        .profile = question->profile,
        .earlier = question->earlier,
        .level = level,
        .goes_on = endpoint->api->continues_text,
        .explain = question->magic->explain,
        .repairs = question->magic->fix,
        .budget_tokens = shared_budget(endpoint),
        .tokens_per_byte_factor = shared_learned(bridge, endpoint)->factor,
    };
    if (prompt_build(&spec, &conversation, &info, err) < 0)
        return NULL;
    return turn_describe(endpoint, &conversation);
}

json_t *
bridge_providers(struct bridge *bridge)
{
    struct error err;
    AUTO(config) struct config *config = config_load(bridge->config_path, &err);

    return config ? config_providers(config) : json_array();
}
