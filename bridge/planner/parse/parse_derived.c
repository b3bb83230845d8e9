/* derive: products, ratios, durations; and measures that a name stands for. */
#include "bridge/planner/parse/parser.h"

/* --- formulas: qty * price * (1 - discount) --- */

struct formula {
    struct parser *p;
    int at;
    unsigned columns, operators;
};

static const struct value *sum(struct formula *f);

static bool
is_mark(const struct parser *p, int at, char mark)
{
    return token_kind(p, at, TOKEN_MARK) && p->token[at].text[0] == mark;
}

static char
operator_at(const struct parser *p, int at)
{
    if (token_kind(p, at, TOKEN_MARK))
        return p->token[at].text[0];
    if (token_is(p, at, TERM_TIMES))
        return '*';
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

    if (is_mark(p, f->at, '(')) {
        f->at++;
        const struct value *inner = sum(f);
        if (!inner || !is_mark(p, f->at, ')'))
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
    if (op == '-' && value_is_date(f->p, left) && value_is_date(f->p, right))
        return value_make(
            f->p, (struct value){.kind = VALUE_DURATION,
                                 .part = value_column(f->p, right)->flags & FLAG_BIRTH
                                             ? PART_YEAR
                                             : PART_DAY,
                                 .left = right,
                                 .right = left});
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

/* --- durations: days between order date and ship date --- */

static enum query_part
unit_at(const struct parser *p, int at)
{
    if (token_is(p, at, TERM_DAY) || token_is(p, at, TERM_HOUR) ||
        token_is(p, at, TERM_WEEK) || token_is(p, at, TERM_YEAR))
        return parser_part(p->token[at].term);
    return PART_NONE;
}

static void
shorten(struct parser *p, int at, int end, const struct value *value)
{
    p->token[at] = (struct token){.kind = TOKEN_VALUE,
                                  .value = value,
                                  .score = 1,
                                  .item = p->token[at].item,
                                  .text = p->token[at].text};
    memmove(&p->token[at + 1], &p->token[end + 1],
            (size_t)(p->count - end - 1) * sizeof(*p->token));
    p->count -= end - at;
}

static void
take_duration(struct parser *p, int at)
{
    bool is_from = token_is(p, at, TERM_FROM) || token_is(p, at, TERM_BETWEEN);
    int first = is_from ? at + 1 : at;

    if (!is_from || !token_kind(p, first, TOKEN_VALUE) ||
        !value_is_date(p, p->token[first].value) ||
        !(token_is(p, first + 1, TERM_AND) || token_is(p, first + 1, TERM_TO)) ||
        !token_kind(p, first + 2, TOKEN_VALUE) ||
        !value_is_date(p, p->token[first + 2].value))
        return;
    int begin = at;
    enum query_part unit = unit_at(p, at - 1);
    if (unit)
        begin = at - 1;
    if (token_is(p, begin - 1, TERM_COUNT) || token_is(p, begin - 1, TERM_HOW_MANY))
        begin--;
    if (token_is(p, begin, TERM_HOW_MANY) || token_is(p, begin, TERM_COUNT))
        unit = unit ? unit : PART_DAY;
    shorten(p, begin, first + 2,
            value_make(p, (struct value){.kind = VALUE_DURATION,
                                         .part = unit ? unit : PART_DAY,
                                         .left = p->token[first].value,
                                         .right = p->token[first + 2].value}));
}

/* --- names of measures that are worked out --- */

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
        if (inner.token[i].kind == TOKEN_VALUE && inner.token[i].score < 0.75f)
            return NULL;
    if (!take_formula(&inner, 0) || inner.count != 1)
        return NULL;
    return inner.token[0].value;
}

/* The tokens of words [begin, begin + len); false when one of them says more. */
static bool
tokens_of(const struct parser *p, size_t begin, size_t len, int *first, int *last)
{
    *first = *last = -1;
    for (int i = 0; i < p->count; i++) {
        const struct token *token = &p->token[i];
        size_t at = token->item->begin, end = at + token->item->len;

        if (end <= begin || at >= begin + len)
            continue;
        if (at < begin || end > begin + len || token->kind == TOKEN_CELL ||
            (token->kind == TOKEN_VALUE &&
             (token->score >= 0.8f || token->value->kind != VALUE_COLUMN)))
            return false;
        *first = *first < 0 ? i : *first;
        *last = i;
    }
    return *first >= 0;
}

static const char *
words_text(struct parser *p, size_t begin, size_t len)
{
    const struct words *words = &p->reading->words;
    size_t from = words->at[begin].begin, to = words->at[begin + len - 1].end;

    if (to > p->reading->question.len || from > to)
        return NULL;
    return arena_text(p->arena, p->reading->question.data + from, to - from);
}

static bool
take_name(struct parser *p, size_t begin, size_t len)
{
    int first, last;

    for (unsigned k = 0;; k++) {
        const char *formula =
            lexicon_formula(p->lexicon, &p->reading->words.at[begin], len, k);
        if (!formula || !tokens_of(p, begin, len, &first, &last))
            return false;
        const struct value *value = formula_value(p, formula);
        if (!value)
            continue;
        struct value *named = value_make(p, *value);
        const char *text = words_text(p, begin, len);
        named->name = text;
        parser_note(p, "assume.formula", text ? text : formula,
                    query_value_name(p->arena, p->frame, value));
        shorten(p, first, last, named);
        return true;
    }
}

static void
take_names(struct parser *p)
{
    size_t count = p->reading->words.count;

    for (size_t at = 0; at < count; at++)
        for (size_t len = LEXICON_PHRASE_MAX; len > 0; len--)
            if (at + len <= count && take_name(p, at, len)) {
                at += len - 1;
                break;
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

static void
define_names(struct parser *p)
{
    int named = -1;

    for (int i = 0; i < p->count; i++) {
        if (!token_kind(p, i, TOKEN_VALUE) || p->token[i].value->kind == VALUE_COLUMN)
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
        } else if (p->token[i].text[0] == '(' && token_kind(p, i - 1, TOKEN_UNKNOWN)) {
            for (int k = i - 1; token_kind(p, k, TOKEN_UNKNOWN); k--)
                p->token[k].is_used = true; /* its name */
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

/* "length of stay in days": the unit of a duration. */
static void
take_unit(struct parser *p, int at)
{
    int of = at - 1;
    enum query_part unit = unit_at(p, at + 1);

    if (!token_is(p, at, TERM_IN) || !unit)
        return;
    while (of >= 0 && token_kind(p, of, TOKEN_COMMA))
        of--;
    if (!token_kind(p, of, TOKEN_VALUE) || p->token[of].value->kind != VALUE_DURATION)
        return;
    struct value *value = value_make(p, *p->token[of].value);
    value->part = unit;
    p->token[of].value = value;
    token_use(p, at, at + 1);
}

static bool
is_side(const struct parser *p, int at)
{
    return at >= 0 && at < p->count && p->token[at].item->len == 1 &&
           lexicon_flags(p->lexicon,
                         p->reading->words.at[p->token[at].item->begin].stem) &
               FLAG_SIDE;
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
    if (is_mark(p, first - 1, '(') && is_mark(p, last + 1, ')'))
        first--, last++;
    for (int i = first; i <= last; i++) {
        p->token[i].kind = TOKEN_COMMA;
        p->token[i].is_used = true;
    }
}

void
parse_derived(struct parser *p)
{
    for (int i = 0; i < p->count; i++)
        take_sides(p, i);
    take_names(p);
    for (int i = 0; i < p->count; i++)
        take_formula(p, i);
    define_names(p);
    define_before_colon(p);
    for (int i = 0; i < p->count; i++)
        take_duration(p, i);
    for (int i = 1; i < p->count; i++)
        take_unit(p, i);
}
