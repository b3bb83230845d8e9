/*
 * users: who the sandbox's processes are, and what they may do: nothing special.
 */
#pragma once

#include "sandbox/isolate/failure.h"

/* From root to an unprivileged uid and gid; capabilities stay for the next step. */
int users_become(int64_t id, struct isolate_failure *failure) MUST_CHECK;

/* A user namespace in which the caller is ISOLATE_ID and nobody else exists. `proc` is
 * a writable /proc. */
int users_enter_namespace(int proc, uid_t inside, gid_t inside_group,
                          struct isolate_failure *failure) MUST_CHECK;

/* No capability, now or after any exec. */
int users_drop_privileges(struct isolate_failure *failure) MUST_CHECK;
bool users_has_capability(int capability);
