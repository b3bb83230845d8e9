#include "common/base64.h"
#include "tests/unit/unit.h"

static void
decodes_what_is_base64_and_refuses_the_rest(void **state UNUSED)
{
    static const struct {
        struct slice text;
        const char *wanted; /* NULL: refused */
    } cases[] = {
        {SLICE(""),               ""            },
        {SLICE(" \r\n\t"),        ""            },
        {SLICE("Zg=="),           "f"           },
        {SLICE("Zm8="),           "fo"          },
        {SLICE("Zm9v"),           "foo"         },
        {SLICE("Zm9vYg=="),       "foob"        },
        {SLICE("Zg"),             "f"           },
        {SLICE("Zm8"),            "fo"          },
        {SLICE("Zm9vYg"),         "foob"        },
        {SLICE("Zm9v\nYmFy"),     "foobar"      },
        {SLICE(" Z\tm\r\n9 v\n"), "foo"         },
        {SLICE("Zg=\n=\n"),       "f"           },
        {SLICE("+/+/"),           "\xFB\xFF\xBF"},
        {SLICE("Z"),              NULL          },
        {SLICE("Zm9vY"),          NULL          },
        {SLICE("Zg="),            NULL          },
        {SLICE("Z==="),           NULL          },
        {SLICE("Zm9v="),          NULL          },
        {SLICE("Zm9v=="),         NULL          },
        {SLICE("Zm9v===="),       NULL          },
        {SLICE("Zg==="),          NULL          },
        {SLICE("="),              NULL          },
        {SLICE("===="),           NULL          },
        {SLICE("=Zg="),           NULL          },
        {SLICE("Z=g="),           NULL          },
        {SLICE("Zg=x"),           NULL          },
        {SLICE("Zg==Zg=="),       NULL          },
        {SLICE("Zm-_"),           NULL          },
        {SLICE("Zm9v-"),          NULL          },
        {SLICE("Zm9v-----END"),   NULL          },
        {SLICE("Zm9v\x80"),       NULL          },
        {SLICE("Zm\0v"),          NULL          },
        {SLICE("Zm9v\0"),         NULL          },
        {SLICE("Zm9v\v"),         NULL          },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(buffer) struct buffer out = BUFFER_INIT(100);
        struct error err;
        assert_int_equal(buffer_append_text(&out, ">"), 0);
        print_message("  %s\n", cases[i].text.data);
        int done = base64_decode(cases[i].text, &out, &err);
        assert_int_equal(done, cases[i].wanted ? 0 : -1);
        buffer_consume(&out, 1);
        assert_true(slice_equals(buffer_slice(&out), slice_of(cases[i].wanted)));
    }
}

static void
decodes_length(size_t len, const char *tail)
{
    AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX), out = BUFFER_INIT(303);
    struct error err;

    for (size_t i = 0; i < len / 3; i++)
        buffer_append_text(&text, "Zm9v");
    buffer_append_text(&text, tail);
    assert_int_equal(base64_decode(buffer_slice(&text), &out, &err), 0);
    assert_int_equal(out.len, len);
    for (size_t i = 0; i < len; i++)
        assert_int_equal(out.data[i], "foo"[i % 3]);
}

/* libcrypto decodes by lines of 64 digits: every length around a few of them. */
static void
decodes_every_length(void **state UNUSED)
{
    static const char *const padded[] = {"", "Zg==", "Zm8="};
    static const char *const bare[] = {"", "Zg", "Zm8"};

    for (size_t len = 0; len < 300; len++) {
        decodes_length(len, padded[len % 3]);
        decodes_length(len, bare[len % 3]);
    }
}

static void
stays_within_the_maximum(void **state UNUSED)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(5);
    struct error err;

    assert_int_equal(base64_decode(SLICE("Zm9vYmFy"), &out, &err), -1);
    assert_int_equal(err.kind, ERR_TOO_LARGE);
    assert_int_equal(out.len, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes_what_is_base64_and_refuses_the_rest),
        cmocka_unit_test(decodes_every_length),
        cmocka_unit_test(stays_within_the_maximum),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
