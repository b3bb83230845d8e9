/* derive: what a formula in brackets, behind a colon or behind "as" is the name of. */
#include "bridge/planner/tokens/parser.h"

const char *
parse_defines_text(struct parser *p, size_t begin, size_t len)
{
    const struct words *words = &p->reading->words;
    size_t from = words->at[begin].begin, to = words->at[begin + len - 1].end;

    if (to > p->reading->question.len || from > to)
        return NULL;
    return arena_text(p->arena, p->reading->question.data + from, to - from);
}

/* "outgoing" of a `direction` that may be "out": no part of a name. */
static bool
says_which(struct parser *p, int at)
{
    struct test test;

    return token_kind(p, at, TOKEN_CELL) ||
           (token_kind(p, at, TOKEN_UNKNOWN) &&
            parser_roots_find(p, p->token[at].text, &test));
}

/* "rate by platform (clicks / impressions)": behind a key, the formula says what stands
 * before "by". */
static bool
define_before_key(struct parser *p, int at)
{
    static const enum term ends[] = {TERM_MEAN, TERM_SUM,     TERM_MEDIAN, TERM_HIGH,
                                     TERM_LOW,  TERM_TOP,     TERM_BOTTOM, TERM_WHICH,
                                     TERM_SHOW, TERM_WHAT_IS, TERM_BAR,    TERM_LINE,
                                     TERM_OF};
    int by = at - 1, first;

    while (by > 0 && !token_is(p, by, TERM_BY) && !token_is(p, by, TERM_PER) &&
           !token_is(p, by, TERM_EACH))
        by--;
    if (by <= 0 || by + 1 == at)
        return false;
    bool is_end = false;
    for (first = by; first > 0 && !is_end; first -= !is_end)
        for (size_t i = 0; i < COUNT_OF(ends); i++)
            is_end |= token_is(p, first - 1, ends[i]);
    bool says_unit = false; /* "speed in km/h": what the formula may not give */
    for (int i = first; i < by; i++)
        says_unit |= token_is(p, i, TERM_IN);
    while (first < by && says_which(p, first))
        first++;
    if (first == by || says_unit)
        return false;
    struct value *value = value_make(p, *p->token[at].value);
    token_drop(p, at, at);
    for (int i = by - 1; i > first; i--)
        if (says_which(p, i)) { /* "value of outgoing goods": of those rows */
            token_bring_forward(p, i, first);
            first++, i++;
        }
    value->name =
        parse_defines_text(p, p->token[first].item->begin,
                           p->token[by].item->begin - p->token[first].item->begin);
    token_become(p, first, by - 1, value);
    return true;
}

/* "fill rate (…)", "gross margin, i.e. (…)": the first token of the name that a formula
 * in brackets explains, if no column is called so; or -1. */
static int
name_before(const struct parser *p, int at)
{
    int last = at - 1, first;
    bool is_known = true;

    while (token_kind(p, last, TOKEN_COMMA) ||
           (token_kind(p, last, TOKEN_STOP) && p->token[last].text[0] == '.') ||
           token_is(p, last, TERM_PERCENT_UNIT))
        last--;
    for (first = last;; first--) {
        const bool is_ratio =
            token_is(p, first, TERM_RATE) || token_is(p, first, TERM_RATIO);
        const bool is_name = /* "handling time" */
            token_kind(p, first, TOKEN_UNKNOWN) ||
            (token_is(p, first, TERM_TIMES) && !token_kind(p, first - 1, TOKEN_NUMBER));
        const bool is_part = /* "click" of a "click rate" */
            first < last &&
            (token_kind(p, first, TOKEN_VALUE) || token_is(p, first, TERM_SHOW)) &&
            (token_is(p, first + 1, TERM_RATE) || token_is(p, first + 1, TERM_RATIO) ||
             (!is_known && p->token[first].score < 0.7f)); /* "gross" of a margin */

        if (!is_ratio && !is_part && !is_name)
            break;
        is_known &= !is_part && !is_name;
        if (is_part) {
            first--;
            break;
        }
    }
    return is_known ? -1 : first + 1;
}

/* The name of the formula at `at` says no more; where that stands then. */
static int
use_name(struct parser *p, int first, int at)
{
    for (int i = at - 1; i >= first; i--)
        if (token_is(p, i, TERM_PERCENT_UNIT))
            continue;
        else if (token_kind(p, i, TOKEN_COMMA) || token_kind(p, i, TOKEN_STOP))
            token_drop(p, i, i);
        else {
            token_set_aside(p, i);
            at--;
        }
    return at;
}

static void
define_names(struct parser *p)
{
    int named = -1;

    for (int i = 0; i < p->count; i++) {
        if (!token_kind(p, i, TOKEN_VALUE) || p->token[i].value->kind == VALUE_COLUMN)
            continue;
        if (i > 0 && p->token[i].text[0] == '(' && !p->token[i].value->name &&
            define_before_key(p, i))
            continue;
        bool is_bracket = i > 0 && p->token[i].text[0] == '(' &&
                          token_kind(p, i - 1, TOKEN_VALUE) && !p->token[i].value->name;
        if (is_bracket) {
            p->token[i - 1].value = p->token[i].value;
            p->token[i - 1].score = 1;
            p->token[i].is_used = true;
            p->token[i].kind = TOKEN_COMMA;
            for (int k = i - 2; token_kind(p, k, TOKEN_UNKNOWN); k--)
                p->token[k].is_used = true; /* the rest of its name */
        } else if (p->token[i].text[0] == '(' && name_before(p, i) >= 0) {
            i = use_name(p, name_before(p, i), i);
        } else if (p->token[i].value->name) {
            named = i;
        } else if (named >= 0 && p->token[i].value->kind == VALUE_ARITHMETIC) {
            struct value *value = value_make(p, *p->token[i].value);

            value->name = p->token[named].value->name;
            p->token[named].value = value;
            p->token[i].is_used = true;
            p->token[i].kind = TOKEN_COMMA;
        }
    }
}

/* "revenue (qty times price)": a formula says what the name before it means. */
static void
define_before_colon(struct parser *p)
{
    int colon = -1;

    for (int i = 0; i < p->count; i++)
        if (token_kind(p, i, TOKEN_COMMA) && p->token[i].text[0] == ':')
            colon = i;
    bool has_formula = false;
    for (int i = colon + 1; colon > 0 && i < p->count; i++)
        has_formula |= token_kind(p, i, TOKEN_VALUE) &&
                       p->token[i].value->kind == VALUE_ARITHMETIC;
    for (int i = 0; has_formula && i < colon; i++) {
        if (token_is(p, i, TERM_BY) || token_is(p, i, TERM_EACH))
            break;
        p->token[i].is_used = true;
    }
}

/* Of nothing yet, or of what is usually called so. */
static bool
is_name(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_UNKNOWN) ||
           (token_kind(p, at, TOKEN_VALUE) &&
            p->token[at].value->kind == VALUE_ARITHMETIC && p->token[at].value->name);
}

/* "revenue as nights times rate", "revenue, being …": what a name stands for. */
static void
define_by_words(struct parser *p)
{
    for (int i = 1; i < p->count; i++) {
        int name = i - 1;

        if (!token_kind(p, i, TOKEN_VALUE) ||
            p->token[i].value->kind != VALUE_ARITHMETIC || p->token[i].value->name)
            continue;
        while (token_is(p, name, TERM_AS) || token_is(p, name, TERM_IS) ||
               token_is(p, name, TERM_FROM) || token_is(p, name, TERM_EQUAL) ||
               token_kind(p, name, TOKEN_COMMA))
            name--;
        if (name == i - 1 || !is_name(p, name))
            continue;
        struct value *value = value_make(p, *p->token[i].value);
        const char *text = p->token[name].text;
        value->name = text;
        int first = name; /* where the name is used, and not only explained */
        for (int k = 0; k < name; k++)
            if (is_name(p, k) && strcmp(p->token[k].text, text) == 0) {
                first = k;
                break;
            }
        token_drop(p, name, i);
        token_become(p, first, first, value);
        return;
    }
}

static bool
is_bracket(const struct parser *p, int at, char bracket)
{
    return token_is_mark(p, at, bracket);
}

/* A column and what it is compared with: "(status >= 500)"; -1: it is not a condition.
 */
static int
end_of_condition(const struct parser *p, int at)
{
    static const enum term terms[] = {TERM_GREATER,    TERM_GREATER_EQUAL, TERM_LESS,
                                      TERM_LESS_EQUAL, TERM_EQUAL,         TERM_OVER,
                                      TERM_BETWEEN};
    bool compares = false;
    int end = at + 2;

    if (!token_kind(p, at + 1, TOKEN_VALUE) ||
        p->token[at + 1].value->kind != VALUE_COLUMN)
        return -1;
    for (; end < p->count && !is_bracket(p, end, ')'); end++)
        for (size_t i = 0; i < COUNT_OF(terms); i++)
            compares |= token_is(p, end, terms[i]);
    return compares && end < p->count ? end : -1;
}

/* "error rate (status >= 500)", "share of bad ones (rating below 3)": rows that pass
 * the condition are what the name before it means. */
static void
define_condition(struct parser *p, int at)
{
    const int end = end_of_condition(p, at);
    int first = at;

    while (token_is(p, first - 1, TERM_RATE) || token_is(p, first - 1, TERM_OF) ||
           token_kind(p, first - 1, TOKEN_UNKNOWN) ||
           token_kind(p, first - 1, TOKEN_ROWS))
        first--;
    const bool is_rate = token_is(p, at - 1, TERM_RATE);
    if (end < 0 || !(is_rate || token_is(p, first - 1, TERM_SHARE)))
        return;
    token_drop(p, first, at - 1);
    if (is_rate) {
        p->token[first].kind = TOKEN_TERM;
        p->token[first].term = TERM_SHARE;
        p->token[first].is_used = false;
    }
    p->token[at].kind = TOKEN_TERM;
    p->token[at].term = TERM_WHOSE;
    p->token[end].kind = TOKEN_COMMA;
}

void
parse_defines(struct parser *p)
{
    for (int i = 1; i < p->count; i++)
        if (is_bracket(p, i, '('))
            define_condition(p, i);

    define_by_words(p);
    define_names(p);
    define_before_colon(p);
}

/* The number that what rows are called names itself, money unless its value is asked:
 * `sold_eur` of "sales"; -1. */
static int
number_of_noun(const struct parser *p, int at, bool is_worth)
{
    const struct item *item = p->token[at].item;

    for (unsigned i = 0; item->kind == ITEM_COLUMN && i < item->links; i++)
        if (column_is_in_currency(&p->frame->column[item->link[i].column],
                                  p->lexicon) ||
            (is_worth && p->frame->column[item->link[i].column].role == ROLE_QUANTITY))
            return item->link[i].column;
    return -1;
}

/* "sales value by quarter", "total sales": what they are worth, and not how many. */
void
parse_defines_worth(struct parser *p)
{
    for (int at = 0; at < p->count; at++) {
        const struct item *item = p->token[at].item;
        const size_t next = item->begin + item->len;
        const bool is_worth =
            next < p->reading->words.count &&
            lexicon_lists(p->lexicon, "word.worth", p->reading->words.at[next].text);
        const bool is_total = at > 0 && token_is(p, at - 1, TERM_SUM);

        if (!token_kind(p, at, TOKEN_ROWS) || !token_is_free(p, at) ||
            !(is_worth || is_total))
            continue;
        int column = number_of_noun(p, at, is_worth);
        if (column < 0 && is_worth)
            column = parser_roots_amount(p);
        if (column >= 0) {
            parser_note(p, "assume.measure", p->frame->column[column].name, NULL);
            token_become_other(p, at, at, value_of_column(p, column));
        } else if (is_worth) {
            parser_refuse(p, "refuse.word", p->reading->words.at[next].text);
        }
    }
}

/* `TotalPrice`, `paid_eur`: what a row brings in, and no price of one night. */
static bool
is_income(const struct parser *p, int at, const void *about)
{
    const struct column *column = &p->frame->column[at];
    const struct value value = {.kind = VALUE_COLUMN, .column = at};

    (void)about;
    for (size_t i = 0; i < column->words.count; i++)
        if (lexicon_exact(p->lexicon, &column->words, i, 1) == TERM_PER)
            return false;
    return value_is_quantity(p, &value) && !column->is_percent &&
           !column_is_per_unit(column, p->lexicon) &&
           (column_is_in_currency(column, p->lexicon) ||
            column_is_called(column, p->lexicon, "word.incomes")) &&
           !column_is_called(column, p->lexicon, "word.outgoings");
}

/* "revenue by channel", "the most money", where one column alone can be that. */
void
parse_defines_income(struct parser *p)
{
    for (int at = 0; at < p->count; at++) {
        if (!token_kind(p, at, TOKEN_UNKNOWN) || !token_is_free(p, at) ||
            p->token[at].item->len != 1 || token_is_mark(p, at + 1, '(') ||
            !lexicon_lists(p->lexicon, "word.takings", p->token[at].text))
            continue; /* in brackets stands what it is */
        const int column = value_only_column(p, is_income, NULL);
        if (column < 0)
            return;
        struct value *named = value_make(p, *value_of_column(p, column));
        named->name = token_text(p, at);
        parser_note(p, "assume.formula", named->name, p->frame->column[column].name);
        token_become_other(p, at, at, named);
    }
}

/* "fare", the revenue of a row: no price of one night or one kilogram. */
static bool
is_money_of_rows(const struct parser *p)
{
    const struct column *column = token_column(p, 0);
    bool is_each = false;

    for (size_t i = 0; column && i < column->words.count; i++)
        is_each |= lexicon_exact(p->lexicon, &column->words, i, 1) == TERM_PER;
    return column && !is_each && !column_is_per_unit(column, p->lexicon) &&
           p->token[0].score >= 0.9f && value_is_quantity(p, p->token[0].value) &&
           !column->is_percent;
}

/* "price eur/kg" times the one number that is in kilograms; NULL. */
static const struct value *
worth_by_unit(struct parser *p)
{
    const struct column *price = token_column(p, 0);
    const struct word *unit = price && column_is_per_unit(price, p->lexicon)
                                  ? &price->words.at[price->words.count - 1]
                                  : NULL;
    int found = -1;

    for (int i = 0; unit && i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];
        const struct value value = {.kind = VALUE_COLUMN, .column = i};

        if (column == price || !column->words.count || !value_is_quantity(p, &value) ||
            column->words.at[column->words.count - 1].stem != unit->stem)
            continue;
        if (found >= 0)
            return NULL;
        found = i;
    }
    return found < 0
               ? NULL
               : value_make(p, (struct value){.kind = VALUE_ARITHMETIC,
                                              .op = '*',
                                              .left = p->token[0].value,
                                              .right = value_of_column(p, found)});
}

const struct value *
parse_defines_money(struct parser *p)
{
    return is_money_of_rows(p) ? p->token[0].value : worth_by_unit(p);
}
