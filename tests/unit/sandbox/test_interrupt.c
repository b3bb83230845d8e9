#include "sandbox/running/interrupt.h"
#include "tests/unit/unit.h"

static void
signals_again_until_it_is_heard(void **state UNUSED)
{
    struct interrupt i = {.open = false};

    assert_int_equal(interrupt_tick(&i), INTERRUPT_NOTHING);
    assert_int_equal(interrupt_ask(&i), INTERRUPT_SIGNAL);
    assert_int_equal(interrupt_tick(&i), INTERRUPT_SIGNAL);
    interrupt_close(&i);
    assert_false(interrupt_is_open(&i));
    assert_int_equal(interrupt_tick(&i), INTERRUPT_NOTHING);
}

static void
gives_notice_once_and_only_then_kills(void **state UNUSED)
{
    struct interrupt i = {.open = false};

    interrupt_ask(&i);
    assert_int_equal(interrupt_tick(&i), INTERRUPT_SIGNAL);
    assert_int_equal(interrupt_tick(&i), INTERRUPT_SIGNAL);
    assert_int_equal(interrupt_ask(&i), INTERRUPT_SIGNAL);
    assert_int_equal(interrupt_tick(&i), INTERRUPT_NOTICE);
    assert_int_equal(interrupt_tick(&i), INTERRUPT_NOTHING);
    assert_int_equal(interrupt_ask(&i), INTERRUPT_KILL);
}

static void
begins_anew_once_it_was_heard(void **state UNUSED)
{
    struct interrupt i = {.open = false};

    interrupt_ask(&i);
    for (int tick = 0; tick < 3; tick++)
        interrupt_tick(&i);
    interrupt_close(&i);
    assert_int_equal(interrupt_ask(&i), INTERRUPT_SIGNAL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_again_until_it_is_heard),
        cmocka_unit_test(gives_notice_once_and_only_then_kills),
        cmocka_unit_test(begins_anew_once_it_was_heard),
    };
    return cmocka_run_group_tests_name("interrupt", tests, NULL, NULL);
}
