#include "kernel/idleness.h"

#include "kernel/kernel.h"

#define LOG_COMPONENT "idleness"
#include "common/log.h"

/* Something that a user waits for, or has stopped at. */
static bool
is_in_use(const struct kernel *kernel)
{
    return kernel->execution.request || beside_is_any(&kernel->besides) ||
           takeover_is_pending(&kernel->takeover);
}

static void
on_due(void *context)
{
    struct kernel *kernel = context;

    if (is_in_use(kernel)) {
        log_info("is in use");
        idleness_begin(kernel);
    } else {
        sandbox_pause(kernel->sandbox);
    }
}

void
idleness_begin(struct kernel *kernel)
{
    const unsigned seconds = sandbox_pause_after(kernel->sandbox);

    if (seconds)
        timer_set(&kernel->idleness.timer, kernel->loop, seconds * 1000L, on_due,
                  kernel);
}

void
idleness_end(struct kernel *kernel)
{
    timer_cancel(&kernel->idleness.timer);
}
