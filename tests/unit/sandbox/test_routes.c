#include "sandbox/api/api.h"
#include "tests/unit/unit.h"

static const struct route *
find(const char *method, const char *path, struct route_match *match, bool *exists)
{
    size_t count;
    const struct route *routes = api_routes(&count);

    return routes_find(routes, count, method, path, match, exists);
}

static void
finds_the_documented_calls(void **state UNUSED)
{
    static const struct {
        const char *method, *path, *segment, *rest;
    } cases[] = {
        {"GET",    "/metrics",                       "",     ""     },
        {"GET",    "/v1/health",                     "",     ""     },
        {"GET",    "/v1/metadata",                   "",     ""     },
        {"POST",   "/v1/sandboxes",                  "",     ""     },
        {"GET",    "/v1/sandboxes",                  "",     ""     },
        {"GET",    "/v1/sandboxes/0a1b",             "0a1b", ""     },
        {"PATCH",  "/v1/sandboxes/0a1b",             "0a1b", ""     },
        {"DELETE", "/v1/sandboxes/0a1b",             "0a1b", ""     },
        {"POST",   "/v1/sandboxes/0a1b/execute",     "0a1b", ""     },
        {"GET",    "/v1/sandboxes/0a1b/files/",      "0a1b", ""     },
        {"HEAD",   "/v1/sandboxes/0a1b/files/a/b",   "0a1b", "a/b"  },
        {"PUT",    "/v1/sandboxes/0a1b/files/a%2Fb", "0a1b", "a%2Fb"},
        {"DELETE", "/v1/sandboxes/0a1b/files/..",    "0a1b", ".."   },
        {"POST",   "/v1/sandboxes/0a1b/requests",    "0a1b", ""     },
        {"GET",    "/v1/sandboxes/0a1b/events",      "0a1b", ""     },
        {"POST",   "/v1/sandboxes/0a1b/input",       "0a1b", ""     },
        {"POST",   "/v1/sandboxes/0a1b/interrupt",   "0a1b", ""     },
        {"POST",   "/v1/sandboxes/0a1b/restart",     "0a1b", ""     },
        {"GET",    "/v1/sandboxes/0a1b/usage",       "0a1b", ""     },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct route_match match;
        bool exists;
        print_message("  %s %s\n", cases[i].method, cases[i].path);
        assert_non_null(find(cases[i].method, cases[i].path, &match, &exists));
        assert_true(slice_equals(match.segment, slice_of(cases[i].segment)));
        assert_true(slice_equals(match.rest, slice_of(cases[i].rest)));
    }
}

static void
finds_nothing_else(void **state UNUSED)
{
    static const char *const paths[] = {
        "",
        "/v1",
        "/v1/",
        "/v1/health/",
        "//v1/health",
        "/v1/sandboxes/",
        "/v1/sandboxes//events",
        "/v1/sandboxes/a/",
        "/v1/sandboxes/a/b",
        "/v1/sandboxes/a/events/",
        "/v1/sandboxes/a/eventsx",
        "/v1/sandboxes/a/event",
        "/v1/sandboxes/../health",
        "/V1/health",
        "/v1/sandboxes/*/events/x",
        "/v1/sandboxes/a/files",
        "/v1/sandboxes//files/a",
    };

    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        struct route_match match;
        bool exists;
        print_message("  %s\n", paths[i]);
        assert_null(find("GET", paths[i], &match, &exists));
        assert_false(exists);
    }
}

static void
tells_a_wrong_method_from_a_wrong_path(void **state UNUSED)
{
    struct route_match match;
    bool exists;

    assert_null(find("PUT", "/v1/sandboxes/x", &match, &exists));
    assert_true(exists);
    assert_null(find("get", "/v1/health", &match, &exists));
    assert_true(exists);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_documented_calls),
        cmocka_unit_test(finds_nothing_else),
        cmocka_unit_test(tells_a_wrong_method_from_a_wrong_path),
    };
    return cmocka_run_group_tests_name("routes", tests, NULL, NULL);
}
