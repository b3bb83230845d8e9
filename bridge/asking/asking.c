#include "bridge/asking/asking.h"

#include <assert.h>

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

void
asking_free(struct bridge_ask *ask)
{
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
    json_decref(ask->failed);
    json_decref(ask->plan);
    free(ask->title);
    free(ask->asked);
    free(ask->said);
    free(ask->findings);
    free(ask->message);
    free(ask);
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
        ask->events.progress(&progress, ask->events.context);
}

struct attempt *
asking_current(struct bridge_ask *ask)
{
    return &ask->attempts[ask->attempt_count - 1];
}

const char *
asking_last_code(const struct bridge_ask *ask)
{
    for (size_t i = ask->attempt_count; i > 0; i--)
        if (ask->attempts[i - 1].code)
            return ask->attempts[i - 1].code;
    return NULL;
}

void
asking_record(struct bridge_ask *ask, const char *outcome)
{
    json_object_set_new(asking_current(ask)->record, "outcome", json_string(outcome));
}

struct report_spec
asking_report_spec(struct bridge_ask *ask)
{
    return (struct report_spec){
        .code = asking_current(ask)->code ? asking_current(ask)->code : "",
        .names = ask->names,
        .level = ask->level,
        .attempt = (int)ask->attempt_count,
        .attempts_max = ask->attempts_max,
    };
}

struct asking_next
asking_correct(struct bridge_ask *ask, char **report, const char *failure,
               const char *sentence)
{
    asking_current(ask)->report = TAKE(*report);
    if ((int)ask->attempt_count < ask->attempts_max && !ask->is_late)
        return (struct asking_next){.move = MOVE_ASK};
    char *message = ask->attempt_count == 1
                        ? xasprintf("%s: %s.", ask->title, sentence)
                        : xasprintf("%s: %s, after %zu corrections.", ask->title,
                                    sentence, ask->attempt_count - 1);
    return (struct asking_next){MOVE_END, BRIDGE_FAILED, failure, message};
}

struct asking_next
asking_give_up(const struct bridge_ask *ask, const char *failure, const char *sentence)
{
    return (struct asking_next){MOVE_END, BRIDGE_FAILED, failure,
                                xasprintf("%s %s.", ask->title, sentence)};
}
