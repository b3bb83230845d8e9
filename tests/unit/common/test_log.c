#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>

#define LOG_COMPONENT "tested"
#include "common/log.h"
#include "tests/unit/unit.h"

/* What a line is on standard error. */
static void
logged(char *out, size_t size, const char *text)
{
    AUTO(fd) int file = memfd_create("log", MFD_CLOEXEC);
    AUTO(fd) int before = dup(STDERR_FILENO);

    dup2(file, STDERR_FILENO);
    log_info("%s", text);
    dup2(before, STDERR_FILENO);
    ssize_t len = pread(file, out, size - 1, 0);
    assert_true(len >= 0);
    out[len] = '\0';
}

static void
a_line_has_no_commands_for_a_terminal(void **state UNUSED)
{
    char line[256];

    log_configure("info");
    logged(line, sizeof(line), "a\033]0;title\007b\033[2Jc\rd\ne\tf\177g");
    assert_string_equal(line, "info tested a?]0;title?b?[2Jc?d?e?f?g\n");
    logged(line, sizeof(line), "Größe, 大");
    assert_string_equal(line, "info tested Größe, 大\n");
}

static void
a_line_has_an_end_however_much_it_says(void **state UNUSED)
{
    char line[8192], text[4096] = "";

    log_configure("info");
    memset(text, 'x', sizeof(text) - 1);
    logged(line, sizeof(line), text);
    assert_true(strlen(line) < 1100);
    assert_int_equal(line[strlen(line) - 1], '\n');
}

static void
each_component_has_its_level(void **state UNUSED)
{
    static const struct {
        const char *spec;
        bool is_said;
    } cases[] = {
        {NULL,                 false},
        {"error",              false},
        {"info",               true },
        {"debug",              true },
        {"nonsense",           false},
        {"error,tested=info",  true },
        {"debug,tested=error", false},
        {"error,teste=debug",  false},
        {",,",                 false},
        {"info,",              true },
    };
    char line[256];

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        log_configure(cases[i].spec);
        logged(line, sizeof(line), "said");
        assert_string_equal(line, cases[i].is_said ? "info tested said\n" : "");
    }
}

static void
fail_in_a_row(int count)
{
    for (int i = 0; i < count; i++)
        log_error("refused %d", i);
}

static void
errors_in_a_row_are_counted(void **state UNUSED)
{
    AUTO(fd) int file = memfd_create("log", MFD_CLOEXEC);
    AUTO(fd) int before = dup(STDERR_FILENO);
    char text[8192];

    log_configure("error");
    dup2(file, STDERR_FILENO);
    fail_in_a_row(60000);
    dup2(before, STDERR_FILENO);
    ssize_t len = pread(file, text, sizeof(text) - 1, 0);
    assert_true(len > 0);
    text[len] = '\0';
    assert_true(len < 2000);
    assert_non_null(strstr(text, "error tested refused 0\nerror tested refused 1\n"));
    assert_non_null(strstr(text, "refused 32767 (the 32768th of its kind)\n"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_has_no_commands_for_a_terminal),
        cmocka_unit_test(a_line_has_an_end_however_much_it_says),
        cmocka_unit_test(each_component_has_its_level),
        cmocka_unit_test(errors_in_a_row_are_counted),
    };
    return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
