/*
 * execution: code of an agent's, run to its end and answered as a whole.
 *
 * A client of the sandbox like any other, but in here: it posts a request and reads the
 * event log. Whoever else reads the log sees the same events.
 */
#pragma once

#include "sandbox/life/sandbox.h"

struct execution;

enum {
    EXECUTION_MAX_SECONDS = 86400,
};

struct execution_spec {
    const char *type; /* "execute_request" or "command_request" */
    json_t *content;  /* borrowed */
    double seconds;   /* that it may run, once it runs */
    struct trace_id trace;
};

/*
 * {"success":true,"stdout":"…","stderr":"…","exit_code":0,"results":[{"text/plain":…}],
 *  "error":null}; error else {"ename","evalue","traceback"?}. `truncated` is there, and
 * true, when there was too much. Borrowed.
 */
typedef void (*execution_fn)(void *context, const json_t *result);

/* `done` is called once, later, but for an execution that was cancelled: with the end
 * of the sandbox at the latest. */
struct execution *execution_start(struct sandbox *sandbox,
                                  const struct execution_spec *spec, execution_fn done,
                                  void *context, struct error *err) MUST_CHECK;
/* Nobody waits for its result any more; it runs on. Also from `done`. */
void execution_free(struct execution *execution);

/* {"language":"python"|"bash","code":"…","timeout":seconds}. content is a new
 * reference. */
int execution_parse(struct slice body, struct execution_spec *out,
                    struct error *err) MUST_CHECK;
