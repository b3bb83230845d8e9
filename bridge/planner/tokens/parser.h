/*
 * parser: what the operators' parsers share; the header of tokens.c, value.c, parser.c
 * and of each parse_*.c, here and in the rooms filter and parse, that has none of its
 * own.
 *
 * A question is a row of tokens, filler left out. Each operator's parser takes the
 * tokens that it understands and marks them as used; what nobody has used at the end
 * is a refusal that names it (parse_account).
 */
#pragma once

#include "bridge/planner/query/query.h"
#include "bridge/planner/read/reading.h"

enum {
    PARSER_NOTES_MAX = 10,
};

enum token_kind {
    TOKEN_TERM,
    TOKEN_VALUE, /* a column, or what is worked out from some */
    TOKEN_CELL,  /* a value of cells: "Rome" */
    TOKEN_NUMBER,
    TOKEN_DATE,
    TOKEN_MARK, /* an operator or a bracket */
    TOKEN_COMMA,
    TOKEN_STOP,
    TOKEN_ROWS, /* a noun for what the rows are */
    TOKEN_UNKNOWN,
};

struct token {
    enum token_kind kind;
    enum term term;
    const struct item *item;
    const struct value *value;
    float score;
    double number;
    const char *text; /* of the first word, in lower case */
    bool is_plural;
    bool is_used;
    bool is_sided; /* "goals" of home and away: both together */
    bool is_noun;  /* of rows: the table's own, and not a guess */
    bool is_event; /* of rows: what has happened to some of them, "sales" */
};

struct parser_note {
    const char *key; /* of the lexicon's sentence */
    const char *arg[2];
};

struct parser {
    struct arena *arena;
    const struct lexicon *lexicon;
    const struct frame *frame;
    const struct reading *reading;
    struct query *query;
    struct token *token;
    int count, room; /* of tokens: those there are, and for how many there is room */
    struct parser_note note[PARSER_NOTES_MAX];
    unsigned notes;
    double confidence;
    const char *refusal; /* key of a sentence; NULL: none yet */
    const char *about, *nearest;
    bool wants_who, wants_compare, wants_which, wants_share, wants_time;
    int rank_at;  /* the token that asks for the most or the least; -1 */
    int share_at; /* "share of", or -1 */
    bool has_explicit_chart;
    int at;                       /* the token that is read now */
    int test_at[TESTS_MAX];       /* where each of the query's tests stood */
    bool has_axes;                /* of a heatmap, both named */
    bool key_is_given[KEYS_MAX];  /* after "by" or "each", and not looked for */
    enum query_part along_part;   /* "week over week" */
    bool wants_picture;           /* "plot", "chart" */
    bool has_percent;             /* a percent sign */
    bool said_distinct;           /* "unique", without "how many" */
    bool counts_flag;             /* "deaths": rows for which a flag is set */
    bool has_subject;             /* a number or rows are named */
    bool asks_more;               /* "where", "did": more than a list of rows */
    bool is_contest;              /* "do A have more than B" */
    bool has_sides;               /* "before and after May 20" */
    bool wants_row;               /* of an extreme, "and when it was" */
    size_t values_looked;         /* at, for a part of them: parse_parts */
    enum plan_mark draws_rows;    /* histogram, boxes, points: of rows as they are */
    bool sorts_rows;              /* "orders, latest first" */
    const struct value *sorts_by; /* "sorted by ordered at", of rows; or NULL */
    bool is_legacy;               /* scatters, histograms, boxes: not this grammar's */
};

/* --- operators --- */
void parse_tokens(struct parser *p);
void parse_codes(struct parser *p);           /* "employee E10417", "order 40367" */
void parse_conditions_said(struct parser *p); /* its phrases that are conditions */
void parse_cells_said(struct parser *p);      /* values with a word more: "year 9" */
void parse_explained(struct parser *p);       /* "large orders (over 10)" */
void parse_phrases(struct parser *p);     /* words that say something else together */
void parse_bounds_plus(struct parser *p); /* "5+ nights" */
void parse_bounds(struct parser *p);      /* "over magnitude 5" */
void parse_order(struct parser *p);       /* turns of phrase that others say in order */
/* What a column's name says already: "daily" of `day_rate`. */
void parse_phrases_drop_said(struct parser *p);
/* "late" of two dates; before other words are left out. */
void parse_deadlines(struct parser *p);
/* Whether "late", "early", "punctual" compare two dates of the table, and how. */
bool parse_deadlines_find(struct parser *p, const char *word, struct test *test);
void parse_absorb(struct parser *p);  /* words that add nothing; at the end of it */
void parse_whose(struct parser *p);   /* "average patient age" */
void parse_several(struct parser *p); /* "lowest, average and highest score" */
void parse_days_counted(struct parser *p); /* "days with PM10 over 50 per station" */
void parse_ranked_rows(struct parser *p);  /* "largest lakes by area" */
void parse_ranked_verbs(struct parser *p); /* "who ran the most tests" */
void parse_times(struct parser *p);        /* "renewed at least once" */
void parse_where(struct parser *p);        /* "where was the highest reading" */
void parse_units_said(struct parser *p);   /* "50 µg/m³", "30 °C" */
void parse_tails(struct parser *p);        /* "visit volume", "the surgery category" */
void parse_only_all(struct parser *p);     /* "the two hotels" */
void parse_only(struct parser *p);         /* "but only countries with" */
void parse_means(struct parser *p);        /* "average total of each" */
void parse_sums(struct parser *p);         /* "money awarded" of `sum_awarded` */
void parse_dated(struct parser *p);        /* "submission year" of `submitted_on` */
void parse_axes(struct parser *p);         /* of a heatmap */
void parse_bands(struct parser *p);
void parse_equal_bands(struct parser *p); /* "by price quartile" */
void parse_listed_bands(struct parser *p);
void parse_ratios_counts(struct parser *p); /* "fails per pass" */
bool parse_listed_bands_are_there(const struct parser *p);
/* Whether a list of bands begins behind "temperature band". */
bool parse_listed_bands_follow(const struct parser *p, int at);
void parse_derived(struct parser *p);
/* "difference between A and B": one value at `at`, or before it, with its word. */
void parse_differences_take(struct parser *p, int at);
/* "price relative to the estimate", of two numbers: one divided by the other. */
bool parse_derived_is_relative(struct parser *p, int at);
void parse_weighted(struct parser *p);       /* "mean price weighted by quantity" */
void parse_defines(struct parser *p);        /* what formulas are called */
void parse_defines_income(struct parser *p); /* "revenue" of the one price */
void parse_defines_worth(struct parser *p);  /* "sales value", "total sales" of money */
/* What rows are worth by the one column that is named: its numbers, or, of a price of
 * each kilogram, that times the kilograms; NULL. */
const struct value *parse_defines_money(struct parser *p);
void parse_durations(struct parser *p);
/* Once there are keys: "gap between two reports for each station" is between its own.
 */
void parse_gaps_finish(struct parser *p);
void parse_contest(struct parser *p);
void parse_contest_dates(struct parser *p); /* "lower at the weekend" */
void parse_ends(struct parser *p);
void parse_calendar(struct parser *p);
void parse_conditions(struct parser *p);
void parse_correlation(struct parser *p);
/* "depends on" between two numbers: their correlation; before shapes are looked for. */
void parse_correlation_relate(struct parser *p);
void parse_counted(struct parser *p); /* "renewed twice", "results are missing" */
void parse_having(struct parser *p);
void parse_outliers_rule(struct parser *p); /* "by the 1.5 IQR rule" */
void parse_outliers(struct parser *p);      /* "any outliers in price?" */
void parse_never(struct parser *p);
void parse_having_shares(struct parser *p); /* before shares are looked for */
/* Leaves no more than "before May 20" of "before and after May 20", which is read as
 * any other bound; before moves are looked for. */
void parse_sides(struct parser *p);
void parse_moves(struct parser *p); /* "which grew the most from 2023 to 2024" */
/* Once there are keys: by what groups of two periods are ranked. */
void parse_moves_finish(struct parser *p);
/* "the biggest increase over the month before": before other steps are looked for. */
void parse_steps(struct parser *p);
void parse_along(struct parser *p);
void parse_share(struct parser *p);
void parse_share_of_top(struct parser *p);               /* before it */
void parse_share_keep(struct parser *p, unsigned *from); /* rows that have a number */
bool parse_share_of_groups(struct parser *p);
void parse_share_known(struct parser *p); /* "that used a code", which few have */
bool parse_share_is_of_all(const struct parser *p); /* "of all escalated calls" */
bool parse_share_is_of_key(const struct parser *p); /* "share of brands" */
void parse_share_drop_key(struct parser *p);        /* "share of tests done on women" */
/* Puts the tests that say of which rows a number is shared in front; how many. */
unsigned parse_share_base_of_amount(struct parser *p);
/* Whether a test says what part of each group's number is asked for. */
bool parse_share_asks_part(const struct parser *p);
bool parse_share_is_calendar(const struct parser *p, const struct test *test);
void parse_share_swap(struct parser *p, unsigned a, unsigned b); /* two tests */
void parse_rate_take(struct parser *p, int at);                  /* "return rate" */
void parse_rate_name_columns(struct parser *p); /* "rate" of a column's name */
void parse_rank(struct parser *p);
bool parse_nth(struct parser *p, int at); /* "the second most" */
void parse_rank_judge(struct parser *p);  /* "worst" is the most of what is bad */
void parse_rank_note(struct parser *p);
void parse_sorted(struct parser *p); /* "orders from Rome, latest first" */
/* "orders sorted by ordered at": of rows, the column behind what sorts is no group. */
void parse_sorted_column(struct parser *p, int at);
/* Whether it is a "first" or "last" that is neither a rank nor rows as they stand. */
bool parse_rank_is_end_unknown(const struct parser *p, int at);
bool parse_end_dates_when(struct parser *p); /* "when was the last order" */
/* "first reading date"; false: what stands at `at` is not that. */
bool parse_end_dates_take(struct parser *p, int at);
bool parse_rank_is_number(const struct parser *p); /* "highest price of the orders" */
void parse_rank_drop_count(struct parser *p);      /* "busiest by passengers" */
void parse_rank_row(struct parser *p);             /* "the highest, and when" */
/* "three coldest samples of each lake"; false: no such rows are asked for. */
bool parse_rank_rows_of_groups(struct parser *p);
void parse_rank_of_one_row(struct parser *p); /* "which month had the dearest order" */
void parse_shape(struct parser *p);
void parse_shape_choose(struct parser *p); /* where the question leaves it open */
bool parse_shape_has_time(const struct parser *p); /* whether a key is periods */
void parse_groups(struct parser *p);               /* keys and amounts */
/* The one column that says who; -1: none, or several. */
int parse_people_column(const struct parser *p);
/* The same of whom rows are kept: `member_id`, whatever they are called ("borrowers");
 * but no `driver`, who is no customer. */
int parse_people_party(const struct parser *p);
void parse_compare(struct parser *p);
void parse_points(struct parser *p); /* charts of rows as they are */
void parse_finish(struct parser *p);
void parse_notes(struct parser *p);
/* The entry of the value that a term stands for where it is; -1: it is no more than a
 * term. */
int parse_meant_cell(const struct parser *p, const struct item *item,
                     const struct word *word);
/* A hyphen or an "s" that says nothing by itself: "under-35s". */
bool parse_small_is_noise(struct parser *p, const struct item *item,
                          enum token_kind kind);
/* "with no reason" where a column has the value "no": the reason is missing. */
bool parse_small_is_none(const struct parser *p, const struct item *item);
/* A cell "25 kg" behind "more than": a number. */
bool parse_small_is_number(const struct parser *p, const struct item *item);
/* "how long do they last": a verb, and not the last of something. */
bool parse_small_is_lasting(const struct parser *p, const struct item *item);
/* "who spends the most": of money, if no number is named. */
bool parse_small_is_spending(const struct parser *p, const struct item *item);
/* "not returned": a participle, and no order to show something. */
bool parse_small_is_done(const struct parser *p, const struct item *item);
/* The entry of the only value that has this word as a part of it, or -1. */
int parse_parts_find(struct parser *p, const struct word *word);
void parse_account(struct parser *p);
void parse_judge(struct parser *p); /* refuses what cannot be; weighs the rest */
void parse_weigh(struct parser *p);

/* --- helpers --- */
/* Words of the question as it has them; NULL where it does not. */
const char *parse_defines_text(struct parser *p, size_t begin, size_t len);
/* "the last two seasons", "the first 3 months": neither the best nor the worst of them.
 */
bool parse_ends_is_said(const struct parser *p);
/* Whether a word says what rows are. */
/* "replies" of `Reply Agent`, which some rows lack: the rows that have one. */
void parse_rows_answered(struct parser *p);
void parse_rows_unique(struct parser *p); /* "bookings" of a `booking` each */
bool parse_rows_is(const struct parser *p, const struct item *item,
                   const struct word *word);
/* The column that tells such things apart: `customer_id` of customers; -1: none. */
int parse_rows_key(const struct parser *p, int at);
bool token_is(const struct parser *p, int at, enum term term);
bool token_kind(const struct parser *p, int at, enum token_kind kind);
bool token_is_mark(const struct parser *p, int at,
                   char mark);                        /* an operator, a bracket */
unsigned token_flags(const struct parser *p, int at); /* of its first word */
bool token_is_free(const struct parser *p, int at);   /* there, and not used */
void token_use(struct parser *p, int from, int to);   /* [from, to] */
/* The token at `from` comes to stand at `to`, before it. */
void token_bring_forward(struct parser *p, int from, int to);
/* Those from `at` on move back by `count`, before which there is room for others, which
 * the caller writes. Pointers into p->token are stale then. */
void token_make_room(struct parser *p, int at, int count);
/* A term at `at`, said by the word that stood there and now stands behind it. */
void token_put_term(struct parser *p, int at, enum term term);
/* It says nothing any more, and stands between no others: at the end of all. */
void token_set_aside(struct parser *p, int at);
void token_drop(struct parser *p, int from, int to);   /* those say nothing any more */
bool token_is_pronoun(const struct parser *p, int at); /* "one", of things */
/* Whether it is a bound of numbers: "more than", "at most". */
bool token_is_bound(const struct parser *p, int at);
bool token_is_extreme(const struct parser *p, int at); /* "highest", "last" */
bool token_is_end(const struct parser *p, int at);     /* "first", "last", of things */
/* The number at `at`, cut to a whole one; 0: none stands there, or one beyond an int.
 */
int token_whole(const struct parser *p, int at);
/* Whether it is the "month" of "this month"; "this" is no token of its own. */
bool token_is_this(const struct parser *p, int at);
bool token_is_ordinal(const struct parser *p, int at); /* of "every second order" */
/* Whether a column's name says of what is asked that it is: "highest" of `TMax_C`. */
bool token_is_said_by(const struct parser *p, int at, const struct column *column);
/* Whether it is what rows are: "orders", or "order" of a key `order_id`. */
bool token_names_rows(const struct parser *p, int at);
/* Whether nothing stands between the two in the question, also no word that says
 * nothing. */
bool token_is_beside(const struct token *before, const struct token *token);
/* The period or part of a date that a term names: "day", "monthly"; or PART_NONE. */
enum query_part token_part(const struct parser *p, int at);
/* Whether "%" stands behind a number: the sign is no word of its own. */
bool token_has_percent(const struct parser *p, int at);
/* Whether a sign stands right before a number: "£100". */
bool token_has_currency(const struct parser *p, int at);
const char *token_text(struct parser *p, int at); /* as the question has it */
const struct column *token_column(const struct parser *p, int at); /* or NULL */
/* Of the value of cells that stands at `at`. */
const struct column *token_cell_column(const struct parser *p, int at);
void token_become(struct parser *p, int from, int to, const struct value *value);
/* The same, and what the first of them seemed to name is meant no more. */
void token_become_other(struct parser *p, int from, int to, const struct value *value);
/* "one" behind a comparison, where the next token is read: a number. */
bool token_is_one(const struct parser *p, const struct word *word);
/* Whether a hyphen joins two words without a space: "three-room". */
bool token_is_hyphen(const struct parser *p, int at);
/* Whether it is the sign of "5+ nights", and adds up nothing. */
bool token_is_plus_behind(const struct parser *p, int at);
struct value *value_make(struct parser *p, struct value value);
struct value *value_of_column(struct parser *p, int column);
/* Periods or parts of a date: its month, its weekday. */
const struct value *value_of_part(struct parser *p, const struct value *date,
                                  enum query_part part);
/* Whether a row passes a copy of it. */
struct value *value_of_test(struct parser *p, const struct test *test);
const struct column *value_column(const struct parser *p, const struct value *value);
/* The number whose name begins with that word: `total_gbp` of "total"; -1. */
int value_number_called(const struct parser *p, const struct word *word);
bool value_is_quantity(const struct parser *p, const struct value *value);
enum {
    NO_COLUMN = -1,
    SEVERAL_COLUMNS = -2,
};
/* Of a column by its place; `about` is what the caller hands on. */
typedef bool value_test(const struct parser *p, int column, const void *about);
/* The one column that passes; NO_COLUMN: none does; SEVERAL_COLUMNS. Both are below 0.
 */
int value_only_column(const struct parser *p, value_test *passes, const void *about);
/* The one column of how often what the verb says was done; NO_COLUMN, SEVERAL_COLUMNS.
 */
int value_tally_of(const struct parser *p, const char *verb);
/* Whether the token at `at` is a number of each row. */
bool value_is_quantity_at(const struct parser *p, int at);
bool value_is_flag(const struct parser *p, const struct value *value);
/* The column that a token means where a number, or a name, is wanted. */
const struct value *value_wanted(struct parser *p, int at, bool number);
bool value_is_date(const struct parser *p, const struct value *value);
struct test *parser_add_test(struct parser *p, const struct value *of,
                             enum plan_operator op);
void parser_add_operand(struct test *test, struct operand operand);
bool parser_add_key(struct parser *p, const struct value *value); /* once each */
struct amount *parser_add_amount(struct parser *p, enum query_aggregate reduce,
                                 const struct value *of);
void parser_note(struct parser *p, const char *key, const char *a, const char *b);
/* Nothing has to be assumed of these words of the question after all. */
void parser_unnote(struct parser *p, const char *text);
/* There is no sum or mean after all: rows, or the least and the most of them. */
void parser_unnote_aggregate(struct parser *p);
/* The question is one that yes or no answers, or asks why. */
bool parser_asks_whether(const struct parser *p);
void parser_refuse(struct parser *p, const char *key, const char *about);
int parser_roots_time(struct parser *p); /* the column of dates that is meant, or -1 */
enum query_part parser_part(enum term term);
/* A flag column or a cell that a verb or noun tells of: "returned", "cancellation". */
/* "pass" and "passed": alike but for an ending. */
bool parser_roots_is_inflected(const char *word, const char *other);
bool parser_roots_is_root(const char *word, const char *other); /* or nearly */
/* `end_date` of rows that go on until they have one; PARSER_ROOTS_NONE, _SEVERAL. */
int parser_time_end(const struct parser *p);
/* The yes or no that a word tells of: "reservations" of `reserved`; -1: none. */
int parser_roots_flag(const struct parser *p, const char *word);
bool parser_roots_find(struct parser *p, const char *word, struct test *test);
/* The column of dates that tells of that: "shipped" of `ship_date`. */
enum {
    PARSER_ROOTS_NONE = -1,
    PARSER_ROOTS_SEVERAL = -2
};
int parser_roots_date(const struct parser *p, const char *word);
int parser_roots_measure(struct parser *p); /* "value" beside `test`; -1 */
/* The column of numbers that is called like a part of a date, "month"; -1. */
int parser_roots_grain(const struct parser *p, enum query_part part);
bool parser_roots_is_amount(struct parser *p, size_t word); /* "amount", "value" */
int parser_roots_amount(struct parser *p); /* what a row amounts to: `amount`; -1 */
/* Or what it costs or brings: `hammer_price`; -1. */
int parser_roots_worth(struct parser *p);
/* "warmer" of `temp_c`: what it compares; -1. */
int parser_roots_quality(struct parser *p, const char *word);
int parser_roots_quantity(struct parser *p); /* how many of them a row is: `qty`; -1 */
