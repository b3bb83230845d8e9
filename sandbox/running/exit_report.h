/*
 * exit_report: why a worker has ended, as the content of `worker_exited`.
 */
#pragma once

#include <jansson.h>

#include "sandbox/resources/memory.h"

/* Why we ended it ourselves, if we did. */
enum worker_end {
    END_NONE,
    END_PROTOCOL,
    END_RESTART,
    END_INTERRUPT,
    END_MEMORY,
    END_TIME,
    END_WRITES,
    END_UNHEARD,  /* an attempt that went on after an interrupt */
    END_UNDONE,   /* an attempt that is not to be kept */
    END_RESTORED, /* the user goes back to a checkpoint */
};

struct worker_death {
    enum worker_end end;
    bool was_attempt;      /* it ran one; its checkpoint goes on */
    const char *violation; /* END_PROTOCOL: what it did */
    int status;            /* of wait(2) */
    uint64_t peak_bytes;   /* of the process alone; 0: not known */
    struct memory_verdict memory;
    const char *refused_call; /* SIGSYS: its name; or NULL, or "" */
    const json_t *variables;  /* worker_message_parse_variables's, or NULL */
};

json_t *exit_report_make(const struct worker_death *death); /* a new reference */
