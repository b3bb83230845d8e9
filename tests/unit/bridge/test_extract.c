#include "bridge/asking/extract.h"

#include "tests/unit/unit.h"

static const struct {
    const char *name, *answer;
    bool goes_on;
    int kind;
    const char *code, *said;
} cases[] = {
    {"one block",                             "Here:\n```python\nprint(df)\n```\nDone.",                false, EXTRACT_CODE,
     "print(df)",                                                                                                                                                                                                  "Here:\nDone."      },
    {"no language",                           "```\ndf\n```",                                           false, EXTRACT_CODE,    "df",                                                                              ""                  },
    {"py3 and tildes",                        "~~~py3\ndf\n~~~",                                        false, EXTRACT_CODE,    "df",                                                                              ""                  },
    {"longer fence holds a shorter one",      "````python\ns = '''\n```\n'''\n````",                    false,
     EXTRACT_CODE,                                                                                                              "s = '''\n```\n'''",                                                               ""                  },
    {"indented in a list",                    "1. So:\n   ```python\n   if a:\n       b\n   ```\n",     false,
     EXTRACT_CODE,                                                                                                              "if a:\n    b",                                                                    "1. So:"            },
    {"CRLF",                                  "```python\r\na\r\nb\r\n```\r\n",                         false, EXTRACT_CODE,    "a\nb",                                                                            ""                  },
    {"closing fence with prose behind it",    "```python\ndf\n``` This code shows df",
     false,                                                                                                    EXTRACT_CODE,    "df",                                                                              "This code shows df"},
    {"thoughts are not an answer",
     "<think>maybe\n```python\nwrong\n```\n</think>\n```python\nright\n```",                            false,
     EXTRACT_CODE,                                                                                                              "right",                                                                           ""                  },
    {"thoughts without an opening tag",
     "hm ```python\nwrong\n```</think>```py\nright\n```",                                               false, EXTRACT_CODE,    "right",
     ""                                                                                                                                                                                                                                },
    {"a thought that never ends",             "<think>```python\nwrong\n```",                           false, EXTRACT_NONE,
     "",                                                                                                                                                                                                           ""                  },
    {"alternatives: the last",                "```python\na = 1\na\n```\nor\n```python\nb = 2\nb\n```",
     false,                                                                                                    EXTRACT_CODE,    "b = 2\nb",                                                                        "or"                },
    {"steps: both",
     "```python\nimport pandas as pd\ntotal = "
     "df.sum()\n```\nthen\n```python\nprint(total)\n```",                                               false, EXTRACT_CODE,    "import pandas as pd\ntotal = df.sum()\nprint(total)",
     "then"                                                                                                                                                                                                                            },
    {"output is not code",                    "```python\ndf\n```\n```text\n   a\n0  1\n```",           false,
     EXTRACT_CODE,                                                                                                              "df",                                                                              ""                  },
    {"shell only",                            "```bash\npip install x\n```",                            false, EXTRACT_NONE,    "",                                                                                ""                  },
    {"cut off",                               "Sure.\n```python\ndf.groupby(",                          false, EXTRACT_CUT,     "",                                                                                "Sure."             },
    {"a whole block before a cut one",        "```python\ndf\n```\n```python\ndf.gro",                  false,
     EXTRACT_CODE,                                                                                                              "df",                                                                              ""                  },
    {"%matplotlib goes",                      "```python\n%matplotlib inline\ndf.plot()\n```",          false,
     EXTRACT_CODE,                                                                                                              "df.plot()",                                                                       ""                  },
    {"bare code",                             "df.groupby('a').sum()",                                  false, EXTRACT_CODE,    "df.groupby('a').sum()",
     "df.groupby('a').sum()"                                                                                                                                                                                                           },
    {"refusal",                               "CANNOT: there is no column of dates.",                   false, EXTRACT_REFUSAL, "",
     "there is no column of dates."                                                                                                                                                                                                    },
    {"nothing",                               " \n ",                                                   false, EXTRACT_NONE,    "",                                                                                ""                  },
    {"empty block",                           "```python\n```",                                         false, EXTRACT_NONE,    "",                                                                                ""                  },
    {"base model, prose behind",              "df.sum()\n\nNote: this sums\n",                          true,  EXTRACT_CODE,
     "df.sum()",                                                                                                                                                                                                   ""                  },
    {"base model, a fence behind",            "df.sum()\n```\nmore",                                    true,  EXTRACT_CODE,
     "df.sum()",                                                                                                                                                                                                   ""                  },
    {"base model, fenced",                    "```python\nprint(df)\n```\n",                            true,  EXTRACT_CODE,
     "print(df)",                                                                                                                                                                                                  ""                  },
    {"base model, the imports of its prompt", "plt.plot(pd.Series(df.x))",                              true,
     EXTRACT_CODE,                                                                                                              "import pandas as pd\nimport matplotlib.pyplot as plt\nplt.plot(pd.Series(df.x))",
     ""                                                                                                                                                                                                                                },
    {"base model, imports of its own",        "import pandas as pd\npd.Series(df.x)",                   true,
     EXTRACT_CODE,                                                                                                              "import pandas as pd\npd.Series(df.x)",                                            ""                  },
    {"base model, an import at the very end", "import pd",                                              true,  EXTRACT_CODE,
     "import pd",                                                                                                                                                                                                  ""                  },
    {"base model, in circles",                "a = 1\nx()\nx()\nx()\nx()\nx()\nx()\nx()\n",             true,
     EXTRACT_CODE,                                                                                                              "a = 1\nx()\nx()\nx()\nx()",                                                       ""                  },
    {"base model, the next question",         "df.sum()\n# Question: and now?\ndf",                     true,
     EXTRACT_CODE,                                                                                                              "df.sum()",                                                                        ""                  },
};

static void
finds_the_code(void **state UNUSED)
{
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(extract) struct extract extract;
        print_message("  %s\n", cases[i].name);
        extract_code(&extract, slice_of(cases[i].answer), cases[i].goes_on);
        assert_string_equal(extract.code, cases[i].code);
        assert_string_equal(extract.said, cases[i].said);
        assert_int_equal(extract.kind, cases[i].kind);
    }
}

static void
knows_the_same_code_again(void **state UNUSED)
{
    AUTO(mem) char *a = extract_normalize("x = 1\n\n# why\nif x:\n    y( 2 )\n");
    AUTO(mem) char *b = extract_normalize("x=1\nif x:\n    y(2)   # \n");
    AUTO(mem) char *c = extract_normalize("x=1\nif x:\n    y(2)");
    AUTO(mem) char *d = extract_normalize("x=1\nif x:\n  pass\ny(2)");

    assert_string_equal(a, c);
    assert_string_not_equal(a, b);
    assert_string_not_equal(a, d);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_code),
        cmocka_unit_test(knows_the_same_code_again),
    };
    return cmocka_run_group_tests_name("extract", tests, NULL, NULL);
}
