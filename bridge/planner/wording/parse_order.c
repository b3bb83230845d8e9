/* What a question says in another order than the operators read: each becomes theirs.
 */
#include "bridge/planner/tokens/parser.h"

/* "breakfast included", "a signature is required": what is done with a yes or no. */
static void
drop_done(struct parser *p)
{
    for (int i = 1; i < p->count; i++) {
        const int flag = i - 1 - token_is(p, i - 1, TERM_IS);

        if (token_kind(p, i, TOKEN_UNKNOWN) && words_ends_in_ed(p->token[i].text) &&
            token_kind(p, flag, TOKEN_VALUE) &&
            value_is_flag(p, p->token[flag].value) &&
            lexicon_lists(p->lexicon, "word.granted", p->token[i].text))
            token_drop(p, flag + 1, i);
    }
}

/* "the most recent event": the time of the rows, and not another `Review_Date`. */
static void
name_time(struct parser *p)
{
    for (int i = 0; i < p->count; i++) {
        struct token *token = &p->token[i];
        const struct column *column = token_column(p, i);
        const struct word *word = &p->reading->words.at[token->item->begin];
        const bool is_date =
            column ? column->kind == COLUMN_DATE
                   : token_kind(p, i, TOKEN_TERM) &&
                         lexicon_lists(p->lexicon, "word.dates", word->text);

        if (!is_date || token->item->len != 1 || !word->superlative ||
            lexicon_flags(p->lexicon, word->stem) & FLAG_BIRTH) /* "oldest member" */
            continue;
        struct token kept = *token;
        token->kind = TOKEN_UNKNOWN;
        token->text = ""; /* "date" itself says nothing of which */
        const int time = parser_roots_time(p);
        *token = kept;
        if (time < 0)
            continue;
        if (!column) { /* the lexicon's word "date", which names no column */
            token->kind = TOKEN_VALUE;
            token->score = 1;
        }
        token->value = value_of_column(p, time);
    }
}

/* The tokens are gone, and those around them beside each other. */
static void
cut(struct parser *p, int from, int to)
{
    memmove(&p->token[from], &p->token[to + 1],
            (size_t)(p->count - to - 1) * sizeof(*p->token));
    p->count -= to + 1 - from;
}

static bool
is_same_thing(const struct parser *p, int a, int b)
{
    if (token_kind(p, a, TOKEN_VALUE) && token_kind(p, b, TOKEN_VALUE))
        return query_value_is_same(p->token[a].value, p->token[b].value);
    return token_kind(p, a, TOKEN_ROWS) && token_kind(p, b, TOKEN_ROWS) &&
           strcmp(p->token[a].text, p->token[b].text) == 0;
}

/* "money" of `revenue_eur`, and then "raised" of `raised_eur` */
static bool
is_said_again(const struct parser *p, int at, int better)
{
    const struct column *vague = token_column(p, at), *named = token_column(p, better);

    if (!vague || !named || !value_is_quantity_at(p, at) ||
        !value_is_quantity_at(p, better))
        return false;
    return vague == named || (p->token[at].score < p->token[better].score &&
                              column_is_in_currency(vague, p->lexicon) &&
                              column_is_in_currency(named, p->lexicon));
}

/* "contractor by contractor": by contractor; "how much money was raised" of
 * `raised_eur`: what was raised. */
static void
join_repeated(struct parser *p)
{
    for (int i = 0; i + 2 < p->count; i++)
        if (token_is(p, i + 1, TERM_BY) && is_same_thing(p, i, i + 2))
            token_drop(p, i, i);
        else if (token_is(p, i + 1, TERM_IS) && is_said_again(p, i, i + 2))
            cut(p, i, i + 1);
        else if (token_kind(p, i + 1, TOKEN_NUMBER) && token_kind(p, i, TOKEN_VALUE) &&
                 token_kind(p, i + 2, TOKEN_VALUE) &&
                 query_value_is_same(p->token[i].value, p->token[i + 2].value))
            cut(p, i + 2, i + 2); /* "rated 1 star", of one column */
}

/* "total phosphorus (tp_ugl)": the name of the column itself, behind what it is. */
static void
drop_bracketed(struct parser *p)
{
    for (int i = 1; i + 2 < p->count; i++) {
        if (!token_is_mark(p, i, '(') || !token_kind(p, i + 1, TOKEN_VALUE) ||
            !token_is_mark(p, i + 2, ')'))
            continue;
        if (is_same_thing(p, i - 1, i + 1)) {
            token_drop(p, i, i + 2);
        } else if (token_kind(p, i - 1, TOKEN_UNKNOWN) &&
                   p->token[i + 1].score >= 0.95f) {
            token_drop(p, i + 2, i + 2);
            token_drop(p, i - 1, i);
        }
    }
}

/* `title`, `ITEM_TITLE` */
static bool
is_title(const struct parser *p, int at, const void *about)
{
    const struct column *column = &p->frame->column[at];
    const struct words *words = &column->words;
    const struct word *word = about;

    return column->squash == words_squash(0, word->text) ||
           (column->kind == COLUMN_TEXT && words->count == 2 &&
            column->last_flags & FLAG_LABEL && words->at[1].stem == word->stem);
}

/* "for each genre, the title with the most loans": of a column `title`, and not of the
 * chart. */
static void
name_titles(struct parser *p)
{
    for (int at = 0; at < p->count; at++) {
        const struct item *item = p->token[at].item;

        if (!token_is(p, at, TERM_TITLE) || item->len > 2)
            continue;
        const int column = value_only_column(
            p, is_title, &p->reading->words.at[item->begin + item->len - 1]);
        if (column >= 0)
            token_become_other(p, at, at, value_of_column(p, column));
    }
}

/* "mean temperature by city, warmest first": the highest of what is asked for. */
static void
name_first(struct parser *p)
{
    const int at = p->count - 3;
    bool is_asked = false;

    if (at < 1 || !(token_is(p, at, TERM_HIGH) || token_is(p, at, TERM_LOW)) ||
        !value_is_quantity_at(p, at + 1) || !token_is(p, at + 2, TERM_TOP))
        return;
    for (int i = 0; i < at; i++)
        is_asked |= is_same_thing(p, i, at + 1) && !token_is(p, i - 1, TERM_BY);
    if (is_asked)
        token_drop(p, at + 1, at + 1);
}

static bool
is_season_at(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_TERM) && p->token[at].term >= TERM_WINTER &&
           p->token[at].term <= TERM_AUTUMN;
}

/* "in summer (June to August)": which months a summer has, as it is taken anyway. */
static void
drop_months_of_season(struct parser *p)
{
    static const struct {
        enum term season, first, last;
    } known[] = {
        {TERM_WINTER, TERM_DECEMBER,  TERM_FEBRUARY},
        {TERM_SPRING, TERM_MARCH,     TERM_MAY     },
        {TERM_SUMMER, TERM_JUNE,      TERM_AUGUST  },
        {TERM_AUTUMN, TERM_SEPTEMBER, TERM_NOVEMBER},
    };

    for (int i = 0; i + 5 < p->count; i++)
        for (size_t k = 0; k < COUNT_OF(known); k++)
            if (is_season_at(p, i) && p->token[i].term == known[k].season &&
                token_is_mark(p, i + 1, '(') && token_is(p, i + 2, known[k].first) &&
                token_is(p, i + 4, known[k].last) && token_is_mark(p, i + 5, ')'))
                cut(p, i + 1, i + 5);
}

/* "kcal spread (max minus min)": their range. */
static void
name_spread(struct parser *p)
{
    for (int i = 1; i + 5 < p->count; i++) {
        if (!value_is_quantity_at(p, i - 1) || !token_is(p, i, TERM_DISTRIBUTION) ||
            !token_is_mark(p, i + 1, '(') || !token_is(p, i + 2, TERM_MAX) ||
            !(token_is(p, i + 3, TERM_MINUS) || token_is_mark(p, i + 3, '-')) ||
            !token_is(p, i + 4, TERM_MIN) || !token_is_mark(p, i + 5, ')'))
            continue;
        p->token[i].term = TERM_RANGE_OF;
        token_drop(p, i + 1, i + 5);
        token_bring_forward(p, i, i - 1);
    }
}

/* "divide revenue by orders", "multiply kwh by price" */
static void
name_division(struct parser *p)
{
    for (int i = 0; i + 3 < p->count; i++) {
        if (!token_kind(p, i, TOKEN_UNKNOWN) || !value_is_quantity_at(p, i + 1) ||
            !token_is(p, i + 2, TERM_BY) || !value_is_quantity_at(p, i + 3))
            continue;
        const bool multiplies =
            lexicon_lists(p->lexicon, "word.multiply", p->token[i].text);
        if (!multiplies && !lexicon_lists(p->lexicon, "word.divide", p->token[i].text))
            continue;
        p->token[i + 2].term = multiplies ? TERM_TIMES : TERM_DIVIDED;
        token_drop(p, i, i);
    }
}

/* "debt to assets", "average debt to assets": what the one is of the other. */
static void
name_ratio(struct parser *p)
{
    for (int i = 0; i + 2 < p->count; i++) {
        const bool is_first = i == 0 || token_is(p, i - 1, TERM_MEAN) ||
                              token_is(p, i - 1, TERM_MEDIAN) ||
                              token_is(p, i - 1, TERM_WHAT_IS);

        if (is_first && value_is_quantity_at(p, i) && token_is(p, i + 1, TERM_TO) &&
            value_is_quantity_at(p, i + 2) && !token_is(p, i + 3, TERM_RATIO) &&
            !p->wants_picture && !p->wants_compare &&
            token_column(p, i) != token_column(p, i + 2))
            p->token[i + 1].term = TERM_DIVIDED;
    }
}

/* "how old are our patients on average": of rows, and no groups of them. */
static void
name_subject(struct parser *p)
{
    for (int i = 2; i < p->count; i++) {
        const struct column *column = token_column(p, i);

        if (column && column->flags & FLAG_KEY && !column->is_unique &&
            p->token[i].is_plural && p->token[i].item->len == 1 &&
            token_is(p, i - 1, TERM_IS) && value_is_quantity_at(p, i - 2) &&
            (i + 1 == p->count || token_kind(p, i + 1, TOKEN_STOP) ||
             token_is(p, i + 1, TERM_MEAN)))
            token_drop(p, i, i);
    }
}

/* "number of distinct sampling days" of a `sampled_at`: days, and not times of them. */
static void
name_days(struct parser *p)
{
    for (int i = 1; i < p->count; i++) {
        const struct column *column = token_column(p, i);
        const struct item *item = p->token[i].item;

        if (column && column->kind == COLUMN_DATE && !column->has_no_clock &&
            token_is(p, i - 1, TERM_COUNT_DISTINCT) &&
            lexicon_flags(p->lexicon,
                          p->reading->words.at[item->begin + item->len - 1].stem) &
                FLAG_DAYS)
            p->token[i].value =
                value_make(p, (struct value){.kind = VALUE_PART,
                                             .part = PART_DAY,
                                             .left = p->token[i].value});
    }
}

/* "split between the streams": by stream. */
static void
name_split(struct parser *p)
{
    for (int i = 1; i + 1 < p->count; i++)
        if (token_is(p, i, TERM_BETWEEN) && token_kind(p, i + 1, TOKEN_VALUE) &&
            (token_is(p, i - 1, TERM_DISTRIBUTION) ||
             token_is(p, i - 1, TERM_SERIES)) &&
            !token_is(p, i + 2, TERM_AND))
            p->token[i].term = TERM_BY;
}

/* "with oak in the title": a title that has it. */
static void
name_contents(struct parser *p)
{
    for (int i = 1; i + 2 < p->count; i++) {
        const struct column *column = token_column(p, i + 2);

        if (!token_kind(p, i, TOKEN_UNKNOWN) || !token_is(p, i + 1, TERM_IN) ||
            !token_is(p, i - 1, TERM_WITH) || !column || column->kind != COLUMN_TEXT ||
            !(column->last_flags & FLAG_LABEL))
            continue;
        p->token[i + 1].term = TERM_CONTAINS;
        token_bring_forward(p, i + 2, i);
        token_bring_forward(p, i + 2, i + 1);
    }
}

static bool
is_year_at(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_NUMBER) && p->token[at].number >= 1900 &&
           p->token[at].number < 2100 && p->token[at].item->len == 1;
}

static bool
is_months_at(const struct parser *p, int at)
{
    if (!token_kind(p, at, TOKEN_TERM))
        return false;
    const enum term term = p->token[at].term;
    return (term >= TERM_JANUARY && term <= TERM_DECEMBER) ||
           (term >= TERM_Q1 && term <= TERM_Q4) || term == TERM_FIRST_HALF ||
           term == TERM_SECOND_HALF;
}

/* "Q1 2024 orders versus Q1 2023": orders of the one and of the other. */
static void
name_compared(struct parser *p)
{
    for (int i = 1; i + 2 < p->count; i++) {
        const int at = i - 1 - is_months_at(p, i - 2);

        if (token_is(p, i, TERM_WITH) && token_is(p, 0, TERM_COMPARE) &&
            is_months_at(p, i - 1) && is_months_at(p, i + 1))
            p->token[i].term = TERM_VERSUS; /* "compare January with July" */
        if ((token_kind(p, i, TOKEN_ROWS) || value_is_quantity_at(p, i)) &&
            token_is(p, i + 1, TERM_VERSUS) && is_year_at(p, i - 1) &&
            (is_year_at(p, i + 2) || (is_months_at(p, i + 2) && is_year_at(p, i + 3))))
            token_bring_forward(p, i, at);
    }
}

/* "finished yes/no counts": of the column that says it. */
static void
name_yes_no(struct parser *p)
{
    for (int i = 0; i + 2 < p->count; i++) {
        const int last =
            i + 2 +
            (token_kind(p, i + 2, TOKEN_MARK) || token_is(p, i + 2, TERM_AND) ||
             token_is(p, i + 2, TERM_OR) || token_is(p, i + 2, TERM_VERSUS));
        const bool is_pair =
            token_kind(p, i, TOKEN_VALUE) && value_is_flag(p, p->token[i].value) &&
            lexicon_lists(p->lexicon, "word.yes", p->token[i + 1].text) &&
            last < p->count &&
            lexicon_lists(p->lexicon, "word.no", p->token[last].text);

        if (!is_pair)
            continue;
        token_drop(p, i + 2, last);
        p->token[i + 1] = p->token[i];
        p->token[i].kind = TOKEN_TERM;
        p->token[i].term = TERM_BY;
    }
}

/* "how many men and how many women" */
static void
drop_second_count(struct parser *p)
{
    for (int i = 2; i + 2 < p->count; i++)
        if (token_is(p, i, TERM_AND) && token_is(p, i + 1, TERM_HOW_MANY) &&
            token_kind(p, i + 2, TOKEN_CELL) && token_is(p, i - 2, TERM_HOW_MANY) &&
            token_kind(p, i - 1, TOKEN_CELL)) {
            p->token[i].term = TERM_VERSUS;
            token_bring_forward(p, i + 2, i + 1);
            token_drop(p, i + 2, i + 2);
        } else if (token_is(p, i, TERM_AND) && token_is(p, i + 1, TERM_HOW_MANY) &&
                   (token_is(p, i + 2, TERM_WEEKEND) ||
                    token_is(p, i + 3, TERM_WEEKEND))) {
            p->token[i].term = TERM_VERSUS; /* "… and how many at the weekend" */
            token_drop(p, i + 1, i + 1);
        }
}

/* "in an average month": per month, on average. */
static void
name_mean_period(struct parser *p)
{
    for (int i = 1; i + 2 < p->count; i++) {
        if (!token_is(p, i, TERM_IN) ||
            !(token_is(p, i + 1, TERM_MEAN) || token_is(p, i + 1, TERM_MEDIAN)) ||
            token_part(p, i + 2) == PART_NONE || p->token[i + 2].item->len > 1)
            continue;
        p->token[i].term = TERM_PER;
        token_bring_forward(p, i + 2, i + 1);
    }
}

/* "stations that never measure snow": without a single number of it. */
static void
drop_measuring(struct parser *p)
{
    for (int i = 1; i + 1 < p->count; i++)
        if (token_kind(p, i, TOKEN_UNKNOWN) && token_is(p, i - 1, TERM_NOT) &&
            value_is_quantity_at(p, i + 1) &&
            lexicon_lists(p->lexicon, "word.recordings", p->token[i].text))
            cut(p, i, i);
}

void
parse_order(struct parser *p)
{
    drop_measuring(p);
    parse_ranked_verbs(p);
    name_yes_no(p);
    drop_second_count(p);
    name_mean_period(p);
    parse_bounds(p);
    name_time(p);
    drop_done(p);
    name_compared(p);
    join_repeated(p);
    drop_bracketed(p);
    name_titles(p);
    parse_ranked_rows(p);
    name_contents(p);
    name_first(p);
    name_split(p);
    drop_months_of_season(p);
    name_spread(p);
    name_division(p);
    name_ratio(p);
    name_subject(p);
    name_days(p);
}
