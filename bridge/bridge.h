/*
 * bridge: a question becomes code that ran.
 *
 * The public header. Everything happens on the caller's zloop; nothing blocks. The
 * bridge talks to models. For steps in the sandbox it calls the caller, which reports
 * the result:
 *
 *     bridge_ask ─► progress* ─► check ─► bridge_ask_checked ─► run ─► bridge_ask_ran
 *                      ▲                                                    │
 *                      └────────────── a correction, if it failed ◄─────────┘
 *                                                       at the end, once: finished
 *
 * Callbacks come from the loop, never from inside one of the functions below; the
 * exception is bridge_ask_cancel, which calls finished before it returns. check, run
 * and finished may call every function here except bridge_free; progress may call none.
 * One question at a time.
 */
#pragma once

#include <czmq.h>
#include <jansson.h>

#include "bridge/magic.h"
#include "bridge/models/local.h"

struct bridge;
struct bridge_ask;

/* The built-in planner, which reads its words with the first question. */
local_answer_fn bridge_planner;

struct bridge_spec {
    zloop_t *loop;
    const char *config_path;  /* NULL: ~/.config/cellpod/config.json */
    local_answer_fn *planner; /* bridge_planner, or NULL for none */
    bool virtual_clock; /* for tests: waits are over at once, see bridge_advance */
};

/* Takes API keys out of the environment: call it before anything is spawned. A broken
 * configuration is reported with each question. */
struct bridge *bridge_new(const struct bridge_spec *spec);
void bridge_free(struct bridge *bridge); /* cancels what runs */

struct bridge_question {
    const struct magic *magic; /* flags and question */
    const json_t *profile;     /* content of the profile_reply; NULL for no data; with
                                * "failure" for %fix */
    const json_t *earlier;     /* [{"question","code","plan"}] of this notebook, oldest
                                * first; "plan" as the metadata had it, if at all */
};

enum bridge_stage {
    BRIDGE_ASKING,
    BRIDGE_WAITING,
    BRIDGE_CHECKING,
    BRIDGE_RUNNING
};

struct bridge_progress {
    enum bridge_stage stage;
    int attempt, attempts; /* 1 and up; how many there may be */
    const char *text;      /* one line for the user */
};

struct bridge_run {
    const char *code;
    bool is_models; /* nobody on this machine wrote it: else the planner */
    bool is_repair; /* it is the user's own cell, put right */
    int attempt, attempts;
};

enum bridge_status {
    BRIDGE_ANSWERED, /* the code ran; its outputs are the answer */
    BRIDGE_CODE,     /* --no-run, --code-only: here is the code, it was checked */
    BRIDGE_REFUSED,  /* the model or its provider will not; `message` says why */
    BRIDGE_FAILED,   /* no code that works; `message` says why */
    BRIDGE_CANCELLED,
};

/* Borrowed for the call. */
struct bridge_answer {
    enum bridge_status status;
    const char *message; /* one sentence; "" when it was answered */
    const char *failure; /* a word for it: "auth", "code_error", "same_code", …; "" */
    const char *code;    /* the last, or NULL */
    const char *diff;    /* what a repair changed, line by line; else NULL */
    const char *said;    /* what the model wrote beside its code */
    json_t *metadata;    /* for the outputs: attempts, tokens, ms, model, provider */
};

struct bridge_events {
    void (*progress)(const struct bridge_progress *progress, void *context);
    /* Send this content as a check_request; NULL: codes run unchecked. */
    void (*check)(const char *content, void *context);
    /* Run it, in a fork of the worker, and keep back its outputs until bridge_ask_ran
     * says that they stay. */
    void (*run)(const struct bridge_run *run, void *context);
    /* Once. The handle is gone when it returns. */
    void (*finished)(const struct bridge_answer *answer, void *context);
    void *context;
};

struct bridge_ask *bridge_ask(struct bridge *bridge,
                              const struct bridge_question *question,
                              const struct bridge_events *events);

/* The content of the check_reply; an empty slice when there was none. */
void bridge_ask_checked(struct bridge_ask *ask, struct slice content);

struct bridge_ran {
    const char *ename, *evalue; /* NULL: it ended without an error */
    const json_t *traceback;    /* array of strings, as in Jupyter's error message */
    const char *printed;        /* the end of stdout, or NULL */
    const char *death;          /* the worker was lost: the exit report's sentence */
    const json_t *failure;      /* of a repair that fails: as in the profile; or NULL */
    const json_t *findings;     /* words for what is wrong with its charts; or NULL */
    bool showed;                /* stream, display_data or execute_result came */
};

/* True: what the code did and showed stays. False: the attempt is to be undone, and its
 * outputs dropped. */
bool bridge_ask_ran(struct bridge_ask *ask, const struct bridge_ran *ran);

/* From any state. Calls finished. The caller stops what runs in the sandbox. */
void bridge_ask_cancel(struct bridge_ask *ask);

/* %ask --show: what would be sent, to the byte; sends nothing. Owned, NULL on error. */
char *bridge_show(struct bridge *bridge, const struct bridge_question *question,
                  struct error *err) MUST_CHECK;

/* %ask --models: one line for each provider. `ready` comes once, from the loop, within
 * some 5 s; bridge_models_cancel ends it without. */
typedef void bridge_models_fn(const char *text, void *context);
void bridge_models(struct bridge *bridge, bridge_models_fn *ready, void *context);
void bridge_models_cancel(struct bridge *bridge);

/* Names of all providers, for completion: new array. */
json_t *bridge_providers(struct bridge *bridge);

/* Virtual clock only. */
void bridge_advance(struct bridge *bridge, int64_t ms);
int64_t bridge_now_ms(const struct bridge *bridge);
