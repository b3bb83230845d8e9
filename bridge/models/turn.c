#include "bridge/models/turn.h"

#include "bridge/models/stream.h"

enum {
    NEWS_EVERY_MS = 100
};

struct turn {
    struct turn_spec spec;
    struct exchange *exchange;
    struct alarm next, news, limit;
    struct stream stream;
    char key[CACHE_KEY_SIZE];
    int64_t started_ms;
    unsigned retries;
    bool was_restarted, was_lengthened, was_renewed, waits_for_token, from_cache;
    struct secret *token;
    struct failure failure;
    json_t *plan;
};

static void send_request(void *context);

static void
turn_free(struct turn *turn)
{
    alarms_clear(&turn->next);
    alarms_clear(&turn->news);
    alarms_clear(&turn->limit);
    stream_release(&turn->stream);
    secret_free(turn->token);
    json_decref(turn->plan);
    free(turn);
}

/* Closes what is open; the turn can go on or be freed. */
static void
stop_talking(struct turn *turn)
{
    exchange_cancel(TAKE(turn->exchange));
    if (turn->waits_for_token)
        token_cancel(turn->spec.token);
    turn->waits_for_token = false;
}

void
turn_cancel(struct turn *turn)
{
    if (!turn)
        return;
    stop_talking(turn);
    turn_free(turn);
}

static const struct secret *
secret_of(const struct turn *turn)
{
    return turn->token ? turn->token : turn->spec.endpoint->key;
}

static void
finish(struct turn *turn, const struct failure *failure)
{
    const struct turn_end end = {
        .failure = failure,
        .reply = &turn->stream.reply,
        .from_cache = turn->from_cache,
        .retries = turn->retries,
        .ms = alarms_now_ms(turn->spec.alarms) - turn->started_ms,
        .cache_key = turn->key,
        .plan = turn->plan,
    };
    const struct secret *secret = secret_of(turn);

    stop_talking(turn);
    struct reply *reply = &turn->stream.reply; /* a server may quote what it got */
    secret_erase(secret, reply->text.data, reply->text.len);
    secret_erase(secret, reply->model, strlen(reply->model));
    turn->spec.on_end(&end, turn->spec.context);
    turn_free(turn);
}

/* --- after a failure --- */

/* Which field the server complained about, if one that can be done without. */
static bool
downgrade(struct turn *turn, const struct failure *failure)
{
    static const struct {
        const char *word, *other;
    } rows[] = {
#define X(name, word, other) [DOWN_##name] = {word, other},
        DOWNGRADES(X)
#undef X
    };
    struct endpoint *endpoint = turn->spec.endpoint;

    if (failure->kind != FAIL_REQUEST)
        return false;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *word = rows[i].word, *other = rows[i].other;
        bool meant = strcmp(failure->param, word) == 0 ||
                     (other && strcmp(failure->param, other) == 0) ||
                     strcasestr(failure->text, word) ||
                     (other && strcasestr(failure->text, other));
        if (!meant || model_api_dropped(endpoint, (enum downgrade)i))
            continue;
        endpoint->downgrades |= 1u << i;
        return true;
    }
    return false;
}

/* Vertex: a token may have been taken back before its time. */
static bool
renew_token(struct turn *turn, const struct failure *failure)
{
    if (failure->kind != FAIL_AUTH || failure->status != 401 || !turn->token ||
        turn->was_renewed)
        return false;
    turn->was_renewed = true;
    secret_free(TAKE(turn->token));
    token_forget(turn->spec.token);
    return true;
}

/* Reasoning may have used up the room: four times as much, once. */
static bool
lengthen(struct turn *turn, const struct failure *failure)
{
    struct endpoint *endpoint = turn->spec.endpoint;
    long before = endpoint_answer_tokens(endpoint);

    if (failure->kind != FAIL_LENGTH || turn->was_lengthened)
        return false;
    turn->was_lengthened = true;
    endpoint->max_tokens *= 4;
    return endpoint_answer_tokens(endpoint) > before;
}

static void
again(struct turn *turn, int64_t wait_ms)
{
    alarms_set(turn->spec.alarms, &turn->next, wait_ms ? ALARM_WAIT : ALARM_SOON,
               wait_ms, send_request, turn);
}

static void
fail(struct turn *turn, const struct failure *cause)
{
    struct failure *failure = &turn->failure;
    const bool has_text = turn->stream.reply.text.len > 0;

    *failure = *cause;
    stop_talking(turn);
    alarms_clear(&turn->news);
    if (downgrade(turn, failure) || renew_token(turn, failure) ||
        lengthen(turn, failure)) {
        again(turn, 0);
        return;
    }
    const int64_t wait_ms =
        failure_retry_ms(failure, turn->retries, alarms_random(turn->spec.alarms));
    if (wait_ms < 0 || (has_text && turn->was_restarted)) {
        finish(turn, failure);
        return;
    }
    turn->was_restarted |= has_text;
    turn->retries++;
    const struct turn_news news = {
        .what = TURN_WAITING, .wait_ms = wait_ms, .failure = failure};
    again(turn, wait_ms);
    turn->spec.on_news(&news, turn->spec.context);
}

static void
fail_with(struct turn *turn, enum failure_kind kind, const char *text)
{
    struct failure failure = FAILURE_INIT;

    failure_set(&failure, kind, "%s", text);
    fail(turn, &failure);
}

/* --- the answer --- */

static void
on_done(const struct failure *failure, void *context)
{
    struct turn *turn = context;
    struct failure own = FAILURE_INIT;

    turn->exchange = NULL;
    if (failure && !stream_is_whole(&turn->stream) && !turn->stream.reply.has_failed) {
        fail(turn, failure);
    } else if (stream_end(&turn->stream, &own) == 0) {
        finish(turn, NULL);
    } else {
        secret_erase(secret_of(turn), own.text, strlen(own.text));
        fail(turn, &own);
    }
}

static void
tell_writing(void *context)
{
    struct turn *turn = context;
    const struct turn_news news = {
        .what = TURN_WRITING,
        .bytes = turn->stream.reply.text.len,
        .reasoning_bytes = turn->stream.reply.reasoning_bytes,
    };

    turn->spec.on_news(&news, turn->spec.context);
}

/* Called inside libcurl, so no callback of our own is called from here; see
 * tell_writing. */
static bool
on_bytes(struct slice bytes, void *context)
{
    struct turn *turn = context;
    const struct reply *reply = &turn->stream.reply;
    bool wants_more = stream_feed(&turn->stream, bytes);

    if (wants_more && !turn->news.is_set && reply->text.len + reply->reasoning_bytes)
        alarms_set(turn->spec.alarms, &turn->news, ALARM_SOON, NEWS_EVERY_MS,
                   tell_writing, turn);
    return wants_more;
}

/* --- asking --- */

static void
begin_reply(struct turn *turn)
{
    stream_release(&turn->stream);
    stream_init(&turn->stream, turn->spec.endpoint->api);
}

static char *
make_body(const struct endpoint *endpoint, const struct conversation *conversation)
{
    json_auto_t *body = endpoint->api->body(endpoint, conversation);
    char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;

    if (!text)
        abort(); /* prompts are UTF-8 by construction */
    return text;
}

static void
exchange(struct turn *turn, const char *url, const char *body)
{
    const struct endpoint *endpoint = turn->spec.endpoint;
    const struct turn_news news = {.what = TURN_SENT};
    const struct exchange_spec spec = {
        .pool = turn->spec.pool,
        .alarms = turn->spec.alarms,
        .url = url,
        .body = slice_of(body),
        .headers = {"Content-Type: application/json", "Accept: text/event-stream",
                    endpoint->api->header},
        .secret_prefix = endpoint->api->auth_prefix,
        .secret = secret_of(turn),
        .ca_file = endpoint->ca_file,
        .connect_ms = endpoint->connect_ms,
        .first_byte_ms = endpoint->first_byte_ms,
        .idle_ms = endpoint->idle_ms,
        .on_bytes = on_bytes,
        .on_done = on_done,
        .context = turn,
    };
    struct error err;

    turn->exchange = exchange_start(&spec, &err);
    if (!turn->exchange)
        fail_with(turn, FAIL_CONFIG, err.text);
    else
        turn->spec.on_news(&news, turn->spec.context);
}

static void
on_token(const struct secret *key, const struct failure *failure, void *context)
{
    struct turn *turn = context;
    struct error err;

    turn->waits_for_token = false;
    if (failure) {
        fail(turn, failure);
        return;
    }
    turn->token = secret_copy(key, &err);
    if (turn->token)
        send_request(turn);
    else
        fail_with(turn, FAIL_CONFIG, err.text);
}

/* Longer than any in the code: repaired cells are the user's. */
static char *
fence_for(const char *code)
{
    size_t longest = 2;

    while ((code = strchr(code, '`'))) {
        size_t length = strspn(code, "`");
        longest = length > longest ? length : longest;
        code += length;
    }
    char *fence = xcalloc(longest + 2, 1);
    return memset(fence, '`', longest + 1);
}

static char *
code_as_answer(const struct local_answer *answer)
{
    const char *said = answer->said ? answer->said : "";

    if (answer->code) {
        AUTO(mem) char *fence = fence_for(answer->code);
        return xasprintf("%s\n%spython\n%s\n%s\n", said, fence, answer->code, fence);
    }
    return xasprintf("CANNOT: %s", answer->refusal ? answer->refusal : "");
}

static void
answer_locally(struct turn *turn)
{
    struct local_answer answer = {0};
    struct error err;

    if (!turn->spec.local ||
        turn->spec.local(&turn->spec.local_request, &answer, &err) < 0) {
        fail_with(turn, FAIL_CONFIG,
                  turn->spec.local ? err.text
                                   : "the planner is not part of this program");
        return;
    }
    AUTO(mem) char *text = code_as_answer(&answer);
    json_auto_t *string = json_string(text);
    reply_add_text(&turn->stream.reply, string);
    turn->stream.reply.stop = STOP_END;
    turn->plan = answer.plan;
    reply_complete(&turn->stream.reply);
    free(answer.code);
    free(answer.said);
    free(answer.refusal);
    finish(turn, NULL);
}

static void
send_request(void *context)
{
    struct turn *turn = context;
    const struct endpoint *endpoint = turn->spec.endpoint;

    begin_reply(turn);
    if (endpoint->api->is_local) {
        answer_locally(turn);
        return;
    }
    AUTO(mem) char *url = endpoint->api->url(endpoint);
    AUTO(mem) char *body = make_body(endpoint, turn->spec.conversation);
    cache_key(turn->key, endpoint->api->name, url, slice_of(body));
    if (turn->spec.use_cache && cache_find(turn->key, &turn->stream.reply)) {
        turn->from_cache = true;
        finish(turn, NULL);
        return;
    }
    begin_reply(turn); /* nothing of a broken entry stays */
    if (endpoint->api->takes_token && !turn->token) {
        turn->waits_for_token = true;
        token_get(turn->spec.token, endpoint, on_token, turn);
    } else {
        exchange(turn, url, body);
    }
}

static void
on_limit(void *context)
{
    struct turn *turn = context;
    struct failure failure = FAILURE_INIT;

    failure_set(&failure, FAIL_TIMEOUT, "no complete answer within %lld s",
                (long long)(turn->spec.endpoint->turn_ms / 1000));
    finish(turn, &failure);
}

struct turn *
turn_start(const struct turn_spec *spec)
{
    struct turn *turn = xcalloc(1, sizeof(*turn));

    turn->spec = *spec;
    turn->started_ms = alarms_now_ms(spec->alarms);
    begin_reply(turn);
    alarms_set(spec->alarms, &turn->next, ALARM_SOON, 0, send_request, turn);
    alarms_set(spec->alarms, &turn->limit, ALARM_DEADLINE, spec->endpoint->turn_ms,
               on_limit, turn);
    return turn;
}

/* --- for people --- */

char *
turn_describe(const struct endpoint *endpoint, const struct conversation *conversation)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);
    const struct model_api *api = endpoint->api;

    if (api->is_local)
        return xstrdup("Nothing would be sent: the built-in planner answers.\n");
    AUTO(mem) char *url = api->url(endpoint);
    AUTO(mem) char *body = make_body(endpoint, conversation);
    buffer_printf(&out,
                  "POST %s\nContent-Type: application/json\n"
                  "Accept: text/event-stream\n",
                  url);
    if (api->header)
        buffer_printf(&out, "%s\n", api->header);
    if (endpoint->key || api->takes_token)
        buffer_printf(&out, "%s<%s>\n", api->auth_prefix,
                      endpoint->key ? endpoint->key_name : "access token");
    buffer_printf(&out, "\n%s\n", body);
    return TAKE(out.data);
}
