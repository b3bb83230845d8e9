/*
 * alarms: deadlines and waits on the loop, by a clock that tests can set.
 *
 * With the virtual clock, nothing really waits: a wait (before a retry) is over at once
 * and advances the clock by its length; a deadline passes only when the test advances
 * the clock to it.
 */
#pragma once

#include <czmq.h>

#include "common/timer.h"

struct alarms;

enum alarm_use {
    ALARM_WAIT,     /* somebody waits for it */
    ALARM_DEADLINE, /* hopefully it never rings */
    ALARM_SOON,     /* puts work off; takes no time of the virtual clock */
};

/* Embed one in whatever it wakes; zero is an alarm that is not set. */
struct alarm {
    struct alarms *alarms;
    struct timer timer; /* not set where the virtual clock stands for it */
    bool is_set, is_soon;
    int64_t due_ms;
    timer_due_fn *on_due;
    void *context;
    struct alarm *next;
};

struct alarms *alarms_new(zloop_t *loop, bool is_virtual);
void alarms_free(struct alarms *alarms);

int64_t alarms_now_ms(const struct alarms *alarms);

/* 0 <= value < 1, for jitter; with the virtual clock always 0. */
double alarms_random(struct alarms *alarms);

/* Sets the alarm, or sets it again. It rings once, from the loop, even after 0 ms. */
void alarms_set(struct alarms *alarms, struct alarm *alarm, enum alarm_use use,
                int64_t after_ms, timer_due_fn *on_due, void *context);
void alarms_clear(struct alarm *alarm);

/* Virtual clock only: advances the time and rings the alarms that are due. */
void alarms_advance(struct alarms *alarms, int64_t ms);
