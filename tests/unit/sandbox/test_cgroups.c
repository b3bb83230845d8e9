/* What a sandbox may have of the machine that asks for nothing. */
#include "sandbox/resources/cgroups.h"
#include "tests/unit/unit.h"

static const uint64_t machines[] = {
    512ULL << 20, 1ULL << 30, 3ULL << 30, 16ULL << 30, 1ULL << 40,
};

static void
two_sandboxes_can_both_have_their_share_of_what_all_may_have(void **state UNUSED)
{
    for (size_t i = 0; i < COUNT_OF(machines); i++) {
        const struct cgroups cgroups = {.memory_bytes = machines[i]};
        uint64_t share = cgroups_default_memory(&cgroups, false);
        assert_true(2 * share <= cgroups_most_memory(&cgroups));
        assert_true(3 * share > cgroups_most_memory(&cgroups)); /* and no less */
        assert_true(2 * share > machines[i] / 4 * 3);
    }
}

static void
what_all_may_have_leaves_some_of_the_machine(void **state UNUSED)
{
    for (size_t i = 0; i < COUNT_OF(machines); i++) {
        const struct cgroups cgroups = {.memory_bytes = machines[i]};
        assert_true(cgroups_most_memory(&cgroups) <= machines[i] - machines[i] / 8);
        assert_true(cgroups_most_memory(&cgroups) > machines[i] / 4 * 3);
    }
}

static void
the_only_one_has_three_quarters(void **state UNUSED)
{
    const struct cgroups cgroups = {.memory_bytes = 4ULL << 30};

    assert_int_equal(cgroups_default_memory(&cgroups, true), 3ULL << 30);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_sandboxes_can_both_have_their_share_of_what_all_may_have),
        cmocka_unit_test(what_all_may_have_leaves_some_of_the_machine),
        cmocka_unit_test(the_only_one_has_three_quarters),
    };
    return cmocka_run_group_tests_name("cgroups", tests, NULL, NULL);
}
