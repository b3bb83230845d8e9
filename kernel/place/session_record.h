/*
 * session_record: how the next kernel of this notebook finds what this one has claimed
 * on another machine, should this one end without a shutdown.
 *
 *     STATE/sessions/DIGITS   {"version":1,"pid":n,"mark":"…","tasks":["…"]}
 *
 * A sandboxd on this machine knows whose process has claimed a sandbox, and sees it
 * end; one in a pod does not. It gives a session to who knows the task that it was
 * claimed by, so the file is for its user alone (docs/decisions/session-records.md).
 * The kernel that writes it keeps it locked while it lives. What is damaged, or not as
 * we write it, counts as empty.
 */
#pragma once

#include <jansson.h>
#include <sys/types.h>

#include "common/error.h"

struct session_record {
    int fd;          /* locked; -1: none */
    pid_t elsewhere; /* of a living kernel that has the session; 0: none */
    char *mark;      /* what its place calls it; owned; NULL: there is no session */
    json_t *tasks;   /* the newest first; owned */
};

#define SESSION_RECORD_INIT ((struct session_record){.fd = -1})

/* Reads it. The same notebook, folder and place have the same one. If another kernel
 * has it, that is told in `elsewhere`, and nothing is written from then on. */
int session_record_open(struct session_record *record, const char *notebook,
                        const char *place, struct error *err) MUST_CHECK;
/* For who ends without a shutdown it stays. */
void session_record_close(struct session_record *record);

/* Of one that is open and locked. Before the claim is made: then it is found whenever
 * this process is killed. */
int session_record_add(struct session_record *record, const char *mark,
                       const char *task, struct error *err) MUST_CHECK;
/* These do nothing with any other. */
void session_record_settle(struct session_record *record); /* by the newest task */
void session_record_clear(struct session_record *record);  /* there is no session */
