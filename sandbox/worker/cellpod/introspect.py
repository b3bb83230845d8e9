"""complete_request, inspect_request, is_complete_request."""

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from IPython.core.completer import provisionalcompleter, rectify_completions
from IPython.utils.tokenutil import token_at_cursor

from .envelope import Request
from .shell import ZMQInteractiveShell

BUDGET = 0.6  # seconds: JupyterLab does not wait for longer than one
WRITING = 0.02  # seconds until it is looked again whether a file is whole
TYPES = "_jupyter_types_experimental"


def keep_cache_below(home: Path) -> None:
    """jedi chose a folder for what it has parsed when the zygote imported it: in another home,
    which cannot be written to from here. It then completes nothing of any module."""
    settings = sys.modules.get("jedi.settings")
    if settings is not None:
        settings.cache_directory = str(home / ".cache/jedi")


class OutOfTime(BaseException):
    """Not an Exception: completers swallow those."""


class Clock:
    has_rung = False


# A timer, the signal that it sends, and what it goes by.
WAITING = signal.ITIMER_REAL, signal.SIGALRM, time.monotonic
COMPUTING = signal.ITIMER_PROF, signal.SIGPROF, time.process_time


@contextlib.contextmanager
def limit(seconds: float, of: tuple[int, int, Callable[[], float]] = WAITING) -> Iterator[Clock]:
    """Raise OutOfTime in here after that time; what swallows even that can look at the clock. Of
    COMPUTING a busy machine does not take any away."""
    timer, number, now = of
    clock = Clock()
    if threading.current_thread() is not threading.main_thread():
        yield clock  # a subshell's: no signal reaches it, and nobody else waits for it
        return

    def ring(_number: int, frame: FrameType | None) -> None:
        clock.has_rung = True
        if _is_writing(frame):
            signal.setitimer(timer, WRITING)
        else:
            raise OutOfTime

    before = signal.signal(number, ring)
    left, interval = signal.setitimer(timer, seconds)
    began = now()
    try:
        yield clock
    finally:
        signal.setitimer(timer, 0)
        signal.signal(number, before)
        if left:  # the user's own alarm
            left = max(0.001, left - (now() - began))
            signal.setitimer(timer, left, interval)


def _is_writing(frame: FrameType | None) -> bool:
    """Does jedi's parser write what it has read? Half a file would be its end for that module."""
    while frame is not None:
        if frame.f_code.co_name == "try_to_save_module":
            return True
        frame = frame.f_back
    return False


@contextlib.contextmanager
def _no_word_of_it() -> Iterator[None]:
    """IPython prints what a completer raises, OutOfTime too, into the notebook."""
    before, sys.excepthook = sys.excepthook, lambda *_: None
    try:
        yield
    finally:
        sys.excepthook = before


def cursor_of(content: dict[str, Any], code: str) -> int:
    at = content.get("cursor_pos")
    return max(0, min(at, len(code))) if isinstance(at, int) else len(code)


def code_of(content: dict[str, Any]) -> str:
    code = content.get("code")
    return code if isinstance(code, str) else ""


def complete(shell: ZMQInteractiveShell, request: Request) -> dict[str, Any]:
    code = code_of(request.content)
    cursor = cursor_of(request.content, code)
    found = _completions(shell, code, cursor)
    start, end = (found[0].start, found[0].end) if found else (cursor, cursor)
    types = [
        {"start": each.start, "end": each.end, "text": each.text, "type": each.type,
         "signature": each.signature}
        for each in found
    ]  # fmt: skip
    return {
        "status": "ok",
        "matches": [each.text for each in found],
        "cursor_start": start,
        "cursor_end": end,
        "metadata": {TYPES: types},
    }


def _completions(shell: ZMQInteractiveShell, code: str, cursor: int) -> list[Any]:
    """With jedi, which reads the sources of packages and may need a while for it; what it has
    read by then is kept for the next time. Without it, from the objects themselves."""
    completer = shell.Completer
    for use_jedi in (completer.use_jedi, False):
        before = completer.use_jedi
        found: list[Any] = []
        clock = Clock()
        try:
            completer.use_jedi = use_jedi
            with (contextlib.suppress(OutOfTime), _no_word_of_it(), provisionalcompleter(),
                  limit(BUDGET if use_jedi else BUDGET / 2) as clock):  # fmt: skip
                found = list(rectify_completions(code, completer.completions(code, cursor)))
        finally:
            completer.use_jedi = before
        if not clock.has_rung:
            return found
    return []


def inspect(shell: ZMQInteractiveShell, request: Request) -> dict[str, Any]:
    content = request.content
    code = code_of(content)
    name = token_at_cursor(code, cursor_of(content, code))
    reply: dict[str, Any] = {"status": "ok", "found": False, "data": {}, "metadata": {}}
    with contextlib.suppress(KeyError):
        reply["data"] = shell.object_inspect_mime(
            name,
            detail_level=1 if content.get("detail_level") else 0,
            omit_sections=content.get("omit_sections") or (),
        )
        if not shell.enable_html_pager:
            reply["data"].pop("text/html", None)
        reply["found"] = True
    return reply


def is_complete(shell: ZMQInteractiveShell, request: Request) -> dict[str, Any]:
    status, indent = shell.input_transformer_manager.check_complete(code_of(request.content))
    reply = {"status": status}
    if status == "incomplete":
        reply["indent"] = " " * (indent or 0)
    return reply
