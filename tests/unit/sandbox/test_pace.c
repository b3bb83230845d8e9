/* When a meter looks again. */
#include "sandbox/resources/pace.h"
#include "tests/unit/unit.h"

#define LIMIT (MIB(512))

static struct pace
at(uint64_t used, uint64_t before)
{
    return (struct pace){.used = used,
                         .grown = used - before,
                         .end = MIB(448),
                         .limit = LIMIT,
                         .passed_ms = 10,
                         .processors = 1,
                         .is_busy = true};
}

static void
far_away_all_processors_may_touch_memory(void **state UNUSED)
{
    struct pace pace = at(MIB(48), MIB(48));

    assert_int_equal(pace_next_ms(&pace), 100);
    pace.processors = 4;
    assert_int_equal(pace_next_ms(&pace), 25);
    pace.processors = 1000;
    assert_int_equal(pace_next_ms(&pace), 5);
}

static void
near_the_end_it_depends_on_what_has_grown(void **state UNUSED)
{
    struct pace slow = at(MIB(408), MIB(408)), fast = at(MIB(408), MIB(400));

    assert_int_equal(pace_next_ms(&slow), 40);
    assert_int_equal(pace_next_ms(&fast), 12);
}

static void
who_took_little_until_now_may_take_much(void **state UNUSED)
{
    struct pace pace = at(MIB(336), MIB(336));

    pace.processors = 2;
    assert_int_equal(pace_next_ms(&pace), 30);
    pace.is_busy = false;
    assert_int_equal(pace_next_ms(&pace), 250);
}

static void
who_stood_for_long_runs_for_as_long_where_little_grows(void **state UNUSED)
{
    struct pace pace = at(MIB(440), MIB(440));

    pace.stood_ms = 30;
    assert_int_equal(pace_next_ms(&pace), 30);
    pace.stood_ms = 300;
    assert_int_equal(pace_next_ms(&pace), 50);
}

static void
who_would_take_the_reserve_by_then_does_not(void **state UNUSED)
{
    struct pace pace = at(MIB(440), MIB(400));

    pace.stood_ms = 300;
    assert_int_equal(pace_next_ms(&pace), 12);
}

static void
who_would_only_be_past_the_mark_does(void **state UNUSED)
{
    struct pace pace = at(MIB(440), MIB(430));

    pace.stood_ms = 300;
    assert_int_equal(pace_next_ms(&pace), 50);
}

static void
who_was_told_or_is_soon_looked_at_may_run(void **state UNUSED)
{
    struct pace pace = at(MIB(440), MIB(400));

    pace.stood_ms = 40;
    assert_int_equal(pace_next_ms(&pace), 40);
    pace.stood_ms = 300;
    pace.grown = MIB(5);
    pace.is_told = true;
    assert_int_equal(pace_next_ms(&pace), 50);
}

static void
who_was_told_and_goes_on_does_not_get_far_past_the_limit(void **state UNUSED)
{
    struct pace pace = at(MIB(448), MIB(368)); /* 8 MiB a millisecond */

    pace.end = LIMIT;
    pace.is_told = true;
    pace.stood_ms = 300;
    assert_int_equal(pace_next_ms(&pace), 16);
}

/* Its reserve is what was left for this. */
static void
who_was_told_may_take_the_reserve(void **state UNUSED)
{
    struct pace pace = at(MIB(500), MIB(480)); /* 2 MiB a millisecond */

    pace.end = LIMIT;
    pace.stood_ms = 300;
    assert_int_equal(pace_next_ms(&pace), 12);
    pace.is_told = true;
    assert_int_equal(pace_next_ms(&pace), 38);
}

static void
who_was_told_and_is_over_is_looked_at_at_once(void **state UNUSED)
{
    struct pace pace = at(LIMIT, LIMIT);

    pace.end = LIMIT;
    pace.stood_ms = 300;
    assert_int_equal(pace_next_ms(&pace), 50);
    pace.is_told = true;
    assert_int_equal(pace_next_ms(&pace), 5);
}

static void
without_a_request_it_looks_rarely(void **state UNUSED)
{
    struct pace pace = at(MIB(440), MIB(440));

    pace.is_busy = false;
    assert_int_equal(pace_next_ms(&pace), 250);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_away_all_processors_may_touch_memory),
        cmocka_unit_test(near_the_end_it_depends_on_what_has_grown),
        cmocka_unit_test(who_took_little_until_now_may_take_much),
        cmocka_unit_test(who_stood_for_long_runs_for_as_long_where_little_grows),
        cmocka_unit_test(who_would_take_the_reserve_by_then_does_not),
        cmocka_unit_test(who_would_only_be_past_the_mark_does),
        cmocka_unit_test(who_was_told_or_is_soon_looked_at_may_run),
        cmocka_unit_test(who_was_told_and_goes_on_does_not_get_far_past_the_limit),
        cmocka_unit_test(who_was_told_may_take_the_reserve),
        cmocka_unit_test(who_was_told_and_is_over_is_looked_at_at_once),
        cmocka_unit_test(without_a_request_it_looks_rarely),
    };
    return cmocka_run_group_tests_name("pace", tests, NULL, NULL);
}
