/* A tree of three: this process's child is the root, with a child of its own, and that
 * one with one. */
#include "sandbox/resources/process.h"
#include "sandbox/resources/process_tree.h"
#include "tests/unit/unit.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

enum {
    LARGE = 48 << 20,
    TABLES = 4096,
    FEW_TABLES = 512, /* with so many it is still asked who shares what */
};

struct tree {
    pid_t root, child, grandchild;
    int from; /* where the last two say their pids: at first, and at SIGUSR1 */
};

static int to;

/* --- wrapped by the linker: see WRAP_test_process_tree in the Makefile --- */

static struct {
    pid_t orphan, parent; /* who loses its parent as soon as it is looked at; or 0 */
    unsigned heard;       /* how often the orphan was sent a signal */
} meanwhile;

bool __real_process_is_child(int pidfd, pid_t parent);
bool __wrap_process_is_child(int pidfd, pid_t parent);
void __real_process_signal(int pidfd, int number);
void __wrap_process_signal(int pidfd, int number);

static void wait_for_end(pid_t pid);

bool
__wrap_process_is_child(int pidfd, pid_t parent)
{
    if (meanwhile.parent && process_pid(pidfd) == meanwhile.orphan) {
        kill(meanwhile.parent, SIGKILL);
        wait_for_end(meanwhile.parent);
        meanwhile.parent = 0;
    }
    return __real_process_is_child(pidfd, parent);
}

void
__wrap_process_signal(int pidfd, int number)
{
    meanwhile.heard += meanwhile.orphan && process_pid(pidfd) == meanwhile.orphan;
    __real_process_signal(pidfd, number);
}

/* --- the tree --- */

static NORETURN void
stay(void)
{
    for (;;)
        pause();
}

static void
say_pid(int number UNUSED)
{
    pid_t self = getpid();

    if (write(to, &self, sizeof(self)) != sizeof(self))
        _exit(1);
}

/* The page of zeroes, once in every stretch that has a page table of its own. */
static void
look_at_nothing(unsigned tables)
{
    const size_t stretch = 2 << 20, size = (size_t)tables * stretch;
    char *memory =
        mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    madvise(memory, size, MADV_NOHUGEPAGE);
    for (size_t at = 0; memory != MAP_FAILED && at < size; at += stretch)
        (void)*(volatile char *)(memory + at);
}

static void
page_tables_count(void **state UNUSED)
{
    const uint64_t tables = (uint64_t)TABLES * 4096;
    uint64_t memory = process_tree_memory_of(getpid());
    uint64_t resident = process_tree_resident_of(getpid());

    look_at_nothing(TABLES);
    assert_true(process_tree_memory_of(getpid()) >= memory + tables);
    assert_true(process_tree_resident_of(getpid()) >= resident + tables);
}

/* Our share of what is mapped. It falls when anybody else starts who has these
 * libraries. */
static uint64_t
mapped_share(void)
{
    char text[4096];
    const char *status =
        process_tree_read(getpid(), "smaps_rollup", text, sizeof(text));
    const char *share = strstr(status, "\nPss:");

    assert_non_null(share);
    return strtoull(share + 5, NULL, 10) << 10;
}

static void
a_few_page_tables_count(void **state UNUSED)
{
    const uint64_t tables = (uint64_t)FEW_TABLES * 4096;

    look_at_nothing(FEW_TABLES);
    assert_true(process_tree_memory_of(getpid()) < process_tree_resident_of(getpid()));
    const uint64_t before = mapped_share(), memory = process_tree_memory_of(getpid()),
                   after = mapped_share();
    assert_true(memory >= (before < after ? before : after) + tables);
}

/* Linux would take as long as there are tables to tell who shares what. */
static void
who_shares_is_not_asked_of_many_tables(void **state UNUSED)
{
    const uint64_t tables = (uint64_t)TABLES * 4096;
    uint64_t resident = process_tree_resident_of(getpid());

    assert_true(process_tree_memory_of(getpid()) < resident); /* libc is everybody's */
    assert_true(process_tree_alone(getpid()) < resident);
    look_at_nothing(TABLES);
    assert_true(process_tree_memory_of(getpid()) >= resident + tables);
    assert_true(process_tree_alone(getpid()) >= resident + tables);
}

/* The last one is the largest. */
static NORETURN void
be_grandchild(void)
{
    char *memory =
        mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        _exit(1);
    memset(memory, 1, LARGE);
    say_pid(0);
    stay();
}

static NORETURN void
be_child(void)
{
    signal(SIGUSR1, say_pid);
    say_pid(0);
    if (fork() == 0)
        be_grandchild();
    stay();
}

static int
set_up(void **state)
{
    struct tree *tree = xcalloc(1, sizeof(*tree));
    int ends[2];

    *state = tree;
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* what loses its parent is ours to wait for */
    if (pipe(ends) < 0)
        return -1;
    tree->from = ends[0];
    to = ends[1];
    tree->root = fork();
    if (tree->root == 0) {
        prctl(PR_SET_CHILD_SUBREAPER, 1); /* as init is */
        if (fork() == 0)
            be_child();
        stay();
    }
    close(to);
    return read(tree->from, &tree->child, sizeof(pid_t)) == sizeof(pid_t) &&
                   read(tree->from, &tree->grandchild, sizeof(pid_t)) == sizeof(pid_t)
               ? 0
               : -1;
}

static int
tear_down(void **state)
{
    struct tree *tree = *state;

    kill(tree->grandchild, SIGKILL);
    kill(tree->child, SIGKILL);
    kill(tree->root, SIGKILL);
    while (waitpid(-1, NULL, 0) > 0)
        continue;
    close(tree->from);
    free(tree);
    return 0;
}

struct seen {
    pid_t pids[8], parents[8];
    size_t count;
};

static void
see(void *context, pid_t pid, pid_t parent)
{
    struct seen *seen = context;

    assert_true(seen->count < COUNT_OF(seen->pids));
    seen->pids[seen->count] = pid;
    seen->parents[seen->count++] = parent;
}

static void
walks_from_the_root_to_the_last(void **state)
{
    const struct tree *tree = *state;
    struct seen seen = {.count = 0};

    process_tree_walk(tree->root, see, &seen);
    assert_int_equal(seen.count, 3);
    assert_int_equal(seen.pids[0], tree->root);
    assert_int_equal(seen.pids[1], tree->child);
    assert_int_equal(seen.parents[1], tree->root);
    assert_int_equal(seen.pids[2], tree->grandchild);
    assert_int_equal(seen.parents[2], tree->child);
}

static void
walks_nowhere_without_a_root(void **state UNUSED)
{
    struct seen seen = {.count = 0};

    process_tree_walk(0, see, &seen);
    assert_int_equal(seen.count, 0);
}

static void
finds_the_largest(void **state)
{
    const struct tree *tree = *state;
    struct process_tree_memory_of memory = process_tree_memory(tree->root);

    assert_int_equal(memory.pid, tree->grandchild);
    assert_in_range(memory.largest, LARGE, 2 * LARGE);
    assert_in_range(memory.bytes, memory.largest, 3 * LARGE);
    assert_in_range(process_tree_resident(tree->root), memory.largest, 4 * LARGE);
}

static void
knows_nothing_of_who_is_not_there(void **state UNUSED)
{
    pid_t gone = fork();
    char text[8];

    if (gone == 0)
        _exit(0);
    waitpid(gone, NULL, 0);
    assert_int_equal(process_tree_memory_of(gone), 0);
    assert_string_equal(process_tree_read(gone, "comm", text, sizeof(text)), "");
}

static void
cuts_what_it_reads(void **state UNUSED)
{
    char text[4];

    assert_string_equal(process_tree_read(getpid(), "comm", text, sizeof(text)), "tes");
}

static void
wait_for_end(pid_t pid)
{
    struct error err;
    AUTO(fd) int fd = process_open(pid, &err);
    struct pollfd end = {.fd = fd, .events = POLLIN};

    assert_true(fd < 0 || poll(&end, 1, -1) == 1);
}

static void
signals_all_but_the_root(void **state)
{
    const struct tree *tree = *state;
    pid_t heard[2];

    process_tree_signal(tree->root, SIGUSR1);
    assert_int_equal(read(tree->from, heard, sizeof(heard[0])), sizeof(heard[0]));
    assert_int_equal(read(tree->from, heard + 1, sizeof(heard[1])), sizeof(heard[1]));
    assert_int_equal(heard[0] + heard[1], tree->child + tree->grandchild);
    assert_int_equal(waitpid(tree->root, NULL, WNOHANG), 0); /* it would be dead */
}

/* It may be standing still, and this be the word to go on. */
static void
who_loses_its_parent_meanwhile_is_not_passed_over(void **state)
{
    const struct tree *tree = *state;

    meanwhile.orphan = tree->grandchild;
    meanwhile.parent = tree->child;
    process_tree_signal(tree->root, SIGCONT);
    meanwhile.orphan = 0;
    assert_int_equal(meanwhile.heard, 1);
}

static void
kills_members_only(void **state)
{
    const struct tree *tree = *state;

    assert_false(process_tree_kill(tree->root, tree->root));
    assert_false(process_tree_kill(tree->root, getpid()));
    assert_false(process_tree_kill(tree->child, tree->root));
    assert_false(process_tree_kill(tree->root, 1));
    assert_true(process_tree_kill(tree->root, tree->child));
    wait_for_end(tree->child);
    assert_int_equal(kill(tree->grandchild, 0), 0);
}

static bool
is_grandchild(void *context, pid_t pid)
{
    const struct tree *tree = context;

    return pid == tree->grandchild;
}

static void
who_has_ended_is_nobody_to_kill(void **state)
{
    struct tree *tree = *state;
    const struct process_tree_spared spared = {is_grandchild, tree};

    assert_true(process_tree_kill_all(tree->root, &spared));
    wait_for_end(tree->child); /* its parent does not ask how it ended */
    assert_false(process_tree_kill_all(tree->root, &spared));
    assert_int_equal(kill(tree->grandchild, 0), 0);
}

static bool
is_nobody(void *context UNUSED, pid_t pid UNUSED)
{
    return false;
}

static const struct process_tree_spared nobody = {is_nobody, NULL};

static void *
say_when_the_first_thread_has_ended(void *context UNUSED)
{
    char status[256] = "";

    while (!strstr(status, "\nState:\tZ")) {
        sched_yield();
        process_tree_read(getpid(), "status", status, sizeof(status));
    }
    say_pid(0);
    stay();
}

static void
who_ends_its_first_thread_is_somebody_to_kill(void **state UNUSED)
{
    int ends[2];
    pid_t pid;
    pthread_t thread;

    assert_int_equal(pipe(ends), 0);
    to = ends[1];
    pid_t odd = fork();
    if (odd == 0) {
        pthread_create(&thread, NULL, say_when_the_first_thread_has_ended, NULL);
        pthread_exit(NULL);
    }
    assert_int_equal(read(ends[0], &pid, sizeof(pid)), sizeof(pid));
    assert_false(process_tree_is_dying(getpid()));
    assert_true(process_tree_kill_all(getpid(), &nobody));
    assert_int_equal(waitpid(odd, NULL, 0), odd);
    close(ends[0]);
    close(ends[1]);
}

/* Held by the hand just before it lets go of what it has. */
static void
who_is_about_to_end_is_dying(void **state UNUSED)
{
    pid_t held = fork();

    if (held == 0)
        stay();
    assert_int_equal(ptrace(PTRACE_SEIZE, held, NULL, PTRACE_O_TRACEEXIT), 0);
    assert_false(process_tree_is_dying(getpid()));
    assert_true(process_tree_kill_all(getpid(), &nobody));
    assert_int_equal(waitpid(held, NULL, 0), held);
    assert_true(process_tree_memory_of(held) > 0);
    assert_true(process_tree_is_dying(getpid()));
    assert_false(process_tree_kill_all(getpid(), &nobody));
    ptrace(PTRACE_CONT, held, NULL, NULL);
    assert_int_equal(waitpid(held, NULL, 0), held);
}

/* --- who is born meanwhile --- */

struct birth {
    int ask[2], answer[2];
    pid_t born;
};

static NORETURN void
bear(const struct birth *birth)
{
    pid_t born;
    char word;

    if (read(birth->ask[0], &word, 1) != 1)
        _exit(1);
    born = fork();
    if (born > 0 && write(birth->answer[1], &born, sizeof(born)) < 0)
        _exit(1);
    stay();
}

/* Asked of the first that was found: all have been looked for. */
static bool
is_spared_while_one_is_born(void *context, pid_t pid UNUSED)
{
    struct birth *birth = context;

    if (!birth->born) {
        assert_int_equal(write(birth->ask[1], "", 1), 1);
        assert_int_equal(read(birth->answer[0], &birth->born, sizeof(birth->born)),
                         sizeof(birth->born));
    }
    return false;
}

static void
who_is_born_meanwhile_is_killed_too(void **state UNUSED)
{
    struct birth birth = {.born = 0};
    const struct process_tree_spared spared = {is_spared_while_one_is_born, &birth};

    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    assert_int_equal(pipe(birth.ask) | pipe(birth.answer), 0);
    const pid_t parent = fork();
    if (parent == 0)
        bear(&birth);
    assert_true(process_tree_kill_all(getpid(), &spared));
    assert_false(process_tree_kill_all(getpid(), &nobody));
    assert_int_equal(waitpid(parent, NULL, 0), parent);
    assert_int_equal(waitpid(birth.born, NULL, 0), birth.born);
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
    for (int i = 0; i < 2; i++) {
        close(birth.ask[i]);
        close(birth.answer[i]);
    }
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(walks_from_the_root_to_the_last),
        cmocka_unit_test(walks_nowhere_without_a_root),
        TEST(finds_the_largest),
        cmocka_unit_test(knows_nothing_of_who_is_not_there),
        cmocka_unit_test(cuts_what_it_reads),
        TEST(signals_all_but_the_root),
        TEST(who_loses_its_parent_meanwhile_is_not_passed_over),
        TEST(kills_members_only),
        TEST(who_has_ended_is_nobody_to_kill),
        cmocka_unit_test(who_ends_its_first_thread_is_somebody_to_kill),
        cmocka_unit_test(who_is_about_to_end_is_dying),
        cmocka_unit_test(who_is_born_meanwhile_is_killed_too),
        cmocka_unit_test(a_few_page_tables_count),
        cmocka_unit_test(who_shares_is_not_asked_of_many_tables),
        cmocka_unit_test(page_tables_count),
    };
    return cmocka_run_group_tests_name("process_tree", tests, NULL, NULL);
}
