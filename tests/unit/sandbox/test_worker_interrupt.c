#include "sandbox/running/interrupt.h"
#include "tests/unit/sandbox/worker_fixture.h"

/* What is counted in ticks takes less time with short ones. */
enum {
    HURRIED_TICK_MS = 50
};

void
__wrap_loop_timer_set(struct loop *loop, struct loop_timer *timer, int64_t delay_ms)
{
    __real_loop_timer_set(loop, timer,
                          delay_ms == INTERRUPT_TICK_MS ? HURRIED_TICK_MS : delay_ms);
}

static void
interrupts_only_what_runs(void **state)
{
    struct fixture *f = *state;

    assert_false(worker_interrupt(f->worker, NULL));
    say_hello(f);
    assert_false(worker_interrupt(f->worker, NULL));
    request(f, "a");
    assert_false(worker_interrupt(f->worker, "b"));
    assert_true(worker_interrupt(f->worker, "a"));
    assert_true(worker_interrupt(f->worker, NULL));
}

static void
gives_notice_before_it_ends_who_does_not_listen(void **state)
{
    struct fixture *f = *state;

    say_hello(f);
    request(f, "a");
    assert_true(worker_interrupt(f->worker, "a"));
    assert_true(worker_interrupt(f->worker, "a")); /* the impatient lose nothing */
    run_until(f, NULL, "\"notice\",\"parent\":\"a\"");
    assert_false(f->is_gone);
    assert_true(worker_interrupt(f->worker, "a"));
    run_until(f, &f->is_gone, NULL);
    assert_string_equal(cause(f), "interrupt");
}

static void
passes_input_to_who_asked(void **state)
{
    struct fixture *f = *state;
    char text[512];
    struct error err;

    say_hello(f);
    request(f, "a");
    heard(f, text, sizeof(text));
    assert_int_equal(worker_answer(f->worker, "too early", 0, &err), -1);
    assert_int_equal(err.kind, ERR_CONFLICT);
    tell(f, "input_request", "a", "{}");
    run_until(f, NULL, "input_request");
    assert_int_equal(worker_answer(f->worker, "yes \"\xC3\xA9\"", 0, &err), 0);
    heard(f, text, sizeof(text));
    assert_non_null(strstr(text, "\"type\":\"input_reply\""));
    assert_non_null(strstr(text, "\n{\"value\":\"yes \\\"\xC3\xA9\\\"\"}\n"));
    assert_int_equal(worker_answer(f->worker, "twice", 0, &err), -1);
}

static void
forgets_a_question_that_an_interrupt_has_ended(void **state)
{
    struct fixture *f = *state;
    struct error err;

    say_hello(f);
    request(f, "a");
    tell(f, "input_request", "a", "{}");
    run_until(f, NULL, "input_request");
    tell(f, "interrupted", "a", "{}");
    tell(f, "input_request", "a", "{\"again\":1}");
    run_until(f, NULL, "{\"again\":1}");
    assert_int_equal(worker_answer(f->worker, "second", 0, &err), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WORKER_TEST(interrupts_only_what_runs),
        WORKER_TEST(gives_notice_before_it_ends_who_does_not_listen),
        WORKER_TEST(passes_input_to_who_asked),
        WORKER_TEST(forgets_a_question_that_an_interrupt_has_ended),
    };
    return cmocka_run_group_tests_name("worker_interrupt", tests, NULL, NULL);
}
