#include "kernel/jupyter/session.h"

#include <regex.h>

#include "tests/unit/unit.h"

static void
writes_dates_that_clients_read(void **state UNUSED)
{
    static const struct {
        struct timespec time;
        const char *wanted;
    } cases[] = {
        {{0, 0},                  "1970-01-01T00:00:00.000000Z"},
        {{0, 5000},               "1970-01-01T00:00:00.000005Z"},
        {{1769843109, 123000},    "2026-01-31T07:05:09.000123Z"},
        {{1769843109, 999999999}, "2026-01-31T07:05:09.999999Z"},
        {{951782399, 500000000},  "2000-02-28T23:59:59.500000Z"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char date[SESSION_DATE_SIZE];
        session_format_date(cases[i].time, date);
        assert_string_equal(date, cases[i].wanted);
    }
}

static void
makes_uuids_of_version_4(void **state UNUSED)
{
    char one[UUID_LEN + 1], two[UUID_LEN + 1];
    struct error err;
    regex_t form;

    assert_int_equal(session_make_uuid(one, &err), 0);
    assert_int_equal(session_make_uuid(two, &err), 0);
    assert_string_not_equal(one, two);
    assert_int_equal(regcomp(&form,
                             "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-"
                             "[0-9a-f]{12}$",
                             REG_EXTENDED | REG_NOSUB),
                     0);
    assert_int_equal(regexec(&form, one, 0, NULL, 0), 0);
    assert_int_equal(regexec(&form, two, 0, NULL, 0), 0);
    regfree(&form);
}

static void
knows_what_was_meant_for_its_predecessor(void **state UNUSED)
{
    static const struct {
        const char *header;
        bool outlived;
    } cases[] = {
        {"{\"date\":\"2026-01-31T07:05:08.999999Z\"}",  true },
        {"{\"date\":\"2025-12-31T23:59:59.999999Z\"}",  true },
        {"{\"date\":\"2026-01-31T07:05:09.000123Z\"}",  false},
        {"{\"date\":\"2026-01-31T07:05:09.000124Z\"}",  false},
        {"{\"date\":\"2020-01-31T07:05:09Z\"}",         false},
        {"{\"date\":\"2020-01-31T07:05:09.00+00:00\"}", false},
        {"{\"date\":\"\"}",                             false},
        {"{\"date\":7}",                                false},
        {"{}",                                          false},
    };
    const struct session session = {.began = "2026-01-31T07:05:09.000123Z"};

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal(session_outlived(&session, slice_of(cases[i].header)),
                         cases[i].outlived);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_dates_that_clients_read),
        cmocka_unit_test(makes_uuids_of_version_4),
        cmocka_unit_test(knows_what_was_meant_for_its_predecessor),
    };
    return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
