#include "bridge/asking/asking.h"

#include <assert.h>

/* --- the end --- */

static void
unlink_ask(struct bridge_ask *ask)
{
    struct bridge_ask **link = &ask->bridge->asks;

    while (*link != ask)
        link = &(*link)->next;
    *link = ask->next;
}

static void
store_answers(struct bridge_ask *ask)
{
    struct error err; /* a cache that cannot be written only costs time */

    for (size_t i = 0; ask->uses_cache && i < ask->kept_count; i++)
        if (cache_store(ask->kept[i].key, &ask->kept[i].reply, &err) < 0)
            ask->warning = "the answer could not be saved in the cache";
}

static void
finish(void *context)
{
    struct bridge_ask *ask = context;

    if (ask->status == BRIDGE_ANSWERED)
        store_answers(ask);
    json_auto_t *facts = asking_metadata(ask);
    AUTO(mem) char *diff = asking_diff(ask);
    const struct bridge_answer answer = {
        .status = ask->status,
        .message = ask->message ? ask->message : "",
        .failure = ask->failure ? ask->failure : "",
        .code = asking_last_code(ask),
        .diff = diff,
        .said = ask->said ? ask->said : "",
        .metadata = facts,
    };

    ask->events.finished(&answer, ask->events.context);
    unlink_ask(ask);
    asking_free(ask);
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

/* --- from step to step --- */

static void proceed(struct bridge_ask *ask, struct asking_next next);
static void on_turn_end(const struct turn_end *turn_end, void *context);

static void
ask_model(void *context)
{
    struct bridge_ask *ask = context;
    struct asking_next next;

    asking_enter(ask, ASK_ASKING);
    ask->turn = asking_start_turn(ask, on_turn_end, &next);
    if (!ask->turn)
        proceed(ask, next);
}

static void
run_code(void *context)
{
    struct bridge_ask *ask = context;
    const struct bridge_run run = {
        .code = asking_current(ask)->code,
        .is_models = !ask->endpoint->api->is_local,
        .is_repair = ask->magic.fix,
        .attempt = (int)ask->attempt_count,
        .attempts = ask->attempts_max,
    };
    AUTO(mem) char *text =
        ask->attempt_count > 1
            ? xasprintf("Running the correction (%zu of %d) …", ask->attempt_count - 1,
                        ask->attempts_max - 1)
            : xstrdup("Running the code …");

    asking_enter(ask, ASK_RUNNING);
    asking_tell(ask, BRIDGE_RUNNING, text);
    ask->events.run(&run, ask->events.context);
}

static void
check_code(struct bridge_ask *ask)
{
    AUTO(mem) char *content = asking_check_content(ask);

    asking_enter(ask, ASK_CHECKING);
    asking_tell(ask, BRIDGE_CHECKING, "Checking the code …");
    ask->events.check(content ? content : "{}", ask->events.context);
}

static void
end(struct bridge_ask *ask, const struct asking_next *next)
{
    asking_enter(ask, ASK_ENDING);
    ask->status = next->status;
    ask->failure = next->failure;
    ask->message = next->message;
    alarms_clear(&ask->limit);
    alarms_set(ask->bridge->alarms, &ask->step, ALARM_SOON, 0, finish, ask);
}

static void
run_or_end(struct bridge_ask *ask)
{
    if (ask->magic.no_run || ask->magic.code_only) {
        asking_record(ask, "not_run");
        end(ask, &(struct asking_next){MOVE_END, BRIDGE_CODE, "", NULL});
        return;
    }
    alarms_set(ask->bridge->alarms, &ask->step, ALARM_SOON, 0, run_code, ask);
}

/* Callers of the bridge are called back from the loop only: hence the alarms. */
static void
proceed(struct bridge_ask *ask, struct asking_next next)
{
    switch (next.move) {
    case MOVE_ASK:
        alarms_set(ask->bridge->alarms, &ask->step, ALARM_SOON, 0, ask_model, ask);
        return;
    case MOVE_CHECK:
        if (ask->events.check)
            check_code(ask);
        else
            run_or_end(ask);
        return;
    case MOVE_RUN:
        run_or_end(ask);
        return;
    case MOVE_END:
        end(ask, &next);
        return;
    }
}

static void
on_turn_end(const struct turn_end *turn_end, void *context)
{
    struct bridge_ask *ask = context;

    ask->turn = NULL;
    asking_note_turn(ask, turn_end);
    proceed(ask, turn_end->failure ? asking_fail_turn(ask, turn_end->failure)
                                   : asking_take_answer(ask, turn_end));
}

void
bridge_ask_checked(struct bridge_ask *ask, struct slice content)
{
    assert(ask->state == ASK_CHECKING);
    proceed(ask, asking_take_check(ask, content));
}

bool
bridge_ask_ran(struct bridge_ask *ask, const struct bridge_ran *ran)
{
    assert(ask->state == ASK_RUNNING);
    struct asking_next next = asking_take_run(ask, ran);

    proceed(ask, next);
    return next.move == MOVE_END && next.status == BRIDGE_ANSWERED;
}

/* --- the start --- */

/* Models' time is limited, the code's own is not: there is the interrupt. */
static void
on_limit(void *context)
{
    struct bridge_ask *ask = context;

    ask->is_late = true;
    if (ask->state != ASK_ASKING)
        return;
    turn_cancel(TAKE(ask->turn));
    struct failure failure = FAILURE_INIT;
    failure_set(&failure, FAIL_TIMEOUT, "the question took longer than %lld s",
                (long long)(ask->question_ms / 1000));
    proceed(ask, asking_fail_turn(ask, &failure));
}

static void
start(void *context)
{
    struct bridge_ask *ask = context;
    struct error err;

    ask->config = config_load(ask->bridge->config_path, &err);
    if (ask->config)
        ask->endpoint = shared_endpoint(ask->bridge, &ask->magic, ask->config, &err);
    if (!ask->endpoint || (ask->magic.fix && asking_begin_repair(ask, &err) < 0)) {
        end(ask, &(struct asking_next){MOVE_END, BRIDGE_FAILED,
                                       failure_name(FAIL_CONFIG), xstrdup(err.text)});
        return;
    }
    ask->title = endpoint_title(ask->endpoint);
    ask->level = shared_level(&ask->magic, ask->config);
    ask->names = prompt_names(ask->profile, ask->level);
    ask->asked = shared_question(
        &(struct bridge_question){.magic = &ask->magic, .profile = ask->profile},
        ask->level);
    int retries =
        ask->magic.retries >= 0 ? ask->magic.retries : config_retries(ask->config);
    ask->attempts_max = retries + 1;
    ask->uses_cache = !ask->magic.no_cache && config_uses_cache(ask->config);
    ask->question_ms = config_question_ms(ask->config);
    alarms_set(ask->bridge->alarms, &ask->limit, ALARM_DEADLINE, ask->question_ms,
               on_limit, ask);
    ask_model(ask);
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
