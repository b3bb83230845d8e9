#include "sandbox/log_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "tests/unit/unit.h"

enum {
    MOST = 4 << 20,
    KEPT = 1 << 20,
    LINE = 64,
};

static char folder[] = "/tmp/cellpod-log-XXXXXX";
static int real_stderr;

static int
open_log(void **state UNUSED)
{
    struct error err;

    real_stderr = dup(STDERR_FILENO);
    return mkdtemp(folder) ? log_file_open(folder, &err) : -1;
}

static int
remove_log(void **state UNUSED)
{
    AUTO(mem) char *path = xasprintf("%s/sandboxd.log", folder);

    dup2(real_stderr, STDERR_FILENO);
    close(real_stderr);
    return unlink(path) < 0 || rmdir(folder) < 0;
}

static size_t
size_now(void)
{
    struct stat st;

    assert_int_equal(fstat(STDERR_FILENO, &st), 0);
    return (size_t)st.st_size;
}

static void
write_lines(size_t bytes)
{
    AUTO(mem) char *text = xcalloc(bytes + 1, 1);

    for (size_t at = 0; at < bytes; at += LINE)
        snprintf(text + at, LINE + 1, "%062zu\n\n", at);
    for (size_t at = 0; at < bytes; at += LINE) /* of 64 bytes each, one newline */
        text[at + LINE - 2] = '.';
    assert_int_equal(write(STDERR_FILENO, text, bytes), (ssize_t)bytes);
}

static void
what_is_as_long_as_it_may_be_stays(void **state UNUSED)
{
    write_lines(MOST);
    log_file_trim();
    assert_int_equal(size_now(), MOST);
}

static void
what_is_longer_keeps_its_newest_whole_lines(void **state UNUSED)
{
    char newest[LINE], oldest[LINE];

    assert_int_equal(write(STDERR_FILENO, "the last words\n", 15), 15);
    log_file_trim();
    size_t size = size_now();
    assert_true(size <= KEPT && size > KEPT - 2 * LINE);
    AUTO(mem) char *path = xasprintf("%s/sandboxd.log", folder);
    AUTO(fd) int file = open(path, O_RDONLY);
    assert_int_equal(pread(file, newest, 15, (off_t)size - 15), 15);
    assert_memory_equal(newest, "the last words\n", 15);
    assert_int_equal(pread(file, oldest, LINE, 0), LINE);
    assert_int_equal(oldest[LINE - 1], '\n'); /* a whole line */
    log_file_trim();
    assert_int_equal(size_now(), size);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_as_long_as_it_may_be_stays),
        cmocka_unit_test(what_is_longer_keeps_its_newest_whole_lines),
    };
    return cmocka_run_group_tests_name("log_file", tests, open_log, remove_log);
}
