/* aggregate: the correlation of two columns. */
#include "bridge/planner/query/chart_words.h"
#include "bridge/planner/tokens/parser.h"

static bool
is_more_of(const struct parser *p, int at)
{
    return token_is(p, at, TERM_MORE) && token_kind(p, at + 1, TOKEN_VALUE) &&
           token_is_free(p, at + 1) && value_is_quantity(p, p->token[at + 1].value);
}

/* "does a higher price mean a lower rating": of the two of them. */
static bool
take_effect(struct parser *p)
{
    for (int i = 0; i + 4 < p->count; i++) {
        bool relates = token_is(p, i + 2, TERM_MEAN) ||
                       token_is(p, i + 2, TERM_RELATION) ||
                       token_is(p, i + 2, TERM_CORRELATION) ||
                       token_is(p, i + 2, TERM_WHOSE); /* "leads to a": "with a" */
        bool has_with = token_is(p, i + 3, TERM_WITH) || token_is(p, i + 3, TERM_WHOSE);
        int other = has_with ? i + 4 : i + 3;

        if (!relates || !is_more_of(p, i) || !is_more_of(p, other))
            continue;
        parser_add_amount(p, REDUCE_CORRELATION, p->token[i + 1].value)->with =
            p->token[other + 1].value;
        token_use(p, i, other + 1);
        return true;
    }
    return false;
}

/* ", rating and age": more than two. */
static bool
is_in_list(const struct parser *p, int at)
{
    const bool is_joined = token_is(p, at, TERM_AND) || token_kind(p, at, TOKEN_COMMA);
    const int next = at + 1 + token_is(p, at + 1, TERM_AND);

    return is_joined && token_kind(p, next, TOKEN_VALUE) && token_is_free(p, next) &&
           value_is_quantity(p, p->token[next].value);
}

/* A number or a yes or no; years of a "year built" are numbers, too. */
static bool
is_operand(const struct parser *p, int at)
{
    const struct value *value = p->token[at].value;
    const struct column *column =
        token_kind(p, at, TOKEN_VALUE) ? value_column(p, value) : NULL;

    return token_kind(p, at, TOKEN_VALUE) && token_is_free(p, at) &&
           !token_is(p, at - 1, TERM_BY) &&
           (value_is_quantity(p, value) || value_is_flag(p, value) ||
            (column && value->kind == VALUE_COLUMN && column->role == ROLE_TIME &&
             column->kind == COLUMN_NUMBER));
}

/* "response size" beside "response time": the first word tells what of. */
static bool
is_said_of_next(const struct parser *p, int at)
{
    bool is_elsewhere = false;

    if (!is_operand(p, at) || !is_operand(p, at + 1))
        return false;
    for (int i = 0; i < p->count; i++)
        is_elsewhere |= i != at && is_operand(p, i) &&
                        query_value_is_same(p->token[i].value, p->token[at].value);
    return is_elsewhere;
}

/* "low price", "how many passengers": of a number in a correlation they say no more. */
static bool
is_quality(const struct parser *p, int at)
{
    return token_is_free(p, at) &&
           (token_is(p, at, TERM_LOW) || token_is(p, at, TERM_HIGH) ||
            token_is(p, at, TERM_MORE) || token_is(p, at, TERM_HOW_MANY) ||
            (token_kind(p, at, TOKEN_UNKNOWN) && token_flags(p, at) & FLAG_VAGUE));
}

/* Anything that is neither a number nor a date: no two numbers alone are related. */
static bool
is_of_others(const struct parser *p, int at)
{
    const bool is_column = token_kind(p, at, TOKEN_VALUE);

    return token_is(p, at, TERM_SHOW) ||
           (token_kind(p, at, TOKEN_TERM) && !token_is(p, at, TERM_RELATION) &&
            chart_word_of(p->token[at].term)) ||
           (is_column && !is_operand(p, at) && !value_is_date(p, p->token[at].value));
}

/* "correlation temperature / ozone": of the two, and of no quotient. */
static void
name_pair(struct parser *p)
{
    bool correlates = false;

    for (int i = 0; i < p->count; i++)
        correlates |= token_is(p, i, TERM_CORRELATION);
    for (int i = 1; correlates && i + 1 < p->count; i++)
        if (token_is_mark(p, i, '/') && value_is_quantity_at(p, i - 1) &&
            value_is_quantity_at(p, i + 1)) {
            p->token[i].kind = TOKEN_TERM;
            p->token[i].term = TERM_AND;
        }
}

/* "does the delay depend on the distance", "is there a relation between …": of two
 * numbers that is their correlation, unless a picture is asked for; "how much of it
 * depends on the five largest" asks for a share. */
void
parse_correlation_relate(struct parser *p)
{
    int at = -1, dates = 0;
    bool is_share = false, has_others = false;

    name_pair(p);
    for (int i = 0; i < p->count; i++) {
        is_share |= token_is(p, i, TERM_HOW_MUCH) || token_is(p, i, TERM_SHARE);
        if (token_is(p, i, TERM_RELATION) && !token_is(p, i + 1, TERM_MORE))
            at = i;
        has_others |= is_of_others(p, i);
        dates += token_kind(p, i, TOKEN_VALUE) && value_is_date(p, p->token[i].value);
    }
    if (at >= 0 && is_share) {
        if (lexicon_lists(p->lexicon, "word.comes", p->token[at].text))
            token_drop(p, at, at);
    } else if (at >= 0 && !has_others && !p->wants_picture && dates != 1 &&
               p->reading->words.count &&
               lexicon_lists(p->lexicon, "word.yesno", p->reading->words.at[0].text))
        p->token[at].term = TERM_CORRELATION;
}

/* "correlation between price and rating", "are price and rating correlated" */
void
parse_correlation(struct parser *p)
{
    int count = 0, at = -1, place[2];

    if (take_effect(p))
        return;
    for (int i = 0; i < p->count; i++)
        if (token_is(p, i, TERM_CORRELATION) && token_is_free(p, i))
            at = i;
    if (at < 0)
        return;
    for (int i = 0; i < p->count && count < 2; i++) {
        if (!is_operand(p, i))
            continue;
        if (is_said_of_next(p, i))
            token_use(p, i, i);
        else
            place[count++] = i;
    }
    if (count < 2 || is_in_list(p, place[1] + 1) ||
        query_value_is_same(p->token[place[0]].value, p->token[place[1]].value)) {
        parser_refuse(p, "refuse.two", "");
        return;
    }
    parser_add_amount(p, REDUCE_CORRELATION, p->token[place[0]].value)->with =
        p->token[place[1]].value;
    token_use(p, at, at);
    for (int i = 0; i < 2; i++) {
        token_use(p, place[i], place[i]);
        if (is_quality(p, place[i] - 1))
            token_use(p, place[i] - 1, place[i] - 1);
    }
    for (int i = 0; i < p->count; i++)
        if (token_is(p, i, TERM_BETWEEN) || token_is(p, i, TERM_WITH))
            token_use(p, i, i);
}
