#include "cli/copy_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"

static char folder[] = "/tmp/test_copy_out.XXXXXX";
static void (*meanwhile)(void);

ssize_t __real_pread(int fd, void *into, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *into, size_t size, off_t at);

ssize_t
__wrap_pread(int fd, void *into, size_t size, off_t at)
{
    ssize_t got = __real_pread(fd, into, size, at);

    if (meanwhile)
        meanwhile();
    return got;
}

static void
write_file(const char *name, const char *text)
{
    AUTO(mem) char *path = xasprintf("%s/%s", folder, name);
    AUTO(fd) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

/* Its time of before, this much later. */
static void
set_time(time_t seconds, long nanoseconds)
{
    AUTO(mem) char *path = xasprintf("%s/result", folder);
    const struct timespec times[] = {
        {.tv_nsec = UTIME_OMIT         },
        { .tv_sec = 1000 + seconds, .tv_nsec = 1000 + nanoseconds},
    };

    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void
grow(void)
{
    write_file("result", "a,b\n1,2\n");
    set_time(0, 0);
}

static void
age_by_a_second(void)
{
    set_time(1, 0);
}

static void
age_by_a_nanosecond(void)
{
    set_time(0, 1);
}

static void
vanish(void)
{
    write_file("result", "");
}

static struct copy_out
copy_result(bool overwrites)
{
    struct copy_out copy = {.overwrites = overwrites};
    struct error err;
    AUTO(mem) char *path = xasprintf("%s/result", folder);
    AUTO(fd) int entry = open(path, O_PATH | O_CLOEXEC);
    AUTO(fd) int into = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    assert_int_equal(copy_out_run(&copy, entry, "result", into, "copy", &err), 0);
    return copy;
}

static void
assert_copy_is(const char *text)
{
    AUTO(mem) char *path = xasprintf("%s/copy", folder);
    AUTO(fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    char bytes[64] = "";

    if (!text) {
        assert_int_equal(fd, -1);
        return;
    }
    assert_true(__real_pread(fd, bytes, sizeof(bytes) - 1, 0) >= 0);
    assert_string_equal(bytes, text);
}

static int
set_up(void **state UNUSED)
{
    meanwhile = NULL;
    write_file("result", "a,b\n");
    set_time(0, 0);
    return 0;
}

static int
tear_down(void **state UNUSED)
{
    AUTO(mem) char *copy = xasprintf("%s/copy", folder);

    return unlink(copy) < 0 && errno != ENOENT;
}

static void
a_file_that_stands_still_is_copied(void **state UNUSED)
{
    assert_int_equal(copy_result(false).copied, 1);
    assert_copy_is("a,b\n");
}

static void
a_file_that_changes_is_no_copy(void **state UNUSED)
{
    static void (*const changes[])(void) = {grow, age_by_a_second, age_by_a_nanosecond,
                                            vanish};

    for (size_t i = 0; i < COUNT_OF(changes); i++) {
        set_up(NULL);
        meanwhile = changes[i];
        struct copy_out copy = copy_result(false);
        assert_int_equal(copy.copied, 0);
        assert_int_equal(copy.failed, 1);
        assert_copy_is(NULL);
    }
}

static void
what_was_there_stays_when_the_file_changes(void **state UNUSED)
{
    write_file("copy", "of yesterday");
    meanwhile = grow;
    assert_int_equal(copy_result(true).failed, 1);
    assert_copy_is("of yesterday");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_file_that_stands_still_is_copied, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_changes_is_no_copy, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_was_there_stays_when_the_file_changes,
                                        set_up, tear_down),
    };

    if (!mkdtemp(folder))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    AUTO(mem) char *result = xasprintf("%s/result", folder);
    return unlink(result) < 0 || rmdir(folder) < 0 ? 1 : failed;
}
