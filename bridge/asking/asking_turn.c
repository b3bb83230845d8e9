#include "bridge/asking/asking.h"

enum {
    TRUNCATED_PERCENT = 50 /* fewer tokens counted than estimated: it was cut */
};

static int
build_prompt(struct bridge_ask *ask, struct error *err)
{
    struct prompt_attempt attempts[ATTEMPTS_MAX];
    size_t count = 0;

    for (; count < ask->attempt_count; count++)
        attempts[count] = (struct prompt_attempt){
            ask->attempts[count].answer,
            ask->attempts[count].report,
        };
    const struct prompt_spec spec = {
        .question = ask->asked,
        .profile = ask->profile,
        .earlier = ask->earlier,
        .attempts = attempts,
        .attempt_count = count,
        .level = ask->level,
        .goes_on = ask->endpoint->api->continues_text,
        .explain = ask->magic.explain,
        .repairs = ask->magic.fix,
        .budget_tokens = shared_budget(ask->endpoint),
        .tokens_per_byte_factor = shared_learned(ask->bridge, ask->endpoint)->factor,
    };
    conversation_release(&ask->conversation);
    return prompt_build(&spec, &ask->conversation, &ask->info, err);
}

static void
on_news(const struct turn_news *news, void *context)
{
    struct bridge_ask *ask = context;
    AUTO(mem) char *text = NULL;

    switch (news->what) {
    case TURN_SENT:
        text = xasprintf("Asking %s …", ask->title);
        asking_tell(ask, BRIDGE_ASKING, text);
        return;
    case TURN_WRITING:
        text = news->bytes ? xasprintf("%s writes … %zu bytes", ask->title, news->bytes)
                           : xasprintf("%s thinks …", ask->title);
        asking_tell(ask, BRIDGE_ASKING, text);
        return;
    case TURN_WAITING: {
        AUTO(mem) char *why = failure_sentence(news->failure, ask->title, "");
        why[strcspn(why, "\n")] = '\0';
        size_t len = strlen(why);
        while (len && strchr(" .:", why[len - 1]))
            len--;
        text = xasprintf("%.*s; asking again in %.1f s", (int)len, why,
                         (double)news->wait_ms / 1000);
        asking_tell(ask, BRIDGE_WAITING, text);
        return;
    }
    }
}

static const char *
language_of(const struct bridge_ask *ask)
{
    return ask->magic.language ? ask->magic.language : config_language(ask->config);
}

struct turn *
asking_start_turn(struct bridge_ask *ask,
                  void (*on_end)(const struct turn_end *end, void *context),
                  struct asking_next *next)
{
    const struct turn_spec spec = {
        .pool = ask->bridge->pool,
        .alarms = ask->bridge->alarms,
        .token = ask->bridge->token,
        .endpoint = ask->endpoint,
        .conversation = &ask->conversation,
        .use_cache = ask->uses_cache,
        .local = ask->bridge->planner,
        .local_request = {.question = ask->magic.question,
                          .profile = ask->profile,
                          .earlier = ask->earlier,
                          .language = language_of(ask),
                          .failure = ask->failed,
                          .explain = ask->magic.explain},
        .on_news = on_news,
        .on_end = on_end,
        .context = ask,
    };
    struct error err;

    if (!ask->endpoint->api->is_local && build_prompt(ask, &err) < 0) {
        char *message = xasprintf("%s: %s.", ask->title, err.text);
        *next = (struct asking_next){MOVE_END, BRIDGE_FAILED,
                                     failure_name(FAIL_CONTEXT), message};
        return NULL;
    }
    return turn_start(&spec);
}

static void
add_tokens(long *sum, long tokens)
{
    if (tokens >= 0)
        *sum = (*sum < 0 ? 0 : *sum) + tokens;
}

/* The server's own count corrects our estimates; far fewer than that means a cut
 * prompt. */
static void
calibrate(struct bridge_ask *ask, const struct turn_end *turn_end)
{
    struct learned *learned = shared_learned(ask->bridge, ask->endpoint);
    long counted = turn_end->reply->usage.prompt;
    long plain = prompt_estimate(&ask->conversation);

    if (turn_end->from_cache || counted <= 0 || plain <= 0)
        return;
    if (counted * 100 < plain * TRUNCATED_PERCENT)
        ask->warning = "the server counted far fewer tokens than were sent: it may "
                       "have truncated the question; raise its context size";
    else
        learned->factor = 0.5 * learned->factor + 0.5 * (double)counted / (double)plain;
}

void
asking_note_turn(struct bridge_ask *ask, const struct turn_end *turn_end)
{
    const struct usage *usage = &turn_end->reply->usage;
    struct learned *learned = shared_learned(ask->bridge, ask->endpoint);

    add_tokens(&ask->prompt_tokens, usage->prompt);
    add_tokens(&ask->completion_tokens, usage->completion);
    add_tokens(&ask->reasoning_tokens, usage->reasoning);
    ask->model_ms += turn_end->ms;
    ask->all_cached &= turn_end->from_cache;
    learned->downgrades = ask->endpoint->downgrades;
    if (turn_end->reply->model[0])
        memcpy(ask->reported_model, turn_end->reply->model,
               sizeof(ask->reported_model));
    if (!ask->endpoint->api->is_local)
        calibrate(ask, turn_end);
    if (turn_end->plan) {
        json_decref(ask->plan);
        ask->plan = json_incref((json_t *)turn_end->plan);
    }
}

/* The context was too small: with what the server said of it, or half of what we sent.
 */
static bool
shrink(struct bridge_ask *ask, const struct failure *failure)
{
    struct learned *learned = shared_learned(ask->bridge, ask->endpoint);
    long said = failure->context_tokens;

    if (failure->kind != FAIL_CONTEXT || ask->shrunk >= 2)
        return false;
    ask->shrunk++;
    if (said <= 0 || said == ask->endpoint->context_tokens)
        said = ask->info.tokens / 2 + endpoint_answer_tokens(ask->endpoint);
    learned->context_tokens = said;
    ask->endpoint->context_tokens = said;
    return true;
}

struct asking_next
asking_fail_turn(struct bridge_ask *ask, const struct failure *failure)
{
    bool is_refusal = failure->kind == FAIL_REFUSED || failure->kind == FAIL_FILTERED;
    AUTO(mem) char *remedy = NULL;

    if (shrink(ask, failure))
        return (struct asking_next){.move = MOVE_ASK};
    if (failure->kind == FAIL_AUTH && ask->endpoint->key_name)
        remedy = xasprintf("check the key in %s", ask->endpoint->key_name);
    char *message = failure_sentence(failure, ask->title, remedy);
    return (struct asking_next){MOVE_END, is_refusal ? BRIDGE_REFUSED : BRIDGE_FAILED,
                                failure_name(failure->kind), message};
}
