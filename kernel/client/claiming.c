#include "kernel/client/claiming_parts.h"

#include "common/json_text.h"
#include "common/limits.h"
#include "common/retry.h"
#include "kernel/jupyter/session.h"

#define LOG_COMPONENT "claiming"
#include "common/log.h"

#define PATIENCE_MS        10000 /* for somebody to listen */
#define PATIENCE_BUSY_MS   60000 /* for a sandboxd that listens but does not answer */
#define TOLD_AFTER_MS      4000  /* that nothing is heard of it */
#define LONGEST_TOKEN      512
#define LONGEST_SANDBOX_ID 128

void
claiming_stop(struct claiming *claiming)
{
    timer_cancel(&claiming->next_try);
    timer_cancel(&claiming->silence);
    claiming->is_silent = claiming->is_resuming = false;
    if (claiming->call)
        http_pool_cancel(TAKE(claiming->call));
    json_decref(TAKE(claiming->body));
}

#define AGAIN_REMEDY                                                              \
    "The session from before may still be there. Run the cell again to try once " \
    "more, "                                                                      \
    "or %fresh to give it up."

static void
fail(struct claiming *claiming, const char *message, const char *remedy)
{
    const struct sandbox_loss loss = {message,
                                      claiming->is_again ? AGAIN_REMEDY : remedy};

    claiming_stop(claiming);
    claiming->owner.on_failed(claiming->owner.context, &loss);
}

/* Copies: the call below replaces both. */
static bool
read_answer(struct sandbox_link *link, struct slice text)
{
    json_auto_t *body = json_loadb(text.data, text.len, 0, NULL);
    const char *id = json_string_value(json_object_get(body, "id"));
    const char *token = json_string_value(json_object_get(body, "token"));

    if (!id || !*id || strlen(id) > LONGEST_SANDBOX_ID || strpbrk(id, "/?#% \r\n"))
        return false;
    if (token && (strlen(token) > LONGEST_TOKEN || strpbrk(token, "\r\n")))
        return false;
    link->id = xstrdup(id);
    link->token_header =
        token && *token ? xasprintf("X-Cellpod-Token: %s", token) : NULL;
    return true;
}

const char *
claiming_title(const struct claiming *claiming)
{
    return place_title(claiming->place);
}

bool
claiming_explain(struct claiming *claiming, const char *told)
{
    return place_explain(claiming->place, told);
}

/* A failure here, and not of the place: that is named. */
void
claiming_fail_at_place(struct claiming *claiming, const char *message,
                       const char *remedy)
{
    const char *title = claiming_title(claiming);
    AUTO(mem) char *text =
        title ? xasprintf("%s: %s", title, message) : xstrdup(message);

    fail(claiming, text, remedy);
}

static void
try_again(void *context)
{
    const struct claiming *claiming = context;

    place_find(claiming->place, true);
}

/* --- the session from before --- */

static const char *
task_of(const struct claiming *claiming)
{
    return json_string_value(json_object_get(claiming->body, "task_id"));
}

static void
tell_not_kept(struct claiming *claiming, const struct error *err)
{
    AUTO(mem) char *text = xasprintf("cellpod: should this kernel be killed, the next "
                                     "one will not find its session: %s\n",
                                     err->text);

    claiming->owner.on_told(claiming->owner.context, text);
}

/* Of a claim that is to be kept. */
static void
open_record(struct claiming *claiming, const json_t *keep)
{
    struct session_record *record = &claiming->record;
    AUTO(mem) char *where = place_identify(claiming->place);
    struct error err;

    if (!where || record->fd >= 0)
        return;
    if (session_record_open(record,
                            json_string_value(json_object_get(keep, "notebook")), where,
                            &err) < 0)
        tell_not_kept(claiming, &err);
}

static void
look_for_it(struct claiming *claiming)
{
    json_t *keep = json_object_get(claiming->body, "keep");

    claiming->is_again = false;
    if (!keep)
        return;
    open_record(claiming, keep);
    if (json_is_true(json_object_get(keep, "fresh")))
        session_record_clear(&claiming->record);
    if (!claiming->record.mark)
        return;
    claiming->is_again = true;
    json_object_set_new(keep, "before", json_deep_copy(claiming->record.tasks));
}

static void
note_claim(struct claiming *claiming)
{
    struct error err;

    if (claiming->record.fd >= 0 &&
        session_record_add(&claiming->record, place_mark(claiming->place),
                           task_of(claiming), &err) < 0)
        tell_not_kept(claiming, &err);
}

/* It is not there: a fresh one is claimed. */
static void
on_missing(void *context, const char *why)
{
    struct claiming *claiming = context;
    AUTO(mem) char *text = xasprintf(
        "cellpod: the session from before has ended: %s. This is a fresh one.\n", why);

    claiming->is_again = false;
    claiming->began = 0;
    json_object_del(json_object_get(claiming->body, "keep"), "before");
    session_record_clear(&claiming->record);
    place_leave(claiming->place, NULL, NULL);
    claiming->owner.on_told(claiming->owner.context, text);
    place_find(claiming->place, false);
}

/* How long until the next try; -1: that was the last. Over a network less often. */
static int64_t
next_wait(const struct claiming *claiming, const struct http_result *result)
{
    bool is_near = claiming->link->unix_path;
    bool is_there = result->error.kind != ERR_NOT_FOUND;
    int64_t waited = zclock_mono() - claiming->began;
    const struct retry_state state = {
        .left_ms = (is_there ? PATIENCE_BUSY_MS : PATIENCE_MS) - waited,
        .asked_ms = RETRY_NOT_ASKED,
    };

    return retry_wait_ms(is_near ? RETRY_CLAIM_NEAR : RETRY_CLAIM_FAR, &state);
}

/* --- silence --- */

static void
on_long_silence(void *context)
{
    struct claiming *claiming = context;
    const char *title = claiming_title(claiming);
    AUTO(mem) char *stage = xasprintf("%s has not answered for %d s",
                                      title ? title : "sandboxd", TOLD_AFTER_MS / 1000);

    claiming->is_silent = true;
    claiming->owner.on_stage(claiming->owner.context, stage);
}

/* Another one is looked for, where the place has more than one. */
static bool
is_replaced(struct claiming *claiming, const struct http_result *result)
{
    struct error err;

    const int64_t began = claiming->began;

    sandbox_link_refusal(claiming->link, result, &err);
    claiming->began = 0; /* of the next one */
    if (!place_replace(claiming->place, err.text)) {
        claiming->began = began;
        return false;
    }
    timer_cancel(&claiming->silence);
    claiming->is_silent = false;
    return true;
}

void
claiming_take_silence(struct claiming *claiming, const struct http_result *result)
{
    const int64_t wait = next_wait(claiming, result);
    struct error err;

    if ((wait < 0 || result->error.kind == ERR_TIMEOUT) && !claiming->is_again &&
        !claiming->is_resuming && is_replaced(claiming, result))
        return;
    if (wait >= 0) {
        timer_set(&claiming->next_try, claiming->loop, wait, try_again, claiming);
        return;
    }
    sandbox_link_refusal(claiming->link, result, &err);
    claiming_fail_at_place(
        claiming, err.text,
        "Check that cellpod-sandboxd is running and can be reached.");
}

/* A router answers in the place of a sandboxd that it does not reach. */
bool
claiming_is_silence(const struct claiming *claiming, long status)
{
    bool is_router = claiming->link->headers;

    return status == 0 || (is_router && status >= 502 && status <= 504);
}

/* What there was before: as sandboxd says, or who has it. The caller's. */
static json_t *
kept_of(const struct claiming *claiming, struct slice body)
{
    json_auto_t *answer = json_loadb(body.data, body.len, 0, NULL);
    json_t *kept = json_object_get(answer, "kept");

    if (!kept && claiming->record.elsewhere)
        return json_pack("{s:i}", "elsewhere", (int)claiming->record.elsewhere);
    return json_incref(kept);
}

static void
succeed(struct claiming *claiming, struct slice body)
{
    json_auto_t *kept = kept_of(claiming, body);

    claiming->is_again = false;
    session_record_settle(&claiming->record);
    claiming_stop(claiming);
    claiming->owner.on_claimed(claiming->owner.context, kept);
}

static void
on_answer(void *context, const struct http_result *result)
{
    struct claiming *claiming = context;
    struct error err;

    claiming->call = NULL;
    if (claiming_is_silence(claiming, result->status)) {
        claiming_take_silence(claiming, result);
    } else if (claiming->is_again && result->status == 409) {
        sandbox_link_refusal(claiming->link, result, &err);
        timer_cancel(&claiming->silence);
        on_missing(claiming, err.text);
    } else if (!sandbox_link_is_success(result)) {
        sandbox_link_refusal(claiming->link, result, &err);
        claiming_fail_at_place(claiming, err.text, "");
    } else if (!read_answer(claiming->link, result->body)) {
        claiming_fail_at_place(
            claiming, "sandboxd answered a claim with something that is not a sandbox",
            "");
    } else {
        succeed(claiming, result->body);
    }
}

static void
post(struct claiming *claiming)
{
    AUTO(buffer) struct buffer body = BUFFER_INIT(SIZE_MAX);

    json_text_append(&body, json_incref(claiming->body));
    claiming->call =
        sandbox_link_call(claiming->link, "",
                          (struct http_request){.method = "POST",
                                                .content_type = "application/json",
                                                .body = &body,
                                                .timeout_ms = ANSWER_MS,
                                                .max_bytes = LIMIT_HTTP_BODY,
                                                .on_done = on_answer,
                                                .context = claiming});
}

/* --- what the place says --- */

static void
on_stage(void *context, const char *stage)
{
    struct claiming *claiming = context;

    claiming->owner.on_stage(claiming->owner.context, stage);
}

static void
on_found(void *context, const struct sandbox_address *address)
{
    struct claiming *claiming = context;

    sandbox_link_set_address(claiming->link, address);
    if (claiming->began == 0) {
        claiming->began = zclock_mono();
        timer_set(&claiming->silence, claiming->loop, TOLD_AFTER_MS, on_long_silence,
                  claiming);
        if (!claiming->is_resuming)
            note_claim(claiming);
    }
    if (claiming->is_resuming) {
        claiming_probe(claiming);
        return;
    }
    if (!claiming->is_silent)
        claiming->owner.on_stage(claiming->owner.context, "claiming a sandbox");
    post(claiming);
}

static void
on_paused(void *context, const char *why)
{
    struct claiming *claiming = context;

    claiming->owner.on_paused(claiming->owner.context, why);
}

static void
on_failed(void *context, const struct sandbox_loss *loss)
{
    fail(context, loss->message, loss->remedy);
}

/* --- life --- */

void
claiming_init(struct claiming *claiming, zloop_t *loop, struct sandbox_link *link,
              const struct place_spec *place, const struct claiming_owner *owner)
{
    const struct place_host host = {.loop = loop,
                                    .pool = link->pool,
                                    .on_stage = on_stage,
                                    .on_found = on_found,
                                    .on_missing = on_missing,
                                    .on_paused = on_paused,
                                    .on_failed = on_failed,
                                    .context = claiming};

    *claiming = (struct claiming){
        .loop = loop, .link = link, .owner = *owner, .record = SESSION_RECORD_INIT};
    claiming->place = place_open(place, &host);
}

void
claiming_release(struct claiming *claiming)
{
    claiming_stop(claiming);
    place_close(TAKE(claiming->place));
    session_record_close(&claiming->record);
}

void
claiming_lose(struct claiming *claiming)
{
    if (!claiming->is_again) {
        claiming_leave(claiming, NULL, NULL);
        return;
    }
    claiming_stop(claiming);
    place_drop(claiming->place);
}

void
claiming_leave(struct claiming *claiming, place_left_fn *done, void *context)
{
    claiming_stop(claiming);
    session_record_clear(&claiming->record);
    place_leave(claiming->place, done, context);
}

void
claiming_start(struct claiming *claiming, const json_t *spec)
{
    json_auto_t *body = json_deep_copy(spec);
    char task[UUID_LEN + 1];
    struct error err;

    if (session_make_uuid(task, &err) < 0 ||
        http_pool_open(claiming->link->pool, &err) < 0) {
        fail(claiming, err.text, "Install what cellpod needs: see its README.");
        return;
    }
    json_object_set_new(body, "task_id", json_string(task));
    claiming->body = TAKE(body);
    claiming->began = 0;
    look_for_it(claiming);
    if (claiming->is_again)
        place_find_again(claiming->place, claiming->record.mark);
    else
        place_find(claiming->place, false);
}
