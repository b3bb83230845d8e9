/* The governor of memory, in a world of figures: no process, no group, no clock is
 * real. */
#include "sandbox/resources/memory.h"
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdio.h>

#include "sandbox/resources/pace.h"
#include "sandbox/resources/process_tree.h"
#include "sandbox/resources/soft_mark.h"
#include "sandbox/resources/unmapped.h"

enum {
    ROOT = 1000,
    WORKER = 1001,
    CHILD = 1002,
    SOME_FD = 99,
};

#define LIMIT  (MIB(384))
#define MARK   (MIB(336))
#define BEYOND (LIMIT + MIB(48)) /* by as much as the reserve */

static struct {
    /* what there is */
    uint64_t used, peak, kills, unmapped;
    uint64_t held, held_by_others; /* in full: by the worker, by what it has started */
    uint64_t shared;               /* by processes: it counts for each in a quick sum */
    uint64_t forking; /* a close look counts so much too much, and the next does not */
    int children, checkpoints;
    int pressure;
    bool is_waiting, is_dying;
    uint64_t refused_below; /* by the kernel, as a mark */
    struct process_tree_memory_of processes;
    int64_t now_ms, look_ms; /* the latter: how long a close look takes */
    /* what the governor has done */
    struct loop_timer *timer;
    struct loop_watch *watch;
    int64_t delay_ms;
    uint64_t soft;
    int told, kills_of_worker, stops, continues, massacres;
    pid_t killed;
    char notice[256];
} world;

/* --- wrapped by the linker: see WRAP_test_memory in the Makefile --- */

#define WRAPPED(type, name, parameters) \
    type __wrap_##name parameters;      \
    type __wrap_##name parameters

WRAPPED(uint64_t, cgroup_memory, (const struct cgroup *group UNUSED))
{
    return world.used;
}

WRAPPED(uint64_t, cgroup_peak, (const struct cgroup *group UNUSED))
{
    return world.peak;
}

WRAPPED(uint64_t, cgroup_kills, (const struct cgroup *group UNUSED))
{
    return world.kills;
}

WRAPPED(bool, cgroup_set_soft, (struct cgroup * group UNUSED, uint64_t bytes))
{
    if (bytes < world.refused_below)
        return false;
    world.soft = bytes;
    return true;
}

WRAPPED(int, cgroup_pressure_fd, (const struct cgroup *group UNUSED))
{
    return world.pressure;
}

WRAPPED(void, cgroup_clear_pressure, (const struct cgroup *group UNUSED))
{
}

WRAPPED(bool, cgroup_is_waiting, (const struct cgroup *group UNUSED))
{
    return world.is_waiting;
}

WRAPPED(struct process_tree_memory_of, process_tree_memory, (pid_t root UNUSED))
{
    struct process_tree_memory_of seen = world.processes;

    world.now_ms += world.look_ms;
    seen.bytes += world.forking;
    world.forking = 0;
    return seen;
}

WRAPPED(uint64_t, process_tree_resident, (pid_t root UNUSED))
{
    return world.processes.bytes + world.shared;
}

WRAPPED(uint64_t, process_tree_resident_of, (pid_t pid))
{
    assert_int_equal(pid, WORKER);
    return world.held;
}

WRAPPED(uint64_t, process_tree_resident_but,
        (pid_t root UNUSED, const struct process_tree_spared *spared))
{
    assert_true(spared->is_spared(spared->context, WORKER));
    return world.held_by_others;
}

WRAPPED(void, process_tree_signal, (pid_t root UNUSED, int number))
{
    world.stops += number == SIGSTOP;
    world.continues += number == SIGCONT;
}

WRAPPED(bool, process_tree_kill, (pid_t root UNUSED, pid_t pid))
{
    world.killed = pid;
    return true;
}

WRAPPED(bool, process_tree_kill_all,
        (pid_t root UNUSED, const struct process_tree_spared *spared))
{
    assert_true(spared->is_spared(spared->context, WORKER));
    world.massacres += world.children > 0;
    return world.children > 0;
}

WRAPPED(uint64_t, unmapped_bytes,
        (struct unmapped * unmapped UNUSED, pid_t root UNUSED))
{
    return world.unmapped;
}

WRAPPED(bool, process_tree_is_dying, (pid_t root UNUSED))
{
    return world.is_dying;
}

WRAPPED(unsigned, pace_processors, (void))
{
    return 1;
}

WRAPPED(const char *, process_tree_read,
        (pid_t pid UNUSED, const char *name UNUSED, char *text, size_t size))
{
    snprintf(text, size, "a\033[2Jname\n");
    return text;
}

WRAPPED(void, loop_timer_set,
        (struct loop * loop UNUSED, struct loop_timer *timer, int64_t delay_ms))
{
    world.timer = timer;
    world.delay_ms = delay_ms;
}

WRAPPED(void, loop_timer_cancel,
        (struct loop * loop UNUSED, struct loop_timer *timer UNUSED))
{
    world.timer = NULL;
}

WRAPPED(int, loop_watch_start,
        (struct loop * loop UNUSED, struct loop_watch *watch, uint32_t events UNUSED,
         struct error *err UNUSED))
{
    world.watch = watch;
    return 0;
}

WRAPPED(void, loop_watch_stop,
        (struct loop * loop UNUSED, struct loop_watch *watch UNUSED))
{
    world.watch = NULL;
}

WRAPPED(int64_t, loop_now_ms, (void))
{
    return world.now_ms;
}

/* --- whom the governor serves --- */

static void
tell(void *context UNUSED)
{
    world.told++;
}

static void
kill_worker(void *context UNUSED)
{
    world.kills_of_worker++;
}

static void
notice(void *context UNUSED, const char *message)
{
    snprintf(world.notice, sizeof(world.notice), "%s", message);
}

static pid_t
worker(void *context UNUSED)
{
    return WORKER;
}

static bool
is_worker(void *context UNUSED, pid_t pid)
{
    return pid == WORKER;
}

static bool
give_way(void *context UNUSED)
{
    return world.checkpoints-- > 0;
}

/* With a group of version 2, of version 1, or with none: a meter. */
static struct memory *
start(int version)
{
    static char group;
    const struct memory_ops ops = {tell,      kill_worker, notice, worker,
                                   is_worker, give_way,    NULL};

    memset(&world, 0, sizeof(world));
    world.now_ms = 1000;
    world.pressure = version == 1 ? SOME_FD : -1;
    struct memory *memory =
        memory_new(NULL, LIMIT, version ? (struct cgroup *)(void *)&group : NULL, &ops);
    memory_watch(memory, ROOT);
    memory_set_busy(memory, true);
    return memory;
}

/* So much later, with so much in use, its timer is due. */
static void
later(int64_t ms, uint64_t used)
{
    assert_non_null(world.timer);
    world.now_ms += ms;
    world.used = world.held = used;
    world.processes = (struct process_tree_memory_of){used, used, WORKER};
    world.timer->on_due(world.timer->context);
}

/* --- tests --- */

static void
keeps_an_eighth_in_reserve_but_not_too_much_nor_too_little(void **state UNUSED)
{
    assert_int_equal(soft_mark_first(LIMIT), MARK);
    assert_int_equal(soft_mark_first(MIB(100)), MIB(84));
    assert_int_equal(soft_mark_first(MIB(32)), MIB(24));
    assert_int_equal(soft_mark_first(MIB(64 << 10)), MIB(63 << 10));
}

static void
tells_once_at_the_mark_and_lifts_it(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(2);

    later(5, MARK - MIB(1));
    assert_int_equal(world.told, 0);
    later(5, MARK);
    assert_int_equal(world.told, 1);
    assert_int_equal(world.soft, LIMIT);
    later(5, MARK + MIB(1));
    assert_int_equal(world.told, 1);
    assert_int_equal(world.kills_of_worker, 0);
}

static void
kills_when_telling_has_not_helped(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(2);

    later(5, MARK);
    later(5, LIMIT - 1);
    assert_int_equal(world.kills_of_worker, 0);
    later(5, LIMIT);
    assert_int_equal(world.kills_of_worker, 1);
    struct memory_verdict verdict = memory_judge(memory);
    assert_true(verdict.is_cause);
    assert_int_equal(verdict.peak, LIMIT);
    assert_int_equal(verdict.limit, LIMIT);
}

static void
tells_the_next_time_half_way_to_the_limit(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(2);

    later(5, MARK);
    later(500, MIB(344));
    assert_int_equal(world.soft, MIB(364));
    later(5, MIB(363));
    assert_int_equal(world.told, 1);
    later(5, MIB(364));
    assert_int_equal(world.told, 2);
}

/* A cell whose own allocation failed just below the mark was not told. */
static void
who_begins_at_the_mark_is_not_told_of_it(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(2);

    later(5, MARK - MIB(1));
    memory_set_busy(memory, false);
    memory_set_busy(memory, true);
    later(5, MARK + MIB(2));
    assert_int_equal(world.told, 0);
    later(5, LIMIT - MIB(20));
    assert_int_equal(world.told, 1);
    later(5, MIB(100));
}

static void
tells_at_the_first_mark_again_once_memory_was_let_go(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(2);

    later(5, MARK);
    world.used = MIB(10);
    memory_set_busy(memory, false); /* the cell has ended */
    assert_int_equal(world.soft, MARK);
    memory_set_busy(memory, true);
    later(5, MARK);
    assert_int_equal(world.told, 2);
}

static void
has_no_further_word_where_hardly_anything_is_left(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(2);

    later(5, MARK);
    later(500, LIMIT - 1);
    assert_int_equal(world.soft, LIMIT);
    later(500, LIMIT - 1);
    assert_int_equal(world.told, 1);
    later(5, LIMIT);
    assert_int_equal(world.told, 1);
    assert_int_equal(world.kills_of_worker, 1);
}

static void
leaves_the_mark_where_the_kernel_refuses_to_lower_it(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(2);

    later(5, MARK);
    world.refused_below = UINT64_MAX;
    later(500, MARK);
    later(5, MARK);
    assert_int_equal(world.told, 1);
}

static void
goes_half_way_where_the_kernel_refuses_the_first_mark(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(2);

    later(5, MARK);
    world.refused_below = MARK + MIB(1);
    world.used = MARK - MIB(2);
    memory_set_busy(memory, false);
    assert_int_equal(world.soft, MARK - MIB(2) + (LIMIT - MARK + MIB(2)) / 2);
    memory_set_busy(memory, true);
    later(5, world.soft);
    assert_int_equal(world.told, 2);
    assert_int_equal(world.kills_of_worker, 0);
}

static void
kills_what_the_cell_has_started_before_the_worker(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(2);

    later(5, MARK);
    world.now_ms += 5;
    world.used = LIMIT;
    world.processes = (struct process_tree_memory_of){LIMIT, LIMIT - MIB(100), CHILD};
    world.timer->on_due(world.timer->context);
    assert_int_equal(world.killed, CHILD);
    assert_int_equal(world.kills_of_worker, 0);
    assert_non_null(
        strstr(world.notice, "(a?[2Jname) was killed: the sandbox's memory"));
    assert_false(memory_judge(memory).is_cause);
}

static void
kills_all_that_the_cell_has_started_when_no_one_of_them_is_large(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(0);

    world.children = 8;
    later(5, MARK);
    world.unmapped = MIB(100);
    world.now_ms += 5;
    world.processes = (struct process_tree_memory_of){LIMIT, MIB(60), WORKER};
    world.timer->on_due(world.timer->context);
    assert_int_equal(world.massacres, 1);
    assert_int_equal(world.kills_of_worker, 0);
    assert_non_null(strstr(world.notice, "What the cell had started was killed"));
    world.children = 0;
    world.timer->on_due(world.timer->context);
    assert_int_equal(world.kills_of_worker, 1);
}

static void
a_meter_counts_what_no_process_maps(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(0);

    world.unmapped = MIB(100);
    later(5, MARK - MIB(101));
    assert_int_equal(world.told, 0);
    later(5, MARK - MIB(100));
    assert_int_equal(world.told, 1);
}

static void
a_meter_waits_for_the_checkpoint_before_it_tells(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(0);

    world.checkpoints = 1;
    later(5, MARK);
    later(5, MARK); /* it still goes */
    assert_int_equal(world.told, 0);
    assert_int_equal(world.continues, 0); /* nothing grows meanwhile */
    later(5, MARK - MIB(50));
    assert_int_equal(world.told, 0);
    assert_int_equal(world.continues, 1);
    later(100, MARK); /* there is none any more */
    assert_int_equal(world.told, 1);
    assert_int_equal(world.continues, 2);
}

static void
a_meter_tells_when_the_checkpoint_was_not_it(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(0);

    world.checkpoints = 1;
    later(5, MARK);
    later(50, MARK);
    assert_int_equal(world.told, 1);
    assert_int_equal(world.continues, 1);
    assert_int_equal(world.kills_of_worker, 0);
}

/* A checkpoint is made between cells, and nobody hears the word then. */
static void
tells_nobody_between_cells_but_the_next_cell(void **state UNUSED)
{
    for (int version = 0; version <= 2; version += 2) {
        AUTO(memory) struct memory *memory = start(version);
        memory_set_busy(memory, false);
        later(250, MARK);
        assert_int_equal(world.told, 0);
        memory_set_busy(memory, true);
        later(5, MARK + MIB(4)); /* lets go of what it has, say */
        assert_int_equal(world.told, 0);
        later(5, MARK + MIB(24));
        assert_int_equal(world.told, 1);
    }
}

static void
what_goes_on_between_cells_is_killed_at_the_limit(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(0);

    memory_set_busy(memory, false);
    later(250, MARK);
    later(250, LIMIT);
    later(250, BEYOND);
    assert_int_equal(world.kills_of_worker, 1);
}

static void
the_peak_does_not_count_twice_what_is_shared(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(0);

    later(5, MARK - 1); /* the quick sum, below the mark: nobody looked closely */
    assert_int_equal(memory_judge(memory).peak, 0);
}

static void
looks_as_often_as_the_limit_is_near_and_memory_grows(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(2);

    later(1000, MIB(1));
    assert_int_equal(world.delay_ms, 83); /* 335 MiB are left, at 4 GB/s */
    later(1000, MIB(300));
    assert_int_equal(world.delay_ms, 30);
    later(10, MIB(310));
    assert_int_equal(world.delay_ms, 6); /* as fast as it grows, four times over */
    later(10, MARK - 1);
    assert_int_equal(world.delay_ms, 5);
    memory_set_busy(memory, false);
    later(5, MARK - 1);
    assert_int_equal(world.delay_ms, 250);
}

static void
looks_no_more_when_nothing_is_there(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(2);

    memory_watch(memory, 0);
    assert_null(world.timer);
    memory_set_busy(memory, false);
    memory_set_busy(memory, true);
    assert_null(world.timer);
}

static void
a_death_by_the_kernel_counts_once(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(2);

    later(5, MIB(100));
    world.kills = 1;
    world.peak = LIMIT;
    struct memory_verdict verdict = memory_judge(memory);
    assert_true(verdict.is_cause);
    assert_int_equal(verdict.peak, LIMIT);
    assert_false(memory_judge(memory).is_cause);
    assert_int_equal(world.soft, MARK);
}

static void
a_meter_has_the_processes_stand_still(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(0);

    later(5, MIB(100));
    assert_int_equal(world.stops, 0);
    later(5, MARK);
    assert_int_equal(world.told, 1);
    assert_int_equal(world.stops, 1);
    assert_int_equal(world.continues, 1);
}

/* 5 MiB in 10 ms, and 91 are left: for a quarter of that rate. */
static void
growth_is_from_one_quick_sum_to_the_next(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(0);

    world.shared = MIB(100);
    later(10, MIB(240));
    assert_int_equal(world.stops, 1);
    later(10, MIB(245));
    assert_int_equal(world.stops, 2);
    assert_int_equal(world.delay_ms, 45);
}

static void
a_meter_that_looks_late_tells_before_it_kills(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(0);

    later(5, BEYOND);
    assert_int_equal(world.told, 1);
    later(5, BEYOND + MIB(47));
    assert_int_equal(world.kills_of_worker, 0);
    later(5, BEYOND + MIB(48));
    assert_int_equal(world.kills_of_worker, 1);
}

/* While it waited for a processor: a word would come as late. */
static void
what_leaps_far_past_the_limit_is_killed_before_the_cell_is_told(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(0);

    world.children = 80;
    world.unmapped = MIB(400);
    later(5, BEYOND - MIB(401));
    assert_int_equal(world.massacres, 0);
    assert_int_equal(world.told, 1);
    assert_false(memory_judge(memory).is_cause);
    later(5, BEYOND - MIB(400));
    assert_int_equal(world.massacres, 1);
    assert_int_equal(world.told, 1);
    assert_int_equal(world.kills_of_worker, 0);
}

/* A checkpoint, say, that is being made. */
static void
who_forks_in_the_midst_of_a_look_is_no_leap(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(0);

    memory_set_busy(memory, false);
    world.children = 1;
    world.shared = MIB(300);
    world.forking = BEYOND - MIB(300);
    world.processes = (struct process_tree_memory_of){MIB(300), MIB(150), WORKER};
    world.timer->on_due(world.timer->context);
    assert_int_equal(world.massacres, 0);
    assert_int_equal(world.told, 0);
    assert_int_equal(world.kills_of_worker, 0);
}

/* On a busy machine that takes time. What it had may be all that was too much. */
static void
nobody_is_killed_while_a_checkpoint_gives_way(void **state UNUSED)
{
    for (int version = 0; version <= 2; version += 2) {
        AUTO(memory) struct memory *memory = start(version);
        world.children = 1; /* that very one */
        later(5, MARK);
        assert_int_equal(world.told, 1);
        world.checkpoints = 1;
        later(5, LIMIT);
        world.is_dying = true;
        later(60, LIMIT);
        assert_int_equal(world.massacres, 0);
        assert_int_equal(world.kills_of_worker, 0);
        world.is_dying = false;
        world.children = 0;
        later(60, LIMIT);
        assert_int_equal(world.kills_of_worker, 1);
    }
}

/* However long that takes: what it had is all that was too much. */
static void
nobody_is_told_while_a_checkpoint_gives_way(void **state UNUSED)
{
    for (int version = 0; version <= 2; version++) {
        AUTO(memory) struct memory *memory = start(version);
        world.checkpoints = 1;
        world.is_waiting = version == 1;
        world.used = MARK;
        if (version == 1)
            world.watch->on_ready(world.watch->context, EPOLLIN);
        else
            later(5, MARK);
        world.is_dying = true;
        later(60, MARK);
        later(200, MARK);
        assert_int_equal(world.told, 0);
        world.is_dying = false;
        later(60, MARK);
        assert_int_equal(world.told, 1);
    }
}

/* Nobody can let go of memory while it stands still. */
static void
the_time_that_looks_take_is_not_the_cells(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(0);

    later(5, MARK);
    assert_int_equal(world.told, 1);
    world.look_ms = 600;
    later(5, LIMIT - MIB(30));
    later(5, LIMIT - MIB(20));
    later(5, LIMIT - MIB(10));
    assert_int_equal(world.told, 1);
    later(500, LIMIT - MIB(20)); /* it has had its time, and kept what it has */
    later(5, LIMIT - MIB(10));
    assert_int_equal(world.told, 2);
    assert_int_equal(world.kills_of_worker, 0);
}

static void
a_meter_that_looked_late_tells_the_next_cell_too(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(0);

    later(5, BEYOND + MIB(10)); /* on a busy machine */
    assert_int_equal(world.told, 1);
    memory_set_busy(memory, false);
    memory_set_busy(memory, true);
    later(5, BEYOND + MIB(42));
    assert_int_equal(world.told, 2);
    assert_int_equal(world.kills_of_worker, 0);
    memory_set_busy(memory, false);
    memory_set_busy(memory, true);
    later(5, BEYOND + MIB(190)); /* there is an end to it */
    assert_int_equal(world.told, 2);
    assert_int_equal(world.kills_of_worker, 1);
}

/* What it shares with a checkpoint that is on its way out was not seen when the cell
 * before ended, so the mark is below what there is. */
static void
a_meter_does_not_tell_who_has_taken_nothing(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(0);

    later(5, MARK + MIB(8));
    assert_int_equal(world.told, 1);
    world.processes.bytes = MIB(172);
    memory_set_busy(memory, false);
    memory_set_busy(memory, true);
    later(5, MARK + MIB(10));
    assert_int_equal(world.told, 1);
    later(5, MARK + MIB(20));
    assert_int_equal(world.told, 1);
    later(5, MARK + MIB(30)); /* half-way to the limit */
    assert_int_equal(world.told, 2);
}

static void
a_meter_tells_who_has_started_what_takes_it(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(0);

    memory_set_busy(memory, false);
    world.held = MARK;
    memory_set_busy(memory, true);
    world.held_by_others = MIB(8);
    later(5, MARK);
    assert_int_equal(world.told, 1);
}

static void
version_1_is_woken_and_has_nothing_to_look_for(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(1);

    assert_null(world.timer);
    world.is_waiting = true;
    world.used = MARK;
    world.watch->on_ready(world.watch->context, EPOLLIN);
    assert_int_equal(world.told, 1);
    assert_int_equal(world.soft, LIMIT);
    later(20, LIMIT); /* it waits again */
    assert_int_equal(world.kills_of_worker, 1);
}

/* What was killed may still hold what somebody waits for. */
static void
version_1_kills_nobody_else_while_somebody_dies(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(1);

    world.is_waiting = true;
    world.used = MARK;
    world.watch->on_ready(world.watch->context, EPOLLIN);
    assert_int_equal(world.told, 1);
    world.now_ms += 20;
    world.processes = (struct process_tree_memory_of){LIMIT, LIMIT, CHILD};
    world.timer->on_due(world.timer->context);
    assert_int_equal(world.killed, CHILD);
    world.is_dying = true;
    later(20, LIMIT);
    assert_int_equal(world.kills_of_worker, 0);
    world.is_dying = false;
    later(20, LIMIT);
    assert_int_equal(world.kills_of_worker, 1);
}

static void
version_1_looks_again_when_nobody_waits_yet(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start(1);

    world.watch->on_ready(world.watch->context, EPOLLIN);
    assert_int_equal(world.told, 0);
    world.is_waiting = true;
    later(20, MARK);
    assert_int_equal(world.told, 1);
}

/* A meter's sandbox that has just lost a child for memory, and stands still. */
static struct memory *
start_with_one_killed(void)
{
    struct memory *memory = start(0);

    later(5, MARK);
    world.now_ms += 5;
    world.processes = (struct process_tree_memory_of){BEYOND, BEYOND, CHILD};
    world.timer->on_due(world.timer->context);
    assert_int_equal(world.killed, CHILD);
    world.is_dying = true;
    return memory;
}

static void
nobody_goes_on_while_somebody_dies(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start_with_one_killed();
    int continues = world.continues;

    later(5, MIB(100));
    later(5, MIB(100));
    assert_int_equal(world.continues, continues);
    world.is_dying = false;
    later(5, MIB(100));
    assert_int_equal(world.continues, continues + 1);
}

static void
who_does_not_die_is_not_waited_for_for_ever(void **state UNUSED)
{
    AUTO(memory) struct memory *memory = start_with_one_killed();
    int continues = world.continues;

    later(2500, MIB(100));
    assert_int_equal(world.continues, continues + 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_an_eighth_in_reserve_but_not_too_much_nor_too_little),
        cmocka_unit_test(tells_once_at_the_mark_and_lifts_it),
        cmocka_unit_test(kills_when_telling_has_not_helped),
        cmocka_unit_test(tells_the_next_time_half_way_to_the_limit),
        cmocka_unit_test(who_begins_at_the_mark_is_not_told_of_it),
        cmocka_unit_test(tells_at_the_first_mark_again_once_memory_was_let_go),
        cmocka_unit_test(has_no_further_word_where_hardly_anything_is_left),
        cmocka_unit_test(leaves_the_mark_where_the_kernel_refuses_to_lower_it),
        cmocka_unit_test(goes_half_way_where_the_kernel_refuses_the_first_mark),
        cmocka_unit_test(kills_what_the_cell_has_started_before_the_worker),
        cmocka_unit_test(
            kills_all_that_the_cell_has_started_when_no_one_of_them_is_large),
        cmocka_unit_test(a_meter_counts_what_no_process_maps),
        cmocka_unit_test(a_meter_waits_for_the_checkpoint_before_it_tells),
        cmocka_unit_test(a_meter_tells_when_the_checkpoint_was_not_it),
        cmocka_unit_test(tells_nobody_between_cells_but_the_next_cell),
        cmocka_unit_test(what_goes_on_between_cells_is_killed_at_the_limit),
        cmocka_unit_test(the_peak_does_not_count_twice_what_is_shared),
        cmocka_unit_test(looks_as_often_as_the_limit_is_near_and_memory_grows),
        cmocka_unit_test(looks_no_more_when_nothing_is_there),
        cmocka_unit_test(a_death_by_the_kernel_counts_once),
        cmocka_unit_test(a_meter_has_the_processes_stand_still),
        cmocka_unit_test(growth_is_from_one_quick_sum_to_the_next),
        cmocka_unit_test(a_meter_that_looks_late_tells_before_it_kills),
        cmocka_unit_test(
            what_leaps_far_past_the_limit_is_killed_before_the_cell_is_told),
        cmocka_unit_test(who_forks_in_the_midst_of_a_look_is_no_leap),
        cmocka_unit_test(nobody_is_killed_while_a_checkpoint_gives_way),
        cmocka_unit_test(nobody_is_told_while_a_checkpoint_gives_way),
        cmocka_unit_test(the_time_that_looks_take_is_not_the_cells),
        cmocka_unit_test(a_meter_that_looked_late_tells_the_next_cell_too),
        cmocka_unit_test(a_meter_does_not_tell_who_has_taken_nothing),
        cmocka_unit_test(a_meter_tells_who_has_started_what_takes_it),
        cmocka_unit_test(nobody_goes_on_while_somebody_dies),
        cmocka_unit_test(who_does_not_die_is_not_waited_for_for_ever),
        cmocka_unit_test(version_1_is_woken_and_has_nothing_to_look_for),
        cmocka_unit_test(version_1_kills_nobody_else_while_somebody_dies),
        cmocka_unit_test(version_1_looks_again_when_nobody_waits_yet),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
