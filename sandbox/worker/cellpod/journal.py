"""Text that is printed and not yet sent, in memory that outlives this process.

sandboxd reads it once the worker is dead (sandbox/running/output_journal.h), so that what a cell printed
just before a segmentation fault is seen. A `stream` message says up to where it has told the
text: what it told is not told again. sandbox/journal/journal_writer.h does it, and has the details.
"""

import ctypes
import os
import socket
from collections.abc import Callable
from pathlib import Path
from select import POLLIN, poll
from typing import Any

from .envelope import Request

Piece = tuple[str, Request, str]

_library: ctypes.PyDLL | None = None


def load_library(libdir: str) -> None:
    """In the zygote: inside a sandbox the file may not exist."""
    global _library
    library = ctypes.PyDLL(str(Path(libdir) / "libcellpod-journal.so"), use_errno=True)
    library.journal_writer_open.argtypes = [ctypes.c_int, ctypes.py_object]
    library.journal_writer_function.restype = ctypes.py_object
    library.journal_writer_take.argtypes = [ctypes.c_int, ctypes.py_object, ctypes.py_object]
    library.journal_writer_take.restype = ctypes.c_int64
    library.journal_writer_waiting.restype = ctypes.c_int64
    library.journal_writer_say.argtypes = [ctypes.c_int64]
    library.journal_writer_say.restype = ctypes.c_int64
    library.journal_writer_forget.restype = library.journal_writer_take_over.restype = None
    _library = library


class Journal:
    """The text of this worker: there is one."""

    def __init__(self, fd: int, pending: list[Piece]) -> None:
        _check(_library.journal_writer_open(fd, pending))
        if fd >= 0:
            os.close(fd)
        self._pending = pending  # the library borrows it
        # Appends to pending. Returns how many bytes wait, or a huge number: send it now.
        self.put: Callable[[str, Request, str], int] = _library.journal_writer_function()
        # Moves a piece of what a pipe holds to pending, in one step for this and for all other
        # threads and processes. Returns how many bytes it was.
        self.take: Callable[[int, str, Request], int] = _library.journal_writer_take
        self.waiting: Callable[[], int] = _library.journal_writer_waiting
        self.forget_said: Callable[[], Any] = _library.journal_writer_forget
        self.take_over: Callable[[], Any] = _library.journal_writer_take_over

    def say(self, text: str) -> int:
        """It is about to be sent. Returns how much text there was with it, or 0."""
        count = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        return _library.journal_writer_say(count)

    def leave(self) -> None:
        """In a fork that is not a worker: the worker reports what was printed."""
        _check(_library.journal_writer_leave())
        self._pending.clear()


def borrow(channel: socket.socket) -> list[int]:
    """What sandboxd has lent before it started this worker: the memory, then the read and
    the write end of each pipe; or nothing."""
    ready = poll()
    ready.register(channel.fileno(), POLLIN)
    if not ready.poll(0):
        return []
    return socket.recv_fds(channel, 1, 5, socket.MSG_CMSG_CLOEXEC)[1]


def _check(result: int) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"keep printed text: {os.strerror(number)}")
