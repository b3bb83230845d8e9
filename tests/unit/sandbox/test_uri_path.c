#include <limits.h>

#include "sandbox/http/uri_path.h"
#include "tests/unit/unit.h"

static void
decodes_once_and_stays_inside(void **state UNUSED)
{
    static const struct {
        const char *encoded, *path; /* NULL: refused */
        enum error_kind kind;
    } cases[] = {
        {"",                ".",          0            },
        {"/",               ".",          0            },
        {"./.",             ".",          0            },
        {"a",               "a",          0            },
        {"a/b.txt",         "a/b.txt",    0            },
        {"/a//b/./c/",      "a/b/c",      0            },
        {"%2Fetc%2fpasswd", "etc/passwd", 0            },
        {"a%20%C3%A4",      "a \xc3\xa4", 0            },
        {"a%ff",            "a\xff",      0            },
        {"a+b",             "a+b",        0            },
        {"%252e%252e/x",    "%2e%2e/x",   0            },
        {"...",             "...",        0            },
        {"..a/b..",         "..a/b..",    0            },
        {"..",              NULL,         ERR_DENIED   },
        {"%2e%2E",          NULL,         ERR_DENIED   },
        {"a/../b",          NULL,         ERR_DENIED   },
        {"a%2f..%2fb",      NULL,         ERR_DENIED   },
        {"a/..",            NULL,         ERR_DENIED   },
        {"%",               NULL,         ERR_BAD_INPUT},
        {"%4",              NULL,         ERR_BAD_INPUT},
        {"%4g",             NULL,         ERR_BAD_INPUT},
        {"%-1",             NULL,         ERR_BAD_INPUT},
        {"a%00b",           NULL,         ERR_BAD_INPUT},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(mem) char *path = NULL;
        struct error err;
        print_message("  %s\n", cases[i].encoded);
        int parsed = uri_path_parse(slice_of(cases[i].encoded), &path, &err);
        assert_int_equal(parsed, cases[i].path ? 0 : -1);
        if (cases[i].path)
            assert_string_equal(path, cases[i].path);
        else
            assert_int_equal(err.kind, cases[i].kind);
    }
}

static void
takes_a_path_up_to_the_systems_limit(void **state UNUSED)
{
    static char text[PATH_MAX + 1];

    memset(text, 'a', PATH_MAX);
    for (size_t len = PATH_MAX - 1; len <= PATH_MAX; len++) {
        AUTO(mem) char *path = NULL;
        struct error err;
        assert_int_equal(uri_path_parse((struct slice){text, len}, &path, &err),
                         len < PATH_MAX ? 0 : -1);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes_once_and_stays_inside),
        cmocka_unit_test(takes_a_path_up_to_the_systems_limit),
    };
    return cmocka_run_group_tests_name("uri_path", tests, NULL, NULL);
}
