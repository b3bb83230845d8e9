/*
 * report: what went wrong with a piece of code, in words for the model that wrote it.
 *
 * At levels below 3 it contains no text of a cell: no output, no traceback of a
 * library, and the exception's message only as redact returns it.
 */
#pragma once

#include <jansson.h>

#include "bridge/prompt/facts.h"

/* How a run ended, as the sandbox reported it. */
struct report_run {
    const char *ename, *evalue;
    const json_t *traceback; /* array of strings, Jupyter's; NULL for none */
    const char *printed;     /* the end of its output, or NULL */
    const char *death;       /* the worker died, or the time was over: one sentence */
};

struct report_spec {
    const char *code;
    const json_t *names; /* that the model was shown */
    int level;
    int attempt, attempts_max; /* of corrections */
};

char *report_error(const struct report_spec *spec, const struct report_run *run);
/* Words of the sandbox's chart gate; the sentences are ours, so that nothing else comes
 * through. NULL when there is none that is known. */
char *report_findings(const json_t *findings);
char *report_charts(const struct report_spec *spec, const char *findings);
char *report_silence(const struct report_spec *spec); /* it ran and showed nothing */
char *report_problems(const struct report_spec *spec, const json_t *problems);
char *report_no_code(const struct report_spec *spec);

/* The line of `code` that failed, 1 and up; 0 when the traceback does not say. */
int report_line(const json_t *traceback, const char *code);
struct slice report_code_line(const char *code, int line);

/* Text without terminal colours: owned. */
char *report_plain(const char *text);
