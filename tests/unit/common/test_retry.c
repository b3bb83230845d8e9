#include "common/retry.h"
#include "tests/unit/unit.h"

#define LONG RETRY_NO_DEADLINE

static void
waits_by_the_table(void **state UNUSED)
{
    static const struct {
        const char *name;
        enum retry_user user;
        unsigned retries;
        int64_t left_ms, asked_ms;
        double random;
        int64_t wait_ms;
    } rows[] = {
        {"a call grows by steps",     RETRY_SANDBOX_CALL, 0,          1,     -1,       0,   10   },
        {"a call grows by steps",     RETRY_SANDBOX_CALL, 1,          1,     -1,       0,   20   },
        {"a call stops growing",      RETRY_SANDBOX_CALL, 49,         1,     -1,       0,   500  },
        {"a call stops growing",      RETRY_SANDBOX_CALL, 4000000000, 1,     -1,       0,   500  },
        {"a call's time is over",     RETRY_SANDBOX_CALL, 0,          0,     -1,       0,   -1   },
        {"a claim is steady",         RETRY_CLAIM_NEAR,   77,         1,     -1,       0,   20   },
        {"a claim is steady",         RETRY_CLAIM_FAR,    77,         1,     -1,       0,   500  },
        {"a claim's time is over",    RETRY_CLAIM_FAR,    77,         -5,    -1,       0,   -1   },
        {"a stream begins at once",   RETRY_EVENT_STREAM, 0,          1,     -1,       0,   0    },
        {"a stream grows by steps",   RETRY_EVENT_STREAM, 3,          1,     -1,       0,   60   },
        {"a stream stops growing",    RETRY_EVENT_STREAM, 51,         1,     -1,       0,   1000 },
        {"a watch doubles",           RETRY_KUBE_WATCH,   0,          LONG,  -1,       0,   100  },
        {"a watch doubles",           RETRY_KUBE_WATCH,   6,          LONG,  -1,       0,   6400 },
        {"a watch stops growing",     RETRY_KUBE_WATCH,   7,          LONG,  -1,       0,   10000},
        {"and never ends",            RETRY_KUBE_WATCH,   4000000000, LONG,  -1,       0,   10000},
        {"an API call doubles",       RETRY_KUBE_CALL,    2,          60000, 0,        0,   1000 },
        {"waits for longer if asked", RETRY_KUBE_CALL,    2,          60000, 7000,     0,   7000 },
        {"not for less",              RETRY_KUBE_CALL,    2,          60000, 500,      0,   1000 },
        {"nor for ever",              RETRY_KUBE_CALL,    0,          60000, 86400000, 0,   30000},
        {"and must be over in time",  RETRY_KUBE_CALL,    2,          1001,  0,        0,   1000 },
        {"and must be over in time",  RETRY_KUBE_CALL,    2,          1000,  0,        0,   -1   },
        {"a model has jitter",        RETRY_MODEL,        1,          1,     -1,       0.8, 800  },
        {"twice",                     RETRY_MODEL,        2,          LONG,  -1,       0,   -1   },
        {"waits as long as asked",    RETRY_MODEL,        0,          1,     60000,    0.5, 60000},
        {"also for less",             RETRY_MODEL,        0,          1,     0,        0,   0    },
        {"but not for more",          RETRY_MODEL,        0,          1,     60001,    0,   -1   },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        print_message("  %s\n", rows[i].name);
        const struct retry_state now = {rows[i].retries, rows[i].left_ms,
                                        rows[i].asked_ms, rows[i].random};
        assert_int_equal(retry_wait_ms(rows[i].user, &now), rows[i].wait_ms);
    }
    assert_true(retry_is_asked_too_much(RETRY_MODEL, 60001));
    assert_false(retry_is_asked_too_much(RETRY_MODEL, 60000));
    assert_false(retry_is_asked_too_much(RETRY_KUBE_CALL, 86400000));
}

static void
reads_retry_after(void **state UNUSED)
{
    static const struct {
        const char *value;
        int64_t ms;
    } rows[] = {
        {"2",                             2000         },
        {"0.25",                          250          },
        {"0",                             0            },
        {"Thu, 01 Jan 1970 00:20:30 GMT", 30000        },
        {"Thu, 01 Jan 1970 00:00:01 GMT", 0            },
        {"-5",                            -1           },
        {"nan",                           -1           },
        {"soon",                          -1           },
        {"",                              -1           },
        {"1e300",                         1000000000000},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        print_message("  %s\n", rows[i].value);
        assert_int_equal(retry_parse_after(rows[i].value, 1200), rows[i].ms);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_by_the_table),
        cmocka_unit_test(reads_retry_after),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
