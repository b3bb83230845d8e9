/* The words of a question, one by one. */
#include "bridge/planner/tokens/parser.h"

#include <limits.h>
#include <math.h>

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
token_is_mark(const struct parser *p, int at, char mark)
{
    return token_kind(p, at, TOKEN_MARK) && p->token[at].text[0] == mark;
}

unsigned
token_flags(const struct parser *p, int at)
{
    return lexicon_flags(p->lexicon,
                         p->reading->words.at[p->token[at].item->begin].stem);
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

void
token_drop(struct parser *p, int from, int to)
{
    token_use(p, from, to);
    for (int i = from < 0 ? 0 : from; i <= to && i < p->count; i++)
        p->token[i].kind = TOKEN_COMMA;
}

void
token_set_aside(struct parser *p, int at)
{
    const struct token moved = p->token[at];

    memmove(&p->token[at], &p->token[at + 1],
            (size_t)(p->count - at - 1) * sizeof(moved));
    p->token[p->count - 1] = moved;
    token_drop(p, p->count - 1, p->count - 1);
}

bool
token_is_pronoun(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_ROWS) &&
           lexicon_lists(p->lexicon, "word.one", p->token[at].text);
}

const char *
token_text(struct parser *p, int at)
{
    struct slice text = reading_text(p->reading, p->token[at].item);

    return text.len ? arena_text(p->arena, text.data, text.len) : p->token[at].text;
}

const struct column *
token_column(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_VALUE) ? value_column(p, p->token[at].value) : NULL;
}

/* [from, to] become one value. */
const struct column *
token_cell_column(const struct parser *p, int at)
{
    return &p->frame->column[p->frame->value[p->token[at].item->value].column];
}

void
token_make_room(struct parser *p, int at, int count)
{
    if (p->count + count > p->room) {
        p->room = 2 * (p->count + count);
        struct token *wider = arena_alloc(p->arena, (size_t)p->room, sizeof(*wider));

        memcpy(wider, p->token, (size_t)p->count * sizeof(*wider));
        p->token = wider;
    }
    memmove(&p->token[at + count], &p->token[at],
            (size_t)(p->count - at) * sizeof(*p->token));
    p->count += count;
}

void
token_put_term(struct parser *p, int at, enum term term)
{
    token_make_room(p, at, 1);
    p->token[at] = p->token[at + 1];
    p->token[at].kind = TOKEN_TERM;
    p->token[at].term = term;
    p->token[at].is_used = false;
}

void
token_become(struct parser *p, int from, int to, const struct value *value)
{
    p->token[from] = (struct token){.kind = TOKEN_VALUE,
                                    .value = value,
                                    .score = 1,
                                    .item = p->token[from].item,
                                    .text = p->token[from].text};
    memmove(&p->token[from + 1], &p->token[to + 1],
            (size_t)(p->count - to - 1) * sizeof(*p->token));
    p->count -= to - from;
}

void
token_become_other(struct parser *p, int from, int to, const struct value *value)
{
    struct item *item = arena_alloc(p->arena, 1, sizeof(*item));

    *item = *p->token[from].item;
    item->kind = ITEM_UNKNOWN;
    p->token[from].item = item;
    token_become(p, from, to, value);
}

static const struct word *
word_at(const struct parser *p, int at, bool last)
{
    const struct item *item = p->token[at].item;

    return &p->reading->words.at[item->begin + (last ? item->len - 1 : 0)];
}

bool
token_is_hyphen(const struct parser *p, int at)
{
    return at > 0 && at + 1 < p->count && token_kind(p, at, TOKEN_MARK) &&
           p->token[at].text[0] == '-' &&
           word_at(p, at - 1, true)->end == word_at(p, at, false)->begin &&
           word_at(p, at, true)->end == word_at(p, at + 1, false)->begin;
}

bool
token_is_plus_behind(const struct parser *p, int at)
{
    const bool is_last = at + 1 >= p->count || token_kind(p, at + 1, TOKEN_STOP) ||
                         token_kind(p, at + 1, TOKEN_COMMA) ||
                         token_kind(p, at + 1, TOKEN_MARK);

    return token_is_mark(p, at, '+') && token_kind(p, at - 1, TOKEN_NUMBER) &&
           word_at(p, at - 1, true)->end == word_at(p, at, false)->begin &&
           (is_last || word_at(p, at, true)->end < word_at(p, at + 1, false)->begin);
}

/* "more than one claim", "at least one": a number, not a thing. */
bool
token_is_one(const struct parser *p, const struct word *word)
{
    static const enum term before[] = {TERM_GREATER,    TERM_GREATER_EQUAL, TERM_LESS,
                                       TERM_LESS_EQUAL, TERM_EQUAL,         TERM_ONLY};

    if (!lexicon_lists(p->lexicon, "word.one", word->text))
        return false;
    for (size_t i = 0; i < COUNT_OF(before); i++)
        if (token_is(p, p->count - 1, before[i]))
            return true;
    return false;
}

bool
token_is_bound(const struct parser *p, int at)
{
    static const enum term terms[] = {TERM_GREATER, TERM_OVER, TERM_GREATER_EQUAL,
                                      TERM_LESS, TERM_LESS_EQUAL};

    for (size_t i = 0; i < COUNT_OF(terms); i++)
        if (token_is(p, at, terms[i]))
            return true;
    return false;
}

enum query_part
token_part(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_TERM) ? parser_part(p->token[at].term) : PART_NONE;
}

bool
token_is_extreme(const struct parser *p, int at)
{
    return token_is(p, at, TERM_HIGH) || token_is(p, at, TERM_LOW) ||
           token_is(p, at, TERM_TOP) || token_is(p, at, TERM_BOTTOM);
}

bool
token_is_end(const struct parser *p, int at)
{
    return (token_is(p, at, TERM_TOP) || token_is(p, at, TERM_BOTTOM)) &&
           lexicon_lists(p->lexicon, "word.ends", p->token[at].text);
}

int
token_whole(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_NUMBER) && fabs(p->token[at].number) <= INT_MAX
               ? (int)p->token[at].number
               : 0;
}

bool
token_is_this(const struct parser *p, int at)
{
    const size_t word = token_part(p, at) ? p->token[at].item->begin : 0;

    return word > 0 && p->token[at].item->len == 1 &&
           lexicon_lists(p->lexicon, "word.this", p->reading->words.at[word - 1].text);
}

bool
token_is_ordinal(const struct parser *p, int at)
{
    return token_is(p, at, TERM_UNIT) && token_kind(p, at + 1, TOKEN_ROWS) &&
           (token_is(p, at - 1, TERM_EACH) || token_is(p, at - 1, TERM_PER));
}

bool
token_names_rows(const struct parser *p, int at)
{
    const struct column *column = token_column(p, at);

    return token_kind(p, at, TOKEN_ROWS) ||
           (column && column->is_unique && column->role == ROLE_KEY);
}

bool
token_has_currency(const struct parser *p, int at)
{
    const size_t begin = p->reading->words.at[p->token[at].item->begin].begin;

    const unsigned char before =
        begin ? (unsigned char)p->reading->question.data[begin - 1] : 0;

    return before == '$' || before >= 0x80; /* of "£", "€" */
}

bool
token_has_percent(const struct parser *p, int at)
{
    const struct slice question = p->reading->question;
    size_t end = p->reading->words.at[p->token[at].item->begin].end;

    while (end < question.len && question.data[end] == ' ')
        end++;
    return end < question.len && question.data[end] == '%';
}

void
token_bring_forward(struct parser *p, int from, int to)
{
    const struct token moved = p->token[from];

    memmove(&p->token[to + 1], &p->token[to], (size_t)(from - to) * sizeof(moved));
    p->token[to] = moved;
}

bool
token_is_beside(const struct token *before, const struct token *token)
{
    return token->item->begin == before->item->begin + before->item->len;
}

bool
token_is_said_by(const struct parser *p, int at, const struct column *column)
{
    return token_kind(p, at, TOKEN_TERM) &&
           reading_is_said_by(p->reading, p->token[at].term, column);
}
