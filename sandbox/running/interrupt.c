#include "sandbox/running/interrupt.h"

enum {
    NOTICE_AFTER_TICKS = 3
};

enum interrupt_action
interrupt_ask(struct interrupt *interrupt)
{
    if (interrupt->open && interrupt->ticks >= NOTICE_AFTER_TICKS)
        return INTERRUPT_KILL;
    interrupt->open = true;
    return INTERRUPT_SIGNAL;
}

enum interrupt_action
interrupt_tick(struct interrupt *interrupt)
{
    if (!interrupt->open || interrupt->ticks >= NOTICE_AFTER_TICKS)
        return INTERRUPT_NOTHING;
    interrupt->ticks++;
    return interrupt->ticks == NOTICE_AFTER_TICKS ? INTERRUPT_NOTICE : INTERRUPT_SIGNAL;
}

void
interrupt_close(struct interrupt *interrupt)
{
    *interrupt = (struct interrupt){.open = false};
}
