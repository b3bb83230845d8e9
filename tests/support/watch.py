"""Waiting for a file by inotify, rather than by looking again and again."""

import ctypes
import os
import select
from pathlib import Path
from typing import Callable

from support.client import Deadline

IN_CLOSE_WRITE = 0x8
IN_MOVED_TO = 0x80
IN_CREATE = 0x100


def wait_for_file(path: Path, accept: Callable[[str], bool], timeout: float) -> str:
    """Until the file exists and its text is accepted; half-written JSON is not."""
    libc = ctypes.CDLL(None, use_errno=True)
    watch = libc.inotify_init1(os.O_CLOEXEC)
    try:
        libc.inotify_add_watch(watch, os.fsencode(path.parent),
                               IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE)
        deadline = Deadline(timeout)
        while True:
            text = accepted(path, accept)
            if text is not None:
                return text
            if not select.select([watch], [], [], deadline.left_ms / 1000)[0]:
                raise TimeoutError(f"{path} not written in {timeout} s")
            os.read(watch, 65536)
    finally:
        os.close(watch)


def accepted(path: Path, accept: Callable[[str], bool]) -> str | None:
    try:
        text = path.read_text()
        return text if accept(text) else None
    except (OSError, ValueError):
        return None
