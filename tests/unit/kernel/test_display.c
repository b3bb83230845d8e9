#include "kernel/output/display.h"

#include "kernel/output/content_check.h"
#include "tests/unit/unit.h"

/* 3 x 2 pixels, grey */
#define PNG                                               \
    "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAAAAAC4HznGAAAADkl" \
    "EQVR4nGNITEpmAGIACTQCTRM95mUAAAAASUVORK5CYII="

/* Laid out by hand: aligned, its columns would be wider than any screen. */
/* clang-format off */
static const struct {
    const char *what, *content;
    const char *wanted; /* NULL: goes as it is */
    const char *complaint;
} rewrites[] = {
    {"no image",
     "{\"data\":{\"text/plain\":\"x\"},\"metadata\":{}}",
     NULL,
     ""},
    {"svg is text",
     "{\"data\":{\"image/svg+xml\":\"<svg>\"},\"metadata\":{}}",
     NULL,
     ""},
    {"size is added",
     "{\"data\":{\"image/png\":\"" PNG "\"},\"metadata\":{}}",
     "{\"data\":{\"image/png\":\"" PNG "\"},\"metadata\":{\"image/png\":{\"width\":3,\"height\":2}}}",
     ""},
    {"no metadata at all",
     "{\"data\":{\"image/png\":\"" PNG "\"}}",
     "{\"data\":{\"image/png\":\"" PNG "\"},\"metadata\":{\"image/png\":{\"width\":3,\"height\":2}}}",
     ""},
    {"other fields stay in place",
     "{ \"transient\" : {\"display_id\":\"a\"} , \"metadata\":{\"x\":[1, 2]},"
     "\"data\":{\"text/plain\":\"\\\"\\u0041\", \"image/png\":\"" PNG "\\n\"}}",
     "{\"transient\":{\"display_id\":\"a\"},"
     "\"data\":{\"text/plain\":\"\\\"\\u0041\",\"image/png\":\"" PNG "\\n\"},\"metadata\":{\"x\":[1, 2],\"image/png\":{\"width\":3,\"height\":2}}}",
     ""},
    {"retina keeps its own",
     "{\"data\":{\"image/png\":\"" PNG "\"},\"metadata\":{\"image/png\":{\"width\":1,\"height\":1}}}",
     NULL,
     ""},
    {"further words about the image stay",
     "{\"data\":{\"image/png\":\"" PNG "\"},\"metadata\":{\"image/png\":{\"alt\":\"a\"}}}",
     "{\"data\":{\"image/png\":\"" PNG "\"},\"metadata\":{\"image/png\":{\"width\":3,\"height\":2,\"alt\":\"a\"}}}",
     ""},
    {"key spelled with escapes",
     "{\"data\":{\"image\\/\\u0070ng\":\"aGFoYQ==\",\"text/plain\":\"t\"},"
     "\"metadata\":{}}",
     "{\"data\":{\"text/plain\":\"t\"},\"metadata\":{}}",
     "cellpod: image/png is not shown: the PNG cannot be decoded: "},
    {"no base64",
     "{\"data\":{\"image/png\":\"!\"},\"metadata\":{\"image/png\":{}}}",
     "{\"data\":{\"text/plain\":\"<image not shown>\"},\"metadata\":{}}",
     "cellpod: image/png is not shown: not base64"},
    {"no text",
     "{\"data\":{\"image/png\":[1]},\"metadata\":{}}",
     "{\"data\":{\"text/plain\":\"<image not shown>\"},\"metadata\":{}}",
     "cellpod: image/png is not shown: it is not text"},
    {"twice",
     "{\"data\":{\"image/png\":\"" PNG "\",\"image/png\":\"" PNG "\"}}",
     "{\"data\":{\"text/plain\":\"<image not shown>\"},\"metadata\":{}}",
     "cellpod: image/png is not shown: it is there more than once"},
    {"jpeg",
     "{\"data\":{\"image/jpeg\":\"/9j/\",\"text/plain\":\"t\"}}",
     "{\"data\":{\"text/plain\":\"t\"},\"metadata\":{}}",
     "cellpod: image/jpeg is not shown: the JPEG has no frame"},
    {"the last data counts, as for readers",
     "{\"data\":{\"text/plain\":\"x\"},\"data\":{\"image/png\":\"!\"}}",
     "{\"data\":{\"text/plain\":\"<image not shown>\"},\"metadata\":{}}",
     "cellpod: image/png is not shown: not base64"},
};
/* clang-format on */

static void
rewrites_what_it_must(void **state UNUSED)
{
    for (size_t i = 0; i < COUNT_OF(rewrites); i++) {
        AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);
        AUTO(buffer) struct buffer complaint = BUFFER_INIT(SIZE_MAX);
        print_message("  %s\n", rewrites[i].what);
        enum display_verdict verdict = display_check(
            slice_of(rewrites[i].content), &(uint64_t){UINT64_MAX}, &out, &complaint);
        assert_int_equal(verdict,
                         rewrites[i].wanted ? DISPLAY_REWRITTEN : DISPLAY_AS_IT_IS);
        if (rewrites[i].wanted)
            assert_string_equal(out.data, rewrites[i].wanted);
        if (*rewrites[i].complaint)
            assert_memory_equal(complaint.data, rewrites[i].complaint,
                                strlen(rewrites[i].complaint));
        else
            assert_int_equal(complaint.len, 0);
    }
}

static void
checks_what_clients_rely_on(void **state UNUSED)
{
    static const struct {
        const char *type, *content;
        bool is_good;
    } cases[] = {
        {"stream",         "{\"name\":\"stdout\",\"text\":\"x\"}",                      true },
        {"stream",         "{\"name\":\"stdout\"}",                                     false},
        {"stream",         "{\"name\":1,\"text\":\"x\"}",                               false},
        {"stream",         "[]",                                                        false},
        {"display_data",   "{\"data\":{},\"metadata\":{},\"transient\":{}}",            true },
        {"display_data",   "{\"data\":{},\"metadata\":{}}",                             false},
        {"execute_result", "{\"execution_count\":1,\"data\":{},\"metadata\":{}}",       true },
        {"execute_result",
         "{\"execution_count\":1,\"data\":{\"application/json\":[1]},\"metadata\":{}}", true },
        {"execute_result",
         "{\"execution_count\":1,\"data\":{\"application/x+json\":5},\"metadata\":{}}", true },
        {"execute_result",
         "{\"execution_count\":1,\"data\":{\"text/plain\":5},\"metadata\":{}}",         false},
        {"execute_result",
         "{\"execution_count\":1,\"data\":{\"text\":\"x\"},\"metadata\":{}}",           false},
        {"execute_result",
         "{\"execution_count\":1,\"data\":{\"/x\":\"x\"},\"metadata\":{}}",             false},
        {"execute_result",
         "{\"execution_count\":1,\"data\":{\"a/\":\"x\"},\"metadata\":{}}",             false},
        {"execute_result",
         "{\"execution_count\":1,\"data\":{\"a/b/c\":\"x\"},\"metadata\":{}}",          false},
        {"error",          "{\"ename\":\"\",\"evalue\":\"\",\"traceback\":[]}",         true },
        {"error",          "{\"ename\":\"\",\"evalue\":\"\"}",                          false},
        {"complete_reply", "{\"status\":\"ok\",\"matches\":[],\"metadata\":{}}",        true },
        {"complete_reply", "{\"status\":\"ok\",\"matches\":[]}",                        false},
        {"complete_reply", "{\"status\":\"error\"}",                                    true },
        {"execute_reply",  "{}",                                                        false},
        {"done",           "{}",                                                        true },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct error err;
        print_message("  %s %s\n", cases[i].type, cases[i].content);
        assert_int_equal(content_check(messages_find(cases[i].type),
                                       slice_of(cases[i].content), &err),
                         cases[i].is_good ? 0 : -1);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rewrites_what_it_must),
        cmocka_unit_test(checks_what_clients_rely_on),
    };
    return cmocka_run_group_tests_name("display", tests, NULL, NULL);
}
