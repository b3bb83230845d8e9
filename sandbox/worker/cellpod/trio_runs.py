"""trio beside the worker's own handling of signals.

trio.run() guards its internals from KeyboardInterrupt by a handler of its own, but only where it
finds Python's: an interrupt of ours in the midst of them would break the run.
"""

import sys
import warnings


def install() -> None:
    """The worker has a wake-up descriptor, which trio gives back when it ends."""
    warnings.filterwarnings("ignore", "It looks like Trio's signal handling code", RuntimeWarning)


def takes_interrupt() -> bool:
    """In a signal handler of the main thread: True if a run will raise it where that is safe."""
    trio = sys.modules.get("trio")
    if trio is None:
        return False
    try:
        if not trio.lowlevel.in_trio_run() or not trio.lowlevel.currently_ki_protected():
            return False
        trio._core._run.GLOBAL_RUN_CONTEXT.runner.deliver_ki()  # as its own handler does
    except AttributeError:  # another trio, or a module of that name
        return False
    return True
