#include "kube/claim_renewal.h"

#include "kube/claim_call.h"

#define LOG_COMPONENT "claim"
#include "common/log.h"

#define SOON_MS      1000 /* until the next try of a renewal that failed */
#define SKEW_SECONDS 2    /* of clocks: less is how long an answer takes */

static void renew(void *context);

void
claim_renewal_init(struct claim_renewal *renewal, zloop_t *loop, struct kube_api *api,
                   const struct claim_wish *wish, unsigned ttl_seconds)
{
    *renewal = (struct claim_renewal){
        .loop = loop, .api = api, .wish = wish, .ttl_seconds = ttl_seconds};
}

time_t
claim_renewal_shutdown_time(const struct claim_renewal *renewal)
{
    return time(NULL) + renewal->skew + (time_t)renewal->ttl_seconds;
}

/* Of three renewals two may fail. */
static int64_t
interval_ms(const struct claim_renewal *renewal)
{
    return renewal->ttl_seconds * 1000L / 3;
}

static void
renew_later(struct claim_renewal *renewal, int64_t ms)
{
    timer_set(&renewal->timer, renewal->loop, ms, renew, renewal);
}

/* That it is gone (404) the watch tells. A conflict, a server that is out of reach:
 * soon again, there is time for many tries. */
static void
on_renewed(void *context, const struct kube_answer *answer)
{
    struct claim_renewal *renewal = context;

    renewal->call = NULL;
    if (answer->status == 200) {
        log_info("renewed name=%s", renewal->wish->name);
        renew_later(renewal, interval_ms(renewal));
        return;
    }
    log_error("not renewed name=%s status=%ld", renewal->wish->name, answer->status);
    renew_later(renewal, SOON_MS);
}

static void
renew(void *context)
{
    struct claim_renewal *renewal = context;
    const struct claim_call_owner owner = {.on_done = on_renewed, .context = renewal};

    if (!renewal->call)
        renewal->call = claim_call_renew(renewal->api, renewal->wish,
                                         claim_renewal_shutdown_time(renewal),
                                         interval_ms(renewal), &owner);
}

void
claim_renewal_start(struct claim_renewal *renewal)
{
    renew_later(renewal, interval_ms(renewal));
}

void
claim_renewal_now(struct claim_renewal *renewal)
{
    renew(renewal);
}

void
claim_renewal_stop(struct claim_renewal *renewal)
{
    timer_cancel(&renewal->timer);
    if (renewal->call)
        kube_api_cancel(TAKE(renewal->call));
}

void
claim_renewal_set_skew(struct claim_renewal *renewal, time_t skew)
{
    renewal->skew = skew;
}

void
claim_renewal_set_clock(struct claim_renewal *renewal, time_t server_now)
{
    const time_t skew = server_now - time(NULL);
    const time_t news = skew - renewal->skew;

    if (news > -SKEW_SECONDS && news < SKEW_SECONDS)
        return;
    log_info("our clock is off by %lld s", (long long)-skew);
    renewal->skew = skew;
    renew(renewal);
}
