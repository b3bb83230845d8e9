/*
 * Which columns a question mentions, and in what place.
 */
#include "bridge/planner/draft/draft.h"

enum {
    REACH = 5, /* items from an aggregate to its column */
};

static const struct {
    enum term term;
    enum place_in_question place;
} places[] = {
    {TERM_BY,        PLACE_BY    },
    {TERM_PER,       PLACE_BY    },
    {TERM_DIVIDED,   PLACE_SERIES},
    {TERM_EACH,      PLACE_EACH  },
    {TERM_DIFFERENT, PLACE_EACH  },
    {TERM_OVER,      PLACE_OVER  },
    {TERM_VERSUS,    PLACE_VERSUS},
    {TERM_GROUP_BY,  PLACE_GROUP },
    {TERM_SERIES,    PLACE_SERIES},
    {TERM_STACKED,   PLACE_PLAIN },
    {TERM_FACET,     PLACE_FACET },
    {TERM_X_AXIS,    PLACE_X     },
    {TERM_Y_AXIS,    PLACE_Y     },
};

static const struct {
    enum term term;
    enum plan_aggregate aggregate;
} aggregates[] = {
    {TERM_MEAN,           AGG_MEAN    },
    {TERM_SUM,            AGG_SUM     },
    {TERM_HOW_MUCH,       AGG_SUM     },
    {TERM_MAX,            AGG_MAX     },
    {TERM_MIN,            AGG_MIN     },
    {TERM_MEDIAN,         AGG_MEDIAN  },
    {TERM_DEVIATION,      AGG_STD     },
    {TERM_COUNT,          AGG_COUNT   },
    {TERM_HOW_MANY,       AGG_COUNT   },
    {TERM_AMOUNT,         AGG_COUNT   },
    {TERM_DISTINCT,       AGG_DISTINCT},
    {TERM_COUNT_DISTINCT, AGG_DISTINCT},
    {TERM_HIGH,           AGG_MAX     },
    {TERM_LOW,            AGG_MIN     },
};

struct scan {
    struct draft *draft;
    enum place_in_question place;
    enum plan_aggregate aggregate;
    enum term aggregate_term;
    size_t aggregate_at;
    bool has_taken; /* a column stood in this place already */
    bool is_joined; /* only "and" or a comma since */
    enum term place_term;
};

static bool
find_place(enum term term, enum place_in_question *place)
{
    for (size_t i = 0; i < COUNT_OF(places); i++)
        if (places[i].term == term) {
            *place = places[i].place;
            return true;
        }
    return false;
}

static enum plan_aggregate
find_aggregate(enum term term)
{
    for (size_t i = 0; i < COUNT_OF(aggregates); i++)
        if (aggregates[i].term == term)
            return aggregates[i].aggregate;
    return AGG_NONE;
}

static bool
expects_name(enum place_in_question place)
{
    return place == PLACE_BY || place == PLACE_EACH || place == PLACE_SERIES ||
           place == PLACE_FACET || place == PLACE_GROUP || place == PLACE_OVER;
}

static bool
can_aggregate(const struct column *column)
{
    return column->role == ROLE_QUANTITY ||
           (column->is_numeric_text &&
            column->flags & (FLAG_ADDITIVE | FLAG_INTENSIVE));
}

/* "worldwide gross in total" */
static bool
bind_back(struct draft *draft, enum plan_aggregate aggregate)
{
    for (unsigned i = draft->mentions; i > 0; i--) {
        struct mention *mention = &draft->mention[i - 1];

        if (mention->aggregate == AGG_NONE && !expects_name(mention->place) &&
            can_aggregate(draft_column(draft, mention->column))) {
            mention->aggregate = aggregate;
            mention->place = PLACE_MEASURE;
            return true;
        }
    }
    return false;
}

/* An aggregate that no column followed: "the most films", "count by origin". */
static void
drop_aggregate(struct scan *scan)
{
    struct draft *draft = scan->draft;

    if (scan->aggregate == AGG_NONE)
        return;
    if (scan->aggregate_term == TERM_HIGH || scan->aggregate_term == TERM_LOW) {
        draft->wants_rank = true;
        draft->rank_is_low = scan->aggregate_term == TERM_LOW;
    } else if (scan->aggregate == AGG_COUNT || scan->aggregate == AGG_DISTINCT) {
        draft->has_count = true;
    } else if (!bind_back(draft, scan->aggregate)) {
        draft->aggregate = scan->aggregate;
    }
    scan->aggregate = AGG_NONE;
}

static bool
wants_number(const struct scan *scan)
{
    return scan->aggregate != AGG_NONE && scan->aggregate != AGG_COUNT &&
           scan->aggregate != AGG_DISTINCT;
}

static void
take_aggregate(struct scan *scan, size_t at, enum plan_aggregate aggregate)
{
    struct draft *draft = scan->draft;
    enum term term = draft_item(draft, at)->term;
    bool ranks = scan->aggregate_term == TERM_HIGH || scan->aggregate_term == TERM_LOW;

    if (scan->aggregate != AGG_NONE && ranks && at - scan->aggregate_at <= 2) {
        draft->wants_rank = true; /* "highest average budget" */
        draft->rank_is_low = scan->aggregate_term == TERM_LOW;
    } else if (scan->aggregate == AGG_MEAN && aggregate == AGG_COUNT) {
        return; /* "average number of X" */
    } else if (wants_number(scan) && !ranks && at == scan->aggregate_at + 2 &&
               draft_is_term(draft, at - 1, TERM_AND)) {
        draft->twin = scan->aggregate; /* "minimum and maximum sales" */
    } else {
        drop_aggregate(scan);
    }
    scan->aggregate = aggregate;
    scan->aggregate_term = term;
    scan->aggregate_at = at;
}

/* "number of cylinders" is a column of numbers; "number of hours" sums one. */
static void
count_column(struct scan *scan, struct mention *mention)
{
    const struct column *column = draft_column(scan->draft, mention->column);
    bool is_total =
        scan->aggregate_term == TERM_HOW_MANY || scan->aggregate_term == TERM_AMOUNT;

    mention->aggregate = AGG_NONE;
    mention->is_counted = true;
    if (scan->aggregate == AGG_DISTINCT) {
        mention->aggregate = AGG_DISTINCT;
        mention->place = PLACE_COUNTED;
        return;
    }
    if (scan->draft->plan.mark == MARK_SCATTER && can_aggregate(column) &&
        mention->score >= 0.6f) {
        mention->place = scan->place; /* a point for each row: as many as it has */
    } else if (column->kind == COLUMN_NUMBER && column->role == ROLE_QUANTITY &&
               mention->score >= 0.6f && scan->place == PLACE_PLAIN) {
        mention->place = PLACE_MEASURE;
        mention->aggregate =
            is_total || column->flags & FLAG_ADDITIVE ? AGG_SUM : AGG_NONE;
    } else if (column->role == ROLE_DISCRETE && mention->score >= 0.6f) {
        mention->place = scan->place;
    } else {
        mention->place = PLACE_COUNTED;
        mention->is_how_many = scan->aggregate_term == TERM_HOW_MANY;
        scan->draft->has_count = true;
    }
}

static unsigned
word_flags(const struct draft *draft, const struct item *item)
{
    return lexicon_flags(draft->reading->lexicon,
                         draft->reading->words.at[item->begin].stem);
}

/* "the worst delays" are the most. */
static void
judge_by(struct scan *scan, struct mention *mention)
{
    struct draft *draft = scan->draft;
    unsigned said = word_flags(draft, draft_item(draft, scan->aggregate_at));

    if (!(said & FLAG_JUDGING) ||
        !(draft_column(draft, mention->column)->flags & FLAG_BAD))
        return;
    draft->rank_is_low = !draft->rank_is_low;
    mention->aggregate = draft->rank_is_low ? AGG_MIN : AGG_MAX;
}

static void
bind_aggregate(struct scan *scan, struct mention *mention)
{
    const struct column *column = draft_column(scan->draft, mention->column);
    bool ranks = scan->aggregate_term == TERM_HIGH || scan->aggregate_term == TERM_LOW;

    if (scan->aggregate == AGG_COUNT || scan->aggregate == AGG_DISTINCT) {
        count_column(scan, mention);
    } else if (scan->aggregate == AGG_SUM && !column_is_number(column) &&
               column->kind != COLUMN_BOOL) {
        mention->place = scan->place;
        return; /* "how much did each genre gross": the number comes later */
    } else if (ranks && !column_is_number(column)) {
        mention->place = scan->place;
        drop_aggregate(scan);
    } else {
        mention->aggregate = scan->aggregate;
        mention->place = PLACE_MEASURE;
        if (ranks) {
            scan->draft->wants_rank = true;
            scan->draft->rank_is_low = scan->aggregate_term == TERM_LOW;
            judge_by(scan, mention);
        }
    }
    scan->aggregate = AGG_NONE;
}

/* "the category of ship mode" is the ship mode. */
static bool
is_kind_of(const struct draft *draft, size_t at)
{
    const struct item *item = draft_item(draft, at);
    size_t next = at + 2;

    if (item->len > 1 || !(word_flags(draft, item) & FLAG_GENERIC) ||
        !draft_is_term(draft, at + 1, TERM_OF))
        return false;
    while (draft_is_term(draft, next, TERM_FILLER))
        next++;
    item = draft_item(draft, next);
    return item && item->kind == ITEM_COLUMN && item->link[0].score >= 0.9f;
}

/* "party name" is the party, where there is a column for either. */
static bool
is_part_of_name(const struct draft *draft, size_t at)
{
    const struct item *item = draft_item(draft, at), *before;

    if (at == 0 || item->len > 1)
        return false;
    before = draft_item(draft, at - 1);
    return before->kind == ITEM_COLUMN && before->is_used &&
           before->link[0].score >= 0.9f &&
           before->link[0].column != item->link[0].column &&
           word_flags(draft, item) & (FLAG_LABEL | FLAG_KEY | FLAG_CODE);
}

/* "capacity of rooms in each building": rooms are the rows, not a part of the chart.
 */
static bool
is_owner(const struct draft *draft, size_t at, const struct mention *mention)
{
    size_t i = at;

    while (i > 0 && draft_is_term(draft, i - 1, TERM_FILLER))
        i--;
    if (i > 0 && draft_item(draft, i - 1)->kind == ITEM_VALUE && mention->score < 0.95f)
        return true; /* "corporate customers" */
    if (i < 2 || draft->mentions < 2 || mention->place != PLACE_PLAIN ||
        draft_item(draft, i - 2)->kind != ITEM_COLUMN)
        return false;
    if (draft_is_term(draft, i - 1, TERM_OF))
        return true;
    return mention->score < 0.95f && (draft_is_term(draft, i - 1, TERM_FOR) ||
                                      draft_is_term(draft, i - 1, TERM_IN));
}

static void
take_column(struct scan *scan, size_t at)
{
    struct draft *draft = scan->draft;
    const struct item *item = draft_item(draft, at);
    bool is_near = scan->aggregate != AGG_NONE && at - scan->aggregate_at <= REACH;

    if (scan->aggregate != AGG_NONE && !is_near)
        drop_aggregate(scan);
    if (draft->mentions == MENTIONS_MAX || is_part_of_name(draft, at) ||
        is_kind_of(draft, at))
        return;
    if (scan->has_taken && !scan->is_joined)
        scan->place = PLACE_PLAIN;
    if (item->is_by)
        scan->place = PLACE_BY;
    struct mention *mention = &draft->mention[draft->mentions];
    bool number = wants_number(scan) || !expects_name(scan->place);
    *mention = (struct mention){.item = item,
                                .place = scan->place,
                                .column = draft_resolve(draft, item, number),
                                .score = item->link[0].score,
                                .is_coordinate = scan->is_joined && draft->mentions};
    draft->mentions++;
    mention->is_divisor =
        expects_name(scan->place) && !scan->has_taken &&
        (scan->place_term == TERM_PER || scan->place_term == TERM_DIVIDED);
    mention->is_owner = is_owner(draft, at, mention);
    if (scan->aggregate == AGG_COUNT && at - scan->aggregate_at <= 2 &&
        expects_name(scan->place)) {
        mention->is_counted = true; /* "by number of cylinders" */
        scan->aggregate = AGG_NONE;
    } else if (is_near && (scan->place == PLACE_PLAIN || wants_number(scan) ||
                           scan->place == PLACE_Y || scan->place == PLACE_VERSUS))
        bind_aggregate(scan, mention);
    scan->has_taken = true;
    scan->is_joined = true;
    draft_use(draft, at, at + 1);
}

/* "survival rate": the mean of a column of zeros and ones. */
static void
take_rate(struct draft *draft)
{
    struct mention *last =
        draft->mentions ? &draft->mention[draft->mentions - 1] : NULL;

    if (last && column_is_binary(draft_column(draft, last->column)) &&
        last->aggregate == AGG_NONE) {
        last->aggregate = AGG_MEAN;
        last->place = PLACE_MEASURE;
    }
}

static void
take_term(struct scan *scan, size_t at)
{
    const struct item *item = draft_item(scan->draft, at);
    enum plan_aggregate aggregate = find_aggregate(item->term);

    if (item->term == TERM_RATE) {
        take_rate(scan->draft);
        draft_use(scan->draft, at, at + 1);
    } else if (aggregate != AGG_NONE) {
        take_aggregate(scan, at, aggregate);
        scan->is_joined = false;
    } else if (find_place(item->term, &scan->place)) {
        scan->has_taken = false;
        scan->place_term = item->term;
        if (scan->aggregate == AGG_COUNT || item->term == TERM_BY ||
            item->term == TERM_PER || item->term == TERM_DIVIDED ||
            item->term == TERM_SERIES || item->term == TERM_FACET)
            drop_aggregate(scan);
        scan->is_joined = false;
    } else if (item->term == TERM_WITH || item->term == TERM_FOR ||
               item->term == TERM_IN || item->term == TERM_RELATION) {
        scan->place =
            item->term == TERM_IN || item->term == TERM_FOR ? scan->place : PLACE_PLAIN;
        scan->is_joined = false;
    }
}

static bool
is_frame_noun(const struct draft *draft, const struct item *item)
{
    return frame_is_noun(draft->frame, draft->reading->words.at[item->begin].stem);
}

void
draft_mentions(struct draft *draft)
{
    struct scan scan = {.draft = draft};

    for (size_t i = 0; i < draft->reading->count; i++) {
        const struct item *item = draft_item(draft, i);

        if (item->is_used)
            continue;
        if (item->kind == ITEM_STOP) {
            drop_aggregate(&scan);
            scan.place = PLACE_PLAIN;
            scan.is_joined = false;
        } else if (item->kind == ITEM_COLUMN) {
            take_column(&scan, i);
        } else if (item->kind == ITEM_TERM) {
            take_term(&scan, i);
        } else if (item->kind == ITEM_UNKNOWN && scan.aggregate == AGG_COUNT) {
            drop_aggregate(&scan);
        } else if (item->kind == ITEM_UNKNOWN) {
            draft->is_measure_unknown |= wants_number(&scan) &&
                                         i == scan.aggregate_at + 1 &&
                                         !is_frame_noun(draft, item);
            draft->names_rows |= scan.place == PLACE_EACH && is_frame_noun(draft, item);
            scan.is_joined = false;
        } else if (item->kind == ITEM_COMMA &&
                   (scan.place == PLACE_SERIES || scan.place == PLACE_FACET)) {
            scan.is_joined = false;
        }
    }
    drop_aggregate(&scan);
}
