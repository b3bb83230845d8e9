"""Subshells: threads that run what clients ask for beside the main thread.

sandboxd writes such requests to a socket of their own, which the output's helper thread reads: it
gives each to its thread, which it makes when there is none yet. The answers leave by the channel,
like all output. Each thread has an event loop of its own, and a place of its own in the shell for
what belongs to a cell that runs; variables, modules and the count of cells are everybody's.

Comm messages for the main thread come the same way while a cell runs there: the cell may await
them. If it does not, they are handled when it has ended.

Python has no signal for other threads than the main one: an interrupt is an exception that the
interpreter raises there between two bytecodes. Code that waits in C does not see it before that
returns.
"""

import asyncio
import contextlib
import contextvars
import ctypes
import os
import queue
import select
import socket
import threading
import traceback
from _thread import allocate_lock, get_ident, interrupt_main
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

from . import comms, parents, warm
from .aio import Async
from .envelope import Request, decode
from .execute import SubshellExecutor
from .shell import Own

Reply = tuple[dict[str, Any], dict[str, Any]]

_READ = 1 << 18
_COMMS = ("comm_open", "comm_msg", "comm_close")
_HERE = frozenset({*_COMMS, "execute_request", "complete_request", "inspect_request",
                   "is_complete_request", "history_request", "comm_info_request"})  # fmt: skip


class Code:
    """Where an interrupt may hit in this thread."""

    def __init__(self) -> None:
        self.raise_in_code: Callable[[], None] = _nothing
        self.insist_in_code: Callable[[], None] = _nothing
        self._lock = allocate_lock()
        self._thread = 0  # that runs code; 0: none does
        self._is_early = False
        self._is_raised = False  # it has hit, or will at once

    def start(self) -> None:
        self._is_early = False

    def enter_code(self) -> None:
        with self._lock:
            self._thread = get_ident()
            is_early, self._is_early = self._is_early, False
        if is_early:
            raise KeyboardInterrupt

    def end(self) -> None:
        with self._lock:
            self._thread = 0
            is_raised, self._is_raised = self._is_raised, False
        if is_raised:
            _absorb()

    def interrupt(self) -> None:
        """From another thread."""
        with self._lock:
            self._is_early = not self._thread
            if self._thread:
                self._is_raised = True
                _raise_in(self._thread, KeyboardInterrupt)


def _nothing() -> None:
    pass


def _raise_in(thread: int, error: type[BaseException]) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


def _absorb() -> None:
    """What has not hit yet does so here: it is looked for at each turn of a loop. To take it back
    would leave the interpreter looking for it for ever."""
    with contextlib.suppress(KeyboardInterrupt):
        for _ in range(10):
            pass


class Subshell(threading.Thread):
    def __init__(self, name: str, worker: Any) -> None:
        super().__init__(name=f"subshell-{name}", daemon=True)
        self._given = self._done = (
            0  # requests: the one by the helper thread, the other by this one
        )
        self.running: Request | None = None
        self.code = Code()
        self.aio: Async | None = None
        self.on_gone: Callable[[], None] = _nothing  # there is no such thread any more
        self._worker = worker
        self._requests: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        self._rung = False
        self._waiter: asyncio.Future | None = None

    # --- from the helper thread ------------------------------------------------------------

    def put(self, request: Request | None) -> None:
        """None: it ends, behind what is there."""
        self._given += request is not None
        self._requests.put(request)
        self._wake()

    def is_busy(self) -> bool:
        """Is anything to be answered?"""
        return self._given != self._done

    def interrupt(self, request_id: str) -> None:
        running = self.running
        if running and running.id == request_id:
            self.code.interrupt()
            self._wake()

    def _wake(self) -> None:
        aio = self.aio
        if aio:
            with contextlib.suppress(RuntimeError):  # its loop is closed
                aio.loop.call_soon_threadsafe(self._ring)

    # --- the thread ------------------------------------------------------------------------

    def _bootstrap_inner(self) -> None:
        """Until it is not in threading's list any more."""
        super()._bootstrap_inner()
        self.on_gone()

    def run(self) -> None:
        owns = self._worker.shell.owns
        owns[get_ident()] = Own()
        self.aio = Async(self.code)
        self._executor = SubshellExecutor(self._worker.executor, self.aio, self.code)
        try:
            while (request := self._next()) is not None:
                self._handle(request)
                self._done += 1
        finally:
            del owns[get_ident()]
            self.aio.loop.close()

    def _next(self) -> Request | None:
        """Tasks that cells have left go on meanwhile."""
        if not self.aio.used:
            return self._requests.get()
        while self._requests.empty():
            try:
                self.aio.loop.run_until_complete(self._wait())
            except BaseException:  # of a task of the user's
                traceback.print_exc()
        return self._requests.get()

    async def _wait(self) -> None:
        self._waiter = self.aio.loop.create_future()
        if self._requests.empty():
            await self._waiter

    def _ring(self) -> None:
        if self._waiter and not self._waiter.done():
            self._waiter.set_result(None)

    def _handle(self, request: Request) -> None:
        worker = self._worker
        parents.enter(request, is_latest=worker.channel.running is None)
        self.code.start()
        self.running = request
        try:
            reply = self._answer(request)
        except BaseException as error:
            reply = worker.apology(request, error), {}
        finally:
            self.running = None
        worker.reply(request, *reply)
        request.forget()

    def _answer(self, request: Request) -> Reply:
        if request.type not in _HERE:
            raise ValueError(f"{request.type} does not run in a subshell")
        if request.type == "execute_request":
            return self._executor.execute(request)
        if request.type in _COMMS:
            return self._handle_comm(request)
        return self._worker.answer(request)

    def _handle_comm(self, request: Request) -> Reply:
        try:
            with self.aio.current():
                self.code.enter_code()
                comms.handle(request)
        except KeyboardInterrupt:
            traceback.print_exc()
        finally:
            self.code.end()
        return {}, {}


class Subshells:
    def __init__(self, worker: Any) -> None:
        self._worker = worker
        self._end: socket.socket | None = None
        self._incoming = bytearray()
        self._threads: dict[str, Subshell] = {}
        self._ending: list[Subshell] = []  # still at work
        self._for_main: deque[Request] = deque()
        self._bell = -1

    # --- its socket ------------------------------------------------------------------------

    def adopt(self, end: socket.socket | None) -> None:
        """It comes with the first word of sandboxd; to a checkpoint, with that of its waking."""
        self._end = end
        self._bell = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._worker.aio.bell = self._bell
        self._worker.aio.on_bell = self.take_for_main

    def forget(self) -> None:
        """In a fork: the threads are not there."""
        if self._end:
            self._end.close()
        if self._bell >= 0:
            with contextlib.suppress(OSError):
                os.close(self._bell)
        self._end, self._bell = None, -1
        self._worker.aio.bell = -1
        self._incoming.clear()
        self._threads.clear()
        self._ending.clear()
        self._for_main.clear()
        self._worker.shell.owns.clear()

    def fileno(self) -> int:
        return self._end.fileno() if self._end else -1

    def is_busy(self) -> bool:
        """Does any of them run code, or will at once?"""
        self._ending = [each for each in self._ending if each.is_alive()]
        every = [*self._threads.values(), *self._ending]
        return bool(self._for_main) or any(each.is_busy() for each in every)

    # --- in the helper thread --------------------------------------------------------------

    def read(self, poller: select.poll) -> None:
        data = self._end.recv(_READ)
        if not data:
            poller.unregister(self._end.fileno())
            return
        self._incoming += data
        while self._incoming:
            request, used = decode(self._incoming)
            if request is None:
                return
            del self._incoming[:used]
            self._take(request)

    def _take(self, request: Request) -> None:
        try:
            if request.type == "subshell_request":
                self._obey(request)
            elif self._is_for_main(request):
                self._for_main.append(request)
                os.eventfd_write(self._bell, 1)
            else:
                self._find(request.beside).put(request)
        except Exception as error:  # there is no room for a thread
            self._worker.reply(request, self._worker.apology(request, error), {})

    def _is_for_main(self, request: Request) -> bool:
        if request.type not in _COMMS:
            return False
        worker = self._worker
        return not request.beside or (
            worker.aio.is_awaiting and comms.is_awaited_by(request, worker.channel.running)
        )

    def _find(self, name: str | None) -> Subshell:
        if not name:
            raise ValueError("only comm messages go to the main thread while it runs")
        subshell = self._threads.get(name)
        if subshell is None:
            warm.leave()
            subshell = Subshell(name, self._worker)
            subshell.start()
            self._threads[name] = subshell
        return subshell

    def _obey(self, request: Request) -> None:
        order = request.content.get("order")
        if order == "interrupt":
            self._interrupt(request.beside, str(request.content.get("request")))
        elif order == "open":
            self._find(request.beside)
        elif order == "close" and request.beside in self._threads:
            self._close(self._threads.pop(request.beside), request)
            return
        self._worker.reply(request, {"status": "ok"}, {})

    def _interrupt(self, name: str | None, request_id: str) -> None:
        if not name:
            interrupt_main()
            return
        for subshell in [*self._threads.values(), *self._ending]:
            subshell.interrupt(request_id)

    def _close(self, subshell: Subshell, request: Request) -> None:
        """Answered once the thread is gone, which may take long."""
        self._ending.append(subshell)
        subshell.on_gone = lambda: self._worker.reply(request, {"status": "ok"}, {})
        subshell.put(None)

    # --- in the main thread ----------------------------------------------------------------

    def wait(self, fd: int) -> bool:
        """Until there is something to read there (True), or comm messages were handled."""
        poller = select.poll()
        poller.register(fd, select.POLLIN)
        if self._bell >= 0:
            poller.register(self._bell, select.POLLIN)
        ready = [number for number, _ in poller.poll()]
        if self._bell in ready:
            self.take_for_main()
        return fd in ready

    def has_for_main(self) -> bool:
        return bool(self._for_main)

    def take_for_main(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self._bell)
        while self._for_main:
            request = self._for_main.popleft()
            if self._worker.aio.is_awaiting:
                contextvars.copy_context().run(self._handle_between, request)
            else:
                self._worker.handle_comm(request)

    def _handle_between(self, request: Request) -> None:
        """While a cell awaits; an interrupt is the cell's."""
        parents.enter(request, is_latest=False)
        try:
            comms.handle(request)
        finally:
            self._worker.reply(request, {}, {})

    def run_awaiting(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """In whatever thread a cell awaits."""
        thread = threading.current_thread()
        aio = thread.aio if isinstance(thread, Subshell) else self._worker.aio
        return aio.run(coroutine)

    def refuse(self, request: Request) -> dict[str, Any]:
        raise ValueError(f"{request.type} does not wait for its turn")
