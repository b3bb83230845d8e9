#include "bridge/planner/words/python.h"

#include "tests/unit/unit.h"

static void
literals_hold_any_text_and_hide_none(void **state UNUSED)
{
    static const struct {
        const char *text, *literal;
    } cases[] = {
        {"plain",            "\"plain\""           },
        {"",                 "\"\""                },
        {"a\"b",             "\"a\\\"b\""          },
        {"a\\",              "\"a\\\\\""           },
        {"a\nb\r\t",         "\"a\\nb\\r\\t\""     },
        {"\x01\x7f",         "\"\\x01\\x7f\""      },
        {"caf\xC3\xA9",      "\"caf\xC3\xA9\""     },
        {"\xE2\x80\xAE"
         "x",       "\"\\u202ex\""        },
        {"\xE2\x80\xA8",     "\"\\u2028\""         },
        {"\xF0\x9F\x98\x80", "\"\xF0\x9F\x98\x80\""},
        {"\xF3\xA0\x80\x81", "\"\\U000e0001\""     },
        {"\xff",             "\"\\ufffd\""         },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(arena) struct arena arena = {0};

        assert_string_equal(python_text(&arena, cases[i].text), cases[i].literal);
    }
}

static void
labels_hold_no_formula(void **state UNUSED)
{
    AUTO(arena) struct arena arena = {0};

    assert_string_equal(python_label(&arena, "$x$"), "\"\\\\$x\\\\$\"");
}

static void
numbers_are_exact_and_short(void **state UNUSED)
{
    static const struct {
        double number;
        const char *text;
    } cases[] = {
        {0,               "0"                 },
        {-5,              "-5"                },
        {0.1,             "0.1"               },
        {1.0 / 3,         "0.3333333333333333"},
        {1e300,           "1e+300"            },
        {__builtin_inf(), "float(\"inf\")"    },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(arena) struct arena arena = {0};

        assert_string_equal(python_number(&arena, cases[i].number), cases[i].text);
    }
}

static char *
program(const char *variable, const char *const *taken, size_t count)
{
    AUTO(arena) struct arena arena = {0};
    struct python python = {&arena, BUFFER_INIT(PYTHON_LIMIT), 0};

    python_comment(&python, "data of\nmany \"data\"");
    python_line(&python, "data = %s[%s]", python_variable(&arena, variable),
                python_text(&arena, "data"));
    python_line(&python, "print(data.data)");
    return python_finish(&python, taken, count);
}

static void
a_program_gives_way_to_the_users_names(void **state UNUSED)
{
    static const char *const taken[] = {"data", "df"};
    AUTO(mem) char *free_name = program("df", taken + 1, 1);
    AUTO(mem) char *same_name = program("data", taken, 2);

    assert_string_equal(free_name, "# data of\\nmany \"data\"\n"
                                   "data = df[\"data\"]\n"
                                   "print(data.data)\n");
    assert_string_equal(same_name, "# data of\\nmany \"data\"\n"
                                   "data_ = data[\"data\"]\n"
                                   "print(data_.data)\n");
}

static void
a_variable_is_never_more_than_a_name(void **state UNUSED)
{
    static const char *const names[] = {"a b",   "a;b",          "1a",    "",
                                        "class", "na\xC3\xAFve", "x\"]#", "None"};

    for (size_t i = 0; i < COUNT_OF(names); i++) {
        AUTO(arena) struct arena arena = {0};
        char *wanted =
            arena_printf(&arena, "globals()[%s]", python_text(&arena, names[i]));

        assert_string_equal(python_variable(&arena, names[i]), wanted);
    }
    assert_false(python_may_name("len"));
    assert_true(python_may_name("df"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(literals_hold_any_text_and_hide_none),
        cmocka_unit_test(labels_hold_no_formula),
        cmocka_unit_test(numbers_are_exact_and_short),
        cmocka_unit_test(a_program_gives_way_to_the_users_names),
        cmocka_unit_test(a_variable_is_never_more_than_a_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
