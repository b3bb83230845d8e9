#include "sandbox/address.h"
#include "tests/unit/unit.h"

static void
knows_where_others_could_connect(void **state UNUSED)
{
    static const struct {
        const char *text;
        bool is_loopback;
    } cases[] = {
        {"unix:/run/s.sock",            true },
        {"tcp:127.0.0.1:8888",          true },
        {"tcp:127.8.9.10:0",            true },
        {"tcp:[::1]:65535",             true },
        {"tcp:0.0.0.0:8888",            false},
        {"tcp:[::]:8888",               false},
        {"tcp:10.0.0.1:1",              false},
        {"tcp:128.0.0.1:1",             false},
        {"tcp:[::ffff:127.0.0.1]:8888", false},
        {"tcp:[2001:db8::1]:8888",      false},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct address address;
        struct error err;
        print_message("  %s\n", cases[i].text);
        assert_int_equal(address_parse(cases[i].text, &address, &err), 0);
        assert_int_equal(address_is_loopback(&address), cases[i].is_loopback);
    }
}

static void
refuses_what_is_no_address(void **state UNUSED)
{
    static const char *const cases[] = {
        "",
        "tcp:",
        "tcp:8888",
        "tcp::8888",
        "tcp:127.0.0.1",
        "tcp:127.0.0.1:",
        "tcp:127.0.0.1:http",
        "tcp:127.0.0.1:65536",
        "tcp:127.0.0.1:-1",
        "tcp:127.0.0.1:+1",
        "tcp:127.0.0.1: 1",
        "tcp:127.0.0.1:000001",
        "tcp:localhost:8888",
        "tcp:::1:8888",
        "tcp:[::1:8888",
        "tcp:[]:8888",
        "tcp:*:8888",
        "tcp:0000000000000000000000000000000000000000000000000000000000000000001:1",
        "unix:relative.sock",
        "http://127.0.0.1:8888",
        "/run/s.sock",
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct address address;
        struct error err;
        print_message("  %s\n", cases[i]);
        assert_int_equal(address_parse(cases[i], &address, &err), -1);
        assert_int_equal(err.kind, ERR_BAD_INPUT);
        assert_non_null(strstr(err.text, "tcp:127.0.0.1:8888"));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_where_others_could_connect),
        cmocka_unit_test(refuses_what_is_no_address),
    };
    return cmocka_run_group_tests_name("address", tests, NULL, NULL);
}
