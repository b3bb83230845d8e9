#include "common/base64.h"

#include "tests/unit/unit.h"

static void
decodes_whole_and_padded_bytes(void **state UNUSED)
{
    static const struct {
        const char *text, *bytes;
    } cases[] = {
        {"",         ""      },
        {"Zg==",     "f"     },
        {"Zm8=",     "fo"    },
        {"Zm9v",     "foo"   },
        {"Zm9vYg==", "foob"  },
        {"Zm9vYmE=", "fooba" },
        {"Zm9vYmFy", "foobar"},
        {"Zm9v\nYg", "foob"  }, /* padding may be missing */
        {"Zm8 = \n", "fo"    },
    };
    struct error err;

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(buffer) struct buffer out = BUFFER_INIT(64);
        assert_int_equal(base64_decode(slice_of(cases[i].text), &out, &err), 0);
        assert_int_equal(out.len, strlen(cases[i].bytes));
        assert_memory_equal(out.len ? out.data : "", cases[i].bytes, out.len);
    }
}

static void
refuses_what_is_not_base64(void **state UNUSED)
{
    static const char *const cases[] = {
        "Z",        "Zm9vY", /* six bits are no byte */
        "Zg=",      "Zm8==", "Zg===",    "Zm9v=", "=", "==", "====", /* wrong padding */
        "Zg==Zg==", "Zg=x",  "Zm8=x",    "Zg==x", /* digits behind it */
        "Zm9_",     "Zm9v!", "Zm9v\xff",
    };
    struct error err;

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(buffer) struct buffer out = BUFFER_INIT(64);
        if (base64_decode(slice_of(cases[i]), &out, &err) == 0)
            fail_msg("took %s", cases[i]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes_whole_and_padded_bytes),
        cmocka_unit_test(refuses_what_is_not_base64),
    };
    return cmocka_run_group_tests_name("base64", tests, NULL, NULL);
}
