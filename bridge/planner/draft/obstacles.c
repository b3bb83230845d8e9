/* What a draft asks for, and nobody can draw or work out. */
#include "bridge/planner/draft/judge.h"

static bool
is_void(const struct draft *draft, int column)
{
    const struct column *about = draft_column(draft, column);

    return draft->frame->rows > 0 && about->nulls >= draft->frame->rows;
}

static bool
can_be_number(const struct column *column)
{
    return column->kind == COLUMN_NUMBER || column->kind == COLUMN_BOOL ||
           column->is_numeric_text ||
           (column->kind == COLUMN_TEXT && !column->values && column->unique < 0);
}

static const char *
chart_obstacle(const struct plan *plan, const struct frame *frame)
{
    switch (plan->mark) {
    case MARK_BAR:
    case MARK_LINE:
    case MARK_PIE:
        return plan->x < 0 ? "refuse.x" : NULL;
    case MARK_SCATTER:
        return plan->x < 0 || (plan->y < 0 && plan->aggregate != AGG_COUNT)
                   ? "refuse.two"
                   : NULL;
    case MARK_HISTOGRAM:
        return plan->x < 0 || !can_be_number(&frame->column[plan->x]) ? "refuse.number"
                                                                      : NULL;
    case MARK_BOX:
        return plan->y < 0 || !can_be_number(&frame->column[plan->y]) ? "refuse.number"
                                                                      : NULL;
    case MARK_HEATMAP:
        return plan->intent != INTENT_CORRELATION && (plan->x < 0 || plan->series < 0)
                   ? "refuse.two"
                   : NULL;
    case MARK_NONE:
        break;
    }
    return NULL;
}

static bool
needs_number(const struct plan *plan)
{
    return plan->y >= 0 && plan->mark != MARK_SCATTER && plan->aggregate != AGG_COUNT &&
           plan->aggregate != AGG_DISTINCT &&
           (plan->intent == INTENT_CHART || plan->intent == INTENT_VALUE ||
            plan->intent == INTENT_TABLE);
}

/* All but counts take a column to reduce. */
static bool
lacks_measure(const struct plan *plan)
{
    bool reduces = plan->intent == INTENT_TABLE || plan->intent == INTENT_VALUE ||
                   plan->mark == MARK_BAR || plan->mark == MARK_LINE ||
                   plan->mark == MARK_PIE ||
                   (plan->mark == MARK_HEATMAP && plan->intent != INTENT_CORRELATION);

    return reduces && plan->y < 0 && plan->aggregate != AGG_COUNT;
}

static unsigned
count_numbers(const struct frame *frame)
{
    unsigned numbers = 0;

    for (int i = 0; i < frame->columns; i++)
        numbers += frame->column[i].kind == COLUMN_NUMBER;
    return numbers;
}

/* Months of a column of years. */
static bool
lacks_grain(const struct draft *draft)
{
    const struct plan *plan = &draft->plan;

    return draft->asked_grain > GRAIN_YEAR && plan->grain == GRAIN_NONE &&
           plan->x >= 0 && !draft->has_bin &&
           draft_column(draft, plan->x)->role == ROLE_TIME &&
           draft_column(draft, plan->x)->kind == COLUMN_NUMBER;
}

/* "the top 3 cars of each origin": a few of each group, and not a few groups. */
static bool
limits_within(const struct draft *draft)
{
    const struct plan *plan = &draft->plan;
    const struct item *thing = draft_item(draft, draft->limited);
    bool is_each = plan->x >= 0 && draft_column(draft, plan->x)->role == ROLE_TIME;

    if (!draft->limited || !plan->limit || !thing || plan->x < 0 ||
        (thing->kind != ITEM_COLUMN && thing->kind != ITEM_UNKNOWN) ||
        plan->intent == INTENT_ROWS)
        return false;
    for (unsigned i = 0; i < draft->mentions; i++)
        is_each |= draft->mention[i].place == PLACE_EACH &&
                   draft->mention[i].column == plan->x;
    for (unsigned i = 0; thing->kind == ITEM_COLUMN && i < thing->links; i++)
        if (thing->link[i].column == plan->x)
            return false;
    return is_each;
}

/* "scatter plot of hours vs invoice amount" where no column is found for the second. */
static bool
lacks_other(const struct draft *draft)
{
    bool has_versus = false;

    for (size_t i = 0; i < draft->reading->count; i++)
        has_versus |= draft_is_term(draft, i, TERM_VERSUS);
    return has_versus && draft->plan.mark == MARK_SCATTER && draft->plan.y < 0 &&
           draft->plan.aggregate == AGG_COUNT && !draft->is_followup;
}

/* "bar chart of total credit limit" of invoices and clients: each as often as there are
 * invoices. */
static bool
reduces_other_table(const struct draft *draft)
{
    const struct plan *plan = &draft->plan;
    const bool is_added = plan->aggregate == AGG_SUM || plan->aggregate == AGG_MEAN ||
                          plan->aggregate == AGG_MEDIAN || plan->aggregate == AGG_STD;

    return is_added && plan->y >= 0 && frame_is_joined_column(draft->frame, plan->y);
}

static bool
is_counted_in(const struct draft *draft, const struct column *column, uint64_t unit)
{
    const size_t count = column->words.count;

    return count > 1 && lexicon_stands_for(draft->reading->lexicon,
                                           column->words.at[count - 1].stem, unit);
}

/* "heavier than 8 tonnes" of a column of kilograms: drafts convert nothing. The unit,
 * or NULL. */
static const char *
unit_that_is_lost(const struct draft *draft)
{
    const struct reading *reading = draft->reading;

    for (size_t i = 1; i < reading->count; i++) {
        const struct word *unit = &reading->words.at[reading->item[i].begin];

        if (reading->item[i - 1].kind != ITEM_NUMBER || reading->item[i].len != 1 ||
            reading->item[i].kind == ITEM_COLUMN ||
            !(lexicon_flags(reading->lexicon, unit->stem) & FLAG_UNIT))
            continue;
        for (unsigned k = 0; k < draft->plan.filters; k++) {
            const struct column *column =
                draft_column(draft, draft->plan.filter[k].column);

            if ((column_is_number(column) || column->is_measured) &&
                !is_counted_in(draft, column, unit->stem))
                return unit->text;
        }
    }
    return NULL;
}

void
judge_obstacle(const struct draft *draft, struct verdict *verdict)
{
    const struct plan *plan = &draft->plan;
    const int shown[] = {plan->x, plan->y, plan->series, plan->sort_column};

    if (draft->frame->rows == 0 || draft->frame->columns == 0) {
        verdict->obstacle = "refuse.norows";
        verdict->about = draft->frame->name;
        return;
    }
    verdict->obstacle = chart_obstacle(plan, draft->frame);
    if (!verdict->obstacle && lacks_measure(plan))
        verdict->obstacle = "refuse.number";
    if (limits_within(draft)) {
        verdict->obstacle = "refuse.each";
        verdict->about = draft_column(draft, plan->x)->name;
    }
    if (lacks_grain(draft)) {
        verdict->obstacle = "refuse.grain";
        verdict->about = draft_column(draft, plan->x)->name;
    }
    if (plan->intent == INTENT_CORRELATION && count_numbers(draft->frame) < 2)
        verdict->obstacle = "refuse.two";
    for (size_t i = 0; i < COUNT_OF(shown); i++)
        if (shown[i] >= 0 && draft_column(draft, shown[i])->kind == COLUMN_OTHER &&
            plan->intent != INTENT_MISSING) {
            verdict->obstacle = "refuse.other";
            verdict->about = draft_column(draft, shown[i])->name;
        }
    for (size_t i = 0; i < COUNT_OF(shown); i++)
        if (shown[i] >= 0 && is_void(draft, shown[i])) {
            verdict->obstacle = "refuse.void";
            verdict->about = draft_column(draft, shown[i])->name;
        }
    if (reduces_other_table(draft)) {
        verdict->obstacle = "refuse.joined";
        verdict->about = draft_column(draft, plan->y)->name;
    }
    const char *unit = unit_that_is_lost(draft);
    if (unit) {
        verdict->obstacle = "refuse.word";
        verdict->about = unit;
    }
    if (!verdict->obstacle && lacks_other(draft))
        verdict->obstacle = "refuse.two";
    if (!verdict->obstacle && needs_number(plan) &&
        !can_be_number(draft_column(draft, plan->y)) &&
        !(plan->intent == INTENT_VALUE &&
          draft_column(draft, plan->y)->kind == COLUMN_DATE)) {
        verdict->obstacle = "refuse.notnumber";
        verdict->about = draft_column(draft, plan->y)->name;
    }
    if ((plan->intent == INTENT_TABLE || plan->intent == INTENT_UNIQUE) && plan->x < 0)
        verdict->obstacle = "refuse.x";
}
