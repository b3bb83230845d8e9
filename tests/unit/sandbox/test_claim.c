#include <stdio.h>

#include "common/buffer.h"
#include "common/limits.h"
#include "sandbox/life/claim.h"
#include "tests/unit/unit.h"

static void
needs_nothing_but_a_task_id(void **state UNUSED)
{
    AUTO(claim) struct claim claim = {.tree = NULL};
    struct error err;

    assert_int_equal(claim_parse(SLICE("{\"task_id\":\"t\"}"), &claim, &err), 0);
    assert_string_equal(claim.task_id, "t");
    assert_null(claim.template);
    assert_null(claim.workspace_path);
    assert_int_equal(json_array_size(claim.mounts), 0);
    assert_int_equal(json_object_size(claim.env), 0);
    assert_int_equal(claim.ttl_seconds, 0);
    assert_false(claim.owner);
}

static void
reads_every_field(void **state UNUSED)
{
    static const struct slice body =
        SLICE("{\"task_id\":\"t\",\"template\":\"/py/../python\",\"cwd\":\"/w/s\","
              "\"workspace\":{\"path\":\"/w\",\"mode\":\"ro\"},"
              "\"mounts\":[{\"source\":\"/d\"},{\"source\":\"/e\",\"target\":\"/f\","
              "\"mode\":\"rw\"}],\"env\":{\"A_1\":\"b\"},\"ttl_seconds\":5,"
              "\"idle_seconds\":6,\"resources\":{\"memory_mb\":64,\"pids\":null},"
              "\"waive\":[\"seccomp\"],\"owner\":true}");
    AUTO(claim) struct claim claim = {.tree = NULL};
    struct error err;

    assert_int_equal(claim_parse(body, &claim, &err), 0);
    assert_string_equal(claim.template, "/py/../python");
    assert_string_equal(claim.cwd, "/w/s");
    assert_string_equal(claim.workspace_path, "/w");
    assert_string_equal(claim.workspace_mode, "ro");
    AUTO(mem) char *mounts = json_dumps(claim.mounts, JSON_COMPACT | JSON_SORT_KEYS);
    assert_string_equal(mounts,
                        "[{\"mode\":\"ro\",\"source\":\"/d\",\"target\":\"/d\"},"
                        "{\"mode\":\"rw\",\"source\":\"/e\",\"target\":\"/f\"}]");
    assert_int_equal(claim.ttl_seconds, 5);
    assert_int_equal(claim.idle_seconds, 6);
    assert_true(claim.owner);
}

static void
takes_null_for_not_given(void **state UNUSED)
{
    AUTO(claim) struct claim claim = {.tree = NULL};
    struct error err;

    assert_int_equal(claim_parse(SLICE("{\"task_id\":\"t\",\"workspace\":null,"
                                       "\"mounts\":null,\"env\":null,\"owner\":null}"),
                                 &claim, &err),
                     0);
    assert_null(claim.workspace_path);
    assert_true(json_is_array(claim.mounts));
}

static void
refuses_and_names_the_field(void **state UNUSED)
{
    static const struct {
        const char *body, *named;
    } cases[] = {
        {"",                                                                   "JSON"         },
        {"[]",                                                                 "the claim"    },
        {"{}",                                                                 "task_id"      },
        {"{\"task_id\":null}",                                                 "task_id"      },
        {"{\"task_id\":\"\"}",                                                 "task_id"      },
        {"{\"task_id\":7}",                                                    "task_id"      },
        {"{\"task_id\":\"t\",\"task_id\":\"u\"}",                              "JSON"         },
        {"{\"task_id\":\"t\",\"colour\":1}",                                   "colour"       },
        {"{\"task_id\":\"t\",\"template\":\"python\"}",                        "template"     },
        {"{\"task_id\":\"t\",\"cwd\":\"/a/../b\"}",                            "cwd"          },
        {"{\"task_id\":\"t\",\"cwd\":\"/a/.\"}",                               "cwd"          },
        {"{\"task_id\":\"t\",\"workspace\":{}}",                               "path"         },
        {"{\"task_id\":\"t\",\"workspace\":{\"path\":\"/..\"}}",               "path"         },
        {"{\"task_id\":\"t\",\"workspace\":{\"path\":\"/a\",\"mode\":\"x\"}}", "mode"         },
        {"{\"task_id\":\"t\",\"workspace\":\"/a\"}",                           "workspace"    },
        {"{\"task_id\":\"t\",\"mounts\":{}}",                                  "mounts"       },
        {"{\"task_id\":\"t\",\"mounts\":[{\"target\":\"/a\"}]}",               "source"       },
        {"{\"task_id\":\"t\",\"env\":{\"A B\":\"c\"}}",                        "env"          },
        {"{\"task_id\":\"t\",\"env\":{\"1A\":\"c\"}}",                         "env"          },
        {"{\"task_id\":\"t\",\"env\":{\"A=B\":\"c\"}}",                        "env"          },
        {"{\"task_id\":\"t\",\"env\":{\"A\":1}}",                              "env"          },
        {"{\"task_id\":\"t\",\"env\":{\"A\":\"\\u0000\"}}",                    "JSON"         },
        {"{\"task_id\":\"t\",\"ttl_seconds\":0}",                              "ttl_seconds"  },
        {"{\"task_id\":\"t\",\"ttl_seconds\":1.5}",                            "ttl_seconds"  },
        {"{\"task_id\":\"t\",\"idle_seconds\":31622401}",                      "idle_seconds" },
        {"{\"task_id\":\"t\",\"resources\":{\"pids\":0}}",                     "pids"         },
        {"{\"task_id\":\"t\",\"resources\":{\"gpus\":1}}",                     "gpus"         },
        {"{\"task_id\":\"t\",\"waive\":\"all\"}",                              "waive"        },
        {"{\"task_id\":\"t\",\"network\":{\"mode\":\"all\"}}",                 "network.mode" },
        {"{\"task_id\":\"t\",\"network\":{\"allow\":[\"a b\"]}}",              "network.allow"},
        {"{\"task_id\":\"t\",\"runtime\":\"runsc\"}",                          "gVisor"       },
        {"{\"task_id\":\"t\",\"runtime\":\"x\"}",                              "namespaces"   },
        {"{\"task_id\":\"t\",\"owner\":1}",                                    "owner"        },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct claim claim;
        struct error err;
        print_message("  %s\n", cases[i].body);
        assert_int_equal(claim_parse(slice_of(cases[i].body), &claim, &err), -1);
        assert_int_equal(err.kind, ERR_BAD_INPUT);
        assert_non_null(strstr(err.text, cases[i].named));
    }
}

static void
takes_lists_up_to_their_limit(void **state UNUSED)
{
    for (int extra = 0; extra < 2; extra++) {
        AUTO(buffer) struct buffer body = BUFFER_INIT(SIZE_MAX);
        AUTO(claim) struct claim claim = {.tree = NULL};
        struct error err;
        buffer_append_text(&body, "{\"task_id\":\"t\",\"env\":{");
        for (int i = 0; i < LIMIT_CLAIM_LIST + extra; i++)
            buffer_printf(&body, "%s\"V%d\":\"\"", i ? "," : "", i);
        buffer_append_text(&body, "}}");
        assert_int_equal(claim_parse(buffer_slice(&body), &claim, &err),
                         extra ? -1 : 0);
    }
}

#define UUID "0f8fad5b-d9cb-469f-a165-70867728950e"

static void
names_nothing_of_this_machine_over_tcp(void **state UNUSED)
{
    static const struct {
        const char *body, *named;
    } cases[] = {
        {"{\"task_id\":\"" UUID "\",\"env\":{\"A\":\"b\"},\"ttl_seconds\":60}", NULL      },
        {"{\"task_id\":\"" UUID "\",\"workspace\":{\"path\":\"/home/u\"}}",
         "workspace"                                                                      },
        {"{\"task_id\":\"" UUID "\",\"mounts\":[{\"source\":\"/home/u\"}]}",    "mounts"  },
        {"{\"task_id\":\"" UUID "\",\"template\":\"/home/u/python\"}",          "template"},
        {"{\"task_id\":\"" UUID "\",\"waive\":[\"seccomp\"]}",                  "waive"   },
        {"{\"task_id\":\"" UUID "\",\"owner\":true}",                           "owner"   },
        {"{\"task_id\":\"123456789012345\"}",                                   "task_id" },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(claim) struct claim claim = {.tree = NULL};
        struct error err = {.text = ""};
        print_message("  %s\n", cases[i].body);
        assert_int_equal(claim_parse(slice_of(cases[i].body), &claim, &err), 0);
        assert_int_equal(claim_check_remote(&claim, &err), cases[i].named ? -1 : 0);
        if (cases[i].named)
            assert_non_null(strstr(err.text, cases[i].named));
    }
}

/* The same session, but for the member that is named. */
static void
knows_the_same_session(void **state UNUSED)
{
    static const struct {
        const char *claim;
        bool is_same;
    } cases[] = {
        {"{\"task_id\":\"u\",\"owner\":true,\"keep\":{\"notebook\":\"n\","
         "\"build\":\"b\",\"seconds\":9,\"fresh\":true},\"env\":{\"A\":\"1\"}}", true },
        {"{\"task_id\":\"t\",\"owner\":true,\"keep\":{\"notebook\":\"m\","
         "\"build\":\"b\",\"seconds\":5}}",                                      false},
        {"{\"task_id\":\"t\",\"owner\":true,\"keep\":{\"notebook\":\"n\","
         "\"build\":\"c\",\"seconds\":5}}",                                      false},
        {"{\"task_id\":\"t\",\"owner\":true,\"template\":\"/p\",\"keep\":{"
         "\"notebook\":\"n\",\"build\":\"b\",\"seconds\":5}}",                   false},
        {"{\"task_id\":\"t\",\"owner\":true,\"waive\":[\"seccomp\"],\"keep\":{"
         "\"notebook\":\"n\",\"build\":\"b\",\"seconds\":5}}",                   false},
        {"{\"task_id\":\"t\",\"owner\":true}",                                            false},
    };
    AUTO(claim) struct claim first = {.tree = NULL};
    struct error err;

    assert_int_equal(
        claim_parse(SLICE("{\"task_id\":\"t\",\"owner\":true,\"keep\":{"
                          "\"notebook\":\"n\",\"build\":\"b\",\"seconds\":5}}"),
                    &first, &err),
        0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(claim) struct claim other = {.tree = NULL};
        print_message("  %s\n", cases[i].claim);
        assert_int_equal(claim_parse(slice_of(cases[i].claim), &other, &err), 0);
        assert_int_equal(claim_is_same_session(&first, &other), cases[i].is_same);
    }
}

static void
an_extension_names_its_clocks_only(void **state UNUSED)
{
    struct extension extension;
    struct error err;

    assert_int_equal(
        claim_parse_extension(SLICE("{\"ttl_seconds\":7}"), &extension, &err), 0);
    assert_int_equal(extension.ttl_seconds, 7);
    assert_int_equal(extension.idle_seconds, 0);
    assert_int_equal(
        claim_parse_extension(SLICE("{\"ttl_seconds\":0}"), &extension, &err), -1);
    assert_int_equal(
        claim_parse_extension(SLICE("{\"task_id\":\"t\"}"), &extension, &err), -1);
    assert_int_equal(claim_parse_extension(SLICE("[]"), &extension, &err), -1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(needs_nothing_but_a_task_id),
        cmocka_unit_test(reads_every_field),
        cmocka_unit_test(takes_null_for_not_given),
        cmocka_unit_test(refuses_and_names_the_field),
        cmocka_unit_test(takes_lists_up_to_their_limit),
        cmocka_unit_test(names_nothing_of_this_machine_over_tcp),
        cmocka_unit_test(knows_the_same_session),
        cmocka_unit_test(an_extension_names_its_clocks_only),
    };
    return cmocka_run_group_tests_name("claim", tests, NULL, NULL);
}
