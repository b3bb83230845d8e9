#include <assert.h>

#include "bridge/asking/asking.h"

void
asking_enter(struct bridge_ask *ask, enum ask_state state)
{
#define IN(name) (1u << ASK_##name)
    static const unsigned from[] = {
#define X(name, from) [ASK_##name] = from,
        ASK_STATES(X)
#undef X
    };
#undef IN
    assert(from[state] >> ask->state & 1);
    ask->state = state;
}

/* The number of the attempt that is being made. */
static int
attempt_number(const struct bridge_ask *ask)
{
    size_t made = ask->attempt_count;

    return (int)(ask->state == ASK_ASKING ? made + 1 : made);
}

void
asking_tell(struct bridge_ask *ask, enum bridge_stage stage, const char *text)
{
    const struct bridge_progress progress = {
        .stage = stage,
        .attempt = attempt_number(ask),
        .attempts = ask->attempts_max,
        .text = text,
    };

    if (ask->events.progress)
        ask->events.progress(&progress, ask->events.arg);
}

/* --- the end --- */

static void
ask_free(struct bridge_ask *ask)
{
    struct bridge_ask **link = &ask->bridge->asks;

    while (*link != ask)
        link = &(*link)->next;
    *link = ask->next;
    alarms_clear(&ask->step);
    alarms_clear(&ask->limit);
    for (size_t i = 0; i < ask->attempt_count; i++) {
        struct attempt *attempt = &ask->attempts[i];
        free(attempt->code);
        free(attempt->normal);
        free(attempt->report);
        free(attempt->answer);
        free(attempt->failed_line);
        json_decref(attempt->record);
    }
    for (size_t i = 0; i < ask->kept_count; i++)
        reply_release(&ask->kept[i].reply);
    conversation_release(&ask->conversation);
    magic_release(&ask->magic);
    config_free(ask->config);
    endpoint_free(ask->endpoint);
    json_decref(ask->profile);
    json_decref(ask->earlier);
    json_decref(ask->names);
    json_decref(ask->plan);
    free(ask->title);
    free(ask->said);
    free(ask->message);
    free(ask);
}

static void
store_answers(struct bridge_ask *ask)
{
    struct error err; /* a cache that cannot be written only costs time */

    for (size_t i = 0; ask->uses_cache && i < ask->kept_count; i++)
        if (cache_store(ask->kept[i].key, &ask->kept[i].reply, &err) < 0)
            ask->warning = "the answer could not be kept in the cache";
}

static void
finish(void *arg)
{
    struct bridge_ask *ask = arg;

    if (ask->status == BRIDGE_ANSWERED)
        store_answers(ask);
    json_auto_t *facts = asking_metadata(ask);
    const struct bridge_answer answer = {
        .status = ask->status,
        .message = ask->message ? ask->message : "",
        .failure = ask->failure ? ask->failure : "",
        .code = asking_last_code(ask),
        .said = ask->said ? ask->said : "",
        .metadata = facts,
    };

    ask->events.finished(&answer, ask->events.arg);
    ask_free(ask);
}

void
asking_end(struct bridge_ask *ask, enum bridge_status status, const char *failure,
           char **message)
{
    asking_enter(ask, ASK_ENDING);
    ask->status = status;
    ask->failure = failure;
    ask->message = message ? TAKE(*message) : NULL;
    alarms_clear(&ask->limit);
    alarms_set(ask->bridge->alarms, &ask->step, ALARM_SOON, 0, finish, ask);
}

static void
end_with_error(struct bridge_ask *ask, const struct error *err)
{
    char *message = xstrdup(err->text);

    asking_end(ask, BRIDGE_FAILED, failure_name(FAIL_CONFIG), &message);
}

void
bridge_ask_cancel(struct bridge_ask *ask)
{
    turn_cancel(TAKE(ask->turn));
    free(TAKE(ask->message));
    ask->status = BRIDGE_CANCELLED;
    ask->failure = failure_name(FAIL_CANCELLED);
    ask->message = xstrdup("The question was interrupted.");
    finish(ask);
}

/* --- the start --- */

/* Models' time is limited, the code's own is not: there is the interrupt. */
static void
on_limit(void *arg)
{
    struct bridge_ask *ask = arg;

    ask->is_late = true;
    if (ask->state != ASK_ASKING)
        return;
    turn_cancel(TAKE(ask->turn));
    struct failure failure = FAILURE_INIT;
    failure_set(&failure, FAIL_TIMEOUT, "the whole question took over %lld s",
                (long long)(ask->question_ms / 1000));
    asking_fail_turn(ask, &failure);
}

static void
start(void *arg)
{
    struct bridge_ask *ask = arg;
    struct error err;

    ask->config = config_load(ask->bridge->config_path, &err);
    if (ask->config)
        ask->endpoint = shared_endpoint(ask->bridge, &ask->magic, ask->config, &err);
    if (!ask->endpoint) {
        end_with_error(ask, &err);
        return;
    }
    ask->title = endpoint_title(ask->endpoint);
    ask->level = shared_level(&ask->magic, ask->config);
    ask->names = prompt_names(ask->profile, ask->level);
    int retries =
        ask->magic.retries >= 0 ? ask->magic.retries : config_retries(ask->config);
    ask->attempts_max = retries + 1;
    ask->uses_cache = !ask->magic.no_cache && config_uses_cache(ask->config);
    ask->question_ms = config_question_ms(ask->config);
    alarms_set(ask->bridge->alarms, &ask->limit, ALARM_DEADLINE, ask->question_ms,
               on_limit, ask);
    asking_start_turn(ask);
}

static char *
copy_text(const char *text)
{
    return text ? xstrdup(text) : NULL;
}

struct bridge_ask *
bridge_ask(struct bridge *bridge, const struct bridge_question *question,
           const struct bridge_events *events)
{
    struct bridge_ask *ask = xcalloc(1, sizeof(*ask));

    *ask = (struct bridge_ask){
        .bridge = bridge,
        .next = bridge->asks,
        .events = *events,
        .magic = *question->magic,
        .profile = json_incref((json_t *)question->profile),
        .earlier = json_incref((json_t *)question->earlier),
        .prompt_tokens = -1,
        .completion_tokens = -1,
        .reasoning_tokens = -1,
        .started_ms = alarms_now_ms(bridge->alarms),
        .all_cached = true,
        .attempts_max = 1,
    };
    ask->magic.question = shared_clean_text(question->magic->question);
    ask->magic.model = copy_text(question->magic->model);
    ask->magic.provider = copy_text(question->magic->provider);
    ask->magic.language = copy_text(question->magic->language);
    bridge->asks = ask;
    alarms_set(bridge->alarms, &ask->step, ALARM_SOON, 0, start, ask);
    return ask;
}
