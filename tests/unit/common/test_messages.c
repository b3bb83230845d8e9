/* What holds of the list of messages as a whole. */
#include <ctype.h>

#include "common/messages.h"
#include "tests/unit/unit.h"

static const char *const ids[MESSAGES] = {
#define MESSAGE(ID, ...) [MESSAGE_##ID] = #ID,
#include "common/messages.def"
};

static void
each_id_is_its_type_in_capitals(void **state UNUSED)
{
    for (int id = 1; id < MESSAGES; id++) {
        const char *name = messages_name(id);
        print_message("  %s\n", name);
        assert_int_equal(strlen(ids[id]), strlen(name));
        for (size_t i = 0; name[i]; i++)
            assert_int_equal(ids[id][i], toupper(name[i]));
        assert_ptr_equal(messages_find(name), messages_row(id));
    }
    assert_null(messages_find(""));
    assert_null(messages_find("Stream"));
}

static void
what_is_asked_has_a_reply_and_nothing_else_has(void **state UNUSED)
{
    for (int id = 1; id < MESSAGES; id++) {
        const struct message_type *type = messages_row(id);
        bool is_asked = messages_is_for_worker(type) ||
                        type->kind == MESSAGE_IS_QUERY ||
                        type->kind == MESSAGE_IS_QUESTION;
        print_message("  %s\n", type->type);
        assert_int_equal(type->reply != MESSAGE_NONE, is_asked);
        if (messages_is_for_worker(type) || type->kind == MESSAGE_IS_QUERY)
            assert_int_equal(messages_row(type->reply)->kind, MESSAGE_IS_REPLY);
    }
}

static void
a_worker_says_only_what_has_a_phase(void **state UNUSED)
{
    for (int id = 1; id < MESSAGES; id++) {
        const struct message_type *type = messages_row(id);
        print_message("  %s\n", type->type);
        assert_int_equal(type->phase != PHASE_NEVER, (type->senders & BY_WORKER) != 0);
    }
}

static void
each_list_of_fields_has_an_end(void **state UNUSED)
{
    for (int id = 1; id < MESSAGES; id++)
        assert_null(messages_row(id)->fields[MESSAGE_FIELDS - 1].name);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_id_is_its_type_in_capitals),
        cmocka_unit_test(what_is_asked_has_a_reply_and_nothing_else_has),
        cmocka_unit_test(a_worker_says_only_what_has_a_phase),
        cmocka_unit_test(each_list_of_fields_has_an_end),
    };

    return cmocka_run_group_tests_name("messages", tests, NULL, NULL);
}
