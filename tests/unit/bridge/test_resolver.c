/* A name that the resolver is slow with: to cancel must not wait for it. */
#include <errno.h>
#include <netdb.h>
#include <time.h>

#include "bridge/models/exchange.h"
#include "tests/unit/unit.h"

enum {
    SLOW_SECONDS = 3
};

/* libcurl's resolver thread calls this one, because the program's symbols go first. */
int
getaddrinfo(const char *node UNUSED, const char *service UNUSED,
            const struct addrinfo *hints UNUSED, struct addrinfo **out UNUSED)
{
    struct timespec left = {.tv_sec = SLOW_SECONDS};

    while (nanosleep(&left, &left) < 0 && errno == EINTR)
        continue;
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
    int64_t took_ms;
};

static int
on_time(zloop_t *loop UNUSED, int timer UNUSED, void *context)
{
    struct scene *scene = context;
    int64_t before = zclock_mono();

    exchange_cancel(scene->exchange);
    http_pool_free(scene->pool);
    scene->took_ms = zclock_mono() - before;
    return -1;
}

static void
a_slow_resolver_holds_nobody_up(void **state UNUSED)
{
    struct scene scene = {0};
    struct error err;
    zloop_t *loop = zloop_new();
    struct alarms *alarms = alarms_new(loop, false);

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
    zloop_timer(loop, 200, 1, on_time, &scene);
    zloop_start(loop);
    print_message("  took %lld ms\n", (long long)scene.took_ms);
    assert_true(scene.took_ms < 100);
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
