#include "bridge/prompt/redact.h"

#include "bridge/asking/report.h"
#include "tests/unit/unit.h"

#define CODE \
    "total = df['Profitt'].sum()\ndf[df.City == 'Paris']\ndf.groupbyy('Sub Category')"

static const struct {
    const char *message, *left;
} cases[] = {
    {"'John Smith'",                                                               "'<value>'"                     },
    {"'Profitt'",                                                                  "'Profitt'"                     },
    {"\"['Profitt'] not in index\"",                                               "['Profitt'] not in index"      },
    {"\"['John Smith'] not in index\"",                                            "['<value>'] not in index"      },
    {"could not convert string to float: 'abc'",
     "could not convert string to float: '<value>'"                                                                },
    {"invalid literal for int() with base 10: '12-34'",
     "invalid literal for int() with base 10: '<value>'"                                                           },
    {"time data \"12/05/2020\" doesn't match format \"%Y\"",
     "time data \"<value>\" doesn't match format \"%<value>\""                                                     },
    {"Unknown string format: John Smith",                                          "Unknown string format: <value>"},
    {"Unknown datetime string format, unable to parse: John Smith, at position 0",
     "Unknown datetime string format, unable to parse: <value>, at position 0"                                     },
    {"'DataFrame' object has no attribute 'groupbyy'",
     "'DataFrame' object has no attribute 'groupbyy'"                                                              },
    {"Length of values (3) does not match length of index (9994)",
     "Length of values (3) does not match length of index (9994)"                                                  },
    {"cannot index with 'Sub Category' or 'Paris'",
     "cannot index with 'Sub Category' or 'Paris'"                                                                 },
    {"call 555-1234 or 123456789012",                                              "call <value> or <value>"       },
    {"name 'secret_cell' is not defined",                                          "name '<value>' is not defined" },
    {"unsupported operand type(s) for +: 'int' and 'str'",
     "unsupported operand type(s) for +: 'int' and 'str'"                                                          },
    {"don't use M\xC3\xBCller",                                                    "don't use <value>"             },
    {"",                                                                           ""                              },
};

static void
leaves_no_cell_in_a_message(void **state UNUSED)
{
    json_auto_t *names = json_pack("[s, s, s]", "Profit", "Sub Category", "df");

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);
        redact_message(&out, cases[i].message, CODE, names);
        print_message("  %s\n", cases[i].message);
        assert_string_equal(out.data ? out.data : "", cases[i].left);
    }
}

static void
finds_the_line_in_a_traceback(void **state UNUSED)
{
    json_auto_t *newer = json_pack(
        "[s, s, s]", "\033[31mKeyError\033[0m   Traceback (most recent call last)",
        "Cell \033[32mIn[3], line 2\033[0m\n      1 total\n----> 2 df[x]",
        "File /usr/lib/pandas/core/frame.py:3896, in DataFrame.__getitem__\n-> 3896 x");
    json_auto_t *older =
        json_pack("[s]", "<ipython-input-3-abc> in <module>\n      1 a\n----> 3 b\n");
    json_auto_t *elsewhere = json_pack("[s]", "File /usr/lib/x.py:2, in f\n-> 2 x");
    json_auto_t *beyond = json_pack("[s]", "Cell In[3], line 99\n-> 99 x");

    assert_int_equal(report_line(newer, CODE), 2);
    assert_int_equal(report_line(older, CODE), 3);
    assert_int_equal(report_line(elsewhere, CODE), 0);
    assert_int_equal(report_line(beyond, CODE), 0);
    assert_int_equal(report_line(NULL, CODE), 0);
}

static void
reports_only_what_the_level_allows(void **state UNUSED)
{
    json_auto_t *names = json_pack("[s]", "Profit");
    json_auto_t *traceback =
        json_pack("[s]", "Cell In[1], line 2\n----> 2 x\nJohn Smith");
    const struct report_run run = {
        .ename = "KeyError",
        .evalue = "'John Smith'",
        .traceback = traceback,
        .printed = "John Smith owes 3\n",
    };

    for (int level = 0; level <= 3; level++) {
        const struct report_spec spec = {CODE, names, level, 1, 4};
        AUTO(mem) char *text = report_error(&spec, &run);
        assert_non_null(strstr(text, "KeyError"));
        assert_non_null(strstr(text, "Line 2: df[df.City == 'Paris']"));
        assert_non_null(strstr(text, "attempt 1 of 4"));
        assert_int_equal(strstr(text, "John") != NULL, level == 3);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_no_cell_in_a_message),
        cmocka_unit_test(finds_the_line_in_a_traceback),
        cmocka_unit_test(reports_only_what_the_level_allows),
    };
    return cmocka_run_group_tests_name("redact", tests, NULL, NULL);
}
