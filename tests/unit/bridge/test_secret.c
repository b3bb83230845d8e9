#include "bridge/models/secret.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "common/limits.h"
#include "tests/unit/unit.h"

#define KEY "canary-3b9f27d1e5a84c60"

static void
takes_a_key_out_of_the_environment(void **state UNUSED)
{
    struct error err;
    char entry[] = "CELLPOD_TEST_KEY=" KEY;

    putenv(entry); /* entry is the environment's own memory now */
    AUTO(secret) struct secret *secret = secret_take_env("CELLPOD_TEST_KEY", &err);
    assert_non_null(secret);
    assert_string_equal(secret_borrow(secret), KEY);
    assert_null(getenv("CELLPOD_TEST_KEY"));
    assert_null(memmem(entry, sizeof(entry), KEY, strlen(KEY)));
    assert_null(secret_take_env("CELLPOD_TEST_KEY", &err));
    assert_string_equal(err.text, "");
}

static void
refuses_what_is_no_key(void **state UNUSED)
{
    char longest[LIMIT_KEY + 1];
    static const struct slice cases[] = {SLICE(""), SLICE("a b"), SLICE("a\n"),
                                         SLICE("a\r\nX-Evil: 1"), SLICE("a\0b")};
    struct error err;

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_null(secret_new(cases[i], &err));
    memset(longest, 'k', sizeof(longest));
    assert_null(secret_new((struct slice){longest, LIMIT_KEY + 1}, &err));
    AUTO(secret) struct secret *secret =
        secret_new((struct slice){longest, LIMIT_KEY}, &err);
    assert_non_null(secret);
    AUTO(secret) struct secret *line =
        secret_header("Authorization: Bearer ", secret, &err);
    assert_int_equal(strlen(secret_borrow(line)), LIMIT_KEY + 22);
}

static void
erases_itself_from_text(void **state UNUSED)
{
    struct error err;
    AUTO(secret) struct secret *secret = secret_new(SLICE(KEY), &err);
    char text[] = KEY " and x" KEY "!" KEY;

    secret_erase(secret, text, strlen(text));
    assert_null(strstr(text, "canary"));
    assert_non_null(strstr(text, " and x"));
    secret_erase(NULL, text, strlen(text));
}

/* A test that hangs is a test that uses the processor for ever. */
static void
limit_cpu_seconds(rlim_t seconds)
{
    struct rlimit limit;

    getrlimit(RLIMIT_CPU, &limit);
    limit.rlim_cur = seconds;
    setrlimit(RLIMIT_CPU, &limit);
}

static void
erases_keys_that_its_own_asterisks_look_like(void **state UNUSED)
{
    static const struct {
        struct slice key;
        const char *text, *erased;
    } cases[] = {
        {SLICE("********"), "key: ********.", "key: ********."},
        {SLICE("****"),     "*********",      "*********"     },
        {SLICE("****wxyz"), "****wxyzwxyz",   "********wxyz"  },
        {SLICE("*ab*"),     "-*ab*ab*ab*-",   "-**********-"  },
        {SLICE("abab"),     "abababa abab",   "******a ****"  },
    };
    struct error err;

    limit_cpu_seconds(10);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(secret) struct secret *secret = secret_new(cases[i].key, &err);
        AUTO(mem) char *text = xstrdup(cases[i].text);
        secret_erase(secret, text, strlen(text));
        assert_string_equal(text, cases[i].erased);
    }
    limit_cpu_seconds(RLIM_INFINITY);
}

static void
a_forked_child_finds_zeros(void **state UNUSED)
{
    struct error err;
    AUTO(secret) struct secret *secret = secret_new(SLICE(KEY), &err);
    int status;
    pid_t child = fork();

    if (child == 0)
        _exit(secret_borrow(secret)[0] == '\0' ? 0 : 1);
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_string_equal(secret_borrow(secret), KEY);
}

#ifdef __SANITIZE_ADDRESS__
#define IS_SANITIZED true /* its mlock does nothing */
#else
#define IS_SANITIZED false
#endif

/* Flags of the mapping that holds it: lo = locked, dd = not dumped, wf = wiped on fork.
 */
static void
lies_in_locked_memory_that_is_not_dumped(void **state UNUSED)
{
    struct error err;
    AUTO(secret) struct secret *secret = secret_new(SLICE(KEY), &err);
    uintptr_t at = (uintptr_t)secret_borrow(secret);
    FILE *maps = fopen("/proc/self/smaps", "r");
    char line[512];
    unsigned long from, to;
    bool is_here = false, found = false;

    while (fgets(line, sizeof(line), maps)) {
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            is_here = at >= from && at < to;
        if (!is_here || strncmp(line, "VmFlags:", 8) != 0)
            continue;
        found = true;
        assert_true(IS_SANITIZED || strstr(line, " lo"));
        assert_non_null(strstr(line, " dd"));
        assert_non_null(strstr(line, " wf"));
    }
    fclose(maps);
    assert_true(found);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_a_key_out_of_the_environment),
        cmocka_unit_test(refuses_what_is_no_key),
        cmocka_unit_test(erases_itself_from_text),
        cmocka_unit_test(erases_keys_that_its_own_asterisks_look_like),
        cmocka_unit_test(a_forked_child_finds_zeros),
        cmocka_unit_test(lies_in_locked_memory_that_is_not_dumped),
    };
    return cmocka_run_group_tests_name("secret", tests, NULL, NULL);
}
