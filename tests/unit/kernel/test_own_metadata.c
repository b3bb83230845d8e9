/* What a sandbox says in the kernel's name is taken out. */
#include "kernel/output/own_metadata.h"
#include "tests/unit/unit.h"

static void
cannot_write_the_kernels_metadata(void **state UNUSED)
{
    static const struct {
        const char *content, *wanted; /* NULL: as it is */
    } cases[] = {
        {"{}",                                                              NULL                     },
        {"{\"metadata\":{}}",                                               NULL                     },
        {"{\"data\":{\"cellpod\":1},\"metadata\":{\"a\":{\"cellpod\":1}}}", NULL                     },
        {"{\"metadata\":{\"cellpod\":{\"question\":\"q\"}},\"data\":{}}",
         "{\"metadata\":{},\"data\":{}}"                                                             },
        {"{\"metadata\": {\"a\": 1, \"\\u0063ellpod\": {}, \"b\": [2]}}",
         "{\"metadata\":{\"a\":1,\"b\":[2]}}"                                                        },
        {"{\"metadata\":{\"cellpod\":1,\"cellpod\":2}}",                    "{\"metadata\":{}}"      },
        {"{\"metadata\":{\"cellpod\":1},\"metadata\":{}}",
         "{\"metadata\":{},\"metadata\":{}}"                                                         },
        {"{\"meta\\u0064ata\":{\"cellpod\":null}}",                         "{\"meta\\u0064ata\":{}}"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);
        const char *wanted = cases[i].wanted;
        print_message("  %s\n", cases[i].content);
        assert_int_equal(own_metadata_strip(slice_of(cases[i].content), &out),
                         wanted != NULL);
        if (wanted)
            assert_true(slice_equals(buffer_slice(&out), slice_of(wanted)));
    }
}

static void
takes_it_from_bare_metadata(void **state UNUSED)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);

    assert_false(own_metadata_strip_bare(SLICE(""), &out));
    assert_false(own_metadata_strip_bare(SLICE("{\"a\":{\"cellpod\":1}}"), &out));
    assert_true(own_metadata_strip_bare(SLICE("{\"cellpod\":1,\"a\":2}"), &out));
    assert_true(slice_equals(buffer_slice(&out), SLICE("{\"a\":2}")));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cannot_write_the_kernels_metadata),
        cmocka_unit_test(takes_it_from_bare_metadata),
    };

    return cmocka_run_group_tests_name("own_metadata", tests, NULL, NULL);
}
