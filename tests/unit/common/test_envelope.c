#include "common/envelope.h"
#include "common/limits.h"
#include "tests/unit/unit.h"

/* An event with everything in it, and its bytes. */
static void
make(struct buffer *out)
{
    const struct slice buffers[] = {SLICE("abc"), SLICE("")};
    json_auto_t *line =
        json_pack("{s:i, s:s, s:s}", "seq", 41, "type", "comm_msg", "parent", "r1");
    struct error err;

    assert_int_equal(envelope_append(out, line, SLICE("{\"comm_id\":\"c\"}"),
                                     SLICE("{}"), buffers, 2, &err),
                     0);
}

static void
reads_back_what_it_wrote(void **state UNUSED)
{
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
    AUTO(envelope) struct envelope e = ENVELOPE_INIT;
    struct error err;

    make(&bytes);
    assert_int_equal(envelope_parse(buffer_slice(&bytes), &e, NULL, &err), bytes.len);
    assert_string_equal(e.type, "comm_msg");
    assert_string_equal(e.parent, "r1");
    assert_int_equal(e.seq, 41);
    assert_true(slice_equals(e.content, SLICE("{\"comm_id\":\"c\"}")));
    assert_true(slice_equals(e.metadata, SLICE("{}")));
    assert_int_equal(e.buffer_count, 2);
    assert_true(slice_equals(e.buffers[0], SLICE("abc")));
    assert_int_equal(e.buffers[1].len, 0);
}

static void
asks_for_more_on_every_truncation(void **state UNUSED)
{
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);

    make(&bytes);
    for (size_t len = 0; len < bytes.len; len++) {
        struct envelope e = ENVELOPE_INIT;
        struct error err;
        size_t needed = 0;
        assert_int_equal(
            envelope_parse((struct slice){bytes.data, len}, &e, &needed, &err), 0);
        assert_true(needed > len && needed <= bytes.len);
    }
}

static void
refuses_what_lies_about_itself(void **state UNUSED)
{
    static const struct slice cases[] = {
        SLICE("[]\n"),
        SLICE("nonsense\n"),
        SLICE("{}\n"),
        SLICE("{\"type\":\"\",\"bytes\":0}\n\n"),
        SLICE("{\"type\":\"x\",\"bytes\":-1}\n"),
        SLICE("{\"type\":\"x\",\"bytes\":\"5\"}\n"),
        SLICE("{\"type\":\"x\",\"bytes\":1e3}\n"),
        SLICE("{\"type\":\"x\",\"bytes\":268435457}\n"),
        SLICE("{\"type\":\"x\",\"buffers\":{}}\n"),
        SLICE("{\"type\":\"x\",\"buffers\":[-1]}\n"),
        SLICE("{\"type\":\"x\",\"buffers\":[268435456,1]}\n"),
        SLICE("{\"type\":\"x\",\"metadata\":1048577}\n"),
        SLICE("{\"type\":\"x\",\"type\":\"y\"}\n"),
        SLICE("{\"type\":\"x\",\"bytes\":1}\nab"),
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct envelope e = ENVELOPE_INIT;
        struct error err;
        print_message("  %.*s", (int)cases[i].len, cases[i].data);
        assert_int_equal(envelope_parse(cases[i], &e, NULL, &err), -1);
    }
}

static void
bounds_the_line_and_the_ids(void **state UNUSED)
{
    char line[LIMIT_ENVELOPE_LINE + 1];
    char id[LIMIT_REQUEST_ID + 2];
    struct envelope e = ENVELOPE_INIT;
    struct error err;

    memset(line, ' ', sizeof(line));
    line[0] = '{';
    assert_int_equal(
        envelope_parse((struct slice){line, LIMIT_ENVELOPE_LINE - 1}, &e, NULL, &err),
        0);
    assert_int_equal(
        envelope_parse((struct slice){line, LIMIT_ENVELOPE_LINE}, &e, NULL, &err), -1);
    for (size_t extra = 0; extra < 2; extra++) {
        AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX);
        memset(id, 'i', sizeof(id));
        id[LIMIT_REQUEST_ID + extra] = '\0';
        buffer_printf(&text, "{\"type\":\"x\",\"parent\":\"%s\"}\n\n", id);
        ssize_t used = envelope_parse(buffer_slice(&text), &e, NULL, &err);
        assert_int_equal(used, extra ? -1 : (ssize_t)text.len);
        envelope_release(&e);
    }
}

static void
leaves_the_output_alone_when_it_does_not_fit(void **state UNUSED)
{
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(40);
    json_auto_t *line = json_pack("{s:s}", "type", "x");
    struct error err;

    buffer_append_text(&bytes, "before");
    assert_int_equal(envelope_append(&bytes, line, SLICE("{\"a\":\"some content\"}"),
                                     SLICE(""), NULL, 0, &err),
                     -1);
    assert_int_equal(bytes.len, 6);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_back_what_it_wrote),
        cmocka_unit_test(asks_for_more_on_every_truncation),
        cmocka_unit_test(refuses_what_lies_about_itself),
        cmocka_unit_test(bounds_the_line_and_the_ids),
        cmocka_unit_test(leaves_the_output_alone_when_it_does_not_fit),
    };
    return cmocka_run_group_tests_name("envelope", tests, NULL, NULL);
}
