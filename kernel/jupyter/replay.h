/*
 * replay: remembers the signatures of the newest 65,536 messages.
 *
 * Pass only verified signatures, so that nobody without the key can fill it.
 */
#pragma once

#include "common/base.h"

#define REPLAY_MEMORY 65536

struct replay;

struct replay *replay_new(void);
void replay_free(struct replay *replay);

/* True the first time; the signature (hex, 32 digits or more) is remembered. */
bool replay_is_first(struct replay *replay, struct slice signature);

static inline void
auto_replay(struct replay **replay)
{
    replay_free(*replay);
}
