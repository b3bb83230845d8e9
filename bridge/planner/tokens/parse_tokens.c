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

/* "records per mode", "between records with and without an alarm" */
static bool
is_rows_of(const struct parser *p, const struct item *item, const struct item *before)
{
    static const enum term terms[] = {TERM_PER, TERM_BY, TERM_EACH, TERM_WITH,
                                      TERM_EXCEPT};
    const struct item *next = item + 1;

    if (item->term != TERM_ROWS || item->len != 1 ||
        next >= p->reading->item + p->reading->count || next->kind != ITEM_TERM ||
        (before && before->kind == ITEM_TERM && before->term == TERM_SHOW))
        return false;
    for (size_t i = 0; i < COUNT_OF(terms); i++)
        if (next->term == terms[i])
            return true;
    return false;
}

/* "count rows", but "show rows". */
static bool
is_counted_rows(const struct parser *p, const struct item *item)
{
    const struct item *before = item > p->reading->item ? item - 1 : NULL;

    if (is_rows_of(p, item, before))
        return true;
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

/* "late", of which a table has a `LateAircraftDelay`, too. */
static bool
is_part_of_long_name(const struct parser *p, const struct item *item,
                     const struct word *word)
{
    const struct link *link = &item->link[0];

    return item->len == 1 && link->score < 0.7f &&
           p->frame->column[link->column].words.count > 2 &&
           lexicon_lists(p->lexicon, "word.late", word->text);
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
        if (is_part_of_long_name(p, item, word))
            return TOKEN_UNKNOWN;
        /* "2" does not name `no2` */
        return item->len == 1 && word->kind == WORD_NUMBER &&
                       p->frame->column[item->link[0].column].words.count > 1
                   ? TOKEN_NUMBER
                   : TOKEN_VALUE;
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
    const bool is_named = /* "bonus %" of `bonus_pct` */
        at > 0 && reading->item[at - 1].kind == ITEM_COLUMN &&
        column_is_called(&p->frame->column[reading->item[at - 1].link[0].column],
                         p->lexicon, "word.percents");
    return is_unit || is_change || is_named ? TERM_FILLER : TERM_SHARE;
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
                            .is_plural = len > 3 && words_is_plural(noun)};
    if (kind != TOKEN_VALUE)
        return;
    token->value = value_of_column(p, resolve(p, item));
    token->score = item->link[0].score;
    join_sides(p, token);
}

/* What says it otherwise than the operators read. */
static void
name_tokens(struct parser *p)
{
    parse_bounds_plus(p);
    parse_units_said(p);
    parse_codes(p);
    parse_rows_unique(p);
    parse_only_all(p);
    parse_cells_said(p);
    parse_phrases(p);
    parse_explained(p);
    parse_several(p);
    parse_days_counted(p);
    parse_times(p);
    parse_where(p);
    parse_order(p);
    parse_tails(p);
    parse_means(p);
    parse_only(p);
    parse_deadlines(p);
    parse_rate_name_columns(p);
    parse_phrases_drop_said(p);
    parse_absorb(p);
}

void
parse_tokens(struct parser *p)
{
    const struct reading *reading = p->reading;

    p->room = (int)(2 * reading->count + 1);
    p->token = arena_alloc(p->arena, (size_t)p->room, sizeof(*p->token));
    for (size_t i = 0; i < reading->count; i++) {
        const struct item *item = &reading->item[i];
        const struct word *word = &reading->words.at[item->begin];
        enum token_kind kind = kind_of(p, item, word);
        unsigned flags = lexicon_flags(p->lexicon, word->stem);
        enum term term = term_of(p, i);
        bool is_thing = kind == TOKEN_TERM && term == TERM_FILLER &&
                        (flags & FLAG_DRAW) && is_counted_thing(p, word);
        p->wants_picture |= (flags & FLAG_DRAW) && !is_thing;
        if (is_thing || (kind == TOKEN_TERM && (parse_small_is_done(p, item) ||
                                                parse_small_is_spending(p, item) ||
                                                parse_small_is_lasting(p, item))))
            kind = TOKEN_UNKNOWN;
        int cell = kind == TOKEN_TERM ? parse_meant_cell(p, item, word) : -1;
        if (kind == TOKEN_UNKNOWN && item->len == 1 && is_season(p, word)) {
            kind = TOKEN_TERM;
            term = TERM_SEASON;
        }
        if (parse_small_is_none(p, item)) {
            kind = TOKEN_TERM;
            term = TERM_NOT;
            cell = -1;
        }
        if (token_is_one(p, word) || parse_small_is_number(p, item))
            kind = TOKEN_NUMBER;
        p->wants_who |= (flags & FLAG_WHO) &&
                        (p->count == 0 || token_kind(p, p->count - 1, TOKEN_COMMA));
        if (kind == TOKEN_TERM && term == TERM_FILLER && cell < 0)
            continue;
        if (parse_small_is_noise(p, item, kind))
            continue;
        if (kind == TOKEN_UNKNOWN && !parse_small_is_spending(p, item) &&
            parse_events_is(p, i))
            continue;
        if (kind == TOKEN_UNKNOWN && item->len == 1 &&
            (cell = parse_parts_find(p, word)) >= 0)
            parser_note(p, "assume.root", word->text, p->frame->value[cell].text);
        add_token(p, item, kind, term, cell);
    }
    name_tokens(p);
}
