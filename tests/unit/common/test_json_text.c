#include "common/json_text.h"
#include "common/utf8.h"
#include "tests/unit/unit.h"

static void
writes_any_bytes(void **state UNUSED)
{
    static const struct {
        struct slice in;
        const char *out;
    } cases[] = {
        {SLICE(""),                    "[\"\"]"                        },
        {SLICE("caf\xC3\xA9 \"x\"\n"), "[\"caf\xC3\xA9 \\\"x\\\"\\n\"]"},
        {SLICE("a\0z"),                "[\"a\\u0000z\"]"               },
        {SLICE("\xFF"
               "a\xC3"),
         "[\"" UTF8_REPLACEMENT "a" UTF8_REPLACEMENT "\"]"             },
        {{NULL, 0},                    "[\"\"]"                        },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);
        json_text_append(&out, json_pack("[o]", json_text_string(cases[i].in)));
        assert_string_equal(out.data, cases[i].out);
    }
}

static void
appends_a_scalar_too(void **state UNUSED)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);

    buffer_append_text(&out, "x=");
    json_text_append(&out, json_integer(-7));
    assert_string_equal(out.data, "x=-7");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_any_bytes),
        cmocka_unit_test(appends_a_scalar_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
