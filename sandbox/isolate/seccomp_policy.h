/*
 * seccomp_policy: which system calls code in a sandbox may make, and why.
 *
 * Two filters, because libseccomp cannot say "all but these values": `allowed` lists
 * the calls that analysis needs, everything else is refused with EPERM; `refused` takes
 * single argument values out of what was allowed. To allow a call add a row here and
 * one to tests/unit/isolate/test_seccomp.c.
 */
#pragma once

#include "common/base.h"

struct allowed_call {
    const char *name;
    const char *reason;
};

/* Allowed or refused only where (argument & mask) == value. */
struct argument_rule {
    const char *name;
    unsigned argument;
    uint64_t mask, value;
    const char *reason;
    bool has_second; /* and where a second argument's lower 32 bits are this value */
    unsigned second;
    uint64_t second_value;
};

extern const struct allowed_call seccomp_allowed[];
extern const size_t seccomp_allowed_count;
extern const struct argument_rule seccomp_allowed_values[];
extern const size_t seccomp_allowed_value_count;
extern const struct argument_rule seccomp_refused_values[];
extern const size_t seccomp_refused_value_count;

/* Where memory is metered: what is refused, and what is answered without being done. */
extern const struct argument_rule seccomp_metered_values[];
extern const size_t seccomp_metered_value_count;
extern const struct argument_rule seccomp_ignored_values[];
extern const size_t seccomp_ignored_value_count;

/* Calls for which programs have a fallback that only ENOSYS makes them take. */
extern const char *const seccomp_absent[]; /* NULL at the end */

/* The newest call that was judged. Later ones are answered ENOSYS, as by a kernel that
 * does not have them: a C library newer than this table then takes its older way. */
enum {
    SECCOMP_NEWEST_CALL = 450, /* set_mempolicy_home_node, Linux 5.17 */
};
