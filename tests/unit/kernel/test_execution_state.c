#include "kernel/client/execution_state.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/unit/unit.h"

enum {
    STATES = EXECUTION_RUNNING + 1
};

/* Rows: from; columns: to. */
static const bool allowed[STATES][STATES] = {
  /*                     IDLE   WAITING STAGED POSTING STOPPING RUNNING */
    [EXECUTION_IDLE] = {false, true,  false, false, false, false},
    [EXECUTION_WAITING] = {true,  false, true,  true,  false, false},
    [EXECUTION_STAGED] = {true,  true,  false, false, false, false},
    [EXECUTION_POSTING] = {true,  false, false, true,  true,  true },
    [EXECUTION_STOPPING] = {true,  false, false, true,  false, true },
    [EXECUTION_RUNNING] = {true,  false, false, true,  false, false},
};

static bool
aborts(enum execution_state from, enum execution_state to)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        signal(SIGABRT, SIG_DFL);
        close(STDERR_FILENO);
        execution_state_enter(&from, to);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void
goes_where_it_may_and_aborts_elsewhere(void **state UNUSED)
{
    for (int from = 0; from < STATES; from++)
        for (int to = 0; to < STATES; to++) {
            print_message("  %d -> %d\n", from, to);
            assert_int_equal(execution_state_may_enter(from, to), allowed[from][to]);
            assert_int_equal(aborts(from, to), !allowed[from][to]);
        }
}

static void
changes_by_its_setter(void **state UNUSED)
{
    enum execution_state now = EXECUTION_IDLE;

    execution_state_enter(&now, EXECUTION_WAITING);
    assert_int_equal(now, EXECUTION_WAITING);
    assert_false(execution_state_is_posted(now));
    execution_state_enter(&now, EXECUTION_POSTING);
    assert_true(execution_state_is_posted(now));
    execution_state_enter(&now, EXECUTION_RUNNING);
    assert_true(execution_state_is_posted(now));
    execution_state_enter(&now, EXECUTION_IDLE);
    assert_false(execution_state_is_posted(now));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_where_it_may_and_aborts_elsewhere),
        cmocka_unit_test(changes_by_its_setter),
    };

    return cmocka_run_group_tests_name("execution_state", tests, NULL, NULL);
}
