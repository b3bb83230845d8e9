#include <stdio.h>

#include "common/buffer.h"
#include "common/limits.h"
#include "kernel/jupyter/json_check.h"
#include "tests/unit/unit.h"

static void
accepts_json_objects(void **state UNUSED)
{
    static const struct slice cases[] = {
        SLICE("{}"),
        SLICE(" { } \n"),
        SLICE("{\"a\":[],\"b\":{},\"c\":[{}]}"),
        SLICE("{\"a\":-0.5e-7,\"b\":123456789012345678901234567890}"),
        SLICE("{\"\\u0000\":\"\\ud83d\\ude00 \\\"\\\\ \xF0\x9F\x98\x80\"}"),
        SLICE("{\"a\":true,\"b\":false,\"c\":null}"),
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct error err;
        assert_int_equal(json_check_object(cases[i], &err), 0);
    }
}

static void
refuses_everything_else(void **state UNUSED)
{
    static const struct slice cases[] = {
        SLICE(""),
        SLICE("[]"),
        SLICE("1"),
        SLICE("{"),
        SLICE("{}{}"),
        SLICE("{\"a\"}"),
        SLICE("{\"a\":}"),
        SLICE("{\"a\":1,}"),
        SLICE("{\"a\":[1,]}"),
        SLICE("{\"a\":[1}"),
        SLICE("{\"a\":01}"),
        SLICE("{\"a\":1.}"),
        SLICE("{\"a\":.5}"),
        SLICE("{\"a\":+1}"),
        SLICE("{\"a\":NaN}"),
        SLICE("{\"a\":Infinity}"),
        SLICE("{'a':1}"),
        SLICE("{\"a\":\"\\ud83d\"}"),
        SLICE("{\"a\":\"\\ude00\"}"),
        SLICE("{\"a\":\"\\ud83d\\u0041\"}"),
        SLICE("{\"a\":\"\\x41\"}"),
        SLICE("{\"a\":\"\n\"}"),
        SLICE("{\"a\":\"\xFF\"}"),
        SLICE("{\"a\":\"\xED\xA0\xBD\"}"),
        SLICE("{\"a\":\"\xC0\x80\"}"),
        SLICE("{\"a\":\"\0\"}"),
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct error err;
        print_message("  %.*s\n", (int)cases[i].len, cases[i].data);
        assert_int_equal(json_check_object(cases[i], &err), -1);
    }
}

static void
bounds_the_depth(void **state UNUSED)
{
    for (size_t extra = 0; extra < 2; extra++) {
        AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX);
        size_t depth = LIMIT_JSON_DEPTH - 1 + extra; /* and the object around them */
        struct error err;
        buffer_append_text(&text, "{\"a\":");
        for (size_t i = 0; i < depth; i++)
            buffer_append_text(&text, "[");
        for (size_t i = 0; i < depth; i++)
            buffer_append_text(&text, "]");
        buffer_append_text(&text, "}");
        assert_int_equal(json_check_object(buffer_slice(&text), &err), extra ? -1 : 0);
    }
}

static void
every_string_we_write_passes(void **state UNUSED)
{
    for (unsigned first = 0; first < 256; first++) {
        for (unsigned second = 0; second < 256; second++) {
            AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX);
            const char bytes[] = {(char)first, (char)second};
            struct error err;
            buffer_append_text(&text, "{\"a\":");
            buffer_append_json_string(&text, (struct slice){bytes, sizeof(bytes)});
            buffer_append_text(&text, "}");
            assert_int_equal(json_check_object(buffer_slice(&text), &err), 0);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_json_objects),
        cmocka_unit_test(refuses_everything_else),
        cmocka_unit_test(bounds_the_depth),
        cmocka_unit_test(every_string_we_write_passes),
    };
    return cmocka_run_group_tests_name("json_check", tests, NULL, NULL);
}
