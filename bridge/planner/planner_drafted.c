/* A question's reading as drafts take it: with what the algebra knows of its words. */
#include "bridge/planner/planner_session.h"

/* A draft marks the items that it has used, and makes some into others. */
static struct reading *
copy_reading(struct planner_session *s, const struct reading *reading)
{
    struct reading *copy = arena_alloc(s->arena, 1, sizeof(*copy));

    *copy = *reading;
    copy->item = arena_alloc(s->arena, reading->count + 1, sizeof(*copy->item));
    memcpy(copy->item, reading->item, reading->count * sizeof(*copy->item));
    return copy;
}

/* Text of numbers ("$1,200") is numbers to a draft: its programs convert it. */
static const struct frame *
with_numbers(struct planner_session *s, const struct frame *frame)
{
    struct frame *copy = arena_alloc(s->arena, 1, sizeof(*copy));
    bool has_measured = false;

    *copy = *frame;
    copy->column =
        arena_alloc(s->arena, (size_t)frame->columns + 1, sizeof(*copy->column));
    for (int i = 0; i < frame->columns; i++) {
        copy->column[i] = frame->column[i];
        if (!frame->column[i].is_measured)
            continue;
        has_measured = true;
        copy->column[i].kind = COLUMN_NUMBER;
    }
    return has_measured ? copy : frame;
}

static bool
is_noun_of_rows(const struct reading *reading, const struct item *item)
{
    return item->len == 1 &&
           frame_is_noun(reading->frame, reading->words.at[item->begin].stem);
}

/* "histogram of invoice amounts": what rows amount to, not how many there are. */
static void
name_amounts(struct reading *drafted, struct parser *parser)
{
    for (size_t i = 1; i < drafted->count; i++) {
        struct item *item = &drafted->item[i], *noun = item - 1;

        if (item->kind != ITEM_TERM || item->term != TERM_AMOUNT || item->len != 1 ||
            !is_noun_of_rows(drafted, noun))
            continue;
        const int column = parser_roots_amount(parser);
        if (column < 0)
            return;
        item->kind = ITEM_COLUMN;
        item->links = 1;
        item->link[0] = (struct link){column, 0.8f};
        noun->kind = ITEM_TERM;
        noun->term = TERM_FILLER;
    }
}

static bool
asks_for_histogram(const struct reading *drafted)
{
    for (size_t i = 0; i < drafted->count; i++)
        if (drafted->item[i].kind == ITEM_TERM &&
            drafted->item[i].term == TERM_HISTOGRAM)
            return true;
    return false;
}

static bool
opens_key(const struct item *before)
{
    static const enum term opens[] = {TERM_BY, TERM_PER, TERM_EACH, TERM_AND};

    for (size_t i = 0; i < COUNT_OF(opens); i++)
        if (before->kind == ITEM_TERM && before->term == opens[i])
            return true;
    return before->kind == ITEM_COMMA;
}

/* A number of what `whose` names, or a kind of it. */
static bool
is_head_of(const struct reading *drafted, const struct item *item,
           const struct item *whose, bool is_histogram)
{
    const struct column *column = &drafted->frame->column[item->link[0].column],
                        *name = &drafted->frame->column[whose->link[0].column];

    if (is_histogram && column->role == ROLE_QUANTITY && name->role == ROLE_NOMINAL &&
        whose->len == 1)
        return true; /* "histogram of queue waiting times" */
    if (name->last_flags & FLAG_KEY && column->role == ROLE_NOMINAL &&
        !(column->last_flags & (FLAG_KEY | FLAG_LABEL)) &&
        (whose == drafted->item || !opens_key(whose - 1)) &&
        words_is_plural(drafted->words.at[item->begin + item->len - 1].text))
        return true; /* "the sample matrices" */
    return name->last_flags & FLAG_KEY
               ? column->role <= ROLE_DISCRETE
               : name->last_flags & FLAG_LABEL && item->len == 1 &&
                     column_is_called(column, drafted->lexicon, "word.kinds") &&
                     lexicon_lists(drafted->lexicon, "word.kinds",
                                   drafted->words.at[item->begin].text);
}

/* "distribution of customer ratings" of a `cust_no` and a score: the scores. */
static void
name_heads(struct reading *drafted, bool is_histogram)
{
    for (size_t i = 1; i < drafted->count; i++) {
        struct item *item = &drafted->item[i], *whose = item - 1;

        if (item->kind == ITEM_COLUMN && whose->kind == ITEM_COLUMN &&
            item->begin == whose->begin + whose->len && whose->link[0].score < 0.95f &&
            !words_is_plural(drafted->words.at[whose->begin].text) &&
            is_head_of(drafted, item, whose, is_histogram)) {
            whose->kind = ITEM_TERM;
            whose->term = TERM_FILLER;
        }
    }
}

/* "histogram of the daily maximum", where each row is a day's. */
static void
drop_daily(struct reading *drafted, struct parser *parser)
{
    for (size_t i = 1; i + 1 < drafted->count; i++) {
        struct item *item = &drafted->item[i];
        const struct item *before = item - 1, *next = item + 1;

        if (item->kind != ITEM_TERM || parser_part(item->term) != PART_DAY ||
            item->len != 1 || next->kind != ITEM_COLUMN ||
            words_is_plural(drafted->words.at[item->begin].text) || opens_key(before))
            continue;
        const int date = parser_roots_time(parser);
        if (date >= 0 && drafted->frame->column[date].has_no_clock)
            item->term = TERM_FILLER;
    }
}

struct reading *
planner_drafted(struct planner_session *s, const struct reading *reading,
                struct parser *parser)
{
    struct reading *drafted = copy_reading(s, reading);

    drafted->frame = with_numbers(s, reading->frame);
    name_amounts(drafted, parser);
    const bool is_histogram = asks_for_histogram(drafted);
    name_heads(drafted, is_histogram);
    if (is_histogram)
        drop_daily(drafted, parser);
    return drafted;
}
