#include "common/retry.h"

#include <assert.h>

enum growth {
    STEADY,
    BY_STEPS, /* step_ms more each time */
    DOUBLING,
};

/* What becomes of Retry-After. */
enum asked {
    UNASKED,  /* nobody sends one */
    AT_LEAST, /* the longer of that and our own wait, up to longest_ms */
    INSTEAD,  /* of our own wait, up to longest_asked_ms; for more, give up */
};

struct retry_spec {
    enum retry_user user;
    int64_t first_ms; /* before the first retry */
    enum growth growth;
    int64_t step_ms;
    int64_t longest_ms; /* of our own waits */
    double jitter;      /* up to this part of a wait is left off */
    unsigned retries;   /* after the first try; 0: until the deadline */
    bool ends_in_time;  /* the wait, too, must be over before the deadline */
    enum asked asked;
    int64_t longest_asked_ms;
};

/* In the order of enum retry_user:
 * first, growth, step, longest; jitter, retries, ends in time; Retry-After, longest */
static const struct retry_spec specs[] = {
    {RETRY_SANDBOX_CALL, 10,  BY_STEPS, 10, 500,   0,    0, false, UNASKED,  0    },
    {RETRY_CLAIM_NEAR,   20,  STEADY,   0,  20,    0,    0, false, UNASKED,  0    },
    {RETRY_CLAIM_FAR,    500, STEADY,   0,  500,   0,    0, false, UNASKED,  0    },
    {RETRY_EVENT_STREAM, 0,   BY_STEPS, 20, 1000,  0,    0, false, UNASKED,  0    },
    {RETRY_KUBE_CALL,    250, DOUBLING, 0,  30000, 0,    0, true,  AT_LEAST, 0    },
    {RETRY_KUBE_WATCH,   100, DOUBLING, 0,  10000, 0,    0, false, UNASKED,  0    },
    {RETRY_MODEL,        500, DOUBLING, 0,  8000,  0.25, 2, false, INSTEAD,  60000},
};

static int64_t
shorter(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t
grown(const struct retry_spec *spec, unsigned retries)
{
    const unsigned doublings = retries < 30 ? retries : 30; /* past every limit */

    switch (spec->growth) {
    case STEADY:
        return spec->first_ms;
    case BY_STEPS:
        return spec->first_ms + spec->step_ms * (int64_t)retries;
    case DOUBLING:
        return spec->first_ms << doublings;
    }
    abort();
}

static int64_t
own_wait(const struct retry_spec *spec, const struct retry_state *state)
{
    int64_t wait = shorter(grown(spec, state->retries), spec->longest_ms);

    return (int64_t)((double)wait * (1 - spec->jitter * state->random));
}

static int64_t
wait_of(const struct retry_spec *spec, const struct retry_state *state)
{
    int64_t own = own_wait(spec, state);

    if (state->asked_ms < 0 || spec->asked == UNASKED)
        return own;
    if (spec->asked == INSTEAD)
        return state->asked_ms;
    return shorter(state->asked_ms > own ? state->asked_ms : own, spec->longest_ms);
}

static const struct retry_spec *
spec_of(enum retry_user user)
{
    assert(specs[user].user == user);
    return &specs[user];
}

bool
retry_is_asked_too_much(enum retry_user user, int64_t asked_ms)
{
    const struct retry_spec *spec = spec_of(user);

    return spec->asked == INSTEAD && asked_ms > spec->longest_asked_ms;
}

int64_t
retry_wait_ms(enum retry_user user, const struct retry_state *state)
{
    const struct retry_spec *spec = spec_of(user);
    const int64_t wait = wait_of(spec, state);

    if (spec->retries && state->retries >= spec->retries)
        return -1;
    if (retry_is_asked_too_much(user, state->asked_ms))
        return -1;
    return state->left_ms > (spec->ends_in_time ? wait : 0) ? wait : -1;
}

int64_t
retry_parse_after(const char *value, time_t now)
{
    char *end;
    double seconds = strtod(value, &end);

    if (end != value && *end == '\0') {
        if (!(seconds >= 0)) /* NaN too */
            return RETRY_NOT_ASKED;
        return seconds > 1e9 ? (int64_t)1e12 : (int64_t)(seconds * 1000);
    }
    struct tm fields = {0};
    if (!strptime(value, "%a, %d %b %Y %H:%M:%S GMT", &fields))
        return RETRY_NOT_ASKED;
    time_t date = timegm(&fields);
    return date > now ? (int64_t)(date - now) * 1000 : 0;
}
