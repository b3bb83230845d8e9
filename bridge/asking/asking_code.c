#include "bridge/asking/asking.h"
#include "bridge/asking/check.h"
#include "bridge/asking/extract.h"

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
                  asking_tokens(usage->prompt, usage->completion, usage->reasoning),
                  "ms", (json_int_t)turn_end->ms, "cached", turn_end->from_cache,
                  "network_retries", turn_end->retries);
    return attempt;
}

static void
keep_reply(struct bridge_ask *ask, const struct turn_end *turn_end)
{
    if (turn_end->from_cache || ask->endpoint->api->is_local ||
        ask->kept_count == COUNT_OF(ask->kept))
        return;
    struct kept *kept = &ask->kept[ask->kept_count++];
    memcpy(kept->key, turn_end->cache_key, sizeof(kept->key));
    kept->reply = *turn_end->reply; /* its text is ours now */
    reply_init(turn_end->reply);
}

static void
set_code(struct bridge_ask *ask, const char *code)
{
    struct attempt *attempt = asking_current(ask);

    free(attempt->code);
    free(attempt->normal);
    attempt->code = xstrdup(code);
    attempt->normal = extract_normalize(code);
    json_object_set_new(attempt->record, "code", json_string(code));
}

static struct asking_next
no_code(struct bridge_ask *ask)
{
    const struct report_spec spec = asking_report_spec(ask);
    char *report = report_no_code(&spec);

    asking_record(ask, "no_code");
    if (ask->attempt_count > 1 && !ask->attempts[ask->attempt_count - 2].code) {
        free(report); /* asked for once more already */
        return asking_give_up(ask, "no_code", "wrote no code, twice");
    }
    return asking_correct(ask, &report, "no_code", "it wrote no code");
}

static struct asking_next
refuse(struct bridge_ask *ask, const char *reason)
{
    char *message = xasprintf("%s cannot %s this: %s", ask->title,
                              ask->magic.fix ? "repair" : "answer", reason);

    asking_record(ask, "refused");
    return (struct asking_next){MOVE_END, BRIDGE_REFUSED, failure_name(FAIL_REFUSED),
                                message};
}

/* The planner repairs one thing at a time: what it says adds up. */
static void
say(struct bridge_ask *ask, const char *text)
{
    AUTO(mem) char *before = TAKE(ask->said);
    bool goes_on = asking_is_local_repair(ask) && before && *before;

    ask->said = goes_on ? xasprintf("%s\n%s", before, text) : xstrdup(text);
}

/* The planner does not know better when its repair is rejected. */
static struct asking_next
reject_repair(struct bridge_ask *ask, const json_t *problems)
{
    const char *why =
        json_string_value(json_object_get(json_array_get(problems, 0), "message"));

    say(ask, why ? why : "the repaired cell did not pass the check");
    return refuse(ask, why ? why : "its repair did not pass the check");
}

struct asking_next
asking_take_answer(struct bridge_ask *ask, const struct turn_end *turn_end)
{
    AUTO(extract) struct extract extract;
    const bool goes_on = ask->endpoint->api->continues_text;
    struct slice text = buffer_slice(&turn_end->reply->text);
    AUTO(mem) char *comment = NULL;

    add_attempt(ask, turn_end);
    if (goes_on && ask->attempt_count > 1) { /* the prompt ended inside a comment */
        comment = xasprintf("#%.*s", (int)text.len, text.data);
        text = slice_of(comment);
    }
    extract_code(&extract, text, goes_on);
    keep_reply(ask, turn_end);
    say(ask, extract.is_bare ? "" : extract.said);
    if (extract.kind == EXTRACT_REFUSAL)
        return refuse(ask, extract.said);
    if (extract.kind != EXTRACT_CODE)
        return no_code(ask);
    set_code(ask, extract.code);
    if (goes_on) { /* the next prompt shows the code, not what came after it */
        free(asking_current(ask)->answer);
        asking_current(ask)->answer = xstrdup(extract.code);
    }
    /* Code whose chart was found poor works: the model stands by it. */
    if (!ask->poor_charts && is_repeated(ask, asking_current(ask)->normal)) {
        asking_record(ask, "same_code");
        return asking_give_up(ask, "same_code", "wrote the same failing code again");
    }
    json_object_set_new(asking_current(ask)->record, "bare",
                        json_boolean(extract.is_bare));
    return (struct asking_next){.move = MOVE_CHECK};
}

char *
asking_check_content(struct bridge_ask *ask)
{
    return check_request(asking_current(ask)->code, ask->profile, ask->magic.fix,
                         ask->endpoint->api->continues_text);
}

struct asking_next
asking_take_check(struct bridge_ask *ask, struct slice content)
{
    AUTO(check) struct check_verdict verdict;
    const json_t *bare = json_object_get(asking_current(ask)->record, "bare");

    check_read(&verdict, content, asking_current(ask)->code);
    if (verdict.is_ok) {
        set_code(ask, verdict.code);
        return (struct asking_next){.move = MOVE_RUN};
    }
    if (json_is_true(bare) && check_has(&verdict, "syntax")) {
        free(ask->said); /* it was prose */
        ask->said = TAKE(asking_current(ask)->code);
        json_object_del(asking_current(ask)->record, "code");
        return no_code(ask);
    }
    if (asking_is_local_repair(ask))
        return reject_repair(ask, verdict.problems);
    const struct report_spec spec = asking_report_spec(ask);
    char *report = report_problems(&spec, verdict.problems);
    asking_record(ask, "rejected");
    json_object_set(asking_current(ask)->record, "problems", verdict.problems);
    return asking_correct(ask, &report, "rejected", "its code did not pass the check");
}
