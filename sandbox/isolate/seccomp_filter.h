/*
 * seccomp_filter: the policy, compiled once and then installed in every child.
 */
#pragma once

#include "sandbox/isolate/failure.h"

int seccomp_filter_compile(struct isolate_failure *failure) MUST_CHECK;

/* Needs no_new_privs, and that compile was called before the fork. is_metered: as in
 * struct isolate_plan. */
int seccomp_filter_install(bool is_metered, struct isolate_failure *failure) MUST_CHECK;
