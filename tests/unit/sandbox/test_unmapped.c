/* What is counted for a process beyond what it maps, with real ones. */
#include "sandbox/resources/unmapped.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include <linux/magic.h>

#include "sandbox/resources/process_tree.h"

enum {
    MANY = 1000,
    PIPE_END = 8192,        /* at least: the other end may be closed */
    FIRST_PIPES = 64 << 10, /* until a user has 16,384 pages */
    LIMIT = 512 << 20,
    MOST_MAPPINGS = 65000, /* of one process, by Linux's own setting */
    PAGE = 4096,
};

typedef void act_fn(void);

/* A root with one child, which has acted; both stay until the test ends them. */
static pid_t
family(act_fn *act, int ready)
{
    pid_t root = fork();

    if (root == 0) {
        /* Sockets are counted by network namespace. */
        if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
            _exit(1);
        if (fork() == 0) {
            act();
            (void)!write(ready, "x", 1);
        }
        for (;;)
            pause();
    }
    return root;
}

static uint64_t
unmapped_of(pid_t root, int scratch)
{
    struct unmapped unmapped = {.scratch = scratch, .limit = LIMIT};

    return unmapped_bytes(&unmapped, root);
}

static pid_t
begin(act_fn *act)
{
    char byte;
    int ends[2];

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t root = family(act, ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    close(ends[1]);
    return root;
}

static void
end(pid_t root)
{
    process_tree_signal(root, SIGKILL);
    kill(root, SIGKILL);
    assert_int_equal(waitpid(root, NULL, 0), root);
}

static uint64_t
bytes_of(act_fn *act)
{
    pid_t root = begin(act);
    uint64_t bytes = unmapped_of(root, -1);

    end(root);
    return bytes;
}

static void
do_nothing(void)
{
}

static void
open_so_many_pipes(int count)
{
    int ends[2];
    const struct rlimit most = {3 * MANY + 64, 3 * MANY + 64};

    (void)!setrlimit(RLIMIT_NOFILE, &most);
    for (int i = 0; i < count; i++)
        (void)!pipe(ends);
}

static void
open_pipes(void)
{
    open_so_many_pipes(MANY);
}

static void
open_more_pipes(void)
{
    open_so_many_pipes(MANY + MANY / 10);
}

static void
open_still_more_pipes(void)
{
    open_so_many_pipes(MANY + MANY / 5);
}

static void
open_sockets(void)
{
    int ends[2];
    const struct rlimit most = {2 * MANY + 64, 2 * MANY + 64};

    (void)!setrlimit(RLIMIT_NOFILE, &most);
    for (int i = 0; i < MANY; i++)
        (void)!socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
}

/* Of every other page the rights differ: as many mappings, and not one page. */
static void
divide(void *from, int mappings)
{
    char *at = from;

    for (int i = 0; i < mappings / 2; i++)
        (void)!mprotect(at + 2 * i * PAGE, PAGE, PROT_READ);
}

static void *
reserve(void)
{
    return mmap(NULL, (size_t)MOST_MAPPINGS * PAGE, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static void
divide_fully(void)
{
    divide(reserve(), MOST_MAPPINGS);
}

static void
divide_a_little(void)
{
    divide(reserve(), MANY);
}

static void
an_ordinary_process_has_next_to_nothing(void **state UNUSED)
{
    uint64_t few = bytes_of(do_nothing), sockets = bytes_of(open_sockets);

    assert_true(few < sockets);
}

static void
descriptors_count_as_full_pipes(void **state UNUSED)
{
    uint64_t few = bytes_of(do_nothing), pipes = bytes_of(open_pipes);

    assert_true(pipes >= few + (uint64_t)1024 * FIRST_PIPES +
                             (uint64_t)(2 * MANY - 256 - 1024) * PIPE_END);
}

/* Both have a table of 4,096. */
static void
descriptors_count_one_by_one(void **state UNUSED)
{
    struct stat about;

    if (stat("/proc/self/fd", &about) < 0 || about.st_size == 0)
        skip(); /* before Linux 6.2 */
    assert_true(bytes_of(open_still_more_pipes) >=
                bytes_of(open_more_pipes) + (uint64_t)(MANY / 5) * PIPE_END);
}

/* A default buffer each: 208 KiB. */
static void
sockets_count_as_full_ones(void **state UNUSED)
{
    uint64_t pipes = bytes_of(open_pipes), sockets = bytes_of(open_sockets);

    assert_true(sockets >= pipes + (uint64_t)2 * MANY * (208 << 10));
}

static void
files_in_memory_count_with_their_number(void **state UNUSED)
{
    char path[] = "/dev/shm/unmapped-XXXXXX", page[4096] = {0};
    struct statfs about;
    AUTO(fd) int file = mkstemp(path);
    AUTO(fd) int folder = open("/dev/shm", O_PATH | O_DIRECTORY | O_CLOEXEC);

    assert_int_equal(fstatfs(folder, &about), 0);
    if (about.f_type != TMPFS_MAGIC)
        skip();
    for (int i = 0; i < MANY; i++)
        assert_int_equal(write(file, page, sizeof(page)), sizeof(page));
    assert_true(unmapped_of(getpid(), folder) >= MANY * sizeof(page) + 1024);
    unlink(path);
}

static void
other_file_systems_do_not_count(void **state UNUSED)
{
    AUTO(fd) int folder = open("/usr", O_PATH | O_DIRECTORY | O_CLOEXEC);
    struct statfs about;

    assert_int_equal(fstatfs(folder, &about), 0);
    if (about.f_type == TMPFS_MAGIC)
        skip();
    assert_int_equal(unmapped_of(getpid(), folder), unmapped_of(getpid(), -1));
}

/* 200 bytes each, and their place in a tree. */
static void
mappings_count_with_their_number(void **state UNUSED)
{
    uint64_t few = bytes_of(do_nothing), full = bytes_of(divide_fully);

    assert_true(full > few + (uint64_t)MOST_MAPPINGS * 200);
    assert_true(full < few + (uint64_t)MOST_MAPPINGS * 400);
    assert_true(bytes_of(divide_a_little) == few);
}

static void
a_count_of_mappings_is_kept_until_the_machine_has_more(void **state UNUSED)
{
    struct mappings mappings = {0};

    (void)mappings_bytes(&mappings, getpid(), LIMIT);
    int64_t when_ms = mappings.when_ms;
    mappings.bytes = 1;
    assert_int_equal(mappings_bytes(&mappings, getpid(), UINT64_MAX / 2), 1);
    assert_int_equal(mappings.when_ms, when_ms);
    mappings.slab = 1; /* as if the machine had had next to nothing */
    mappings.when_ms -= MAPPINGS_MOST_MS;
    (void)mappings_bytes(&mappings, getpid(), LIMIT);
    assert_true(mappings.when_ms >= when_ms);
    assert_true(mappings.slab > 1);
}

/* What were many may be few by now: who is counted too high is killed for nothing. */
static void
many_mappings_are_counted_again(void **state UNUSED)
{
    struct mappings mappings = {0};

    (void)mappings_bytes(&mappings, getpid(), LIMIT);
    mappings.bytes = LIMIT / 2;
    mappings.when_ms -= 1000;
    assert_true(mappings_bytes(&mappings, getpid(), LIMIT) < LIMIT / 2);
}

/* Whose list it is may keep us waiting meanwhile. */
static void
mappings_are_not_read_while_more_of_others_comes(void **state UNUSED)
{
    struct unmapped unmapped = {.scratch = -1, .limit = LIMIT, .mappings = {.slab = 1}};
    pid_t root = begin(open_pipes);

    (void)unmapped_bytes(&unmapped, root);
    assert_int_equal(unmapped.mappings.when_ms, 0);
    (void)unmapped_bytes(&unmapped, root); /* nothing has come since */
    assert_true(unmapped.mappings.when_ms > 0);
    end(root);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ordinary_process_has_next_to_nothing),
        cmocka_unit_test(descriptors_count_as_full_pipes),
        cmocka_unit_test(descriptors_count_one_by_one),
        cmocka_unit_test(sockets_count_as_full_ones),
        cmocka_unit_test(files_in_memory_count_with_their_number),
        cmocka_unit_test(other_file_systems_do_not_count),
        cmocka_unit_test(mappings_count_with_their_number),
        cmocka_unit_test(a_count_of_mappings_is_kept_until_the_machine_has_more),
        cmocka_unit_test(many_mappings_are_counted_again),
        cmocka_unit_test(mappings_are_not_read_while_more_of_others_comes),
    };
    return cmocka_run_group_tests_name("unmapped", tests, NULL, NULL);
}
