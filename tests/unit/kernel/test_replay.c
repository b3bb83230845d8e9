#include "kernel/jupyter/replay.h"

#include <stdio.h>

#include "tests/unit/unit.h"

static bool
is_first(struct replay *replay, unsigned number)
{
    char hex[65];

    /* Spread over the first half, which is what counts. */
    snprintf(hex, sizeof(hex), "%016llx%016x%032x", number * 0x9E3779B97F4A7C15ULL,
             number, 0);
    return replay_is_first(replay, (struct slice){hex, 64});
}

static void
knows_what_it_has_seen(void **state UNUSED)
{
    AUTO(replay) struct replay *replay = replay_new();

    assert_true(is_first(replay, 1));
    assert_true(is_first(replay, 2));
    assert_false(is_first(replay, 1));
    assert_false(is_first(replay, 2));
}

static void
forgets_the_oldest_first(void **state UNUSED)
{
    AUTO(replay) struct replay *replay = replay_new();

    for (unsigned i = 0; i < REPLAY_MEMORY; i++)
        assert_true(is_first(replay, i));
    for (unsigned i = 0; i < REPLAY_MEMORY; i++)
        assert_false(is_first(replay, i));
    assert_true(is_first(replay, REPLAY_MEMORY)); /* takes the place of 0 */
    assert_false(is_first(replay, 1));
    assert_true(is_first(replay, 0)); /* and this that of 1 */
    assert_true(is_first(replay, 1));
    assert_false(is_first(replay, REPLAY_MEMORY));
}

static void
tells_apart_what_shares_a_chain(void **state UNUSED)
{
    AUTO(replay) struct replay *replay = replay_new();
    char hex[] = "00000000000000000000000000000000";

    assert_true(replay_is_first(replay, slice_of(hex)));
    for (const char *digit = "123456789abcdef"; *digit; digit++) {
        hex[31] = *digit; /* the chain hangs on the first half */
        assert_true(replay_is_first(replay, slice_of(hex)));
        assert_false(replay_is_first(replay, slice_of(hex)));
    }
}

static void
takes_no_short_signature(void **state UNUSED)
{
    AUTO(replay) struct replay *replay = replay_new();

    assert_false(replay_is_first(replay, SLICE("0123456789abcdef0123456789abcde")));
    assert_false(replay_is_first(replay, SLICE("")));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_what_it_has_seen),
        cmocka_unit_test(forgets_the_oldest_first),
        cmocka_unit_test(tells_apart_what_shares_a_chain),
        cmocka_unit_test(takes_no_short_signature),
    };
    return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}
