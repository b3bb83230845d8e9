/* The memory is a worker's: it holds what it should, or anything at all. */
#include "common/buffer.h"
#include "common/limits.h"
#include "sandbox/running/output_journal.h"
#include "tests/unit/unit.h"

#define BEFORE_NONE "\0\0\0\0\0\0\0\0"
#define BEFORE_TEN  "\x0a\0\0\0\0\0\0\0"

static void
note(void *context, const char *stream, const char *parent, struct slice text)
{
    struct buffer *out = context;

    buffer_printf(out, "%s[%s]", stream, parent);
    buffer_append(out, text.data, text.len);
    buffer_append_text(out, "|");
}

static void
assert_told(struct slice memory, uint64_t said, const char *told)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);

    output_journal_parse(memory, said, note, &out);
    assert_string_equal(out.data ? out.data : "", told);
}

static void
tells_whose_text_it_is(void **state UNUSED)
{
    static const struct slice memory = SLICE(BEFORE_NONE "\xfe"
                                                         "1a\xfe"
                                                         "one\n"
                                                         "\xfe"
                                                         "2a\xfe"
                                                         "two\n"
                                                         "\xfe"
                                                         "1\xfe"
                                                         "three\0\0\0");

    assert_told(memory, 0, "stdout[a]one\n|stderr[a]two\n|stdout[]three|");
    assert_told(memory, 3, "stdout[a]\n|stderr[a]two\n|stdout[]three|");
    assert_told(memory, 4, "stderr[a]two\n|stdout[]three|");
    assert_told(memory, 5, "stderr[a]wo\n|stdout[]three|");
    assert_told(memory, 13, "");
    assert_told(memory, UINT64_MAX, "");
}

static void
does_not_tell_again_what_was_before(void **state UNUSED)
{
    static const struct slice memory = SLICE(BEFORE_TEN "\xfe"
                                                        "1a\xfe"
                                                        "text");

    assert_told(memory, 0, "stdout[a]text|");
    assert_told(memory, 10, "stdout[a]text|");
    assert_told(memory, 12, "stdout[a]xt|");
}

static void
stops_where_it_makes_no_sense(void **state UNUSED)
{
    char name[LIMIT_REQUEST_ID + 16] = BEFORE_NONE;

    assert_told(SLICE(""), 0, "");
    assert_told(SLICE("\1\2\3"), 0, "");
    assert_told(SLICE(BEFORE_TEN), 0, "");
    assert_told(SLICE(BEFORE_NONE "a\xfe"), 0, "stdout[]a|");
    assert_told(SLICE(BEFORE_NONE "a\xfe"
                                  "1"),
                0, "stdout[]a|");
    assert_told(SLICE(BEFORE_NONE "\xfe"
                                  "3a\xfe"
                                  "text"),
                0, "");
    assert_told(SLICE(BEFORE_NONE "\xfe\xfe"
                                  "text"),
                0, "");
    memset(name + 8, 'n', sizeof(name) - 8);
    name[8] = '\xfe';
    name[9] = '1';
    name[10 + LIMIT_REQUEST_ID + 1] = '\xfe'; /* one byte too far */
    assert_told((struct slice){name, sizeof(name)}, 0, "");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_whose_text_it_is),
        cmocka_unit_test(does_not_tell_again_what_was_before),
        cmocka_unit_test(stops_where_it_makes_no_sense),
    };
    return cmocka_run_group_tests_name("output_journal", tests, NULL, NULL);
}
