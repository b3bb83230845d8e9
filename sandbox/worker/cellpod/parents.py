"""Which request does this output belong to?

The one that started the thread, asyncio task or executor job that makes it, however late:
a context variable holds it. Code without a context (C threads, subprocesses) belongs to
the request that was started last.
"""

import concurrent.futures
import contextvars
import threading
from collections import deque
from typing import Any

from .envelope import Request

_NONE = Request("", "")

current: contextvars.ContextVar[Request | None] = contextvars.ContextVar(
    "cellpod.request", default=None
)
_latest = _NONE
_recent: deque[Request] = deque(maxlen=64)


def start(request: Request) -> None:
    global _latest
    _latest = request
    _recent.append(request)
    current.set(request)


def enter(request: Request, *, is_latest: bool) -> None:
    """In a subshell. `is_latest`: nothing else runs."""
    global _latest
    if is_latest:
        _latest = request
    _recent.append(request)
    current.set(request)


def get() -> Request:
    return current.get() or _latest


def latest() -> Request:
    return _latest


def find(message: Any) -> Request | None:
    """The request that a message in Jupyter's form stands for, if it was a recent one."""
    header = message.get("header", message) if isinstance(message, dict) else {}
    wanted = header.get("msg_id")
    return next((r for r in _recent if wanted in (r.msg_id or r.id, r.id)), None)


def follow_threads() -> None:
    """Make threads and executor jobs inherit the request, as asyncio tasks do."""
    bootstrap = threading.Thread._bootstrap_inner
    start_thread = threading.Thread.start
    submit = concurrent.futures.ThreadPoolExecutor.submit

    def start_with_request(self: threading.Thread) -> None:
        self._cellpod_request = current.get()
        start_thread(self)

    def bootstrap_with_request(self: threading.Thread) -> None:
        current.set(getattr(self, "_cellpod_request", None))
        bootstrap(self)

    def submit_with_request(self: Any, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        return submit(self, _Job(current.get(), fn), *args, **kwargs)

    threading.Thread.start = start_with_request
    threading.Thread._bootstrap_inner = bootstrap_with_request
    concurrent.futures.ThreadPoolExecutor.submit = submit_with_request


class _Job:
    """A callable that runs under the request that submitted it."""

    __slots__ = ("fn", "request")

    def __init__(self, request: Request | None, fn: Any) -> None:
        self.request = request
        self.fn = fn

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        token = current.set(self.request)
        try:
            return self.fn(*args, **kwargs)
        finally:
            current.reset(token)
