/* The section "sandbox" of the configuration file, and its flags. */
#include <stdio.h>
#include <sys/stat.h>

#include "common/buffer.h"
#include "common/settings/settings_flags.h"
#include "tests/unit/unit.h"

static int
check(const char *text, struct error *err)
{
    json_auto_t *sandbox = settings_parse(slice_of(text), "sandbox", err);

    return sandbox ? fields_check("sandbox", sandbox, settings_sandbox, err) : -1;
}

static void
takes_every_member(void **state UNUSED)
{
    static const char text[] =
        "{\"ask\":{\"model\":\"m\"},\"sandbox\":{\"resources\":{\"cpus\":1.5,"
        "\"memory_mb\":2048,\"pids\":512,\"open_files\":4096,\"disk_mb\":1024,"
        "\"cell_seconds\":600,\"seconds\":86400},\"network\":{\"mode\":\"list\","
        "\"allow\":[\"pypi.org:443\",\"*.example.org\",\"10.0.0.5:5432\"]},"
        "\"runtime\":\"runsc\",\"waive\":[\"landlock\"],\"ttl_seconds\":1,"
        "\"idle_seconds\":null,\"mounts\":[{\"source\":\"/d\",\"mode\":\"rw\"}],"
        "\"env_passthrough\":[\"TZ\"]}}";
    struct error err;

    assert_int_equal(check(text, &err), 0);
    assert_int_equal(check("{}", &err), 0);
    assert_int_equal(check("{\"sandbox\":null}", &err), 0);
}

static void
refuses_and_says_what_it_must_be(void **state UNUSED)
{
    static const struct {
        const char *sandbox, *says;
    } cases[] = {
        {"{\"resorces\":{}}",                         "sandbox.resorces is not known; did you mean resources?"},
        {"{\"resources\":{\"memroy_mb\":1}}",
         "sandbox.resources.memroy_mb is not known; did you mean memory_mb?"                                  },
        {"{\"resources\":{\"gpus\":1}}",              "did you mean cpus?"                                    },
        {"{\"zzz\":1}",                               "sandbox.zzz is not known; known names: reso"           },
        {"{\"a\\nb\":1}",                             "sandbox.a?b is not known"                              },
        {"{\"resources\":3}",                         "sandbox.resources must be an object"                   },
        {"{\"resources\":{\"memory_mb\":\"2g\"}}",
         "sandbox.resources.memory_mb must be a whole number from 64 to 16777216"                             },
        {"{\"resources\":{\"memory_mb\":63}}",        "must be a whole number from 64"                        },
        {"{\"resources\":{\"memory_mb\":16777217}}",  "must be a whole number from 64"                        },
        {"{\"resources\":{\"cpus\":0}}",              "must be a number from 0.05 to 4096"                    },
        {"{\"resources\":{\"seconds\":1.5}}",         "resources.seconds must be a whole"                     },
        {"{\"network\":{\"mode\":\"all\"}}",
         "network.mode must be \"none\" or \"list\""                                                          },
        {"{\"network\":{\"allow\":[\"a\",\"b c\"]}}",
         "network.allow[1] must be a host"                                                                    },
        {"{\"network\":{\"allow\":\"a\"}}",           "network.allow must be a list of strings"               },
        {"{\"runtime\":\"docker\"}",                  "sandbox.runtime must be \"namespaces\" or "            },
        {"{\"mounts\":[{\"source\":\"/a/../b\"}]}",
         "mounts[0].source must be an absolute path"                                                          },
        {"{\"mounts\":[{\"target\":\"/a\"}]}",        "sandbox.mounts[0].source is missing"                   },
        {"{\"env_passthrough\":[\"A=B\"]}",           "must be the name of a variable"                        },
        {"{\"waive\":[\"\"]}",                        "waive[0] must be a string of 1 to 64 bytes"            },
        {"7",                                         "sandbox must be an object"                             },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(mem) char *text = xasprintf("{\"sandbox\":%s}", cases[i].sandbox);
        struct error err = {.text = "accepted"};
        print_message("  %s\n", cases[i].sandbox);
        assert_int_equal(check(text, &err), -1);
        assert_int_equal(err.kind, ERR_BAD_INPUT);
        if (!strstr(err.text, cases[i].says))
            fail_msg("%s", err.text);
    }
}

static void
refuses_files_that_are_none(void **state UNUSED)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"",                                        "not valid JSON"                   },
        {"[]",                                      "it must be an object"             },
        {"{\"ask\":{},\"ask\":{}}",                 "duplicate name"                   },
        {"{\n \"sandbox\": {,}}",                   "line 2"                           },
        {"{\"sandbx\":{}}",                         "sandbx is not known; did you mean"},
        {"{\"ask\":[]}",                            "ask must be an object"            },
        {"{\"sandbox\":{\"runtime\":\"\\u0000\"}}", "not valid JSON"                   },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct error err = {.text = "accepted"};
        print_message("  %s\n", cases[i].text);
        assert_int_equal(check(cases[i].text, &err), -1);
        assert_non_null(strstr(err.text, cases[i].says));
    }
}

static void
write_file(const char *path, size_t spaces)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs("{}", file);
    while (spaces--)
        fputc(' ', file);
    fclose(file);
}

static void
reads_a_file_up_to_its_limit(void **state UNUSED)
{
    char path[] = "/tmp/test-settings-XXXXXX";
    struct error err;
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    close(fd);
    write_file(path, LIMIT_CONFIG - 2);
    json_auto_t *most = settings_load_sandbox(path, &err);
    assert_non_null(most);
    write_file(path, LIMIT_CONFIG);
    assert_null(settings_load_sandbox(path, &err));
    assert_int_equal(err.kind, ERR_TOO_LARGE);
    assert_non_null(strstr(err.text, path));
    unlink(path);
    json_auto_t *none = settings_load_sandbox(path, &err);
    assert_int_equal(json_object_size(none), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_null(settings_load_sandbox(path, &err)); /* and does not wait for a writer */
    unlink(path);
}

static int
take(const char *a, const char *b, json_t *sandbox, int *used, struct error *err)
{
    char *const argv[] = {(char *)a, (char *)b, NULL};

    return settings_flags_take(argv, sandbox, used, err);
}

static void
flags_are_members(void **state UNUSED)
{
    static const struct {
        const char *flag, *value;
        int used;
    } words[] = {
        {"--memory-mb",            "64",       2},
        {"--cpus=0.5",             NULL,       1},
        {"--allow",                "a,b.org",  2},
        {"--allow=c",              "--cpus=3", 1},
        {"--waive=",               NULL,       1},
        {"--network",              "list",     2},
        {"--env-passthrough=A,,B", NULL,       1},
    };
    static const char wanted[] =
        "{\"env_passthrough\":[\"A\",\"B\"],\"network\":{\"allow\":[\"a\",\"b.org\","
        "\"c\"],\"mode\":\"list\"},\"resources\":{\"cpus\":0.5,\"memory_mb\":64},"
        "\"waive\":[]}";
    json_auto_t *sandbox = json_object();
    struct error err;

    for (size_t i = 0; i < COUNT_OF(words); i++) {
        int used = 0;
        print_message("  %s\n", words[i].flag);
        assert_int_equal(take(words[i].flag, words[i].value, sandbox, &used, &err), 1);
        assert_int_equal(used, words[i].used);
    }
    AUTO(mem) char *got = json_dumps(sandbox, JSON_COMPACT | JSON_SORT_KEYS);
    assert_string_equal(got, wanted);
    assert_int_equal(fields_check("sandbox", sandbox, settings_sandbox, &err), 0);
}

static void
flags_that_are_wrong_are_named(void **state UNUSED)
{
    static const struct {
        const char *flag, *value;
    } cases[] = {
        {"--memory-mb", "2g"  },
        {"--memory-mb", "63"  },
        {"--memory-mb", "1e3" },
        {"--memory-mb", NULL  },
        {"--cpus",      "nan" },
        {"--cpus",      "inf" },
        {"--cpus",      "-1"  },
        {"--seconds",   "1.5" },
        {"--network",   "all" },
        {"--allow",     "a b" },
        {"--runtime",   "\xff"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        json_auto_t *sandbox = json_object();
        struct error err = {.text = "accepted"};
        int used = 0;
        print_message("  %s\n", cases[i].flag);
        assert_int_equal(take(cases[i].flag, cases[i].value, sandbox, &used, &err), -1);
        assert_ptr_equal(strstr(err.text, cases[i].flag), err.text);
        assert_int_equal(json_object_size(sandbox), 0);
    }
    json_auto_t *sandbox = json_object();
    struct error err;
    int used;
    assert_int_equal(take("--memory", "64", sandbox, &used, &err), 0);
    assert_int_equal(take("-f", "x", sandbox, &used, &err), 0);
}

static void
overrides_member_by_member(void **state UNUSED)
{
    json_auto_t *into = json_loads(
        "{\"resources\":{\"pids\":1,\"cpus\":2},\"waive\":[\"a\"]}", 0, NULL);
    json_auto_t *over = json_loads(
        "{\"resources\":{\"cpus\":3},\"waive\":[\"b\"],\"network\":{}}", 0, NULL);

    settings_flags_override(into, over);
    AUTO(mem) char *got = json_dumps(into, JSON_COMPACT | JSON_SORT_KEYS);
    assert_string_equal(got, "{\"network\":{},\"resources\":{\"cpus\":3,\"pids\":1},"
                             "\"waive\":[\"b\"]}");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_every_member),
        cmocka_unit_test(refuses_and_says_what_it_must_be),
        cmocka_unit_test(refuses_files_that_are_none),
        cmocka_unit_test(reads_a_file_up_to_its_limit),
        cmocka_unit_test(flags_are_members),
        cmocka_unit_test(flags_that_are_wrong_are_named),
        cmocka_unit_test(overrides_member_by_member),
    };
    return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
