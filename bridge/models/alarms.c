#include "bridge/models/alarms.h"

#include <sys/random.h>
#include <time.h>

struct alarms {
    zloop_t *loop;
    bool is_virtual;
    int64_t virtual_now_ms;
    struct alarm *set; /* every alarm that is set */
};

struct alarms *
alarms_new(zloop_t *loop, bool is_virtual)
{
    struct alarms *alarms = xcalloc(1, sizeof(*alarms));

    alarms->loop = loop;
    alarms->is_virtual = is_virtual;
    return alarms;
}

void
alarms_free(struct alarms *alarms)
{
    if (!alarms)
        return;
    while (alarms->set)
        alarms_clear(alarms->set);
    free(alarms);
}

int64_t
alarms_now_ms(const struct alarms *alarms)
{
    struct timespec now;

    if (alarms->is_virtual)
        return alarms->virtual_now_ms;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

double
alarms_random(struct alarms *alarms)
{
    uint32_t bits = 0;

    if (alarms->is_virtual || getrandom(&bits, sizeof(bits), 0) != sizeof(bits))
        return 0;
    return bits / 4294967296.0;
}

static void
ring(void *context)
{
    struct alarm *alarm = context;
    struct alarms *alarms = alarm->alarms;

    if (alarms->is_virtual && !alarm->is_soon && alarms->virtual_now_ms < alarm->due_ms)
        alarms->virtual_now_ms = alarm->due_ms;
    alarms_clear(alarm);
    alarm->on_due(alarm->context);
}

void
alarms_set(struct alarms *alarms, struct alarm *alarm, enum alarm_use use,
           int64_t after_ms, timer_due_fn *on_due, void *context)
{
    alarms_clear(alarm);
    *alarm = (struct alarm){
        .alarms = alarms,
        .is_set = true,
        .is_soon = use == ALARM_SOON,
        .due_ms = alarms_now_ms(alarms) + after_ms,
        .on_due = on_due,
        .context = context,
        .next = alarms->set,
    };
    alarms->set = alarm;
    if (alarms->is_virtual && use == ALARM_DEADLINE)
        return;
    bool at_once = alarms->is_virtual && use == ALARM_WAIT;
    timer_set(&alarm->timer, alarms->loop, at_once ? 0 : after_ms, ring, alarm);
}

void
alarms_clear(struct alarm *alarm)
{
    if (!alarm->is_set)
        return;
    timer_cancel(&alarm->timer);
    struct alarm **link = &alarm->alarms->set;
    while (*link != alarm)
        link = &(*link)->next;
    *link = alarm->next;
    alarm->is_set = false;
}

static struct alarm *
find_due(struct alarms *alarms)
{
    for (struct alarm *alarm = alarms->set; alarm; alarm = alarm->next)
        if (alarm->due_ms <= alarms->virtual_now_ms && !timer_is_set(&alarm->timer))
            return alarm;
    return NULL;
}

void
alarms_advance(struct alarms *alarms, int64_t ms)
{
    struct alarm *due;

    alarms->virtual_now_ms += ms;
    while ((due = find_due(alarms)))
        ring(due);
}
