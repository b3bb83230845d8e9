/*
 * The clauses that stand apart from what is drawn: order, how many, and bins.
 */
#include <math.h>

#include "bridge/planner/draft/draft.h"

enum {
    BACK_MAX = 14, /* items that a clause reaches back */
    DEFAULT_LIMIT = 10,
};

static bool
is_break(const struct item *item)
{
    return !item || item->kind == ITEM_STOP || item->kind == ITEM_COMMA;
}

static bool
has_term(const struct item *item, enum term term)
{
    return item && item->term == term &&
           (item->kind == ITEM_TERM || item->kind == ITEM_COLUMN);
}

/* --- order --- */

static bool
is_direction(const struct item *item)
{
    return item && item->kind == ITEM_TERM && !item->is_used &&
           (item->term == TERM_ASCENDING || item->term == TERM_DESCENDING ||
            item->term == TERM_ALPHABETIC);
}

/* "orders" and "ranks" are things. */
static bool
is_verb(const struct draft *draft, const struct item *item)
{
    const char *last = draft->reading->words.at[item->begin + item->len - 1].text;
    size_t len = strlen(last);

    return len && (last[len - 1] != 's' || item->len > 1);
}

/* "show" and "list" order only inside a sentence: ", list in ascending by the names".
 */
static bool
opens_clause(const struct draft *draft, size_t at)
{
    const struct item *item = draft_item(draft, at);

    if (has_term(item, TERM_SORT))
        return true;
    if (!has_term(item, TERM_SHOW) || at == 0)
        return false;
    const struct item *before = draft_item(draft, at - 1);
    return !is_break(before) || before->kind == ITEM_COMMA;
}

static size_t
clause_start(const struct draft *draft, size_t at)
{
    for (size_t back = 0, i = at; i > 0 && back < BACK_MAX; back++, i--) {
        if (opens_clause(draft, i - 1))
            return i - 1;
        if (is_break(draft_item(draft, i - 1)))
            break;
    }
    return at;
}

/* Where a clause ends that starts at `from` and gives the direction at `at`. */
static size_t
clause_end(const struct draft *draft, size_t from, size_t at)
{
    static const enum term inside[] = {
        TERM_BY,     TERM_IN,        TERM_OF,     TERM_FOR,    TERM_FROM,
        TERM_FILLER, TERM_X_AXIS,    TERM_Y_AXIS, TERM_BARS,   TERM_NAMES,
        TERM_COUNT,  TERM_HOW_MANY,  TERM_SUM,    TERM_MEAN,   TERM_MAX,
        TERM_MIN,    TERM_SORT,      TERM_BAR,    TERM_AMOUNT, TERM_ASCENDING,
        TERM_ENTITY, TERM_DESCENDING};
    size_t i = at + 1;

    for (; !is_break(draft_item(draft, i)); i++) {
        const struct item *item = draft_item(draft, i);
        bool belongs =
            item->kind == ITEM_COLUMN || (item->kind == ITEM_UNKNOWN && from < at);

        for (size_t k = 0; k < COUNT_OF(inside) && !belongs; k++)
            belongs = item->kind == ITEM_TERM && item->term == inside[k];
        if (!belongs)
            break;
    }
    return i;
}

/* What the clause orders by: the number shown, the names shown, or a column. */
static void
read_axis(struct draft *draft, size_t from, size_t to)
{
    static const struct {
        enum term term;
        enum plan_axis axis;
    } words[] = {
        {TERM_COUNT,    AXIS_Y},
        {TERM_HOW_MANY, AXIS_Y},
        {TERM_AMOUNT,   AXIS_Y},
        {TERM_SUM,      AXIS_Y},
        {TERM_MEAN,     AXIS_Y},
        {TERM_MAX,      AXIS_Y},
        {TERM_MIN,      AXIS_Y},
        {TERM_Y_AXIS,   AXIS_Y},
        {TERM_X_AXIS,   AXIS_X},
        {TERM_BARS,     AXIS_X},
        {TERM_BAR,      AXIS_X},
        {TERM_NAMES,    AXIS_X},
    };
    struct plan *plan = &draft->plan;

    for (size_t w = 0; w < COUNT_OF(words); w++)
        for (size_t i = from; i < to; i++)
            if (draft_is_term(draft, i, words[w].term)) {
                plan->sort = words[w].axis;
                return;
            }
    for (size_t i = from; i < to; i++)
        if (draft_item(draft, i)->kind == ITEM_COLUMN &&
            !(i == from && has_term(draft_item(draft, i), TERM_SORT))) {
            plan->sort = AXIS_COLUMN;
            plan->sort_column = draft_item(draft, i)->link[0].column;
            return;
        }
    plan->sort = AXIS_Y;
}

static void
take_direction(struct draft *draft, size_t at)
{
    size_t from = clause_start(draft, at), to = clause_end(draft, from, at);
    enum term term = draft_item(draft, at)->term;

    read_axis(draft, from, to);
    if (term == TERM_ALPHABETIC && draft->plan.sort == AXIS_Y)
        draft->plan.sort = AXIS_X;
    draft->plan.is_descending = term == TERM_DESCENDING;
    draft_use(draft, from, to);
}

/* "rows sorted by name", "cars sorted by weight" */
static bool
is_rows(const struct item *item)
{
    return item->kind == ITEM_UNKNOWN ||
           (item->kind == ITEM_TERM &&
            (item->term == TERM_ROWS || item->term == TERM_ENTITY));
}

/* "sorted by Name" without a direction; at the start, "sort types by number of films"
 * says what to draw as well, so only the verb is taken. */
static void
take_sort(struct draft *draft, size_t at)
{
    size_t to = at + 1;

    if (draft_is_term(draft, to, TERM_FILLER))
        to++;
    if (!is_verb(draft, draft_item(draft, at)) ||
        (draft_item(draft, at)->len == 1 && at >= 2 &&
         !draft_is_term(draft, to, TERM_BY)))
        return;
    if (at < 2 && !(at == 1 && is_rows(draft_item(draft, 0)))) {
        draft->plan.sort = AXIS_Y;
        draft->plan.is_descending = true;
        draft_use(draft, at, at + 1);
        return;
    }
    to = clause_end(draft, at, at);
    if (to == at + 1)
        return;
    read_axis(draft, at, to);
    draft->plan.is_descending = false;
    draft_use(draft, at, to);
}

void
draft_sort(struct draft *draft)
{
    for (size_t i = 0; i < draft->reading->count; i++)
        if (is_direction(draft_item(draft, i)))
            take_direction(draft, i);
    for (size_t i = 0; i < draft->reading->count && !draft->plan.sort; i++)
        if (draft_is_term(draft, i, TERM_SORT) && !draft_item(draft, i)->is_used)
            take_sort(draft, i);
}

/* --- how many --- */

static bool
ranks(const struct item *item, bool *is_low)
{
    if (!item || item->kind != ITEM_TERM)
        return false;
    *is_low = item->term == TERM_BOTTOM || item->term == TERM_LOW;
    return *is_low || item->term == TERM_TOP || item->term == TERM_HIGH;
}

static bool
is_small_count(const struct item *item)
{
    return item && item->kind == ITEM_NUMBER && item->number >= 1 &&
           item->number <= 1000 && item->number == floor(item->number);
}

static void
set_limit(struct draft *draft, int limit, bool is_low)
{
    draft->plan.limit = limit;
    draft->plan.sort = AXIS_Y;
    draft->plan.is_descending = !is_low;
    draft->wants_rank = true;
    draft->rank_is_low = is_low;
}

/* "top countries", and not "first class" */
static bool
is_plural(const struct draft *draft, const struct item *item)
{
    return words_is_plural(draft->reading->words.at[item->begin + item->len - 1].text);
}

/* "the past 12 months": which rows, and not how many of them. */
static bool
is_of_time(const struct item *item, const struct item *unit)
{
    return item->term == TERM_BOTTOM && unit && unit->kind == ITEM_TERM &&
           unit->term >= TERM_YEAR && unit->term <= TERM_DAY;
}

void
draft_limit(struct draft *draft)
{
    bool is_low;

    for (size_t i = 0; i < draft->reading->count; i++) {
        const struct item *item = draft_item(draft, i),
                          *next = draft_item(draft, i + 1);

        if (item->is_used)
            continue;
        if (ranks(item, &is_low) && is_small_count(next) &&
            !is_of_time(item, draft_item(draft, i + 2))) {
            set_limit(draft, (int)next->number, is_low);
            draft->limited = i + 2;
            draft_use(draft, i, i + 2);
            if (ranks(draft_item(draft, i + 2), &is_low)) /* "top 5 highest" */
                draft_use(draft, i + 2, i + 3);
        } else if (is_small_count(item) && ranks(next, &is_low)) {
            set_limit(draft, (int)item->number, is_low);
            draft->limited = i + 2;
            draft_use(draft, i, i + 2);
        } else if (item->kind == ITEM_TERM && item->term == TERM_TOP && next &&
                   (next->kind == ITEM_COLUMN || next->kind == ITEM_UNKNOWN) &&
                   is_plural(draft, next)) {
            set_limit(draft, DEFAULT_LIMIT, false);
            draft_use(draft, i, i + 1);
        }
    }
}

/* --- bins --- */

static enum plan_grain
grain_of(const struct item *item)
{
    static const struct {
        enum term term;
        enum plan_grain grain;
    } grains[] = {
        {TERM_YEAR,    GRAIN_YEAR   },
        {TERM_QUARTER, GRAIN_QUARTER},
        {TERM_MONTH,   GRAIN_MONTH  },
        {TERM_WEEK,    GRAIN_WEEK   },
        {TERM_DAY,     GRAIN_DAY    },
        {TERM_WEEKDAY, GRAIN_WEEKDAY},
        {TERM_HOUR,    GRAIN_HOUR   },
    };

    for (size_t i = 0; item && i < COUNT_OF(grains); i++)
        if (item->term == grains[i].term)
            return grains[i].grain;
    return GRAIN_NONE;
}

static bool
is_clause_end(const struct item *item)
{
    return !item || item->kind == ITEM_STOP;
}

/* "bin X by weekday", "(bin into year interval)", "bin X by time". */
static bool
take_grain(struct draft *draft, size_t at)
{
    for (size_t i = at + 1; i < at + 8 && !is_clause_end(draft_item(draft, i)); i++) {
        const struct item *item = draft_item(draft, i);
        enum plan_grain grain = item->kind == ITEM_TERM ? grain_of(item) : GRAIN_NONE;

        if (!grain && item->kind == ITEM_COLUMN && item->len == 1 && i > at + 1 &&
            draft_is_term(draft, i - 1, TERM_BY))
            grain = grain_of(item); /* a column is called "year" too */
        if (item->kind == ITEM_TERM && item->term == TERM_TIME)
            grain = GRAIN_MONTH;
        if (item->kind == ITEM_COLUMN && draft->bin_column < 0 && !grain)
            draft->bin_column = item->link[0].column;
        if (!grain)
            continue;
        draft->plan.grain = grain;
        for (size_t k = at; k <= i; k++)
            if (draft_item(draft, k)->kind != ITEM_COLUMN || k == i)
                draft_use(draft, k, k + 1);
        if (draft_is_term(draft, i + 1, TERM_BIN))
            draft_use(draft, i + 1, i + 2);
        return true;
    }
    return false;
}

static void
take_width(struct draft *draft, size_t at, bool is_size)
{
    size_t low = at > 3 ? at - 3 : 0, found = SIZE_MAX;
    bool is_before = false;

    for (size_t i = at + 1; i <= at + 2 && found == SIZE_MAX; i++)
        if (draft_item(draft, i) && draft_item(draft, i)->kind == ITEM_NUMBER)
            found = i;
    for (size_t i = at; i > low && found == SIZE_MAX; i--)
        if (draft_item(draft, i - 1)->kind == ITEM_NUMBER) {
            found = i - 1;
            is_before = true;
        }
    draft_use(draft, at, at + 1);
    if (found == SIZE_MAX)
        return;
    double number = draft_item(draft, found)->number;
    bool is_count = !is_size && number <= 30 && number >= 2 &&
                    ((is_before && found + 1 == at) ||
                     (at > 0 && draft_is_term(draft, at - 1, TERM_COUNT)));
    if (is_count)
        draft->plan.bins = (int)number;
    else if (number > 0)
        draft->plan.bin_width = number;
    draft_use(draft, is_before ? found : at, is_before ? at : found + 1);
}

/* "per month" where no column has dates, and one is called "month". */
static bool
becomes_column(struct draft *draft, size_t at)
{
    struct item *item = draft_item(draft, at);
    const struct word *last =
        &draft->reading->words.at[item->begin + item->len - 1]; /* "monthly" is none */

    for (int i = 0; i < draft->frame->columns; i++)
        if (draft_column(draft, i)->kind == COLUMN_DATE)
            return false;
    for (int i = 0; i < draft->frame->columns; i++) {
        const struct words *words = &draft_column(draft, i)->words;

        if (words->count != 1 || words->at[0].stem != last->stem)
            continue;
        item->kind = ITEM_COLUMN;
        item->link[0] = (struct link){i, 1};
        item->links = 1;
        item->is_by = true;
        return true;
    }
    return false;
}

void
draft_bin(struct draft *draft)
{
    for (size_t i = 0; i < draft->reading->count; i++) {
        const struct item *item = draft_item(draft, i);

        if (item->is_used || item->kind != ITEM_TERM ||
            (item->term != TERM_BIN && item->term != TERM_BIN_SIZE))
            continue;
        draft->has_bin = true;
        if (item->term == TERM_BIN && take_grain(draft, i))
            continue;
        take_width(draft, i, item->term == TERM_BIN_SIZE);
    }
    for (size_t i = 0; i < draft->reading->count && !draft->plan.grain; i++) {
        const struct item *item = draft_item(draft, i);
        enum plan_grain grain = item->kind == ITEM_TERM ? grain_of(item) : GRAIN_NONE;
        const struct item *before = i ? draft_item(draft, i - 1) : NULL;

        if (!grain || item->is_used ||
            (before &&
             (before->kind == ITEM_NUMBER || has_term(before, TERM_HOW_MANY))))
            continue;
        if (becomes_column(draft, i))
            continue;
        draft->plan.grain = grain;
        draft->wishes |= WISH_TIME;
        draft_use(draft, i, i + 1);
    }
}
