#include "kernel/jupyter/connection_file.h"

#include <stdio.h>
#include <sys/stat.h>

#include "common/limits.h"
#include "kernel/jupyter/channels.h"
#include "tests/unit/unit.h"

static const char good[] =
    "{\"transport\":\"tcp\",\"ip\":\"127.0.0.1\",\"shell_port\":1,\"iopub_port\":2,"
    "\"stdin_port\":3,\"control_port\":4,\"hb_port\":5,\"key\":\"k\","
    "\"signature_scheme\":\"hmac-sha256\",\"kernel_name\":\"x\"}";

/* The good file with one field set, or taken out (NULL). */
static int
parse_changed(const char *field, json_t *value, struct connection *out,
              struct error *err)
{
    json_auto_t *fields = json_loads(good, 0, NULL);

    if (value)
        json_object_set_new(fields, field, value);
    else
        json_object_del(fields, field);
    AUTO(mem) char *text = json_dumps(fields, 0);
    return connection_file_parse(slice_of(text), out, err);
}

static void
reads_what_jupyter_writes(void **state UNUSED)
{
    AUTO(connection) struct connection c = CONNECTION_INIT;
    struct error err;

    assert_int_equal(connection_file_parse(slice_of(good), &c, &err), 0);
    assert_false(c.is_ipc);
    assert_string_equal(c.ip, "127.0.0.1");
    assert_int_equal(c.ports[CHANNEL_SHELL], 1);
    assert_int_equal(c.ports[CHANNEL_HEARTBEAT], 5);
    assert_string_equal(c.key, "k");
    assert_null(c.curve_publickey);
    assert_null(c.curve_secretkey);
}

static void
names_the_field_that_is_wrong(void **state UNUSED)
{
    const struct {
        const char *field;
        json_t *value;
    } cases[] = {
        {"transport",        NULL                       },
        {"transport",        json_string("udp")         },
        {"transport",        json_integer(1)            },
        {"ip",               NULL                       },
        {"ip",               json_string("")            },
        {"ip",               json_string("a b")         },
        {"ip",               json_null()                },
        {"shell_port",       NULL                       },
        {"shell_port",       json_string("")            },
        {"shell_port",       json_string("12x")         },
        {"shell_port",       json_string("-1")          },
        {"shell_port",       json_string("999999999999")},
        {"iopub_port",       json_integer(-1)           },
        {"stdin_port",       json_integer(65536)        },
        {"control_port",     json_real(1.5)             },
        {"hb_port",          json_true()                },
        {"hb_port",          json_integer(4)            },
        {"key",              NULL                       },
        {"key",              json_integer(5)            },
        {"signature_scheme", json_array()               },
        {"curve_publickey",  json_string("short")       },
        {"curve_secretkey",  json_integer(1)            },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct connection c = CONNECTION_INIT;
        struct error err;
        assert_int_equal(parse_changed(cases[i].field, cases[i].value, &c, &err), -1);
        print_message("  %s\n", err.text);
        assert_memory_equal(err.text, cases[i].field, strlen(cases[i].field));
        assert_null(strchr(err.text, '\n'));
        assert_null(c.fields);
    }
}

static const char registering[] =
    "{\"kernel_id\":\"a-1.b\",\"transport\":\"tcp\",\"registration_ip\":\"127.0.0.1\","
    "\"registration_port\":\"5555\",\"key\":\"k\"}";

static void
reads_a_registration_file(void **state UNUSED)
{
    AUTO(connection) struct connection c = CONNECTION_INIT;
    struct error err;

    assert_int_equal(connection_file_parse(slice_of(registering), &c, &err), 0);
    assert_string_equal(c.registration_ip, "127.0.0.1");
    assert_int_equal(c.registration_port, 5555);
    assert_string_equal(c.kernel_id, "a-1.b");
    assert_string_equal(c.ip, "127.0.0.1");
    assert_int_equal(c.ports[CHANNEL_SHELL], 0);
}

static void
names_the_field_of_a_registration_that_is_wrong(void **state UNUSED)
{
    const struct {
        const char *field;
        json_t *value;
    } cases[] = {
        {"registration_ip",   json_integer(1)              },
        {"registration_port", NULL                         },
        {"registration_port", json_integer(0)              },
        {"registration_port", json_string("70000")         },
        {"kernel_id",         NULL                         },
        {"kernel_id",         json_string("")              },
        {"kernel_id",         json_string("../../.profile")},
        {"kernel_id",         json_string(".hidden")       },
        {"transport",         json_string("ipc")           },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        json_auto_t *fields = json_loads(registering, 0, NULL);
        AUTO(connection) struct connection c = CONNECTION_INIT;
        struct error err;
        if (cases[i].value)
            json_object_set_new(fields, cases[i].field, cases[i].value);
        else
            json_object_del(fields, cases[i].field);
        AUTO(mem) char *text = json_dumps(fields, 0);
        assert_int_equal(connection_file_parse(slice_of(text), &c, &err), -1);
        assert_memory_equal(err.text, cases[i].field, strlen(cases[i].field));
    }
}

static void
takes_other_spellings(void **state UNUSED)
{
    const struct {
        const char *field;
        json_t *value;
    } cases[] = {
        {"transport",        json_string("IPC") },
        {"transport",        json_string("TCP") },
        {"shell_port",       json_string("5555")},
        {"shell_port",       json_integer(0)    },
        {"key",              json_string("")    },
        {"signature_scheme", NULL               },
        {"kernel_name",      NULL               },
        {"unknown",          json_array()       },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(connection) struct connection c = CONNECTION_INIT;
        struct error err;
        assert_int_equal(parse_changed(cases[i].field, cases[i].value, &c, &err), 0);
    }
}

static void
wants_both_curve_keys_or_none(void **state UNUSED)
{
    static const char *const names[] = {"curve_publickey", "curve_secretkey"};
    static const char key[] = "0123456789012345678901234567890123456789";

    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct connection c = CONNECTION_INIT;
        struct error err;
        assert_int_equal(parse_changed(names[i], json_string(key), &c, &err), -1);
        assert_memory_equal(err.text, names[1 - i], strlen(names[1 - i]));
    }
}

static void
refuses_what_is_no_object(void **state UNUSED)
{
    static const char *const texts[] = {"",     "{",      "[]", "null", "\"x\"",
                                        "{}{}", "{1: 2}", "\0", "{}"};

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct connection c = CONNECTION_INIT;
        struct error err;
        assert_int_equal(connection_file_parse(slice_of(texts[i]), &c, &err), -1);
    }
}

static void
refuses_every_truncation(void **state UNUSED)
{
    for (size_t len = 0; len < strlen(good); len++) {
        struct connection c = CONNECTION_INIT;
        struct error err;
        assert_int_equal(connection_file_parse((struct slice){good, len}, &c, &err),
                         -1);
    }
}

static void
refuses_files_that_are_none(void **state UNUSED)
{
    static const char *const paths[] = {"/nonexistent", "/tmp", "/dev/null",
                                        "/dev/zero"};

    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        struct connection c = CONNECTION_INIT;
        struct error err;
        assert_int_equal(connection_file_read(paths[i], &c, &err), -1);
        print_message("  %s\n", err.text);
        assert_non_null(strstr(err.text, paths[i]));
    }
}

static void
writes_ports_and_keeps_the_rest(void **state UNUSED)
{
    char folder[] = "/tmp/test-connection-XXXXXX";
    AUTO(connection) struct connection c = CONNECTION_INIT;
    AUTO(connection) struct connection again = CONNECTION_INIT;
    struct error err;
    struct stat st;

    assert_non_null(mkdtemp(folder));
    AUTO(mem) char *path = xasprintf("%s/k.json", folder);
    assert_int_equal(parse_changed("shell_port", json_integer(0), &c, &err), 0);
    c.ports[CHANNEL_SHELL] = 4711;
    assert_int_equal(connection_file_write(path, &c, &err), 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(connection_file_read(path, &again, &err), 0);
    assert_int_equal(again.ports[CHANNEL_SHELL], 4711);
    assert_int_equal(again.ports[CHANNEL_IOPUB], 2);
    assert_string_equal(json_string_value(json_object_get(again.fields, "kernel_name")),
                        "x");
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* nothing else was left */
}

static void
makes_endpoints(void **state UNUSED)
{
    static const struct {
        const char *ip;
        bool is_ipc;
        int port;
        const char *wanted;
    } cases[] = {
        {"127.0.0.1",  false, 5, "tcp://127.0.0.1:5" },
        {"*",          false, 5, "tcp://*:5"         },
        {"localhost",  false, 5, "tcp://127.0.0.1:5" },
        {"::1",        false, 5, "tcp://[::1]:5"     },
        {"10.0.0.1",   false, 0, "tcp://10.0.0.1:*"  },
        {"/run/k-ipc", true,  3, "ipc:///run/k-ipc-3"},
        {"kernel-ipc", true,  1, "ipc://kernel-ipc-1"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct connection c = {.ip = cases[i].ip, .is_ipc = cases[i].is_ipc};
        AUTO(mem) char *endpoint = channels_endpoint(&c, cases[i].port);
        assert_string_equal(endpoint, cases[i].wanted);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_jupyter_writes),
        cmocka_unit_test(names_the_field_that_is_wrong),
        cmocka_unit_test(reads_a_registration_file),
        cmocka_unit_test(names_the_field_of_a_registration_that_is_wrong),
        cmocka_unit_test(takes_other_spellings),
        cmocka_unit_test(wants_both_curve_keys_or_none),
        cmocka_unit_test(refuses_what_is_no_object),
        cmocka_unit_test(refuses_every_truncation),
        cmocka_unit_test(refuses_files_that_are_none),
        cmocka_unit_test(writes_ports_and_keeps_the_rest),
        cmocka_unit_test(makes_endpoints),
    };
    return cmocka_run_group_tests_name("connection_file", tests, NULL, NULL);
}
