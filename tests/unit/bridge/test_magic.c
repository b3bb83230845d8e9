#include "bridge/magic.h"

#include "common/buffer.h"
#include "common/limits.h"
#include "tests/unit/unit.h"

static void
knows_its_own_cells(void **state UNUSED)
{
    static const struct {
        const char *cell;
        bool ours;
    } cases[] = {
        {"%%ask\nq",         true },
        {"\n  \n%%ask\nq",   true },
        {"%ask q",           true },
        {"%ask q\n\n",       true },
        {"%ask q\nprint(1)", false},
        {"%fix",             true },
        {"%fix a hint",      true },
        {"%fixed",           false},
        {"%%asked\nq",       false},
        {"%%%ask\nq",        false},
        {"x = 1\n%%ask\nq",  false},
        {"ask q",            false},
        {" %%ask\nq",        false},
        {"",                 false},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        print_message("  %s\n", cases[i].cell);
        assert_int_equal(magic_is_ours(cases[i].cell), cases[i].ours);
    }
}

static void
reads_flags_and_question(void **state UNUSED)
{
    AUTO(magic) struct magic m;
    struct error err;

    assert_int_equal(
        magic_parse(
            &m,
            "%%ask --model openai/x --language de --retries 0 --level=3 --no-run "
            "--explain --no-cache first\n\n second --model line \n",
            &err),
        0);
    assert_string_equal(m.question, "first\n\n second --model line");
    assert_string_equal(m.model, "openai/x");
    assert_string_equal(m.language, "de");
    assert_null(m.provider);
    assert_int_equal(m.retries, 0);
    assert_int_equal(m.level, 3);
    assert_true(m.no_run && m.explain && m.no_cache && !m.code_only && !m.show);
}

static void
leaves_dashes_of_the_question_alone(void **state UNUSED)
{
    AUTO(magic) struct magic a, b;
    struct error err;

    assert_int_equal(magic_parse(&a, "%ask -- --model of what?", &err), 0);
    assert_string_equal(a.question, "--model of what?");
    assert_int_equal(magic_parse(&b, "%%ask\n- total\n- mean", &err), 0);
    assert_string_equal(b.question, "- total\n- mean");
    assert_int_equal(b.retries, -1);
    assert_int_equal(b.level, -1);
}

static void
refuses_what_it_does_not_know(void **state UNUSED)
{
    static const struct {
        const char *cell, *says;
    } cases[] = {
        {"%%ask --modell x\nq",      "--modell"                       },
        {"%%ask --retries\nq",       "--retries must be followed by N"},
        {"%%ask --retries many\nq",  "0 to 10"                        },
        {"%%ask --retries 11\nq",    "0 to 10"                        },
        {"%%ask --level -1\nq",      "--level must be followed by N"  },
        {"%%ask --level 4\nq",       "0 to 3"                         },
        {"%%ask --no-run=yes\nq",    "--no-run=yes"                   },
        {"%%ask --model --no-run\n", "--model must be followed"       },
        {"%%ask",                    "needs a question"               },
        {"%ask --show",              "needs a question"               },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct magic m;
        struct error err;
        print_message("  %s\n", cases[i].cell);
        assert_int_equal(magic_parse(&m, cases[i].cell, &err), -1);
        assert_non_null(strstr(err.text, cases[i].says));
    }
}

static void
bounds_the_question(void **state UNUSED)
{
    for (size_t extra = 0; extra < 2; extra++) {
        AUTO(buffer) struct buffer cell = BUFFER_INIT(SIZE_MAX);
        struct magic m = {0};
        struct error err;
        buffer_append_text(&cell, "%%ask\n");
        for (size_t i = 0; i < LIMIT_QUESTION + extra; i++)
            buffer_append(&cell, "x", 1);
        assert_int_equal(magic_parse(&m, cell.data, &err), extra ? -1 : 0);
        if (!extra)
            magic_release(&m);
    }
}

static void
completes_flags_and_their_values(void **state UNUSED)
{
    static const struct {
        const char *before, *first;
        size_t count, start;
        bool is_question; /* that knows no flags */
    } cases[] = {
        {"%%ask --mo",               "--model",     2,  6,  false},
        {"%%ask ",                   "--model",     12, 6,  false},
        {"%%ask --no-run --ret",     "--retries",   1,  15, false},
        {"%%ask --provider o",       "openai",      2,  17, false},
        {"%%ask --provider ollama ", "--model",     12, 24, false},
        {"%%ask --level ",           "0",           4,  14, false},
        {"%fix --code",              "--code-only", 1,  5,  false},
        {"%ask --nonsuch",           NULL,          0,  0,  false},
        {"%ask --level x",           NULL,          0,  0,  false},
        {"%%ask",                    NULL,          0,  0,  false},
        {"%%ask total by ",          NULL,          0,  0,  true },
        {"%ask tot",                 NULL,          0,  0,  true },
        {"%fix it",                  NULL,          0,  0,  true },
        {"%%ask --model x\ntotal b", NULL,          0,  0,  true },
        {"%%ask --model x\n",        NULL,          0,  0,  true },
    };
    json_auto_t *providers = json_pack("[s, s, s]", "openai", "ollama", "local");

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        size_t start;
        print_message("  %s\n", cases[i].before);
        json_auto_t *found =
            magic_complete(cases[i].before, strlen(cases[i].before), providers, &start);
        assert_int_equal(!found, cases[i].is_question);
        assert_int_equal(json_array_size(found), cases[i].count);
        if (!cases[i].first)
            continue;
        assert_string_equal(json_string_value(json_array_get(found, 0)),
                            cases[i].first);
        assert_int_equal(start, cases[i].start);
    }
}

static void
help_names_every_flag(void **state UNUSED)
{
    static const char *const flags[] = {
        "--model", "--provider", "--retries",  "--code-only", "--no-run",  "--show",
        "--level", "--explain",  "--no-cache", "--models",    "--language"};
    AUTO(mem) char *help = magic_help();

    for (size_t i = 0; i < COUNT_OF(flags); i++)
        assert_non_null(strstr(help, flags[i]));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_its_own_cells),
        cmocka_unit_test(reads_flags_and_question),
        cmocka_unit_test(leaves_dashes_of_the_question_alone),
        cmocka_unit_test(refuses_what_it_does_not_know),
        cmocka_unit_test(bounds_the_question),
        cmocka_unit_test(completes_flags_and_their_values),
        cmocka_unit_test(help_names_every_flag),
    };
    return cmocka_run_group_tests_name("magic", tests, NULL, NULL);
}
