#include "bridge/planner/parse/parse.h"

#include "bridge/planner/calendar/parse_as_of.h"
#include "bridge/planner/calendar/parse_firsts.h"
#include "bridge/planner/calendar/parse_happened.h"
#include "bridge/planner/durations/parse_units.h"

static bool
counts_rows(const struct parser *p)
{
    return p->query->amounts == 1 && p->query->amount[0].reduce == REDUCE_COUNT &&
           !p->query->amount[0].per;
}

/* "Harbour ward only", "2023 only": what chooses rows, beside the word. */
static bool
is_condition(const struct parser *p, int at)
{
    if (at < 0 || at >= p->count || !p->token[at].is_used)
        return false;
    return token_kind(p, at, TOKEN_CELL) || token_kind(p, at, TOKEN_NUMBER) ||
           token_kind(p, at, TOKEN_DATE) ||
           (token_kind(p, at, TOKEN_VALUE) && token_kind(p, at - 1, TOKEN_CELL)) ||
           (token_kind(p, at, TOKEN_TERM) && p->token[at].term >= TERM_JANUARY &&
            p->token[at].term <= TERM_SUNDAY);
}

/* "active", "shipped": a word that a condition was made of. */
static bool
is_state(const struct parser *p, int at)
{
    for (unsigned i = 0; i < p->query->tests; i++)
        if (at >= 0 && p->test_at[i] == at && p->token[at].is_used)
            return true;
    return false;
}

/* Words that join the others, and change nothing by themselves. */
static bool
is_light(const struct parser *p, int at)
{
    static const enum term terms[] = {
        TERM_OF,   TERM_IN,     TERM_FOR,     TERM_FROM,     TERM_TO,   TERM_WITH,
        TERM_AND,  TERM_IS,     TERM_WHAT_IS, TERM_HOW_IS,   TERM_SHOW, TERM_WHICH,
        TERM_AS,   TERM_WHOSE,  TERM_ALSO,    TERM_COMPARE,  TERM_BARS, TERM_DIFFERENT,
        TERM_OVER, TERM_VERSUS, TERM_AMOUNT,  TERM_HOW_MUCH, TERM_UNIT,
    };

    if (token_kind(p, at, TOKEN_COMMA) || token_kind(p, at, TOKEN_STOP) ||
        token_kind(p, at, TOKEN_ROWS))
        return true;
    if (token_is(p, at, TERM_BETWEEN) && p->wants_compare && at + 1 < p->count &&
        p->token[at + 1].is_used && p->query->keys)
        return true; /* "compare delays between summer and winter" */
    /* "when …": a condition, or it was passed over */
    if (token_is(p, at, TERM_WHEN))
        return at > 0 && (p->query->tests || p->query->keys || p->query->parts ||
                          p->query->rank.is_there);
    const int said =
        at - 1 - token_kind(p, at - 1, TOKEN_ROWS); /* "paid orders only" */
    if (token_is(p, at, TERM_ONLY) &&
        (is_condition(p, said) || is_state(p, said) || is_condition(p, at + 1)))
        return true;
    if (token_is(p, at, TERM_UNIT) &&
        (token_is(p, at + 1, TERM_HIGH) || token_is(p, at + 1, TERM_LOW) ||
         token_is_ordinal(p, at)))
        return false; /* "the second most" */
    if (token_is(p, at, TERM_UNIT) && token_is(p, at - 1, TERM_IN) &&
        parse_units_is_known(p, at))
        return false; /* "in km" of what has no length */
    if (token_is(p, at, TERM_UNIT) && parse_units_is_other_money(p, at))
        return false; /* "in euros" of dollars */
    if (token_is(p, at, TERM_VERSUS) &&
        (token_is(p, at - 1, TERM_IN) || token_is(p, at + 1, TERM_BY) ||
         token_is(p, at + 1, TERM_PER) || (!p->query->is_compared && !p->query->keys)))
        return false; /* two sides, of which one was dropped */
    if (token_is(p, at, TERM_UNIT) && counts_rows(p))
        return false; /* "minutes per device", of which there are none */
    if (token_kind(p, at, TOKEN_MARK))
        return strchr("()-", p->token[at].text[0]) != NULL;
    for (size_t i = 0; i < COUNT_OF(terms); i++)
        if (token_is(p, at, terms[i]))
            return true;
    return false;
}

/* "big orders" set no bound. */
static bool
is_vague(const struct parser *p, int at)
{
    uint64_t stem = p->reading->words.at[p->token[at].item->begin].stem;

    return (lexicon_flags(p->lexicon, stem) & FLAG_VAGUE) != 0;
}

/* "how much of the money has been spent": a part of it, and no other number. */
static bool
asks_for_part(const struct parser *p, int at)
{
    const struct query *query = p->query;

    return token_is(p, at, TERM_HOW_MUCH) && token_is(p, at + 1, TERM_OF) &&
           !query->share && !query->tests && query->amounts == 1 &&
           query->amount[0].reduce != REDUCE_RATE && !query->amount[0].per;
}

/* "sold", "lent": that there is a row, where its own date is of that. */
static bool
use_row_verb(struct parser *p, int at)
{
    if (!token_kind(p, at, TOKEN_UNKNOWN) || p->token[at].item->len != 1)
        return false;
    const int date = parser_roots_date(p, p->token[at].text);
    if (date < 0 || date != parser_roots_time(p) || p->frame->column[date].nulls)
        return false;
    parser_note(p, "assume.event", token_text(p, at), NULL);
    token_use(p, at, at);
    return true;
}

/* "how many homes were sold" of a `SaleDate` that each row has, half called so. */
static bool
is_event_of_row(struct parser *p, int at)
{
    const struct column *column = token_column(p, at);

    if (!column || column->kind != COLUMN_DATE || column->nulls != 0 ||
        !(words_ends_in_ed(p->token[at].text) || token_flags(p, at) & FLAG_VERBAL))
        return false;
    parser_note(p, "assume.event", token_text(p, at), NULL);
    return true;
}

void
parse_account(struct parser *p)
{
    for (int i = 0; i < p->count && !p->refusal; i++)
        if (token_is_free(p, i) && !is_light(p, i) && !use_row_verb(p, i))
            parser_refuse(p, is_vague(p, i) ? "refuse.vague" : "refuse.word",
                          token_text(p, i));
    for (int i = 0; i < p->count && !p->refusal; i++)
        if (asks_for_part(p, i))
            parser_refuse(p, "refuse.word", token_text(p, i));
    for (int i = 0; i < p->count && !p->refusal; i++)
        if (token_kind(p, i, TOKEN_VALUE) && p->token[i].score < 0.55f &&
            !is_event_of_row(p, i))
            parser_refuse(p, "refuse.column", token_text(p, i));
}

/* Questions about the table itself, and charts of rows, are the other grammar's. */
static bool
is_of_other_kind(const struct parser *p)
{
    static const enum term terms[] = {
        TERM_DESCRIBE, TERM_COLUMNS, TERM_DISTRIBUTION, TERM_BEYOND,  TERM_X_AXIS,
        TERM_Y_AXIS,   TERM_BIN,     TERM_BIN_SIZE,     TERM_INSTEAD, TERM_AGAIN,
    };

    for (int i = 0; i < p->count; i++)
        for (size_t k = 0; k < COUNT_OF(terms); k++)
            if (token_is(p, i, terms[k]) && token_is_free(p, i) &&
                !(terms[k] == TERM_X_AXIS && token_kind(p, i - 1, TOKEN_VALUE) &&
                  token_kind(p, i + 1, TOKEN_VALUE)) && /* "price x quantity" */
                !(terms[k] == TERM_BIN && parse_listed_bands_follow(p, i + 1)) &&
                (terms[k] != TERM_AGAIN || i == 0)) /* "at the same station" */
                return true;
    return p->is_legacy;
}

/* "price versus rating": points. */
static void
find_versus(struct parser *p)
{
    for (int i = 1; i + 1 < p->count; i++)
        if ((token_is(p, i, TERM_VERSUS) ||
             (p->wants_compare && token_is(p, i, TERM_TO))) &&
            token_kind(p, i - 1, TOKEN_VALUE) && token_kind(p, i + 1, TOKEN_VALUE) &&
            !parse_derived_is_relative(p, i) &&
            p->token[i - 1].value->kind == VALUE_COLUMN &&
            value_is_quantity(p, value_wanted(p, i - 1, true)) &&
            (value_is_quantity(p, value_wanted(p, i + 1, true)) ||
             token_is(p, i - 2, TERM_MEAN))) {
            if (p->wants_picture && !p->has_explicit_chart) {
                p->draws_rows = MARK_SCATTER; /* "plot price against rating" */
                token_use(p, i, i);
            }
            p->is_legacy |= !p->draws_rows;
        }
}

/* "boxplot of fares by class in 2024": of rows as they are, and no groups of them. */
static bool
parse_rows_drawn(struct parser *p)
{
    parse_weighted(p);
    parse_derived(p);
    parse_durations(p);
    parse_units_named(p);
    parse_ends(p);
    parse_calendar(p);
    parse_conditions(p);
    parse_points(p);
    if (p->refusal)
        return false;
    parse_notes(p);
    parse_account(p);
    parse_judge(p);
    return p->refusal == NULL;
}

bool
parse_question(struct parser *p, struct arena *arena, const struct reading *reading,
               const struct lexicon *lexicon, struct query *query)
{
    *query = (struct query){.frame = reading->frame};
    *p = (struct parser){.arena = arena,
                         .lexicon = lexicon,
                         .frame = reading->frame,
                         .reading = reading,
                         .query = query,
                         .confidence = 1,
                         .rank_at = -1,
                         .share_at = -1};
    parse_tokens(p);
    parse_outliers_rule(p);
    parse_sums(p);
    parse_dated(p);
    parse_correlation_relate(p);
    parse_shape(p);
    parse_axes(p);
    parse_equal_bands(p);
    parse_bands(p);
    find_versus(p);
    if (is_of_other_kind(p))
        return false;
    if (p->draws_rows)
        return parse_rows_drawn(p);
    parse_weighted(p);
    parse_derived(p);
    parse_durations(p);
    parse_outliers(p);
    parse_units_named(p);
    parse_listed_bands(p);
    parse_ratios_counts(p);
    parse_contest(p);
    parse_sides(p);
    parse_moves(p);
    parse_steps(p);
    parse_along(p);
    parse_having_shares(p);
    parse_share_of_top(p);
    parse_share(p);
    parse_ends(p);
    parse_as_of(p);
    parse_happened_nouns(p);
    parse_firsts(p);
    parse_calendar(p);
    parse_counted(p);
    parse_having(p);
    parse_conditions(p);
    parse_contest_dates(p);
    parse_rank(p);
    parse_correlation(p);
    parse_groups(p);
    parse_compare(p);
    parse_finish(p);
    if (p->is_legacy)
        return false;
    parse_account(p);
    parse_judge(p);
    return p->refusal == NULL;
}
