/* A reading as tokens, and what the operators' parsers do with them. */
#include <ctype.h>

#include "bridge/planner/parse/parser.h"

enum {
    ROOT_LEAST = 5, /* letters that "cancellation" and "cancelled" share */
    ROOT_VALUES_MAX = 60,
};

bool
token_kind(const struct parser *p, int at, enum token_kind kind)
{
    return at >= 0 && at < p->count && p->token[at].kind == kind;
}

bool
token_is(const struct parser *p, int at, enum term term)
{
    return token_kind(p, at, TOKEN_TERM) && p->token[at].term == term;
}

bool
token_is_free(const struct parser *p, int at)
{
    return at >= 0 && at < p->count && !p->token[at].is_used;
}

void
token_use(struct parser *p, int from, int to)
{
    for (int i = from < 0 ? 0 : from; i <= to && i < p->count; i++)
        p->token[i].is_used = true;
}

const char *
token_text(struct parser *p, int at)
{
    struct slice text = reading_text(p->reading, p->token[at].item);

    return text.len ? arena_text(p->arena, text.data, text.len) : p->token[at].text;
}

struct value *
value_make(struct parser *p, struct value value)
{
    struct value *made = arena_alloc(p->arena, 1, sizeof(*made));

    *made = value;
    return made;
}

struct value *
value_of_column(struct parser *p, int column)
{
    return value_make(p, (struct value){.kind = VALUE_COLUMN, .column = column});
}

const struct column *
value_column(const struct parser *p, const struct value *value)
{
    return value && value->kind == VALUE_COLUMN ? &p->frame->column[value->column]
                                                : NULL;
}

const struct column *
token_column(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_VALUE) ? value_column(p, p->token[at].value) : NULL;
}

bool
value_is_quantity(const struct parser *p, const struct value *value)
{
    const struct column *column = value_column(p, value);

    if (!column)
        return value->kind == VALUE_ARITHMETIC || value->kind == VALUE_DURATION;
    return column->is_measured || column->role == ROLE_QUANTITY ||
           (column->role == ROLE_DISCRETE && column->kind == COLUMN_NUMBER &&
            !column_is_binary(column));
}

bool
value_is_flag(const struct parser *p, const struct value *value)
{
    const struct column *column = value_column(p, value);

    return column && (column->yes || column_is_binary(column));
}

bool
value_is_date(const struct parser *p, const struct value *value)
{
    const struct column *column = value_column(p, value);

    return column && column->kind == COLUMN_DATE;
}

struct test *
test_add(struct parser *p, const struct value *of, enum plan_operator op)
{
    struct query *query = p->query;

    if (query->tests == TESTS_MAX) {
        parser_refuse(p, "refuse.tests", "");
        return &query->test[TESTS_MAX - 1];
    }
    p->test_at[query->tests] = p->at;
    struct test *test = &query->test[query->tests++];
    *test = (struct test){.of = of, .op = op};
    return test;
}

void
test_operand(struct test *test, struct operand operand)
{
    if (test->operands < OPERANDS_MAX)
        test->operand[test->operands++] = operand;
}

bool
key_add(struct parser *p, const struct value *value)
{
    struct query *query = p->query;

    for (unsigned i = 0; i < query->keys; i++)
        if (value_is_same(query->key[i], value))
            return true;
    if (query->keys == KEYS_MAX) {
        parser_refuse(p, "refuse.keys", "");
        return false;
    }
    query->key[query->keys++] = value;
    return true;
}

struct amount *
amount_add(struct parser *p, enum query_aggregate reduce, const struct value *of)
{
    struct query *query = p->query;

    for (unsigned i = 0; i < query->amounts; i++)
        if (query->amount[i].reduce == reduce && value_is_same(query->amount[i].of, of))
            return &query->amount[i];
    if (query->amounts == AMOUNTS_MAX) {
        parser_refuse(p, "refuse.amounts", "");
        return &query->amount[AMOUNTS_MAX - 1];
    }
    query->amount[query->amounts] = (struct amount){.reduce = reduce, .of = of};
    return &query->amount[query->amounts++];
}

void
parser_note(struct parser *p, const char *key, const char *a, const char *b)
{
    if (p->notes < PARSER_NOTES_MAX)
        p->note[p->notes++] = (struct parser_note){
            key, {a ? a : "", b ? b : ""}
        };
}

void
parser_refuse(struct parser *p, const char *key, const char *about)
{
    if (p->refusal)
        return;
    p->refusal = key;
    p->about = about;
}

static size_t
shared(const char *a, const char *b)
{
    size_t len = 0;

    while (a[len] && tolower((unsigned char)a[len]) == tolower((unsigned char)b[len]))
        len++;
    return len;
}

static bool
is_root(const char *word, const char *other)
{
    size_t len = shared(word, other), least = strlen(word), size = strlen(other);

    if (size < least)
        least = size;
    return len >= ROOT_LEAST && (len + 3 >= least || len > ROOT_LEAST) &&
           strchr(other, ' ') == NULL;
}

/* How likely a column of dates is the time that a question speaks of. */
static int
time_score(const struct parser *p, int column)
{
    const struct column *about = &p->frame->column[column];
    int score = about->kind == COLUMN_DATE ? 100 : 0;
    struct words full = about->words;

    if (about->flags & FLAG_BIRTH)
        score -= 50;
    for (int i = 0; i < p->count; i++) {
        if (token_column(p, i) == about && p->token[i].score >= 0.6f)
            score += 40;
        for (size_t k = 0; k < full.count; k++)
            if (p->token[i].kind != TOKEN_VALUE &&
                is_root(p->token[i].text, full.at[k].text))
                score += 20;
    }
    return score;
}

int
parser_time(struct parser *p)
{
    int best = -1, most = -1, many = 0, runner = -1;

    for (int i = 0; i < p->frame->columns; i++) {
        if (p->frame->column[i].role != ROLE_TIME)
            continue;
        int score = time_score(p, i);
        many += score >= 60;
        if (score > most) {
            runner = most;
            most = score;
            best = i;
        } else if (score > runner) {
            runner = score;
        }
    }
    if (many > 1 && runner == most)
        parser_note(p, "assume.time", p->frame->column[best].name, NULL);
    return best;
}

enum query_part
part_of_term(enum term term)
{
    static const enum query_part parts[TERM_TOTAL] = {
        [TERM_YEAR] = PART_YEAR,
        [TERM_QUARTER] = PART_QUARTER,
        [TERM_MONTH] = PART_MONTH,
        [TERM_WEEK] = PART_WEEK,
        [TERM_DAY] = PART_DAY,
        [TERM_HOUR] = PART_HOUR,
        [TERM_WEEKDAY] = PART_WEEKDAY,
        [TERM_WEEKEND] = PART_WEEKEND,
        [TERM_MONTH_OF_YEAR] = PART_MONTH_NAME,
    };

    return parts[term];
}

/* --- roots --- */

static bool
root_of_column(struct parser *p, const char *word, struct test *test)
{
    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];
        const struct value value = {.kind = VALUE_COLUMN, .column = i};

        if (!value_is_flag(p, &value))
            continue;
        for (size_t k = 0; k < column->words.count; k++)
            if (is_root(word, column->words.at[k].text)) {
                *test = (struct test){.of = value_of_column(p, i), .op = OP_EQ};
                return true;
            }
    }
    return false;
}

bool
parser_root(struct parser *p, const char *word, struct test *test)
{
    if (strlen(word) < ROOT_LEAST)
        return false;
    if (root_of_column(p, word, test))
        return true;
    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];
        size_t at;
        json_t *text;

        if (column->kind != COLUMN_TEXT ||
            json_array_size(column->values) > ROOT_VALUES_MAX)
            continue;
        json_array_foreach (column->values, at, text)
            if (is_root(word, json_string_value(text))) {
                *test = (struct test){.of = value_of_column(p, i), .op = OP_EQ};
                test_operand(test, (struct operand){.text = json_string_value(text)});
                return true;
            }
    }
    return false;
}

/* --- from the reading --- */

static float
fit(const struct column *column, bool number)
{
    static const float names[] = {
        [ROLE_QUANTITY] = 0, [ROLE_DISCRETE] = 0.1f, [ROLE_NOMINAL] = 0.2f,
        [ROLE_TIME] = 0.18f, [ROLE_KEY] = 0.05f,
    };
    static const float numbers[] = {
        [ROLE_QUANTITY] = 0.2f, [ROLE_DISCRETE] = 0.15f, [ROLE_NOMINAL] = 0,
        [ROLE_TIME] = 0,        [ROLE_KEY] = 0.02f,
    };

    return number ? numbers[column->role] : names[column->role];
}

const struct value *
value_wanted(struct parser *p, int at, bool number)
{
    const struct token *token = &p->token[at];
    int best = -1;
    float most = -1;

    if (token->value->kind != VALUE_COLUMN || token->item->kind != ITEM_COLUMN)
        return token->value;
    for (unsigned i = 0; i < token->item->links; i++) {
        const struct link *link = &token->item->link[i];
        float score = link->score + fit(&p->frame->column[link->column], number);

        if (link->score > token->item->link[0].score - 0.25f && score > most) {
            most = score;
            best = link->column;
        }
    }
    return best < 0 || best == token->value->column ? token->value
                                                    : value_of_column(p, best);
}

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

static bool
is_rows(const struct parser *p, const struct item *item, const struct word *word)
{
    bool is_noun = frame_is_noun(p->frame, word->stem) ||
                   (item->kind == ITEM_UNKNOWN &&
                    lexicon_flags(p->lexicon, word->stem) & FLAG_ROWS);

    if (item->kind == ITEM_UNKNOWN)
        return is_noun && item->len == 1;
    if (item->kind == ITEM_TERM)
        return item->len == 1 &&
               (item->term == TERM_EQUAL || item->term == TERM_FILLER) &&
               frame_is_noun(p->frame, word->stem);
    return item->kind == ITEM_COLUMN && item->len == 1 && item->link[0].score < 0.93f &&
           frame_is_noun(p->frame, word->stem);
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
    if (is_rows(p, item, word))
        return TOKEN_ROWS;
    switch (item->kind) {
    case ITEM_TERM:
        return item->term == TERM_ENTITY ? TOKEN_ROWS : TOKEN_TERM;
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

/* "never" is a value where a column that is named has it. */
static int
cell_of(const struct parser *p, const struct item *item, const struct word *word)
{
    if (item->len != 1 || item->term != TERM_NOT || word->kind != WORD_TEXT)
        return -1;
    for (int v = frame_find_value(p->frame, words_squash(0, word->text)); v >= 0;
         v = p->frame->value[v].next)
        for (size_t i = 0; i < p->reading->count; i++)
            if (p->reading->item[i].kind == ITEM_COLUMN &&
                p->reading->item[i].link[0].column == p->frame->value[v].column &&
                p->frame->column[p->frame->value[v].column].unique > 2)
                return v;
    return -1;
}

/* "insurance type": a word that says little adds nothing to the column before it. */
static void
absorb_generic(struct parser *p)
{
    for (int i = 1; i < p->count; i++) {
        const struct token *token = &p->token[i], *before = &p->token[i - 1];

        if (token->kind == TOKEN_VALUE && before->kind == TOKEN_VALUE &&
            token->score < 0.7f && before->score > token->score &&
            token->item->begin == before->item->begin + before->item->len &&
            lexicon_flags(p->lexicon, p->reading->words.at[token->item->begin].stem) &
                FLAG_GENERIC)
            p->token[i].kind = TOKEN_COMMA;
    }
}

void
parse_tokens(struct parser *p)
{
    const struct reading *reading = p->reading;

    p->token = arena_alloc(p->arena, reading->count + 1, sizeof(*p->token));
    for (size_t i = 0; i < reading->count; i++) {
        const struct item *item = &reading->item[i];
        const struct word *word = &reading->words.at[item->begin];
        size_t len = strlen(word->text);
        enum token_kind kind = kind_of(p, item, word);

        unsigned flags = lexicon_flags(p->lexicon, word->stem);
        enum term term = term_of(p, i);
        p->wants_picture |= (flags & FLAG_DRAW) != 0;
        if (kind == TOKEN_TERM && term == TERM_FILLER)
            continue;
        int cell = kind == TOKEN_TERM ? cell_of(p, item, word) : -1;
        if (cell >= 0) {
            struct item *copy = arena_alloc(p->arena, 1, sizeof(*copy));
            *copy = *item;
            copy->value = cell;
            item = copy;
            kind = TOKEN_CELL;
        }
        struct token *token = &p->token[p->count++];
        *token = (struct token){.kind = kind,
                                .term = term,
                                .item = item,
                                .is_noun = item->kind == ITEM_TERM ||
                                           frame_is_noun(p->frame, word->stem),
                                .number = item->number,
                                .text = word->text,
                                .is_plural = len > 3 && word->text[len - 1] == 's'};
        if (kind != TOKEN_TERM)
            token->term = TERM_NONE;
        if (kind == TOKEN_VALUE) {
            token->value = value_of_column(p, resolve(p, item));
            token->score = item->link[0].score;
        }
    }
    absorb_generic(p);
}
