/* What is asked of the sandbox: contents, ids, claims, the command line. */
#include <stdio.h>

#include "kernel/content/request_content.h"
#include "kernel/jupyter/parent_headers.h"
#include "kernel/place/claim.h"
#include "kernel/place/workspace_choice.h"
#include "kernel/process/options.h"
#include "tests/unit/unit.h"

static void
fills_in_what_clients_leave_out(void **state UNUSED)
{
    static const struct {
        const char *type, *content;
        const char *wanted; /* "": as it is; NULL: refused */
    } cases[] = {
        {"execute_request",     "{\"code\":\"1\"}",                                     ""  },
        {"execute_request",     "{}",                                                   NULL},
        {"execute_request",     "{\"code\":null}",                                      NULL},
        {"is_complete_request", "{\"code\":\"\"}",                                      ""  },
        {"is_complete_request", "{}",                                                   NULL},
        {"complete_request",    "{}",                                                   NULL},
        {"complete_request",    "{\"code\":\"abc\"}",
         "{\"code\":\"abc\",\"cursor_pos\":3}"                                              },
        {"complete_request",    "{\"code\":\"abc\",\"cursor_pos\":99}",
         "{\"code\":\"abc\",\"cursor_pos\":3}"                                              },
        {"complete_request",    "{\"code\":\"abc\",\"cursor_pos\":-5}",
         "{\"code\":\"abc\",\"cursor_pos\":0}"                                              },
        {"complete_request",    "{\"code\":\"abc\",\"cursor_pos\":\"x\"}",
         "{\"code\":\"abc\",\"cursor_pos\":3}"                                              },
        {"complete_request",    "{\"code\":\"\xC3\xA9\xF0\x9F\x98\x80\"}",
         "{\"code\":\"\xC3\xA9\xF0\x9F\x98\x80\",\"cursor_pos\":2}"                         },
        {"inspect_request",     "{\"code\":\"a\\u0000b\",\"cursor_pos\":1}",
         "{\"code\":\"a\\u0000b\",\"cursor_pos\":1,\"detail_level\":0}"                     },
        {"complete_request",    "{\"code\":\"a\",\"cursor_pos\":99999999999999999999}",
         NULL                                                                               },
        {"comm_msg",            "{}",                                                   ""  },
        {"comm_open",           "{}",                                                   ""  },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);
        struct error err;
        int done = request_content_prepare(messages_find(cases[i].type),
                                           slice_of(cases[i].content), &out, &err);
        print_message("  %s %s\n", cases[i].type, cases[i].content);
        assert_int_equal(done, cases[i].wanted ? 0 : -1);
        if (cases[i].wanted)
            assert_true(slice_equals(buffer_slice(&out), slice_of(cases[i].wanted)));
    }
}

static void
knows_the_defaults_of_history(void **state UNUSED)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);
    struct error err;

    assert_int_equal(request_content_prepare(messages_row(MESSAGE_HISTORY_REQUEST),
                                             SLICE("{\"hist_access_type\":\"range\","
                                                   "\"n\":5,\"search_raw\":1}"),
                                             &out, &err),
                     0);
    json_auto_t *fields = json_loads(out.data, 0, NULL);
    json_auto_t *wanted = json_loads(
        "{\"hist_access_type\":\"range\",\"n\":5,\"search_raw\":1,\"output\":false,"
        "\"raw\":true,\"session\":0,\"start\":0,\"stop\":null,\"pattern\":\"*\","
        "\"unique\":false}",
        0, NULL);
    assert_true(json_equal(fields, wanted));
}

static void
remembers_parents_by_id(void **state UNUSED)
{
    AUTO(parents) struct parent_headers *parents = parent_headers_new();
    char cell[PARENT_ID_SIZE], other[PARENT_ID_SIZE];

    parent_headers_add(parents, true, SLICE("{\"cell\":1}"), cell);
    parent_headers_add(parents, false, SLICE("{\"other\":1}"), other);
    assert_string_not_equal(cell, other);
    assert_true(
        slice_equals(parent_headers_find(parents, cell), SLICE("{\"cell\":1}")));
    assert_true(
        slice_equals(parent_headers_find(parents, other), SLICE("{\"other\":1}")));
    for (int i = 0; i < 2000; i++) /* a slider that moves */
        parent_headers_add(parents, false, SLICE("{}"), other);
    assert_true(
        slice_equals(parent_headers_find(parents, cell), SLICE("{\"cell\":1}")));
    for (int i = 0; i < 4096; i++)
        parent_headers_add(parents, true, SLICE("{}"), other);
    assert_int_equal(parent_headers_find(parents, cell).len, 0);
}

static void
finds_no_parent_by_nonsense(void **state UNUSED)
{
    static const char *const ids[] = {"",
                                      "x",
                                      "x0",
                                      "x2",
                                      "x1 ",
                                      "x-1",
                                      "X1",
                                      "1",
                                      "o1",
                                      "x+1",
                                      "x1x",
                                      "x01",
                                      "x18446744073709551617"};
    AUTO(parents) struct parent_headers *parents = parent_headers_new();
    char id[PARENT_ID_SIZE];

    parent_headers_add(parents, true, SLICE("{}"), id);
    assert_string_equal(id, "x1");
    for (size_t i = 0; i < COUNT_OF(ids); i++)
        assert_int_equal(parent_headers_find(parents, ids[i]).len, 0);
}

static void
hands_out_no_home_and_no_system(void **state UNUSED)
{
    static const struct {
        const char *folder, *home;
        bool is_refused;
    } cases[] = {
        {"/home/u/nb",     "/home/u",          false},
        {"/home/u",        "/home/u",          true },
        {"/home",          "/home/u",          true },
        {"/",              "/home/u",          true },
        {"/",              "/",                true },
        {"/home/u2",       "/home/u",          false},
        {"/home/uu/x",     "/home/u",          false},
        {"/srv/deep/home", "/srv/deep/home/u", true },
        {"/tmp",           "/home/u",          true },
        {"/tmp/x",         "/home/u",          false},
        {"/var",           "/home/u",          true },
        {"/var/lib/x",     "/home/u",          false},
        {"/etc",           "/home/u",          true },
        {"/etc/x",         "/home/u",          true },
        {"/etcetera",      "/home/u",          false},
        {"/usr/share/nb",  "/home/u",          true },
        {"/proc/1",        "/home/u",          true },
        {"/data",          NULL,               false},
        {"/root",          NULL,               true },
        {"/root/nb",       "/root",            false},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        print_message("  %s\n", cases[i].folder);
        assert_int_equal(workspace_choice_refuses(cases[i].folder, cases[i].home) !=
                             NULL,
                         cases[i].is_refused);
    }
}

static void
reads_mounts(void **state UNUSED)
{
    static const struct {
        const char *text, *wanted; /* NULL: refused */
    } cases[] = {
        {"",            ""            },
        {",:,",         ""            },
        {"/a",          "/a ro "      },
        {"/a,/b",       "/a ro /b ro "},
        {"/a:/b:rw",    "/a ro /b rw "},
        {"/a:rw,/b:ro", "/a rw /b ro "},
        {"a",           NULL          },
        {"rw",          NULL          },
        {"/a,~/b",      NULL          },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(buffer) struct buffer got = BUFFER_INIT(SIZE_MAX);
        json_auto_t *mounts = NULL;
        struct error err;
        print_message("  %s\n", cases[i].text);
        assert_int_equal(claim_parse_mounts(cases[i].text, &mounts, &err),
                         cases[i].wanted ? 0 : -1);
        for (size_t at = 0; at < json_array_size(mounts); at++) {
            json_t *mount = json_array_get(mounts, at);
            assert_true(json_equal(json_object_get(mount, "source"),
                                   json_object_get(mount, "target")));
            buffer_printf(&got, "%s %s ",
                          json_string_value(json_object_get(mount, "source")),
                          json_string_value(json_object_get(mount, "mode")));
        }
        if (cases[i].wanted)
            assert_true(slice_equals(buffer_slice(&got), slice_of(cases[i].wanted)));
    }
}

static int
parse_options(const char *a, const char *b, const char *c, struct options *out)
{
    char *argv[] = {(char *)"cellpod-kernel",
                    (char *)a,
                    (char *)b,
                    (char *)c,
                    (char *)"--HistoryManager.hist_file=:memory:",
                    NULL};
    struct error err = {0};
    int result = options_parse(argv, out, &err);

    if (result < 0)
        print_message("  %s\n", err.text);
    return result;
}

static void
reads_the_command_line(void **state UNUSED)
{
    AUTO(options) struct options a = OPTIONS_INIT;
    AUTO(options) struct options b = OPTIONS_INIT;
    AUTO(options) struct options c = OPTIONS_INIT;
    struct options bad = OPTIONS_INIT;

    assert_int_equal(parse_options("-f", "k.json", "--sandbox=http://h:1/", &a), 0);
    assert_string_equal(a.connection_file, "k.json");
    assert_string_equal(a.place.address.url, "http://h:1");
    assert_null(a.place.address.unix_path);
    assert_int_equal(parse_options("--debug", "--f=k.json", "--sandbox=unix:/s", &b),
                     0);
    assert_string_equal(b.connection_file, "k.json");
    assert_string_equal(b.place.address.unix_path, "/s");
    assert_ptr_equal(b.place.type, &place_given);
    assert_int_equal(parse_options("--version", "x", "y", &c), 0);
    assert_true(c.wants_version);
    assert_int_equal(parse_options("-f", "k", "--sandbox=ftp://x", &bad), -1);
    assert_int_equal(parse_options("-f", "k", "--sandbox=unix:", &bad), -1);
    assert_int_equal(parse_options("--sandbox=unix:/s", "--f=", "x", &bad), -1);
    assert_int_equal(parse_options("x", "y", "z", &bad), -1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_in_what_clients_leave_out),
        cmocka_unit_test(knows_the_defaults_of_history),
        cmocka_unit_test(remembers_parents_by_id),
        cmocka_unit_test(finds_no_parent_by_nonsense),
        cmocka_unit_test(hands_out_no_home_and_no_system),
        cmocka_unit_test(reads_mounts),
        cmocka_unit_test(reads_the_command_line),
    };
    return cmocka_run_group_tests_name("requests", tests, NULL, NULL);
}
