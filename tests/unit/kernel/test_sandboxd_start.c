#include <fcntl.h>

#include "common/timer.h"
#include "kernel/place/sandboxd_start.h"
#include "tests/unit/unit.h"

struct scene {
    zloop_t *loop;
    struct sandboxd_start *start;
    struct timer timer;
    int started;
};

static void
on_started(void *context, const struct error *err UNUSED)
{
    struct scene *scene = context;

    scene->started++;
}

static void
cancel(void *context)
{
    struct scene *scene = context;

    sandboxd_start_cancel(TAKE(scene->start));
    timer_end_loop(scene->loop);
}

static void
one_that_is_cancelled_as_its_time_ends_says_nothing(void **state UNUSED)
{
    struct scene scene = {.loop = zloop_new()};
    int ends[2];

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    AUTO(fd) int writer = ends[1];
    timer_set(&scene.timer, scene.loop, 0, cancel, &scene);
    scene.start = sandboxd_start_await(scene.loop, ends[0], 0, on_started, &scene);
    zloop_start(scene.loop);
    assert_int_equal(scene.started, 0);
    zloop_destroy(&scene.loop);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_is_cancelled_as_its_time_ends_says_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
