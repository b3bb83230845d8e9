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
        if (s->only >= 0 && i != s->only)
            continue;
        struct reading reading = reading_make(
            s->arena, s->lexicon, &s->profile->frame[i], s->question, &s->words);

        if (is_better(s, &choice, &reading, i))
            choice = (struct planner_table){reading, i, -1};
        else if (is_rival(s, &choice, &reading, i))
            choice.rival = i;
    }
    return choice;
}

/* Whether the question is a table's name, with nothing but filler around it. */
static bool
names_only(struct planner_session *s, const char *name)
{
    struct words said = words_split(s->arena, s->request->question, WORDS_MAX);
    struct words named = words_split(s->arena, slice_of(name), WORDS_MAX);
    bool is_named = false;

    for (size_t at = 0, len; at < said.count; at += len) {
        bool is_here = named.count > 0 && at + named.count <= said.count;

        for (size_t i = 0; is_here && i < named.count; i++)
            is_here = strcmp(said.at[at + i].text, named.at[i].text) == 0;
        enum term term = lexicon_term(s->lexicon, &said, at, &len);
        if (is_here)
            len = named.count;
        else if (said.at[at].kind == WORD_MARK)
            len = 1;
        else if (term != TERM_FILLER && term != TERM_SHOW && term != TERM_IN &&
                 term != TERM_FROM && term != TERM_FOR && term != TERM_OF &&
                 term != TERM_TABLE && term != TERM_MEAN) /* "I mean b" */
            return false;
        is_named |= is_here;
    }
    return is_named;
}

void
planner_table_take_choice(struct planner_session *s)
{
    json_t *json = planner_followup_last(s), *name;
    const char *asked = json_string_value(json_object_get(json, "asked"));
    size_t at;

    if (!asked)
        return;
    json_array_foreach (json_object_get(json, "asks"), at, name)
        if (json_is_string(name) && names_only(s, json_string_value(name))) {
            s->question = slice_of(asked);
            for (int i = 0; i < s->profile->frames; i++)
                if (strcmp(s->profile->frame[i].name, json_string_value(name)) == 0)
                    s->only = i;
        }
}
