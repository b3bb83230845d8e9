#include "common/digest_name.h"
#include "tests/unit/unit.h"

/* As sha256sum prints them: what earlier versions have kept is found again. */
static void
is_the_beginning_of_the_digest(void **state UNUSED)
{
    AUTO(mem) char *one = digest_name_path("/a", SLICE("/tmp"));
    AUTO(mem) char *two = digest_name_path("b", SLICE("n.ipynb\0/tmp"));

    assert_string_equal(one, "/a/e9671acd244849c5");
    assert_string_equal(two, "b/f84e0dc1a28d03ac");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_beginning_of_the_digest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
