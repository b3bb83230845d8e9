#include "bridge/planner/planner_session.h"

static void
tell_columns(struct planner_session *s)
{
    for (unsigned i = 0; i < s->draft.mentions; i++) {
        const struct mention *mention = &s->draft.mention[i];

        if (!mention->item || mention->is_dropped || mention->score >= 0.9f)
            continue;
        struct slice said = reading_text(s->draft.reading, mention->item);
        planner_session_add(
            s->answer->assumed,
            planner_session_say(s, "assume.column",
                                arena_text(s->arena, said.data, said.len),
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

static bool
is_mentioned(const struct planner_session *s, const struct item *item)
{
    for (unsigned i = 0; i < s->draft.mentions; i++)
        if (s->draft.mention[i].item == item)
            return true;
    return false;
}

/* "price over 400": of a column that is called so in part. */
static void
tell_filters(struct planner_session *s)
{
    const struct reading *reading = s->draft.reading;

    for (size_t i = 0; i < reading->count; i++) {
        const struct item *item = &reading->item[i];

        if (item->kind != ITEM_COLUMN || item->link[0].score >= 0.9f ||
            !decides_rows(&s->draft.plan, item->link[0].column) ||
            is_mentioned(s, item))
            continue;
        const struct slice said = reading_text(reading, item);
        planner_session_add(
            s->answer->assumed,
            planner_session_say(s, "assume.column",
                                arena_text(s->arena, said.data, said.len),
                                s->draft.frame->column[item->link[0].column].name));
    }
}

static void
tell_of_column(struct planner_session *s, const char *key, const struct column *column)
{
    planner_session_add(s->answer->assumed,
                        planner_session_say(s, key, column->name, NULL));
}

/* Groups whose names differ by case; rows that are in none. */
static void
tell_groups(struct planner_session *s)
{
    const int columns[] = {s->draft.plan.x, s->draft.plan.series};

    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        const struct column *column =
            columns[i] >= 0 ? &s->draft.frame->column[columns[i]] : NULL;

        if (column && column->is_mixed)
            tell_of_column(s, "assume.case", column);
        if (column && column->nulls > 0 && column->role == ROLE_NOMINAL)
            tell_of_column(s, "assume.nokey", column);
    }
}

/* Rows and summaries of all columns show what is named, too. */
static void
tell_unused(struct planner_session *s)
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
            planner_session_add(
                s->answer->assumed,
                planner_session_say(s, "assume.unused",
                                    s->draft.frame->column[mention->column].name,
                                    NULL));
    }
}

static void
tell_spelling(struct planner_session *s)
{
    const struct words *words = &s->draft.reading->words;

    for (size_t i = 0; i < words->count; i++) {
        const struct word *word = &words->at[i];

        if (word->corrected && !word->superlative && word->end <= s->question.len)
            planner_session_add(
                s->answer->assumed,
                planner_session_say(s, "assume.spelling",
                                    arena_text(s->arena, s->question.data + word->begin,
                                               word->end - word->begin),
                                    word->text));
    }
}

/* Which of several; and which two, and by what. */
static void
tell_table(struct planner_session *s, const struct frame *frame)
{
    const struct join *join = frame->join;
    const char *names[3];

    if (join) {
        names[0] = join->left->name;
        names[1] = join->right->name;
        names[2] = join->left->column[join->left_key].name;
        planner_session_add(s->answer->assumed, lexicon_say(s->lexicon, s->arena,
                                                            "assume.joined", names, 3));
    } else if (s->profile->frames > 1) {
        planner_session_add(s->answer->assumed,
                            planner_session_say(s, "assume.frame", frame->name, NULL));
    }
}

/* "n.m." among numbers, where what is missing is counted. */
static void
tell_placeholders(struct planner_session *s)
{
    const struct plan *plan = &s->draft.plan;
    const int only = plan->x >= 0 ? plan->x : plan->y;

    for (int i = 0; plan->intent == INTENT_MISSING && i < s->draft.frame->columns;
         i++) {
        const struct column *column = &s->draft.frame->column[i];
        const char *text = column_says_missing(column);

        if (text && (only < 0 || only == i))
            planner_session_add(
                s->answer->assumed,
                planner_session_say(s, "assume.placeholder", text, column->name));
    }
}

void
planner_assumptions_tell(struct planner_session *s)
{
    tell_placeholders(s);
    for (unsigned i = 0; i < s->draft.notes; i++) {
        const struct note *note = &s->draft.note[i];

        planner_session_add(
            s->answer->assumed,
            lexicon_say(s->lexicon, s->arena, note->key, note->arg, note->args));
    }
    tell_columns(s);
    tell_filters(s);
    bool counts = s->draft.plan.aggregate == AGG_COUNT;
    if (s->verdict.thing.len && (counts || s->draft.plan.intent == INTENT_ROWS))
        planner_session_add(
            s->answer->assumed,
            planner_session_say(
                s, counts ? "assume.rows" : "assume.noun",
                arena_text(s->arena, s->verdict.thing.data, s->verdict.thing.len),
                NULL));
    tell_groups(s);
    tell_unused(s);
    tell_spelling(s);
    tell_table(s, s->draft.frame);
}

void
planner_assumptions_strangers(struct planner_session *s)
{
    for (unsigned i = 0; i < s->verdict.strangers; i++) {
        struct slice word = s->verdict.stranger[i];

        planner_session_add(s->answer->not_understood,
                            arena_text(s->arena, word.data, word.len));
    }
}

static bool
is_known_anyway(const struct query *query, const struct value *of)
{
    for (unsigned i = 0; i < query->tests; i++)
        if (query->test[i].op == OP_NOT_NULL &&
            query_value_is_same(query->test[i].of, of))
            return true;
    return false;
}

/* A share of yes and no, where some rows say neither. */
static void
tell_blanks(struct planner_session *s, const struct parser *parser)
{
    const struct query *query = parser->query;

    for (unsigned i = 0; i < query->amounts; i++) {
        const struct amount *amount = &query->amount[i];
        const struct value *of =
            amount->reduce == REDUCE_RATE && amount->tests ? amount->test[0].of : NULL;
        const struct column *column = of ? value_column(parser, of) : NULL;

        if (column && value_is_flag(parser, of) && column->nulls > 0 &&
            column->unique > 1 && !is_known_anyway(query, of))
            tell_of_column(s, "assume.blanks", column);
    }
}

void
planner_assumptions_query(struct planner_session *s, const struct parser *parser)
{
    for (unsigned i = 0; i < parser->notes; i++)
        planner_session_add(s->answer->assumed,
                            lexicon_say(s->lexicon, s->arena, parser->note[i].key,
                                        parser->note[i].arg, 2));
    tell_blanks(s, parser);
    tell_spelling(s);
    tell_table(s, parser->frame);
}
