#include "kernel/place/gke_options.h"

#include "tests/unit/unit.h"

static void
the_command_line_is_before_the_environment(void **state UNUSED)
{
    struct gke_options options = {{NULL}};
    struct gke_settings settings;
    struct error err;

    setenv("CELLPOD_GKE_POOL", "from-env", 1);
    assert_int_equal(gke_options_check(&options, &settings, &err), 0);
    assert_string_equal(settings.pool, "from-env");
    assert_null(settings.namespace);
    assert_null(settings.router);
    assert_int_equal(settings.port, 8888);
    assert_int_equal(settings.ttl_seconds, 600);
    options.given[GKE_POOL] = "given";
    options.given[GKE_ROUTER] = "http://router:8080";
    assert_int_equal(gke_options_check(&options, &settings, &err), 0);
    assert_string_equal(settings.pool, "given");
    assert_string_equal(settings.router, "http://router:8080");
    unsetenv("CELLPOD_GKE_POOL");
}

static void
what_is_wrong_is_refused_by_its_name(void **state UNUSED)
{
    static const struct {
        enum gke_option option;
        const char *value;
    } cases[] = {
        {GKE_POOL,      "A"                },
        {GKE_POOL,      "a/b"              },
        {GKE_NAMESPACE, "-a"               },
        {GKE_NAMESPACE, "a?watch"          },
        {GKE_ROUTER,    "router:8080"      },
        {GKE_ROUTER,    "http://"          },
        {GKE_PORT,      "0"                },
        {GKE_PORT,      "65536"            },
        {GKE_PORT,      ""                 },
        {GKE_TTL,       "9"                },
        {GKE_TTL,       "1h"               },
        {GKE_TTL,       "99999999999999999"},
        {GKE_WAIT,      "-1"               },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct gke_options options = {{NULL}};
        struct gke_settings settings;
        struct error err = {0};
        options.given[cases[i].option] = cases[i].value;
        assert_int_equal(gke_options_check(&options, &settings, &err), -1);
        assert_non_null(strstr(err.text, gke_options_name(cases[i].option)));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_command_line_is_before_the_environment),
        cmocka_unit_test(what_is_wrong_is_refused_by_its_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
