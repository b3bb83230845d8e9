/* Words that add nothing to the token beside them. */
#include "bridge/planner/tokens/parser.h"

static bool
is_tail(const struct parser *p, const struct token *token)
{
    unsigned flags =
        lexicon_flags(p->lexicon, p->reading->words.at[token->item->begin].stem);

    if (token->item->len != 1)
        return false;
    return (flags & FLAG_TAIL) ||
           ((flags & FLAG_GENERIC) && token->kind == TOKEN_VALUE);
}

/* Whether a word of its own joins it to the column before. */
static bool
is_beside_other(const struct parser *p, int at)
{
    return !token_is_beside(&p->token[at - 1], &p->token[at]);
}

/* What "times" multiplies by. */
static bool
is_factor(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_VALUE) || token_kind(p, at, TOKEN_NUMBER) ||
           token_kind(p, at, TOKEN_MARK);
}

static bool
frame_has_stem(const struct frame *frame, uint64_t stem)
{
    for (int i = 0; i < frame->columns; i++)
        for (size_t k = 0; k < frame->column[i].words.count; k++)
            if (frame->column[i].words.at[k].stem == stem)
                return true;
    return false;
}

/* "type of fuel" of `fuel`, where `cust_type` is another. */
static bool
is_lesser(const struct token *token, const struct token *beside)
{
    return token->kind == TOKEN_VALUE && token->score < 0.9f &&
           beside->kind == TOKEN_VALUE && beside->score >= 0.95f;
}

/* "names" of the stations, where no column has names. */
static bool
is_word_for_names(const struct parser *p, int at)
{
    return (token_kind(p, at, TOKEN_UNKNOWN) ||
            (token_kind(p, at, TOKEN_ROWS) && !p->token[at].is_noun)) &&
           lexicon_lists(p->lexicon, "word.called", p->token[at].text);
}

/* "customer rating" of `cust_no` and a score: what is given, and not by whom. */
static bool
is_head_of(const struct parser *p, int at)
{
    const struct column *column = token_column(p, at),
                        *before = token_column(p, at - 1);

    if (column && before && before->last_flags & FLAG_LABEL &&
        column->words.count > 1 && column_is_called(column, p->lexicon, "word.kinds") &&
        p->token[at].score >= 0.55f)
        return true; /* "drug class" of `drug_name` and `therapy_class` */
    return value_is_quantity_at(p, at) && token_kind(p, at - 1, TOKEN_VALUE) &&
           p->token[at].score >= 0.55f && !value_is_quantity_at(p, at - 1);
}

/* "insurance type", "type of insurance", "response time": a word that says little adds
 * nothing to the column beside it. */
static void
absorb_generic(struct parser *p)
{
    for (int i = 1; i < p->count; i++) {
        struct token *token = &p->token[i], *before = &p->token[i - 1];
        bool is_weak = token->kind == TOKEN_UNKNOWN ||
                       (token->kind == TOKEN_TERM && token->term == TERM_TIMES &&
                        (!token->is_plural || !is_factor(p, i + 1))) ||
                       (token->kind == TOKEN_VALUE && token->score < 0.7f &&
                        (before->score > token->score || !is_beside_other(p, i)));

        if (before->kind == TOKEN_VALUE && is_weak && token_is_beside(before, token) &&
            is_tail(p, token) && !is_head_of(p, i))
            token->kind = TOKEN_COMMA;
        if (token->kind == TOKEN_VALUE && before->kind == TOKEN_TERM &&
            before->term == TERM_OF && i > 1 &&
            ((is_tail(p, &p->token[i - 2]) && (p->token[i - 2].kind == TOKEN_UNKNOWN ||
                                               is_lesser(&p->token[i - 2], token))) ||
             is_word_for_names(p, i - 2)))
            p->token[i - 2].kind = TOKEN_COMMA;
    }
}

/* "port calls" in a table that has `port_dues`: what its rows are all about. */
static void
absorb_domain(struct parser *p)
{
    struct test test;

    for (int i = 0; i + 1 < p->count; i++) {
        struct token *token = &p->token[i];
        uint64_t stem = p->reading->words.at[token->item->begin].stem;

        if (token->kind != TOKEN_UNKNOWN || p->token[i + 1].kind != TOKEN_ROWS ||
            token->item->len != 1 || !token_is_beside(token, &p->token[i + 1]) ||
            !frame_has_stem(p->frame, stem) ||
            parser_roots_find(p, token->text, &test)) /* "major" of `major_incident` */
            continue;
        parser_note(p, "assume.event", token->text, NULL);
        token_drop(p, i, i);
    }
}

/* "in May", "in the first half of" */
static bool
is_calendar(enum term term)
{
    return (term >= TERM_JANUARY && term <= TERM_SUNDAY) ||
           (term >= TERM_Q1 && term <= TERM_Q4) || term == TERM_FIRST_HALF ||
           term == TERM_SECOND_HALF;
}

static bool
is_year(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_NUMBER) && token_is(p, at - 1, TERM_IN) &&
           p->token[at].number >= 1900 && p->token[at].number <= 2100;
}

/* "donors" of a `donor` who may have several rows: parse_firsts. */
static bool
is_of_several(const struct parser *p, int at)
{
    const int key = parse_rows_key(p, at);

    return key >= 0 && !p->frame->column[key].is_unique;
}

/* "new members per month", "in May": those of that month. */
static void
absorb_new(struct parser *p)
{
    bool is_along = false;

    for (int i = 0; i < p->count; i++)
        is_along |= token_is(p, i, TERM_TIME) || token_kind(p, i, TOKEN_DATE) ||
                    is_year(p, i) ||
                    (token_kind(p, i, TOKEN_TERM) &&
                     (parser_part(p->token[i].term) || is_calendar(p->token[i].term)));
    for (int i = 0; is_along && i + 1 < p->count; i++)
        if ((token_kind(p, i, TOKEN_UNKNOWN) ||
             (token_kind(p, i, TOKEN_CELL) && token_kind(p, i + 1, TOKEN_ROWS) &&
              parser_roots_date(p, p->token[i + 1].text) >= 0)) &&
            ((token_kind(p, i + 1, TOKEN_ROWS) && !is_of_several(p, i + 1)) ||
             (token_column(p, i + 1) && token_column(p, i + 1)->is_unique)) &&
            lexicon_lists(p->lexicon, "word.new", p->token[i].text)) {
            parser_note(p, "assume.event", p->token[i].text, NULL);
            token_drop(p, i, i);
        }
}

/* "pulse readings": the numbers themselves. */
static void
absorb_readings(struct parser *p)
{
    for (int i = 0; i + 1 < p->count; i++)
        if (token_kind(p, i, TOKEN_VALUE) && value_is_quantity(p, p->token[i].value) &&
            token_is_beside(&p->token[i], &p->token[i + 1]) &&
            !(token_kind(p, i + 1, TOKEN_ROWS) && p->token[i + 1].is_noun) &&
            lexicon_lists(p->lexicon, "word.readings", p->token[i + 1].text))
            token_drop(p, i + 1, i + 1);
}

/* "paid by card": how it was done, and not by when. */
static void
absorb_done_by(struct parser *p)
{
    for (int i = 0; i + 2 < p->count; i++) {
        const struct column *column = token_column(p, i);

        if (column && column->kind == COLUMN_DATE && p->token[i].item->len == 1 &&
            !(token_flags(p, i) & FLAG_GENERIC) && token_is(p, i + 1, TERM_BY) &&
            token_kind(p, i + 2, TOKEN_CELL))
            token_drop(p, i, i + 1);
    }
}

/* "deferrals" of `deferred` where a column is `defer_rsn`: the rows where that is so,
 * and no half of another name. */
static void
free_events(struct parser *p)
{
    for (int i = 0; i < p->count; i++) {
        struct token *token = &p->token[i];
        struct test test = {.operands = 0};

        if (!token_kind(p, i, TOKEN_VALUE) || token->score >= 0.6f ||
            token->item->len != 1 || !token->is_plural ||
            token_kind(p, i + 1, TOKEN_VALUE) ||
            !parser_roots_find(p, token->text, &test) || !value_is_flag(p, test.of))
            continue;
        token->kind = TOKEN_UNKNOWN;
        token->value = NULL;
    }
}

/* "services" of `svc_date` are what happened then, and no date. */
static void
name_dated(struct parser *p)
{
    for (int i = 0; i < p->count; i++) {
        struct token *token = &p->token[i];
        const struct column *column = token_column(p, i);

        if (!column || column->kind != COLUMN_DATE || token->score >= 0.95f ||
            token->item->len != 1 || !token->is_plural ||
            words_ends_in_ed(token->text) || token_is(p, i - 1, TERM_BY) ||
            lexicon_flags(p->lexicon, p->reading->words.at[token->item->begin].stem) &
                (FLAG_GENERIC | FLAG_TIME))
            continue;
        parser_note(p, "assume.rows", token->text, NULL);
        token->kind = TOKEN_ROWS;
        token->value = NULL;
    }
}

static bool
follows_key_word(const struct parser *p, int at)
{
    static const enum term terms[] = {TERM_BY,   TERM_PER, TERM_EACH, TERM_WHICH,
                                      TERM_HIGH, TERM_LOW, TERM_TOP,  TERM_BOTTOM};

    for (size_t i = 0; i < COUNT_OF(terms); i++)
        if (token_is(p, at - 1, terms[i]))
            return true;
    return false;
}

/* "bid channel" of `win_channel`, "train kilometre" of `km`: half of another name
 * before the noun that is meant says what sort of that it is. */
static void
absorb_modifiers(struct parser *p)
{
    for (int i = 0; i + 1 < p->count; i++) {
        const struct column *column = token_column(p, i),
                            *next = token_column(p, i + 1);

        if (!column || !next || column == next || p->token[i].score >= 0.95f ||
            p->token[i].is_plural || p->token[i].item->len != 1 ||
            p->token[i + 1].item->len != 1 ||
            !token_is_beside(&p->token[i], &p->token[i + 1]))
            continue;
        const bool is_measure = value_is_quantity(p, p->token[i].value),
                   is_next_measure = value_is_quantity(p, p->token[i + 1].value);
        if (is_measure == is_next_measure || column->kind == COLUMN_DATE ||
            next->kind == COLUMN_DATE || value_is_flag(p, p->token[i].value) ||
            (is_measure &&
             (token_is(p, i - 1, TERM_HIGH) || token_is(p, i - 1, TERM_LOW))) ||
            (!is_measure && (!(column->flags & FLAG_KEY) || follows_key_word(p, i)) &&
             !token_is(p, i - 1, TERM_PER)))
            continue;
        parser_note(p, "assume.event", token_text(p, i), NULL);
        token_drop(p, i, i);
    }
}

/* "hourly rate" of `rate_eur`: what the rate is for, and no hour of the day. */
static void
absorb_hourly(struct parser *p)
{
    for (int i = 0; i + 1 < p->count; i++) {
        const struct column *column = token_column(p, i + 1);

        if (column && token_is(p, i, TERM_HOUR) && p->token[i].item->len == 1 &&
            token_is_beside(&p->token[i], &p->token[i + 1]) &&
            value_is_quantity(p, p->token[i + 1].value) &&
            column_is_called(column, p->lexicon, "word.rates") &&
            strcmp(p->token[i].text, "hour") != 0)
            token_drop(p, i, i);
    }
}

static bool
is_extreme(const struct parser *p, int at)
{
    return token_is(p, at, TERM_HIGH) || token_is(p, at, TERM_LOW);
}

/* "smallest and largest price": two numbers, and no order of rows. */
static void
join_extremes(struct parser *p)
{
    for (int i = 0; i + 3 < p->count; i++) {
        int number = i + 3;

        while (token_is(p, number, TERM_OF) || token_is(p, number, TERM_COUNT) ||
               token_kind(p, number, TOKEN_COMMA) ||
               (token_kind(p, number, TOKEN_ROWS) && !p->token[number].is_plural))
            number++;
        if (!is_extreme(p, i) || !token_is(p, i + 1, TERM_AND) ||
            !is_extreme(p, i + 2) || p->token[i].term == p->token[i + 2].term ||
            !token_kind(p, number, TOKEN_VALUE) ||
            !value_is_quantity(p, value_wanted(p, number, true)))
            continue;
        for (int k = i; k <= i + 2; k += 2)
            p->token[k].term = p->token[k].term == TERM_HIGH ? TERM_MAX : TERM_MIN;
        token_drop(p, i + 3, number - 1);
    }
}

static bool
has_pair(const struct column *column, uint64_t first, uint64_t second)
{
    for (size_t i = 0; i + 1 < column->words.count; i++)
        if (column->words.at[i].stem == first && column->words.at[i + 1].stem == second)
            return true;
    return false;
}

/* "longest first response" of `first_response_min`: a part of its name, and neither a
 * rank of its own nor, with the word before, an order. */
static void
absorb_first(struct parser *p)
{
    for (int i = 0; i + 1 < p->count; i++) {
        struct token *token = &p->token[i], *next = &p->token[i + 1];
        const struct column *column = token_column(p, i + 1);
        const struct word *last =
            &p->reading->words.at[token->item->begin + token->item->len - 1];
        bool is_rank = token_is(p, i, TERM_TOP) || token_is(p, i, TERM_BOTTOM),
             is_order =
                 token_is(p, i, TERM_DESCENDING) || token_is(p, i, TERM_ASCENDING);

        if (!(is_rank || is_order) || !column || !token_is_beside(token, next) ||
            !has_pair(column, last->stem, p->reading->words.at[next->item->begin].stem))
            continue;
        next->score = next->score < 0.85f ? 0.85f : next->score; /* two words of it */
        if (is_order && token->item->len > 1) {
            token->term = token->term == TERM_DESCENDING ? TERM_HIGH : TERM_LOW;
        } else if (is_rank) {
            token_drop(p, i, i);
        }
    }
}

/* "customers" of `cust_type`. */
static bool
is_part_of_name(const struct parser *p, const struct column *column, uint64_t stem)
{
    for (size_t i = 0; i < column->words.count; i++)
        if (lexicon_stands_for(p->lexicon, column->words.at[i].stem, stem))
            return true;
    return false;
}

/* "private customers" of a `customer_type`: the second word adds nothing. */
static void
absorb_things(struct parser *p)
{
    for (int i = 0; i + 1 < p->count; i++) {
        const struct token *thing = &p->token[i + 1];

        if (!token_kind(p, i, TOKEN_CELL) || !token_kind(p, i + 1, TOKEN_VALUE) ||
            !thing->is_plural || thing->score >= 0.9f || thing->item->len != 1 ||
            thing->item != p->token[i].item + 1)
            continue;
        const struct value_entry *entry = &p->frame->value[p->token[i].item->value];
        if (!is_part_of_name(p, &p->frame->column[entry->column],
                             p->reading->words.at[thing->item->begin].stem))
            continue;
        token_drop(p, i + 1, i + 1);
    }
}

/* "per group" of `assignment_group`, where one column alone is called so. */
static void
name_groups(struct parser *p)
{
    for (int i = 1; i < p->count; i++) {
        int found = -1, count = 0;

        if (!token_is(p, i, TERM_GROUP_BY) || p->token[i].item->len != 1 ||
            !(token_is(p, i - 1, TERM_BY) || token_is(p, i - 1, TERM_PER) ||
              token_is(p, i - 1, TERM_EACH)))
            continue;
        for (int c = 0; c < p->frame->columns; c++)
            if (p->frame->column[c].kind == COLUMN_TEXT &&
                is_part_of_name(p, &p->frame->column[c],
                                p->reading->words.at[p->token[i].item->begin].stem)) {
                found = c;
                count++;
            }
        if (count != 1)
            continue;
        parser_note(p, "assume.column", token_text(p, i), p->frame->column[found].name);
        token_become_other(p, i, i, value_of_column(p, found));
    }
}

void
parse_absorb(struct parser *p)
{
    free_events(p);
    name_dated(p);
    parse_rows_answered(p);
    absorb_generic(p);
    absorb_readings(p);
    absorb_hourly(p);
    absorb_modifiers(p);
    absorb_done_by(p);
    absorb_domain(p);
    parse_whose(p);
    absorb_first(p);
    absorb_new(p);
    join_extremes(p);
    absorb_things(p);
    name_groups(p);
}
