/*
 * How sure an answer is: what each doubt about it leaves, multiplied.
 *
 * Each row of the tables says how much less often answers with that doubt were right,
 * over the tables of questions, where those that no rule had been made for yet count
 * twice (docs/planner.md).
 */
#include "bridge/planner/tokens/parser.h"

static bool
is_key(const struct query *query, int column)
{
    for (unsigned i = 0; i < query->keys; i++)
        if (query->key[i]->kind == VALUE_COLUMN && query->key[i]->column == column)
            return true;
    return false;
}

/* Another column that the same words may mean as well, and that the answer leaves out.
 */
static bool
has_rival(const struct parser *p, const struct token *token)
{
    for (unsigned i = 0; i < token->item->links; i++) {
        const struct link *link = &token->item->link[i];

        if (link->column != token->value->column && token->score < 0.95f &&
            link->score > token->score - 0.05f && !is_key(p->query, link->column))
            return true;
    }
    return false;
}

/* --- how often each doubt is there --- */

static unsigned
always(const struct parser *p)
{
    (void)p;
    return 1;
}

static unsigned
rivals(const struct parser *p)
{
    unsigned count = 0;

    for (int i = 0; i < p->count; i++)
        count += token_kind(p, i, TOKEN_VALUE) && p->token[i].item &&
                 p->token[i].value->kind == VALUE_COLUMN && has_rival(p, &p->token[i]);
    return count;
}

/* "flights" in a table that is not called so. */
static unsigned
guessed_nouns(const struct parser *p)
{
    unsigned count = 0;

    for (int i = 0; i < p->count; i++)
        count += token_kind(p, i, TOKEN_ROWS) && !p->token[i].is_noun;
    return count;
}

static unsigned
corrected_words(const struct parser *p)
{
    unsigned count = 0;

    for (size_t i = 0; i < p->reading->words.count; i++)
        count += p->reading->words.at[i].corrected;
    return count;
}

/* More words than a plain question has. */
static unsigned
further_words(const struct parser *p)
{
    const size_t plain = 6;

    return p->reading->words.count > plain ? (unsigned)(p->reading->words.count - plain)
                                           : 0;
}

/* "got", "went", "still": fillers that may have meant something. */
static unsigned
passed_words(const struct parser *p)
{
    unsigned count = 0;

    for (size_t i = 0; i < p->reading->words.count; i++)
        count += lexicon_lists(p->lexicon, "word.passed", p->reading->words.at[i].text);
    return count;
}

static unsigned
unsaid_aggregates(const struct parser *p)
{
    unsigned count = 0;

    for (unsigned i = 0; i < p->query->amounts; i++)
        count |= p->query->amount[i].is_implied;
    return count;
}

/* One number: a word that was read otherwise shows in nothing beside it. */
static unsigned
numbers(const struct parser *p)
{
    return p->query->shape == SHAPE_NUMBER;
}

/* "women and men" that are taken together, and may be meant each for itself. */
static unsigned
pooled_sets(const struct parser *p)
{
    unsigned count = 0;

    for (unsigned i = 0; i < p->query->tests; i++) {
        const struct test *test = &p->query->test[i];
        bool is_key = false;

        for (unsigned k = 0; k < p->query->keys; k++)
            is_key |= query_value_is_same(p->query->key[k], test->of);
        count += test->op == OP_IN && !is_key;
    }
    return count;
}

static unsigned
several_keys(const struct parser *p)
{
    return p->query->keys > 1;
}

static unsigned
several_amounts(const struct parser *p)
{
    return p->query->amounts > 1;
}

static unsigned
unasked_chart(const struct parser *p)
{
    return p->query->shape == SHAPE_CHART && !p->has_explicit_chart;
}

static unsigned
tables(const struct parser *p)
{
    return p->query->shape == SHAPE_TABLE && !p->query->is_table_asked;
}

static unsigned
lists(const struct parser *p)
{
    return p->query->shape == SHAPE_ROWS || p->query->shape == SHAPE_OUTLIERS;
}

static unsigned
along_time(const struct parser *p)
{
    return p->query->along != ALONG_NONE;
}

static unsigned
compared(const struct parser *p)
{
    return p->query->is_compared;
}

static unsigned
shares(const struct parser *p)
{
    return p->query->share == SHARE_TOTAL || p->query->share == SHARE_WITHIN ||
           p->query->share == SHARE_PART || p->query->share == SHARE_GROUPS ||
           p->query->share == SHARE_TOP;
}

static const struct {
    unsigned (*times)(const struct parser *);
    double leaves;
} doubts[] = {
    {always,            0.97},
    {further_words,     0.98},
    {corrected_words,   0.88},
    {numbers,           0.96},
    {pooled_sets,       0.90},
    {guessed_nouns,     0.95},
    {rivals,            0.90},
    {passed_words,      0.80},
    {unsaid_aggregates, 0.80},
    {several_keys,      0.94},
    {several_amounts,   0.86},
    {unasked_chart,     0.99},
    {tables,            0.82},
    {lists,             0.75},
    {along_time,        0.96},
    {compared,          0.89},
    {shares,            0.74},
};

/* What is assumed, and said. */
static const struct {
    const char *note;
    double leaves;
} notes[] = {
    {"assume.time",      0.90},
    {"assume.clock",     0.80},
    {"assume.count",     0.77},
    {"assume.grain",     0.74},
    {"assume.event",     0.92},
    {"assume.newcomers", 0.92},
    {"assume.ratio",     0.84},
    {"assume.counts",    0.84},
    {"assume.bins",      0.85},
    {"assume.formula",   0.96},
    {"assume.distinct",  0.85},
    {"assume.span",      0.93},
    {"assume.opposite",  0.94},
    {"assume.seasons",   0.97},
    {"assume.nokey",     0.94},
    {"assume.root",      0.94},
    {"assume.known",     0.85},
    {"assume.measure",   0.92},
};

static double
left_by(const char *note)
{
    for (size_t i = 0; i < COUNT_OF(notes); i++)
        if (strcmp(notes[i].note, note) == 0)
            return notes[i].leaves;
    return 1;
}

/* How well the words fit the column that fits them least. */
static double
least_score(const struct parser *p)
{
    double least = 1;

    for (int i = 0; i < p->count; i++)
        if (token_kind(p, i, TOKEN_VALUE) && p->token[i].value->kind == VALUE_COLUMN &&
            (double)p->token[i].score < least)
            least = (double)p->token[i].score;
    return least;
}

void
parse_weigh(struct parser *p)
{
    for (size_t i = 0; i < COUNT_OF(doubts); i++)
        for (unsigned k = doubts[i].times(p); k > 0; k--)
            p->confidence *= doubts[i].leaves;
    for (unsigned i = 0; i < p->notes; i++)
        p->confidence *= left_by(p->note[i].key);
    p->confidence *= 0.5 + 0.5 * least_score(p);
}
