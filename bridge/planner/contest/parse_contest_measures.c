/* What a contest is about where its number is not named: "faster", "larger", "give
 * more". */
#include "bridge/planner/contest/parse_contest.h"
#include "bridge/planner/durations/parse_durations.h"

bool
parse_contest_asks_how_much(const struct parser *p, int more)
{
    return token_is(p, more - 1, TERM_HOW_MUCH) && token_is_free(p, more - 1);
}

/* "faster", "take longer": the time between the two dates of a row. */
static bool
take_time(struct parser *p, int more)
{
    const struct value *date[2];
    const bool is_before =
        token_kind(p, more - 1, TOKEN_UNKNOWN) && /* "faster than" */
        lexicon_lists(p->lexicon, "word.quicker", p->token[more - 1].text);

    if (!(is_before ||
          lexicon_lists(p->lexicon, "word.quicker", p->token[more].text)) ||
        parse_spans_has_number(p) || !parse_durations_pair(p, date))
        return false;
    if (is_before)
        token_use(p, more - 1, more - 1);
    parse_durations_note(p, date[0], date[1]);
    parser_add_amount(p, REDUCE_MEAN,
                      parse_durations_make(p, date[0], date[1], PART_NONE));
    if (token_column(p, more - 1) && p->token[more - 1].score < 0.95f)
        token_use(p, more - 1, more - 1); /* "do flats sell faster": no price */
    return true;
}

/* "expensive" behind "how much more" */
static int
column_of_quality(struct parser *p, int at)
{
    const bool is_price = token_kind(p, at, TOKEN_UNKNOWN) &&
                          lexicon_lists(p->lexicon, "word.dear", p->token[at].text);

    if (!token_kind(p, at, TOKEN_UNKNOWN))
        return -1;
    return is_price ? parser_roots_worth(p)
                    : parser_roots_quality(p, p->token[at].text);
}

/* "larger", "how much more was given": what a row amounts to. */
static bool
take_amount(struct parser *p, int more)
{
    const bool is_how_much = parse_contest_asks_how_much(p, more),
               is_larger =
                   lexicon_lists(p->lexicon, "word.larger", p->token[more].text);
    int column = column_of_quality(p, more + 1);
    const bool is_behind = column >= 0;

    if (!is_behind) /* "deeper than" */
        column = parser_roots_quality(p, p->token[more].text);
    const bool is_quality = column >= 0;
    if (!is_quality && (is_how_much || is_larger))
        column = parser_roots_amount(p);
    if (column < 0)
        return false;
    const bool is_sum = is_how_much && !is_quality && !is_larger;
    parser_add_amount(p, is_sum ? REDUCE_SUM : REDUCE_MEAN, value_of_column(p, column));
    parser_note(p, is_sum ? "assume.sum" : "assume.mean", p->frame->column[column].name,
                NULL);
    if (is_behind)
        token_use(p, more + 1, more + 1);
    return true;
}

/* "is nitrate higher in Rome": the one number of what a cell names. */
static bool
take_measured(struct parser *p, int more)
{
    const int column =
        token_kind(p, more - 1, TOKEN_CELL) ? parser_roots_measure(p) : -1;

    if (column < 0)
        return false;
    parser_add_amount(p, REDUCE_MEAN, value_of_column(p, column));
    parser_note(p, "assume.mean", p->frame->column[column].name, NULL);
    return true;
}

/* "do they cost more", "how much more does a suite cost" */
static bool
take_cost(struct parser *p, int more)
{
    const int column = parser_roots_worth(p);

    for (int i = 0; column >= 0 && i < p->count; i++) {
        if (!token_kind(p, i, TOKEN_UNKNOWN) || i > more + 4 ||
            !lexicon_lists(p->lexicon, "word.costs", p->token[i].text))
            continue;
        parser_add_amount(p, REDUCE_MEAN, value_of_column(p, column));
        parser_note(p, "assume.mean", p->frame->column[column].name, NULL);
        token_use(p, i, i);
        return true;
    }
    return false;
}

bool
parse_contest_measure(struct parser *p, int more)
{
    return more >= 0 && (take_cost(p, more) || take_time(p, more) ||
                         take_measured(p, more) || take_amount(p, more));
}

bool
parse_contest_is_number(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_VALUE) && token_is_free(p, at) &&
           value_is_quantity(p, p->token[at].value);
}

/* The only number that is named, and nobody has taken; -1. */
static int
only_number(const struct parser *p)
{
    int found = -1;

    for (int i = 0; i < p->count; i++)
        if (parse_contest_is_number(p, i)) {
            if (found >= 0)
                return -1;
            found = i;
        }
    return found;
}

void
parse_contest_reduce(struct parser *p, int more, bool is_how_much)
{
    const int of = only_number(p);

    if (of < 0 || p->query->amounts)
        return;
    for (int i = of + 1; i < p->count; i++)
        if (token_is(p, i, TERM_MEAN) && token_is_free(p, i)) {
            parser_add_amount(p, REDUCE_MEAN, p->token[of].value);
            token_use(p, of, of);
            token_use(p, i, i);
            return;
        }
    const struct column *column = value_column(p, p->token[of].value);
    if (!is_how_much || !column || !(column->flags & FLAG_ADDITIVE) ||
        column->flags & FLAG_INTENSIVE ||
        !lexicon_lists(p->lexicon, "word.more", p->token[more].text))
        return;
    for (int i = 0; i < of; i++)
        if (token_is(p, i, TERM_MEAN) || token_is(p, i, TERM_MEDIAN))
            return;
    parser_add_amount(p, REDUCE_SUM, p->token[of].value);
    parser_note(p, "assume.sum", column->name, NULL);
    token_use(p, of, of);
}
