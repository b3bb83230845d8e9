/*
 * worker_fixture: a worker as sandboxd has it, whose other side is the test.
 *
 * The test plays init and the worker: a forked child that only waits lends its pid.
 */
#pragma once

#include "sandbox/running/worker.h"
#include "tests/unit/unit.h"

#define HELLO "{\"python\":\"3\",\"packages\":{}}"

struct fixture {
    struct loop *loop;
    struct event_log *log;
    struct event_reader reader;
    struct request_queue *requests;
    struct worker *worker;
    struct loop_timer patience;
    int channel; /* the worker's end */
    int beside;  /* likewise, of the one for subshells */
    pid_t pid;
    int pidfd;
    struct loop_watch init; /* tells of the worker's death; a test may stop it */
    bool is_ready, is_gone;
    json_t *report;
    const bool *wanted;
    const char *wanted_event;
    struct buffer events;
};

/* Runs the loop until *wanted is true or the event is there. */
void run_until(struct fixture *f, const bool *wanted, const char *event);
pid_t fork_idler(void);
int set_up(void **state);
int tear_down(void **state);
void say(struct fixture *f, const char *bytes);
void tell(struct fixture *f, const char *type, const char *parent, const char *content);
void say_hello(struct fixture *f);
void request(struct fixture *f, const char *id);
/* What sandboxd has sent so far, as text. */
const char *heard(struct fixture *f, char *text, size_t size);
/* What the worker gets next: the descriptor that lies beside it, or -1. */
int receive_lent(int channel);
void die(struct fixture *f);
const char *cause(struct fixture *f);
const char *message(struct fixture *f);
void stop_loop(void *context); /* a timer's */

/* Wrapped by the linker, for each test to say which waits it cuts short: see
 * WRAP_test_worker in the Makefile. */
void __real_loop_timer_set(struct loop *loop, struct loop_timer *timer,
                           int64_t delay_ms);
void __wrap_loop_timer_set(struct loop *loop, struct loop_timer *timer,
                           int64_t delay_ms);

#define WORKER_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
