#include "kernel/client/pulse.h"

#define BEAT_MS  1500
#define AGAIN_MS 500 /* after one that was not answered */
#define LEAST_MS 500 /* for an answer */

static void beat(void *context);

static int64_t
silent_ms(const struct pulse *pulse)
{
    return zclock_mono() - pulse->heard;
}

void
pulse_hear(struct pulse *pulse)
{
    pulse->heard = zclock_mono();
    if (!pulse->is_silent)
        return;
    pulse->is_silent = false;
    pulse->owner.on_silent(pulse->owner.context, false);
}

/* A router answers in the place of a sandboxd that it does not reach. */
static bool
is_sign_of_life(const struct pulse *pulse, long status)
{
    const bool is_routers = pulse->link->headers && status >= 502 && status <= 504;

    return status != 0 && !is_routers;
}

static void
miss(struct pulse *pulse)
{
    if (silent_ms(pulse) >= PULSE_LOST_S * 1000) {
        pulse_stop(pulse);
        pulse->owner.on_lost(pulse->owner.context);
        return;
    }
    timer_set(&pulse->next, pulse->loop, AGAIN_MS, beat, pulse);
    if (pulse->is_silent || silent_ms(pulse) < PULSE_TOLD_S * 1000)
        return;
    pulse->is_silent = true;
    pulse->owner.on_silent(pulse->owner.context, true);
}

static void
on_answer(void *context, const struct http_result *result)
{
    struct pulse *pulse = context;

    pulse->call = NULL;
    if (!is_sign_of_life(pulse, result->status)) {
        miss(pulse);
        return;
    }
    timer_set(&pulse->next, pulse->loop, BEAT_MS, beat, pulse);
    pulse_hear(pulse);
}

/* Its time ends when the silence is to be told. */
static void
beat(void *context)
{
    struct pulse *pulse = context;
    const int64_t left =
        (pulse->is_silent ? PULSE_LOST_S : PULSE_TOLD_S) * 1000 - silent_ms(pulse);
    const int64_t most = left < PULSE_TOLD_S * 1000 ? left : PULSE_TOLD_S * 1000;

    pulse->call = sandbox_link_ask_health(
        pulse->link,
        (struct http_request){.method = "GET",
                              .timeout_ms = most > LEAST_MS ? most : LEAST_MS,
                              .max_bytes = KIB(64),
                              .on_done = on_answer,
                              .context = pulse});
}

void
pulse_init(struct pulse *pulse, zloop_t *loop, const struct sandbox_link *link,
           const struct pulse_owner *owner)
{
    *pulse = (struct pulse){.loop = loop, .link = link, .owner = *owner};
}

void
pulse_start(struct pulse *pulse)
{
    if (pulse->is_on || pulse->link->unix_path)
        return;
    pulse->is_on = true;
    pulse->is_silent = false;
    pulse->heard = zclock_mono();
    timer_set(&pulse->next, pulse->loop, BEAT_MS, beat, pulse);
}

void
pulse_stop(struct pulse *pulse)
{
    pulse->is_on = pulse->is_silent = false;
    timer_cancel(&pulse->next);
    if (pulse->call)
        http_pool_cancel(TAKE(pulse->call));
}
