#include "common/envelope.h"
#include "common/json_text.h"
#include "common/version.h"
#include "sandbox/life/sandbox.h"
#include "sandbox/life/sandbox_state.h"

#define LOG_COMPONENT "keep"
#include "common/log.h"

enum {
    SEEN_MS =
        1000, /* from a cell's end: until then its owner may not have passed it on */
};

/* --- what runs --- */

/* Does the attempt run a model's code? Only a kernel says so, which is trusted. */
static bool
is_models(const struct request *request)
{
    AUTO(envelope) struct envelope e = ENVELOPE_INIT;
    struct error err;

    if (envelope_parse(buffer_slice(&request->bytes), &e, NULL, &err) <= 0)
        return true;
    json_auto_t *content =
        json_loadb(e.content.data, e.content.len, JSON_ALLOW_NUL, NULL);
    return !json_is_false(json_object_get(content, "models"));
}

static void
note_cell(struct sandbox *s, const struct request *request)
{
    snprintf(s->keep.cell, sizeof(s->keep.cell), "%s", request->id);
    s->keep.before = event_log_last_seq(s->log);
    s->keep.has_run = true;
}

void
sandbox_keep_note(struct sandbox *s, const struct request *request)
{
    const enum message_id id = request ? request->type->id : MESSAGE_NONE;

    if (!s->claim.keep)
        return;
    if (id == MESSAGE_EXECUTE_REQUEST) {
        note_cell(s, request);
    } else if (id == MESSAGE_ANNOUNCE_REQUEST) {
        s->keep.cell[0] = '\0'; /* a question: nothing of it is shown again */
        s->keep.has_run = true;
    } else if (id == MESSAGE_ATTEMPT_REQUEST) {
        s->keep.is_models = s->keep.is_models || is_models(request);
        s->keep.has_attempt = true;
    } else if (id == MESSAGE_ATTEMPT_END_REQUEST) {
        s->keep.has_attempt = false;
    }
}

void
sandbox_keep_note_end(struct sandbox *s)
{
    s->keep.ended_ms = loop_now_ms();
}

/* --- its owner has ended --- */

/* Nobody is left to decide whether the attempt was good: it is undone. */
static void
discard_attempt(struct sandbox *s)
{
    AUTO(buffer) struct buffer envelope = BUFFER_INIT(SIZE_MAX);
    AUTO(mem) char *id = xasprintf("kept-%u", s->keep.takeovers);
    json_auto_t *line = json_pack("{s:s, s:s}", "id", id, "type",
                                  messages_name(MESSAGE_ATTEMPT_END_REQUEST));
    struct error err;

    if (!s->keep.has_attempt)
        return;
    sandbox_interrupt(s, NULL, 0);
    if (envelope_append(&envelope, line, SLICE("{\"keep\":false}"), SLICE(""), NULL, 0,
                        &err) < 0 ||
        sandbox_request(s, &envelope, NULL, &err) < 0)
        log_error("id=%s: %s", s->id, err.text);
}

/* Of a cell that is over and was shown to its end, nothing is shown again. What an
 * owner has read and not sent on when it is killed is lost with it: rather twice than
 * never. */
static void
forget_seen(struct sandbox *s, int64_t left_ms)
{
    if (request_queue_is_running(s->requests, s->keep.cell) ||
        request_queue_waiting(s->requests) || !event_log_is_read(s->log) ||
        left_ms - s->keep.ended_ms < SEEN_MS)
        return;
    s->keep.cell[0] = '\0';
    s->keep.before = event_log_last_seq(s->log);
}

json_int_t
sandbox_keep_begin(struct sandbox *s)
{
    if (!s->claim.keep || s->state != SANDBOX_READY || !s->keep.has_run)
        return 0;
    log_info("kept id=%s", s->id);
    forget_seen(s, loop_now_ms());
    discard_attempt(s);
    return json_integer_value(json_object_get(s->claim.keep, "seconds"));
}

/* --- the next one --- */

static bool
is_for(const struct sandbox *s, const struct claim *claim, uid_t user)
{
    return s->keep.user == user && user != (uid_t)-1 &&
           claim_is_same_session(&s->claim, claim);
}

/* A sandboxd keeps sessions of kernels of its own build only. */
bool
sandbox_keep_waits_for(const struct sandbox *s, const struct claim *claim, uid_t user)
{
    const char *build = json_string_value(json_object_get(claim->keep, "build"));

    return lifetime_is_kept(&s->lifetime) && s->state == SANDBOX_READY && build &&
           strcmp(build, cellpod_build) == 0 &&
           !json_is_true(json_object_get(claim->keep, "fresh")) &&
           is_for(s, claim, user);
}

void
sandbox_keep_look(struct sandbox *s)
{
    if (s->claim.keep && s->state != SANDBOX_ENDING)
        lifetime_look(&s->lifetime);
}

int64_t
sandbox_keep_since(const struct sandbox *s)
{
    return s->lifetime.kept_since_ms;
}

bool
sandbox_keep_is_elsewhere(const struct sandbox *s, const struct claim *claim,
                          uid_t user)
{
    return s->keep.takeovers && !lifetime_is_kept(&s->lifetime) &&
           is_for(s, claim, user);
}

void
sandbox_keep_tell(struct sandbox *s, const struct sandbox *elsewhere)
{
    s->keep.told =
        json_pack("{s:i}", "elsewhere", (int)lifetime_owner(&elsewhere->lifetime));
}

/* For who takes it over: from which event on to read, and what for. */
static json_t *
tell(const struct sandbox *s, int64_t since_ms)
{
    const uint64_t first = event_log_first_seq(s->log);
    const bool is_cut = s->keep.before + 1 < first;
    const struct worker *worker = supervisor_worker(s->supervisor);
    json_t *variables = supervisor_variables(s->supervisor);

    return json_pack("{s:I, s:I, s:I, s:b, s:I, s:s, s:b, s:O, s:I, s:o*}", "after",
                     (json_int_t)(is_cut ? first - 1 : s->keep.before), "last",
                     (json_int_t)event_log_last_seq(s->log), "question",
                     (json_int_t)(worker ? worker_question(worker) : 0), "is_cut",
                     (int)is_cut, "ago_ms", (json_int_t)(loop_now_ms() - since_ms),
                     "cell", s->keep.cell, "models", (int)s->keep.is_models, "python",
                     json_object_get(s->hello, "python"), "takeover",
                     (json_int_t)s->keep.takeovers, "variables", variables);
}

/* The claim is this kernel's from now on: asked again, it gets the same answer. */
static void
rename_claim(struct sandbox *s, const struct claim *claim)
{
    json_object_set_new(s->claim.tree, "task_id", json_string(claim->task_id));
    json_object_set(s->claim.tree, "keep", (json_t *)claim->keep);
    json_object_del(json_object_get(s->claim.tree, "keep"), "before");
    s->claim.task_id = json_string_value(json_object_get(s->claim.tree, "task_id"));
    s->claim.keep = json_object_get(s->claim.tree, "keep");
}

static void
take(struct sandbox *s, const struct claim *claim, int64_t since_ms)
{
    rename_claim(s, claim);
    sandbox_touch(s);
    s->interrupt.number = 0; /* its client counts anew */
    s->keep.takeovers++;
    json_decref(s->keep.told);
    s->keep.told = tell(s, since_ms);
    log_info("taken over id=%s", s->id);
}

int
sandbox_keep_take(struct sandbox *s, const struct claim *claim, int socket,
                  struct error *err)
{
    const int64_t since_ms = s->lifetime.kept_since_ms;

    if (sandbox_set_owner(s, socket, err) < 0)
        return -1;
    take(s, claim, since_ms);
    return 0;
}

/* --- the next one, over TCP: nobody sees its kernel end --- */

bool
sandbox_keep_is_for(const struct sandbox *s, const struct claim *claim)
{
    return s->state == SANDBOX_READY && claim_is_same_session(&s->claim, claim);
}

/* Who still reads may be a machine that has gone without a word, with what was sent to
 * it: that is shown again. */
void
sandbox_keep_take_from_afar(struct sandbox *s, const struct claim *claim)
{
    const int64_t left_ms = event_log_left_ms(s->log);

    if (left_ms)
        forget_seen(s, left_ms);
    discard_attempt(s);
    event_log_end_readers(s->log);
    token_make(&s->token);
    take(s, claim, left_ms ? left_ms : loop_now_ms());
}
