/* What a word is that could be two things, by the words around it. */
#include "bridge/planner/read/reader.h"

/* "how many fields are organic": rows called so, and not the table's columns. */
static void
tell_rows_from_columns(struct reading *reading)
{
    struct item *named = NULL;
    bool says_more = false;

    for (size_t i = 0; i < reading->count; i++) {
        struct item *item = &reading->item[i];
        uint64_t stem = reading->words.at[item->begin].stem;

        says_more |= item->kind == ITEM_COLUMN || item->kind == ITEM_VALUE ||
                     item->kind == ITEM_NUMBER;
        if (item->kind == ITEM_TERM && item->term == TERM_COLUMNS && item->len == 1 &&
            lexicon_flags(reading->lexicon, stem) & FLAG_ROWS)
            named = item;
    }
    if (named && says_more)
        named->term = TERM_ENTITY;
}

static bool
is_aggregate(const struct item *item)
{
    static const enum term terms[] = {
        TERM_MEAN,  TERM_MEDIAN, TERM_MAX,   TERM_MIN,        TERM_HOW_MANY,
        TERM_COUNT, TERM_RATE,   TERM_SHARE, TERM_PERCENTILE, TERM_DEVIATION};
    bool is_one = false;

    for (size_t i = 0; i < COUNT_OF(terms); i++)
        is_one |= item->kind == ITEM_TERM && item->term == terms[i];
    return is_one;
}

/* "mean rating overall": of all rows, and not their sum. */
static void
tell_overall(struct reading *reading)
{
    bool has_aggregate = false;

    for (size_t i = 0; i < reading->count; i++)
        has_aggregate |= is_aggregate(&reading->item[i]);
    for (size_t i = 0; has_aggregate && i < reading->count; i++) {
        struct item *item = &reading->item[i];

        if (item->kind == ITEM_TERM && item->term == TERM_SUM &&
            lexicon_lists(reading->lexicon, "word.overall",
                          reading->words.at[item->begin].text))
            item->term = TERM_FILLER;
    }
}

/* "fuel types" of `fuel`, where `cust_type` is another. */
static bool
is_tail(const struct reading *reading, const struct item *item, const struct item *next)
{
    const unsigned flags =
        lexicon_flags(reading->lexicon, reading->words.at[next->begin].stem);

    return item->kind == ITEM_COLUMN && item->link[0].score >= 0.95f &&
           reading->frame->column[item->link[0].column].role == ROLE_NOMINAL &&
           next->kind == ITEM_COLUMN && next->len == 1 && next->link[0].score < 0.9f &&
           next->begin == item->begin + item->len && flags & FLAG_TAIL &&
           flags & FLAG_GENERIC;
}

static void
join_tails(struct reading *reading)
{
    size_t kept = 0;

    for (size_t i = 0; i < reading->count; i++) {
        if (kept && is_tail(reading, &reading->item[kept - 1], &reading->item[i]))
            reading->item[kept - 1].len++;
        else
            reading->item[kept++] = reading->item[i];
    }
    reading->count = kept;
}

void
reading_settle(struct reading *reading)
{
    tell_rows_from_columns(reading);
    tell_overall(reading);
    join_tails(reading);
}
