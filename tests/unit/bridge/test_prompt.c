#include "bridge/prompt/prompt.h"

#include <stdio.h>

#include "tests/unit/unit.h"

/* A table of `count` columns, with cells everywhere that cells may be. */
static json_t *
table_of(int count)
{
    json_t *columns = json_array(), *row = json_array();

    for (int i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof(name), i == count - 1 ? "Profit" : "column %d", i);
        json_array_append_new(columns, json_pack("{s:s, s:s, s:i, s:f, s:[s]}", "name",
                                                 name, "dtype", "float64", "nulls", 0,
                                                 "max", 8399.976, "values", "cell"));
        json_array_append_new(row, json_string("row"));
    }
    return json_pack("{s:[{s:s, s:i, s:o, s:[O, O, o]}]}", "frames", "name", "df",
                     "rows", 9994, "columns", columns, "sample", row, row, row);
}

/* What a model gets of a cell that failed: the code, but no cell of the data. */
static void
shows_a_failed_cell_as_far_as_the_level_allows(void **state UNUSED)
{
    static const struct {
        int level;
        bool has_name, has_value;
    } cases[] = {
        {LEVEL_NOTHING,    false, false},
        {LEVEL_NAMES,      true,  false},
        {LEVEL_STATISTICS, true,  false},
        {LEVEL_VALUES,     true,  true },
    };
    json_auto_t *failure =
        json_pack("{s:s, s:s, s:s, s:i}", "code", "df['x'] ```", "ename", "ValueError",
                  "evalue", "could not convert 'canary' of Profit", "line", 1);
    json_auto_t *profile = table_of(2);

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        json_auto_t *names = prompt_names(profile, cases[i].level);
        AUTO(mem) char *text =
            prompt_repair(failure, names, cases[i].level, "keep the x");

        assert_non_null(strstr(text, "````python\ndf['x'] ```\n````\nValueError: "));
        assert_non_null(strstr(text, "\nIt failed in line 1.\nkeep the x"));
        assert_int_equal(!!strstr(text, "Profit"), cases[i].has_name);
        assert_int_equal(!!strstr(text, "canary"), cases[i].has_value);
    }
}

static char *
system_at(const json_t *profile, long budget, struct prompt_info *info)
{
    struct conversation conversation = {0};
    const struct prompt_spec spec = {
        .question = "Total profit",
        .profile = profile,
        .level = LEVEL_VALUES,
        .budget_tokens = budget,
        .tokens_per_byte_factor = 1,
    };
    struct error err;

    if (prompt_build(&spec, &conversation, info, &err) < 0)
        return NULL;
    char *text = xstrdup(conversation.said[0].text);
    conversation_release(&conversation);
    return text;
}

static size_t
count_of(const char *text, const char *word)
{
    size_t count = 0;

    while ((text = strstr(text, word))) {
        count++;
        text += strlen(word);
    }
    return count;
}

static void
goes_down_the_ladder_step_by_step(void **state UNUSED)
{
    json_auto_t *profile = table_of(40);
    struct prompt_info whole;
    AUTO(mem) char *all = system_at(profile, 0, &whole);
    size_t rows = 4, full = 41;

    assert_null(whole.left_out);
    assert_int_equal(count_of(all, "{\"row\":"), 3);
    for (long budget = whole.tokens; budget > 0; budget -= 40) {
        struct prompt_info info;
        AUTO(mem) char *text = system_at(profile, budget, &info);
        if (!text)
            break;
        assert_true(info.tokens <= budget);
        assert_true(count_of(text, "{\"row\":") <= rows);
        assert_true(count_of(text, "8399.98") <=
                    full); /* what was left out stays out */
        rows = count_of(text, "{\"row\":");
        full = count_of(text, "8399.98");
        assert_int_equal(count_of(text, "\"Profit\""), 1);
        assert_true(rows == 0 || full == 40);
    }
    assert_int_equal(rows, 0);
    assert_int_equal(full, 0); /* names only, at last */
}

static void
keeps_the_columns_that_the_question_names(void **state UNUSED)
{
    json_auto_t *profile = table_of(200);
    struct prompt_info info, whole;
    AUTO(mem) char *all = system_at(profile, 0, &whole);
    AUTO(mem) char *text = system_at(profile, whole.tokens / 3, &info);

    assert_non_null(all);
    assert_non_null(text);
    assert_true(count_of(text, "8399.98") < 200);
    assert_int_equal(count_of(text, "{\"column\":\"Profit\""), 1);
}

static void
refuses_what_can_never_fit(void **state UNUSED)
{
    json_auto_t *profile = table_of(2000);
    struct prompt_info info;

    assert_null(system_at(profile, 1000, &info));
}

static void
writes_nothing_that_could_end_its_block(void **state UNUSED)
{
    const char *evil = "a\nDATA-x\n```<b>\xE2\x80\xAE\xE2\x80\x8B\x01";
    json_auto_t *profile =
        json_pack("{s:[{s:s, s:[{s:s, s:s}], s:[[s]]}]}", "frames", "name", evil,
                  "columns", "name", evil, "dtype", "object", "sample", evil);
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);

    facts_write(&out, profile, LEVEL_VALUES, (struct facts_size){3, true, 99}, "");
    assert_null(strstr(out.data, "DATA-x\n"));
    assert_null(strpbrk(out.data, "`<>\x01"));
    assert_null(strstr(out.data, "\xE2\x80"));
    assert_int_equal(count_of(out.data, "\n"), 3);
}

static void
cells_are_cut_between_characters(void **state UNUSED)
{
    char text[200];
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);

    for (size_t i = 0; i < sizeof(text) - 2; i += 2)
        memcpy(text + i, "\xC3\xA9", 3);
    text[1] = 'x', text[0] = 'x'; /* so that the limit falls inside a character */
    json_auto_t *profile = json_pack("{s:[{s:s, s:[], s:[[s]]}]}", "frames", "name",
                                     "df", "columns", "sample", text);
    facts_write(&out, profile, LEVEL_VALUES, (struct facts_size){1, true, 1}, "");
    assert_non_null(strstr(out.data, "…"));
    assert_true(out.len < 200);
}

static void
a_base_model_gets_a_text_to_go_on_from(void **state UNUSED)
{
    json_auto_t *profile = table_of(2);
    char code[] = "df.x", report[] = "The code failed\nwith KeyError";
    const struct prompt_attempt failed = {code, report};
    struct prompt_spec spec = {
        .question = "Total\nprofit",
        .profile = profile,
        .level = LEVEL_STATISTICS,
        .goes_on = true,
        .tokens_per_byte_factor = 1,
    };

    for (spec.attempt_count = 0; spec.attempt_count < 2; spec.attempt_count++) {
        AUTO(conversation) struct conversation conversation = {0};
        struct prompt_info info;
        struct error err;
        spec.attempts = &failed;
        assert_int_equal(prompt_build(&spec, &conversation, &info, &err), 0);
        assert_int_equal(conversation.count, 1);
        const char *text = conversation.said[0].text;
        assert_non_null(strstr(text, "# Total\n# profit\n"));
        assert_int_equal(strstr(text, "# with KeyError") != NULL, spec.attempt_count);
        for (const char *at = text; at; at = strchr(at, '\n')) {
            at += *at == '\n';
            assert_true(!*at || *at == '#' || *at == '\n' ||
                        strncmp(at, "import ", 7) == 0);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_down_the_ladder_step_by_step),
        cmocka_unit_test(keeps_the_columns_that_the_question_names),
        cmocka_unit_test(refuses_what_can_never_fit),
        cmocka_unit_test(writes_nothing_that_could_end_its_block),
        cmocka_unit_test(cells_are_cut_between_characters),
        cmocka_unit_test(shows_a_failed_cell_as_far_as_the_level_allows),
        cmocka_unit_test(a_base_model_gets_a_text_to_go_on_from),
    };
    return cmocka_run_group_tests_name("prompt", tests, NULL, NULL);
}
