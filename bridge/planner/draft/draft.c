#include "bridge/planner/draft/draft.h"

struct item *
draft_item(const struct draft *draft, size_t at)
{
    return at < draft->reading->count ? &draft->reading->item[at] : NULL;
}

bool
draft_is_term(const struct draft *draft, size_t at, enum term term)
{
    const struct item *item = draft_item(draft, at);

    return item && item->kind == ITEM_TERM && item->term == term;
}

void
draft_use(struct draft *draft, size_t from, size_t to)
{
    for (size_t i = from; i < to && i < draft->reading->count; i++)
        draft->reading->item[i].is_used = true;
}

const struct column *
draft_column(const struct draft *draft, int column)
{
    return &draft->frame->column[column];
}

static float
fit(const struct column *column, bool number)
{
    switch (column->role) {
    case ROLE_QUANTITY:
        return number ? 0.2f : 0;
    case ROLE_DISCRETE:
        return number ? 0.15f : 0.1f;
    case ROLE_NOMINAL:
        return number ? 0 : 0.2f;
    case ROLE_TIME:
        return number ? 0 : 0.18f;
    case ROLE_KEY:
        return number ? 0.02f : 0.05f;
    }
    return 0;
}

int
draft_resolve(const struct draft *draft, const struct item *item, bool number)
{
    int best = -1;
    float most = -1;

    for (unsigned i = 0; i < item->links; i++) {
        float score = item->link[i].score +
                      fit(draft_column(draft, item->link[i].column), number);

        if (item->link[i].score > item->link[0].score - 0.25f && score > most) {
            most = score;
            best = item->link[i].column;
        }
    }
    return best;
}

int
draft_time_column(const struct draft *draft)
{
    int best = -1;

    for (int i = 0; i < draft->frame->columns; i++) {
        const struct column *column = draft_column(draft, i);

        if (column->role == ROLE_TIME &&
            (best < 0 || draft_column(draft, best)->flags & FLAG_BIRTH ||
             (column->kind == COLUMN_DATE &&
              draft_column(draft, best)->kind != COLUMN_DATE)))
            best = i;
    }
    for (int i = 0; best < 0 && i < draft->frame->columns; i++)
        if (draft_column(draft, i)->flags & FLAG_TIME &&
            draft_column(draft, i)->role == ROLE_NOMINAL)
            best = i;
    return best;
}

void
draft_note(struct draft *draft, const char *key, const char *a, const char *b)
{
    if (draft->notes == NOTES_MAX)
        return;
    draft->note[draft->notes++] = (struct note){
        key, {a, b ? b : ""},
         b ? 2 : 1
    };
}

struct draft
draft_make(struct arena *arena, struct reading *reading)
{
    struct draft draft = {.arena = arena,
                          .reading = reading,
                          .frame = reading->frame,
                          .plan = PLAN_INIT,
                          .bin_column = -1,
                          .rank = {.column = -1}};

    draft_vague(&draft);
    draft_find_rank(&draft);
    draft_sort(&draft);
    draft_limit(&draft);
    draft_bin(&draft);
    draft.asked_grain = draft.plan.grain;
    draft_filters(&draft);
    draft_wishes(&draft);
    draft_rank(&draft);
    draft_mentions(&draft);
    draft_fill(&draft);
    return draft;
}
