/* A name that the resolver is slow with: to cancel must not wait for it. */
#include <netdb.h>
#include <poll.h>
#include <stdatomic.h>
#include <unistd.h>

#include "bridge/models/exchange.h"
#include "tests/unit/unit.h"

enum {
    GIVES_UP_MS = 60000, /* who waits for the resolver waits for so long */
    LOOK_MS = 10,
};

static atomic_bool is_asked, has_given_up;
static int cancelled[2]; /* a pipe that closes when the exchange is */

/* libcurl's resolver thread calls this one, because the program's symbols go first. */
int
getaddrinfo(const char *node UNUSED, const char *service UNUSED,
            const struct addrinfo *hints UNUSED, struct addrinfo **out UNUSED)
{
    struct pollfd end = {.fd = cancelled[0]};

    atomic_store(&is_asked, true);
    if (poll(&end, 1, GIVES_UP_MS) == 0)
        atomic_store(&has_given_up, true);
    return EAI_FAIL;
}

static bool
no_bytes(struct slice bytes UNUSED, void *context UNUSED)
{
    return true;
}

static void
no_end(const struct failure *failure UNUSED, void *context UNUSED)
{
    fail_msg("a cancelled exchange must not end");
}

struct scene {
    struct http_pool *pool;
    struct exchange *exchange;
    bool was_held_up;
};

static int
on_time(zloop_t *loop UNUSED, int timer UNUSED, void *context)
{
    struct scene *scene = context;
    if (!atomic_load(&is_asked))
        return 0;
    exchange_cancel(scene->exchange);
    http_pool_free(scene->pool);
    scene->was_held_up = atomic_load(&has_given_up);
    close(cancelled[1]);
    return -1;
}

static void
a_slow_resolver_holds_nobody_up(void **state UNUSED)
{
    struct scene scene = {0};
    struct error err;
    zloop_t *loop = zloop_new();
    struct alarms *alarms = alarms_new(loop, false);

    assert_int_equal(pipe(cancelled), 0);
    scene.pool = http_pool_new(loop);
    const struct exchange_spec spec = {
        .pool = scene.pool,
        .alarms = alarms,
        .url = "http://slow.example/v1",
        .connect_ms = 10000,
        .first_byte_ms = 10000,
        .idle_ms = 10000,
        .on_bytes = no_bytes,
        .on_done = no_end,
    };
    scene.exchange = exchange_start(&spec, &err);
    assert_non_null(scene.exchange);
    zloop_timer(loop, LOOK_MS, 0, on_time, &scene);
    zloop_start(loop);
    assert_false(scene.was_held_up);
    alarms_free(alarms);
    zloop_destroy(&loop);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_resolver_holds_nobody_up),
    };

    zsys_handler_set(NULL);
    return cmocka_run_group_tests_name("resolver", tests, NULL, NULL);
}
