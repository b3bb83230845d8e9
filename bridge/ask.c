#include "bridge/bridge.h"

#include <assert.h>

#include "bridge/check.h"
#include "bridge/extract.h"
#include "bridge/prompt.h"
#include "bridge/report.h"
#include "bridge/shared.h"
#include "bridge/turn.h"
#include "common/limits.h"

/* state, and the states it may be entered from */
#define ASK_STATES(X)                                                 \
    X(STARTING, 0)                                                    \
    X(ASKING, IN(STARTING) | IN(ASKING) | IN(CHECKING) | IN(RUNNING)) \
    X(CHECKING, IN(ASKING))                                           \
    X(RUNNING, IN(ASKING) | IN(CHECKING))                             \
    X(ENDING, IN(STARTING) | IN(ASKING) | IN(CHECKING) | IN(RUNNING))

enum ask_state {
#define X(name, from) ASK_##name,
    ASK_STATES(X)
#undef X
};

enum {
    ATTEMPTS_MAX = 11,
    TRUNCATED_PERCENT =
        50, /* fewer tokens counted than estimated: the prompt was cut */
};

/* One piece of code, or what should have been one. */
struct attempt {
    char *code, *normal, *report, *answer;
    char *failed_line; /* exception and line: twice the same ends it */
    json_t *record;    /* for the metadata */
};

/* An answer that goes into the cache if all ends well. */
struct kept {
    char key[CACHE_KEY_SIZE];
    struct reply reply;
};

struct bridge_ask {
    struct bridge *bridge;
    struct bridge_ask *next;
    struct bridge_events events;
    enum ask_state state;

    /* the question */
    struct magic magic; /* its strings are ours */
    json_t *profile, *earlier, *names;
    int level, attempts_max;
    bool uses_cache;
    int64_t question_ms;

    /* the answer so far */
    struct config *config;
    struct endpoint *endpoint;
    char *title;
    struct conversation conversation;
    struct prompt_info info;
    struct turn *turn;
    struct attempt attempts[ATTEMPTS_MAX];
    size_t attempt_count;
    struct kept kept[ATTEMPTS_MAX + 2];
    size_t kept_count;
    long prompt_tokens, completion_tokens, reasoning_tokens;
    int64_t model_ms, started_ms;
    int died, silent, shrunk;
    bool is_late, all_cached;
    char *said;
    json_t *plan;
    const char *warning;
    char reported_model[128];

    /* the end */
    struct alarm step, limit;
    enum bridge_status status;
    const char *failure;
    char *message;
};

static void
enter(struct bridge_ask *ask, enum ask_state state)
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

static struct attempt *
current(struct bridge_ask *ask)
{
    return &ask->attempts[ask->attempt_count - 1];
}

static const char *
current_code(const struct bridge_ask *ask)
{
    for (size_t i = ask->attempt_count; i > 0; i--)
        if (ask->attempts[i - 1].code)
            return ask->attempts[i - 1].code;
    return NULL;
}

/* --- telling --- */

/* The number of the attempt that is being made. */
static int
attempt_number(const struct bridge_ask *ask)
{
    size_t made = ask->attempt_count;

    return (int)(ask->state == ASK_ASKING ? made + 1 : made);
}

static void
tell(struct bridge_ask *ask, enum bridge_stage stage, const char *text)
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

static json_t *
tokens_json(long prompt, long completion, long reasoning)
{
    json_t *out = json_object();

    if (prompt >= 0)
        json_object_set_new(out, "prompt", json_integer(prompt));
    if (completion >= 0)
        json_object_set_new(out, "completion", json_integer(completion));
    if (reasoning > 0)
        json_object_set_new(out, "reasoning", json_integer(reasoning));
    return out;
}

static void
add_provider(const struct bridge_ask *ask, json_t *out)
{
    if (!ask->endpoint)
        return;
    json_object_set_new(out, "provider", json_string(ask->endpoint->provider));
    json_object_set_new(out, "api", json_string(ask->endpoint->wire->api));
    json_object_set_new(out, "model", json_string(ask->endpoint->model));
    if (ask->reported_model[0])
        json_object_set_new(out, "reported_model", json_string(ask->reported_model));
}

static json_t *
metadata(const struct bridge_ask *ask)
{
    json_t *attempts = json_array();
    json_t *out = json_pack("{s:s, s:i, s:o}", "question", ask->magic.question, "level",
                            ask->level, "attempts", attempts);

    for (size_t i = 0; i < ask->attempt_count; i++)
        json_array_append(attempts, ask->attempts[i].record);
    add_provider(ask, out);
    json_object_set_new(
        out, "tokens",
        tokens_json(ask->prompt_tokens, ask->completion_tokens, ask->reasoning_tokens));
    json_object_set_new(out, "model_ms", json_integer(ask->model_ms));
    json_object_set_new(
        out, "ms", json_integer(alarms_now_ms(ask->bridge->alarms) - ask->started_ms));
    json_object_set_new(out, "cached",
                        json_boolean(ask->all_cached && ask->attempt_count));
    if (ask->info.left_out)
        json_object_set_new(out, "left_out", json_string(ask->info.left_out));
    if (ask->warning)
        json_object_set_new(out, "warning", json_string(ask->warning));
    if (ask->plan)
        json_object_set(out, "plan", ask->plan);
    if (ask->failure && *ask->failure)
        json_object_set_new(out, "failure", json_string(ask->failure));
    return out;
}

static void
ask_free(struct bridge_ask *ask)
{
    struct bridge_ask **link = &ask->bridge->asks;

    while (*link != ask)
        link = &(*link)->next;
    *link = ask->next;
    alarm_clear(&ask->step);
    alarm_clear(&ask->limit);
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
    json_auto_t *facts = metadata(ask);
    const struct bridge_answer answer = {
        .status = ask->status,
        .message = ask->message ? ask->message : "",
        .failure = ask->failure ? ask->failure : "",
        .code = current_code(ask),
        .said = ask->said ? ask->said : "",
        .metadata = facts,
    };

    ask->events.finished(&answer, ask->events.arg);
    ask_free(ask);
}

/* Takes *message; `finished` comes from the loop. */
static void
end(struct bridge_ask *ask, enum bridge_status status, const char *failure,
    char **message)
{
    enter(ask, ASK_ENDING);
    ask->status = status;
    ask->failure = failure;
    ask->message = message ? TAKE(*message) : NULL;
    alarm_clear(&ask->limit);
    alarm_set(ask->bridge->alarms, &ask->step, ALARM_SOON, 0, finish, ask);
}

static void
end_with_error(struct bridge_ask *ask, const struct error *err)
{
    char *message = xstrdup(err->text);

    end(ask, BRIDGE_FAILED, failure_name(FAIL_CONFIG), &message);
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

/* --- asking the model --- */

static void on_news(const struct turn_news *news, void *arg);
static void on_turn_end(const struct turn_end *turn_end, void *arg);

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
        .question = ask->magic.question,
        .profile = ask->profile,
        .earlier = ask->earlier,
        .attempts = attempts,
        .attempt_count = count,
        .level = ask->level,
        .goes_on = ask->endpoint->wire->continues_text,
        .explain = ask->magic.explain,
        .budget_tokens = shared_budget(ask->endpoint),
        .tokens_per_byte_factor = shared_learned(ask->bridge, ask->endpoint)->factor,
    };
    conversation_release(&ask->conversation);
    return prompt_build(&spec, &ask->conversation, &ask->info, err);
}

static const char *
language_of(const struct bridge_ask *ask)
{
    return ask->magic.language ? ask->magic.language : config_language(ask->config);
}

static void
start_turn(struct bridge_ask *ask)
{
    const struct turn_spec spec = {
        .pool = ask->bridge->pool,
        .alarms = ask->bridge->alarms,
        .token = ask->bridge->token,
        .endpoint = ask->endpoint,
        .conversation = &ask->conversation,
        .use_cache = ask->uses_cache,
        .local = ask->bridge->planner,
        .local_request = {ask->magic.question, ask->profile, ask->earlier,
                          language_of(ask)},
        .on_news = on_news,
        .on_end = on_turn_end,
        .arg = ask,
    };
    struct error err;

    enter(ask, ASK_ASKING);
    if (!ask->endpoint->wire->is_local && build_prompt(ask, &err) < 0) {
        char *message = xasprintf("%s: %s.", ask->title, err.text);
        end(ask, BRIDGE_FAILED, failure_name(FAIL_CONTEXT), &message);
        return;
    }
    ask->turn = turn_start(&spec);
}

static void
on_news(const struct turn_news *news, void *arg)
{
    struct bridge_ask *ask = arg;
    AUTO(mem) char *text = NULL;

    switch (news->what) {
    case TURN_SENT:
        text = xasprintf("Asking %s …", ask->title);
        tell(ask, BRIDGE_ASKING, text);
        return;
    case TURN_WRITING:
        text = news->bytes ? xasprintf("%s writes … %zu bytes", ask->title, news->bytes)
                           : xasprintf("%s thinks …", ask->title);
        tell(ask, BRIDGE_ASKING, text);
        return;
    case TURN_WAITING: {
        AUTO(mem) char *why = failure_sentence(news->failure, ask->title, "");
        why[strcspn(why, "\n")] = '\0';
        size_t len = strlen(why);
        while (len && strchr(" .:", why[len - 1]))
            len--;
        text = xasprintf("%.*s; asking again in %.1f s", (int)len, why,
                         (double)news->wait_ms / 1000);
        tell(ask, BRIDGE_WAITING, text);
        return;
    }
    }
}

/* --- a turn has ended --- */

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
        ask->warning =
            "the server counted far fewer tokens than were sent: it may have "
            "cut the question off; raise its context size";
    else
        learned->factor = 0.5 * learned->factor + 0.5 * (double)counted / (double)plain;
}

static void
note_turn(struct bridge_ask *ask, const struct turn_end *turn_end)
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
    if (!ask->endpoint->wire->is_local)
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

static void
fail_turn(struct bridge_ask *ask, const struct failure *failure)
{
    bool is_refusal = failure->kind == FAIL_REFUSED || failure->kind == FAIL_FILTERED;
    AUTO(mem) char *remedy = NULL;

    if (shrink(ask, failure)) {
        start_turn(ask);
        return;
    }
    if (failure->kind == FAIL_AUTH && ask->endpoint->key_name)
        remedy = xasprintf("check the key in %s", ask->endpoint->key_name);
    char *message = failure_sentence(failure, ask->title, remedy);
    end(ask, is_refusal ? BRIDGE_REFUSED : BRIDGE_FAILED, failure_name(failure->kind),
        &message);
}

static void take_answer(struct bridge_ask *ask, const struct turn_end *turn_end);

static void
on_turn_end(const struct turn_end *turn_end, void *arg)
{
    struct bridge_ask *ask = arg;

    ask->turn = NULL;
    note_turn(ask, turn_end);
    if (turn_end->failure)
        fail_turn(ask, turn_end->failure);
    else
        take_answer(ask, turn_end);
}

/* --- attempts --- */

static void
record(struct bridge_ask *ask, const char *outcome)
{
    json_object_set_new(current(ask)->record, "outcome", json_string(outcome));
}

static struct report_spec
report_spec(struct bridge_ask *ask)
{
    return (struct report_spec){
        .code = current(ask)->code ? current(ask)->code : "",
        .names = ask->names,
        .level = ask->level,
        .attempt = (int)ask->attempt_count,
        .attempts_max = ask->attempts_max,
    };
}

static void
correct_now(void *arg)
{
    start_turn(arg);
}

/* Takes *report. The model gets it, if there may be another attempt; else it is over,
 * with the sentence. */
static void
correct(struct bridge_ask *ask, char **report, const char *failure,
        const char *sentence)
{
    current(ask)->report = TAKE(*report);
    if ((int)ask->attempt_count < ask->attempts_max && !ask->is_late) {
        alarm_set(ask->bridge->alarms, &ask->step, ALARM_SOON, 0, correct_now, ask);
        return;
    }
    char *message = ask->attempt_count == 1
                        ? xasprintf("%s: %s.", ask->title, sentence)
                        : xasprintf("%s: %s, after %zu corrections.", ask->title,
                                    sentence, ask->attempt_count - 1);
    end(ask, BRIDGE_FAILED, failure, &message);
}

static void
give_up(struct bridge_ask *ask, const char *failure, const char *sentence)
{
    char *message = xasprintf("%s %s.", ask->title, sentence);

    end(ask, BRIDGE_FAILED, failure, &message);
}

static bool
is_repeated(const struct bridge_ask *ask, const char *normal)
{
    for (size_t i = 0; i + 1 < ask->attempt_count; i++)
        if (ask->attempts[i].normal && strcmp(ask->attempts[i].normal, normal) == 0)
            return true;
    return false;
}

static struct attempt *
add_attempt(struct bridge_ask *ask, const struct turn_end *turn_end)
{
    struct attempt *attempt = &ask->attempts[ask->attempt_count++];
    const struct usage *usage = &turn_end->reply->usage;

    attempt->answer = xstrdup(turn_end->reply->text.data);
    attempt->record =
        json_pack("{s:s, s:o, s:I, s:b, s:i}", "outcome", "unused", "tokens",
                  tokens_json(usage->prompt, usage->completion, usage->reasoning), "ms",
                  (json_int_t)turn_end->ms, "cached", turn_end->from_cache,
                  "network_retries", turn_end->retries);
    return attempt;
}

static void
keep_reply(struct bridge_ask *ask, const struct turn_end *turn_end)
{
    if (turn_end->from_cache || ask->endpoint->wire->is_local ||
        ask->kept_count == COUNT_OF(ask->kept))
        return;
    struct kept *kept = &ask->kept[ask->kept_count++];
    memcpy(kept->key, turn_end->cache_key, sizeof(kept->key));
    kept->reply = *turn_end->reply; /* its text is ours now */
    reply_init(turn_end->reply);
}

static void run_code(struct bridge_ask *ask);

static void
check_code(struct bridge_ask *ask)
{
    const bool goes_on = ask->endpoint->wire->continues_text;

    if (!ask->events.check) {
        run_code(ask);
        return;
    }
    char *content = check_request(current(ask)->code, ask->profile, goes_on);
    enter(ask, ASK_CHECKING);
    tell(ask, BRIDGE_CHECKING, "Checking the code …");
    ask->events.check(content ? content : "{}", ask->events.arg);
    free(content);
}

static void
set_code(struct bridge_ask *ask, const char *code)
{
    struct attempt *attempt = current(ask);

    free(attempt->code);
    free(attempt->normal);
    attempt->code = xstrdup(code);
    attempt->normal = extract_normalize(code);
    json_object_set_new(attempt->record, "code", json_string(code));
}

static void
no_code(struct bridge_ask *ask)
{
    const struct report_spec spec = report_spec(ask);
    char *report = report_no_code(&spec);

    record(ask, "no_code");
    if (ask->attempt_count > 1 && !ask->attempts[ask->attempt_count - 2].code) {
        free(report); /* asked for once more already */
        give_up(ask, "no_code", "wrote no code, twice");
        return;
    }
    correct(ask, &report, "no_code", "it wrote no code");
}

static void
refuse(struct bridge_ask *ask, const char *reason)
{
    char *message = xasprintf("%s cannot answer this: %s", ask->title, reason);

    record(ask, "refused");
    end(ask, BRIDGE_REFUSED, failure_name(FAIL_REFUSED), &message);
}

static void
take_answer(struct bridge_ask *ask, const struct turn_end *turn_end)
{
    AUTO(extract) struct extract extract;
    const bool goes_on = ask->endpoint->wire->continues_text;
    struct slice text = buffer_slice(&turn_end->reply->text);
    AUTO(mem) char *comment = NULL;

    add_attempt(ask, turn_end);
    if (goes_on && ask->attempt_count > 1) { /* the prompt ended inside a comment */
        comment = xasprintf("#%.*s", (int)text.len, text.data);
        text = slice_of(comment);
    }
    extract_code(&extract, text, goes_on);
    keep_reply(ask, turn_end);
    free(ask->said);
    ask->said = xstrdup(extract.is_bare ? "" : extract.said);
    if (extract.kind == EXTRACT_REFUSAL) {
        refuse(ask, extract.said);
        return;
    }
    if (extract.kind != EXTRACT_CODE) {
        no_code(ask);
        return;
    }
    set_code(ask, extract.code);
    if (goes_on) { /* the next prompt shows the code, not what came after it */
        free(current(ask)->answer);
        current(ask)->answer = xstrdup(extract.code);
    }
    if (is_repeated(ask, current(ask)->normal)) {
        record(ask, "same_code");
        give_up(ask, "same_code", "wrote the same code again, which does not work");
        return;
    }
    json_object_set_new(current(ask)->record, "bare", json_boolean(extract.is_bare));
    check_code(ask);
}

/* --- the check --- */

void
bridge_ask_checked(struct bridge_ask *ask, struct slice content)
{
    AUTO(check) struct check_verdict verdict;
    const json_t *bare = json_object_get(current(ask)->record, "bare");

    assert(ask->state == ASK_CHECKING);
    check_read(&verdict, content, current(ask)->code);
    if (verdict.is_ok) {
        set_code(ask, verdict.code);
        run_code(ask);
        return;
    }
    if (json_is_true(bare) && check_has(&verdict, "syntax")) {
        free(ask->said); /* it was prose */
        ask->said = TAKE(current(ask)->code);
        json_object_del(current(ask)->record, "code");
        no_code(ask);
        return;
    }
    const struct report_spec spec = report_spec(ask);
    char *report = report_problems(&spec, verdict.problems);
    record(ask, "rejected");
    json_object_set(current(ask)->record, "problems", verdict.problems);
    correct(ask, &report, "rejected", "its code was not fit to run");
}

/* --- the run --- */

static void
run_code_now(void *arg)
{
    struct bridge_ask *ask = arg;
    const struct bridge_run run = {
        .code = current(ask)->code,
        .attempt = (int)ask->attempt_count,
        .attempts = ask->attempts_max,
    };
    AUTO(mem)
    char *text = ask->attempt_count > 1
                     ? xasprintf("Running the correction (%zu of %d) …",
                                 ask->attempt_count - 1, ask->attempts_max - 1)
                     : xstrdup("Running the code …");

    enter(ask, ASK_RUNNING);
    tell(ask, BRIDGE_RUNNING, text);
    ask->events.run(&run, ask->events.arg);
}

static void
run_code(struct bridge_ask *ask)
{
    if (ask->magic.no_run || ask->magic.code_only) {
        record(ask, "not_run");
        end(ask, BRIDGE_CODE, "", NULL);
        return;
    }
    alarm_set(ask->bridge->alarms, &ask->step, ALARM_SOON, 0, run_code_now, ask);
}

static bool
ran_well(struct bridge_ask *ask, const struct bridge_ran *ran)
{
    const struct report_spec spec = report_spec(ask);

    if (!ran->showed && ask->silent++ == 0 &&
        (int)ask->attempt_count < ask->attempts_max) {
        char *report = report_silence(&spec);
        record(ask, "silent");
        correct(ask, &report, "silent", "its code shows nothing");
        return false;
    }
    record(ask, "ok");
    end(ask, BRIDGE_ANSWERED, "", NULL);
    return true;
}

static bool
failed_before(const struct bridge_ask *ask, const char *failed_line)
{
    for (size_t i = 0; i + 1 < ask->attempt_count; i++)
        if (ask->attempts[i].failed_line &&
            strcmp(ask->attempts[i].failed_line, failed_line) == 0)
            return true;
    return false;
}

static char *
failed_line(const struct bridge_ask *ask, const struct bridge_ran *ran, int line)
{
    struct slice text = report_code_line(current_code(ask), line);
    AUTO(mem) char *copy = xstrndup(text.data, text.len);
    AUTO(mem) char *normal = extract_normalize(copy);

    /* Without a line the message must tell two errors of a kind apart. */
    return xasprintf("%s\n%s", ran->ename, line ? normal : ran->evalue);
}

static void
record_error(struct bridge_ask *ask, const struct bridge_ran *ran, int line)
{
    json_t *out = current(ask)->record;

    record(ask, ran->death ? "died" : "error");
    if (ran->death)
        json_object_set_new(out, "death", json_string(ran->death));
    if (ran->ename)
        json_object_set_new(out, "ename", json_string(ran->ename));
    if (ran->evalue)
        json_object_set_new(out, "evalue", json_string(ran->evalue));
    if (line)
        json_object_set_new(out, "line", json_integer(line));
}

bool
bridge_ask_ran(struct bridge_ask *ask, const struct bridge_ran *ran)
{
    assert(ask->state == ASK_RUNNING);
    if (!ran->ename && !ran->death)
        return ran_well(ask, ran);

    const struct report_spec spec = report_spec(ask);
    const struct report_run run = {
        .ename = ran->ename,
        .evalue = ran->evalue,
        .traceback = ran->traceback,
        .printed = ran->printed,
        .death = ran->death,
    };
    int line = report_line(ran->traceback, current(ask)->code);
    record_error(ask, ran, line);
    if (ran->death && ask->died++ > 0) {
        give_up(ask, "died", "wrote code that ends its Python process, twice");
        return false;
    }
    if (!ran->death) {
        current(ask)->failed_line = failed_line(ask, ran, line);
        if (failed_before(ask, current(ask)->failed_line)) {
            give_up(ask, "same_error", "ran into the same error again");
            return false;
        }
    }
    char *report = report_error(&spec, &run);
    AUTO(mem)
    char *sentence = xasprintf("its code %s%s",
                               ran->death ? "ended its Python process" : "fails with ",
                               ran->death ? "" : ran->ename);
    correct(ask, &report, ran->death ? "died" : "code_error", sentence);
    return false;
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
    fail_turn(ask, &failure);
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
    alarm_set(ask->bridge->alarms, &ask->limit, ALARM_DEADLINE, ask->question_ms,
              on_limit, ask);
    start_turn(ask);
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
    alarm_set(bridge->alarms, &ask->step, ALARM_SOON, 0, start, ask);
    return ask;
}
