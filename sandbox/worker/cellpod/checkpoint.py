"""A checkpoint: a frozen fork of the worker, which becomes the worker should that end, or when the
user goes back to it.

The worker goes on as it is, with its threads, pools and connections. The fork waits on a
socket of its own that sandboxd has lent (sandbox/running/checkpoint.h), and does nothing until it is
woken there; the socket's end ends it.

It is a child of process 1, not of the worker: code that waits for its own children must not
meet it.
"""

import contextlib
import ctypes
import os
import random
import signal
import socket
import struct
import threading
import warnings
from posix import _exit  # os._exit would say first what is printed, which is the worker's to say
from typing import Any

from . import leftovers
from .channel import SIGNALS
from .envelope import Request

_ENDED = "the copy of the worker that would take over ended at once"
# As gVisor of 2022 does it, Debian 12's: init could not let such a copy take over.
_STRANGERS_CHILD = "this gVisor is too old for a copy of the worker to take over"
OOM_STEP = 100  # when memory ends, the worker goes before its checkpoints
_FROZEN = struct.Struct("<ci")
_OOM_SCORE = "/proc/self/oom_score_adj"


class Init:
    """What there is to say to process 1 (cellpod.isolate.Library says it)."""

    memory_mb = 0

    def name_successor(self, pid: int) -> None:
        pass

    def leave_an_orphan(self) -> None:
        """Returns in a child only. C's fork(): Python's hooks have run, once is enough."""
        pid = ctypes.PyDLL(None).fork()
        if pid != 0:
            _exit(0 if pid > 0 else 1)


NO_INIT = Init()


class NotTaken(Exception):
    """There is no checkpoint, and why: one sentence."""


class Postponed(NotTaken):
    """A subshell has begun something: not now. What was lent can be used later."""


class Checkpoint:
    """How one is made. sandboxd says how many there may be, and ends those that are not needed."""

    def __init__(self, worker: Any, init: Init) -> None:
        self._worker = worker
        self._init = init
        self._forking_thread = 0
        self._parent = os.getppid()
        self._is_hopeless = False
        self._is_session_ours = os.getsid(0) == os.getpid()
        self._oom_score = _read_oom_score()

    def is_forking(self) -> bool:
        """For hooks of os.fork(): this thread makes a checkpoint."""
        return self._forking_thread == threading.get_ident()

    def take(
        self, lent: socket.socket | None, *, keeps_connections: bool = True, number: int = 0
    ) -> "Woken | None":
        """Returns None in the worker, and in the checkpoint what has woken it. Raises NotTaken
        where there is none; the worker is as it was. `keeps_connections`: those that were not
        used meanwhile; but while there is the checkpoint, nobody can close one. `number`:
        of the cell that the variables are from."""
        if lent is None:
            raise NotTaken("the daemon has made no room for a copy of the worker")
        if self._is_hopeless:
            raise NotTaken(_STRANGERS_CHILD)
        interrupts = self._worker.channel.interrupts
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        interrupts.hold()
        self._worker.output.stop()
        if self._worker.subshells.is_busy():
            self._worker.output.start()
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            interrupts.release()
            raise Postponed("code runs in a subshell")
        woken = None
        try:
            woken = self._split(lent, keeps_connections, number)
        finally:
            lent.close()
            self._worker.output.start()
            if woken:
                interrupts.forget()
            else:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            interrupts.release()
        return woken

    def _split(self, lent: socket.socket, keeps_connections: bool, number: int) -> "Woken | None":
        state = leftovers.State(self._is_session_ours, keeps_connections)
        ours, theirs = socket.socketpair()
        with ours, theirs:
            middle = self._fork()
            if middle == 0:
                self._init.leave_an_orphan()
                ours.close()
                return self._freeze(state, lent, theirs, number)
            theirs.close()
            with contextlib.suppress(ChildProcessError):  # whose end is ignored
                os.waitpid(middle, 0)
            said = _await_frozen(ours)
            self._is_hopeless = said == b"s"
            if said != b"f":
                raise NotTaken(_STRANGERS_CHILD if self._is_hopeless else _ENDED)
            with contextlib.suppress(OSError):  # sandboxd does not want it any more
                lent.send(b"n")
        _write_oom_score(min(1000, self._oom_score + OOM_STEP))
        return None

    def _fork(self) -> int:
        self._forking_thread = threading.get_ident()
        try:
            with warnings.catch_warnings():  # of threads, from Python 3.12 on
                warnings.simplefilter("ignore")
                return os.fork()
        except OSError as error:
            raise NotTaken(
                f"there is no room for a copy of the worker ({error.strerror})"
            ) from error
        finally:
            self._forking_thread = 0

    def forget(self) -> None:
        """In the worker: the newest one does not take over any more. sandboxd ends it."""
        self._init.name_successor(0)

    # --- in the checkpoint -----------------------------------------------------------------

    def _freeze(
        self, state: leftovers.State, lent: socket.socket, worker: socket.socket, number: int
    ) -> "Woken":
        """On failure there is nobody to tell but the worker, by ending."""
        try:
            os.setsid()  # what ends or signals those of the worker is not for us
            threading.main_thread()._set_native_id()
            random.setstate(state.chance)
            channel = self._worker.channel
            channel.move_to(lent.dup())
            self._worker.subshells.forget()
            state.let_go({channel.fileno(), lent.fileno(), worker.fileno(), *self._own_pipes()})
            if not worker.recv(1):  # the orphan is init's child now
                _exit(0)
            if os.getppid() != self._parent:
                worker.send(b"s")
                _exit(0)
            _write_oom_score(self._oom_score)
            if not channel.exchange(_FROZEN.pack(b"c", number)):
                _exit(0)
            self._init.name_successor(os.getpid())
            with contextlib.suppress(OSError):  # it has died: we are about to take over
                worker.send(b"f")
            worker.close()
            lent.close()
            while (wake := channel.receive()).type != "wake":
                if wake.type == "beside":
                    self._worker.subshells.adopt(channel.take_lent())
                else:
                    self._init.name_successor(os.getpid())
                    channel.say(b"n")
        except BaseException:
            _exit(1)
        return self._wake(state, wake)

    def _own_pipes(self) -> list[int]:
        return [pipe.fd for pipe in self._worker.output.pipes]

    def _wake(self, state: leftovers.State, wake: Request) -> "Woken":
        self._worker.after_waking()
        self._worker.output.watchdog.lost = state.native_threads
        return Woken(wake, state.restore())


class Woken:
    """What a checkpoint has been woken with."""

    def __init__(self, wake: Request, lost: list[str]) -> None:
        self.id = wake.id  # of a request that the worker owes an answer to, or ""
        self.type = str(wake.content.get("request", ""))
        self.cause = str(wake.content.get("cause", ""))
        self.message = str(wake.content.get("message", ""))
        self.content = wake.content.get("content") or {}  # of the cell that it died of
        self.has_begun = wake.content.get("begun") is True  # its execute_input was sent
        self.number = int(wake.content.get("number", 0))  # of the cell that began last
        self.counted = int(wake.content.get("counted", 0))  # the last number in a subshell
        self.last = str(wake.content.get("last", ""))  # the id of the request that began last
        self.restored = wake.content.get("restored")  # what the user's wish for it came with
        self.lost = lost  # what could not be brought back


def _await_frozen(checkpoint: socket.socket) -> bytes:
    """What it says of itself: f, it is frozen; s, it is a child of a stranger's."""
    try:
        checkpoint.send(b"o")
        return checkpoint.recv(1)
    except OSError:
        return b""


def _read_oom_score() -> int:
    try:
        with open(_OOM_SCORE) as file:
            return int(file.read())
    except (OSError, ValueError):
        return 0


def _write_oom_score(score: int) -> None:
    """A wish; where /proc is not ours to write, the kernel chooses."""
    with contextlib.suppress(OSError), open(_OOM_SCORE, "w") as file:
        file.write(str(score))
