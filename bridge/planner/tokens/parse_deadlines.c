/* "late", "on time", "after the due date", where one date says until when something was
 * due, and another when it was done. */
#include "bridge/planner/tokens/parser.h"

/* The one column of dates that is called one of them; of several the one that the
 * question speaks of, or the one that is an end; -1. */
static int
date_called(const struct parser *p, const char *list, int other)
{
    int found = -1, spoken = -1, end = -1;
    unsigned count = 0, spoken_count = 0, ends = 0;

    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];
        bool is_spoken = false;

        if (i == other || column->kind != COLUMN_DATE ||
            !column_is_short_called(column, p->lexicon, list))
            continue;
        for (size_t k = 0; k < p->reading->words.count && !is_spoken; k++)
            for (size_t w = 0; w < column->words.count; w++)
                is_spoken |= column->words.at[w].stem == p->reading->words.at[k].stem ||
                             lexicon_is_form(p->lexicon, p->reading->words.at[k].text,
                                             column->words.at[w].text);
        found = i;
        count++;
        spoken = is_spoken ? i : spoken;
        spoken_count += is_spoken;
        if (column_is_called(column, p->lexicon, "word.rowends")) {
            end = i;
            ends++;
        }
    }
    return count == 1 ? found : spoken_count == 1 ? spoken : ends == 1 ? end : -1;
}

/* A date, other than that of `about`, that some rows do not have. */
static bool
is_lacking(const struct parser *p, int at, const void *about)
{
    const int *due = about;
    const struct column *column = &p->frame->column[at];

    return at != *due && column->kind == COLUMN_DATE && column->nulls > 0 &&
           column->nulls > p->frame->column[*due].nulls;
}

static bool
find_dates(const struct parser *p, int *due, int *done)
{
    *due = date_called(p, "word.due", -1);
    *done = *due < 0 ? -1 : date_called(p, "word.done", *due);
    if (*due >= 0 && *done < 0) /* what it is called may be short: `rptd_dt` */
        *done = value_only_column(p, is_lacking, due);
    return *done >= 0;
}

bool
parse_deadlines_find(struct parser *p, const char *word, struct test *test)
{
    static const struct {
        const char *list;
        enum plan_operator op;
    } says[] = {
        {"word.late",   OP_GT},
        {"word.early",  OP_LT},
        {"word.ontime", OP_LE},
    };
    int due, done;

    if (lexicon_lists(p->lexicon, "word.overdue", word) && find_dates(p, &due, &done)) {
        *test = (struct test){.of = value_of_column(p, done), .op = OP_NULL};
        return true;
    }
    for (size_t i = 0; i < COUNT_OF(says); i++) {
        if (!lexicon_lists(p->lexicon, says[i].list, word) ||
            !find_dates(p, &due, &done))
            continue;
        *test = (struct test){.of = value_of_column(p, done),
                              .op = says[i].op,
                              .than = value_of_column(p, due)};
        return true;
    }
    return false;
}

/* "returned late" beside a `late_fee`, of which no fee is said. */
static bool
is_part_of_number(struct parser *p, int at)
{
    const struct column *column = token_column(p, at);
    struct test test;

    return column && p->token[at].item->len == 1 && column->role == ROLE_QUANTITY &&
           column->words.count > 1 && parse_deadlines_find(p, p->token[at].text, &test);
}

static void
name_nothing(struct parser *p, int at)
{
    struct item *item = arena_alloc(p->arena, 1, sizeof(*item));

    *item = *p->token[at].item;
    item->kind = ITEM_UNKNOWN;
    item->links = 0;
    p->token[at].item = item;
    p->token[at].kind = TOKEN_UNKNOWN;
}

/* "returned", "returns", "comes back": no more than what was late. */
static bool
is_doing(const struct parser *p, int at, int due, int done)
{
    const struct column *column = token_column(p, at);

    if (column)
        return column == &p->frame->column[done] ||
               (column == &p->frame->column[due] && p->token[at].score < 0.9f);
    return at >= 0 && at < p->count && p->token[at].item &&
           (token_kind(p, at, TOKEN_UNKNOWN) || token_kind(p, at, TOKEN_TERM)) &&
           lexicon_lists(p->lexicon, "word.doing", p->token[at].text);
}

/* "after the due date", "before the deadline", "by the deadline" */
static const char *
word_of_bound(struct parser *p, int at, int due)
{
    const char *list =
        token_is(p, at, TERM_AFTER) || token_is(p, at, TERM_GREATER) ? "word.late"
        : token_is(p, at, TERM_BEFORE)                               ? "word.early"
        : token_is(p, at, TERM_BY) || token_is(p, at, TERM_UNTIL)    ? "word.ontime"
                                                                     : NULL;

    if (!list || token_column(p, at + 1) != &p->frame->column[due])
        return NULL;
    const char *words = lexicon_say(p->lexicon, p->arena, list, NULL, 0);
    return arena_text(p->arena, words, strcspn(words, " "));
}

/* By how much it was late, or early, in that unit. */
static const struct value *
lateness(struct parser *p, const struct test *test, enum query_part unit)
{
    const bool is_early = test->op == OP_LT;

    return value_make(p, (struct value){.kind = VALUE_DURATION,
                                        .part = unit,
                                        .left = is_early ? test->of : test->than,
                                        .right = is_early ? test->than : test->of});
}

/* "more than 3 days late": the bound stands behind what it is of, as for other numbers.
 */
static bool
put_before_bound(struct parser *p, int at, const struct test *test)
{
    const enum query_part unit = token_part(p, at - 1);

    if (!unit || !token_kind(p, at - 2, TOKEN_NUMBER) || !token_is_bound(p, at - 3))
        return false;
    token_become_other(p, at, at, lateness(p, test, unit));
    const struct token late = p->token[at];
    memmove(&p->token[at - 2], &p->token[at - 3], 3 * sizeof(late));
    p->token[at - 3] = late;
    return true;
}

/* "late by more than 3 days" */
static bool
drop_by(struct parser *p, int at, const struct test *test)
{
    const int bound = at + 1 + token_is(p, at + 1, TERM_BY);
    const enum query_part unit = token_part(p, bound + 2);

    if (!token_is_bound(p, bound) || !token_kind(p, bound + 1, TOKEN_NUMBER) || !unit)
        return false;
    token_become_other(p, at, at, lateness(p, test, unit));
    if (bound > at + 1) {
        p->token[at + 1] = p->token[at];
        token_drop(p, at, at);
    }
    return true;
}

/* "how many days late", "average days late": of those that are. */
static bool
take_how_late(struct parser *p, int at, const struct test *test)
{
    if (test->op == OP_NULL)
        return false;
    const enum query_part unit = token_part(p, at - 1);
    const size_t word = p->token[at].item->begin;
    const bool is_how = word > 0 && lexicon_lists(p->lexicon, "word.how",
                                                  p->reading->words.at[word - 1].text);

    if (!unit && !is_how)
        return false;
    token_become_other(p, at, at, lateness(p, test, unit ? unit : PART_DAY));
    if (unit)
        token_drop(p, at - 1, at - 1);
    if (token_is(p, at - 2, TERM_HOW_MANY) || token_is(p, at - 2, TERM_COUNT))
        token_drop(p, at - 2, at - 2);
    bool is_said = false; /* "days overdue for late returns" */
    for (int i = at + 1; i < p->count; i++)
        is_said |= token_kind(p, i, TOKEN_UNKNOWN) &&
                   lexicon_lists(p->lexicon, "word.late", p->token[i].text);
    if (!is_said)
        parser_add_test(p, test->of, test->op)->than = test->than;
    parser_note(p, "assume.onlylate", query_test_name(p->arena, p->frame, test), NULL);
    return true;
}

/* "late return rate": late stands beside the rate. */
static void
drop_doing(struct parser *p, int at, int due, int done)
{
    for (int i = at - 1; is_doing(p, i, due, done); i--)
        token_drop(p, i, i);
    if (!is_doing(p, at + 1, due, done))
        return;
    if (token_kind(p, at, TOKEN_UNKNOWN)) {
        p->token[at + 1] = p->token[at];
        token_drop(p, at, at);
    } else {
        token_drop(p, at + 1, at + 1);
    }
}

/* "average delay": by how much the one date is later than the other. */
static void
take_delay(struct parser *p, int at, int due, int done)
{
    const struct test test = {
        .of = value_of_column(p, done), .op = OP_GT, .than = value_of_column(p, due)};

    if (!token_kind(p, at, TOKEN_UNKNOWN) ||
        !lexicon_lists(p->lexicon, "word.lateness", p->token[at].text))
        return;
    parser_note(p, "assume.span", p->frame->column[due].name,
                p->frame->column[done].name);
    token_become_other(p, at, at, lateness(p, &test, PART_DAY));
}

void
parse_deadlines(struct parser *p)
{
    int due, done;

    if (!find_dates(p, &due, &done))
        return;
    for (int i = 0; i < p->count; i++) {
        struct test test;
        p->at = i; /* where its tests stand */
        const char *word =
            is_doing(p, i - 1, due, done) ? word_of_bound(p, i, due) : NULL;

        if (word) {
            p->token[i].kind = TOKEN_UNKNOWN;
            p->token[i].text = word;
            token_drop(p, i + 1, i + 1);
        }
        if (is_part_of_number(p, i))
            name_nothing(p, i);
        take_delay(p, i, due, done);
        if (!token_kind(p, i, TOKEN_UNKNOWN) ||
            !parse_deadlines_find(p, p->token[i].text, &test))
            continue;
        parser_note(p, "assume.root", token_text(p, i),
                    query_test_name(p->arena, p->frame, &test));
        if (test.op == OP_NULL && token_part(p, i - 1)) /* "days overdue": days late */
            test = (struct test){.of = value_of_column(p, done),
                                 .op = OP_GT,
                                 .than = value_of_column(p, due)};
        int at = i;
        if (put_before_bound(p, i, &test))
            at = i - 3;
        else if (!drop_by(p, i, &test))
            (void)take_how_late(p, i, &test);
        drop_doing(p, at, due, done);
        i++;
    }
}
