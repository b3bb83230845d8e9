/*
 * planner_session: one question on its way to its answer; the header of each
 * planner_*.c.
 *
 * planner.c says in which order they come. All but the answer lives in the arena.
 */
#pragma once

#include "bridge/planner/draft/judge.h"
#include "bridge/planner/parse/parse.h"
#include "bridge/planner/planner.h"

struct planner_session {
    const struct planner_request *request;
    const struct lexicon *lexicon;
    struct arena *arena;
    struct profile *profile;
    struct slice question; /* the request's, or the one that it completes */
    int only;              /* the table that the user has named, or -1 */
    struct words words;
    struct draft draft;
    struct verdict verdict;
    struct planner_answer *answer;
    bool is_refused;       /* the algebra says why, and a draft would not know better */
    bool is_agreed;        /* algebra and draft mean the same chart of groups */
    bool is_lost_followup; /* what it changes is more than a plan can carry */
    bool is_of_number;     /* a follow-up: of one number, whose question may go on */
    const struct parser *unknown; /* what the algebra did not understand, or NULL */
};

/* The table that explains most of the question. */
struct planner_table {
    struct reading best;
    int frame, rival; /* rival: another that fits as well, or -1 */
};

/* --- planner_drafted.c --- */
/* A copy that a draft may mark and change. */
struct reading *planner_drafted(struct planner_session *s,
                                const struct reading *reading, struct parser *parser);

/* --- planner_session.c --- */
/* A sentence of the lexicon, filled. */
const char *planner_session_say(struct planner_session *s, const char *key,
                                const char *a, const char *b);
/* Adds a text, once. */
void planner_session_add(json_t *list, const char *text);

/* --- planner_table.c --- */
struct planner_table planner_table_choose(struct planner_session *s);
/* Reads what one table cannot answer of two that belong together; false: nor do they.
 */
bool planner_table_parse_joined(struct planner_session *s, struct planner_table *choice,
                                struct parser *parser, struct query *query);
/* "b", after "Which table do you mean: a, b?": the question before, of this table. */
void planner_table_take_choice(struct planner_session *s);

/* --- planner_query.c: answers by the algebra --- */
void planner_query_answer(struct planner_session *s, struct parser *parser);
/* A query that is an earlier answer, changed. `asked` is the question that it can be
 * made of again, or NULL. */
void planner_query_changed(struct planner_session *s, const struct query *query,
                           const char *asked);
/* Reads a question of one table; false when it is not understood to its last word. */
bool planner_query_read(struct planner_session *s, const struct frame *frame,
                        const char *question, struct parser *parser);

/* --- planner_restyle.c --- */
/* Whether the question is about the drawing of the answer before; it is answered. */
bool planner_restyle(struct planner_session *s);
/* What was changed of how `before` was drawn, for the same question changed, `now`. */
void planner_restyle_keep(struct planner_session *s, const struct frame *frame,
                          json_t *json, const struct query *before, struct query *now);

/* --- planner_followup.c --- */
/* The plan of the answer before, or NULL; and its table, or -1. */
json_t *planner_followup_last(const struct planner_session *s);
int planner_followup_frame(const struct planner_session *s, json_t *plan);
/* What a plan has no part for: both questions as one, if that is understood. */
bool planner_followup_extend(struct planner_session *s);
/* Answers or refuses what changes the answer before; false: the question, which is read
 * to its last word if `is_query`, stands alone. */
bool planner_followup_answer(struct planner_session *s, const struct reading *reading,
                             const struct parser *parser, bool is_query);

/* --- planner_refer.c --- */
/* Whether the question is of "those" rows of the answer before; it is answered, or
 * refused. */
bool planner_refer(struct planner_session *s);

/* --- planner_substitute.c --- */
/* Whether the question says one thing of the one before otherwise; it is answered. */
bool planner_substitute(struct planner_session *s);

/* --- planner_assumptions.c: what the answer says of how it was read --- */
void planner_assumptions_tell(struct planner_session *s);
void planner_assumptions_strangers(struct planner_session *s);
void planner_assumptions_query(struct planner_session *s, const struct parser *parser);

/* --- planner_alternatives.c: questions near the one that was asked --- */
void planner_alternatives_offer(struct planner_session *s);
void planner_alternatives_sure(struct planner_session *s);

/* --- planner_explain.c: how the answer is worked out --- */
void planner_explain_query(struct planner_session *s, const struct query *query);
void planner_explain_draft(struct planner_session *s);

/* --- planner_help.c --- */
bool planner_help_is_asked(const struct reading *reading);
void planner_help_answer(struct planner_session *s, struct reading *reading);

/* --- planner_refusal.c --- */
void planner_refusal_say(struct planner_session *s, const char *key, const char *a);
void planner_refusal_short(struct planner_session *s, const char *key);
void planner_refusal_write(struct planner_session *s);
void planner_refusal_ask(struct planner_session *s, const struct planner_table *choice);

/* --- planner_draft.c --- */
/* Whether no program can name the draft's table. */
bool planner_draft_is_nameless(const struct planner_session *s);
/* Whether the draft can be drawn, with nothing left over. */
bool planner_draft_is_sound(struct planner_session *s);
/* The draft as the answer, or why there is none. */
void planner_draft_answer(struct planner_session *s);
