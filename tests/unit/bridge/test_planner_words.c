#include "bridge/planner/query/query.h"
#include "bridge/planner/words/likeness.h"
#include "bridge/planner/words/words.h"

#include "tests/unit/unit.h"

static void
assert_words(const char *text, const char *const *expected)
{
    AUTO(arena) struct arena arena = {0};
    struct words words = words_split(&arena, slice_of(text), WORDS_MAX);
    size_t i = 0;

    for (; expected[i]; i++) {
        assert_true(i < words.count);
        assert_string_equal(words.at[i].text, expected[i]);
    }
    assert_int_equal(words.count, i);
}

#define WORDS(text, ...) \
    assert_words(text, (const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

static void
names_of_any_style_are_the_same_words(void **state UNUSED)
{
    WORDS("order_date", "order", "date");
    WORDS("orderDate", "order", "date");
    WORDS("Order Date", "order", "date");
    WORDS("OrderID", "order", "id");
    WORDS("IMDb", "imdb");
    WORDS("meter_200", "meter", "200");
    WORDS("car's cars' don't", "car", "cars", "don't");
    WORDS("");
    WORDS("_ \t\n");
}

static void
wide_letters_are_letters_and_marks_are_none(void **state UNUSED)
{
    WORDS("Größe ÄRGER", "größe", "ärger");
    WORDS("Цена", "цена");
    WORDS("价格", "价格");
    WORDS("a\xE2\x80\x94"
          "b",
          "a", "\xE2\x80\x94", "b");
    WORDS("x \xff y", "x", "\xff", "y");
}

static void
numbers_and_dates_have_their_values(void **state UNUSED)
{
    static const struct {
        const char *text;
        enum word_kind kind;
        double number;
    } cases[] = {
        {"1,500",      WORD_NUMBER, 1500},
        {"2.5k",       WORD_NUMBER, 2500},
        {"3m",         WORD_NUMBER, 3e6 },
        {"0.25",       WORD_NUMBER, 0.25},
        {"1,50",       WORD_NUMBER, 1   },
        {"2002-06-21", WORD_DATE,   0   },
        {"3/14/2020",  WORD_DATE,   0   },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(arena) struct arena arena = {0};
        struct words words = words_split(&arena, slice_of(cases[i].text), WORDS_MAX);

        assert_true(words.count >= 1);
        assert_int_equal(words.at[0].kind, cases[i].kind);
        if (cases[i].kind == WORD_NUMBER)
            assert_true(words.at[0].number == cases[i].number);
    }
}

static void
plurals_share_a_stem_and_other_endings_do_not(void **state UNUSED)
{
    static const struct {
        const char *a, *b;
        bool same;
    } cases[] = {
        {"car",     "cars",      true },
        {"country", "countries", true },
        {"class",   "classes",   true },
        {"box",     "boxes",     true },
        {"status",  "statu",     false},
        {"rating",  "rate",      false},
        {"gas",     "ga",        false},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal(words_stem(cases[i].a, strlen(cases[i].a)) ==
                             words_stem(cases[i].b, strlen(cases[i].b)),
                         cases[i].same);
}

static void
slips_are_near_and_start_alike(void **state UNUSED)
{
    static const struct {
        const char *text, *known;
        unsigned slips; /* 0: none, or another word */
    } rows[] = {
        {"cyliners",     "cylinders",    1},
        {"orgin",        "origin",       1},
        {"accelaration", "acceleration", 1},
        {"wieght",       "weight",       1},
        {"acelaration",  "acceleration", 2},
        {"imbd",         "imdb",         1},
        {"unti",         "unit",         1},
        {"mpgs",         "mpgs",         0},
        {"bale",         "able",         0},
        {"eight",        "weight",       0},
        {"ratio",        "rating",       0},
        {"car",          "cars",         0},
        {"",             "weight",       0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        print_message("\"%s\" of \"%s\"\n", rows[i].text, rows[i].known);
        assert_int_equal(likeness_slips(rows[i].text, rows[i].known), rows[i].slips);
    }
}

static void
a_verb_and_what_stands_behind_it_are_one_noun(void **state UNUSED)
{
    static const struct {
        const char *noun, *verb, *particle;
        bool is_one;
    } rows[] = {
        {"dropout",  "dropped", "out",  true },
        {"dropouts", "Dropped", "Out",  true },
        {"signup",   "signed",  "up",   true },
        {"noshow",   "no",      "show", false},
        {"dropout",  "logged",  "out",  false},
        {"dropouts", "dropped", "in",   false},
        {"out",      "dropped", "out",  false},
        {"up",       "",        "up",   false},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        print_message("\"%s\" of \"%s %s\"\n", rows[i].noun, rows[i].verb,
                      rows[i].particle);
        assert_int_equal(
            likeness_is_phrasal(rows[i].noun, rows[i].verb, rows[i].particle),
            rows[i].is_one);
    }
}

static void
quoted_words_know_their_quotes(void **state UNUSED)
{
    AUTO(arena) struct arena arena = {0};
    struct words words = words_split(&arena, slice_of("a \"b c\" d 'e'"), WORDS_MAX);

    assert_int_equal(words.count, 5);
    assert_int_equal(words.at[0].quote, 0);
    assert_int_equal(words.at[1].quote, 1);
    assert_int_equal(words.at[2].quote, 1);
    assert_int_equal(words.at[3].quote, 0);
    assert_int_equal(words.at[4].quote, 2);
}

static void
reads_no_more_words_than_the_limit(void **state UNUSED)
{
    AUTO(arena) struct arena arena = {0};

    assert_int_equal(words_split(&arena, slice_of("a b c d"), 3).count, 3);
    assert_int_equal(words_split(&arena, slice_of("a b c"), 3).count, 3);
}

static void
columns_are_called_in_words(void **state UNUSED)
{
    static const struct {
        const char *name, *said;
    } cases[] = {
        {"revenue_usd",        "revenue in USD"       },
        {"REVENUE_USD",        "REVENUE in USD"       },
        {"unitPrice",          "unit price"           },
        {"unitPriceEUR",       "unit price in EUR"    },
        {"dep_delay",          "dep delay"            },
        {"price_per_kg",       "price per kg"         },
        {"cost_in_eur",        "cost in eur"          },
        {"stop_by_mins",       "stop by mins"         },
        {"temp_min",           "temp min"             },
        {"usd",                "usd"                  },
        {"_odd_",              "_odd_"                },
        {"a__b",               "a__b"                 },
        {"Order Date",         "Order Date"           },
        {"McKay",              "McKay"                },
        {"pH",                 "pH"                   },
        {"Gr\u00f6\u00dfe_cm", "Gr\u00f6\u00dfe in cm"},
        {"2024",               "2024"                 },
        {"",                   ""                     },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(arena) struct arena arena = {0};
        assert_string_equal(query_words(&arena, cases[i].name), cases[i].said);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_any_style_are_the_same_words),
        cmocka_unit_test(wide_letters_are_letters_and_marks_are_none),
        cmocka_unit_test(numbers_and_dates_have_their_values),
        cmocka_unit_test(plurals_share_a_stem_and_other_endings_do_not),
        cmocka_unit_test(slips_are_near_and_start_alike),
        cmocka_unit_test(a_verb_and_what_stands_behind_it_are_one_noun),
        cmocka_unit_test(quoted_words_know_their_quotes),
        cmocka_unit_test(reads_no_more_words_than_the_limit),
        cmocka_unit_test(columns_are_called_in_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
