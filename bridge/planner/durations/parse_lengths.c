/* derive: "how long", "duration", "took longest" of a table that counts it: `minutes`,
 * `nights`. Where it has two dates instead, parse_spans. */
#include "bridge/planner/durations/parse_durations.h"

static bool
is_length(const struct parser *p, int at, const void *about)
{
    const struct column *column = &p->frame->column[at];
    const struct value value = {.kind = VALUE_COLUMN, .column = at};
    const unsigned units = FLAG_SECONDS | FLAG_MINUTES | FLAG_HOURS;

    (void)about;
    return value_is_quantity(p, &value) && !column_is_per_unit(column, p->lexicon) &&
           !column->is_percent && !column_is_called(column, p->lexicon, "word.waits") &&
           (column->last_flags & units ||
            column_is_called(column, p->lexicon, "word.nights"));
}

static bool
has_number(const struct parser *p)
{
    for (int i = 0; i < p->count; i++)
        if (value_is_quantity_at(p, i) && !(token_flags(p, i) & FLAG_PERSON))
            return true;
    return false;
}

static bool
is_of_column(const struct parser *p, int at, int column)
{
    return token_column(p, at) && p->token[at].value->kind == VALUE_COLUMN &&
           p->token[at].value->column == column;
}

/* Where the number is said in another word, too: "how long do guests stay"; -1. */
static int
said_at(const struct parser *p, int column)
{
    for (int i = 0; i < p->count; i++)
        if (is_of_column(p, i, column))
            return i;
    return -1;
}

/* "how long" asks for a mean, if the question names no other. */
static void
put_mean(struct parser *p, int at)
{
    static const enum term others[] = {TERM_MEAN, TERM_MEDIAN,    TERM_SUM,
                                       TERM_HIGH, TERM_LOW,       TERM_MAX,
                                       TERM_MIN,  TERM_PERCENTILE};

    for (int i = 0; i < p->count; i++)
        for (size_t k = 0; k < COUNT_OF(others); k++)
            if (token_is(p, i, others[k]))
                return;
    token_put_term(p, at, TERM_MEAN);
}

/* "how long do guests stay", "average duration": of that number. */
static bool
take_noun(struct parser *p, int at, int column)
{
    const bool asks = token_is(p, at - 1, TERM_WHICH);
    int said = said_at(p, column);

    if (!token_kind(p, at, TOKEN_UNKNOWN) || (said >= 0 && !asks) ||
        !lexicon_lists(p->lexicon, "word.durations", p->token[at].text))
        return false;
    if (said < 0) {
        parser_note(p, "assume.column", token_text(p, at),
                    p->frame->column[column].name);
        token_become_other(p, at, at, value_of_column(p, column));
        said = at;
        if (asks && token_column(p, at + 1) && token_column(p, at + 1)->is_unique)
            token_set_aside(p, at + 1); /* "pupils", who are rows */
    } else {
        if (said == at + 2) /* who stays */
            token_set_aside(p, at + 1);
        token_set_aside(p, at);
        said = said_at(p, column);
    }
    if (asks) {
        p->wants_which = false;
        put_mean(p, said);
        token_set_aside(p, at - 1);
    }
    return true;
}

/* "who took longest", "which paper takes the longest" */
static bool
take_longest(struct parser *p, int at, int column)
{
    if (!(token_is(p, at, TERM_HIGH) || token_is(p, at, TERM_LOW)) ||
        !lexicon_lists(p->lexicon, "word.longest", p->token[at].text) ||
        !(parse_spans_says_took(p, at) || token_kind(p, at + 1, TOKEN_ROWS)))
        return false; /* "longest paper" */
    parser_note(p, "assume.column", token_text(p, at), p->frame->column[column].name);
    token_make_room(p, at + 1, 1);
    p->token[at + 1] = p->token[at];
    token_become_other(p, at + 1, at + 1, value_of_column(p, column));
    if (token_kind(p, at - 1, TOKEN_VALUE)) /* of each subject */
        token_put_term(p, at + 1, TERM_MEAN);
    return true;
}

/* "calls longer than 10 minutes": as "talk over 10 minutes". */
static bool
take_longer(struct parser *p, int at, int column)
{
    if (!token_is_bound(p, at) || !token_kind(p, at + 1, TOKEN_NUMBER) ||
        !lexicon_lists(p->lexicon, "word.longer", p->token[at].text) ||
        !parse_durations_unit(p, at + 2) || value_is_quantity_at(p, at - 1) ||
        parse_spans_says_took(p, at)) /* "took longer than 30 days to be paid" */
        return false;
    parser_note(p, "assume.column", token_text(p, at), p->frame->column[column].name);
    token_make_room(p, at, 1);
    p->token[at] = p->token[at + 1];
    token_become_other(p, at, at, value_of_column(p, column));
    return true;
}

void
parse_lengths(struct parser *p)
{
    const int column = value_only_column(p, is_length, NULL);

    for (int i = 0; column >= 0 && i < p->count; i++)
        if (take_noun(p, i, column) || take_longer(p, i, column) ||
            (!has_number(p) && take_longest(p, i, column)))
            return;
}
