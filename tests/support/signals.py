"""Stopping a process, and seeing to it that it goes on."""

import os
import signal
import threading


class Pause:
    """SIGSTOP now, SIGCONT after so many milliseconds, or at the end of the block."""

    def __init__(self, pid: int, ms: int | None = None):
        self.pid = pid
        os.kill(pid, signal.SIGSTOP)
        self.timer = threading.Timer(ms / 1000, self.end) if ms is not None else None
        if self.timer:
            self.timer.start()

    def end(self) -> None:
        try:
            os.kill(self.pid, signal.SIGCONT)
        except ProcessLookupError:
            pass

    def __enter__(self) -> "Pause":
        return self

    def __exit__(self, *_) -> None:
        if self.timer:
            self.timer.join()
        self.end()
