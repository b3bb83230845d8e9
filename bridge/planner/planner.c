#include "bridge/planner/planner.h"

#include <stdio.h>

#include "bridge/planner/draft/followup.h"
#include "bridge/planner/draft/judge.h"
#include "bridge/planner/emit/emit.h"
#include "bridge/planner/parse/parser.h"
#include "bridge/planner/program/program.h"

enum {
    QUESTION_BYTES_MAX = 8 << 10,
    SUGGESTIONS_MAX = 3,
    BINS_MAX = 500,
    GRAIN_FREELY_MAX = 40, /* dates that a chart shows as they are */
};

/* Below the bar an answer is more likely wrong than right: measured by bench/. */
static const double answer_least = 0.5, sure_least = 0.82;

struct session {
    const struct planner_request *request;
    const struct lexicon *lexicon;
    struct arena *arena;
    struct profile *profile;
    struct words words;
    struct draft draft;
    struct verdict verdict;
    struct planner_answer *answer;
    const struct parser *unknown; /* what the algebra did not understand, or NULL */
};

static const char *
say(struct session *s, const char *key, const char *a, const char *b)
{
    const char *args[] = {a ? a : "", b ? b : ""};

    return lexicon_say(s->lexicon, s->arena, key, args, COUNT_OF(args));
}

static void
add_text(json_t *list, const char *text)
{
    json_t *json = json_string(text), *old;
    size_t at;

    json_array_foreach (list, at, old)
        if (json_equal(old, json)) {
            json_decref(json);
            return;
        }
    json_array_append_new(list, json ? json : json_null());
}

/* --- which table --- */

static int
preference(const struct session *s, int frame)
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

struct choice {
    struct reading best;
    int frame, rival; /* rival: another that fits as well, or -1 */
};

static bool
is_better(const struct session *s, const struct choice *choice,
          const struct reading *reading, int frame)
{
    double lead = reading->score - choice->best.score;

    if (choice->frame < 0 || lead > 0.05)
        return true;
    return lead > -0.05 && preference(s, frame) > preference(s, choice->frame);
}

static bool
is_rival(const struct session *s, const struct choice *choice,
         const struct reading *reading, int frame)
{
    const struct frame *a = &s->profile->frame[choice->frame],
                       *b = &s->profile->frame[frame];

    return choice->frame >= 0 && reading->score > 0 &&
           reading->score > choice->best.score - 0.05 &&
           preference(s, frame) == preference(s, choice->frame) &&
           !(a->is_file != b->is_file && have_same_columns(a, b));
}

static struct choice
choose_frame(struct session *s)
{
    struct choice choice = {.frame = -1, .rival = -1};

    for (int i = 0; i < s->profile->frames; i++) {
        struct reading reading =
            reading_make(s->arena, s->lexicon, &s->profile->frame[i],
                         s->request->question, &s->words);

        if (is_better(s, &choice, &reading, i))
            choice = (struct choice){reading, i, -1};
        else if (is_rival(s, &choice, &reading, i))
            choice.rival = i;
    }
    return choice;
}

/* --- the question before --- */

static json_t *
last_plan(const struct session *s)
{
    size_t count = json_array_size(s->request->previous);
    json_t *last = count ? json_array_get(s->request->previous, count - 1) : NULL;
    json_t *inner = json_object_get(last, "plan");

    return inner ? inner : last;
}

static int
named_frame(const struct session *s, json_t *plan)
{
    const char *name = json_string_value(json_object_get(plan, "frame"));

    for (int i = 0; name && i < s->profile->frames; i++)
        if (strcmp(s->profile->frame[i].name, name) == 0)
            return i;
    return -1;
}

/* A question that only changes something is about the table of the one before. */
static bool
follow_up(struct session *s)
{
    json_t *json = last_plan(s);
    int frame = named_frame(s, json);
    struct plan before = PLAN_INIT;
    struct error ignored;

    if (frame < 0 ||
        plan_from_json(&before, &s->profile->frame[frame], json, &ignored) < 0)
        return false;
    struct reading *reading = arena_alloc(s->arena, 1, sizeof(*reading));
    *reading = reading_make(s->arena, s->lexicon, &s->profile->frame[frame],
                            s->request->question, &s->words);
    struct draft draft = draft_make(s->arena, reading);
    if (!followup_is_one(&draft))
        return false;
    followup_apply(&draft, &before);
    draft.is_followup = true;
    s->draft = draft;
    return true;
}

/* --- what was assumed --- */

static void
tell_columns(struct session *s)
{
    for (unsigned i = 0; i < s->draft.mentions; i++) {
        const struct mention *mention = &s->draft.mention[i];

        if (!mention->item || mention->is_dropped || mention->score >= 0.9f)
            continue;
        struct slice said = reading_text(s->draft.reading, mention->item);
        add_text(s->answer->assumed,
                 say(s, "assume.column", arena_text(s->arena, said.data, said.len),
                     s->draft.frame->column[mention->column].name));
    }
}

static bool
decides_rows(const struct plan *plan, int column)
{
    for (unsigned i = 0; i < plan->filters; i++)
        if (plan->filter[i].column == column)
            return true;
    return plan->sort == AXIS_COLUMN && plan->sort_column == column;
}

/* Rows and summaries of all columns show what is named, too. */
static void
tell_unused(struct session *s)
{
    const struct plan *plan = &s->draft.plan;

    if (plan->intent != INTENT_CHART && plan->intent != INTENT_TABLE &&
        plan->intent != INTENT_VALUE)
        return;
    for (unsigned i = 0; i < s->draft.mentions; i++) {
        const struct mention *mention = &s->draft.mention[i];

        if (mention->item && !mention->is_dropped && mention->score >= 0.6f &&
            mention->place != PLACE_COUNTED &&
            !judge_is_shown(&s->draft, mention->column) &&
            !decides_rows(plan, mention->column))
            add_text(s->answer->assumed,
                     say(s, "assume.unused",
                         s->draft.frame->column[mention->column].name, NULL));
    }
}

static void
tell_spelling(struct session *s)
{
    const struct words *words = &s->draft.reading->words;

    for (size_t i = 0; i < words->count; i++) {
        const struct word *word = &words->at[i];

        if (word->corrected && word->end <= s->request->question.len)
            add_text(s->answer->assumed,
                     say(s, "assume.spelling",
                         arena_text(s->arena, s->request->question.data + word->begin,
                                    word->end - word->begin),
                         word->text));
    }
}

static void
tell_assumptions(struct session *s)
{
    for (unsigned i = 0; i < s->draft.notes; i++) {
        const struct note *note = &s->draft.note[i];

        add_text(s->answer->assumed,
                 lexicon_say(s->lexicon, s->arena, note->key, note->arg, note->args));
    }
    tell_columns(s);
    if (s->verdict.thing.len && s->draft.plan.aggregate == AGG_COUNT)
        add_text(s->answer->assumed,
                 say(s, "assume.rows",
                     arena_text(s->arena, s->verdict.thing.data, s->verdict.thing.len),
                     NULL));
    tell_unused(s);
    tell_spelling(s);
    if (s->profile->frames > 1)
        add_text(s->answer->assumed,
                 say(s, "assume.frame", s->draft.frame->name, NULL));
}

static void
tell_strangers(struct session *s)
{
    for (unsigned i = 0; i < s->verdict.strangers; i++) {
        struct slice word = s->verdict.stranger[i];

        add_text(s->answer->not_understood, arena_text(s->arena, word.data, word.len));
    }
}

/* --- what else could be meant --- */

static void
offer(struct session *s, const struct plan *plan)
{
    if (json_array_size(s->answer->alternatives) < SUGGESTIONS_MAX)
        add_text(s->answer->alternatives,
                 emit_title(plan, s->draft.frame, s->lexicon, s->arena));
}

static void
offer_rivals(struct session *s, const struct mention *mention)
{
    for (unsigned i = 0; mention->item && i < mention->item->links; i++) {
        struct plan plan = s->draft.plan;
        int other = mention->item->link[i].column;

        if (other == mention->column || mention->score > 0.95f ||
            mention->item->link[i].score < mention->score - 0.05f || other == plan.x ||
            other == plan.y || other == plan.series)
            continue;
        if (plan.x == mention->column)
            plan.x = other;
        else if (plan.y == mention->column)
            plan.y = other;
        else if (plan.series == mention->column)
            plan.series = other;
        else
            continue;
        offer(s, &plan);
    }
}

static void
offer_alternatives(struct session *s)
{
    if (s->draft.is_aggregate_implied) {
        struct plan plan = s->draft.plan;

        plan.aggregate = plan.aggregate == AGG_SUM ? AGG_MEAN : AGG_SUM;
        offer(s, &plan);
    }
    for (unsigned i = 0; i < s->draft.mentions; i++)
        if (!s->draft.mention[i].is_dropped)
            offer_rivals(s, &s->draft.mention[i]);
}

static int
find_role(const struct session *s, enum column_role role, int not_this)
{
    for (unsigned i = 0; i < s->draft.mentions; i++)
        if (s->draft.frame->column[s->draft.mention[i].column].role == role &&
            s->draft.mention[i].column != not_this)
            return s->draft.mention[i].column;
    for (int i = 0; i < s->draft.frame->columns; i++)
        if (s->draft.frame->column[i].role == role && i != not_this)
            return i;
    return -1;
}

/* Near what was asked, and sure to work. */
static void
offer_what_works(struct session *s)
{
    struct plan plan = PLAN_INIT;
    int name = find_role(s, ROLE_NOMINAL, -1), time = find_role(s, ROLE_TIME, -1);

    plan.mark = MARK_BAR;
    plan.y = find_role(s, ROLE_QUANTITY, -1);
    plan.aggregate = plan.y >= 0 ? AGG_MEAN : AGG_COUNT;
    for (int i = 0; i < 2; i++) {
        plan.x = i ? time : name;
        if (plan.x >= 0)
            offer(s, &plan);
    }
}

/* --- outcomes --- */

static const char *
join_texts(struct session *s, json_t *list, const char *quote)
{
    const char *text = "";
    size_t at;
    json_t *entry;

    json_array_foreach (list, at, entry)
        text = arena_printf(s->arena, "%s%s%s%s%s", text, at ? ", " : "", quote,
                            json_string_value(entry), quote);
    return text;
}

static const char *
what_was_understood(struct session *s)
{
    json_auto_t *understood = json_array();

    if (s->draft.plan.aggregate != AGG_NONE)
        add_text(understood, plan_aggregate_name(s->draft.plan.aggregate));
    for (unsigned i = 0; i < s->draft.mentions; i++)
        if (s->draft.mention[i].item)
            add_text(understood,
                     s->draft.frame->column[s->draft.mention[i].column].name);
    return json_array_size(understood)
               ? say(s, "refuse.understood", join_texts(s, understood, ""), NULL)
               : say(s, "refuse.nothing", NULL, NULL);
}

static void
set_message(struct session *s, enum planner_outcome outcome, const char *message)
{
    s->answer->outcome = outcome;
    free(s->answer->message);
    s->answer->message = xstrdup(message);
}

static void
refuse_shortly(struct session *s, const char *key)
{
    set_message(s, PLANNER_REFUSED, say(s, key, NULL, NULL));
    s->answer->confidence = 0;
}

static void
refuse(struct session *s)
{
    const char *text = say(s, "refuse.lead", NULL, NULL);

    offer_what_works(s);
    text = arena_printf(s->arena, "%s %s", text, what_was_understood(s));
    if (s->unknown && !s->verdict.vague)
        text = arena_printf(s->arena, "%s %s", text,
                            say(s, s->unknown->refusal, s->unknown->about, NULL));
    else if (s->verdict.obstacle)
        text = arena_printf(s->arena, "%s %s", text,
                            say(s, s->verdict.obstacle, s->verdict.about, NULL));
    if (json_array_size(s->answer->not_understood))
        text = arena_printf(
            s->arena, "%s %s", text,
            say(s, "refuse.not", join_texts(s, s->answer->not_understood, "\""), NULL));
    if (json_array_size(s->answer->alternatives))
        text = arena_printf(
            s->arena, "%s %s", text,
            say(s, "refuse.can", join_texts(s, s->answer->alternatives, ""), NULL));
    set_message(
        s, PLANNER_REFUSED,
        arena_printf(s->arena, "%s %s", text, say(s, "refuse.configure", NULL, NULL)));
}

static void
ask_for_frame(struct session *s, const struct choice *choice)
{
    const char *names =
        arena_printf(s->arena, "%s, %s", s->profile->frame[choice->frame].name,
                     s->profile->frame[choice->rival].name);

    add_text(s->answer->alternatives, s->profile->frame[choice->frame].name);
    add_text(s->answer->alternatives, s->profile->frame[choice->rival].name);
    set_message(s, PLANNER_ASKS, say(s, "ask.frame", names, NULL));
}

/* Dates in their thousands are shown by month or year, unless the question says. */
static void
choose_grain(struct session *s)
{
    struct plan *plan = &s->draft.plan;
    const struct column *x = plan->x >= 0 ? &s->draft.frame->column[plan->x] : NULL;

    if (!x || plan->grain || x->kind != COLUMN_DATE || x->unique <= GRAIN_FREELY_MAX ||
        x->days < 0 || plan->aggregate == AGG_NONE ||
        (plan->mark != MARK_BAR && plan->mark != MARK_LINE))
        return;
    plan->grain = x->days > 3 * 366 ? GRAIN_YEAR
                  : x->days > 92    ? GRAIN_MONTH
                                    : GRAIN_DAY;
    draft_note(&s->draft, "assume.grain", x->name,
               say(s, arena_printf(s->arena, "grain.%s", plan_grain_name(plan->grain)),
                   NULL, NULL));
}

/* A bar for each atom helps nobody. */
static void
widen_bins(struct session *s)
{
    struct plan *plan = &s->draft.plan;
    const struct column *x = plan->x >= 0 ? &s->draft.frame->column[plan->x] : NULL;

    if (!x || plan->bin_width <= 0 || !x->has_range ||
        (x->high - x->low) / plan->bin_width < BINS_MAX)
        return;
    plan->bin_width = 0;
    draft_note(&s->draft, "assume.bins", x->name, NULL);
}

static bool
has_no_name(const struct session *s)
{
    return !s->draft.frame->is_file && !python_may_name(s->draft.frame->name);
}

/* Operators that plans have no part for: a draft that meets one has dropped it. */
static bool
is_beyond_drafts(const struct draft *draft)
{
    for (size_t i = 0; i < draft->reading->count; i++) {
        const struct item *item = &draft->reading->item[i];

        if (item->kind == ITEM_TERM && item->term >= TERM_CUMULATIVE &&
            item->term < TERM_UNIT && item->term != TERM_DIFFERENCE &&
            item->term != TERM_TIMES && item->term != TERM_HORIZONTAL)
            return true;
    }
    return false;
}

static void
decide(struct session *s)
{
    struct planner_answer *answer = s->answer;

    choose_grain(s);
    widen_bins(s);
    s->verdict = judge(&s->draft);
    if (has_no_name(s)) {
        s->verdict.obstacle = "refuse.name";
        s->verdict.about = s->draft.frame->name;
    }
    answer->confidence = s->verdict.obstacle ? 0 : s->verdict.confidence;
    if (s->verdict.strangers || is_beyond_drafts(&s->draft)) {
        /* A word that nothing has taken may change the answer. */
        answer->confidence = 0;
        s->verdict.obstacle =
            s->verdict.obstacle ? s->verdict.obstacle : "refuse.unread";
    }
    json_decref(answer->plan);
    answer->plan = plan_to_json(&s->draft.plan, s->draft.frame);
    tell_assumptions(s);
    tell_strangers(s);
    if (answer->confidence < sure_least)
        offer_alternatives(s);
    if (answer->confidence < answer_least) {
        refuse(s);
        return;
    }
    free(answer->code);
    answer->code =
        emit_program(&s->draft.plan, s->draft.frame, s->profile, s->lexicon, s->arena);
}

static bool
is_blank(struct slice text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!strchr(" \t\r\n", text.data[i]))
            return false;
    return true;
}

/* --- queries --- */

static void
tell_query(struct session *s, const struct parser *parser)
{
    for (unsigned i = 0; i < parser->notes; i++)
        add_text(s->answer->assumed,
                 lexicon_say(s->lexicon, s->arena, parser->note[i].key,
                             parser->note[i].arg, 2));
    tell_spelling(s);
    if (s->profile->frames > 1)
        add_text(s->answer->assumed, say(s, "assume.frame", parser->frame->name, NULL));
}

/* What the algebra understands to the last word. */
static void
answer_query(struct session *s, struct parser *parser)
{
    const struct query *query = parser->query;

    json_decref(s->answer->plan);
    s->answer->plan = query_to_json(s->arena, query);
    s->answer->confidence = parser->confidence;
    tell_query(s, parser);
    free(s->answer->code);
    s->answer->code = program_write(query, s->profile, s->lexicon, s->arena);
}

/* Charts of rows, summaries and the like: what a draft says with nothing left over. */
static bool
is_sound_draft(struct session *s)
{
    struct draft *draft = arena_alloc(s->arena, 1, sizeof(*draft));

    *draft = s->draft;
    struct verdict verdict = judge(draft);
    return !verdict.obstacle && verdict.strangers == 0 &&
           verdict.confidence >= sure_least && !is_beyond_drafts(draft);
}

/* A draft marks the items that it has used, and makes some into others. */
static struct reading *
copy_reading(struct session *s, const struct reading *reading)
{
    struct reading *copy = arena_alloc(s->arena, 1, sizeof(*copy));

    *copy = *reading;
    copy->item = arena_alloc(s->arena, reading->count + 1, sizeof(*copy->item));
    memcpy(copy->item, reading->item, reading->count * sizeof(*copy->item));
    return copy;
}

static bool
has_vague(const struct reading *reading)
{
    for (size_t i = 0; i < reading->count; i++)
        if (reading->item[i].is_vague && !reading->item[i].is_used)
            return true;
    return false;
}

static void
answer_one_table(struct session *s, struct reading *reading)
{
    struct parser *parser = arena_alloc(s->arena, 1, sizeof(*parser));
    struct query *query = arena_alloc(s->arena, 1, sizeof(*query));
    struct reading *drafted = copy_reading(s, reading);
    bool is_query = parse_question(parser, s->arena, reading, s->lexicon, query);

    s->draft = draft_make(s->arena, drafted);
    is_query = is_query && !has_vague(drafted) && !has_no_name(s);
    bool is_picture =
        parser->wants_picture || parser->has_explicit_chart || parser->is_legacy;
    bool draws = is_picture && is_sound_draft(s) && s->draft.plan.mark != MARK_NONE;
    if (is_query && !draws) {
        answer_query(s, parser);
        return;
    }
    if (!draws && !is_sound_draft(s)) {
        s->unknown = parser->refusal ? parser : NULL;
    }
    decide(s);
}

static void
answer_question(struct session *s)
{
    s->words = words_split(s->arena, s->request->question, WORDS_MAX);
    s->words = lexicon_rewrite(s->lexicon, s->arena, &s->words);
    if (follow_up(s)) {
        decide(s);
        return;
    }
    struct choice *choice = arena_alloc(s->arena, 1, sizeof(*choice));
    *choice = choose_frame(s);
    if (choice->rival < 0) {
        answer_one_table(s, &choice->best);
        return;
    }
    s->draft = draft_make(s->arena, &choice->best);
    if (choice->rival >= 0) {
        ask_for_frame(s, choice);
        return;
    }
    decide(s);
}

int
planner_answer(struct planner_answer *answer, const struct planner_request *request,
               struct error *err)
{
    AUTO(arena) struct arena arena = {0};
    struct profile *profile = arena_alloc(&arena, 1, sizeof(*profile));
    struct session *s = arena_alloc(&arena, 1, sizeof(*s));

    if (profile_read(profile, &arena, request->profile, request->lexicon, err) < 0)
        return error_wrap(err, "profile");
    *answer = (struct planner_answer){
        .plan = json_null(),
        .code = xstrdup(""),
        .message = xstrdup(""),
        .assumed = json_array(),
        .not_understood = json_array(),
        .alternatives = json_array(),
    };
    *s = (struct session){.request = request,
                          .lexicon = request->lexicon,
                          .arena = &arena,
                          .profile = profile,
                          .answer = answer};
    if (is_blank(request->question))
        refuse_shortly(s, "refuse.empty");
    else if (request->question.len > QUESTION_BYTES_MAX)
        refuse_shortly(s, "refuse.long");
    else if (profile->frames == 0)
        refuse_shortly(s, "refuse.nodata");
    else
        answer_question(s);
    return 0;
}

void
planner_answer_release(struct planner_answer *answer)
{
    json_decref(answer->plan);
    json_decref(answer->assumed);
    json_decref(answer->not_understood);
    json_decref(answer->alternatives);
    free(answer->code);
    free(answer->message);
    *answer = (struct planner_answer){0};
}
