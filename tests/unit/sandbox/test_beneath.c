#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "sandbox/files/beneath.h"
#include "tests/unit/unit.h"

/* What gVisor says: linked in the place of the C library's. */
static bool is_missing;

long __real_syscall(long number, ...);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f);

long
__wrap_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    if (number == SYS_openat2 && is_missing) {
        errno = ENOSYS;
        return -1;
    }
    return __real_syscall(number, a, b, c, d, e, f);
}

struct place {
    char folder[64];
    int root;
};

static int
set_up(void **state)
{
    struct place *place = xcalloc(1, sizeof(*place));

    strcpy(place->folder, "/tmp/cellpod-beneath-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    place->root = open(place->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(mkdirat(place->root, "sub", 0700), 0);
    close(openat(place->root, "sub/file", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    assert_int_equal(symlinkat("sub", place->root, "inside"), 0);
    assert_int_equal(symlinkat("/etc", place->root, "outside"), 0);
    assert_int_equal(symlinkat("loop", place->root, "loop"), 0);
    *state = place;
    return 0;
}

static int
tear_down(void **state)
{
    struct place *place = *state;
    static const char *const names[] = {"sub/file", "inside", "outside", "loop"};

    for (size_t i = 0; i < COUNT_OF(names); i++)
        unlinkat(place->root, names[i], 0);
    unlinkat(place->root, "sub", AT_REMOVEDIR);
    close(place->root);
    assert_int_equal(rmdir(place->folder), 0);
    free(place);
    return 0;
}

struct expectation {
    const char *path;
    int flags;
    bool is_open;
    enum error_kind kind;
};

static void
check(const struct place *place, const struct expectation *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct error err;
        print_message("  %s\n", cases[i].path);
        AUTO(fd) int fd =
            beneath_open(place->root, cases[i].path, cases[i].flags, 0, &err);
        assert_int_equal(fd >= 0, cases[i].is_open);
        if (!cases[i].is_open)
            assert_int_equal(err.kind, cases[i].kind);
    }
}

static void
follows_links_that_stay_inside(void **state)
{
    static const struct expectation cases[] = {
        {"sub/file",       O_RDONLY,               true,  0            },
        {".",              O_RDONLY | O_DIRECTORY, true,  0            },
        {"inside/file",    O_RDONLY,               true,  0            },
        {"outside/passwd", O_RDONLY,               false, ERR_DENIED   },
        {"outside",        O_PATH,                 false, ERR_DENIED   },
        {"loop",           O_RDONLY,               false, ERR_DENIED   },
        {"../etc/passwd",  O_RDONLY,               false, ERR_DENIED   },
        {"/etc/passwd",    O_RDONLY,               false, ERR_DENIED   },
        {"nothing",        O_RDONLY,               false, ERR_NOT_FOUND},
        {"sub/file/x",     O_RDONLY,               false, ERR_NOT_FOUND},
        {"sub",            O_WRONLY,               false, ERR_CONFLICT },
    };

    check(*state, cases, COUNT_OF(cases));
}

/* Once it was missing it stays so: this runs last. */
static void
follows_no_link_where_the_kernel_has_no_openat2(void **state)
{
    static const struct expectation cases[] = {
        {"sub/file",       O_RDONLY,               true,  0            },
        {".",              O_RDONLY | O_DIRECTORY, true,  0            },
        {"inside/file",    O_RDONLY,               false, ERR_NOT_FOUND},
        {"outside/passwd", O_RDONLY,               false, ERR_NOT_FOUND},
        {"inside",         O_RDONLY,               false, ERR_DENIED   },
        {"loop",           O_RDONLY,               false, ERR_DENIED   },
        {"nothing",        O_RDONLY,               false, ERR_NOT_FOUND},
        {"sub",            O_WRONLY,               false, ERR_CONFLICT },
    };

    is_missing = true;
    check(*state, cases, COUNT_OF(cases));
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(follows_links_that_stay_inside),
        TEST(follows_no_link_where_the_kernel_has_no_openat2),
    };
    return cmocka_run_group_tests_name("beneath", tests, NULL, NULL);
}
