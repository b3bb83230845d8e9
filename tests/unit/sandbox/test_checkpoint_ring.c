/* The ring with checkpoints that are real processes. The test is the worker that makes
 * them, and the parent that they have to have. */
#include "tests/unit/unit.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/resources/process.h"
#include "sandbox/running/checkpoint_ring.h"

enum {
    MANY = 40,
    KEEP = 8,
    ALONE = 32 << 20, /* more than what is worth ending one for */
    PATIENCE_MS = 20000,
};

struct fixture {
    struct loop *loop;
    struct checkpoint_ring ring;
    int ends[MANY]; /* of the sockets that were lent; -1: none */
    pid_t pids[MANY];
    size_t made;
    unsigned frozen, settled;
};

static void
note_frozen(void *context)
{
    ((struct fixture *)context)->frozen++;
}

static void
note_settled(void *context)
{
    ((struct fixture *)context)->settled++;
}

static void
note_named(void *context UNUSED, bool has_named UNUSED)
{
}

static struct fixture *
new_fixture(unsigned keep)
{
    struct fixture *f = xcalloc(1, sizeof(*f));
    struct error err;

    f->loop = loop_new(&err);
    assert_non_null(f->loop);
    checkpoint_ring_init(
        &f->ring, f->loop, keep,
        &(struct checkpoint_ring_ops){note_frozen, note_settled, note_named, f});
    return f;
}

static int
set_up(void **state)
{
    *state = new_fixture(KEEP);
    return 0;
}

static int
tear_down(void **state)
{
    struct fixture *f = *state;

    checkpoint_ring_drop(&f->ring);
    for (size_t i = 0; i < f->made; i++) {
        close(f->ends[i]);
        waitpid(f->pids[i], NULL, 0);
    }
    loop_free(f->loop);
    free(f);
    return 0;
}

static void
wait_for(int fd)
{
    struct pollfd what = {fd, POLLIN, 0};

    assert_int_equal(poll(&what, 1, PATIENCE_MS), 1);
}

/* Says what it is, with so much memory that nobody shares, and waits. */
static void
idle(int end, int32_t cell, size_t alone)
{
    unsigned char said[1 + sizeof(cell)] = {'c'};

    if (alone) {
        void *own = mmap(NULL, alone, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memset(own, 1, alone);
    }
    memcpy(said + 1, &cell, sizeof(cell));
    if (send(end, said, sizeof(said), MSG_NOSIGNAL) != sizeof(said))
        _exit(1);
    for (;;)
        pause();
}

static int
lend(struct fixture *f)
{
    struct error err;
    int end = checkpoint_ring_lend(&f->ring, getpid(), &err);

    assert_true(end >= 0);
    return end;
}

/* Up to where init knows it, unless it is refused. */
static pid_t
freeze(struct fixture *f, int cell, size_t alone)
{
    int end = lend(f);
    char answer;
    pid_t pid = fork();

    if (pid == 0)
        idle(end, cell, alone);
    assert_true(f->made < MANY);
    f->ends[f->made] = end;
    f->pids[f->made++] = pid;
    for (ssize_t got = -1; got != 1;) { /* until it has spoken */
        checkpoint_ring_hear(&f->ring);
        got = recv(end, &answer, 1, MSG_DONTWAIT);
    }
    return pid;
}

static void
settle(struct fixture *f)
{
    assert_int_equal(send(f->ends[f->made - 1], "n", 1, MSG_NOSIGNAL), 1);
    checkpoint_ring_hear(&f->ring);
}

static pid_t
make(struct fixture *f, int cell)
{
    checkpoint_ring_begin_cell(&f->ring, cell);
    pid_t pid = freeze(f, cell, 0);
    settle(f);
    return pid;
}

/* "1 4 7", with * at those that were undone. */
static const char *
cells_of(struct fixture *f)
{
    static char text[256];
    json_auto_t *list = checkpoint_ring_list(&f->ring, false);
    json_t *each;
    size_t i, len = 0;

    text[0] = '\0';
    json_array_foreach (list, i, each)
        len +=
            (size_t)snprintf(text + len, sizeof(text) - len, "%s%lld%s", i ? " " : "",
                             json_integer_value(json_object_get(each, "cell")),
                             json_is_true(json_object_get(each, "undone")) ? "*" : "");
    return text;
}

static bool
has_ended(pid_t pid)
{
    struct error err;
    AUTO(fd) int pidfd = process_open(pid, &err);

    return poll(&(struct pollfd){pidfd, POLLIN, 0}, 1, PATIENCE_MS) == 1;
}

static pid_t
newest_heir(struct fixture *f, int cell)
{
    return checkpoint_pid(checkpoint_ring_of_cell(&f->ring, cell));
}

/* --- what stays --- */

static void
keeps_the_newest_densely_and_the_oldest(void **state)
{
    struct fixture *f = *state;

    for (int cell = 1; cell <= 30; cell++)
        make(f, cell);
    const char *cells = cells_of(f);
    assert_memory_equal(cells, "1 ", 2);
    assert_non_null(strstr(cells, " 27 28 29 30"));
    json_auto_t *list = checkpoint_ring_list(&f->ring, true);
    assert_int_equal(json_array_size(list), KEEP);
    assert_true(json_is_integer(json_object_get(json_array_get(list, 0), "bytes")));
    for (size_t i = 0; i < f->made; i++)
        if (!checkpoint_ring_is_process(&f->ring, f->pids[i]))
            assert_true(has_ended(f->pids[i]));
}

static void
leaves_out_an_older_one_before_any_of_the_newest(void **state UNUSED)
{
    void *own = new_fixture(5);
    const int cells[] = {1, 50, 97, 98, 99, 100};

    for (size_t i = 0; i < COUNT_OF(cells); i++)
        make(own, cells[i]);
    assert_string_equal(cells_of(own), "1 97 98 99 100");
    tear_down(&own);
}

static void
keeps_the_newest_of_a_cell(void **state)
{
    struct fixture *f = *state;
    pid_t first = make(f, 1), second = make(f, 1);

    assert_string_equal(cells_of(f), "1");
    assert_int_equal(newest_heir(f, 1), second);
    assert_true(has_ended(first));
}

static void
keeps_the_old_one_until_the_new_one_has_settled(void **state)
{
    struct fixture *f = *state;
    pid_t old = make(f, 1);

    freeze(f, 1, 0);
    assert_int_equal(f->frozen, 2);
    assert_int_equal(f->settled, 1);
    assert_int_equal(newest_heir(f, 1), old);
    settle(f);
    assert_int_equal(f->settled, 2);
    assert_true(has_ended(old));
}

static void
keeps_what_was_undone_until_another_cell_has_one(void **state)
{
    struct fixture *f = *state;
    char byte;

    for (int cell = 1; cell <= 4; cell++)
        make(f, cell);
    AUTO(fd) int unused = lend(f); /* to the worker that ends */
    checkpoint_ring_move_to(&f->ring, checkpoint_ring_of_cell(&f->ring, 2), true);
    assert_string_equal(cells_of(f), "1 2 3* 4*");
    assert_int_equal(recv(unused, &byte, 1, MSG_DONTWAIT), 0);
    freeze(f, 2, 0); /* the woken one makes one of itself */
    settle(f);
    assert_string_equal(cells_of(f), "1 2 3* 4*");
    make(f, 5);
    assert_string_equal(cells_of(f), "1 2 5");
}

static void
drops_what_is_newer_than_who_takes_over_for_a_dead_worker(void **state)
{
    struct fixture *f = *state;

    for (int cell = 1; cell <= 4; cell++)
        make(f, cell);
    checkpoint_ring_move_to(&f->ring, checkpoint_ring_of_cell(&f->ring, 2), false);
    assert_string_equal(cells_of(f), "1 2");
}

/* --- what is refused --- */

static void
believes_no_number_that_cannot_be(void **state)
{
    struct fixture *f = *state;

    make(f, 3);
    const int lies[] = {2, 4, -1, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < COUNT_OF(lies); i++) {
        pid_t pid = freeze(f, lies[i], 0);
        settle(f);
        assert_true(has_ended(pid));
        assert_string_equal(cells_of(f), "3");
    }
}

static void
lends_no_more_than_two_that_are_not_made(void **state)
{
    struct fixture *f = *state;
    char byte;
    int ends[5];

    make(f, 1);
    for (size_t i = 0; i < COUNT_OF(ends); i++)
        ends[i] = lend(f);
    for (size_t i = 0; i < COUNT_OF(ends) - 2; i++) {
        wait_for(ends[i]);
        assert_int_equal(recv(ends[i], &byte, 1, 0), 0);
    }
    for (size_t i = COUNT_OF(ends) - 2; i < COUNT_OF(ends); i++)
        assert_int_equal(recv(ends[i], &byte, 1, MSG_DONTWAIT), -1);
    for (size_t i = 0; i < COUNT_OF(ends); i++)
        close(ends[i]);
    assert_string_equal(cells_of(f), "1");
}

static void
lends_none_where_none_are_kept(void **state UNUSED)
{
    void *own = new_fixture(0);
    struct error err;

    assert_int_equal(
        checkpoint_ring_lend(&((struct fixture *)own)->ring, getpid(), &err), -1);
    assert_int_equal(err.kind, ERR_CONFLICT);
    tear_down(&own);
}

static void
passes_over_one_that_was_killed(void **state)
{
    struct fixture *f = *state;
    pid_t first = make(f, 1), second = make(f, 2);

    assert_true(checkpoint_ring_has_heir(&f->ring));
    kill(second, SIGKILL);
    assert_true(has_ended(second));
    assert_null(checkpoint_ring_of_cell(&f->ring, 2));
    assert_int_equal(newest_heir(f, 1), first);
    assert_string_equal(cells_of(f), "1");
    kill(first, SIGKILL);
    assert_true(has_ended(first));
    assert_false(checkpoint_ring_has_heir(&f->ring));
}

/* --- memory --- */

static void
gives_way_down_to_the_newest_and_that_if_it_holds_much(void **state)
{
    struct fixture *f = *state;

    for (int cell = 1; cell <= 3; cell++)
        make(f, cell);
    assert_true(checkpoint_ring_give_way(&f->ring));
    assert_string_equal(cells_of(f), "3");
    assert_false(checkpoint_ring_give_way(&f->ring));
    checkpoint_ring_begin_cell(&f->ring, 4);
    freeze(f, 4, ALONE);
    settle(f);
    checkpoint_ring_thin(&f->ring);
    assert_string_equal(cells_of(f), "4");
    assert_true(checkpoint_ring_give_way(&f->ring));
    assert_string_equal(cells_of(f), "");
    assert_false(checkpoint_ring_give_way(&f->ring));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(keeps_the_newest_densely_and_the_oldest),
        cmocka_unit_test(leaves_out_an_older_one_before_any_of_the_newest),
        TEST(keeps_the_newest_of_a_cell),
        TEST(keeps_the_old_one_until_the_new_one_has_settled),
        TEST(keeps_what_was_undone_until_another_cell_has_one),
        TEST(drops_what_is_newer_than_who_takes_over_for_a_dead_worker),
        TEST(believes_no_number_that_cannot_be),
        TEST(lends_no_more_than_two_that_are_not_made),
        cmocka_unit_test(lends_none_where_none_are_kept),
        TEST(passes_over_one_that_was_killed),
        TEST(gives_way_down_to_the_newest_and_that_if_it_holds_much),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
