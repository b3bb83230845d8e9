/* Questions that change the answer before. */
#include "bridge/planner/draft/followup.h"
#include "bridge/planner/planner_session.h"

json_t *
planner_followup_last(const struct planner_session *s)
{
    size_t count = json_array_size(s->request->previous);
    json_t *last = count ? json_array_get(s->request->previous, count - 1) : NULL;
    json_t *inner = json_object_get(last, "plan");

    return inner ? inner : last;
}

int
planner_followup_frame(const struct planner_session *s, json_t *plan)
{
    const char *name = json_string_value(json_object_get(plan, "frame"));

    for (int i = 0; name && i < s->profile->frames; i++)
        if (strcmp(s->profile->frame[i].name, name) == 0)
            return i;
    return -1;
}

/* "only the last two seasons": which rows, not a limit of what was drawn. */
static bool
says_ends(struct planner_session *s, int frame)
{
    struct parser *parser = arena_alloc(s->arena, 1, sizeof(*parser));

    (void)planner_query_read(s, &s->profile->frame[frame],
                             arena_text(s->arena, s->question.data, s->question.len),
                             parser);
    return parse_ends_is_said(parser);
}

/* "by year", after a number: groups, which a plan of one number does not have. */
static bool
groups_a_number(const struct plan *plan)
{
    bool is_plain = plan->intent == INTENT_VALUE || plan->intent == INTENT_ROWS;

    return is_plain && plan->grain != GRAIN_NONE;
}

/* "also the average price" */
static bool
says_also(const struct planner_session *s)
{
    size_t len;

    return s->words.count && lexicon_term(s->lexicon, &s->words, 0, &len) == TERM_ALSO;
}

/* "also profit": a plan has room for one number. */
static bool
adds_number(const struct planner_session *s, const struct draft *draft)
{
    for (unsigned i = 0; says_also(s) && i < draft->mentions; i++) {
        const struct mention *mention = &draft->mention[i];
        const enum column_role role = draft->frame->column[mention->column].role;

        if (role == ROLE_QUANTITY ||
            (role == ROLE_DISCRETE && mention->place < PLACE_BY))
            return true;
    }
    return false;
}

static bool
is_same_plan(const struct plan *one, const struct plan *other,
             const struct frame *frame)
{
    json_auto_t *a = plan_to_json(one, frame);
    json_auto_t *b = plan_to_json(other, frame);

    return json_equal(a, b);
}

/* "top 3" of one number, "sorted by downtime" of what is none: no part of a plan, which
 * would be as it was, or of something else. */
static bool
is_lost(const struct planner_session *s, const struct plan *before,
        const struct draft *draft)
{
    const struct plan *now = &draft->plan;
    const bool is_order = draft_is_term(draft, 0, TERM_SORT);

    if (is_same_plan(before, now, draft->frame))
        return true;
    return (before->intent == INTENT_VALUE && now->limit) ||
           (is_order && (now->y != before->y || now->x != before->x)) ||
           adds_number(s, draft);
}

/* A question that only changes something is about the table of the one before; then the
 * draft is that one, changed. */
static bool
take_change(struct planner_session *s)
{
    json_t *json = planner_followup_last(s);
    int frame = planner_followup_frame(s, json);
    struct plan before = PLAN_INIT;
    struct error ignored;

    if (frame < 0)
        return false;
    bool is_carried = !json_is_true(json_object_get(json, "beyond"));
    if (is_carried &&
        plan_from_json(&before, &s->profile->frame[frame], json, &ignored) < 0)
        return false;
    struct reading *reading = arena_alloc(s->arena, 1, sizeof(*reading));
    *reading = reading_make(s->arena, s->lexicon, &s->profile->frame[frame],
                            s->question, &s->words);
    struct draft draft = draft_make(s->arena, reading);
    if (!followup_is_one(&draft))
        return false;
    s->draft = draft;
    bool is_sound_alone = !is_carried && planner_draft_is_sound(s);
    if (is_carried)
        followup_apply(&draft, &before);
    draft.is_followup = true;
    s->draft = draft;
    /* Without a cue it must be sure: else it is read as a question of its own. */
    bool is_one = followup_is_cued(reading) || followup_is_led(&draft) ||
                  (is_carried ? planner_draft_is_sound(s) : !is_sound_alone);
    s->is_lost_followup =
        is_one && (!is_carried || says_ends(s, frame) || is_lost(s, &before, &draft) ||
                   groups_a_number(&draft.plan));
    s->is_of_number = is_one && is_carried && before.intent == INTENT_VALUE;
    return is_one;
}

static bool
has_same_parts(const struct query *before, const struct query *now, bool has_more)
{
    if (now->keys < before->keys || now->amounts < before->amounts ||
        now->amounts > before->amounts + has_more || now->tests < before->tests ||
        now->along != before->along || now->having.is_there < before->having.is_there ||
        now->is_compared != before->is_compared)
        return false;
    for (unsigned i = 0; i < before->keys; i++)
        if (!query_value_is_same(before->key[i], now->key[i]))
            return false;
    for (unsigned i = 0; i < before->amounts; i++)
        if (before->amount[i].reduce != now->amount[i].reduce ||
            before->amount[i].tests != now->amount[i].tests)
            return false;
    return before->parts == now->parts;
}

/* "only for Rome" is "for Rome" behind the question that it changes. */
static struct slice
without_cues(struct planner_session *s)
{
    size_t at = 0, len;

    while (at < s->words.count) {
        enum term term = lexicon_term(s->lexicon, &s->words, at, &len);

        if (term != TERM_AGAIN && term != TERM_ALSO && term != TERM_AND &&
            term != TERM_ONLY)
            break;
        at += len;
    }
    size_t from = at < s->words.count ? s->words.at[at].begin : 0, to = s->question.len;
    if (from > s->question.len)
        from = 0;
    const size_t last = s->words.count - 1;
    if (s->words.count > at + 1 && /* "top 5 only" */
        lexicon_term(s->lexicon, &s->words, last, &len) == TERM_ONLY)
        to = s->words.at[last].begin;
    return (struct slice){s->question.data + from, to - from};
}

/* Words that only fill would leave the answer as it was. */
static bool
has_changed(struct planner_session *s, const struct query *before,
            const struct query *now)
{
    json_auto_t *was = query_to_json(s->arena, before);
    json_auto_t *is = query_to_json(s->arena, now);

    return !json_equal(was, is);
}

bool
planner_followup_extend(struct planner_session *s)
{
    json_t *json = planner_followup_last(s);
    int frame = planner_followup_frame(s, json);
    const char *asked = json_string_value(json_object_get(json, "asked"));

    if (frame < 0 || !asked)
        return false;
    const bool goes_on = s->is_lost_followup || s->is_of_number;
    struct parser *before = arena_alloc(s->arena, 1, sizeof(*before));
    struct parser *now = arena_alloc(s->arena, 1, sizeof(*now));
    struct slice change = without_cues(s);
    const bool has_more = says_also(s);
    const char *both =
        arena_printf(s->arena, "%s %s%.*s", asked, has_more ? "and " : "",
                     (int)change.len, change.data);
    if (!planner_query_read(s, &s->profile->frame[frame], asked, before) ||
        !planner_query_read(s, &s->profile->frame[frame], both, now) ||
        !has_same_parts(before->query, now->query, has_more) ||
        !has_changed(s, before->query, now->query))
        return false;
    const bool is_order =
        lexicon_term(s->lexicon, &s->words, 0, &(size_t){0}) == TERM_SORT;
    if (now->query->keys != before->query->keys &&
        (is_order || (!goes_on && before->query->shape == SHAPE_CHART)))
        return false; /* a plan knows better where a second group stands */
    s->is_lost_followup = false;
    planner_restyle_keep(s, &s->profile->frame[frame], json, before->query, now->query);
    planner_query_changed(s, now->query, both);
    return true;
}

static bool
begins_so(const struct parser *parser, const enum term *terms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (token_is(parser, 0, terms[i]))
            return true;
    return false;
}

static bool
names_rows(const struct parser *parser)
{
    for (int i = 0; i < parser->count; i++)
        if (token_kind(parser, i, TOKEN_ROWS))
            return true;
    return false;
}

/* "top 5 only", "bottom 3" */
static bool
is_rank_alone(const struct parser *parser)
{
    static const enum term ranks[] = {TERM_TOP, TERM_BOTTOM};
    const int end = 2 + token_is(parser, 2, TERM_ONLY);

    return begins_so(parser, ranks, COUNT_OF(ranks)) &&
           token_kind(parser, 1, TOKEN_NUMBER) &&
           (parser->count == end || token_kind(parser, end, TOKEN_STOP));
}

/* "for oral exams", "written exams only", "sorted by date", "without resits": of rows
 * or of their number if it stood alone. */
static bool
adds_to_before(const struct planner_session *s, const struct parser *parser)
{
    static const enum term leads[] = {TERM_FOR, TERM_IN, TERM_WITH, TERM_FROM},
                           orders[] = {TERM_SORT, TERM_DESCENDING, TERM_ASCENDING},
                           without[] = {TERM_NOT, TERM_EXCEPT};

    if (!planner_followup_last(s))
        return false;
    if (begins_so(parser, without, COUNT_OF(without)) || is_rank_alone(parser))
        return true;
    return parser->query->shape == SHAPE_ROWS && !parser->query->amounts &&
           (begins_so(parser, leads, COUNT_OF(leads)) ||
            (begins_so(parser, orders, COUNT_OF(orders)) && !names_rows(parser)) ||
            token_is(parser, parser->count - 1, TERM_ONLY));
}

/* "just the customer and the weight" of rows, "the mean instead of the count": other
 * columns, and what stands for what, are no part of a query. */
static bool
is_beyond_followups(const struct planner_session *s, const struct parser *parser)
{
    const char *intent =
        json_string_value(json_object_get(planner_followup_last(s), "intent"));
    bool has_other = false;
    size_t len;

    for (int i = 1; i + 1 < parser->count; i++)
        has_other |= token_is(parser, i, TERM_INSTEAD);
    if (!intent)
        return false;
    const bool is_only = strcmp(intent, "rows") == 0 && parser->query->tests == 0 &&
                         lexicon_term(s->lexicon, &s->words, 0, &len) == TERM_ONLY;
    return has_other || is_only;
}

bool
planner_followup_answer(struct planner_session *s, const struct reading *reading,
                        const struct parser *parser, bool is_query)
{
    const bool adds = adds_to_before(s, parser);
    bool is_refused = is_beyond_followups(s, parser);

    if (!is_refused && is_query && parser->has_subject && !adds &&
        !followup_is_cued(reading))
        return false;
    if (!is_refused && (planner_substitute(s) || (adds && planner_followup_extend(s))))
        return true;
    if (!is_refused && take_change(s)) {
        if (!planner_followup_extend(s))
            planner_draft_answer(s);
        return true;
    }
    if (is_refused || adds)
        planner_refusal_say(s, "refuse.follow", "");
    return is_refused || adds;
}
