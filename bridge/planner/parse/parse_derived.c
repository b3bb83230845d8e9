/* derive: products, ratios; and measures that a name stands for. */
#include <ctype.h>

#include "bridge/planner/durations/parse_units.h"

/* --- formulas: qty * price * (1 - discount) --- */

struct formula {
    struct parser *p;
    int at;
    unsigned columns, operators;
};

static const struct value *sum(struct formula *f);

/* "passenger-kilometres": as many of one as there are of the other. */
static bool
is_hyphen_of_units(const struct parser *p, int at)
{
    const unsigned units = FLAG_UNIT | FLAG_DAYS | FLAG_HOURS | FLAG_MINUTES;

    return token_is_hyphen(p, at) && token_kind(p, at - 1, TOKEN_VALUE) &&
           token_kind(p, at + 1, TOKEN_VALUE) && p->token[at + 1].item->len == 1 &&
           token_flags(p, at + 1) & units;
}

/* "3-room flats", "1-star ratings", of which "star" is no token. */
static bool
is_hyphen_of_number(const struct parser *p, int at)
{
    const struct slice question = p->reading->question;
    const struct word *words = p->reading->words.at;

    if (!token_is_mark(p, at, '-') || !token_kind(p, at - 1, TOKEN_NUMBER))
        return false;
    const struct word *hyphen = &words[p->token[at].item->begin];
    return words[p->token[at - 1].item->begin].end == hyphen->begin &&
           hyphen->end < question.len &&
           isalpha((unsigned char)question.data[hyphen->end]);
}

static char
operator_at(const struct parser *p, int at)
{
    if (is_hyphen_of_units(p, at))
        return '*';
    if (is_hyphen_of_number(p, at) || token_is_plus_behind(p, at))
        return '\0';
    if (token_kind(p, at, TOKEN_MARK))
        return p->token[at].text[0];
    bool is_x = (token_kind(p, at, TOKEN_UNKNOWN) || token_is(p, at, TERM_X_AXIS)) &&
                strcmp(p->token[at].text, "x") == 0 &&
                token_kind(p, at - 1, TOKEN_VALUE) &&
                token_kind(p, at + 1, TOKEN_VALUE);
    if (token_is(p, at, TERM_TIMES) || is_x)
        return '*';
    bool is_bracketed =
        token_is_mark(p, at - 2, '(') && token_is_mark(p, at + 2, ')') &&
        token_kind(p, at - 1, TOKEN_VALUE) && token_kind(p, at + 1, TOKEN_VALUE);
    if (is_bracketed && (token_is(p, at, TERM_PER) || token_is(p, at, TERM_OVER) ||
                         token_is(p, at, TERM_DIVIDED)))
        return '/'; /* "(clicks per impression)" */
    if (token_is(p, at, TERM_MINUS))
        return '-';
    if (token_is(p, at, TERM_PLUS))
        return '+';
    return '\0';
}

static const struct value *
atom(struct formula *f)
{
    struct parser *p = f->p;

    if (token_is_mark(p, f->at, '(')) {
        f->at++;
        const struct value *inner = sum(f);
        if (!inner || !token_is_mark(p, f->at, ')'))
            return NULL;
        f->at++;
        return inner;
    }
    if (token_kind(p, f->at, TOKEN_NUMBER))
        return value_make(p, (struct value){.kind = VALUE_NUMBER,
                                            .number = p->token[f->at++].number});
    if (!token_kind(p, f->at, TOKEN_VALUE) ||
        !(value_is_quantity(p, p->token[f->at].value) ||
          value_is_date(p, p->token[f->at].value)))
        return NULL;
    f->columns++;
    return p->token[f->at++].value;
}

static const struct value *
join(struct formula *f, char op, const struct value *left, const struct value *right)
{
    f->operators++;
    if (op == '/' && query_value_is_same(left, right))
        return left; /* "mg/l" of `nitrate_mg_l` */
    if (op == '-' && value_is_date(f->p, left) && value_is_date(f->p, right))
        return value_make(
            f->p, (struct value){.kind = VALUE_DURATION,
                                 .part = value_column(f->p, right)->flags & FLAG_BIRTH
                                             ? PART_YEAR
                                             : PART_DAY,
                                 .left = right,
                                 .right = left});
    if ((op == '+' || op == '-') && parse_units_differ(f->p, left, right))
        parser_refuse(f->p, "refuse.units", value_column(f->p, right)->name);
    return value_make(
        f->p, (struct value){
                  .kind = VALUE_ARITHMETIC, .op = op, .left = left, .right = right});
}

static const struct value *
chain(struct formula *f, const char *operators,
      const struct value *(*part)(struct formula *))
{
    const struct value *left = part(f);

    for (char op; left && (op = operator_at(f->p, f->at)) && strchr(operators, op);) {
        f->at++;
        const struct value *right = part(f);
        if (!right)
            return NULL;
        left = join(f, op, left, right);
    }
    return left;
}

static const struct value *
product(struct formula *f)
{
    return chain(f, "*/", atom);
}

static const struct value *
sum(struct formula *f)
{
    return chain(f, "+-", product);
}

bool
parse_derived_is_relative(struct parser *p, int at)
{
    return token_is(p, at, TERM_VERSUS) && !p->has_explicit_chart &&
           lexicon_lists(p->lexicon, "word.relative", p->token[at].text) &&
           token_column(p, at - 1) && token_column(p, at + 1) &&
           value_is_quantity(p, p->token[at - 1].value) &&
           value_is_quantity(p, p->token[at + 1].value) &&
           !query_value_is_same(p->token[at - 1].value, p->token[at + 1].value);
}

/* "debt to assets ratio" */
static void
take_ratio_behind(struct parser *p, int at)
{
    if (token_is(p, at, TERM_RATIO) && token_is(p, at - 2, TERM_TO) &&
        token_kind(p, at - 3, TOKEN_VALUE) && token_kind(p, at - 1, TOKEN_VALUE) &&
        value_is_quantity(p, p->token[at - 3].value) &&
        value_is_quantity(p, p->token[at - 1].value))
        token_become(p, at - 3, at,
                     value_make(p, (struct value){.kind = VALUE_ARITHMETIC,
                                                  .op = '/',
                                                  .left = p->token[at - 3].value,
                                                  .right = p->token[at - 1].value}));
}

static void
take_relative(struct parser *p, int at)
{
    if (parse_derived_is_relative(p, at))
        token_become(p, at - 1, at + 1,
                     value_make(p, (struct value){.kind = VALUE_ARITHMETIC,
                                                  .op = '/',
                                                  .left = p->token[at - 1].value,
                                                  .right = p->token[at + 1].value}));
}

static bool
take_formula(struct parser *p, int at)
{
    struct formula f = {.p = p, .at = at};
    const struct value *value = sum(&f);

    if (!value || !f.operators || !f.columns)
        return false;
    p->token[at].kind = TOKEN_VALUE;
    p->token[at].value = value;
    p->token[at].score = 1;
    p->token[at].is_used = false;
    for (int i = at + 1; i < f.at; i++) {
        p->token[i].kind = TOKEN_COMMA; /* part of the one before */
        p->token[i].is_used = true;
    }
    memmove(&p->token[at + 1], &p->token[f.at],
            (size_t)(p->count - f.at) * sizeof(*p->token));
    p->count -= f.at - at - 1;
    return true;
}

/* --- names of measures that are worked out --- */

static const char *
last_text(const struct parser *p, int at)
{
    const struct item *item = p->token[at].item;

    return p->reading->words.at[item->begin + item->len - 1].text;
}

/* "quantity * price" where one column is called both; "unit price - unit cost". */
static bool
is_said_before(const struct parser *p, int at)
{
    for (int i = 0; i < at; i++)
        if (token_kind(p, i, TOKEN_VALUE) &&
            strcmp(last_text(p, i), last_text(p, at)) != 0 &&
            query_value_is_same(p->token[i].value, p->token[at].value))
            return true;
    return false;
}

/* The formula's words are read as a question about the same table. */
static const struct value *
formula_value(struct parser *p, const char *formula)
{
    struct parser inner = {.arena = p->arena, .lexicon = p->lexicon, .frame = p->frame};
    struct words words = words_split(p->arena, slice_of(formula), WORDS_MAX);
    struct reading *reading = arena_alloc(p->arena, 1, sizeof(*reading));

    *reading = reading_make(p->arena, p->lexicon, p->frame, slice_of(formula), &words);
    inner.reading = reading;
    inner.query = p->query;
    parse_tokens(&inner);
    for (int i = 0; i < inner.count; i++)
        if (inner.token[i].kind == TOKEN_VALUE &&
            (inner.token[i].score < 0.75f || is_said_before(&inner, i)))
            return NULL;
    const struct value *money = inner.count == 1 ? parse_defines_money(&inner) : NULL;
    if (money)
        return money;
    if (!take_formula(&inner, 0) || inner.count != 1)
        return NULL;
    return inner.token[0].value;
}

/* "ctr": of clicks, which are named in "click rate", too. */
static bool
is_made_of(const struct value *value, const struct value *part)
{
    return value && (query_value_is_same(value, part) ||
                     is_made_of(value->left, part) || is_made_of(value->right, part));
}

/* The tokens of words [begin, begin + len), which mean `value`; false when one of them
 * says more. */
static bool
tokens_of(const struct parser *p, size_t begin, size_t len, const struct value *value,
          int *first, int *last)
{
    *first = *last = -1;
    for (int i = 0; i < p->count; i++) {
        const struct token *token = &p->token[i];
        size_t at = token->item->begin, end = at + token->item->len;

        if (end <= begin || at >= begin + len)
            continue;
        const bool is_part =
            len > 1 && token->kind == TOKEN_VALUE && is_made_of(value, token->value);
        if (at < begin || end > begin + len || token->kind == TOKEN_CELL ||
            (token->kind == TOKEN_VALUE && !is_part &&
             (token->score >= 0.8f || token->value->kind != VALUE_COLUMN)))
            return false;
        *first = *first < 0 ? i : *first;
        *last = i;
    }
    return *first >= 0;
}

/* "stays": rows, and not how long one is; but "stays longer than a week". */
static bool
is_plural_of_rows(const struct parser *p, size_t begin, size_t len)
{
    const struct word *word = &p->reading->words.at[begin];
    size_t letters = strlen(word->text);

    size_t after;
    enum term term = lexicon_term(p->lexicon, &p->reading->words, begin + len, &after);

    return len == 1 && letters > 3 && term != TERM_GREATER && term != TERM_LESS &&
           word->text[letters - 1] == 's' &&
           lexicon_flags(p->lexicon, word->stem) & FLAG_ROWS;
}

/* "revenue" of `net_amount`, beside a price: an amount, which a price is not. */
static bool
is_amount(const struct parser *p, int at)
{
    const struct column *column = token_column(p, at);

    return column && column_is_called(column, p->lexicon, "word.sums") &&
           value_is_quantity(p, p->token[at].value);
}

enum {
    FORMULAS_KEPT = 64, /* that were looked at; more are looked at each time */
};

struct formulas {
    const char *text[FORMULAS_KEPT]; /* the lexicon's */
    const struct value *value[FORMULAS_KEPT];
    int count;
};

/* A question may name revenue often, and a table have many columns. */
static const struct value *
value_once(struct parser *p, struct formulas *known, const char *formula)
{
    for (int i = 0; i < known->count; i++)
        if (known->text[i] == formula)
            return known->value[i];
    const struct value *value = formula_value(p, formula);
    if (known->count < FORMULAS_KEPT) {
        known->text[known->count] = formula;
        known->value[known->count++] = value;
    }
    return value;
}

static bool
take_name(struct parser *p, struct formulas *known, size_t begin, size_t len)
{
    int first, last;

    for (unsigned k = 0;; k++) {
        const char *formula =
            lexicon_formula(p->lexicon, &p->reading->words.at[begin], len, k);
        if (!formula || is_plural_of_rows(p, begin, len))
            return false;
        const struct value *value = value_once(p, known, formula);
        if (!value)
            continue;
        if (!tokens_of(p, begin, len, value, &first, &last))
            return false;
        if (value->kind == VALUE_COLUMN && is_amount(p, first))
            return false;
        struct value *named = value_make(p, *value);
        const char *text = parse_defines_text(p, begin, len);
        named->name = text;
        parser_note(p, "assume.formula", text ? text : formula,
                    query_value_name(p->arena, p->frame, value));
        token_become_other(p, first, last, named);
        return true;
    }
}

static void
take_names(struct parser *p)
{
    size_t count = p->reading->words.count;
    struct formulas known = {.count = 0};

    for (size_t at = 0; at < count; at++)
        for (size_t len = LEXICON_PHRASE_MAX; len > 0; len--)
            if (at + len <= count && take_name(p, &known, at, len)) {
                at += len - 1;
                break;
            }
}

static bool
is_side(const struct parser *p, int at)
{
    return at >= 0 && at < p->count && p->token[at].item->len == 1 &&
           token_flags(p, at) & FLAG_SIDE;
}

/* "goals (home + away)", "goals, home and away": both, as they are taken anyway. */
static void
take_sides(struct parser *p, int at)
{
    int first = at + 1, last;

    if (!token_kind(p, at, TOKEN_VALUE) || !p->token[at].is_sided)
        return;
    while (first < p->count && !is_side(p, first) && first < at + 5)
        first++;
    last = first + 2;
    if (!is_side(p, first) || !is_side(p, last) ||
        !(operator_at(p, first + 1) == '+' || token_is(p, first + 1, TERM_AND)))
        return;
    if (token_is_mark(p, first - 1, '(') && token_is_mark(p, last + 1, ')'))
        first--, last++;
    token_drop(p, first, last);
}

void
parse_derived(struct parser *p)
{
    for (int i = 0; i < p->count; i++)
        take_sides(p, i);
    take_names(p);
    for (int i = 0; i < p->count; i++) {
        parse_differences_take(p, i);
        take_ratio_behind(p, i);
        take_relative(p, i);
        take_formula(p, i);
    }
    parse_defines(p);
    parse_defines_worth(p);
    parse_defines_income(p);
}
