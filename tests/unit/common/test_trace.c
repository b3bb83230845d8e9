#include "common/trace.h"
#include "tests/unit/unit.h"

#define ID   "0af7651916cd43dd8448eb211c80319c"
#define SPAN "b7ad6b7169203331"

static void
reads_what_the_specification_gives_as_an_example(void **state UNUSED)
{
    struct trace_id trace;

    assert_true(trace_read("00-" ID "-" SPAN "-01", &trace));
    assert_string_equal(trace.text, ID);
}

static void
refuses_what_is_not_one(void **state UNUSED)
{
    static const char *const headers[] = {
        NULL,
        "",
        "00-" ID "-" SPAN,
        "00-" ID "-" SPAN "-01-more",
        "01-" ID "-" SPAN "-01",
        "ff-" ID "-" SPAN "-01",
        "00-00000000000000000000000000000000-" SPAN "-01",
        "00-" ID "-0000000000000000-01",
        "00-0AF7651916CD43DD8448EB211C80319C-" SPAN "-01",
        "00-0af7651916cd43dd8448eb211c80319\"-" SPAN "-01",
        "00-" ID "-b7ad6b716920333\n-01",
        "00-" ID "-" SPAN "-0g",
        "00_" ID "-" SPAN "-01",
        "00-" ID "+" SPAN "-01",
        "00-" ID "-" SPAN "+01",
    };

    for (size_t i = 0; i < COUNT_OF(headers); i++) {
        struct trace_id trace = {ID};
        assert_false(trace_read(headers[i], &trace));
        assert_string_equal(trace.text, "");
    }
}

static void
writes_what_it_reads(void **state UNUSED)
{
    struct trace_id first, second, read;
    char header[TRACE_PARENT_LEN + 1], again[TRACE_PARENT_LEN + 1];

    trace_begin(&first);
    trace_begin(&second);
    assert_string_not_equal(first.text, second.text);
    trace_write(&first, header);
    trace_write(&first, again);
    assert_true(trace_read(header, &read));
    assert_string_equal(read.text, first.text);
    assert_string_not_equal(header, again); /* each call has a span of its own */
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_the_specification_gives_as_an_example),
        cmocka_unit_test(refuses_what_is_not_one),
        cmocka_unit_test(writes_what_it_reads),
    };
    return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
