/* Which of several tables a question is about. */
#include "bridge/planner/planner_session.h"

static int
preference(const struct planner_session *s, int frame)
{
    const struct frame *about = &s->profile->frame[frame];

    if (frame == s->profile->active)
        return 3;
    if (about->is_file)
        return 0;
    return about->is_made ? 1 : 2;
}

static bool
have_same_columns(const struct frame *a, const struct frame *b)
{
    if (a->columns != b->columns)
        return false;
    for (int i = 0; i < a->columns; i++)
        if (strcmp(a->column[i].name, b->column[i].name) != 0)
            return false;
    return true;
}

static bool
is_better(const struct planner_session *s, const struct planner_table *choice,
          const struct reading *reading, int frame)
{
    double lead = reading->score - choice->best.score;

    if (choice->frame < 0 || lead > 0.05)
        return true;
    return lead > -0.05 && preference(s, frame) > preference(s, choice->frame);
}

static bool
is_rival(const struct planner_session *s, const struct planner_table *choice,
         const struct reading *reading, int frame)
{
    const struct frame *a = &s->profile->frame[choice->frame],
                       *b = &s->profile->frame[frame];

    return choice->frame >= 0 && reading->score > 0 &&
           reading->score > choice->best.score - 0.05 &&
           preference(s, frame) == preference(s, choice->frame) &&
           !(a->is_file != b->is_file && have_same_columns(a, b));
}

struct planner_table
planner_table_choose(struct planner_session *s)
{
    struct planner_table choice = {.frame = -1, .rival = -1};

    for (int i = 0; i < s->profile->frames; i++) {
        struct reading reading =
            reading_make(s->arena, s->lexicon, &s->profile->frame[i],
                         s->request->question, &s->words);

        if (is_better(s, &choice, &reading, i))
            choice = (struct planner_table){reading, i, -1};
        else if (is_rival(s, &choice, &reading, i))
            choice.rival = i;
    }
    return choice;
}
