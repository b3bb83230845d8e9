/*
 * execution_state: the state of the request that the sandbox works on, and the states
 * that may follow.
 *
 *     IDLE       there is none
 *     WAITING    for the sandbox
 *     STAGED     likewise, and the cell shows what for
 *     POSTING    on its way: sandboxd has not taken it yet
 *     STOPPING   likewise, and it is interrupted as soon as that has happened
 *     RUNNING    sandboxd has it
 *
 * A question's cell posts one step after the other, and so comes back to POSTING.
 */
#pragma once

#include "common/base.h"

#define EXECUTION_IN(state) (1U << EXECUTION_##state)

/* state, and the states that it may be entered from */
#define EXECUTION_STATES(X)                                        \
    X(IDLE, ~EXECUTION_IN(IDLE))                                   \
    X(WAITING, EXECUTION_IN(IDLE) | EXECUTION_IN(STAGED))          \
    X(STAGED, EXECUTION_IN(WAITING))                               \
    X(POSTING, EXECUTION_IN(WAITING) | EXECUTION_IN(POSTING) |     \
                   EXECUTION_IN(STOPPING) | EXECUTION_IN(RUNNING)) \
    X(STOPPING, EXECUTION_IN(POSTING))                             \
    X(RUNNING, EXECUTION_IN(POSTING) | EXECUTION_IN(STOPPING))

enum execution_state {
#define X(state, from) EXECUTION_##state,
    EXECUTION_STATES(X)
#undef X
};

bool execution_state_may_enter(enum execution_state from, enum execution_state to);

/* The only way to change a state; asserts that the change is allowed. */
void execution_state_enter(enum execution_state *state, enum execution_state to);

/* Has the request been posted to the sandbox, or is it being posted? */
bool execution_state_is_posted(enum execution_state state);
