#include "kernel/client/execution_state.h"

#include <assert.h>

#define LOG_COMPONENT "execution"
#include "common/log.h"

static const struct {
    const char *name;
    unsigned from;
} states[] = {
#define X(state, from) [EXECUTION_##state] = {#state, from},
    EXECUTION_STATES(X)
#undef X
};

bool
execution_state_may_enter(enum execution_state from, enum execution_state to)
{
    return states[to].from & 1U << from;
}

void
execution_state_enter(enum execution_state *state, enum execution_state to)
{
    assert(execution_state_may_enter(*state, to));
    log_debug("%s -> %s", states[*state].name, states[to].name);
    *state = to;
}

bool
execution_state_is_posted(enum execution_state state)
{
    return state >= EXECUTION_POSTING;
}
