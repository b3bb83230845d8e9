"""The worker's only way out: one socket, one order.

Whatever is sent goes through `Channel.send`, from any thread. Text that was printed before
goes first. A message made while another is being sent by the same thread (a finalizer, a
signal handler) waits until that one is out.
"""

import array
import os
import select
import socket
from _signal import SIG_BLOCK, SIG_SETMASK, pthread_sigmask
from _thread import allocate_lock, get_ident
from collections.abc import Callable
from typing import Any

from . import jsonable
from .envelope import MAX_BYTES, Request, decode, encode
from .interrupts import Interrupts

SIGNALS = frozenset({1, 10, 12, 14, 15, 17, 26, 27})  # all that user code commonly handles
_JOIN_BELOW = 64 << 10
_ROOM = socket.CMSG_SPACE(4)  # for one descriptor


class Channel:
    def __init__(self, sock: socket.socket) -> None:
        self.interrupts = Interrupts(self._send_interrupted)
        self.running: Request | None = None
        self.before_send: Callable[[], None] = lambda: None
        self.most = MAX_BYTES  # at once
        self._socket: socket.socket | None = sock
        self._lent: socket.socket | None = None  # came with a request, for a checkpoint
        self._taken_back: list[Request] = []
        self._incoming = bytearray()
        self._lock = allocate_lock()
        self._owner = 0
        self._deferred: list[list[Any]] = []
        self._parts: list[Any] = []
        self._progress: tuple[int, list[int]] = (0, [])
        self._mask = pthread_sigmask(SIG_BLOCK, ())

    # --- sending ---------------------------------------------------------------------

    def send(
        self,
        kind: str,
        request: Request | None,
        content: dict[str, Any] | bytes,
        metadata: dict[str, Any] | None = None,
        buffers: Any = (),
    ) -> None:
        """Send a message that belongs to `request`. Raises ValueError for what cannot be
        sent; nothing has left then."""
        parts = encode(
            kind,
            request.parent if request else b"",
            content if type(content) is bytes else jsonable.dumps(content),
            jsonable.dumps(metadata) if metadata else b"",
            [memoryview(part).cast("B") for part in buffers] if buffers else (),
            self.most,
        )
        if not self.exclusively(self._send_now, parts):
            self._deferred.append(parts)

    def _send_now(self, parts: list[Any]) -> None:
        self.before_send()
        self.write(parts)

    def exclusively(self, work: Callable[..., None], *args: Any) -> bool:
        """Call `work` while no other thread sends, and signals wait. Returns False, having
        done nothing, when this very thread is sending already."""
        if self._owner == get_ident():
            return False
        main = self.interrupts.hold()
        mask = None
        try:
            if main:
                mask = pthread_sigmask(SIG_BLOCK, SIGNALS)
            with self._lock:
                self._work(work, args)
        finally:
            if main:
                self._let_signals_in(mask)
        return True

    def _work(self, work: Callable[..., None], args: tuple[Any, ...]) -> None:
        try:  # from here on: an interrupt of a subshell may come at any point
            self._owner = get_ident()
            work(*args)
            while self._deferred:
                self.write(self._deferred.pop(0))
        finally:
            self._owner = 0

    def _let_signals_in(self, mask: set[int] | None) -> None:
        try:
            pthread_sigmask(SIG_SETMASK, self._mask if mask is None else mask)
        finally:
            self.interrupts.release()

    def write(self, parts: list[Any]) -> None:
        """Only inside exclusively(). A signal handler of user code may raise an exception
        even here, if its signal came to another thread: then the rest of the envelope
        leaves before the next one."""
        if self._socket is None:  # a process that user code forked has no channel
            return
        if len(parts) > 1 and sum(map(len, parts)) < _JOIN_BELOW:
            parts = [b"".join(parts)]
        try:
            self._finish()
            self._progress = (0, [])
            self._parts = parts
            self._finish()
        except OSError:
            os._exit(1)  # sandboxd is gone

    def _finish(self) -> None:
        """Send what is left of an envelope. extend(map()) notes what a call of send() took
        before any bytecode, and so any handler, can run."""
        while self._parts:
            index, sent = self._progress
            if index == len(self._parts):
                self._parts = []
                return
            part, at = memoryview(self._parts[index]), sum(sent)
            if at == len(part):
                self._progress = (index + 1, [])
            else:
                sent.extend(map(self._socket.send, (part[at:],)))

    def _send_interrupted(self) -> None:
        if self.running:
            self.send("interrupted", self.running, b"{}")

    # --- checkpoints -----------------------------------------------------------------

    def take_lent(self) -> socket.socket | None:
        """The socket that came with the request, for a checkpoint; the caller's to close."""
        lent, self._lent = self._lent, None
        return lent

    def move_to(self, sock: socket.socket) -> None:
        """In a checkpoint: speak over a socket of its own. What was begun is the worker's."""
        self._socket.close()
        self._socket = sock
        self._incoming.clear()
        self._deferred.clear()
        self._parts = []
        self._lock.release()  # of before_fork()

    def exchange(self, few: bytes) -> bytes:
        """Before there are envelopes: a byte for a few; b"" when there is none."""
        self._socket.sendall(few)
        return self._socket.recv(1)

    def say(self, byte: bytes) -> None:
        """As a checkpoint that is frozen."""
        self._socket.sendall(byte)

    def take_back(self, request: Request) -> None:
        """It is received once more."""
        self._taken_back.append(request)

    # --- receiving -------------------------------------------------------------------

    def fileno(self) -> int:
        return self._socket.fileno() if self._socket else -1

    def receive(self, wait: Callable[[], object] | None = None) -> Request:
        """The next envelope. `wait` returns when there is something to read; reading itself
        cannot be interrupted."""
        if self._taken_back:
            return self._taken_back.pop(0)
        while True:
            request = self._take()
            if request:
                return request
            if wait:
                wait()
            self._read()

    def await_input(self) -> Request:
        """As receive(), for the main thread while it runs a cell: can be interrupted."""
        return self.receive(self._poller().poll)

    def has_input(self, ms: int) -> bool:
        """Is there something to receive, within so long?"""
        return bool(self._taken_back or self._incoming or self._poller().poll(ms))

    def discard_input(self) -> None:
        """Forget replies to questions that nobody waits for any more."""
        poller = self._poller()
        while poller.poll(0):
            self._read()
        while self._take():
            pass

    def _poller(self) -> select.poll:
        poller = select.poll()
        poller.register(self.fileno(), select.POLLIN)
        return poller

    def _take(self) -> Request | None:
        if not self._incoming:
            return None
        self.interrupts.hold()
        try:
            request, used = decode(self._incoming)
            if request:
                del self._incoming[:used]
            return request
        finally:
            self.interrupts.release()

    def _read(self) -> None:
        self.interrupts.hold()
        try:
            data, beside, _, _ = self._socket.recvmsg(1 << 18, _ROOM, socket.MSG_CMSG_CLOEXEC)
            if not data:
                os._exit(0)  # sandboxd is gone
            if beside:
                self._lent = socket.socket(fileno=array.array("i", beside[0][2])[0])
            self._incoming += data
        finally:
            self.interrupts.release()

    # --- forks of user code ------------------------------------------------------------

    def before_fork(self) -> None:
        """In step with after_fork_*: no thread sends while a child is made."""
        self.exclusively(self.before_send)
        self._lock.acquire()

    def after_fork_in_parent(self) -> None:
        self._lock.release()

    def after_fork_in_child(self) -> None:
        """The child must not talk on its parent's channel."""
        if self._socket:
            self._socket.close()
            self._socket = None
        if self._lent:
            self._lent.close()
            self._lent = None
        self._lock.release()
        self.interrupts.after_fork_in_child()
