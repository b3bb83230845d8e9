/* Ends by reason: known ones from the start, and never more rows than there are. */
#include "sandbox/resources/tally.h"

#include <stdio.h>

#include "tests/unit/unit.h"

static unsigned long long
count_of(const struct tally_ends *ends, const char *reason)
{
    for (size_t i = 0; i < ends->used; i++)
        if (strcmp(ends->rows[i].reason, reason) == 0)
            return ends->rows[i].count;
    fail_msg("no row for %s", reason);
    return 0;
}

static void
usual_reasons_are_there_before_they_happen(void **state UNUSED)
{
    struct tally tally;

    tally_init(&tally);
    assert_int_equal(count_of(&tally.workers, "memory"), 0);
    assert_int_equal(count_of(&tally.sandboxes, "idle"), 0);
}

static void
each_reason_is_counted_apart(void **state UNUSED)
{
    struct tally tally;

    tally_init(&tally);
    tally_end(&tally.workers, "memory");
    tally_end(&tally.workers, "memory");
    tally_end(&tally.workers, "news");
    assert_int_equal(count_of(&tally.workers, "memory"), 2);
    assert_int_equal(count_of(&tally.workers, "news"), 1);
    assert_int_equal(count_of(&tally.workers, "signal"), 0);
}

static void
what_has_no_row_left_is_other(void **state UNUSED)
{
    struct tally tally;
    char reason[32];

    tally_init(&tally);
    for (int i = 0; i < 100; i++) {
        snprintf(reason, sizeof(reason), "reason %d", i);
        tally_end(&tally.workers, reason);
    }
    assert_int_equal(tally.workers.used, TALLY_REASONS);
    assert_int_equal(count_of(&tally.workers, "reason 0"), 1);
    size_t known = 0;
    for (size_t i = 0; i + 1 < TALLY_REASONS; i++)
        known += tally.workers.rows[i].count;
    assert_int_equal(known + count_of(&tally.workers, "other"), 100);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usual_reasons_are_there_before_they_happen),
        cmocka_unit_test(each_reason_is_counted_apart),
        cmocka_unit_test(what_has_no_row_left_is_other),
    };
    return cmocka_run_group_tests_name("tally", tests, NULL, NULL);
}
