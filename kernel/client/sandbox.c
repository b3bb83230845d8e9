#include "common/paths.h"
#include "kernel/client/sandbox_parts.h"

#define LOG_COMPONENT "sandbox"
#include "common/log.h"

#define END_MS 2000

const char *
sandbox_id(const struct sandbox *sandbox)
{
    return sandbox->link.id ? sandbox->link.id : "";
}

bool
sandbox_is_ready(const struct sandbox *sandbox)
{
    return sandbox->state == SANDBOX_READY;
}

bool
sandbox_is_coming(const struct sandbox *sandbox)
{
    return sandbox->state != SANDBOX_NONE && sandbox->state != SANDBOX_READY &&
           sandbox->state != SANDBOX_PAUSED;
}

const char *
sandbox_stage(const struct sandbox *sandbox)
{
    return sandbox->stage;
}

const struct sandbox_link *
sandbox_link_of(const struct sandbox *sandbox)
{
    return sandbox->state == SANDBOX_READY ? &sandbox->link : NULL;
}

static void
enter(struct sandbox *sandbox, enum sandbox_state state, const char *stage)
{
    if (sandbox->state == state && strcmp(sandbox->stage, stage) == 0)
        return;
    sandbox->state = state;
    snprintf(sandbox->stage, sizeof(sandbox->stage), "%s", stage);
    log_info("state=\"%s\"", stage);
    if (sandbox_is_coming(sandbox))
        sandbox->owner.on_stage(sandbox->owner.context, sandbox->stage);
}

/* --- the end of a sandbox --- */

static void
on_end_done(struct call *call, const struct http_result *result UNUSED)
{
    if (call->ended)
        claiming_leave(&call->sandbox->claiming, call->ended, call->context);
}

static void
destroy(struct sandbox *sandbox, sandbox_ended_fn *done, void *context)
{
    struct call *call = sandbox_new_call(sandbox, "", on_end_done);

    call->ended = done;
    call->context = context;
    call_send(call, &sandbox->link,
              &(struct call_spec){.method = "DELETE",
                                  .path = "",
                                  .timeout_ms = END_MS,
                                  .tries_for_ms = END_MS});
}

/* Later events of it are ignored. */
static void
abandon(struct sandbox *sandbox)
{
    sandbox->generation++;
    call_queue_stop_trying(&sandbox->calls);
}

static void
forget(struct sandbox *sandbox)
{
    event_stream_close(&sandbox->events);
    pulse_stop(&sandbox->pulse);
    sandbox_link_forget(&sandbox->link);
    sandbox->interrupts = 0;
    enter(sandbox, SANDBOX_NONE, "no sandbox");
}

void
sandbox_lose(struct sandbox *sandbox, const struct sandbox_loss *loss)
{
    log_error("lost reason=\"%s\"", loss->message);
    abandon(sandbox);
    if (sandbox->link.id)
        destroy(sandbox, NULL, NULL);
    forget(sandbox);
    claiming_lose(&sandbox->claiming);
    sandbox->owner.on_lost(sandbox->owner.context, loss);
}

/* --- claiming --- */

static void
on_stage(void *context, const char *stage)
{
    struct sandbox *sandbox = context;

    if (sandbox->state == SANDBOX_RESUMING)
        enter(sandbox, SANDBOX_RESUMING, stage);
    else if (sandbox->state != SANDBOX_PAUSED)
        enter(sandbox, SANDBOX_CLAIMING, stage);
}

static void
on_claimed(void *context, const json_t *kept)
{
    struct sandbox *sandbox = context;
    const json_t *elsewhere = json_object_get(kept, "elsewhere");

    if (elsewhere)
        sandbox->owner.on_elsewhere(sandbox->owner.context,
                                    json_integer_value(elsewhere));
    if (kept && !elsewhere) {
        enter(sandbox, SANDBOX_READY, "session taken over");
        sandbox->owner.on_taken(sandbox->owner.context, kept);
        return;
    }
    enter(sandbox, SANDBOX_WAITING, "sandbox claimed, starting Python in it");
    event_stream_open(&sandbox->events, 0);
}

void
sandbox_listen(struct sandbox *sandbox, json_int_t after)
{
    if (sandbox->state == SANDBOX_READY)
        event_stream_open(&sandbox->events, after);
}

static void
on_told(void *context, const char *text)
{
    struct sandbox *sandbox = context;

    sandbox->owner.on_told(sandbox->owner.context, text);
}

static void
on_lost(void *context, const struct sandbox_loss *loss)
{
    sandbox_lose(context, loss);
}

/* A loss that the place notices, the place reports itself. For other losses, the place
 * explains the loss, or is named in the message. */
void
sandbox_lose_at_place(void *context, const struct sandbox_loss *loss)
{
    struct sandbox *sandbox = context;
    if (claiming_explain(&sandbox->claiming, loss->message))
        return;
    const char *title = claiming_title(&sandbox->claiming);
    AUTO(mem) char *message =
        title ? xasprintf("%s: %s", title, loss->message) : xstrdup(loss->message);

    sandbox_lose(sandbox, &(struct sandbox_loss){message, loss->remedy});
}

void
sandbox_claim(struct sandbox *sandbox, const json_t *spec)
{
    if (sandbox->state == SANDBOX_PAUSED) {
        enter(sandbox, SANDBOX_RESUMING, "resuming the sandbox");
        claiming_resume(&sandbox->claiming);
    }
    if (sandbox->state != SANDBOX_NONE)
        return;
    sandbox->generation++;
    sandbox->keeps_pod = false;
    enter(sandbox, SANDBOX_CLAIMING, "claiming a sandbox");
    claiming_start(&sandbox->claiming, spec);
}

/* --- while nobody uses it --- */

unsigned
sandbox_pause_after(const struct sandbox *sandbox)
{
    return sandbox->keeps_pod ? 0 : claiming_pause_after(&sandbox->claiming);
}

/* No connection is open to what is frozen: one would be broken afterwards. */
void
sandbox_pause(struct sandbox *sandbox)
{
    if (sandbox->state != SANDBOX_READY || !claiming_pause(&sandbox->claiming))
        return;
    event_stream_close(&sandbox->events);
    pulse_stop(&sandbox->pulse);
    enter(sandbox, SANDBOX_PAUSED, "sandbox suspended");
}

static void
become_ready_again(struct sandbox *sandbox)
{
    enter(sandbox, SANDBOX_READY, "sandbox ready");
    event_stream_open(&sandbox->events, sandbox->events.last_seq);
}

static void
on_paused(void *context, const char *why)
{
    struct sandbox *sandbox = context;

    if (!why || sandbox->state != SANDBOX_PAUSED)
        return;
    AUTO(mem) char *text =
        xasprintf("cellpod: this notebook was idle, and keeps its pod: %s\n", why);
    sandbox->keeps_pod = true;
    become_ready_again(sandbox);
    sandbox->owner.on_kept(sandbox->owner.context, text);
}

static void
on_resumed(void *context)
{
    struct sandbox *sandbox = context;

    become_ready_again(sandbox);
    sandbox->owner.on_resumed(sandbox->owner.context);
}

/* --- silence --- */

/* The stream may have been cut without a word. */
static void
resume_events(struct sandbox *sandbox)
{
    const bool is_held = sandbox->events.is_held;

    event_stream_open(&sandbox->events, sandbox->events.last_seq);
    event_stream_hold(&sandbox->events, is_held);
}

static void
on_silent(void *context, bool is_silent)
{
    struct sandbox *sandbox = context;
    const char *title = claiming_title(&sandbox->claiming);
    AUTO(mem) char *who =
        title ? xstrdup(title) : xasprintf("sandboxd at %.300s", sandbox->link.url);

    log_error("silent=%d who=\"%s\"", is_silent, who);
    if (!is_silent)
        resume_events(sandbox);
    sandbox->owner.on_silent(sandbox->owner.context, who, is_silent);
}

static void
on_no_pulse(void *context)
{
    AUTO(mem) char *message =
        xasprintf("sandboxd has not answered for %d s", PULSE_LOST_S);

    sandbox_lose_at_place(context, &(struct sandbox_loss){message, RUN_AGAIN});
}

void
sandbox_watch(struct sandbox *sandbox, bool watch)
{
    if (watch && sandbox->state == SANDBOX_READY)
        pulse_start(&sandbox->pulse);
    else
        pulse_stop(&sandbox->pulse);
}

/* --- events --- */

/* The remedy for what failed, and the command that checks all the rest. */
static char *
advice(const char *remedy)
{
    struct error err;
    AUTO(mem) char *program = paths_installed("bin/cellpod", &err);

    return xasprintf("%s%s`%s doctor` shows what else this machine lacks.", remedy,
                     *remedy ? "\n" : "", program ? program : "cellpod");
}

static void
on_failed(struct sandbox *sandbox, const struct envelope *event)
{
    json_auto_t *content =
        json_loadb(event->content.data, event->content.len, JSON_ALLOW_NUL, NULL);
    const char *message = json_string_value(json_object_get(content, "message"));
    const char *remedy = json_string_value(json_object_get(content, "remedy"));
    AUTO(mem) char *helps = advice(remedy ? remedy : "");

    sandbox_lose(sandbox,
                 &(struct sandbox_loss){
                     message ? message : "the sandbox could not be made", helps});
}

static void
on_ended(struct sandbox *sandbox, const struct envelope *event)
{
    json_auto_t *content =
        json_loadb(event->content.data, event->content.len, JSON_ALLOW_NUL, NULL);
    const char *message = json_string_value(json_object_get(content, "message"));

    sandbox_lose_at_place(
        sandbox,
        &(struct sandbox_loss){message ? message : "the sandbox has ended", RUN_AGAIN});
}

static void
on_event(void *context, const struct envelope *event)
{
    struct sandbox *sandbox = context;

    pulse_hear(&sandbox->pulse);
    if (strcmp(event->type, "sandbox_failed") == 0) {
        on_failed(sandbox, event);
    } else if (strcmp(event->type, "sandbox_ended") == 0) {
        on_ended(sandbox, event);
    } else if (strcmp(event->type, "sandbox_ready") == 0) {
        if (sandbox->state == SANDBOX_WAITING) {
            enter(sandbox, SANDBOX_READY, "sandbox ready");
            sandbox->owner.on_ready(sandbox->owner.context, event);
        }
    } else {
        sandbox->owner.on_event(sandbox->owner.context, event);
    }
}

void
sandbox_hold(struct sandbox *sandbox, bool hold)
{
    event_stream_hold(&sandbox->events, hold);
}

void
sandbox_end(struct sandbox *sandbox, sandbox_ended_fn *done, void *context)
{
    bool is_there = sandbox->link.id && sandbox->state != SANDBOX_PAUSED;

    abandon(sandbox);
    if (is_there)
        destroy(sandbox, done, context);
    forget(sandbox);
    if (!is_there)
        claiming_leave(&sandbox->claiming, done, context);
}

/* --- life --- */

struct sandbox *
sandbox_new(zloop_t *loop, const struct place_spec *place,
            const struct sandbox_owner *owner)
{
    struct sandbox *sandbox = xcalloc(1, sizeof(*sandbox));
    const struct claiming_owner claiming = {on_stage,  on_claimed, on_lost, on_told,
                                            on_paused, on_resumed, sandbox};
    const struct event_stream_owner events = {on_event, sandbox_lose_at_place, sandbox};

    sandbox->owner = *owner;
    snprintf(sandbox->stage, sizeof(sandbox->stage), "no sandbox");
    /* opened with the first claim: a start without is faster */
    sandbox->link.pool = http_pool_new(loop);
    claiming_init(&sandbox->claiming, loop, &sandbox->link, place, &claiming);
    event_stream_init(&sandbox->events, loop, &sandbox->link, &events);
    pulse_init(&sandbox->pulse, loop, &sandbox->link,
               &(struct pulse_owner){on_silent, on_no_pulse, sandbox});
    call_queue_init(&sandbox->calls, loop);
    return sandbox;
}

void
sandbox_free(struct sandbox *sandbox)
{
    if (!sandbox)
        return;
    abandon(sandbox);
    forget(sandbox);
    call_queue_end(&sandbox->calls);
    claiming_release(&sandbox->claiming);
    http_pool_free(sandbox->link.pool);
    sandbox_link_release(&sandbox->link);
    free(sandbox);
}
