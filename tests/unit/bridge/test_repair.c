#include "bridge/repair/repair.h"

#include "bridge/repair/diff.h"
#include "common/buffer.h"
#include "tests/unit/unit.h"

static json_t *
failure_of(const char *code, const char *finding)
{
    json_t *failure =
        json_pack("{s:s, s:s, s:b}", "code", code, "ename", "KeyError", "pd", 1);

    json_object_set_new(failure, "finding", json_loads(finding, 0, NULL));
    return failure;
}

/* Each row of rules.c, and what it makes of the code. */
static const struct {
    const char *code, *finding, *repaired, *said;
} repairs[] = {
    {"df['revenu']",
     "{\"kind\":\"column\",\"found\":\"revenu\",\"near\":[\"revenue\"],"
     "\"clear\":true,\"spots\":[[3,11]]}",                                                  "df[\"revenue\"]",
     "There is no column \"revenu\": \"revenue\" is taken, the nearest."                                                                                                                                                   },
    {"é = d['a']",
     "{\"kind\":\"key\",\"found\":\"a\",\"near\":[\"A\"],\"clear\":true,"
     "\"spots\":[[7,10]]}",                                                                 "é = d[\"A\"]",                                                 "There is no key \"a\": \"A\" is taken, the nearest."         },
    {"open('a.cvs')",
     "{\"kind\":\"file\",\"found\":\"a.cvs\",\"near\":[\"a.csv\"],\"clear\":true,"
     "\"spots\":[[5,12]]}",                                                                 "open(\"a.csv\")",                                               "There is no file \"a.cvs\": \"a.csv\" is taken, the nearest."},
    {"x + x",
     "{\"kind\":\"name\",\"found\":\"x\",\"near\":[\"xs\"],\"clear\":true,"
     "\"spots\":[[0,1],[4,5]]}",                                                            "xs + xs",                                                       "Nothing is called \"x\": \"xs\" is taken, the nearest name." },
    {"from __future__ import annotations\npd.x",
     "{\"kind\":\"name\",\"found\":\"pd\",\"near\":[],\"clear\":false,"
     "\"spots\":[[35,37]]}",                                                                "from __future__ import annotations\nimport pandas as pd\npd.x",
     "pd is used and was not imported."                                                                                                                                                                                    },
    {"df.groupbi",
     "{\"kind\":\"attribute\",\"found\":\"groupbi\",\"where\":\"DataFrame\","
     "\"near\":[\"groupby\"],\"clear\":true,\"spots\":[[3,10]]}",                           "df.groupby",
     "\"DataFrame\" has no attribute \"groupbi\": \"groupby\" is taken, the "
     "nearest."                                                                                                                                                                                                            },
    {"import panda",
     "{\"kind\":\"module\",\"found\":\"panda\",\"near\":[\"pandas\"],"
     "\"clear\":true,\"spots\":[[7,12]]}",                                                  "import pandas",
     "There is no module \"panda\" here: \"pandas\" is taken, the nearest."                                                                                                                                                },
    {"df['d'].dt",
     "{\"kind\":\"dates\",\"found\":\"d\",\"where\":\"df\",\"day_first\":true,"
     "\"mixed\":true,\"lost\":2,\"of\":9,\"spots\":[[0,7]]}",                               "pd.to_datetime(df['d'], dayfirst=True, format=\"mixed\", "
     "errors=\"coerce\").dt",                                                                   "\"d\" holds dates that are kept as text: they are read as dates. 2 of 9 "
     "cannot be read, and count as missing."                                                                                     },
    {"df.mean('n')",
     "{\"kind\":\"numbers\",\"found\":\"n\",\"where\":\"df\",\"whole\":true,"
     "\"spots\":[[0,2]]}",                                                                  "df.assign(**{\"n\": pd.to_numeric(df[\"n\"])}).mean('n')",
     "\"n\" holds numbers that are kept as text: they are read as numbers."                                                                                                                                                },
    {"'a' + 5",                                  "{\"kind\":\"text\",\"spots\":[[6,7]]}",   "'a' + str(5)",
     "A text can only be joined to a text: the other part is made one."                                                                                                                                                    },
    {"df['x'] = y.values",
     "{\"kind\":\"align\",\"have\":2,\"want\":3,\"spots\":[[11,18]]}",                      "df['x'] = y",
     "2 values do not fit 3 rows: they go to the rows that they come from, and the "
     "others have none."                                                                                                                                                                                                   },
    {"df['x'] = y",
     "{\"kind\":\"pad\",\"have\":2,\"want\":3,\"where\":\"df\","
     "\"spots\":[[10,11]]}",                                                                "df['x'] = pd.Series(y, index=df.index[:2])",
     "2 values do not fit 3 rows: the first 2 rows have them, the others none."                                                                                                                                            },
    {"D({1: [2]})",                              "{\"kind\":\"series\",\"spots\":[[6,9]]}", "D({1: pd.Series([2])})",
     "The columns have different lengths: shorter ones end with missing values."                                                                                                                                           },
};

static void
repairs_what_it_knows(void **state UNUSED)
{
    for (size_t i = 0; i < COUNT_OF(repairs); i++) {
        json_auto_t *failure = failure_of(repairs[i].code, repairs[i].finding);
        AUTO(repair) struct repair repair;

        print_message("  %s\n", repairs[i].code);
        repair_make(&repair, failure);
        assert_null(repair.refusal);
        assert_string_equal(repair.code, repairs[i].repaired);
        assert_string_equal(repair.said, repairs[i].said);
    }
}

static void
imports_what_its_own_code_needs(void **state UNUSED)
{
    json_auto_t *failure =
        failure_of("df['n'].mean()", "{\"kind\":\"numbers\",\"found\":\"n\","
                                     "\"spots\":[[0,7]]}");
    AUTO(repair) struct repair repair;

    json_object_set_new(failure, "pd", json_false());
    repair_make(&repair, failure);
    assert_string_equal(repair.code,
                        "import pandas as pd\npd.to_numeric(df['n']).mean()");
}

/* A worker may send anything: no name becomes code, and no place lies outside. */
static void
refuses_what_it_cannot_trust(void **state UNUSED)
{
    static const struct {
        const char *what, *finding;
    } cases[] = {
        {"not clear",       "{\"kind\":\"column\",\"found\":\"a\",\"near\":[\"b\"],"
                      "\"clear\":false,\"spots\":[[0,2]]}"              },
        {"nothing near",    "{\"kind\":\"name\",\"found\":\"a\",\"near\":[],"
                         "\"clear\":true,\"spots\":[[0,2]]}"         },
        {"code as a name",  "{\"kind\":\"name\",\"found\":\"a\",\"near\":[\"f()\"],"
                           "\"clear\":true,\"spots\":[[0,2]]}"     },
        {"a keyword",       "{\"kind\":\"name\",\"found\":\"a\",\"near\":[\"del\"],"
                      "\"clear\":true,\"spots\":[[0,2]]}"               },
        {"code as a frame", "{\"kind\":\"numbers\",\"found\":\"a\",\"whole\":true,"
                            "\"where\":\"f()\",\"spots\":[[0,2]]}"},
        {"another frame",   "{\"kind\":\"numbers\",\"found\":\"a\",\"whole\":true,"
                          "\"where\":\"other\",\"spots\":[[0,2]]}"  },
        {"outside",         "{\"kind\":\"text\",\"spots\":[[0,200]]}"                        },
        {"backwards",       "{\"kind\":\"text\",\"spots\":[[2,1]]}"                          },
        {"negative",        "{\"kind\":\"text\",\"spots\":[[-1,1]]}"                         },
        {"huge",            "{\"kind\":\"text\",\"spots\":[[0,9223372036854775807]]}"        },
        {"in each other",   "{\"kind\":\"text\",\"spots\":[[0,3],[2,4]]}"                    },
        {"within a letter", "{\"kind\":\"text\",\"spots\":[[5,6]]}"                          },
        {"no places",       "{\"kind\":\"text\",\"spots\":[]}"                               },
        {"not an array",    "{\"kind\":\"text\",\"spots\":7}"                                },
        {"unknown",         "{\"kind\":\"nonesuch\",\"spots\":[[0,2]]}"                      },
        {"only known",
         "{\"kind\":\"lengths\",\"have\":1,\"want\":2,\"spots\":[[0,2]]}"                    },
        {"nothing",         "null"                                                           },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        json_auto_t *failure = failure_of("df['é']", cases[i].finding);
        AUTO(repair) struct repair repair;

        print_message("  %s\n", cases[i].what);
        repair_make(&repair, failure);
        assert_null(repair.code);
        assert_non_null(repair.refusal);
    }
}

static void
writes_hostile_names_as_literals(void **state UNUSED)
{
    json_auto_t *failure = failure_of(
        "df['a']", "{\"kind\":\"column\",\"found\":\"a\\nCANNOT: x\","
                   "\"near\":[\"\\\"];evil()\\n#\"],\"clear\":true,\"spots\":[[3,6]]}");
    AUTO(repair) struct repair repair;

    repair_make(&repair, failure);
    assert_string_equal(repair.code, "df[\"\\\"];evil()\\n#\"]");
    assert_null(strchr(repair.said, '\n'));
}

static void
names_what_is_nearest_when_it_refuses(void **state UNUSED)
{
    json_auto_t *failure = failure_of(
        "df['a']", "{\"kind\":\"column\",\"found\":\"a\",\"near\":[\"b\",\"c\"],"
                   "\"clear\":false,\"spots\":[[3,6]]}");
    AUTO(repair) struct repair repair;

    repair_make(&repair, failure);
    assert_non_null(strstr(repair.refusal, "The nearest: \"b\", \"c\".\n"));
}

static void
shows_the_lines_that_change(void **state UNUSED)
{
    static const struct {
        const char *before, *after, *diff;
    } cases[] = {
        {"a\nb\nc",                   "a\nB\nc",                   " a\n-b\n+B\n c\n"        },
        {"a",                         "x\na",                      "+x\n a\n"                },
        {"a\nb\nc\nd",                "A\nb\nc\nD",                "-a\n+A\n b\n c\n-d\n+D\n"},
        {"1\n2\n3\n4\n5\n6\n7\n8\n9", "1\n2\n3\n4\n5\n6\n7\n8\nx",
         "@@\n 6\n 7\n 8\n-9\n+x\n"                                                          },
        {"a",                         "a",                         ""                        },
        {"",                          "",                          ""                        },
        {"",                          "x",                         "+x\n"                    },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(mem) char *diff = diff_lines(cases[i].before, cases[i].after);
        assert_string_equal(diff, cases[i].diff);
    }
}

/* Two texts of ten thousand lines without one in common are not compared by pairs. */
static void
exchanges_what_is_too_long_to_compare(void **state UNUSED)
{
    AUTO(buffer) struct buffer a = BUFFER_INIT(SIZE_MAX), b = BUFFER_INIT(SIZE_MAX);

    for (int i = 0; i < 10000; i++) {
        buffer_printf(&a, "a%d\n", i);
        buffer_printf(&b, "b%d\n", i);
    }
    AUTO(mem) char *diff = diff_lines(a.data, b.data);
    assert_int_equal(strncmp(diff, "-a0\n-a1\n", 8), 0);
    assert_non_null(strstr(diff, "-a9999\n+b0\n"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repairs_what_it_knows),
        cmocka_unit_test(imports_what_its_own_code_needs),
        cmocka_unit_test(refuses_what_it_cannot_trust),
        cmocka_unit_test(writes_hostile_names_as_literals),
        cmocka_unit_test(names_what_is_nearest_when_it_refuses),
        cmocka_unit_test(shows_the_lines_that_change),
        cmocka_unit_test(exchanges_what_is_too_long_to_compare),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
