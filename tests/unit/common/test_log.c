#include <fcntl.h>
#include <jansson.h>
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

static json_t *
logged_object(const char *text)
{
    char line[8192];

    logged(line, sizeof(line), text);
    assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    assert_true(json_is_object(object));
    return object;
}

static const char *
member(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static void
a_line_is_one_json_object(void **state UNUSED)
{
    log_configure("info");
    assert_true(log_set_format("json"));
    json_auto_t *plain = logged_object("ready id=7");
    assert_string_equal(member(plain, "severity"), "INFO");
    assert_string_equal(member(plain, "component"), "tested");
    assert_string_equal(member(plain, "message"), "ready id=7");
    assert_int_equal(strlen(member(plain, "time")), strlen("2026-01-02T03:04:05.678Z"));
    assert_null(json_object_get(plain, "trace_id"));

    log_set_trace("0af7651916cd43dd8448eb211c80319c");
    json_auto_t *traced = logged_object("x");
    assert_string_equal(member(traced, "trace_id"), "0af7651916cd43dd8448eb211c80319c");
    log_set_trace(NULL);
    json_auto_t *after = logged_object("x");
    assert_null(json_object_get(after, "trace_id"));
    assert_true(log_set_format(NULL));
}

static void
a_peer_adds_no_member_to_a_json_line(void **state UNUSED)
{
    char text[4096] = "";

    log_configure("info");
    assert_true(log_set_format("json"));
    json_auto_t *object =
        logged_object("\",\"severity\":\"ERROR\"}\n{\"a\":\"\\\xff\x01");
    assert_int_equal(json_object_size(object), 4);
    assert_string_equal(member(object, "message"),
                        "\",\"severity\":\"ERROR\"}?{\"a\":\"\\\xef\xbf\xbd?");
    memset(text, '"', sizeof(text) - 1);
    json_auto_t *longest = logged_object(text);
    assert_int_equal(strlen(member(longest, "message")), 1023);
    memset(text, '\xff', sizeof(text) - 1);
    json_auto_t *broken = logged_object(text);
    assert_int_equal(strlen(member(broken, "message")), 3 * 1023);
    assert_true(log_set_format("text"));
}

static void
there_are_two_formats(void **state UNUSED)
{
    assert_false(log_set_format("xml"));
    assert_true(log_set_format(""));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_has_no_commands_for_a_terminal),
        cmocka_unit_test(a_line_has_an_end_however_much_it_says),
        cmocka_unit_test(each_component_has_its_level),
        cmocka_unit_test(errors_in_a_row_are_counted),
        cmocka_unit_test(a_line_is_one_json_object),
        cmocka_unit_test(a_peer_adds_no_member_to_a_json_line),
        cmocka_unit_test(there_are_two_formats),
    };
    return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
