#include "kernel/dispatch.h"
#include "tests/unit/unit.h"

static void
each_reply_is_named_after_its_request(void **state UNUSED)
{
    static const char *const types[] = {
        "execute_request",     "complete_request", "inspect_request",
        "is_complete_request", "history_request",  "comm_info_request",
        "kernel_info_request", "connect_request",  "interrupt_request",
        "shutdown_request",
    };

    for (size_t i = 0; i < COUNT_OF(types); i++) {
        const struct message_type *type = dispatch_find(types[i], CHANNEL_SHELL);
        size_t stem = strlen(types[i]) - strlen("request");
        assert_non_null(type);
        assert_string_equal(type->type, types[i]);
        assert_memory_equal(messages_name(type->reply), types[i], stem);
        assert_string_equal(messages_name(type->reply) + stem, "reply");
        assert_ptr_equal(dispatch_find(types[i], CHANNEL_CONTROL), type);
    }
}

static void
comms_have_no_reply_and_come_on_shell(void **state UNUSED)
{
    static const char *const types[] = {"comm_open", "comm_msg", "comm_close"};

    for (size_t i = 0; i < COUNT_OF(types); i++) {
        const struct message_type *type = dispatch_find(types[i], CHANNEL_SHELL);
        assert_int_equal(messages_row(type->reply)->channels, 0);
        assert_null(dispatch_find(types[i], CHANNEL_CONTROL));
    }
}

static void
usage_comes_on_control(void **state UNUSED)
{
    assert_non_null(dispatch_find("usage_request", CHANNEL_CONTROL));
    assert_null(dispatch_find("usage_request", CHANNEL_SHELL));
}

static void
debug_requests_come_on_control(void **state UNUSED)
{
    assert_non_null(dispatch_find("debug_request", CHANNEL_CONTROL));
    assert_null(dispatch_find("debug_request", CHANNEL_SHELL));
}

static void
subshells_are_asked_for_on_control(void **state UNUSED)
{
    static const char *const types[] = {
        "create_subshell_request", "delete_subshell_request", "list_subshell_request"};

    for (size_t i = 0; i < COUNT_OF(types); i++) {
        assert_non_null(dispatch_find(types[i], CHANNEL_CONTROL));
        assert_null(dispatch_find(types[i], CHANNEL_SHELL));
    }
}

static void
knows_no_other_type(void **state UNUSED)
{
    static const char *const types[] = {"",
                                        "execute",
                                        "execute_reply",
                                        "Execute_request",
                                        "execute_request ",
                                        "subshell_request",
                                        "announce_request",
                                        "command_request",
                                        "attempt_request",
                                        "input_reply"};

    for (size_t i = 0; i < COUNT_OF(types); i++) {
        assert_null(dispatch_find(types[i], CHANNEL_SHELL));
        assert_null(dispatch_find(types[i], CHANNEL_CONTROL));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_reply_is_named_after_its_request),
        cmocka_unit_test(comms_have_no_reply_and_come_on_shell),
        cmocka_unit_test(usage_comes_on_control),
        cmocka_unit_test(debug_requests_come_on_control),
        cmocka_unit_test(subshells_are_asked_for_on_control),
        cmocka_unit_test(knows_no_other_type),
    };
    return cmocka_run_group_tests_name("dispatch", tests, NULL, NULL);
}
