/* Which cells are about %%ask, and what is held back of an attempt. */
#include "common/limits.h"
#include "kernel/ask/ask_held.h"
#include "kernel/ask/ask_help.h"
#include "tests/unit/unit.h"

static void
knows_what_asks_for_help(void **state UNUSED)
{
    static const struct {
        const char *code;
        bool is_help;
    } rows[] = {
        {"%ask?",         true },
        {"%%ask??",       true },
        {" ?%ask\n",      true },
        {"?%%ask",        true },
        {"%ask",          false},
        {"%asked?",       false},
        {"%ask total?",   false},
        {"%%ask\ntotal?", false},
        {"ask?",          false},
        {"",              false},
        {"?",             false},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        print_message("  %s\n", rows[i].code);
        assert_int_equal(ask_help_is_for(rows[i].code), rows[i].is_help);
    }
}

static void
add(struct ask_held *held, const char *type, struct slice content)
{
    ask_held_add(held, &(struct envelope){.type = type, .content = content});
}

static void
notes_what_a_person_sees(void **state UNUSED)
{
    AUTO(ask_held) struct ask_held held;

    ask_held_init(&held);
    add(&held, "clear_output", SLICE("{\"wait\":false}"));
    add(&held, "error", SLICE("{\"ename\":\"E\",\"evalue\":\"\",\"traceback\":[]}"));
    assert_false(held.has_shown);
    add(&held, "stream", SLICE("{\"name\":\"stderr\",\"text\":\"no\"}"));
    assert_true(held.has_shown);
    assert_int_equal(held.printed.len, 0);
    add(&held, "stream", SLICE("{\"name\":\"stdout\",\"text\":\"yes\"}"));
    assert_string_equal(held.printed.data, "yes");
    ask_held_clear(&held);
    assert_false(held.has_shown);
    assert_int_equal(held.events.len, 0);
}

static void
keeps_the_end_of_what_was_printed(void **state UNUSED)
{
    AUTO(ask_held) struct ask_held held;

    ask_held_init(&held);
    for (int i = 0; i < 5000; i++)
        add(&held, "stream", SLICE("{\"name\":\"stdout\",\"text\":\"a\"}"));
    add(&held, "stream", SLICE("{\"name\":\"stdout\",\"text\":\"the end\"}"));
    assert_int_equal(held.printed.len, 4096);
    assert_string_equal(held.printed.data + 4096 - 7, "the end");
}

static void
holds_no_more_than_its_limit(void **state UNUSED)
{
    AUTO(ask_held) struct ask_held held;
    AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX);

    buffer_append_text(&text, "{\"name\":\"stdout\",\"text\":\"");
    memset(buffer_reserve(&text, MIB(1)), 'x', MIB(1));
    buffer_advance(&text, MIB(1));
    buffer_append_text(&text, "\"}");
    ask_held_init(&held);
    for (int i = 0; i < LIMIT_ASK_HELD_BYTES / (int)MIB(1); i++)
        add(&held, "stream", buffer_slice(&text));
    assert_true(held.is_over);
    assert_true(held.events.len <= LIMIT_ASK_HELD_BYTES);
    size_t before = held.events.len;
    add(&held, "clear_output", SLICE("{\"wait\":false}")); /* not after a gap */
    assert_int_equal(held.events.len, before);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_what_asks_for_help),
        cmocka_unit_test(notes_what_a_person_sees),
        cmocka_unit_test(keeps_the_end_of_what_was_printed),
        cmocka_unit_test(holds_no_more_than_its_limit),
    };

    return cmocka_run_group_tests_name("ask", tests, NULL, NULL);
}
