/*
 * asking: a question under way. For the files of bridge_ask alone.
 *
 *     ask.c            its life: start, the moves from step to step, end, cancel
 *     asking.c         what is known of it, for every step
 *     asking_turn.c    the model is asked
 *     asking_code.c    its answer becomes code, which is checked
 *     asking_run.c     the code has run
 *     asking_repair.c  the question is a cell that failed
 *     asking_facts.c   what the outputs' metadata say of it
 */
#pragma once

#include "bridge/asking/report.h"
#include "bridge/models/turn.h"
#include "bridge/prompt/prompt.h"
#include "bridge/shared.h"
#include "common/limits.h"

/* state, and the states it may be entered from */
#define ASK_STATES(X)                                                 \
    X(STARTING, 0)                                                    \
    X(ASKING, IN(STARTING) | IN(ASKING) | IN(CHECKING) | IN(RUNNING)) \
    X(CHECKING, IN(ASKING))                                           \
    X(RUNNING, IN(ASKING) | IN(CHECKING))                             \
    X(ENDING, IN(STARTING) | IN(ASKING) | IN(CHECKING) | IN(RUNNING))

enum ask_state {
#define X(name, from) ASK_##name,
    ASK_STATES(X)
#undef X
};

enum {
    ATTEMPTS_MAX = 11
};

/* One piece of code, or what should have been one. */
struct attempt {
    char *code, *normal, *report, *answer;
    char *failed_line; /* exception and line: the same twice ends the question */
    json_t *record;    /* for the metadata */
};

/* An answer that goes into the cache if all ends well. */
struct kept {
    char key[CACHE_KEY_SIZE];
    struct reply reply;
};

struct bridge_ask {
    struct bridge *bridge;
    struct bridge_ask *next;
    struct bridge_events events;
    enum ask_state state;

    /* the question */
    struct magic magic; /* its strings are ours */
    json_t *profile, *earlier, *names;
    json_t *failed; /* of %fix: the cell, or its last repair, that failed */
    int level, attempts_max;
    bool uses_cache;
    int64_t question_ms;

    /* the answer so far */
    struct config *config;
    struct endpoint *endpoint;
    char *title, *asked; /* asked: the text for a model */
    struct conversation conversation;
    struct prompt_info info;
    struct turn *turn;
    struct attempt attempts[ATTEMPTS_MAX];
    size_t attempt_count;
    struct kept kept[ATTEMPTS_MAX + 2];
    size_t kept_count;
    long prompt_tokens, completion_tokens, reasoning_tokens;
    int64_t model_ms, started_ms;
    int died, silent, shrunk, poor_charts;
    bool is_late, all_cached;
    char *said;
    char *findings; /* of the chart that is shown, in a sentence; or NULL */
    json_t *plan;
    const char *warning;
    char reported_model[128];

    /* the end */
    struct alarm step, limit;
    enum bridge_status status;
    const char *failure;
    char *message;
};

/* What a step has decided. ask.c carries it out: no step calls another. */
enum asking_move {
    MOVE_ASK,   /* ask the model again, with what went wrong */
    MOVE_CHECK, /* the code of the current attempt */
    MOVE_RUN,   /* it */
    MOVE_END,
};

struct asking_next {
    enum asking_move move;
    enum bridge_status status; /* the rest: of MOVE_END */
    const char *failure;       /* a word, "" */
    char *message;             /* owned; NULL: none */
};

/* --- the question itself --- */

void asking_enter(struct bridge_ask *ask, enum ask_state state);
void asking_free(struct bridge_ask *ask);

/* A line for the user. */
void asking_tell(struct bridge_ask *ask, enum bridge_stage stage, const char *text);

struct attempt *asking_current(struct bridge_ask *ask);
const char *asking_last_code(const struct bridge_ask *ask); /* or NULL */

/* Records in the metadata how the current attempt ended. */
void asking_record(struct bridge_ask *ask, const char *outcome);

struct report_spec asking_report_spec(struct bridge_ask *ask);

/* Takes *report. If another attempt is allowed, the model gets it; otherwise the
 * question ends with the sentence. */
struct asking_next asking_correct(struct bridge_ask *ask, char **report,
                                  const char *failure, const char *sentence);
struct asking_next asking_give_up(const struct bridge_ask *ask, const char *failure,
                                  const char *sentence);

/* --- the model --- */

/* Asks the model, with the conversation and the errors so far. on_end is called from
 * the loop, once, unless the turn is cancelled. NULL: the model was not asked, and
 * *next says why. */
struct turn *asking_start_turn(struct bridge_ask *ask,
                               void (*on_end)(const struct turn_end *end,
                                              void *context),
                               struct asking_next *next);

/* Records the tokens of the turn, its time, and what was learned about the server. */
void asking_note_turn(struct bridge_ask *ask, const struct turn_end *turn_end);

struct asking_next asking_fail_turn(struct bridge_ask *ask,
                                    const struct failure *failure);

/* --- its code --- */

struct asking_next asking_take_answer(struct bridge_ask *ask,
                                      const struct turn_end *turn_end);

/* The content of a check_request for the current attempt; the caller frees it. */
char *asking_check_content(struct bridge_ask *ask);
struct asking_next asking_take_check(struct bridge_ask *ask, struct slice content);

/* --- its run --- */

struct asking_next asking_take_run(struct bridge_ask *ask,
                                   const struct bridge_ran *ran);

/* --- repairs --- */

/* Whether there is a cell to repair: else why not, in *err. */
int asking_begin_repair(struct bridge_ask *ask, struct error *err) MUST_CHECK;
bool asking_is_local_repair(const struct bridge_ask *ask);

/* What the repair changed in the cell; owned, NULL when nothing was repaired. */
char *asking_diff(const struct bridge_ask *ask);

/* --- the facts --- */

json_t *asking_metadata(const struct bridge_ask *ask);

/* What is below 0 is unknown. */
json_t *asking_tokens(long prompt, long completion, long reasoning);
