#include "common/timer.h"
#include "tests/unit/unit.h"

/* What a timer belongs to: on the heap, so that ASan sees who touches it too late. */
struct owner {
    struct timer timer;
    zloop_t *loop;
    struct owner *other;
    int *fired;
};

static struct owner *
owner_new(zloop_t *loop, int *fired)
{
    struct owner *owner = xcalloc(1, sizeof(*owner));

    owner->loop = loop;
    owner->fired = fired;
    return owner;
}

static void
owner_free(struct owner *owner)
{
    timer_cancel(&owner->timer);
    free(owner);
}

static void
count(void *context)
{
    struct owner *owner = context;

    ++*owner->fired;
}

static void
end(void *context)
{
    struct owner *owner = context;

    timer_end_loop(owner->loop);
}

/* Every timer that is due by then has fired when it returns. */
static void
run(zloop_t *loop, int64_t ms)
{
    struct owner *last = owner_new(loop, NULL);

    timer_set(&last->timer, loop, ms, end, last);
    zloop_start(loop);
    owner_free(last);
}

static void
free_other(void *context)
{
    struct owner *owner = context;

    ++*owner->fired;
    owner_free(TAKE(owner->other));
}

static void
one_frees_another_that_is_due_in_the_same_pass(void **state UNUSED)
{
    zloop_t *loop = zloop_new();
    int first_fired = 0, second_fired = 0;
    struct owner *first = owner_new(loop, &first_fired);

    first->other = owner_new(loop, &second_fired);
    timer_set(&first->timer, loop, 0, free_other, first);
    timer_set(&first->other->timer, loop, 0, count, first->other);
    run(loop, 0);
    assert_int_equal(first_fired, 1);
    assert_int_equal(second_fired, 0);
    owner_free(first);
    zloop_destroy(&loop);
}

static void
free_itself(void *context)
{
    struct owner *owner = context;

    ++*owner->fired;
    assert_false(timer_is_set(&owner->timer));
    owner_free(owner);
}

static void
one_frees_its_own_owner(void **state UNUSED)
{
    zloop_t *loop = zloop_new();
    int fired = 0;
    struct owner *owner = owner_new(loop, &fired);

    timer_set(&owner->timer, loop, 0, free_itself, owner);
    run(loop, 0);
    assert_int_equal(fired, 1);
    zloop_destroy(&loop);
}

static void
put_off_other(void *context)
{
    struct owner *owner = context;

    timer_set(&owner->other->timer, owner->loop, 3600 * 1000, count, owner->other);
}

static void
one_that_is_put_off_in_its_pass_waits(void **state UNUSED)
{
    zloop_t *loop = zloop_new();
    int fired = 0;
    struct owner *first = owner_new(loop, NULL);

    first->other = owner_new(loop, &fired);
    timer_set(&first->timer, loop, 0, put_off_other, first);
    timer_set(&first->other->timer, loop, 0, count, first->other);
    run(loop, 0);
    assert_int_equal(fired, 0);
    assert_true(timer_is_set(&first->other->timer));
    owner_free(first->other);
    owner_free(first);
    zloop_destroy(&loop);
}

static void
again_until_three(void *context)
{
    struct owner *owner = context;

    if (++*owner->fired < 3)
        timer_set(&owner->timer, owner->loop, 0, again_until_three, owner);
    else
        timer_end_loop(owner->loop);
}

static void
one_sets_itself_anew(void **state UNUSED)
{
    zloop_t *loop = zloop_new();
    int fired = 0;
    struct owner *owner = owner_new(loop, &fired);

    timer_set(&owner->timer, loop, -1, again_until_three, owner);
    zloop_start(loop);
    assert_int_equal(fired, 3);
    assert_false(timer_is_set(&owner->timer));
    owner_free(owner);
    zloop_destroy(&loop);
}

static void
one_that_is_set_twice_fires_once(void **state UNUSED)
{
    zloop_t *loop = zloop_new();
    int fired = 0;
    struct owner *owner = owner_new(loop, &fired);

    timer_set(&owner->timer, loop, 0, count, owner);
    timer_set(&owner->timer, loop, 1, count, owner);
    run(loop, 2);
    assert_int_equal(fired, 1);
    owner_free(owner);
    zloop_destroy(&loop);
}

/* zloop numbers its timers itself: two loops give the same numbers. */
static void
loops_do_not_mix_their_timers(void **state UNUSED)
{
    zloop_t *one = zloop_new(), *other = zloop_new();
    int here = 0, there = 0;
    struct owner *mine = owner_new(one, &here), *theirs = owner_new(other, &there);

    timer_set(&mine->timer, one, 0, count, mine);
    timer_set(&theirs->timer, other, 0, count, theirs);
    assert_int_equal(mine->timer.id, theirs->timer.id);
    run(one, 0);
    assert_int_equal(here, 1);
    assert_int_equal(there, 0);
    owner_free(mine);
    owner_free(theirs);
    zloop_destroy(&one);
    zloop_destroy(&other);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_frees_another_that_is_due_in_the_same_pass),
        cmocka_unit_test(one_frees_its_own_owner),
        cmocka_unit_test(one_that_is_put_off_in_its_pass_waits),
        cmocka_unit_test(one_sets_itself_anew),
        cmocka_unit_test(one_that_is_set_twice_fires_once),
        cmocka_unit_test(loops_do_not_mix_their_timers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
