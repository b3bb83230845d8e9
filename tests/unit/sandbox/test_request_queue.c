#include <stdio.h>

#include "common/envelope.h"
#include "common/limits.h"
#include "sandbox/messages/request_queue.h"
#include "tests/unit/unit.h"

static int
add(struct request_queue *queue, const char *type, const char *id, struct error *err)
{
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
    json_auto_t *line = json_pack("{s:s, s:s}", "type", type, "id", id);

    assert_int_equal(
        envelope_append(&bytes, line, SLICE("{}"), SLICE(""), NULL, 0, err), 0);
    return request_queue_add(queue, &bytes, err);
}

static void
runs_one_at_a_time_in_the_order_of_arrival(void **state UNUSED)
{
    AUTO(request_queue) struct request_queue *queue = request_queue_new();
    struct error err;

    assert_null(request_queue_start(queue));
    assert_int_equal(add(queue, "execute_request", "a", &err), 0);
    assert_int_equal(add(queue, "comm_msg", "b", &err), 0);
    assert_int_equal(request_queue_waiting(queue), 2);
    const struct request *first = request_queue_start(queue);
    assert_string_equal(first->id, "a");
    assert_int_equal(first->type->reply, MESSAGE_EXECUTE_REPLY);
    assert_true(request_queue_is_running(queue, "a"));
    assert_false(request_queue_is_running(queue, "b"));
    request_queue_end(queue);
    assert_null(request_queue_running(queue));
    assert_int_equal(request_queue_start(queue)->type->reply, MESSAGE_DONE);
    assert_true(request_queue_knows(queue, "a"));
    assert_false(request_queue_knows(queue, "c"));
}

static void
asides_overtake_and_are_open_beside_what_runs(void **state UNUSED)
{
    AUTO(request_queue) struct request_queue *queue = request_queue_new();
    struct error err;

    assert_null(request_queue_start_aside(queue));
    assert_int_equal(add(queue, "execute_request", "runs", &err), 0);
    request_queue_start(queue);
    assert_int_equal(add(queue, "execute_request", "waits", &err), 0);
    assert_int_equal(add(queue, "debug_request", "aside", &err), 0);
    assert_string_equal(request_queue_start_aside(queue)->id, "aside");
    assert_null(request_queue_start_aside(queue));
    assert_true(request_queue_is_aside(queue, "aside", MESSAGE_DEBUG_REPLY));
    assert_false(request_queue_is_aside(queue, "aside", MESSAGE_EXECUTE_REPLY));
    assert_false(request_queue_is_aside(queue, "runs", MESSAGE_EXECUTE_REPLY));
    request_queue_end_aside(queue, "nobody");
    request_queue_end_aside(queue, "aside");
    assert_null(request_queue_first_aside(queue));
    assert_int_equal(add(queue, "comm_msg", "last", &err), 0); /* the tail is whole */
    request_queue_end(queue);
    assert_string_equal(request_queue_start(queue)->id, "waits");
    request_queue_end(queue);
    assert_string_equal(request_queue_start(queue)->id, "last");
}

static void
so_many_asides_are_open_and_the_next_one_waits(void **state UNUSED)
{
    AUTO(request_queue) struct request_queue *queue = request_queue_new();
    struct error err;
    char id[16];

    for (int i = 0; i <= LIMIT_ASIDES; i++) {
        snprintf(id, sizeof(id), "%d", i);
        assert_int_equal(add(queue, "debug_request", id, &err), 0);
    }
    for (int i = 0; i < LIMIT_ASIDES; i++)
        assert_non_null(request_queue_start_aside(queue));
    assert_null(request_queue_start_aside(queue));
    request_queue_end_aside(queue, "0");
    assert_string_equal(request_queue_start_aside(queue)->id, id);
}

static int
add_beside(struct request_queue *queue, const char *type, const char *id,
           const char *where)
{
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
    struct error err;

    buffer_printf(&bytes, "{\"type\":\"%s\",\"id\":\"%s\",\"beside\":%s}\n\n", type, id,
                  where);
    return request_queue_add(queue, &bytes, &err);
}

static void
besides_do_not_wait_for_what_runs(void **state UNUSED)
{
    AUTO(request_queue) struct request_queue *queue = request_queue_new();
    struct error err;

    assert_null(request_queue_start_beside(queue));
    assert_int_equal(add(queue, "execute_request", "runs", &err), 0);
    request_queue_start(queue);
    assert_int_equal(add_beside(queue, "execute_request", "one", "\"s\""), 0);
    assert_int_equal(add(queue, "execute_request", "waits", &err), 0);
    assert_int_equal(add_beside(queue, "comm_msg", "two", "\"\""), 0);
    assert_int_equal(request_queue_waiting(queue), 3);
    assert_int_equal(add_beside(queue, "execute_request", "one", "\"s\""), 1);
    assert_string_equal(request_queue_newest(queue)->id, "waits");
    assert_false(request_queue_knows(queue, "one"));
    assert_string_equal(request_queue_start_beside(queue)->id, "one");
    assert_string_equal(request_queue_start_beside(queue)->id, "two");
    assert_null(request_queue_start_beside(queue));
    assert_true(request_queue_knows(queue, "one"));
    assert_false(request_queue_is_running(queue, "one"));
    assert_non_null(request_queue_find_beside(queue, "one"));
    assert_null(request_queue_find_beside(queue, "runs"));
    request_queue_end_beside(queue, "runs");
    request_queue_end_beside(queue, "one");
    assert_null(request_queue_find_beside(queue, "one"));
    assert_true(request_queue_has_besides(queue));
    request_queue_end_beside(queue, "two");
    assert_false(request_queue_has_besides(queue));
    assert_string_equal(request_queue_next(queue)->id, "waits");
}

/* A debugger has a channel of its own; what is not a name is not a place. */
static void
takes_only_what_names_a_place_for_beside(void **state UNUSED)
{
    AUTO(request_queue) struct request_queue *queue = request_queue_new();

    assert_int_equal(add_beside(queue, "debug_request", "a", "\"s\""), 0);
    assert_int_equal(add_beside(queue, "execute_request", "b", "7"), 0);
    assert_int_equal(add_beside(queue, "execute_request", "c", "null"), 0);
    assert_false(request_queue_has_besides(queue));
}

static void
so_many_besides_are_open_and_the_next_one_waits(void **state UNUSED)
{
    AUTO(request_queue) struct request_queue *queue = request_queue_new();
    char id[16];

    for (int i = 0; i <= LIMIT_BESIDES; i++) {
        snprintf(id, sizeof(id), "%d", i);
        assert_int_equal(add_beside(queue, "execute_request", id, "\"s\""), 0);
    }
    for (int i = 0; i < LIMIT_BESIDES; i++)
        assert_non_null(request_queue_start_beside(queue));
    assert_null(request_queue_start_beside(queue));
    request_queue_end_beside(queue, "7");
    assert_string_equal(request_queue_start_beside(queue)->id, id);
}

static void
refuses_what_is_no_request(void **state UNUSED)
{
    static const struct {
        const char *name, *bytes;
    } cases[] = {
        {"nothing",                ""                                                },
        {"no envelope",            "hello\n"                                         },
        {"half of one",
         "{\"type\":\"execute_request\",\"id\":\"a\",\"bytes\":9}\n{}\n"             },
        {"more than one",          "{\"type\":\"execute_request\",\"id\":\"a\"}\n\nx"},
        {"another type",           "{\"type\":\"shutdown_request\",\"id\":\"a\"}\n\n"},
        {"an input_reply",         "{\"type\":\"input_reply\",\"id\":\"a\"}\n\n"     },
        {"a reply",                "{\"type\":\"execute_reply\",\"id\":\"a\"}\n\n"   },
        {"no id",                  "{\"type\":\"execute_request\"}\n\n"              },
        {"an id that is not text", "{\"type\":\"execute_request\",\"id\":7}\n\n"     },
    };
    AUTO(request_queue) struct request_queue *queue = request_queue_new();

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
        struct error err;
        print_message("  %s\n", cases[i].name);
        buffer_append_text(&bytes, cases[i].bytes);
        assert_int_equal(request_queue_add(queue, &bytes, &err), -1);
        assert_int_equal(err.kind, ERR_BAD_INPUT);
        assert_int_equal(bytes.len, strlen(cases[i].bytes));
    }
    assert_int_equal(request_queue_waiting(queue), 0);
}

static void
takes_an_id_once(void **state UNUSED)
{
    AUTO(request_queue) struct request_queue *queue = request_queue_new();
    struct error err;

    assert_int_equal(add(queue, "execute_request", "a", &err), 0);
    assert_int_equal(add(queue, "execute_request", "a", &err), 1);
    assert_int_equal(request_queue_waiting(queue), 1);
    request_queue_start(queue);
    assert_int_equal(add(queue, "execute_request", "a", &err), 1);
    request_queue_end(queue);
    assert_int_equal(add(queue, "execute_request", "a", &err), 1);
    assert_null(request_queue_start(queue));
}

static void
has_room_for_its_limit_and_not_one_more(void **state UNUSED)
{
    AUTO(request_queue) struct request_queue *queue = request_queue_new();
    struct error err;
    char id[16];

    for (int i = 0; i < LIMIT_QUEUED_REQUESTS; i++) {
        snprintf(id, sizeof(id), "%d", i);
        assert_int_equal(add(queue, "execute_request", id, &err), 0);
    }
    assert_int_equal(add(queue, "execute_request", "more", &err), -1);
    assert_int_equal(err.kind, ERR_BUSY);
    request_queue_start(queue);
    assert_int_equal(add(queue, "execute_request", "more", &err), 0);
}

static void
forgets_the_oldest_ids_only(void **state UNUSED)
{
    AUTO(request_queue) struct request_queue *queue = request_queue_new();
    struct error err;
    char id[16];

    for (int i = 0; i <= LIMIT_KNOWN_REQUESTS; i++) {
        snprintf(id, sizeof(id), "%d", i);
        assert_int_equal(add(queue, "execute_request", id, &err), 0);
        request_queue_start(queue);
        request_queue_end(queue);
    }
    assert_false(request_queue_knows(queue, "0"));
    assert_true(request_queue_knows(queue, "1"));
    assert_true(request_queue_knows(queue, id));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_one_at_a_time_in_the_order_of_arrival),
        cmocka_unit_test(asides_overtake_and_are_open_beside_what_runs),
        cmocka_unit_test(so_many_asides_are_open_and_the_next_one_waits),
        cmocka_unit_test(besides_do_not_wait_for_what_runs),
        cmocka_unit_test(takes_only_what_names_a_place_for_beside),
        cmocka_unit_test(so_many_besides_are_open_and_the_next_one_waits),
        cmocka_unit_test(refuses_what_is_no_request),
        cmocka_unit_test(takes_an_id_once),
        cmocka_unit_test(has_room_for_its_limit_and_not_one_more),
        cmocka_unit_test(forgets_the_oldest_ids_only),
    };
    return cmocka_run_group_tests_name("request_queue", tests, NULL, NULL);
}
