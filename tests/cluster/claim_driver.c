/* claim_driver COUNT POOL [TTL]: claims so many pods at once, in one loop, with the kernel's own
 * code; prints the milliseconds until each was ready, one a line, and "left N" once all are
 * given back. With a TTL it prints "held" when all are ready, and renews them until its stdin
 * ends. $KUBECONFIG says where. For tests/cluster and bench/cluster.py. */
#include <stdio.h>
#include <unistd.h>

#include "kube/access/access_find.h"
#include "kube/claim.h"

struct driver;

struct one {
    struct driver *driver;
    struct kube_claim *claim;
    int64_t began;
};

struct driver {
    zloop_t *loop;
    unsigned count, ended, gone, failed, ttl;
    struct one *all;
};

static void
leave_all(struct driver *driver)
{
    for (unsigned i = 0; i < driver->count; i++)
        kube_claim_leave(driver->all[i].claim);
}

static int
on_stdin(zloop_t *loop, zmq_pollitem_t *item, void *context)
{
    char byte;

    if (read(item->fd, &byte, 1) > 0)
        return 0;
    zloop_poller_end(loop, item);
    leave_all(context);
    return 0;
}

static void
hold_all(struct driver *driver)
{
    zmq_pollitem_t item = {.fd = STDIN_FILENO, .events = ZMQ_POLLIN};

    printf("held\n");
    fflush(stdout);
    zloop_poller(driver->loop, &item, on_stdin, driver);
    zloop_poller_set_tolerant(driver->loop, &item);
}

static void
count_end(struct driver *driver)
{
    if (++driver->ended < driver->count)
        return;
    if (driver->ttl)
        hold_all(driver);
    else
        leave_all(driver);
}

static void
on_stage(void *context UNUSED, const char *stage UNUSED)
{
}

static void
on_ready(void *context, const char *ip UNUSED, const char *sandbox UNUSED)
{
    struct one *one = context;

    printf("%lld\n", (long long)(zclock_mono() - one->began));
    count_end(one->driver);
}

static void
on_lost(void *context, const struct kube_problem *problem)
{
    struct one *one = context;

    fprintf(stderr, "%s\n", problem->message);
    one->driver->failed++;
    count_end(one->driver);
}

static int
end_loop(zloop_t *loop UNUSED, int timer UNUSED, void *context UNUSED)
{
    return -1;
}

static void
on_gone(void *context, struct kube_claim *claim UNUSED)
{
    struct one *one = context;

    if (++one->driver->gone == one->driver->count)
        zloop_timer(one->driver->loop, 0, 1, end_loop, NULL);
}

static int
start(struct driver *driver, struct kube_api *api, const char *pool, struct error *err)
{
    for (unsigned i = 0; i < driver->count; i++) {
        struct one *one = &driver->all[i];
        const struct kube_claim_owner owner = {.on_stage = on_stage,
                                               .on_ready = on_ready,
                                               .on_lost = on_lost,
                                               .on_gone = on_gone,
                                               .context = one};
        const struct kube_claim_spec spec = {.namespace = "lab",
                                             .pool = pool,
                                             .user = "bench",
                                             .host = "bench",
                                             .ttl_seconds = driver->ttl ? driver->ttl : 600,
                                             .wait_seconds = 600};
        one->driver = driver;
        one->began = zclock_mono();
        one->claim = kube_claim_new(driver->loop, api, &spec, &owner, err);
        if (!one->claim)
            return -1;
    }
    return 0;
}

int
main(int argc, char **argv)
{
    AUTO(kube_access) struct kube_access access = {0};
    struct driver driver = {.loop = zloop_new()};
    struct error err;

    driver.count = argc == 3 || argc == 4 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    driver.ttl = argc == 4 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
    if (driver.count == 0 || access_find(NULL, &access, &err) < 0)
        return 2;
    driver.all = xcalloc(driver.count, sizeof(*driver.all));
    struct kube_api *api = kube_api_new(driver.loop, &access);
    if (start(&driver, api, argv[2], &err) < 0)
        return 2;
    zloop_start(driver.loop);
    printf("left %u\n", driver.gone);
    kube_api_free(api);
    free(driver.all);
    zloop_destroy(&driver.loop);
    return driver.failed ? 1 : 0;
}

