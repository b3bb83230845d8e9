/* The mover with pipes for cgroup.procs: what it writes can be read. */
#include "sandbox/resources/cgroup_mover.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>

struct fixture {
    struct loop *loop;
    struct cgroup_mover *mover;
    struct move move;
    int done, sys;
};

static void
on_done(void *context, int sys)
{
    struct fixture *f = context;

    f->done++;
    f->sys = sys;
    loop_stop(f->loop);
}

static int
set_up(void **state)
{
    struct fixture *f = xcalloc(1, sizeof(*f));
    struct error err;

    f->loop = loop_new(&err);
    f->mover = cgroup_mover_new(f->loop, &err);
    f->move = (struct move){.on_done = on_done, .context = f};
    *state = f;
    return f->loop && f->mover ? 0 : -1;
}

static int
tear_down(void **state)
{
    struct fixture *f = *state;

    cgroup_mover_free(f->mover);
    loop_free(f->loop);
    free(f);
    return 0;
}

static int
make_group(int *procs)
{
    int ends[2];

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    *procs = ends[1];
    return ends[0];
}

/* What was written until the mover closed its end; closes ours. */
static void
assert_written(int from, const char *wanted)
{
    char text[32];
    ssize_t len = 0, more;

    while ((more = read(from, text + len, sizeof(text) - 1 - (size_t)len)) > 0)
        len += more;
    text[len] = '\0';
    assert_string_equal(text, wanted);
    close(from);
}

static void
run(struct fixture *f)
{
    struct error err;

    assert_int_equal(loop_run(f->loop, &err), 0);
}

static void
writes_the_pid_into_every_group(void **state)
{
    struct fixture *f = *state;
    int fds[2], one = make_group(&fds[0]), two = make_group(&fds[1]);

    cgroup_mover_start(f->mover, &f->move, fds, 2, 4321);
    assert_int_not_equal(f->move.number, 0);
    run(f);
    assert_int_equal(f->done, 1);
    assert_int_equal(f->sys, 0);
    assert_int_equal(f->move.number, 0);
    assert_written(one, "4321");
    assert_written(two, "4321");
}

static void
tells_the_first_failure_and_tries_the_other_groups(void **state)
{
    struct fixture *f = *state;
    int fds[2], group = make_group(&fds[1]);

    fds[0] = open("/dev/full", O_WRONLY | O_CLOEXEC);
    cgroup_mover_start(f->mover, &f->move, fds, 2, 7);
    run(f);
    assert_int_equal(f->sys, ENOSPC);
    assert_written(group, "7");
}

static void
does_not_call_who_was_forgotten(void **state)
{
    struct fixture *f = *state;
    struct move forgotten = {.on_done = on_done, .context = NULL};
    int fds[1], one = make_group(fds);

    cgroup_mover_start(f->mover, &forgotten, fds, 1, 1);
    cgroup_mover_forget(f->mover, &forgotten);
    int two = make_group(fds);
    cgroup_mover_start(f->mover, &f->move, fds, 1, 2);
    run(f); /* one thread, in order: the first outcome has come too */
    assert_int_equal(f->done, 1);
    assert_written(one, "1");
    assert_written(two, "2");
}

static void
ends_after_what_was_ordered(void **state)
{
    struct fixture *f = *state;
    int fds[1], group = make_group(fds);

    cgroup_mover_start(f->mover, &f->move, fds, 1, 5);
    cgroup_mover_free(TAKE(f->mover));
    assert_written(group, "5");
    assert_int_equal(f->done, 0);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(writes_the_pid_into_every_group),
        TEST(tells_the_first_failure_and_tries_the_other_groups),
        TEST(does_not_call_who_was_forgotten),
        TEST(ends_after_what_was_ordered),
    };
    return cmocka_run_group_tests_name("cgroup_mover", tests, NULL, NULL);
}
