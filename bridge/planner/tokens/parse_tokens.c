/* A reading as tokens. */
#include "bridge/planner/tokens/parse_events.h"

static int
resolve(const struct parser *p, const struct item *item)
{
    int best = item->link[0].column;

    for (unsigned i = 1;
         i < item->links && item->link[i].score > item->link[0].score - 0.02f; i++)
        if (p->frame->column[item->link[i].column].role < p->frame->column[best].role)
            best = item->link[i].column;
    return best;
}

/* "count rows", but "show rows". */
static bool
is_counted_rows(const struct parser *p, const struct item *item)
{
    const struct item *before = item > p->reading->item ? item - 1 : NULL;

    return item->term == TERM_ROWS && before && before->kind == ITEM_TERM &&
           (before->term == TERM_COUNT || before->term == TERM_HOW_MANY ||
            before->term == TERM_SHARE);
}

static bool
is_operator(const struct word *word)
{
    return word->kind == WORD_MARK && word->text[0] && !word->text[1] &&
           strchr("+-*/()", word->text[0]);
}

static enum token_kind
kind_of(const struct parser *p, const struct item *item, const struct word *word)
{
    if (is_operator(word) && item->len == 1)
        return TOKEN_MARK;
    if (parse_rows_is(p, item, word))
        return TOKEN_ROWS;
    switch (item->kind) {
    case ITEM_TERM:
        return item->term == TERM_ENTITY || is_counted_rows(p, item) ? TOKEN_ROWS
                                                                     : TOKEN_TERM;
    case ITEM_COLUMN:
        return TOKEN_VALUE;
    case ITEM_VALUE:
        return TOKEN_CELL;
    case ITEM_NUMBER:
        return TOKEN_NUMBER;
    case ITEM_DATE:
        return TOKEN_DATE;
    case ITEM_COMMA:
        return TOKEN_COMMA;
    case ITEM_STOP:
        return TOKEN_STOP;
    case ITEM_UNKNOWN:
        break;
    }
    return TOKEN_UNKNOWN;
}

/* "%" before a word asks for a share; behind a number it is its unit. */
static enum term
term_of(struct parser *p, size_t at)
{
    const struct reading *reading = p->reading;
    const struct item *item = &reading->item[at];

    if (item->len != 1 || strcmp(reading->words.at[item->begin].text, "%") != 0)
        return item->term;
    p->has_percent = true;
    bool is_unit = at > 0 && (reading->item[at - 1].kind == ITEM_NUMBER ||
                              (reading->item[at - 1].kind == ITEM_TERM &&
                               reading->item[at - 1].term == TERM_IN));
    bool is_change = at + 1 < reading->count &&
                     reading->item[at + 1].kind == ITEM_TERM &&
                     (reading->item[at + 1].term == TERM_CHANGE ||
                      reading->item[at + 1].term == TERM_GROWTH);
    return is_unit || is_change ? TERM_FILLER : TERM_SHARE;
}

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

static bool
is_beside(const struct token *before, const struct token *token)
{
    return token->item->begin == before->item->begin + before->item->len;
}

/* Whether a word of its own joins it to the column before. */
static bool
is_beside_other(const struct parser *p, int at)
{
    return !is_beside(&p->token[at - 1], &p->token[at]);
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

        if (before->kind == TOKEN_VALUE && is_weak && is_beside(before, token) &&
            is_tail(p, token))
            token->kind = TOKEN_COMMA;
        if (token->kind == TOKEN_VALUE && before->kind == TOKEN_TERM &&
            before->term == TERM_OF && i > 1 &&
            (p->token[i - 2].kind == TOKEN_UNKNOWN ||
             is_lesser(&p->token[i - 2], token)) &&
            is_tail(p, &p->token[i - 2]))
            p->token[i - 2].kind = TOKEN_COMMA;
    }
}

/* "port calls" in a table that has `port_dues`: what its rows are all about. */
static void
absorb_domain(struct parser *p)
{
    for (int i = 0; i + 1 < p->count; i++) {
        struct token *token = &p->token[i];
        uint64_t stem = p->reading->words.at[token->item->begin].stem;

        if (token->kind != TOKEN_UNKNOWN || p->token[i + 1].kind != TOKEN_ROWS ||
            token->item->len != 1 || !is_beside(token, &p->token[i + 1]) ||
            !frame_has_stem(p->frame, stem))
            continue;
        parser_note(p, "assume.event", token->text, NULL);
        token->kind = TOKEN_COMMA;
        token->is_used = true;
    }
}

/* "patient" of `patient_id`, half of its name. */
static bool
is_key_in_part(const struct parser *p, int at)
{
    const struct column *column = token_column(p, at);

    return column && column->flags & FLAG_KEY && p->token[at].score < 0.95f;
}

/* "average gift amount": the amount of a row, not a number of rows; "average patient
 * age".
 */
static void
absorb_rows(struct parser *p)
{
    for (int i = 1; i + 1 < p->count; i++) {
        const struct column *column = token_column(p, i + 1);

        if ((token_kind(p, i, TOKEN_ROWS) || is_key_in_part(p, i)) &&
            !p->token[i].is_plural && column &&
            value_is_quantity(p, p->token[i + 1].value) &&
            is_beside(&p->token[i], &p->token[i + 1]) &&
            (token_is(p, i - 1, TERM_MEAN) || token_is(p, i - 1, TERM_SUM) ||
             token_is(p, i - 1, TERM_MEDIAN) || token_is(p, i - 1, TERM_HIGH) ||
             token_is(p, i - 1, TERM_LOW))) {
            p->token[i].kind = TOKEN_COMMA;
            p->token[i].is_used = true;
        }
    }
}

/* "new members per month": those of that month. */
static void
absorb_new(struct parser *p)
{
    bool is_along = false;

    for (int i = 0; i < p->count; i++)
        is_along |= token_is(p, i, TERM_TIME) ||
                    (token_kind(p, i, TOKEN_TERM) && parser_part(p->token[i].term));
    for (int i = 0; is_along && i + 1 < p->count; i++)
        if (token_kind(p, i, TOKEN_UNKNOWN) &&
            (token_kind(p, i + 1, TOKEN_ROWS) ||
             (token_column(p, i + 1) && token_column(p, i + 1)->is_unique)) &&
            lexicon_lists(p->lexicon, "word.new", p->token[i].text)) {
            parser_note(p, "assume.event", p->token[i].text, NULL);
            p->token[i].kind = TOKEN_COMMA;
            p->token[i].is_used = true;
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
        for (int k = i + 3; k < number; k++) {
            p->token[k].kind = TOKEN_COMMA;
            p->token[k].is_used = true;
        }
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

        if (!(is_rank || is_order) || !column || !is_beside(token, next) ||
            !has_pair(column, last->stem, p->reading->words.at[next->item->begin].stem))
            continue;
        next->score = next->score < 0.85f ? 0.85f : next->score; /* two words of it */
        if (is_order && token->item->len > 1) {
            token->term = token->term == TERM_DESCENDING ? TERM_HIGH : TERM_LOW;
        } else if (is_rank) {
            token->kind = TOKEN_COMMA;
            token->is_used = true;
        }
    }
}

/* Whether two columns are called the same but for "home" and "away". */
static bool
are_sides(const struct parser *p, const struct column *a, const struct column *b)
{
    unsigned differ = 0;

    if (a == b || a->words.count != b->words.count)
        return false;
    for (size_t i = 0; i < a->words.count; i++) {
        uint64_t left = a->words.at[i].stem, right = b->words.at[i].stem;

        if (left == right)
            continue;
        differ++;
        if (!(lexicon_flags(p->lexicon, left) & FLAG_SIDE) ||
            !(lexicon_flags(p->lexicon, right) & FLAG_SIDE))
            return false;
    }
    return differ == 1;
}

/* "goals" of home_goals and away_goals: both together. */
static void
join_sides(struct parser *p, struct token *token)
{
    const struct item *item = token->item;
    const struct column *first = &p->frame->column[token->value->column];
    int other = -1;

    for (size_t k = 0; k < item->len; k++)
        if (lexicon_flags(p->lexicon, p->reading->words.at[item->begin + k].stem) &
            FLAG_SIDE)
            return;
    for (int i = 0; i < p->frame->columns && token->score < 0.9f; i++)
        if (are_sides(p, first, &p->frame->column[i]))
            other = i;
    if (other < 0 || !value_is_quantity(p, token->value))
        return;
    struct value *both =
        value_make(p, (struct value){.kind = VALUE_ARITHMETIC,
                                     .op = '+',
                                     .left = token->value,
                                     .right = value_of_column(p, other)});
    parser_note(p, "assume.formula", token->text,
                query_value_name(p->arena, p->frame, both));
    both->name = token->text;
    token->value = both;
    token->score = 0.9f;
    token->is_sided = true;
}

/* "season", where no column is called so: a part of the date. */
static bool
is_season(const struct parser *p, const struct word *word)
{
    const char *name = lexicon_say(p->lexicon, p->arena, "grain.season", NULL, 0);

    return name && word->stem == words_stem(name, strlen(name));
}

/* "number of draws": things, not a picture. */
static bool
is_counted_thing(const struct parser *p, const struct word *word)
{
    size_t len = strlen(word->text);
    int last = p->count - 1;

    while (token_is(p, last, TERM_OF))
        last--;
    return len > 3 && word->text[len - 1] == 's' &&
           (token_is(p, last, TERM_COUNT) || token_is(p, last, TERM_HOW_MANY) ||
            token_is(p, last, TERM_SHARE));
}

/* cell: the value that it stands for; -1: none. A number that is none in the reading is
 * the word for one. */
static void
add_token(struct parser *p, const struct item *item, enum token_kind kind,
          enum term term, int cell)
{
    const struct word *word = &p->reading->words.at[item->begin];
    const bool is_one = kind == TOKEN_NUMBER && word->kind != WORD_NUMBER;
    const char *last = p->reading->words.at[item->begin + item->len - 1].text;
    const char *noun = kind == TOKEN_VALUE ? last : word->text;
    size_t len = strlen(noun);

    if (cell >= 0) {
        struct item *copy = arena_alloc(p->arena, 1, sizeof(*copy));
        *copy = *item;
        copy->value = cell;
        item = copy;
        kind = TOKEN_CELL;
    }
    struct token *token = &p->token[p->count++];
    *token = (struct token){.kind = kind,
                            .term = kind == TOKEN_TERM ? term : TERM_NONE,
                            .item = item,
                            .is_noun = item->kind == ITEM_TERM ||
                                       frame_is_noun(p->frame, word->stem),
                            .number = is_one                      ? 1
                                      : item->kind == ITEM_NUMBER ? item->number
                                                                  : word->number,
                            .text = word->text,
                            .is_plural = len > 3 && noun[len - 1] == 's'};
    if (kind != TOKEN_VALUE)
        return;
    token->value = value_of_column(p, resolve(p, item));
    token->score = item->link[0].score;
    join_sides(p, token);
}

void
parse_tokens(struct parser *p)
{
    const struct reading *reading = p->reading;

    p->token = arena_alloc(p->arena, reading->count + 1, sizeof(*p->token));
    for (size_t i = 0; i < reading->count; i++) {
        const struct item *item = &reading->item[i];
        const struct word *word = &reading->words.at[item->begin];
        enum token_kind kind = kind_of(p, item, word);
        unsigned flags = lexicon_flags(p->lexicon, word->stem);
        enum term term = term_of(p, i);
        bool is_thing = kind == TOKEN_TERM && term == TERM_FILLER &&
                        (flags & FLAG_DRAW) && is_counted_thing(p, word);
        p->wants_picture |= (flags & FLAG_DRAW) && !is_thing;
        if (is_thing || (kind == TOKEN_TERM && parse_small_is_done(p, item)))
            kind = TOKEN_UNKNOWN;
        int cell = kind == TOKEN_TERM ? parse_meant_cell(p, item, word) : -1;
        if (kind == TOKEN_UNKNOWN && item->len == 1 && is_season(p, word)) {
            kind = TOKEN_TERM;
            term = TERM_SEASON;
        }
        if (token_is_one(p, word) || parse_small_is_number(p, item))
            kind = TOKEN_NUMBER;
        p->wants_who |= (flags & FLAG_WHO) && p->count == 0;
        if (kind == TOKEN_TERM && term == TERM_FILLER && cell < 0)
            continue;
        if (parse_small_is_noise(p, item, kind))
            continue;
        if (kind == TOKEN_UNKNOWN && parse_events_is(p, i))
            continue;
        if (kind == TOKEN_UNKNOWN && item->len == 1 &&
            (cell = parse_parts_find(p, word)) >= 0)
            parser_note(p, "assume.root", word->text, p->frame->value[cell].text);
        add_token(p, item, kind, term, cell);
    }
    parse_rate_name_columns(p);
    absorb_generic(p);
    absorb_domain(p);
    absorb_rows(p);
    absorb_first(p);
    absorb_new(p);
    join_extremes(p);
}
