/*
 * retry: how long to wait before the next try, and when to give up.
 *
 * One rule for all retries; the numbers of each user are a row of the table in retry.c.
 * Pure: the caller supplies the time, counts the tries, and decides whether a failure
 * is worth another try at all.
 */
#pragma once

#include <time.h>

#include "common/base.h"

enum retry_user {
    RETRY_SANDBOX_CALL, /* what the kernel asks of its sandbox */
    RETRY_CLAIM_NEAR,   /* for a sandbox, from a sandboxd on this machine */
    RETRY_CLAIM_FAR,    /* over a network */
    RETRY_EVENT_STREAM, /* of our sandbox, after a cut */
    RETRY_KUBE_CALL,
    RETRY_KUBE_WATCH,
    RETRY_MODEL, /* a turn of a model */
};

#define RETRY_NO_DEADLINE INT64_MAX
#define RETRY_NOT_ASKED   (-1)

struct retry_state {
    unsigned retries; /* so far: 0 after the first try */
    int64_t left_ms;  /* until the deadline, or RETRY_NO_DEADLINE */
    int64_t asked_ms; /* by Retry-After, or RETRY_NOT_ASKED */
    double random;    /* 0 <= random < 1, for jitter */
};

/* Milliseconds; -1: give up. */
int64_t retry_wait_ms(enum retry_user user, const struct retry_state *state);

/* The server asks for a longer wait than this row allows. */
bool retry_is_asked_too_much(enum retry_user user, int64_t asked_ms);

/* Retry-After in milliseconds: seconds or an HTTP date, against `now`. RETRY_NOT_ASKED
 * if it is neither. */
int64_t retry_parse_after(const char *value, time_t now);
