"""What a call waits for that never returns, in a worker that was a checkpoint.

A fork has none of its process's threads. Python starts its own again, and OpenMP's are stopped
before (obstacles.py); of a library that nobody knew of, a call may wait for ever for a thread that
is not there. Only when its user interrupts it, and it does not listen, is it looked at: many calls
wait for long, and rightly.
"""

import os
import sys
import sysconfig
import threading
from time import monotonic
from types import FrameType

from . import threads

SECONDS = 0.9  # between two looks at one that waits; an interrupt is sent again each second
_HERE = os.path.dirname(__file__)


def native_threads() -> int:
    """How many there are that Python has not started."""
    return len(threads.names()) - len(threading.enumerate())


class Watchdog:
    def __init__(self) -> None:
        self.lost = 0  # native threads that were there at the fork
        self._seen: tuple[str, int, int] | None = None
        self._since = 0.0

    def look(self, heard: int) -> str:
        """From another thread, whenever there was an interrupt; `heard`: how many the code has
        noticed so far. Returns a sentence once, or nothing."""
        if not self.lost:
            return ""
        main = threading.main_thread()
        where = _library_of(sys._current_frames().get(main.ident))
        seen = where, _used_by(main.native_id), heard
        if seen != self._seen or not where or seen[1] < 0:
            self._seen, self._since = seen, monotonic()
        if monotonic() - self._since < SECONDS:
            return ""
        self.lost = 0
        return (f"{where} waits in native code, perhaps for a thread of its own: when an attempt was "
                "undone, its threads ended. A second interrupt will end the worker, and its "
                "variables with it.")  # fmt: skip


def _used_by(thread: int) -> int:
    """Processor time; -1 when it does not sleep."""
    with open(f"/proc/self/task/{thread}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12]) if fields[0] == "S" else -1


def _library_of(frame: FrameType | None) -> str:
    """Whose code has called last that is neither Python's nor ours."""
    own = (_HERE, sysconfig.get_path("stdlib") + os.sep, "<frozen")
    while frame:
        name, file = frame.f_globals.get("__name__", ""), frame.f_code.co_filename
        if "site-packages" in file or not file.startswith(own):
            return name.partition(".")[0].replace("__main__", "the cell's code")
        frame = frame.f_back
    return ""
