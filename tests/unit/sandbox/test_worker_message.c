#include <stdio.h>

#include "sandbox/messages/worker_message.h"
#include "tests/unit/unit.h"

/* One request has ended ("old"), one runs ("now", of the given type), one waits. */
static struct request_queue *
queue_with(const char *type)
{
    struct request_queue *queue = request_queue_new();
    const char *const requests[][2] = {
        {"execute_request", "old" },
        {type,              "now" },
        {"execute_request", "next"}
    };
    struct error err;

    for (size_t i = 0; i < COUNT_OF(requests); i++) {
        AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
        buffer_printf(&bytes, "{\"type\":\"%s\",\"id\":\"%s\"}\n\n", requests[i][0],
                      requests[i][1]);
        assert_int_equal(request_queue_add(queue, &bytes, &err), 0);
    }
    request_queue_start(queue);
    request_queue_end(queue);
    request_queue_start(queue);
    return queue;
}

static int
check(const char *type, const char *parent, const struct worker_talk *talk,
      enum worker_message_kind *kind)
{
    const struct envelope e = {.type = type, .parent = parent, .id = ""};
    struct error err = {.text = ""};
    int result = worker_message_check(&e, talk, kind, &err);

    print_message("  %s for %s: %s\n", type, parent, result < 0 ? err.text : "allowed");
    return result;
}

static void
lets_output_belong_to_any_known_request_or_none(void **state UNUSED)
{
    static const char *const types[] = {
        "stream",         "display_data", "update_display_data",
        "execute_result", "error",        "clear_output",
        "comm_open",      "comm_msg",     "comm_close"};
    AUTO(request_queue) struct request_queue *queue = queue_with("execute_request");
    const struct worker_talk talk = {.said_hello = true, .requests = queue};

    for (size_t i = 0; i < COUNT_OF(types); i++) {
        enum worker_message_kind kind;
        assert_int_equal(check(types[i], "now", &talk, &kind), 0);
        assert_int_equal(kind, WORKER_OUTPUT);
        assert_int_equal(check(types[i], "old", &talk, &kind), 0);
        assert_int_equal(check(types[i], "next", &talk, &kind), -1);
        assert_int_equal(check(types[i], "never", &talk, &kind), -1);
        assert_int_equal(check(types[i], "", &talk, &kind), 0);
    }
}

static void
ends_a_request_with_its_own_reply_only(void **state UNUSED)
{
    static const char *const pairs[][2] = {
        {"execute_request",     "execute_reply"    },
        {"complete_request",    "complete_reply"   },
        {"inspect_request",     "inspect_reply"    },
        {"is_complete_request", "is_complete_reply"},
        {"history_request",     "history_reply"    },
        {"comm_info_request",   "comm_info_reply"  },
        {"command_request",     "command_reply"    },
        {"profile_request",     "profile_reply"    },
        {"comm_open",           "done"             },
        {"comm_msg",            "done"             },
        {"comm_close",          "done"             },
    };

    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        AUTO(request_queue) struct request_queue *queue = queue_with(pairs[i][0]);
        const struct worker_talk talk = {.said_hello = true, .requests = queue};
        for (size_t j = 0; j < COUNT_OF(pairs); j++) {
            bool fits = strcmp(pairs[i][1], pairs[j][1]) == 0;
            enum worker_message_kind kind;
            assert_int_equal(check(pairs[j][1], "now", &talk, &kind), fits ? 0 : -1);
            if (fits)
                assert_int_equal(kind, WORKER_ENDS);
            assert_int_equal(check(pairs[j][1], "old", &talk, &kind), -1);
        }
    }
}

static void
hears_of_a_debugger_only_what_it_was_asked_and_events(void **state UNUSED)
{
    static const struct {
        const char *type, *parent;
        int result;
        bool ends;
    } cases[] = {
        {"debug_event",   "",      0,  false},
        {"debug_reply",   "aside", 0,  true },
        {"debug_event",   "aside", -1, false},
        {"debug_reply",   "now",   -1, false},
        {"debug_reply",   "",      -1, false},
        {"execute_reply", "now",   -1, false},
        {"execute_reply", "aside", -1, false},
        {"stream",        "now",   -1, false},
        {"nonsense",      "",      -1, false},
    };
    AUTO(request_queue) struct request_queue *queue = queue_with("execute_request");
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
    struct worker_talk talk = {.said_hello = true, .requests = queue};
    enum worker_message_kind kind;
    struct error err;
    bool ends;

    buffer_append_text(&bytes, "{\"type\":\"debug_request\",\"id\":\"aside\"}\n\n");
    assert_int_equal(request_queue_add(queue, &bytes, &err), 0);
    assert_non_null(request_queue_start_aside(queue));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct envelope e = {
            .type = cases[i].type, .parent = cases[i].parent, .id = ""};
        assert_int_equal(worker_message_check_aside(&e, queue, &ends, &err),
                         cases[i].result);
        assert_true(cases[i].result < 0 || ends == cases[i].ends);
    }
    assert_int_equal(check("debug_event", "", &talk, &kind), -1);
    assert_int_equal(check("debug_reply", "aside", &talk, &kind), -1);
    assert_int_equal(check("debugger", "now", &talk, &kind), 0);
    assert_int_equal(kind, WORKER_DEBUGS);
}

static void
hears_of_a_request_beside_what_it_answers_and_no_more(void **state UNUSED)
{
    static const struct {
        const char *type;
        int result;
        enum worker_message_kind kind;
    } cases[] = {
        {"execute_input",      0,  WORKER_BEGINS_BESIDE},
        {"stream",             0,  WORKER_OUTPUT       },
        {"execute_result",     0,  WORKER_OUTPUT       },
        {"execute_reply",      0,  WORKER_ENDS_BESIDE  },
        {"complete_reply",     -1, 0                   },
        {"done",               -1, 0                   },
        {"input_request",      -1, 0                   },
        {"notice",             -1, 0                   },
        {"checkpoints_wanted", -1, 0                   },
        {"debugger",           -1, 0                   },
        {"debug_event",        -1, 0                   },
    };
    AUTO(request_queue) struct request_queue *queue = queue_with("complete_request");
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
    struct worker_talk talk = {.said_hello = true, .requests = queue};
    enum worker_message_kind kind;
    struct error err;

    buffer_append_text(
        &bytes, "{\"type\":\"execute_request\",\"id\":\"b\",\"beside\":\"s\"}\n\n");
    assert_int_equal(request_queue_add(queue, &bytes, &err), 0);
    assert_int_equal(check("stream", "b", &talk, &kind), -1); /* it waits still */
    assert_int_equal(check("execute_reply", "b", &talk, &kind), -1);
    struct request *open = request_queue_start_beside(queue);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(check(cases[i].type, "b", &talk, &kind), cases[i].result);
        assert_true(cases[i].result < 0 || kind == cases[i].kind);
    }
    open->has_begun = true;
    assert_int_equal(check("execute_input", "b", &talk, &kind), -1);
    assert_int_equal(check("complete_reply", "now", &talk, &kind), 0);
    assert_int_equal(kind, WORKER_ENDS);
    request_queue_end_beside(queue, "b");
    assert_int_equal(check("execute_reply", "b", &talk, &kind), -1);
}

static void
wants_one_hello_and_wants_it_first(void **state UNUSED)
{
    AUTO(request_queue) struct request_queue *queue = queue_with("execute_request");
    struct worker_talk talk = {.said_hello = false, .requests = queue};
    enum worker_message_kind kind;

    assert_int_equal(check("stream", "now", &talk, &kind), -1);
    assert_int_equal(check("hello", "now", &talk, &kind), -1);
    assert_int_equal(check("hello", "", &talk, &kind), 0);
    assert_int_equal(kind, WORKER_HELLO);
    talk.said_hello = true;
    assert_int_equal(check("hello", "", &talk, &kind), -1);
}

static void
allows_one_question_at_a_time(void **state UNUSED)
{
    AUTO(request_queue) struct request_queue *queue = queue_with("execute_request");
    struct worker_talk talk = {.said_hello = true, .requests = queue};
    enum worker_message_kind kind;

    assert_int_equal(check("input_request", "old", &talk, &kind), -1);
    assert_int_equal(check("input_request", "now", &talk, &kind), 0);
    assert_int_equal(kind, WORKER_ASKS);
    talk.asks = true;
    assert_int_equal(check("input_request", "now", &talk, &kind), -1);
}

static void
refuses_what_is_not_the_workers_to_say(void **state UNUSED)
{
    static const char *const types[] = {"status",
                                        "execute_request",
                                        "input_reply",
                                        "kernel_info_reply",
                                        "sandbox_ready",
                                        "worker_exited",
                                        "worker_started",
                                        "shutdown_reply",
                                        "debug_event",
                                        "iopub_welcome",
                                        "Stream",
                                        "stream ",
                                        "x"};
    AUTO(request_queue) struct request_queue *queue = queue_with("execute_request");
    const struct worker_talk talk = {.said_hello = true, .requests = queue};
    enum worker_message_kind kind;

    for (size_t i = 0; i < COUNT_OF(types); i++)
        assert_int_equal(check(types[i], "now", &talk, &kind), -1);
}

static void
cannot_announce_a_cell_that_is_not_the_running_one(void **state UNUSED)
{
    static const char *const counted[] = {"execute_request", "announce_request"};
    static const char *const others[] = {"complete_request", "attempt_request",
                                         "check_request", "comm_msg"};
    enum worker_message_kind kind;

    for (size_t i = 0; i < COUNT_OF(counted); i++) {
        AUTO(request_queue) struct request_queue *queue = queue_with(counted[i]);
        struct worker_talk talk = {.said_hello = true, .requests = queue};
        assert_int_equal(check("execute_input", "now", &talk, &kind), 0);
        assert_int_equal(kind, WORKER_BEGINS);
        assert_int_equal(check("execute_input", "old", &talk, &kind), -1);
        assert_int_equal(check("execute_input", "next", &talk, &kind), -1);
        assert_int_equal(check("execute_input", "", &talk, &kind), -1);
        talk.has_begun = true;
        assert_int_equal(check("execute_input", "now", &talk, &kind), -1);
    }
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        AUTO(request_queue) struct request_queue *queue = queue_with(others[i]);
        const struct worker_talk talk = {.said_hello = true, .requests = queue};
        assert_int_equal(check("execute_input", "now", &talk, &kind), -1);
    }
}

static void
cannot_carry_more_than_its_row_says(void **state UNUSED)
{
    AUTO(request_queue) struct request_queue *queue = queue_with("execute_request");
    const struct worker_talk talk = {.said_hello = true, .requests = queue};
    struct slice part = SLICE("{}");
    struct error err;

    for (int id = 1; id < MESSAGES; id++) {
        const struct message_type *type = messages_row(id);
        struct envelope e = {.type = type->type, .parent = "now", .id = ""};
        enum worker_message_kind kind;
        if (worker_message_check(&e, &talk, &kind, &err) < 0)
            continue;
        e.metadata = part;
        assert_int_equal(worker_message_check(&e, &talk, &kind, &err),
                         type->carries & CARRIES_METADATA ? 0 : -1);
        e.metadata = SLICE("");
        e.buffers = &part;
        e.buffer_count = 1;
        assert_int_equal(worker_message_check(&e, &talk, &kind, &err),
                         type->carries & CARRIES_BUFFERS ? 0 : -1);
    }
}

static void
ends_nothing_when_nothing_runs(void **state UNUSED)
{
    AUTO(request_queue) struct request_queue *queue = queue_with("execute_request");
    const struct worker_talk talk = {.said_hello = true, .requests = queue};
    enum worker_message_kind kind;

    request_queue_end(queue);
    assert_int_equal(check("execute_reply", "now", &talk, &kind), -1);
    assert_int_equal(check("execute_reply", "next", &talk, &kind), -1);
    assert_int_equal(check("input_request", "now", &talk, &kind), -1);
    assert_int_equal(check("stream", "now", &talk, &kind), 0);
}

static void
reads_a_hello_and_nothing_like_it(void **state UNUSED)
{
    static const char *const bad[] = {
        "",
        "{}",
        "[]",
        "{\"python\":\"3\"}",
        "{\"python\":3,\"packages\":{}}",
        "{\"python\":\"3\",\"packages\":[]}",
        "{\"python\":\"3\",\"packages\":{\"a\":1}}",
        "{\"python\":\"3\",\"packages\":{\"a\":{}}}",
        "{\"python\":\"3\",\"packages\":{\"a\":NaN}}",
    };
    struct error err;
    json_auto_t *hello = worker_message_parse_hello(
        SLICE("{\"python\":\"3.11\",\"packages\":{\"a\":\"1\"},\"more\":[]}"), &err);

    assert_non_null(hello);
    assert_int_equal(json_object_size(hello), 2);
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_null(worker_message_parse_hello(slice_of(bad[i]), &err));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lets_output_belong_to_any_known_request_or_none),
        cmocka_unit_test(ends_a_request_with_its_own_reply_only),
        cmocka_unit_test(hears_of_a_request_beside_what_it_answers_and_no_more),
        cmocka_unit_test(hears_of_a_debugger_only_what_it_was_asked_and_events),
        cmocka_unit_test(wants_one_hello_and_wants_it_first),
        cmocka_unit_test(allows_one_question_at_a_time),
        cmocka_unit_test(refuses_what_is_not_the_workers_to_say),
        cmocka_unit_test(cannot_announce_a_cell_that_is_not_the_running_one),
        cmocka_unit_test(cannot_carry_more_than_its_row_says),
        cmocka_unit_test(ends_nothing_when_nothing_runs),
        cmocka_unit_test(reads_a_hello_and_nothing_like_it),
    };
    return cmocka_run_group_tests_name("worker_message", tests, NULL, NULL);
}
