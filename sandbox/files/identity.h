/*
 * identity: act on files as another user, for a moment.
 *
 *     AUTO(identity) struct identity as = identity_take(owner);
 *
 * Of the one thread that there is; root's rights on files are gone meanwhile.
 */
#pragma once

#include "common/base.h"

struct identity {
    int64_t owner; /* -1: nothing was changed */
};

struct identity identity_take(int64_t owner); /* -1: stay who we are */
void identity_drop(struct identity *identity);

static inline void
auto_identity(struct identity *identity)
{
    identity_drop(identity);
}
