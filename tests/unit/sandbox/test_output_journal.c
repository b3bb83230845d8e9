/* The memory is a worker's: it holds what it should, or anything at all. */
#include "common/buffer.h"
#include "common/limits.h"
#include "sandbox/running/output_journal.h"
#include "tests/unit/unit.h"

static void
note(void *context, const char *stream, const char *parent, struct slice text)
{
    struct buffer *out = context;

    buffer_printf(out, "%s[%s]", stream, parent);
    buffer_append(out, text.data, text.len);
    buffer_append_text(out, "|");
}

static struct journal_memory memory;

/* What a worker has kept, and nothing else. */
static void
set_text(uint64_t before, struct slice text)
{
    memset(&memory, 0, sizeof(memory));
    memory.before = before;
    memcpy(memory.text, text.data, text.len);
}

static void
set_piece(int stream, uint32_t put_at, const char *bytes)
{
    struct journal_piece *piece = &memory.pieces[stream];

    *piece = (struct journal_piece){.is_taken = 1, .put_at = put_at};
    memcpy(piece->bytes, bytes, strlen(bytes));
}

static void
assert_told(uint64_t said, const char *told)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);

    output_journal_parse(&memory, said, "now", note, &out);
    assert_string_equal(out.data ? out.data : "", told);
}

static void
assert_text_told(struct slice text, const char *told)
{
    set_text(0, text);
    assert_told(0, told);
}

static void
tells_whose_text_it_is(void **state UNUSED)
{
    set_text(0, SLICE("\xfe"
                      "1a\xfe"
                      "one\n"
                      "\xfe"
                      "2a\xfe"
                      "two\n"
                      "\xfe"
                      "1\xfe"
                      "three"));
    assert_told(0, "stdout[a]one\n|stderr[a]two\n|stdout[]three|");
    assert_told(3, "stdout[a]\n|stderr[a]two\n|stdout[]three|");
    assert_told(4, "stderr[a]two\n|stdout[]three|");
    assert_told(5, "stderr[a]wo\n|stdout[]three|");
    assert_told(13, "");
    assert_told(UINT64_MAX, "");
}

static void
does_not_tell_again_what_was_before(void **state UNUSED)
{
    set_text(10, SLICE("\xfe"
                       "1a\xfe"
                       "text"));
    assert_told(0, "stdout[a]text|");
    assert_told(10, "stdout[a]text|");
    assert_told(12, "stdout[a]xt|");
}

static void
tells_what_was_taken_out_of_the_pipes(void **state UNUSED)
{
    set_text(0, SLICE("\xfe"
                      "1a\xfe"
                      "text"));
    set_piece(1, 0, "two");
    assert_told(0, "stdout[a]text|stderr[now]two|");
    set_piece(0, 0, "one");
    assert_told(4, "stdout[now]one|stderr[now]two|");
    memory.pieces[0].is_taken = memory.pieces[1].is_taken = 0;
    assert_told(0, "stdout[a]text|");
}

/* A worker dies anywhere in the middle of it: each byte is told once. */
static void
does_not_tell_twice_what_was_being_put(void **state UNUSED)
{
    static const struct slice kept = SLICE("\xfe"
                                           "1a\xfe"
                                           "text");
    static const struct slice put = SLICE("\xfe"
                                          "2a\xfe"
                                          "piece");

    for (size_t copied = 0; copied <= put.len; copied++) {
        set_text(0, kept);
        set_piece(1, (uint32_t)kept.len + 1, "piece");
        memcpy(memory.text + kept.len, put.data, copied);
        assert_told(0, "stdout[a]text|stderr[now]piece|");
    }
    memory.pieces[1].is_taken = 0;
    assert_told(0, "stdout[a]text|stderr[a]piece|");
}

static void
stops_where_it_makes_no_sense(void **state UNUSED)
{
    char name[LIMIT_REQUEST_ID + 16];

    assert_text_told(SLICE(""), "");
    assert_text_told(SLICE("a\xfe"), "stdout[]a|");
    assert_text_told(SLICE("a\xfe"
                           "1"),
                     "stdout[]a|");
    assert_text_told(SLICE("\xfe"
                           "3a\xfe"
                           "text"),
                     "");
    assert_text_told(SLICE("\xfe\xfe"
                           "text"),
                     "");
    memset(name, 'n', sizeof(name));
    name[0] = '\xfe';
    name[1] = '1';
    name[2 + LIMIT_REQUEST_ID + 1] = '\xfe'; /* one byte too far */
    assert_text_told((struct slice){name, sizeof(name)}, "");
    set_text(0, SLICE("text"));
    set_piece(0, UINT32_MAX, "piece");
    assert_told(0, "stdout[]text|stdout[now]piece|");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_whose_text_it_is),
        cmocka_unit_test(does_not_tell_again_what_was_before),
        cmocka_unit_test(tells_what_was_taken_out_of_the_pipes),
        cmocka_unit_test(does_not_tell_twice_what_was_being_put),
        cmocka_unit_test(stops_where_it_makes_no_sense),
    };
    return cmocka_run_group_tests_name("output_journal", tests, NULL, NULL);
}
