/* "how many rows is that", "show me those rows", "how many of them were returned": of
 * the rows that the answer before is about. */
#include "bridge/planner/planner_session.h"

static bool
is_word(const struct planner_session *s, size_t at, const char *list)
{
    return at < s->words.count && s->words.at[at].kind == WORD_TEXT &&
           lexicon_lists(s->lexicon, list, s->words.at[at].text);
}

static size_t
last_word(const struct planner_session *s)
{
    size_t last = s->words.count;

    while (last > 0 && s->words.at[last - 1].kind == WORD_MARK)
        last--;
    return last > 0 ? last - 1 : 0;
}

/* Whether the rows themselves are named: "they" are those then. */
static bool
names_rows(const struct parser *now)
{
    for (int i = 0; i < now->count; i++)
        if (token_kind(now, i, TOKEN_ROWS))
            return true;
    return false;
}

/* Most questions have no such word, and need not be read for that. */
static bool
has_pronoun(const struct planner_session *s)
{
    for (size_t i = 0; i < s->words.count; i++)
        if (is_word(s, i, "word.those") || is_word(s, i, "word.they") ||
            is_word(s, i, "word.thatone"))
            return true;
    return false;
}

/* "how many is that", but "with 100,000 miles on them" */
static bool
ends_in_pronoun(const struct planner_session *s)
{
    const size_t last = last_word(s);

    return (is_word(s, last, "word.those") || is_word(s, last, "word.they") ||
            is_word(s, last, "word.thatone")) &&
           !(last > 0 && is_word(s, last - 1, "word.relatives"));
}

static bool
refers(const struct planner_session *s, const struct parser *now)
{
    if (ends_in_pronoun(s))
        return true;
    for (size_t i = 0; i < s->words.count; i++) {
        const bool is_those = is_word(s, i, "word.those");

        if (is_those && i > 0 && is_word(s, i - 1, "word.of") &&
            !is_word(s, i + 1, "word.relatives"))
            return true; /* "of them", but "of those with" */
        if (is_those && i + 1 < s->words.count &&
            words_is_plural(s->words.at[i + 1].text))
            return true; /* "those rows" */
        if (is_word(s, i, "word.they") && !names_rows(now))
            return true; /* "their total price" */
    }
    return false;
}

/* Rows that no more than tests have chosen. */
static bool
is_of_rows(const struct query *query)
{
    return !query->having.is_there && !query->rank.is_there && !query->along &&
           !query->share && !query->move && query->shape != SHAPE_OUTLIERS;
}

static bool
has_or(const struct query *query)
{
    for (unsigned i = 0; i < query->tests; i++)
        if (query->test[i].is_or)
            return true;
    return false;
}

/* Adds the tests of the answer before; false: they do not go together. */
static bool
join(const struct query *before, struct query *now)
{
    if (!is_of_rows(before) || now->having.is_there || now->along || now->share ||
        has_or(before) || has_or(now) || before->tests + now->tests > TESTS_MAX)
        return false;
    memmove(&now->test[before->tests], &now->test[0],
            now->tests * sizeof(now->test[0]));
    memcpy(&now->test[0], &before->test[0], before->tests * sizeof(before->test[0]));
    now->tests += before->tests;
    return true;
}

/* "show me those rows": no more than that. */
static bool
asks_to_show(const struct parser *now)
{
    for (int i = 0; i < now->count; i++)
        if (!token_is(now, i, TERM_SHOW) && !token_is(now, i, TERM_ROWS) &&
            !token_kind(now, i, TOKEN_ROWS) && !token_kind(now, i, TOKEN_STOP))
            return false;
    return true;
}

/* The question that says again which rows `json` is about, or NULL. */
static const char *
question_of_rows(json_t *json)
{
    json_t *asked = json_object_get(json, "asked");

    return json_string_value(asked ? asked : json_object_get(json, "rows_asked"));
}

/* Both questions as one, where they mean the same so; or NULL. */
static const char *
both(struct planner_session *s, const struct frame *about, const char *asked,
     const struct query *joined)
{
    struct parser *parser = arena_alloc(s->arena, 1, sizeof(*parser));
    const char *text = arena_printf(s->arena, "%s %.*s", asked, (int)s->question.len,
                                    s->question.data);

    if (!planner_query_read(s, about, text, parser))
        return NULL;
    json_auto_t *one = query_to_json(s->arena, parser->query);
    json_auto_t *other = query_to_json(s->arena, joined);
    return json_equal(one, other) ? text : NULL;
}

bool
planner_refer(struct planner_session *s)
{
    json_t *json = planner_followup_last(s);
    const int frame = planner_followup_frame(s, json);
    const char *asked = question_of_rows(json);

    if (!has_pronoun(s))
        return false;
    if (frame < 0) {
        const bool is_of_none = !json && ends_in_pronoun(s);

        if (is_of_none)
            planner_refusal_say(s, "refuse.nobefore", "");
        return is_of_none;
    }
    const struct frame *about = &s->profile->frame[frame];
    struct parser *before = arena_alloc(s->arena, 1, sizeof(*before)),
                  *now = arena_alloc(s->arena, 1, sizeof(*now));
    bool is_read = planner_query_read(
        s, about, arena_text(s->arena, s->question.data, s->question.len), now);
    if (!refers(s, now))
        return false;
    if (!is_read && asks_to_show(now)) {
        *now->query = (struct query){.frame = about, .shape = SHAPE_ROWS};
        is_read = true;
    }
    const bool has_more = now->query->tests > 0; /* "of them were returned" */
    if (!is_read || !asked || !planner_query_read(s, about, asked, before) ||
        (before->query->keys && !names_rows(now)) || /* rows, or groups? */
        !join(before->query, now->query)) {
        planner_refusal_say(s, "refuse.follow", "");
        return true;
    }
    planner_query_changed(s, now->query, both(s, about, asked, now->query));
    if (!has_more)
        json_object_set_new(s->answer->plan, "rows_asked", json_string(asked));
    return true;
}
