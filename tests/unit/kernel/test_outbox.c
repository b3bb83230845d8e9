#include "kernel/jupyter/outbox.h"

#include <poll.h>
#include <zmq.h>

#include "tests/unit/unit.h"

#define MAX 1000

struct pair {
    void *context, *sender, *receiver;
};

static void
make(struct pair *pair)
{
    int none = 0;

    pair->context = zmq_ctx_new();
    pair->sender = zmq_socket(pair->context, ZMQ_PUSH);
    pair->receiver = zmq_socket(pair->context, ZMQ_PULL);
    zmq_setsockopt(pair->sender, ZMQ_SNDHWM, &none, sizeof(none));
    zmq_setsockopt(pair->receiver, ZMQ_RCVHWM, &none, sizeof(none));
    assert_int_equal(zmq_bind(pair->sender, "inproc://outbox"), 0);
    assert_int_equal(zmq_connect(pair->receiver, "inproc://outbox"), 0);
}

static void
end(struct pair *pair)
{
    zmq_close(pair->sender);
    zmq_close(pair->receiver);
    zmq_ctx_term(pair->context);
}

static void
receive(struct pair *pair, const char *wanted)
{
    char bytes[2000];
    int len = zmq_recv(pair->receiver, bytes, sizeof(bytes), 0);

    assert_int_equal(len, strlen(wanted));
    assert_memory_equal(bytes, wanted, strlen(wanted));
}

static bool
is_woken(struct outbox *outbox, int patience_ms)
{
    struct pollfd item = {.fd = outbox_fd(outbox), .events = POLLIN};

    return poll(&item, 1, patience_ms) == 1;
}

static void
wakes_once_there_is_room(void **state UNUSED)
{
    struct outbox *outbox;
    struct pair pair;
    struct error err;

    make(&pair);
    assert_int_equal(outbox_new(&outbox, MAX, &err), 0);
    for (int i = 0; i < 9; i++) {
        assert_true(outbox_send(outbox, pair.sender, SLICE("hello"), 95, false));
        assert_false(outbox_is_full(outbox));
    }
    assert_true(outbox_send(outbox, pair.sender, SLICE("hello"), 95, false));
    assert_true(outbox_is_full(outbox));
    for (int i = 0; i < 4; i++)
        receive(&pair, "hello");
    assert_false(is_woken(outbox, 0)); /* half is early enough */
    for (int i = 0; i < 6; i++)
        receive(&pair, "hello");
    assert_true(is_woken(outbox, 1000));
    outbox_clear_fd(outbox);
    assert_false(is_woken(outbox, 0));
    assert_false(outbox_is_full(outbox));
    end(&pair);
    outbox_free(outbox);
}

static void
wakes_nobody_who_does_not_wait(void **state UNUSED)
{
    struct outbox *outbox;
    struct pair pair;
    struct error err;

    make(&pair);
    assert_int_equal(outbox_new(&outbox, MAX, &err), 0);
    for (int i = 0; i < 100; i++) {
        assert_true(outbox_send(outbox, pair.sender, SLICE("x"), 10 * MAX, false));
        receive(&pair, "x");
    }
    assert_false(is_woken(outbox, 0));
    end(&pair);
    outbox_free(outbox);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wakes_once_there_is_room),
        cmocka_unit_test(wakes_nobody_who_does_not_wait),
    };
    return cmocka_run_group_tests_name("outbox", tests, NULL, NULL);
}
