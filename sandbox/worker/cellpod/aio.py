"""The event loop of a worker.

In a notebook there is always a running loop: a cell may call asyncio.create_task() without
awaiting anything, and the task goes on while no cell runs. Here the loop really runs
during cells that await, and between cells once there is something for it to do. While an
ordinary cell runs it is only set as the running one; code that starts a loop of its own
(asyncio.run) finds the way free.
"""

import asyncio
import contextlib
import functools
import selectors
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from .interrupts import Interrupts


class WorkerLoop(asyncio.SelectorEventLoop):
    """One that may be set as running without being it."""

    def has_work(self) -> bool:
        return bool(self._ready or self._scheduled or len(self._selector.get_map()) > 1)

    def _check_running(self) -> None:
        if not self.is_running() and asyncio._get_running_loop() is self:
            asyncio._set_running_loop(None)
        super()._check_running()


class Async:
    def __init__(self, interrupts: Interrupts) -> None:
        self.loop = WorkerLoop()
        self.used = False
        self.is_awaiting = False  # a cell runs and lets others run
        self.bell = -1  # readable: somebody else wants a turn
        self.on_bell: Callable[[], object] = lambda: None
        self._interrupts = interrupts
        asyncio.set_event_loop(self.loop)

    @contextlib.contextmanager
    def current(self) -> Iterator[None]:
        """While a cell runs."""
        asyncio._set_running_loop(self.loop)
        try:
            yield
        finally:
            asyncio._set_running_loop(None)
            self.used = self.used or self.loop.has_work()

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Run a cell that awaits. An interrupt cancels it while it waits, and is a
        KeyboardInterrupt while it computes."""
        self.used = True
        asyncio._set_running_loop(None)
        task = self.loop.create_task(coroutine)
        interrupts = self._interrupts
        before = interrupts.raise_in_code, interrupts.insist_in_code
        canceller = _Canceller(self.loop, task)
        interrupts.raise_in_code = canceller.interrupt
        interrupts.insist_in_code = canceller.insist
        self._listen(True)
        try:
            return self.loop.run_until_complete(task)
        finally:
            self._listen(False)
            interrupts.raise_in_code, interrupts.insist_in_code = before
            if not task.done():
                self._abandon(task)
            asyncio._set_running_loop(self.loop)

    def _listen(self, is_awaiting: bool) -> None:
        self.is_awaiting = is_awaiting
        if self.bell < 0:
            return
        if is_awaiting:
            self.loop.add_reader(self.bell, self.on_bell)
        else:
            self.loop.remove_reader(self.bell)

    def _abandon(self, task: asyncio.Task) -> None:
        task.cancel()
        self.loop.call_soon(self.loop.stop)
        with contextlib.suppress(BaseException):
            self.loop.run_forever()

    def after_waking(self) -> None:
        """In a fork that goes on with this loop: its poll set and wake-up pipe are shared
        with its parent, and its executor's threads are not there."""
        loop, shared = self.loop, self.loop._selector
        loop._selector = selectors.DefaultSelector()
        for key in list(shared.get_map().values()):
            with contextlib.suppress(OSError, ValueError):
                loop._selector.register(key.fileobj, key.events, key.data)
        shared.close()
        loop._close_self_pipe()
        loop._make_self_pipe()
        loop._default_executor = None
        asyncio.set_event_loop(loop)

    def wait_for(self, fd: int, seconds: float | None = None) -> None:
        """Let tasks go on until there is something to read, or for so long. Raises what a task
        raises that asyncio lets through, SystemExit for one."""
        self.loop.add_reader(fd, self.loop.stop)
        if self.bell >= 0:
            self.loop.add_reader(self.bell, self.on_bell)
        end = None if seconds is None else self.loop.call_later(seconds, self.loop.stop)
        try:
            self.loop.run_forever()
        finally:
            self.loop.remove_reader(fd)
            if self.bell >= 0:
                self.loop.remove_reader(self.bell)
            if end:
                end.cancel()


class _Canceller:
    def __init__(self, loop: WorkerLoop, task: asyncio.Task) -> None:
        self._loop = loop
        self._task = task
        self._asked = False
        self._done = False

    def interrupt(self) -> None:
        if self._asked or asyncio.current_task(self._loop):
            raise KeyboardInterrupt
        self._asked = True
        self._loop.call_soon_threadsafe(self._cancel)

    def _cancel(self) -> None:
        self._done = True
        self._task.cancel()

    def insist(self) -> None:
        """A moment later: the task came first, and gives nobody else a turn."""
        if self._asked and not self._done and asyncio.current_task(self._loop):
            raise KeyboardInterrupt


def let_run_start() -> None:
    """asyncio.run() refuses inside a running loop; ours may be one in name only."""

    def freeing(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            loop = asyncio._get_running_loop()
            if not isinstance(loop, WorkerLoop) or loop.is_running():
                return function(*args, **kwargs)
            asyncio._set_running_loop(None)
            try:
                return function(*args, **kwargs)
            finally:
                asyncio._set_running_loop(loop)
                asyncio.set_event_loop(loop)

        return call

    asyncio.run = asyncio.runners.run = freeing(asyncio.runners.run)
    asyncio.Runner.run = freeing(asyncio.Runner.run)
