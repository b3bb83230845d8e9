/*
 * pulse against a sandboxd that answers when the test says so, and a clock that only
 * the test moves: the calls and timers that pulse.c makes are the ones below.
 */
#include "kernel/client/pulse.h"
#include "tests/unit/unit.h"

static struct world {
    int64_t now;
    struct {
        int64_t due;
        timer_due_fn *on_due;
        void *context;
    } timer;                     /* due 0: none is set */
    struct http_request request; /* on_done NULL: none is under way */
    int64_t asked;               /* when */
    unsigned requests, steps;
    int told_silent, told_again, told_lost;
} world;

int64_t
zclock_mono(void)
{
    return world.now;
}

void
timer_set(struct timer *timer UNUSED, zloop_t *loop UNUSED, int64_t delay_ms,
          timer_due_fn *on_due, void *context)
{
    world.timer.due = world.now + delay_ms;
    world.timer.on_due = on_due;
    world.timer.context = context;
}

void
timer_cancel(struct timer *timer UNUSED)
{
    world.timer.due = 0;
}

struct http_call *
sandbox_link_ask_health(const struct sandbox_link *link UNUSED,
                        struct http_request request)
{
    world.request = request;
    world.asked = world.now;
    world.requests++;
    return (struct http_call *)&world;
}

void
http_pool_cancel(struct http_call *call)
{
    assert_ptr_equal(call, &world);
    world.request.on_done = NULL;
}

static void
on_silent(void *context UNUSED, bool is_silent)
{
    world.told_silent += is_silent;
    world.told_again += !is_silent;
}

static void
on_lost(void *context UNUSED)
{
    world.told_lost++;
}

/* --- what the test does --- */

static void
answer(long status)
{
    const struct http_request request = world.request;

    assert_non_null(request.on_done);
    world.request.on_done = NULL;
    request.on_done(request.context, &(struct http_result){.status = status});
}

/* To the next thing that happens by itself: a timer, or the end of a call's time. */
static void
step(void)
{
    assert_true(++world.steps < 1000); /* what never comes fails, and does not hang */
    if (world.request.on_done) {
        world.now = world.asked + world.request.timeout_ms;
        answer(0);
        return;
    }
    assert_true(world.timer.due > 0);
    world.now = world.timer.due;
    world.timer.due = 0;
    world.timer.on_due(world.timer.context);
}

static void
begin(struct pulse *pulse, struct sandbox_link *link)
{
    world = (struct world){.now = 1000};
    pulse_init(pulse, NULL, link, &(struct pulse_owner){on_silent, on_lost, NULL});
    pulse_start(pulse);
}

/* --- tests --- */

static void
nothing_is_asked_of_a_sandboxd_on_this_machine(void **state UNUSED)
{
    char path[] = "/run/s.sock";
    struct sandbox_link link = {.unix_path = path};
    struct pulse pulse;

    begin(&pulse, &link);
    assert_int_equal(world.timer.due, 0);
    assert_int_equal(world.requests, 0);
}

static void
one_that_answers_is_asked_every_other_second_and_nothing_is_told(void **state UNUSED)
{
    struct sandbox_link link = {0};
    struct pulse pulse;

    begin(&pulse, &link);
    for (int i = 0; i < 40; i++) {
        step();
        answer(i % 2 ? 200 : 503); /* warming, say: it is alive */
    }
    assert_int_equal(world.now, 1000 + 40 * 1500);
    assert_int_equal(world.requests, 40);
    assert_int_equal(world.told_silent + world.told_again + world.told_lost, 0);
}

static void
silence_is_told_once_at_4_s_and_is_lost_at_60(void **state UNUSED)
{
    struct sandbox_link link = {0};
    struct pulse pulse;

    begin(&pulse, &link);
    while (!world.told_silent)
        step();
    assert_int_equal(world.now, 1000 + PULSE_TOLD_S * 1000);
    while (!world.told_lost)
        step();
    assert_true(world.now >= 1000 + PULSE_LOST_S * 1000);
    assert_true(world.now <= 1000 + PULSE_LOST_S * 1000 + 1000);
    assert_int_equal(world.told_silent, 1);
    assert_int_equal(world.told_again, 0);
    assert_int_equal(world.timer.due, 0); /* it is stopped */
    assert_null(world.request.on_done);
}

static void
refusals_of_a_connection_are_silence(void **state UNUSED)
{
    struct sandbox_link link = {0};
    struct pulse pulse;

    begin(&pulse, &link);
    for (int tries = 0; !world.told_silent; tries++) {
        assert_true(tries < 20);
        step();
        answer(0);
    }
    assert_true(world.now >= 1000 + PULSE_TOLD_S * 1000);
    assert_true(world.now <= 1000 + PULSE_TOLD_S * 1000 + 500);
}

static void
a_routers_answer_is_no_sign_of_life(void **state UNUSED)
{
    char header[] = "X-Sandbox-ID: a", *headers[] = {header, NULL};
    struct sandbox_link through = {.headers = headers}, direct = {0};
    struct pulse pulse;

    begin(&pulse, &through);
    while (!world.told_silent) {
        step();
        answer(502);
    }
    step();
    answer(404); /* of sandboxd's own */
    assert_int_equal(world.told_again, 1);

    begin(&pulse, &direct);
    for (int i = 0; i < 10; i++) {
        step();
        answer(502); /* whoever it is, it is there */
    }
    assert_int_equal(world.told_silent, 0);
}

static void
an_event_ends_the_silence(void **state UNUSED)
{
    struct sandbox_link link = {0};
    struct pulse pulse;

    begin(&pulse, &link);
    while (!world.told_silent)
        step();
    pulse_hear(&pulse);
    pulse_hear(&pulse);
    assert_int_equal(world.told_again, 1);
    const int64_t heard = world.now;
    while (world.told_silent == 1)
        step();
    assert_true(world.now >= heard + PULSE_TOLD_S * 1000); /* it counts anew */
}

static void
what_is_stopped_asks_and_tells_nothing(void **state UNUSED)
{
    struct sandbox_link link = {0};
    struct pulse pulse;

    begin(&pulse, &link);
    step();
    assert_non_null(world.request.on_done);
    pulse_stop(&pulse);
    assert_null(world.request.on_done);
    assert_int_equal(world.timer.due, 0);
    pulse_start(&pulse);
    pulse_start(&pulse); /* the second changes nothing */
    assert_int_equal(world.timer.due, world.now + 1500);
    assert_int_equal(world.requests, 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_asked_of_a_sandboxd_on_this_machine),
        cmocka_unit_test(
            one_that_answers_is_asked_every_other_second_and_nothing_is_told),
        cmocka_unit_test(silence_is_told_once_at_4_s_and_is_lost_at_60),
        cmocka_unit_test(refusals_of_a_connection_are_silence),
        cmocka_unit_test(a_routers_answer_is_no_sign_of_life),
        cmocka_unit_test(an_event_ends_the_silence),
        cmocka_unit_test(what_is_stopped_asks_and_tells_nothing),
    };
    return cmocka_run_group_tests_name("pulse", tests, NULL, NULL);
}
