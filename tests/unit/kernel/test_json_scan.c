#include <stdio.h>

#include "common/buffer.h"
#include "common/limits.h"
#include "kernel/jupyter/json_scan.h"
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
        assert_int_equal(json_scan_check(cases[i], &err), 0);
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
        assert_int_equal(json_scan_check(cases[i], &err), -1);
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
        assert_int_equal(json_scan_check(buffer_slice(&text), &err), extra ? -1 : 0);
    }
}

static void
bounds_the_length(void **state UNUSED)
{
    struct slice text = {"{\"a\":1}", (size_t)LIMIT_JSON_BYTES + 1}; /* is not read */
    struct error err;

    assert_int_equal(json_scan_check(text, &err), -1);
    assert_int_equal(err.kind, ERR_TOO_LARGE);
    assert_int_equal(json_scan_field(text, "a").len, 0);
}

/* Eight bytes are looked at together: each byte at each place of them. */
static void
looks_at_every_byte_of_a_string(void **state UNUSED)
{
    for (unsigned byte = 0; byte < 256; byte++)
        for (size_t at = 0; at < 20; at++) {
            char text[] = "{\"a\":\"xxxxxxxxxxxxxxxxxxxx\"}";
            struct error err;
            text[strlen("{\"a\":\"") + at] = (char)byte;
            bool is_good = byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
            assert_int_equal(
                json_scan_check((struct slice){text, sizeof(text) - 1}, &err),
                is_good ? 0 : -1);
        }
}

static void
finds_fields(void **state UNUSED)
{
    static const struct {
        const char *object, *name, *wanted;
    } cases[] = {
        {"{}",                               "a",    ""            },
        {"[1]",                              "a",    ""            },
        {"{\"a\":1}",                        "a",    "1"           },
        {" { \"a\" : 1 , \"b\" : true } ",   "b",    "true"        },
        {"{\"a\":{\"b\":1},\"b\":2}",        "b",    "2"           },
        {"{\"a\":\"}\\\"{\",\"b\":[1,[2]]}", "b",    "[1,[2]]"     },
        {"{\"a\":\"x\\\\\",\"b\":-1.5e3}",   "b",    "-1.5e3"      },
        {"{\"\\u0061\":\"x\"}",              "a",    "\"x\""       },
        {"{\"a\":1,\"a\":2}",                "a",    "2"           },
        {"{\"ab\":1,\"b\":\"\\\\\\\"\"}",    "b",    "\"\\\\\\\"\""},
        {"{\"a\\\"b\":null}",                "a\"b", "null"        },
        {"{\"a\":{\"x\":\"]\"},\"b\":{}}",   "b",    "{}"          },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        print_message("  %s\n", cases[i].object);
        assert_true(
            slice_equals(json_scan_field(slice_of(cases[i].object), cases[i].name),
                         slice_of(cases[i].wanted)));
    }
}

static void
reads_values(void **state UNUSED)
{
    struct slice object = SLICE("{\"t\":true,\"f\":false,\"n\":null,\"s\":\"a\\u00e9\","
                                "\"z\":\"\\u0000\",\"i\":1}");

    assert_true(json_scan_is_true(object, "t", false));
    assert_false(json_scan_is_true(object, "f", true));
    assert_true(json_scan_is_true(object, "n", true));
    assert_false(json_scan_is_true(object, "missing", false));
    AUTO(mem) char *text = json_scan_text(object, "s");
    assert_string_equal(text, "a\xC3\xA9");
    assert_null(json_scan_text(object, "z")); /* not a C string */
    assert_null(json_scan_text(object, "i"));
    assert_null(json_scan_text(object, "missing"));
}

static void
stops_where_the_text_is_not_json(void **state UNUSED)
{
    static const char *const cases[] = {"",          "{",
                                        "{\"a",      "{\"a\"",
                                        "{\"a\":",   "{\"a\":\"x",
                                        "{\"a\":[1", "{\"a\":[1}",
                                        "{a:1}",     "{\"b\":1 \"a\":1}"};

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        print_message("  %s\n", cases[i]);
        assert_int_equal(json_scan_field(slice_of(cases[i]), "a").len, 0);
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
            assert_int_equal(json_scan_check(buffer_slice(&text), &err), 0);
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
        cmocka_unit_test(bounds_the_length),
        cmocka_unit_test(looks_at_every_byte_of_a_string),
        cmocka_unit_test(finds_fields),
        cmocka_unit_test(reads_values),
        cmocka_unit_test(stops_where_the_text_is_not_json),
        cmocka_unit_test(every_string_we_write_passes),
    };
    return cmocka_run_group_tests_name("json_scan", tests, NULL, NULL);
}
