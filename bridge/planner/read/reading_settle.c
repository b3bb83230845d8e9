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

/* "how many invoice lines": rows, and not how they are drawn. */
static void
tell_lines(struct reading *reading)
{
    bool counts = false;

    for (size_t i = 0; i < reading->count; i++)
        counts |= reading->item[i].kind == ITEM_TERM &&
                  (reading->item[i].term == TERM_HOW_MANY ||
                   reading->item[i].term == TERM_COUNT);
    for (size_t i = 0; i < reading->count; i++) {
        struct item *item = &reading->item[i];
        const struct word *word = &reading->words.at[item->begin];
        const bool is_noun = frame_is_noun(reading->frame, word->stem) && i == 0;

        if (item->kind == ITEM_TERM && item->term == TERM_LINE && item->len == 1 &&
            (counts || is_noun) && words_is_plural(word->text))
            item->term = TERM_ENTITY;
    }
}

static int
value_in(const struct reading *reading, const struct word *word, int column)
{
    int found = frame_find_value(reading->frame, words_squash(0, word->text));

    while (found >= 0 && reading->frame->value[found].column != column)
        found = reading->frame->value[found].next;
    return found;
}

/* "for A, B and C": the first of them is no article. */
static void
tell_a_from_article(struct reading *reading)
{
    for (size_t i = 0; i + 2 < reading->count; i++) {
        struct item *item = &reading->item[i];
        const struct word *word = &reading->words.at[item->begin];
        const struct item *joint = &reading->item[i + 1], *next = &reading->item[i + 2];
        const bool is_joint = reading->words.at[joint->begin].text[0] == ',' ||
                              (joint->kind == ITEM_TERM &&
                               (joint->term == TERM_AND || joint->term == TERM_OR ||
                                joint->term == TERM_VERSUS));

        if (item->kind != ITEM_TERM || item->term != TERM_FILLER || item->len != 1 ||
            reading->question.data[word->begin] != 'A' || strlen(word->text) != 1 ||
            !is_joint || next->kind != ITEM_VALUE)
            continue;
        const int value =
            value_in(reading, word, reading->frame->value[next->value].column);
        if (value < 0)
            continue;
        item->kind = ITEM_VALUE;
        item->value = value;
    }
}

/* "number of As", "how many Fs": grades, of which there are several. */
static void
tell_letters(struct reading *reading)
{
    for (size_t i = 1; i < reading->count; i++) {
        struct item *item = &reading->item[i];
        const struct word *word = &reading->words.at[item->begin];
        const char *text = reading->question.data + word->begin;

        /* a word that stands for others is not in the question */
        if (word->end > reading->question.len || word->end - word->begin != 2 ||
            item->len != 1 || text[0] < 'A' || text[0] > 'Z' || text[1] != 's' ||
            (item->kind != ITEM_TERM && item->kind != ITEM_UNKNOWN))
            continue;
        const char letter[] = {(char)(text[0] - 'A' + 'a'), 0};
        const int value = frame_find_value(reading->frame, words_squash(0, letter));
        if (value < 0)
            continue;
        item->kind = ITEM_VALUE;
        item->value = value;
    }
}

/* "above the overall average": of what, the words behind it say. */
static bool
is_compared(const struct reading *reading, size_t at)
{
    static const enum term terms[] = {TERM_GREATER, TERM_LESS,       TERM_GREATER_EQUAL,
                                      TERM_OVER,    TERM_LESS_EQUAL, TERM_THAN};
    const struct item *before = at ? &reading->item[at - 1] : NULL;
    bool is_one = false;

    if (before && before->kind == ITEM_TERM && before->term == TERM_FILLER && at > 1)
        before--;
    for (size_t i = 0; before && i < COUNT_OF(terms); i++)
        is_one |= before->kind == ITEM_TERM && before->term == terms[i];
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
            !is_compared(reading, i) &&
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

/* "what was ordered as rush", "orders ordered by Acme": what was done, and no order
 * that an answer is to come in. */
static void
tell_ordered(struct reading *reading)
{
    for (size_t i = 1; i < reading->count; i++) {
        struct item *item = &reading->item[i];
        const struct item *before = item - 1;
        const bool is_said_of = before->kind == ITEM_TERM && before->term == TERM_IS;
        const bool is_of_cell =
            i + 1 < reading->count && reading->item[i + 1].kind == ITEM_VALUE;

        if (item->kind != ITEM_TERM || item->term != TERM_SORT ||
            !(is_said_of || is_of_cell) ||
            !lexicon_lists(reading->lexicon, "word.booked",
                           reading->words.at[item->begin].text))
            continue;
        item->kind = ITEM_UNKNOWN;
        item->len = 1;
    }
}

static bool
is_joint(const struct item *item)
{
    return item->kind == ITEM_COMMA ||
           (item->kind == ITEM_TERM &&
            (item->term == TERM_VERSUS || item->term == TERM_AND ||
             item->term == TERM_OR));
}

/* "sold versus withdrawn" of a status, where a date is called "sold", too. */
static void
tell_cells_of_pairs(struct reading *reading)
{
    for (size_t i = 0; i + 2 < reading->count; i++) {
        struct item *one = &reading->item[i], *other = &reading->item[i + 2];
        const bool is_first = one->kind != ITEM_VALUE;
        struct item *item = is_first ? one : other, *cell = is_first ? other : one;

        if (!is_joint(&reading->item[i + 1]) || cell->kind != ITEM_VALUE ||
            item->kind != ITEM_COLUMN || item->len != 1 ||
            (item->link[0].score >= 0.95f &&
             reading->frame->column[item->link[0].column].kind != COLUMN_DATE))
            continue;
        const int value = value_in(reading, &reading->words.at[item->begin],
                                   reading->frame->value[cell->value].column);
        if (value < 0)
            continue;
        item->kind = ITEM_VALUE;
        item->value = value;
    }
}

/* --- columns that are meant as surely as each other --- */

static bool
has_word(const struct column *column, uint64_t stem)
{
    for (size_t i = 0; i < column->words.count; i++)
        if (column->words.at[i].stem == stem)
            return true;
    return false;
}

bool
reading_is_said_by(const struct reading *reading, enum term term,
                   const struct column *column)
{
    const bool is_high = term == TERM_HIGH || term == TERM_MAX,
               is_low = term == TERM_LOW || term == TERM_MIN;
    if (!is_high && !is_low)
        return false;
    AUTO(arena) struct arena arena = {0};
    const char *list = lexicon_say(reading->lexicon, &arena, "word.lone", NULL, 0);
    const struct words ends = words_split(&arena, slice_of(list ? list : ""), 4);

    if (ends.count < 2 || !has_word(column, ends.at[is_high].stem))
        return false;
    for (int i = 0; i < reading->frame->columns; i++)
        if (has_word(&reading->frame->column[i], ends.at[!is_high].stem))
            return true;
    return false; /* the minutes of `delay_min` */
}

/* "highest temperature" of `TMax_C` and `TMin_C`: the first of them; "revenue" of
 * `amt_paid` and `discount_amt`; "price" of what was asked and what was paid. */
static bool
suits(const struct reading *reading, const struct item *item, unsigned at)
{
    const struct column *column = &reading->frame->column[item->link[at].column];
    const char *text = reading->words.at[item->begin].text;
    const bool is_behind = item > reading->item && item[-1].kind == ITEM_TERM;
    const bool is_money = lexicon_lists(reading->lexicon, "word.monies", text) ||
                          lexicon_lists(reading->lexicon, "word.pricing", text);

    return (is_behind && reading_is_said_by(reading, item[-1].term, column)) ||
           (item->len == 1 && is_money &&
            column_is_called(column, reading->lexicon, "word.settled"));
}

/* "per sq ft": of the house, and not of its garden. */
static void
prefer_floor(const struct reading *reading, struct item *item)
{
    const uint64_t stem = reading->words.at[item->begin + item->len - 1].stem;
    const struct column *columns = reading->frame->column;

    if (item->kind != ITEM_COLUMN ||
        !(lexicon_flags(reading->lexicon, stem) & FLAG_UNIT) ||
        column_is_called(&columns[item->link[0].column], reading->lexicon,
                         "word.floors"))
        return;
    for (unsigned i = 1; i < item->links; i++)
        if (column_is_called(&columns[item->link[i].column], reading->lexicon,
                             "word.floors")) {
            item->link[0].column = item->link[i].column;
            item->links = 1;
            return;
        }
}

/* "which carrier" of `airline` and `carrier_delay`: the one that has a name. */
static void
prefer_named(const struct reading *reading, struct item *item)
{
    const struct column *columns = reading->frame->column;

    if (item == reading->item || item[-1].kind != ITEM_TERM ||
        item[-1].term != TERM_WHICH || item->kind != ITEM_COLUMN || item->len != 1 ||
        item->link[0].score >= 0.95f ||
        columns[item->link[0].column].kind != COLUMN_NUMBER)
        return;
    for (unsigned i = 1; i < item->links; i++)
        if (columns[item->link[i].column].role == ROLE_NOMINAL) {
            item->link[0].column = item->link[i].column;
            item->links = 1;
            return;
        }
}

static void
prefer_suiting(struct reading *reading)
{
    for (size_t k = 0; k < reading->count; k++) {
        struct item *item = &reading->item[k];

        prefer_floor(reading, item);
        prefer_named(reading, item);
        for (unsigned i = 1; item->kind == ITEM_COLUMN && i < item->links &&
                             item->link[i].score > item->link[0].score - 0.02f &&
                             !suits(reading, item, 0);
             i++) {
            if (!suits(reading, item, i))
                continue;
            const int column = item->link[i].column;
            item->link[i].column = item->link[0].column;
            item->link[0].column = column;
        }
    }
}

void
reading_settle(struct reading *reading)
{
    tell_rows_from_columns(reading);
    tell_overall(reading);
    tell_lines(reading);
    tell_a_from_article(reading);
    tell_letters(reading);
    tell_ordered(reading);
    tell_cells_of_pairs(reading);
    prefer_suiting(reading);
    join_tails(reading);
}
