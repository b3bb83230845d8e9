/*
 * Words that pick rows by how much they have of something: superlatives rank them, and
 * vague adjectives leave open where to cut.
 */
#include <math.h>

#include "bridge/planner/draft/draft.h"

enum {
    MANY = 10, /* "the lightest cars" */
    COUNT_MAX = 1000,
};

static const struct word *
first_word(const struct draft *draft, const struct item *item)
{
    return &draft->reading->words.at[item->begin];
}

static bool
is_plural(const struct draft *draft, const struct item *item)
{
    return words_is_plural(draft->reading->words.at[item->begin + item->len - 1].text);
}

static bool
ranks(const struct draft *draft, size_t at)
{
    return draft_is_term(draft, at, TERM_HIGH) || draft_is_term(draft, at, TERM_LOW) ||
           draft_is_term(draft, at, TERM_TOP) || draft_is_term(draft, at, TERM_BOTTOM);
}

/* --- vague adjectives --- */

/* What may stand behind an adjective: a word for the rows, or for groups of them. */
static bool
is_thing(const struct draft *draft, const struct item *item)
{
    if (!item)
        return false;
    if (item->kind == ITEM_UNKNOWN)
        return is_plural(draft, item) ||
               frame_is_noun(draft->frame, first_word(draft, item)->stem);
    if (item->kind == ITEM_TERM)
        return item->term == TERM_ENTITY;
    if (item->kind != ITEM_COLUMN)
        return false;
    enum column_role role = draft_column(draft, item->link[0].column)->role;
    return role == ROLE_NOMINAL || role == ROLE_KEY;
}

static bool
is_predicate(const struct draft *draft, size_t at)
{
    const struct item *next = draft_item(draft, at + 1);

    return at > 0 && (!next || next->kind == ITEM_STOP) &&
           (draft_is_term(draft, at - 1, TERM_IS) ||
            draft_is_term(draft, at - 1, TERM_WHOSE));
}

/* "with high mpg" */
static bool
is_degree(const struct draft *draft, size_t at)
{
    const struct item *item = draft_item(draft, at), *next = draft_item(draft, at + 1);
    size_t before = at;

    while (before > 0 && draft_is_term(draft, before - 1, TERM_FILLER))
        before--;
    return item->kind == ITEM_TERM && next && next->kind == ITEM_COLUMN && before > 0 &&
           (draft_is_term(draft, before - 1, TERM_WITH) ||
            draft_is_term(draft, before - 1, TERM_WHOSE));
}

/* "best students by score" says what makes them so. */
static bool
has_measure(const struct draft *draft)
{
    for (size_t i = 0; i < draft->reading->count; i++) {
        const struct item *item = draft_item(draft, i);

        if (draft_is_term(draft, i, TERM_COUNT) ||
            (item->kind == ITEM_COLUMN &&
             draft_column(draft, item->link[0].column)->role == ROLE_QUANTITY))
            return true;
    }
    return false;
}

void
draft_vague(struct draft *draft)
{
    for (size_t i = 0; i < draft->reading->count; i++) {
        struct item *item = draft_item(draft, i);
        const struct word *word = first_word(draft, item);

        if (item->len != 1 || word->quote || word->superlative ||
            !(lexicon_flags(draft->reading->lexicon, word->stem) & FLAG_VAGUE) ||
            item->kind == ITEM_VALUE ||
            (ranks(draft, i) && !is_degree(draft, i) && has_measure(draft)))
            continue;
        if (!is_thing(draft, draft_item(draft, i + 1)) && !is_predicate(draft, i) &&
            !is_degree(draft, i))
            continue;
        item->kind = ITEM_UNKNOWN;
        item->links = 0;
        item->is_vague = true;
    }
}

/* --- superlatives --- */

static bool
is_count(const struct item *item)
{
    return item && item->kind == ITEM_NUMBER && !item->is_used && item->number >= 1 &&
           item->number <= COUNT_MAX && item->number == floor(item->number);
}

/* "5 lightest", "lightest 5", "top 5 lightest": the number, taken. */
static int
take_count(struct draft *draft, size_t at)
{
    size_t found = SIZE_MAX;

    if (is_count(draft_item(draft, at + 2)))
        found = at + 2;
    else if (at > 0 && is_count(draft_item(draft, at - 1)))
        found = at - 1;
    if (found == SIZE_MAX)
        return 0;
    draft_use(draft, found, found + 1);
    if (found > 0 && found < at && ranks(draft, found - 1))
        draft_use(draft, found - 1, found);
    return (int)draft_item(draft, found)->number;
}

void
draft_find_rank(struct draft *draft)
{
    for (size_t i = 0; i + 1 < draft->reading->count && !draft->rank.is_there; i++) {
        const struct item *item = draft_item(draft, i),
                          *next = draft_item(draft, i + 1);

        if (item->kind != ITEM_TERM || !ranks(draft, i) || next->kind != ITEM_COLUMN ||
            !first_word(draft, item)->superlative)
            continue;
        draft->rank = (struct rank){
            .at = i,
            .column = draft_resolve(draft, next, true),
            .count = take_count(draft, i),
            .is_low = item->term == TERM_LOW,
            .is_there = true,
        };
    }
}

/* Groups are ranked by their numbers, and not the rows in them; or a number is asked.
 */
static bool
is_about_groups(const struct draft *draft)
{
    for (size_t i = 0; i < draft->reading->count; i++) {
        const struct item *item = draft_item(draft, i);

        if (item->kind != ITEM_COLUMN || item->is_used || i == draft->rank.at + 1 ||
            item->link[0].score < 0.6f)
            continue;
        const struct column *column = draft_column(draft, item->link[0].column);
        if (item->link[0].column == draft->rank.column)
            return true; /* "age of the oldest": the number itself */
        if (!(column->last_flags & (FLAG_LABEL | FLAG_KEY)) &&
            (column->role == ROLE_NOMINAL || column->role == ROLE_TIME))
            return true;
    }
    return false;
}

static void
limit_to(struct draft *draft, int count)
{
    draft->plan.limit = count;
    draft->plan.sort = AXIS_Y;
    draft->plan.is_descending = !draft->rank.is_low;
    draft->wants_rank = true;
    draft->rank_is_low = draft->rank.is_low;
}

void
draft_rank(struct draft *draft)
{
    struct rank *rank = &draft->rank;
    const struct item *column = draft_item(draft, rank->at + 1),
                      *thing = draft_item(draft, rank->at + 2);

    if (!rank->is_there || column->is_used || rank->column < 0 ||
        draft->wishes & WISH_CHART || is_about_groups(draft)) {
        if (rank->is_there && rank->count)
            limit_to(draft, rank->count);
        rank->column = -1;
        return;
    }
    if (thing && thing->kind == ITEM_NUMBER)
        thing = draft_item(draft, rank->at + 3);
    if (!rank->count)
        rank->count = thing && is_plural(draft, thing) ? MANY : 1;
    limit_to(draft, rank->count);
    draft_use(draft, rank->at, rank->at + 2);
    if (column->link[0].score < 0.9f)
        draft_note(draft, "assume.rank", draft_column(draft, rank->column)->name, NULL);
}
