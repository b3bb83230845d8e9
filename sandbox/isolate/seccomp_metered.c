/* What else a filter checks where no control group counts memory. */
#include <linux/close_range.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "sandbox/isolate/seccomp_policy.h"

#define LOWER   0xffffffff /* all that the kernel looks at */
#define UNSEEN  "its memory stays when no process maps it any more, and is not seen"
#define APART   "what a thread opens for itself alone is not seen"
#define BUFFERS "ignored: buffers keep their usual size"

const struct argument_rule seccomp_metered_values[] = {
    {"mmap",        3, MAP_TYPE | MAP_ANONYMOUS,   MAP_SHARED | MAP_ANONYMOUS, UNSEEN, false, 0,
     0                                                                                            },
    {"clone",       0, CLONE_THREAD | CLONE_FILES, CLONE_THREAD,               APART,  false, 0, 0},
    {"close_range", 2, CLOSE_RANGE_UNSHARE,        CLOSE_RANGE_UNSHARE,        APART,  false, 0, 0},
};
const size_t seccomp_metered_value_count = COUNT_OF(seccomp_metered_values);

const struct argument_rule seccomp_ignored_values[] = {
    {"setsockopt", 1, LOWER, SOL_SOCKET, BUFFERS, true, 2, SO_SNDBUF},
    {"setsockopt", 1, LOWER, SOL_SOCKET, BUFFERS, true, 2, SO_RCVBUF},
};
const size_t seccomp_ignored_value_count = COUNT_OF(seccomp_ignored_values);
