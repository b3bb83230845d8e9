"""The threads of this process, those of libraries included."""

import os
import threading

_EXITING = 4  # PF_EXITING, include/linux/sched.h
_COMM, _FLAGS = 1, 8  # fields of proc_pid_stat(5), from 0


def settle() -> None:
    """Until timers that were cancelled are over: matplotlib has one while it looks for fonts, and
    does not wait for it."""
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer) and thread.finished.is_set():
            thread.join()


def names() -> list[str]:
    """As Linux shows them. One that has been joined may be listed for a little longer, when its
    processor is wanted by others: it takes no part in anything, and is left out."""
    found = []
    for task in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{task}/stat", errors="replace") as file:
                before, _, after = file.read().rpartition(")")
        except OSError:  # it has ended
            continue
        flags = after.split()[_FLAGS - _COMM - 1]
        if not int(flags) & _EXITING:
            found.append(before.partition("(")[2])
    return found
