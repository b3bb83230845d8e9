#include "bridge/planner/planner.h"

#include "bridge/planner/draft/followup.h"
#include "bridge/planner/planner_session.h"
#include "bridge/planner/restyle/restyle.h"

enum {
    QUESTION_BYTES_MAX = 8 << 10,
};

static bool
is_blank(struct slice text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!strchr(" \t\r\n", text.data[i]))
            return false;
    return true;
}

/* "high priority" is vague, unless it is one of its values; "new members" are not where
 * they are counted by month. */
static bool
is_read(const struct parser *parser, size_t begin)
{
    const struct amount *amount = &parser->query->amount[0];
    const bool is_mean = /* "typical loan length" */
        parser->query->amounts && amount->reduce == REDUCE_MEAN && amount->of;

    for (int i = 0; i < parser->count; i++)
        if ((token_kind(parser, i, TOKEN_CELL) ||
             ((token_kind(parser, i, TOKEN_COMMA) ||
               (parser->is_contest && token_kind(parser, i, TOKEN_UNKNOWN)) ||
               (is_mean && token_is(parser, i, TERM_MEAN))) &&
              parser->token[i].is_used)) &&
            parser->token[i].item->begin == begin)
            return true;
    return false;
}

static bool
has_vague(const struct reading *reading, const struct parser *parser)
{
    for (size_t i = 0; i < reading->count; i++)
        if (reading->item[i].is_vague && !reading->item[i].is_used &&
            !is_read(parser, reading->item[i].begin))
            return true;
    return false;
}

/* "our three best customers by revenue": the algebra knows by what. */
static bool
has_measured_rank(const struct parser *parser)
{
    const struct query *query = parser->query;
    const bool asks_who = /* "who has the best mark" */
        parser->wants_who && query->rank.by;

    return query->rank.is_there &&
           (asks_who || (query->keys && query->amounts && query->amount[0].of));
}

/* Not rows, columns, gaps or a summary, which are the drafts' own. */
static bool
is_of_groups(const struct plan *plan)
{
    return plan->intent == INTENT_CHART || plan->intent == INTENT_TABLE ||
           plan->intent == INTENT_VALUE;
}

/* "the 5 biggest loans" where nothing says by what: the first five would be any five.
 */
static bool
has_lost_rank(const struct parser *parser, const struct plan *plan)
{
    if (parser->sorts_rows) /* "orders, largest first", "by vet and then by bill" */
        return true;
    if (plan->intent != INTENT_ROWS)
        return false;
    for (int i = 0; i < parser->count; i++) /* "the second longest ride" */
        if (token_is(parser, i, TERM_UNIT) &&
            (token_is(parser, i + 1, TERM_HIGH) || token_is(parser, i + 1, TERM_LOW) ||
             token_is_ordinal(parser, i)))
            return true;
    int at = parser->rank_at;
    if (!parser->query->rank.is_there || plan->sort != AXIS_NONE || at < 0)
        return false;
    return !token_is_end(parser, at);
}

/* "the last 3 rows" */
static bool
has_unknown_end(const struct parser *parser)
{
    for (int i = 0; i < parser->count; i++)
        if (parse_rank_is_end_unknown(parser, i))
            return true;
    return false;
}

/* "how many projects over budget": no histogram of budgets. */
static bool
draws_what_is_counted(const struct parser *parser, const struct plan *plan)
{
    if (plan->mark != MARK_HISTOGRAM || parser->has_explicit_chart)
        return false;
    bool counts = false, is_beyond = false;
    for (int i = 0; i < parser->count; i++) {
        counts |= token_is(parser, i, TERM_HOW_MANY);
        is_beyond |= token_is(parser, i, TERM_OVER);
        if (token_is(parser, i, TERM_SHARE))
            return true;
    }
    return parser->has_percent || (counts && is_beyond);
}

/* "by airline", but "missing values by column". */
static bool
says_groups(const struct parser *parser)
{
    for (int i = 0; i < parser->count; i++)
        if (token_is(parser, i, TERM_PER) || token_is(parser, i, TERM_EACH) ||
            (token_is(parser, i, TERM_BY) && !token_is(parser, i + 1, TERM_COLUMNS)))
            return true;
    return false;
}

static bool
says_number(const struct parser *parser)
{
    static const enum term terms[] = {
        TERM_MEAN,      TERM_SUM,  TERM_MEDIAN, TERM_MIN,      TERM_MAX,
        TERM_DEVIATION, TERM_RATE, TERM_SHARE,  TERM_HOW_MANY, TERM_HOW_MUCH,
        TERM_COUNT,     TERM_PER,  TERM_EACH};

    for (int i = 0; i < parser->count; i++)
        for (size_t k = 0; k < COUNT_OF(terms); k++)
            if (token_is(parser, i, terms[k]))
                return true;
    return false;
}

/* "average glucose of women" is not a list of rows, nor is "where do they come from".
 */
static bool
has_lost_question(const struct parser *parser, const struct plan *plan)
{
    const bool is_gap = plan->intent == INTENT_MISSING;

    if (plan->intent != INTENT_ROWS && !is_gap)
        return false;
    for (unsigned i = 0; i < plan->filters; i++) {
        const struct filter *filter = &plan->filter[i];

        if ((parser->frame->column[filter->column].flags & FLAG_KEY) &&
            filter->op >= OP_GT && filter->op <= OP_LE)
            return true; /* "patients over 10": no names are larger */
    }
    return is_gap ? says_groups(parser) : parser->asks_more || says_number(parser);
}

/* Whether the draft would draw just that: then the query says more. */
static bool
is_same_chart(struct planner_session *s, const struct query *query)
{
    const struct plan *plan = &s->draft.plan;
    struct query *drafted = arena_alloc(s->arena, 1, sizeof(*drafted));

    return query->mark == plan->mark && plan->mark != MARK_HEATMAP &&
           restyle_plan_as_query(drafted, s->arena, s->draft.frame, plan) &&
           query_has_same_groups(query, drafted);
}

static bool
draws_column(const struct plan *plan, int column)
{
    bool is_there = plan->x == column || plan->y == column || plan->series == column;

    for (unsigned i = 0; i < plan->filters; i++)
        is_there |= plan->filter[i].column == column;
    return is_there;
}

/* "chart of grades" that draws `score`, where a column is called `grade`. */
static bool
has_other_column(const struct planner_session *s, const struct parser *parser)
{
    const struct plan *plan = &s->draft.plan;

    for (int i = 0; i < parser->count; i++) {
        const struct item *item = parser->token[i].item;

        if (!token_kind(parser, i, TOKEN_VALUE) || item->kind != ITEM_COLUMN ||
            item->link[0].score < 0.98f || draws_column(plan, item->link[0].column))
            continue;
        for (unsigned k = 1; k < item->links; k++)
            if (item->link[k].score < 0.95f && draws_column(plan, item->link[k].column))
                return true;
    }
    return false;
}

/* "pie chart of alarms by hall" of a flag `alarm`: rows that have one, not a group. */
static bool
is_tested(const struct query *query, int column)
{
    bool is_there = false;

    for (unsigned i = 0; column >= 0 && i < query->tests; i++)
        is_there |= query->test[i].of->kind == VALUE_COLUMN &&
                    query->test[i].of->column == column && !query->test[i].operands;
    return is_there;
}

static bool
counts_one_group(const struct query *query)
{
    return query->keys == 1 && query->amounts == 1 &&
           query->amount[0].reduce == REDUCE_COUNT && !query->amount[0].of;
}

/* "only billing and returns", of which the draft has the one. */
static bool
has_lost_cells(const struct plan *plan, const struct query *query)
{
    unsigned said = 0, kept = 0;

    for (unsigned i = 0; i < query->tests; i++)
        said += query->test[i].operands;
    for (unsigned i = 0; i < plan->filters; i++)
        kept += plan->filter[i].operands;
    return said > kept;
}

/* Rows that pass a test, where the draft makes of that test a group. */
static bool
has_lost_test(const struct planner_session *s, const struct query *query)
{
    if (has_lost_cells(&s->draft.plan, query))
        return true;
    return counts_one_group(query) && s->draft.plan.series >= 0 &&
           (is_tested(query, s->draft.plan.series) ||
            is_tested(query, s->draft.plan.x));
}

/* "bar chart of tests per analyser": tests are the rows, not a second group. */
static bool
has_extra_series(const struct planner_session *s, const struct parser *parser)
{
    bool has_rows = false;

    for (int i = 0; i < parser->count; i++)
        has_rows |= token_kind(parser, i, TOKEN_ROWS) && parser->token[i].is_plural;
    return has_rows && counts_one_group(parser->query) && s->draft.plan.series >= 0;
}

/* "bar chart of how many hours they spend" that draws how many rows there are. */
static bool
has_lost_amount(const struct planner_session *s, const struct parser *parser)
{
    const struct plan *plan = &s->draft.plan;
    const struct query *query = parser->query;

    return query->amounts > 0 && query->amount[0].of && plan->y < 0 &&
           query->amount[0].reduce != REDUCE_DISTINCT && plan->intent == INTENT_CHART &&
           plan->aggregate == AGG_COUNT &&
           !(query->amount[0].of->kind == VALUE_COLUMN &&
             draws_column(plan, query->amount[0].of->column));
}

/* "plot samples by weekday" that draws a line for each sample. */
static bool
has_lost_things(const struct planner_session *s, const struct query *query)
{
    const struct plan *plan = &s->draft.plan;
    const struct amount *amount = &query->amount[0];

    return query->amounts == 1 && amount->reduce == REDUCE_DISTINCT &&
           amount->of->kind == VALUE_COLUMN && plan->aggregate == AGG_COUNT &&
           plan->series == amount->of->column;
}

/* "revenue over the years", drawn by when companies were founded. */
static bool
has_other_time(const struct planner_session *s, const struct query *query)
{
    const int x = s->draft.plan.x;
    const struct value *key = query->keys ? query->key[0] : NULL;

    if (!key || x < 0 || s->draft.frame->column[x].role != ROLE_TIME ||
        !query_value_is_time(query->frame, key))
        return false;
    const struct value *time = key->kind == VALUE_PART ? key->left : key;
    return time->kind == VALUE_COLUMN && time->column != x;
}

/* The same columns on the axes, of the same rows. */
static bool
draws_same_rows(const struct planner_session *s, const struct query *query)
{
    const struct plan *plan = &s->draft.plan;
    const struct amount *amount = &query->amount[0];

    return plan->mark == query->mark && plan->filters == query->tests &&
           amount->of->kind == VALUE_COLUMN && draws_column(plan, amount->of->column) &&
           (!amount->with || (amount->with->kind == VALUE_COLUMN &&
                              draws_column(plan, amount->with->column))) &&
           (!query->keys || (query->key[0]->kind == VALUE_COLUMN &&
                             draws_column(plan, query->key[0]->column)));
}

static void
answer_one_table(struct planner_session *s, struct reading *reading,
                 struct parser *parser, bool is_query)
{
    struct reading *drafted = planner_drafted(s, reading, parser);

    s->draft = draft_make(s->arena, drafted);
    is_query = is_query && (!has_vague(drafted, parser) || has_measured_rank(parser)) &&
               !planner_draft_is_nameless(s);
    bool is_picture =
        parser->wants_picture || parser->has_explicit_chart || parser->is_legacy;
    bool draws =
        is_picture && planner_draft_is_sound(s) && s->draft.plan.mark != MARK_NONE;
    bool has_more = query_is_beyond(parser->query) || has_extra_series(s, parser);
    if (is_query && parser->draws_rows
            ? !draws || !draws_same_rows(s, parser->query)
            : is_query &&
                  (!draws || parser->has_axes || has_other_column(s, parser) ||
                   has_lost_amount(s, parser) || has_lost_test(s, parser->query) ||
                   has_lost_things(s, parser->query) ||
                   has_other_time(s, parser->query) ||
                   (has_more && parser->query->mark == s->draft.plan.mark))) {
        planner_query_answer(s, parser);
        return;
    }
    s->is_agreed = is_query && is_same_chart(s, parser->query);
    /* Drafts drop words: what the algebra names and refuses is not theirs to answer. */
    bool is_refused =
        parser->refusal && !is_picture &&
        (is_of_groups(&s->draft.plan) || has_lost_rank(parser, &s->draft.plan) ||
         has_lost_question(parser, &s->draft.plan));
    is_refused |= draws_what_is_counted(parser, &s->draft.plan) ||
                  (parser->refusal && has_unknown_end(parser));
    if (is_refused || (!draws && !planner_draft_is_sound(s)))
        s->unknown = parser->refusal ? parser : NULL;
    s->is_refused = is_refused;
    planner_draft_answer(s);
}

static void
answer_question(struct planner_session *s)
{
    struct parser *parser = arena_alloc(s->arena, 1, sizeof(*parser));
    struct query *query = arena_alloc(s->arena, 1, sizeof(*query));
    struct planner_table *choice = arena_alloc(s->arena, 1, sizeof(*choice));

    planner_table_take_choice(s);
    s->words = words_split(s->arena, s->question, WORDS_MAX);
    s->words = lexicon_rewrite(s->lexicon, s->arena, &s->words);
    if (planner_restyle(s) || planner_refer(s))
        return;
    *choice = planner_table_choose(s);
    if (planner_help_is_asked(&choice->best)) {
        planner_help_answer(s, &choice->best);
        return;
    }
    bool is_query = parse_question(parser, s->arena, &choice->best, s->lexicon, query);
    if (!is_query && parser->refusal && choice->frame >= 0 && choice->rival < 0)
        is_query = planner_table_parse_joined(s, choice, parser, query);
    if (planner_followup_answer(s, &choice->best, parser, is_query))
        return;
    if (choice->rival < 0) {
        answer_one_table(s, &choice->best, parser, is_query);
    } else {
        planner_refusal_ask(s, choice);
    }
}

int
planner_answer(struct planner_answer *answer, const struct planner_request *request,
               struct error *err)
{
    AUTO(arena) struct arena arena = {0};
    struct profile *profile = arena_alloc(&arena, 1, sizeof(*profile));
    struct planner_session *s = arena_alloc(&arena, 1, sizeof(*s));

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
    *s = (struct planner_session){.request = request,
                                  .lexicon = request->lexicon,
                                  .question = request->question,
                                  .only = -1,
                                  .arena = &arena,
                                  .profile = profile,
                                  .answer = answer};
    if (is_blank(request->question))
        planner_refusal_short(s, "refuse.empty");
    else if (request->question.len > QUESTION_BYTES_MAX)
        planner_refusal_short(s, "refuse.long");
    else if (profile->frames == 0)
        planner_refusal_short(s, "refuse.nodata");
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
    free(answer->explanation);
    *answer = (struct planner_answer){0};
}
