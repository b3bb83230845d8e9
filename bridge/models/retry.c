#include "bridge/models/retry.h"

#include <stdio.h>
#include <time.h>

enum {
    FIRST_WAIT_MS = 500,
    LONGEST_OWN_WAIT_MS = 8000,
};

static int64_t
own_wait_ms(int tried, double jitter)
{
    int64_t wait = (int64_t)FIRST_WAIT_MS << tried;

    if (wait > LONGEST_OWN_WAIT_MS)
        wait = LONGEST_OWN_WAIT_MS;
    return (int64_t)((double)wait * (1 - 0.25 * jitter));
}

static bool
is_worth_it(const struct failure *failure)
{
    if (failure->kind == FAIL_QUOTA || failure->kind == FAIL_AUTH)
        return false;
    if (failure->should_retry >= 0)
        return failure->should_retry;
    return failure_may_pass(failure->kind);
}

struct retry
retry_decide(struct failure *failure, int tried, double jitter)
{
    if (!is_worth_it(failure) || tried >= RETRY_MAX)
        return (struct retry){false, 0};
    if (failure->retry_after_ms < 0)
        return (struct retry){true, own_wait_ms(tried, jitter)};
    if (failure->retry_after_ms > RETRY_LONGEST_MS) {
        char text[sizeof(failure->text)];
        snprintf(text, sizeof(text), "asks to wait %lld s%s%.200s",
                 (long long)(failure->retry_after_ms / 1000),
                 failure->text[0] ? ": " : "", failure->text);
        memcpy(failure->text, text, sizeof(text));
        return (struct retry){false, 0};
    }
    return (struct retry){true, failure->retry_after_ms};
}

int64_t
retry_after_ms(const char *value, int64_t now)
{
    char *end;
    double seconds = strtod(value, &end);

    if (end != value && *end == '\0') {
        if (!(seconds >= 0)) /* NaN too */
            return -1;
        return seconds > 1e9 ? (int64_t)1e12 : (int64_t)(seconds * 1000);
    }
    struct tm fields = {0};
    if (!strptime(value, "%a, %d %b %Y %H:%M:%S GMT", &fields))
        return -1;
    time_t date = timegm(&fields);
    return date > now ? (int64_t)(date - now) * 1000 : 0;
}
