#include "common/buffer.h"
#include "common/utf8.h"
#include "tests/unit/unit.h"

static void
holds_exactly_its_maximum(void **state UNUSED)
{
    AUTO(buffer) struct buffer b = BUFFER_INIT(4);

    assert_int_equal(buffer_append(&b, "abcd", 4), 0);
    assert_int_equal(buffer_append(&b, "e", 1), -1);
    assert_string_equal(b.data, "abcd");
    assert_int_equal(b.len, 4);
}

static void
grows_and_shrinks_from_the_front(void **state UNUSED)
{
    AUTO(buffer) struct buffer b = BUFFER_INIT(SIZE_MAX);

    for (int i = 0; i < 1000; i++)
        assert_int_equal(buffer_printf(&b, "%03d", i), 0);
    buffer_consume(&b, 3 * 998);
    assert_string_equal(b.data, "998999");
    buffer_clear(&b);
    assert_int_equal(b.len, 0);
}

static void
writes_json_strings_that_are_utf8(void **state UNUSED)
{
    static const struct {
        struct slice in;
        const char *out;
    } cases[] = {
        {SLICE(""),                             "\"\""                                   },
        {SLICE("caf\xC3\xA9 \xF0\x9F\x98\x80"), "\"caf\xC3\xA9 \xF0\x9F\x98\x80\""       },
        {SLICE("a\"b\\c\n\r\t\x01\0z"),         "\"a\\\"b\\\\c\\n\\r\\t\\u0001\\u0000z\""},
        {SLICE("\xFF"
               "a\xC3"),
         "\"" UTF8_REPLACEMENT "a" UTF8_REPLACEMENT "\""                                 },
        {SLICE("\xED\xA0\xBD"),
         "\"" UTF8_REPLACEMENT UTF8_REPLACEMENT UTF8_REPLACEMENT "\""                    },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(buffer) struct buffer b = BUFFER_INIT(SIZE_MAX);
        assert_int_equal(buffer_append_json_string(&b, cases[i].in), 0);
        assert_string_equal(b.data, cases[i].out);
    }
}

static void
a_string_that_does_not_fit_leaves_nothing(void **state UNUSED)
{
    AUTO(buffer) struct buffer b = BUFFER_INIT(6);

    assert_int_equal(buffer_append_text(&b, "ab"), 0);
    assert_int_equal(buffer_append_json_string(&b, SLICE("cde")), -1);
    assert_int_equal(b.len, 2);
    assert_int_equal(buffer_append_json_string(&b, SLICE("cd")), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_exactly_its_maximum),
        cmocka_unit_test(grows_and_shrinks_from_the_front),
        cmocka_unit_test(writes_json_strings_that_are_utf8),
        cmocka_unit_test(a_string_that_does_not_fit_leaves_nothing),
    };
    return cmocka_run_group_tests_name("buffer", tests, NULL, NULL);
}
