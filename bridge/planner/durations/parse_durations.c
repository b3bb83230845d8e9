/* derive: durations, the time from one date of a row to another. */
#include "bridge/planner/durations/parse_durations.h"

#include "bridge/planner/durations/parse_units.h"

enum query_part
parse_durations_unit(const struct parser *p, int at)
{
    if (token_is(p, at, TERM_DAY) || token_is(p, at, TERM_HOUR) ||
        token_is(p, at, TERM_WEEK) || token_is(p, at, TERM_MONTH) ||
        token_is(p, at, TERM_YEAR))
        return parser_part(p->token[at].term);
    if (token_is(p, at, TERM_UNIT) && parse_units_seconds(p, at) == 60)
        return PART_MINUTE;
    return PART_NONE;
}

/* "sell" of `sale_date`, which half names `sold_eur`, too; NULL. */
static const struct value *
date_of_verb(struct parser *p, int at)
{
    const int column =
        p->token[at].score < 0.95f ? parser_roots_date(p, p->token[at].text) : -1;

    return column >= 0 ? value_of_column(p, column) : NULL;
}

/* The dates that a word means: its own column, or the one column of its root. */
const struct value *
parse_durations_date(struct parser *p, int at)
{
    if (token_kind(p, at, TOKEN_VALUE) && value_is_date(p, p->token[at].value))
        return p->token[at].value;
    if (token_kind(p, at, TOKEN_VALUE))
        return token_is(p, at - 1, TERM_TO) || token_is(p, at - 1, TERM_UNTIL)
                   ? date_of_verb(p, at)
                   : NULL;
    bool is_spoken = token_kind(p, at, TOKEN_CELL) && token_is(p, at + 1, TERM_IN);
    /* "delivered within 2 days", where it is a status, too */
    if (!is_spoken && !token_kind(p, at, TOKEN_UNKNOWN) &&
        !token_kind(p, at, TOKEN_ROWS) && !token_is(p, at, TERM_SHOW) &&
        !token_is(p, at, TERM_SORT))
        /* "reported" of `reported_at`, "order" of `order_date` */
        return NULL;
    int column = parser_roots_date(p, p->token[at].text);
    return column >= 0 ? value_of_column(p, column) : NULL;
}

/* "time", "how long": words that name a duration, and say nothing more of it. */
bool
parse_durations_is_span(const struct parser *p, int at)
{
    if (token_is(p, at, TERM_TIMES) && !p->token[at].is_plural)
        return true;
    if (!token_kind(p, at, TOKEN_UNKNOWN) &&
        !(token_kind(p, at, TOKEN_VALUE) && p->token[at].score < 0.8f))
        return false;
    return token_flags(p, at) & (FLAG_INTENSIVE | FLAG_TIME | FLAG_VAGUE) ||
           lexicon_lists(p->lexicon, "word.lags", p->token[at].text);
}

/* "in days", "stretch of days" */
static bool
joins_unit(const struct parser *p, int at)
{
    return parse_durations_unit(p, at + 1) &&
           (token_is(p, at, TERM_IN) ||
            (token_is(p, at, TERM_OF) && parse_durations_is_span(p, at - 1)));
}

/* Where the words for it begin: "how many days" before "from". */
int
parse_durations_begin(const struct parser *p, int at, enum query_part *unit)
{
    while (at > 0) {
        if (parse_durations_unit(p, at - 1))
            *unit = parse_durations_unit(p, at - 1);
        else if (!parse_durations_is_span(p, at - 1) && !joins_unit(p, at - 1))
            break;
        at--;
    }
    if (token_is(p, at - 1, TERM_COUNT) || token_is(p, at - 1, TERM_HOW_MANY) ||
        token_is(p, at - 1, TERM_HOW_MUCH) || token_is(p, at - 1, TERM_DIFFERENCE) ||
        (token_is(p, at - 1, TERM_WHICH) && parse_durations_is_span(p, at)))
        at--;
    return at;
}

/* How far apart two columns of moments are, in seconds; 0: unknown. */
static double
distance(const struct column *one, const struct column *other)
{
    const json_t *there =
        one && other ? json_object_get(one->apart, other->name) : NULL;

    return there          ? json_number_value(there)
           : one && other ? json_number_value(json_object_get(other->apart, one->name))
                          : 0;
}

enum {
    MINUTES_BELOW = 3 * 3600, /* seconds */
    HOURS_BELOW = 3 * 86400,
};

/* What nobody asked for in days is told so that the number is no small fraction. */
static enum query_part
fitting_unit(const struct parser *p, const struct value *from, const struct value *to)
{
    const double seconds = distance(value_column(p, from), value_column(p, to));

    return seconds <= 0              ? PART_DAY
           : seconds < MINUTES_BELOW ? PART_MINUTE
           : seconds < HOURS_BELOW   ? PART_HOUR
                                     : PART_DAY;
}

const struct value *
parse_durations_make(struct parser *p, const struct value *from, const struct value *to,
                     enum query_part unit)
{
    return value_make(p, (struct value){.kind = VALUE_DURATION,
                                        .part = unit ? unit : fitting_unit(p, from, to),
                                        .left = from,
                                        .right = to});
}

/* "how long do guests stay, from arrival to departure": said before, and apart. */
static void
use_span_words(struct parser *p, int before)
{
    for (int i = 0; i < before; i++)
        if (parse_durations_is_span(p, i) && token_kind(p, i, TOKEN_UNKNOWN) &&
            (token_is(p, i - 1, TERM_WHICH) || parse_durations_unit(p, i - 1))) {
            token_use(p, i - 1, i);
            p->wants_which = false;
        }
}

/* "days between order date and ship date", "how long from opened to closed" */
static bool
take_between(struct parser *p, int at)
{
    bool is_from = token_is(p, at, TERM_FROM) || token_is(p, at, TERM_BETWEEN);
    const struct value *from = is_from ? parse_durations_date(p, at + 1) : NULL;
    const struct value *to = from ? parse_durations_date(p, at + 3) : NULL;
    enum query_part unit = PART_NONE;

    if (!to || query_value_is_same(from, to) ||
        !(token_is(p, at + 2, TERM_AND) || token_is(p, at + 2, TERM_TO)))
        return false;
    int begin = parse_durations_begin(p, at, &unit);
    p->wants_which &= !token_is(p, begin, TERM_WHICH);
    token_become(p, begin, at + 3, parse_durations_make(p, from, to, unit));
    use_span_words(p, begin);
    return true;
}

/* The date in "to decision", "until a claim gets paid"; `at` itself: there is none. */
static int
end_of_until(struct parser *p, int at)
{
    int end = at + 1;

    if (token_is(p, at, TERM_TO))
        return end;
    if (!token_is(p, at, TERM_UNTIL))
        return at;
    if (token_kind(p, end, TOKEN_ROWS) || p->token[end].is_noun)
        end++;
    end += token_is(p, end, TERM_IS); /* "until a claim is paid" */
    return end < p->count ? end : at;
}

/* "how many days does it take to let a flat", "average time to decision": of the one
 * other date. */
static bool
take_until(struct parser *p, int at)
{
    enum query_part unit = PART_NONE;
    const int end = end_of_until(p, at);
    const struct value *to = end > at ? parse_durations_date(p, end) : NULL;
    const struct value *date[2];

    if (!to && parse_spans_says_took(p, at) && token_is(p, at, TERM_TO) &&
        parse_durations_unit(p, at - 1) && !parse_spans_has_number(p) &&
        (token_kind(p, end, TOKEN_UNKNOWN) || token_kind(p, end, TOKEN_ROWS)) &&
        parse_durations_pair(p, date))
        to = date[1]; /* "how many days does it take us to answer" */
    if (!to || at == 0 || !token_is_free(p, at))
        return false;
    /* "how many days on average until …" */
    int stop =
        at - (token_is(p, at - 1, TERM_MEAN) || token_is(p, at - 1, TERM_MEDIAN));
    if (parse_durations_unit(p, stop - 2) && (token_kind(p, stop - 1, TOKEN_UNKNOWN) ||
                                              token_kind(p, stop - 1, TOKEN_ROWS))) {
        stop--; /* "how many days does it take buyers to pay" */
        token_drop(p, stop, stop);
    } else if (parse_durations_unit(p, stop - 3) && token_is(p, stop - 2, TERM_FOR) &&
               token_kind(p, stop - 1, TOKEN_ROWS)) {
        token_drop(p, stop - 2, stop - 1); /* "for a transaction to post" */
        stop -= 2;
    }
    int begin = parse_durations_begin(p, stop, &unit);
    if (begin == stop)
        return false;
    const struct value *from = parse_durations_other(p, to);
    if (!from) {
        parser_refuse(p, "refuse.span", token_text(p, end));
        return false;
    }
    p->wants_which &= !token_is(p, begin, TERM_WHICH);
    const struct value *value = parse_durations_make(p, from, to, unit);
    parse_durations_note(p, from, to);
    if (stop < at) {
        token_use(p, at, end);
        token_become(p, begin, stop - 1, value);
    } else {
        token_become(p, begin, end, value);
    }
    return true;
}

/* "mean time by team (opened to closed)": says what the time before it is. */
static bool
take_bracketed(struct parser *p, int at)
{
    bool opens = token_is_mark(p, at, '(');
    const struct value *from = opens ? parse_durations_date(p, at + 1) : NULL;
    const bool joins = token_is(p, at + 2, TERM_TO) || token_is(p, at + 2, TERM_UNTIL);
    const struct value *to = from && joins ? parse_durations_date(p, at + 3) : NULL;

    if (!to || query_value_is_same(from, to) || !token_kind(p, at + 4, TOKEN_MARK))
        return false;
    for (int i = 0; i < at; i++)
        if (token_kind(p, i, TOKEN_VALUE) &&
            p->token[i].value->kind == VALUE_DURATION &&
            query_value_is_same(p->token[i].value->left, from) &&
            query_value_is_same(p->token[i].value->right, to)) {
            for (int k = at; k <= at + 4; k++) {
                p->token[k].kind = TOKEN_COMMA;
                p->token[k].is_used = true;
            }
            return true;
        }
    enum query_part unit = PART_NONE;
    int begin = at;
    if (token_is(p, begin - 2, TERM_IN) && parse_units_is(p, begin - 1)) {
        unit = parse_durations_unit(p, begin - 1);
        begin -= 2;
    }
    while (parse_durations_is_span(p, begin - 1) ||
           token_kind(p, begin - 1, TOKEN_UNKNOWN))
        begin--;
    if (begin == at || (token_is(p, at - 1, TERM_UNIT) && !unit))
        return false;
    token_become(p, begin, at + 4, parse_durations_make(p, from, to, unit));
    return true;
}

/* "which team takes the longest to close a ticket": the time until then is ranked. */
static bool
take_longest(struct parser *p, int at)
{
    const bool is_extreme = token_is(p, at, TERM_HIGH) || token_is(p, at, TERM_LOW);
    /* "longest" of a column, too, where one is long */
    const bool has_column = is_extreme && token_kind(p, at + 1, TOKEN_VALUE) &&
                            p->token[at + 1].item->begin == p->token[at].item->begin;
    const int by = at + 1 + has_column;
    const struct value *to =
        is_extreme && token_is(p, by, TERM_TO) ? parse_durations_date(p, by + 1) : NULL;
    const bool is_said =
        to && (token_is(p, by + 2, TERM_AFTER) || token_is(p, by + 2, TERM_FROM));
    const struct value *from = !to       ? NULL
                               : is_said ? parse_durations_date(p, by + 3)
                                         : parse_durations_other(p, to);

    if (!from)
        return false;
    parse_durations_note(p, from, to);
    token_become_other(p, at + 1, by + (is_said ? 3 : 1),
                       parse_durations_make(p, from, to, PART_NONE));
    return true;
}

/* "within 30 days", "in less than a day", "more than 2 hours" */
bool
parse_durations_within(const struct parser *p, int at, struct within *within)
{
    static const struct {
        enum term term;
        enum plan_operator op;
    } terms[] = {
        {TERM_LESS,       OP_LT},
        {TERM_LESS_EQUAL, OP_LE},
        {TERM_GREATER,    OP_GT},
        {TERM_OVER,       OP_GT},
        {TERM_AFTER,      OP_GT},
        {TERM_IN,         OP_LE},
    };
    bool is_open = false;

    *within = (struct within){.op = OP_LE, .number = 1};
    if (token_is(p, at, TERM_IN) && !token_kind(p, at + 1, TOKEN_NUMBER) &&
        token_kind(p, at + 1, TOKEN_TERM) && !parse_durations_unit(p, at + 1))
        at++;
    for (size_t i = 0; i < COUNT_OF(terms) && !is_open; i++)
        if (token_is(p, at, terms[i].term)) {
            within->op = terms[i].op;
            is_open = true;
        }
    if (!is_open)
        return false;
    bool is_said = token_kind(p, at + 1, TOKEN_NUMBER);
    if (is_said)
        within->number = p->token[at + 1].number;
    else if (token_is(p, at, TERM_IN) && strcmp(p->token[at].text, "within") != 0)
        return false;
    within->end = at + 1 + is_said;
    within->unit = parse_durations_unit(p, within->end);
    const bool is_year = /* "in 2024 month by month" */
        is_said && within->number >= 1900 && within->number <= 2100 &&
        token_is(p, at, TERM_IN);
    return within->unit != PART_NONE && !is_year;
}

/* "let within 30 days", "started within 4 hours of opening" */
static bool
take_within(struct parser *p, int at)
{
    const struct value *to = parse_durations_date(p, at);
    struct within within;

    if (!to || !parse_durations_within(p, at + 1, &within))
        return false;
    bool is_spoken = within.op == OP_LE && token_is(p, at + 1, TERM_IN);
    /* "visits longer than 30 minutes": rows, and a number of their own */
    if (!is_spoken &&
        (token_kind(p, at, TOKEN_ROWS) || p->token[at].is_plural ||
         (!token_column(p, at) && parse_units_column(p, within.end) >= 0)))
        return false;
    int next = within.end + 1;
    bool is_said = (token_is(p, next, TERM_OF) || token_is(p, next, TERM_AFTER) ||
                    token_is(p, next, TERM_FROM)) &&
                   parse_durations_date(p, next + 1);
    const struct value *from =
        is_said ? parse_durations_date(p, next + 1) : parse_durations_other(p, to);
    if (!from || query_value_is_same(from, to)) {
        parser_refuse(p, "refuse.span", token_text(p, at));
        return false;
    }
    if (!is_said)
        parse_durations_note(p, from, to);
    parser_add_operand(
        parser_add_test(p, parse_durations_make(p, from, to, within.unit), within.op),
        (struct operand){.is_number = true, .number = within.number});
    token_use(p, at, is_said ? next + 1 : within.end);
    return true;
}

/* "downtime in hours" of a column of minutes, "distance in km" of one of metres. */
static bool
convert(struct parser *p, int of, int at)
{
    const struct value *value = p->token[of].value;

    if (value->kind != VALUE_COLUMN || !value_is_quantity(p, value))
        return false;
    const struct value *scaled = parse_units_scaled(p, at + 1, value);
    if (scaled == value && !parse_units_is_own(p, at + 1, value))
        return false;
    p->token[of].value = scaled;
    token_use(p, at, at + 1);
    return true;
}

/* "length of stay in days": the unit of a duration, of which one has any. */
static bool
count_in(struct parser *p, int of, int at)
{
    enum query_part unit = parse_durations_unit(p, at + 1);

    if (!unit || (p->token[of].value->kind != VALUE_DURATION &&
                  p->token[of].value->kind != VALUE_GAP))
        return false;
    struct value *value = value_make(p, *p->token[of].value);
    value->part = unit;
    p->token[of].value = value;
    token_use(p, at, at + 1);
    return true;
}

/* "downtime by machine in hours": of what is named before, and can be counted so. */
static void
take_unit(struct parser *p, int at)
{
    int of = token_is(p, at, TERM_IN) ? at - 1 : -1;

    while (of >= 0 && !(token_kind(p, of, TOKEN_VALUE) &&
                        (count_in(p, of, at) || convert(p, of, at))))
        of--;
}

void
parse_durations(struct parser *p)
{
    for (int i = 0; i < p->count; i++)
        if (!parse_ages(p, i) && !parse_gaps(p, i) && !parse_offsets(p, i) &&
            !take_bracketed(p, i) && !take_longest(p, i) && !take_between(p, i) &&
            !take_until(p, i) && !take_within(p, i) && !parse_spans_done_within(p, i) &&
            !parse_spans_time_of(p, i) && !parse_spans_took(p, i) &&
            !parse_spans_stay(p, i) && !parse_spans_within_of(p, i) &&
            !parse_spans_within(p, i) && !parse_leads(p, i) && !parse_elapsed(p, i) &&
            !parse_elapsed_done(p, i) && !parse_spans_kept(p, i))
            parse_elapsed_named(p, i);
    parse_lengths(p);
    for (int i = 0; i < p->count; i++) {
        parse_spans_drop_rows(p, i);
        parse_spans_fastest(p, i);
    }
    for (int i = 0; i < p->count; i++)
        parse_units_of(p, i);
    for (int i = 1; i < p->count; i++)
        take_unit(p, i);
}
