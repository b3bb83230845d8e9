/* Answers by the algebra: what it understands to the last word. */
#include "bridge/planner/planner_session.h"

#include "bridge/planner/program/program.h"

static const double sure_least = 0.82; /* below it, how a question was read is said */

static void
write_answer(struct planner_session *s, const struct query *query, json_t *asked)
{
    json_decref(s->answer->plan);
    s->answer->plan = query_to_json(s->arena, query);
    if (asked)
        json_object_set_new(s->answer->plan, "asked", asked);
    planner_explain_query(s, query);
    free(s->answer->code);
    s->answer->code = program_write(query, s->profile, s->lexicon, s->arena);
}

void
planner_query_answer(struct planner_session *s, struct parser *parser)
{
    write_answer(s, parser->query, json_stringn(s->question.data, s->question.len));
    s->answer->confidence = parser->confidence;
    planner_assumptions_query(s, parser);
    if (json_array_size(s->answer->assumed) == 0 && parser->confidence < sure_least)
        planner_session_add(s->answer->assumed,
                            planner_session_say(s, "assume.reading",
                                                query_title(s->arena, parser->query),
                                                NULL));
}

void
planner_query_changed(struct planner_session *s, const struct query *query,
                      const char *asked)
{
    write_answer(s, query, asked ? json_string(asked) : NULL);
    s->answer->confidence = 1;
    planner_session_add(
        s->answer->assumed,
        planner_session_say(s, "assume.follow", query_title(s->arena, query), NULL));
}

bool
planner_query_read(struct planner_session *s, const struct frame *frame,
                   const char *question, struct parser *parser)
{
    struct reading *reading = arena_alloc(s->arena, 1, sizeof(*reading));
    struct query *query = arena_alloc(s->arena, 1, sizeof(*query));
    struct words words = words_split(s->arena, slice_of(question), WORDS_MAX);

    words = lexicon_rewrite(s->lexicon, s->arena, &words);
    *reading = reading_make(s->arena, s->lexicon, frame, slice_of(question), &words);
    bool is_read = parse_question(parser, s->arena, reading, s->lexicon, query);
    for (int i = 0; i < s->profile->frames && !is_read; i++) {
        const struct frame *joined = frame_join(s->arena, frame, &s->profile->frame[i]);

        if (!joined)
            continue;
        *reading =
            reading_make(s->arena, s->lexicon, joined, slice_of(question), &words);
        is_read = parse_question(parser, s->arena, reading, s->lexicon, query);
    }
    return is_read;
}
