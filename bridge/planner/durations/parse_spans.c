/* derive: durations that a verb or a noun tells of: "took", "delivery time", "fastest".
 */
#include "bridge/planner/durations/parse_durations.h"
#include "bridge/planner/durations/parse_units.h"

/* "time to resolve", "decision time" of a date that is named by all of it. */
static bool
names_span(const struct parser *p, int at)
{
    const struct item *item = p->token[at].item;
    bool found = false;

    for (size_t i = item->begin; item->len > 1 && i < item->begin + item->len; i++)
        found |=
            lexicon_lists(p->lexicon, "word.durations", p->reading->words.at[i].text) ||
            parser_part(lexicon_exact(p->lexicon, &p->reading->words, i, 1));
    return found && token_column(p, at) &&
           !column_is_called(token_column(p, at), p->lexicon, "word.durations");
}

/* "delivery" beside "time" */
static bool
is_beside_span(const struct parser *p, int at)
{
    const struct column *column = token_column(p, at);
    const bool is_time =
        token_kind(p, at + 1, TOKEN_COMMA) || token_is(p, at + 1, TERM_TIMES);

    return is_time && p->token[at].item->len == 1 &&
           lexicon_lists(p->lexicon, "word.durations", p->token[at + 1].text) &&
           (column ? column->words.count > 1 : token_is(p, at + 1, TERM_TIMES));
}

/* "filing" beside "delay", where no column is a delay */
static bool
is_beside_lag(const struct parser *p, int at)
{
    return token_kind(p, at + 1, TOKEN_UNKNOWN) && p->token[at].item->len == 1 &&
           lexicon_lists(p->lexicon, "word.lags", p->token[at + 1].text) &&
           parser_roots_date(p, p->token[at].text) >= 0;
}

/* "delivery time", "median settlement time" of one date: until then, from the other. */
bool
parse_spans_time_of(struct parser *p, int at)
{
    const bool is_lag = is_beside_lag(p, at);
    if (!token_is_free(p, at) || (token_kind(p, at, TOKEN_ROWS) && !is_lag))
        return false;
    const bool is_named = !is_lag && names_span(p, at);
    if (!is_named && !is_lag && !is_beside_span(p, at))
        return false;
    const struct value *to =
        is_lag ? value_of_column(p, parser_roots_date(p, p->token[at].text))
               : parse_durations_date(p, at);
    const struct column *column = to ? value_column(p, to) : NULL;
    if (!column || column->flags & FLAG_BIRTH ||
        !(token_is(p, at + 1, TERM_IN) || parse_durations_asks(p, p->count)))
        return false;
    const struct value *from = parse_durations_other(p, to);
    if (!from)
        return false;
    parse_durations_note(p, from, to);
    token_become(p, at, is_named ? at : at + 1,
                 parse_durations_make(p, from, to, PART_NONE));
    return true;
}

bool
parse_spans_says_took(const struct parser *p, int at)
{
    size_t end = p->token[at].item->begin, from = end > 3 ? end - 3 : 0;

    for (size_t i = from; i < end; i++)
        if (lexicon_lists(p->lexicon, "word.took", p->reading->words.at[i].text))
            return true;
    return false;
}

/* `Len_chars`, `length_cm` */
static bool
is_in_other_unit(const struct parser *p, const struct column *column)
{
    for (size_t i = 0; i < column->words.count; i++)
        if (lexicon_flags(p->lexicon, column->words.at[i].stem) & FLAG_UNIT)
            return true;
    return false;
}

bool
parse_spans_has_number(const struct parser *p)
{
    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];
        const struct value value = {.kind = VALUE_COLUMN, .column = i};

        if (value_is_quantity(p, &value) && !is_in_other_unit(p, column) &&
            column_is_called(column, p->lexicon, "word.durations"))
            return true;
    }
    return false;
}

static bool
is_in_time(const struct column *column)
{
    return column &&
           column->flags & (FLAG_SECONDS | FLAG_MINUTES | FLAG_HOURS | FLAG_DAYS);
}

/* "shorter than 5 minutes" of rows that begin and end, and have no such number. */
static bool
is_longer_than(const struct parser *p, int at)
{
    if (!lexicon_lists(p->lexicon, "word.longer", p->token[at].text))
        return false;
    for (int i = 0; i < p->frame->columns; i++) {
        const struct value value = {.kind = VALUE_COLUMN, .column = i};

        if (is_in_time(&p->frame->column[i]) && value_is_quantity(p, &value))
            return false;
    }
    return true;
}

/* "parcels that took more than 4 days": between the two dates of a row. */
bool
parse_spans_took(struct parser *p, int at)
{
    const struct value *date[2];
    struct within within;
    const int named = at - 1 - token_is(p, at - 1, TERM_OF);

    if (!token_is_free(p, at) || token_is(p, at, TERM_IN) ||
        !parse_durations_within(p, at, &within) ||
        !(parse_spans_says_took(p, at) || is_longer_than(p, at)) ||
        parse_spans_has_number(p) || !parse_durations_pair(p, date) ||
        (value_is_quantity_at(p, named) && is_in_time(token_column(p, named))) ||
        ((within.unit == PART_HOUR || within.unit == PART_MINUTE) &&
         value_column(p, date[0])->has_no_clock &&
         value_column(p, date[1])->has_no_clock))
        return false; /* of whole days no minutes are known */
    int end = within.end;
    if (token_kind(p, at - 1, TOKEN_VALUE) &&
        p->token[at - 1].value->kind == VALUE_DURATION)
        return false; /* "stays longer than a week" */
    if (token_kind(p, end + 1, TOKEN_VALUE) &&
        p->token[end + 1].value->kind == VALUE_DURATION) { /* "10 days to ship" */
        struct value *value = value_make(p, *p->token[end + 1].value);

        value->part = within.unit;
        parser_add_operand(
            parser_add_test(p, value, within.op),
            (struct operand){.is_number = true, .number = within.number});
        token_use(p, at, end + 1);
        return true;
    }
    if (token_is(p, end + 1, TERM_FROM) || token_is(p, end + 1, TERM_BETWEEN))
        return false; /* which two is said */
    if (token_is(p, end + 1, TERM_TO) && parse_durations_date(p, end + 2))
        end += 2;
    parse_durations_note(p, date[0], date[1]);
    parser_add_operand(
        parser_add_test(p, parse_durations_make(p, date[0], date[1], within.unit),
                        within.op),
        (struct operand){.is_number = true, .number = within.number});
    token_use(p, at, end);
    const int verb = at - 1 - token_is(p, at - 1, TERM_FOR);
    if (token_kind(p, verb, TOKEN_UNKNOWN))
        token_use(p, verb, at - 1); /* "lasted", "stayed for" */
    return true;
}

/* "which depot delivers fastest": the time between the two dates of a row. */
void
parse_spans_fastest(struct parser *p, int at)
{
    const struct value *date[2];
    bool has_span = false;

    if (!token_kind(p, at, TOKEN_UNKNOWN) ||
        !lexicon_lists(p->lexicon, "word.fastest", p->token[at].text))
        return;
    for (int i = 0; i < p->count; i++)
        has_span |=
            token_kind(p, i, TOKEN_VALUE) && p->token[i].value->kind == VALUE_DURATION;
    if (!has_span && !parse_durations_pair(p, date))
        return;
    p->token[at].kind = TOKEN_TERM;
    p->token[at].term = TERM_LOW;
    if (has_span)
        return;
    parse_durations_note(p, date[0], date[1]);
    for (int i = at - 1; i <= at + 1; i++) /* "delivers" */
        if (i != at && token_column(p, i) && token_column(p, i)->kind == COLUMN_DATE)
            token_use(p, i, i);
    const bool is_behind =
        token_is(p, at + 1, TERM_AFTER) || token_is(p, at + 1, TERM_FROM);
    if (is_behind && token_kind(p, at + 2, TOKEN_VALUE) &&
        query_value_is_same(p->token[at + 2].value, date[0]))
        token_use(p, at + 1, at + 2); /* "fastest after the order" */
    parser_add_amount(p, REDUCE_MEAN,
                      parse_durations_make(p, date[0], date[1], PART_NONE));
}

/* "average rental length", "batch duration": of what rows are. */
static bool
take_length(struct parser *p, int at)
{
    const struct value *date[2];

    if (!token_names_rows(p, at - 1) || !token_kind(p, at, TOKEN_UNKNOWN) ||
        !lexicon_lists(p->lexicon, "word.durations", p->token[at].text) ||
        parse_spans_has_number(p) || !parse_durations_pair(p, date))
        return false;
    parse_durations_note(p, date[0], date[1]);
    token_become_other(p, at - 1, at,
                       parse_durations_make(p, date[0], date[1], PART_NONE));
    return true;
}

/* "correlation of pages and days kept": the time between the two dates of a row. */
static bool
take_unit_kept(struct parser *p, int at)
{
    const struct value *date[2];
    const enum query_part unit = token_part(p, at);
    const size_t next = p->token[at].item->begin + p->token[at].item->len;

    if (!unit || p->token[at].item->len != 1 || next >= p->reading->words.count ||
        !lexicon_lists(p->lexicon, "word.took", p->reading->words.at[next].text) ||
        !parse_durations_asks(p, p->count) || parse_spans_has_number(p) ||
        !parse_durations_pair(p, date))
        return false;
    parse_durations_note(p, date[0], date[1]);
    token_become_other(p, at, at, parse_durations_make(p, date[0], date[1], unit));
    if (at + 1 < p->count && p->token[at + 1].item->begin == next)
        token_drop(p, at + 1, at + 1);
    return true;
}

/* "loan" of `loans`, but not "book": that has a length of another kind. */
static bool
is_own_noun(const struct parser *p, int at)
{
    if (!token_names_rows(p, at))
        return false;
    const struct word *word = &p->reading->words.at[p->token[at].item->begin];
    return token_column(p, at) || frame_is_noun(p->frame, word->stem);
}

/* "longest loan", "the 5 longest loans": of the time between the two dates of a row. */
static bool
take_longest_row(struct parser *p, int at)
{
    const struct value *date[2];
    const bool is_low = token_is(p, at, TERM_LOW);

    if (!(is_low || token_is(p, at, TERM_HIGH)) || !is_own_noun(p, at + 1) ||
        !lexicon_lists(p->lexicon, "word.longest", p->token[at].text) ||
        parse_spans_has_number(p) || !parse_durations_pair(p, date))
        return false;
    const struct value *span = parse_durations_make(p, date[0], date[1], PART_NONE);
    parse_durations_note(p, date[0], date[1]);
    if (token_kind(p, at - 1, TOKEN_NUMBER)) { /* rows */
        token_become_other(p, at + 1, at + 1, span);
        return true;
    }
    const bool is_one = !p->token[at + 1].is_plural;
    parser_add_amount(p, is_one ? is_low ? REDUCE_MIN : REDUCE_MAX : REDUCE_MEAN, span);
    token_use(p, at + 1, at + 1);
    if (!p->wants_which)
        token_use(p, at, at);
    return true;
}

/* "which genre is kept longest": the time between the two dates of a row is ranked. */
bool
parse_spans_kept(struct parser *p, int at)
{
    const struct value *date[2];
    enum query_aggregate reduce = REDUCE_MEAN;

    if (take_length(p, at) || take_unit_kept(p, at) || take_longest_row(p, at))
        return true;
    if (!(token_is(p, at, TERM_HIGH) || token_is(p, at, TERM_LOW)) ||
        !lexicon_lists(p->lexicon, "word.longest", p->token[at].text) ||
        !parse_spans_says_took(p, at) || parse_spans_has_number(p) ||
        !parse_durations_pair(p, date))
        return false;
    for (int i = 0; i < p->count; i++)
        if (token_is(p, i, TERM_MEAN) || token_is(p, i, TERM_MEDIAN)) {
            reduce = token_is(p, i, TERM_MEAN) ? REDUCE_MEAN : REDUCE_MEDIAN;
            token_use(p, i, i);
        } else if (token_is(p, i, TERM_TO) || token_is(p, i, TERM_FROM)) {
            return false; /* which two is said */
        }
    parse_durations_note(p, date[0], date[1]);
    parser_add_amount(p, reduce, parse_durations_make(p, date[0], date[1], PART_NONE));
    if (token_kind(p, at - 1, TOKEN_UNKNOWN))
        token_drop(p, at - 1, at - 1); /* "was delayed the longest" */
    return true;
}

bool
parse_spans_stay(struct parser *p, int at)
{
    const struct value *date[2];
    const enum query_part unit = token_part(p, at + 1);
    int verb = -1;

    if (!(token_is(p, at, TERM_HOW_MANY) || token_is(p, at, TERM_COUNT) ||
          token_is(p, at, TERM_MEAN)) ||
        !unit)
        return false;
    for (int i = at + 2; i < at + 7 && i < p->count && verb < 0; i++)
        if ((token_kind(p, i, TOKEN_UNKNOWN) || token_kind(p, i, TOKEN_ROWS)) &&
            lexicon_lists(p->lexicon, "word.took", p->token[i].text))
            verb = i;
    if (verb < 0 || parse_spans_has_number(p) || !parse_durations_pair(p, date))
        return false;
    parse_durations_note(p, date[0], date[1]);
    token_drop(p, verb, verb);
    token_become_other(p, at, at + 1, parse_durations_make(p, date[0], date[1], unit));
    return true;
}

/* What rows are dated by, or what ends then. */
bool
parse_spans_within_of(struct parser *p, int at)
{
    struct within within;

    if (!token_is(p, at, TERM_IN) || !token_is_free(p, at) ||
        !parse_durations_within(p, at, &within) ||
        !(token_is(p, within.end + 1, TERM_OF) ||
          token_is(p, within.end + 1, TERM_AFTER) ||
          token_is(p, within.end + 1, TERM_FROM)))
        return false;
    const int last = within.end + 2;
    const struct value *from = last < p->count ? parse_durations_date(p, last) : NULL,
                       *to = from ? parse_durations_end(p, from) : NULL;
    const int time = from && !to ? parser_roots_time(p) : -1;
    if (!to && time >= 0 && time != from->column)
        to = value_of_column(p, time);
    if (!to)
        return false;
    parse_durations_note(p, from, to);
    parser_add_operand(
        parser_add_test(p, parse_durations_make(p, from, to, within.unit), within.op),
        (struct operand){.is_number = true, .number = within.number});
    token_use(p, at, last);
    return true;
}

/* "sold within 30 days" of a price `sold_eur`: no price is compared with days. */
bool
parse_spans_done_within(struct parser *p, int at)
{
    const struct value *date[2];
    struct within within;

    if (!token_kind(p, at, TOKEN_VALUE) || p->token[at].value->kind != VALUE_COLUMN ||
        !value_is_quantity(p, p->token[at].value) || !token_is(p, at + 1, TERM_IN) ||
        !parse_durations_within(p, at + 1, &within) ||
        parse_units_scaled(p, within.end, p->token[at].value) != p->token[at].value ||
        parse_units_is_own(p, within.end, p->token[at].value))
        return false; /* "response within an hour" of `response_min` */
    if (!parse_durations_pair(p, date)) {
        parser_refuse(p, "refuse.span", token_text(p, at));
        return false;
    }
    parse_durations_note(p, date[0], date[1]);
    parser_add_operand(
        parser_add_test(p, parse_durations_make(p, date[0], date[1], within.unit),
                        within.op),
        (struct operand){.is_number = true, .number = within.number});
    token_use(p, at, within.end);
    return true;
}

/* "went out within 2 days": the time between the two dates of a row. */
bool
parse_spans_within(struct parser *p, int at)
{
    const struct value *date[2];
    struct within within;

    if (!token_is(p, at, TERM_IN) || !token_is_free(p, at) ||
        strcmp(p->token[at].text, "within") != 0 ||
        (token_kind(p, at - 1, TOKEN_VALUE) &&
         value_is_quantity(p, p->token[at - 1].value)) ||
        !parse_durations_within(p, at, &within) || parse_spans_has_number(p) ||
        token_is(p, within.end + 1, TERM_OF) ||
        token_is(p, within.end + 1, TERM_AFTER) ||
        token_is(p, within.end + 1, TERM_FROM) ||
        token_is(p, within.end + 1, TERM_BEFORE) || !parse_durations_pair(p, date))
        return false;
    p->at = at; /* where the test stands */
    parse_durations_note(p, date[0], date[1]);
    parser_add_operand(
        parser_add_test(p, parse_durations_make(p, date[0], date[1], within.unit),
                        within.op),
        (struct operand){.is_number = true, .number = within.number});
    p->at = 0;
    token_use(p, at, within.end);
    return true;
}

/* "batch duration": of what rows are. */
void
parse_spans_drop_rows(struct parser *p, int at)
{
    if (token_kind(p, at, TOKEN_VALUE) && p->token[at].value->kind == VALUE_DURATION &&
        p->token[at].item->len == 1 && token_kind(p, at - 1, TOKEN_ROWS) &&
        !p->token[at - 1].is_plural && parse_durations_asks(p, at - 1))
        token_drop(p, at - 1, at - 1);
}
