#include "bridge/planner/planner.h"

#include <stdio.h>

#include "tests/unit/unit.h"

#define LEXICON "bridge/planner/lexicon/en.txt"

static const char shop[] =
    "{\"frames\":[{\"name\":\"df\",\"rows\":100,\"columns\":["
    "{\"name\":\"Region\",\"kind\":\"text\",\"unique\":2,\"nulls\":0,"
    " \"values\":[\"East\",\"West\"]},"
    "{\"name\":\"Sales\",\"kind\":\"number\",\"dtype\":\"float64\",\"unique\":90}]}]}";

static struct lexicon *english;

static int
load(void **state UNUSED)
{
    struct error err;

    english = lexicon_load(LEXICON, &err);
    return english ? 0 : -1;
}

static int
unload(void **state UNUSED)
{
    lexicon_free(english);
    return 0;
}

static int
ask(struct planner_answer *answer, const char *question, const char *profile,
    struct error *err)
{
    json_t *json = json_loads(profile, 0, NULL);
    struct planner_request request = {english, slice_of(question), json, NULL};

    assert_non_null(json);
    int result = planner_answer(answer, &request, err);
    json_decref(json);
    return result;
}

static const char *
plan_text(const struct planner_answer *answer, const char *key)
{
    return json_string_value(json_object_get(answer->plan, key));
}

static void
answers_with_a_plan_and_a_program(void **state UNUSED)
{
    AUTO(planner_answer) struct planner_answer answer = {0};
    struct error err;

    assert_int_equal(ask(&answer, "average sales by region", shop, &err), 0);
    assert_int_equal(answer.outcome, PLANNER_ANSWERED);
    assert_string_equal(plan_text(&answer, "mark"), "bar");
    assert_string_equal(plan_text(&answer, "x"), "Region");
    assert_string_equal(plan_text(&answer, "y"), "Sales");
    assert_string_equal(plan_text(&answer, "aggregate"), "mean");
    assert_non_null(
        strstr(answer.code, "groupby(\"Region\", observed=True)[\"Sales\"]"));
    assert_true(answer.confidence > 0.9 && answer.confidence <= 1);
}

static void
refuses_with_a_reason_and_no_program(void **state UNUSED)
{
    static const char *const questions[] = {
        "", "  ", "what is love?", "seasonally adjusted forecast", "by", "pie chart"};

    for (size_t i = 0; i < COUNT_OF(questions); i++) {
        AUTO(planner_answer) struct planner_answer answer = {0};
        struct error err;

        assert_int_equal(ask(&answer, questions[i], shop, &err), 0);
        assert_int_equal(answer.outcome, PLANNER_REFUSED);
        assert_string_equal(answer.code, "");
        assert_true(*answer.message);
    }
}

static void
refuses_a_question_past_the_limit(void **state UNUSED)
{
    AUTO(mem) char *text = xcalloc(KIB(8) + 2, 1);

    memset(text, 'a', KIB(8));
    for (size_t extra = 0; extra < 2; extra++) {
        AUTO(planner_answer) struct planner_answer answer = {0};
        struct error err;

        text[KIB(8)] = extra ? 'a' : '\0';
        assert_int_equal(ask(&answer, text, shop, &err), 0);
        assert_int_equal(answer.outcome, PLANNER_REFUSED);
        assert_int_equal(strstr(answer.message, "too long") != NULL, extra);
    }
}

static void
says_what_is_wrong_with_a_profile(void **state UNUSED)
{
    static const char *const profiles[] = {
        "{\"frames\":[{\"name\":\"df\"}]}",
        "{\"frames\":[{\"columns\":[{}]}]}",
        "{\"frames\":[{\"columns\":[{\"name\":\"a\",\"dtype\":7}]}]}",
        "{\"frames\":[7]}",
    };

    for (size_t i = 0; i < COUNT_OF(profiles); i++) {
        AUTO(planner_answer) struct planner_answer answer = {0};
        struct error err;

        assert_int_equal(ask(&answer, "average sales", profiles[i], &err), -1);
        assert_int_equal(err.kind, ERR_BAD_INPUT);
    }
}

static void
knows_that_there_is_no_data(void **state UNUSED)
{
    AUTO(planner_answer) struct planner_answer answer = {0};
    struct error err;

    assert_int_equal(ask(&answer, "average sales", "{}", &err), 0);
    assert_int_equal(answer.outcome, PLANNER_REFUSED);
    assert_non_null(strstr(answer.message, "no table"));
}

static void
a_lexicon_with_a_fault_names_its_line(void **state UNUSED)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"term NOSUCH: a\n",            "line 1: no such term"        },
        {"; fine\nflag nosuch: a\n",    "line 2: no such flag"        },
        {"nosuch X: a\n",               "line 1: no such kind"        },
        {"term BAR\n",                  "line 1: no colon"            },
        {"term BAR: a\nterm LINE: a\n", "line 2: \"a\" has a term"    },
        {"means: a\n",                  "line 1: a means nothing"     },
        {"say a: b\nsay a: c\n",        "line 2: a is said already"   },
        {"short: a\n",                  "line 1: a stands for nothing"},
        {"term BAR: a b c d e f g\n",   "line 1: phrase of 7 words"   },
        {"term BAR: \xff\n",            "line 1: not UTF-8"           },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char path[] = "/tmp/lexicon-XXXXXX";
        int fd = mkstemp(path);
        struct error err;

        assert_true(fd >= 0);
        assert_int_equal(write(fd, cases[i].text, strlen(cases[i].text)),
                         strlen(cases[i].text));
        close(fd);
        assert_null(lexicon_load(path, &err));
        assert_non_null(strstr(err.text, cases[i].message));
        unlink(path);
    }
}

static void
a_missing_lexicon_is_said(void **state UNUSED)
{
    struct error err;

    assert_null(lexicon_load("/nonexistent/en.txt", &err));
    assert_int_equal(err.kind, ERR_SYSTEM);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_with_a_plan_and_a_program),
        cmocka_unit_test(refuses_with_a_reason_and_no_program),
        cmocka_unit_test(refuses_a_question_past_the_limit),
        cmocka_unit_test(says_what_is_wrong_with_a_profile),
        cmocka_unit_test(knows_that_there_is_no_data),
        cmocka_unit_test(a_lexicon_with_a_fault_names_its_line),
        cmocka_unit_test(a_missing_lexicon_is_said),
    };

    return cmocka_run_group_tests(tests, load, unload);
}
