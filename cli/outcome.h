/*
 * outcome: turns a cell's events into output for a terminal: text, pictures, an exit
 * status.
 */
#pragma once

#include "cli/daemon.h"

struct outcome {
    const char *folder; /* for pictures; NULL: their text is shown */
    unsigned pictures;  /* written so far */
    int status;         /* of the program, as python's would be */
};

/* A stream, display, error or notice. */
void outcome_show(struct outcome *outcome, const struct envelope *event);

/* execute_reply: sets the status. */
void outcome_take_reply(struct outcome *outcome, struct slice content);

/* sandbox_ended: tells why. */
void outcome_take_end(struct outcome *outcome, struct slice content);
/* worker_exited: tells why, and sets the status as a shell would. */
void outcome_take_death(struct outcome *outcome, struct slice content);

/* sandbox_failed. */
void outcome_take_refusal(struct outcome *outcome, struct slice content);
