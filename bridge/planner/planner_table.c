/* Which of several tables a question is about. */
#include "bridge/planner/planner_session.h"

enum {
    JOINED_MAX = 8, /* tables, of which any two are looked at */
};

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

/* Words that no column or value explains, or only as others, misspelt; not those that
 * say little: "type", "kW". */
static size_t
count_unknown(const struct reading *reading)
{
    const unsigned lesser = FLAG_TAIL | FLAG_GENERIC | FLAG_LIGHT | FLAG_UNIT;
    size_t count = 0;

    for (size_t i = 0; i < reading->count; i++)
        count += reading->item[i].kind == ITEM_UNKNOWN &&
                 !(lexicon_flags(reading->lexicon,
                                 reading->words.at[reading->item[i].begin].stem) &
                   lesser);
    for (size_t i = 0; i < reading->words.count; i++)
        count += reading->words.at[i].corrected;
    return count;
}

/* "seller type", where sellers have a `type`. */
static bool
says_right(const struct reading *reading)
{
    const struct frame *right = reading->frame->join->right;

    for (size_t i = 1; i < reading->count; i++) {
        const struct item *item = &reading->item[i];
        const struct word *before = &reading->words.at[item->begin - 1];

        if (item->kind == ITEM_COLUMN && item->link[0].score >= 0.95f && item->begin &&
            item->link[0].column >= reading->frame->join->left->columns &&
            frame_is_noun(right, before->stem))
            return true;
    }
    return false;
}

/* Every two tables that belong together; NULL behind the last. */
static const struct frame *
next_joined(struct planner_session *s, int *at)
{
    const int frames =
        s->profile->frames < JOINED_MAX ? s->profile->frames : JOINED_MAX;
    const struct frame *joined = NULL;

    for (; s->only < 0 && *at < frames * frames && !joined; ++*at)
        if (*at / frames != *at % frames)
            joined = frame_join(s->arena, &s->profile->frame[*at / frames],
                                &s->profile->frame[*at % frames]);
    return joined;
}

/* "revenue by country": two tables together where they explain more than any one. */
static void
choose_joined(struct planner_session *s, struct planner_table *choice)
{
    size_t unknown = choice->frame < 0 ? 0 : count_unknown(&choice->best);
    const struct frame *joined;

    for (int at = 0; choice->frame >= 0 && (joined = next_joined(s, &at));) {
        struct reading reading =
            reading_make(s->arena, s->lexicon, joined, s->question, &s->words);
        if ((count_unknown(&reading) >= unknown &&
             (joined->join->right == choice->best.frame || !says_right(&reading))) ||
            reading.score <= choice->best.score + 0.05)
            continue;
        unknown = count_unknown(&reading);
        *choice = (struct planner_table){reading, choice->frame, -1};
    }
}

bool
planner_table_parse_joined(struct planner_session *s, struct planner_table *choice,
                           struct parser *parser, struct query *query)
{
    const struct frame *joined;

    for (int at = 0; !choice->best.frame->join && (joined = next_joined(s, &at));) {
        struct reading reading =
            reading_make(s->arena, s->lexicon, joined, s->question, &s->words);
        struct parser *other = arena_alloc(s->arena, 1, sizeof(*other));
        struct query *read = arena_alloc(s->arena, 1, sizeof(*read));

        if (reading.score < choice->best.score - 0.05)
            continue;
        struct reading *kept = arena_alloc(s->arena, 1, sizeof(*kept));
        *kept = reading;
        if (!parse_question(other, s->arena, kept, s->lexicon, read))
            continue;
        choice->best = reading;
        *query = *read;
        *parser = *other;
        parser->query = query;
        parser->reading = &choice->best;
        return true;
    }
    return false;
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
    choose_joined(s, &choice);
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
