#include "sandbox/resources/memory.h"

#include "sandbox/resources/memory_meter.h"
#include "sandbox/resources/pace.h"
#include "sandbox/resources/soft_mark.h"
#include "sandbox/resources/victim.h"

#define LOG_COMPONENT "memory"
#include "common/log.h"

enum {
    MIN_TICK_MS = 5,
    RECHECK_MS = 20,
    GIVE_WAY_MS = 50, /* at least, until a dead checkpoint counts no more */
};

struct memory {
    struct loop *loop;
    struct cgroup *group;
    struct memory_ops ops;
    uint64_t limit, mark; /* mark: the soft mark as it is at first */
    uint64_t soft;        /* as it is now: it rises while more is in use */
    uint64_t used;        /* at the last look */
    uint64_t sum, grown;  /* a meter's quick sum, and by how much it has grown */
    uint64_t seen, known; /* resident at the last close look, and what that found */
    uint64_t used_when_told;
    uint64_t peak, kills;
    int64_t told_ms, looked_ms;     /* told_ms 0: not */
    int64_t stood_ms;               /* how long the last close look took */
    int64_t gave_way_ms, killed_ms; /* killed: and may still die; 0: nobody is */
    unsigned processors;
    struct memory_meter meter; /* all stand still until what gave way is gone */
    bool is_busy, has_killed;
    struct loop_timer timer;
    struct loop_watch pressure;
};

/* Version 1 tells of itself, and has everybody wait for us. */
static bool
is_told_by_kernel(const struct memory *m)
{
    return m->pressure.fd >= 0;
}

static bool
has_group(const struct memory *m)
{
    return m->group && cgroup_memory(m->group) > 0;
}

/* --- the worst --- */

/* Before the user's own memory is touched. What gave way may still be giving it back:
 * on a busy machine that takes longer than we had thought. */
static bool
give_way(struct memory *m)
{
    if (m->gave_way_ms && (loop_now_ms() - m->gave_way_ms < GIVE_WAY_MS ||
                           victim_is_dying(m->meter.root, &m->killed_ms)))
        return true;
    if (!m->ops.give_way || !m->ops.give_way(m->ops.context))
        return false;
    m->gave_way_ms = m->killed_ms = loop_now_ms();
    return true;
}

/* False: the worker is to blame. */
static bool
kill_others(struct memory *m)
{
    m->meter.unmapped.mappings.slab = 0; /* count anew */
    if (!victim_kill(m->meter.root, m->limit, &m->ops))
        return false;
    m->killed_ms = loop_now_ms();
    return true;
}

static void
kill_something(struct memory *m)
{
    if (victim_is_dying(m->meter.root, &m->killed_ms) || kill_others(m))
        return;
    m->has_killed = true;
    m->ops.kill_worker(m->ops.context);
}

/* --- telling the cell --- */

/* Between cells nobody hears it: the next cell would go on to the limit, and not know.
 * A checkpoint that is being made is what takes memory then. */
static bool
is_nobody_there(const struct memory *m)
{
    return !m->is_busy && m->soft < m->limit;
}

static void
tell(struct memory *m)
{
    if (is_nobody_there(m) && (!m->group || cgroup_set_soft(m->group, m->limit))) {
        m->soft = m->limit; /* until a cell begins */
        return;
    }
    log_info("telling the cell, used=%llu soft=%llu limit=%llu",
             (unsigned long long)m->used, (unsigned long long)m->soft,
             (unsigned long long)m->limit);
    m->told_ms = loop_now_ms();
    m->used_when_told = m->used;
    /* In this order: whoever waits for memory finds the word when it goes on. */
    m->ops.tell(m->ops.context);
    if (m->group)
        cgroup_set_soft(m->group, m->limit);
    /* A meter's figure is as old as its look: what came since was not disobedience. */
    if (!has_group(m))
        m->used_when_told = memory_meter_exactly(&m->meter);
}

/* What it found when it began was not its doing: it has nothing to let go of. */
static bool
is_innocent(struct memory *m)
{
    const struct process_tree_spared spared = {m->ops.is_worker, m->ops.context};

    return m->is_busy && !has_group(m) &&
           !memory_meter_has_grown(&m->meter, m->ops.worker(m->ops.context), &spared,
                                   SOFT_MARK_TOO_NEAR);
}

/* Where the next word is due. The kernel counts more than we do, the cache of files for
 * one, and refuses a mark below that. */
static bool
set_mark(struct memory *m, uint64_t soft)
{
    if (!soft || (m->group && !cgroup_set_soft(m->group, soft)))
        return false;
    m->soft = soft;
    return true;
}

/*
 * Variables were kept, so much may still be in use. The next cell is told half-way
 * between that and the limit; and at the first mark again, once it has let go of them.
 */
static void
settle(struct memory *m)
{
    if ((m->used + SOFT_MARK_TOO_NEAR < m->mark && set_mark(m, m->mark)) ||
        set_mark(m, soft_mark_next(m->used, m->limit, !has_group(m))))
        m->told_ms = 0;
    /* Else as it is: the next time is the last. */
}

/* What was under way when the cell was told may still be finished: a whole reserve. */
static bool
has_not_helped(const struct memory *m)
{
    return m->told_ms && m->used >= m->limit &&
           m->used >= m->used_when_told + (m->limit - m->mark);
}

/* In one leap from below the mark past the limit and its reserve, which the
 * cell can hardly stop by itself: until a word has its effect there is as much again.
 */
static bool
has_leapt(const struct memory *m)
{
    return !has_group(m) && !m->told_ms && m->used >= m->limit + (m->limit - m->mark);
}

/* False: a checkpoint has given way, or something was killed. How much is in use then
 * is not known before the next look. */
static bool
judge(struct memory *m)
{
    const bool is_disobeyed = has_not_helped(m);

    if ((is_disobeyed || (m->used >= m->soft && !m->told_ms)) && give_way(m))
        return false;
    if (has_leapt(m) && kill_others(m))
        return false;
    if (is_disobeyed)
        kill_something(m);
    else if (m->used >= m->soft && !m->told_ms)
        (is_innocent(m) ? settle : tell)(m);
    else if (m->told_ms && loop_now_ms() - m->told_ms >= MEMORY_SETTLE_MS)
        settle(m);
    else if (!m->told_ms && m->soft > m->mark && m->used < m->mark)
        settle(m);
    return m->killed_ms == 0;
}

/* --- looking --- */

static void
note_peak(struct memory *m)
{
    if (m->used > m->peak)
        m->peak = m->used;
}

/* Who forks in the midst of a look is seen with what it has, and its child with half of
 * that: nobody is killed for what is seen only once. */
static uint64_t
meter_twice(struct memory *m)
{
    m->used = memory_meter_exactly(&m->meter);
    return has_leapt(m) ? memory_meter_exactly(&m->meter) : m->used;
}

/* Processes alone. They stand still while they are measured, and until a checkpoint
 * that gives way is gone: only then is it known whether the cell has to be told. */
static void
look_closely(struct memory *m)
{
    const int64_t start_ms = loop_now_ms();

    m->seen = m->used;
    memory_meter_stand_still(&m->meter);
    m->used = m->known = meter_twice(m);
    note_peak(m);
    m->stood_ms = loop_now_ms() - start_ms;
    if (m->told_ms) /* what it gets is time to run */
        m->told_ms += m->stood_ms;
    if (judge(m))
        memory_meter_go_on(&m->meter);
}

/* A close look finds less: growth is from one quick sum to the next. */
static void
note_sum(struct memory *m, uint64_t sum)
{
    m->grown = sum > m->sum ? sum - m->sum : 0;
    m->used = m->sum = sum;
}

static void
look(struct memory *m)
{
    if (has_group(m)) {
        note_sum(m, cgroup_memory(m->group));
        note_peak(m);
        judge(m);
        return;
    }
    m->stood_ms = 0;
    if (victim_is_dying(m->meter.root, &m->killed_ms))
        return;
    note_sum(m, memory_meter_quickly(&m->meter));
    const bool is_at_rest = m->used == m->seen && !m->is_busy;
    if (m->meter.is_standing || (m->used >= m->soft && !is_at_rest)) {
        look_closely(m);
        return;
    }
    if (m->used >= m->soft)
        m->used = m->known; /* as when we looked */
    judge(m);
}

static int64_t
next_look_ms(const struct memory *m)
{
    const struct pace pace = {.used = m->used,
                              .grown = m->grown,
                              .end = m->told_ms ? m->limit : m->soft,
                              .limit = m->limit,
                              .passed_ms = loop_now_ms() - m->looked_ms - m->stood_ms,
                              .stood_ms = m->stood_ms,
                              .processors = m->processors,
                              .is_busy = m->is_busy,
                              .is_told = m->told_ms != 0};

    return pace_next_ms(&pace);
}

static void
schedule(struct memory *m)
{
    if (!m->meter.root)
        return;
    if (m->meter.is_standing)
        loop_timer_set(m->loop, &m->timer, MIN_TICK_MS);
    else if (!is_told_by_kernel(m))
        loop_timer_set(m->loop, &m->timer, next_look_ms(m));
    else if (m->told_ms || m->soft > m->mark)
        loop_timer_set(m->loop, &m->timer, MEMORY_SETTLE_MS);
}

static void
on_look(void *context)
{
    struct memory *m = context;

    if (!m->meter.root)
        return;
    look(m);
    schedule(m);
    m->looked_ms = loop_now_ms();
}

/* Somebody waits for memory. When it is told already it has what there is. */
static void
on_pressure(void *context, uint32_t events UNUSED)
{
    struct memory *m = context;

    cgroup_clear_pressure(m->group);
    if (!m->meter.root)
        return;
    if (!cgroup_is_waiting(m->group)) {
        loop_timer_set(m->loop, &m->timer, RECHECK_MS);
        return;
    }
    m->used = cgroup_memory(m->group);
    note_peak(m);
    if (!give_way(m))
        (m->told_ms ? kill_something : tell)(m);
    loop_timer_set(m->loop, &m->timer, m->has_killed ? MEMORY_SETTLE_MS : RECHECK_MS);
}

/* Version 1: an alarm may have come in a moment when nobody waited yet. */
static void
on_timer(void *context)
{
    struct memory *m = context;

    if (m->meter.root && is_told_by_kernel(m) && cgroup_is_waiting(m->group))
        on_pressure(m, 0);
    else
        on_look(m);
}

/* --- life --- */

struct memory *
memory_new(struct loop *loop, uint64_t limit, struct cgroup *group,
           const struct memory_ops *ops)
{
    struct memory *m = xcalloc(1, sizeof(*m));
    struct error err;

    *m = (struct memory){.loop = loop,
                         .group = group,
                         .ops = *ops,
                         .meter = {.unmapped = {.scratch = -1, .limit = limit}},
                         .limit = limit,
                         .processors = pace_processors(),
                         .mark = soft_mark_first(limit),
                         .soft = soft_mark_first(limit)};
    m->timer = (struct loop_timer){.on_due = on_timer, .context = m};
    m->pressure = (struct loop_watch){.fd = group ? cgroup_pressure_fd(group) : -1,
                                      .on_ready = on_pressure,
                                      .context = m};
    if (m->pressure.fd >= 0 && loop_watch_start(loop, &m->pressure, EPOLLIN, &err) < 0)
        abort(); /* one of our own descriptors */
    return m;
}

void
memory_free(struct memory *m)
{
    if (!m)
        return;
    memory_meter_go_on(&m->meter);
    loop_timer_cancel(m->loop, &m->timer);
    loop_watch_stop(m->loop, &m->pressure);
    free(m);
}

void
memory_watch(struct memory *m, pid_t root)
{
    m->meter.root = root;
    m->meter.is_standing = false;
    if (root)
        schedule(m);
    else
        loop_timer_cancel(m->loop, &m->timer);
}

void
memory_set_scratch(struct memory *m, int scratch)
{
    m->meter.unmapped.scratch = scratch;
}

static void
measure(struct memory *m)
{
    m->used = has_group(m) ? cgroup_memory(m->group) : memory_meter_exactly(&m->meter);
}

/* The cell before may have ended by an allocation of its own that failed, and was not
 * told: the next one is not told of what it finds. */
static bool
begins_at_the_mark(const struct memory *m)
{
    return has_group(m) && cgroup_memory(m->group) + SOFT_MARK_TOO_NEAR >= m->soft;
}

void
memory_set_busy(struct memory *m, bool is_busy)
{
    if (m->is_busy == is_busy)
        return;
    m->is_busy = is_busy;
    if (is_busy && m->meter.root && !has_group(m))
        memory_meter_begin(&m->meter, m->ops.worker(m->ops.context));
    bool begins = is_busy && m->meter.root && !m->told_ms &&
                  (m->soft > m->mark || begins_at_the_mark(m));
    /* It has let go of what it will let go of; or a checkpoint was made since. */
    if (begins || (!is_busy && m->told_ms != 0)) {
        measure(m);
        settle(m);
    }
    if (is_busy && m->meter.root && !is_told_by_kernel(m))
        loop_timer_set(m->loop, &m->timer, next_look_ms(m));
}

bool
memory_is_half_used(const struct memory *m)
{
    return (has_group(m) ? cgroup_memory(m->group) : m->used) > m->limit / 2;
}

struct memory_verdict
memory_judge(struct memory *m)
{
    uint64_t kills = m->group ? cgroup_kills(m->group) : 0;
    struct memory_verdict verdict = {.is_cause = m->has_killed || kills > m->kills,
                                     .peak = m->peak,
                                     .limit = m->limit};

    if (m->group && verdict.is_cause && cgroup_peak(m->group) > verdict.peak)
        verdict.peak = cgroup_peak(m->group);
    memory_meter_go_on(&m->meter);
    m->kills = kills;
    m->has_killed = false;
    m->peak = 0;
    m->told_ms = 0;
    m->soft = m->mark;
    if (m->group)
        cgroup_set_soft(m->group, m->mark);
    return verdict;
}
