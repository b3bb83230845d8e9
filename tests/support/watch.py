"""Waiting for files by inotify, rather than by looking again and again."""

import ctypes
import os
import select
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from support.client import Deadline

IN_MODIFY = 0x2
IN_CLOSE_WRITE = 0x8
IN_MOVED_TO = 0x80
IN_CREATE = 0x100
IN_DELETE = 0x200


@contextmanager
def changes(folders: set[Path], mask: int) -> Iterator[Callable[[Deadline], bool]]:
    """A function that waits for the next change in one of these; False when the time is over."""
    libc = ctypes.CDLL(None, use_errno=True)
    watch = libc.inotify_init1(os.O_CLOEXEC)
    poller = select.poll()
    poller.register(watch, select.POLLIN)

    def wait(deadline: Deadline) -> bool:
        if not poller.poll(deadline.left_ms):
            return False
        os.read(watch, 65536)
        return True

    try:
        for folder in folders:
            libc.inotify_add_watch(watch, os.fsencode(folder), mask)
        yield wait
    finally:
        os.close(watch)


def wait_for_file(path: Path, accept: Callable[[str], bool], timeout: float) -> str:
    """Until the file exists and its text is accepted; half-written JSON is not."""
    with changes({path.parent}, IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE) as wait:
        deadline = Deadline(timeout)
        while True:
            text = accepted(path, accept)
            if text is not None:
                return text
            if not wait(deadline):
                raise TimeoutError(f"{path} not written in {timeout} s")


def left_after(paths: set[Path], timeout: float) -> set[Path]:
    """Those that are still there when all might have gone."""
    with changes({path.parent for path in paths}, IN_DELETE) as wait:
        deadline = Deadline(timeout)
        while left := {path for path in paths if path.exists()}:
            if not wait(deadline):
                break
        return left


def accepted(path: Path, accept: Callable[[str], bool]) -> str | None:
    try:
        text = path.read_text()
        return text if accept(text) else None
    except (OSError, ValueError):
        return None
