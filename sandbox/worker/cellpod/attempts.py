"""Attempts: code that may fail runs in a fork of the worker.

The fork speaks to the worker, which passes on whole envelopes: one that dies in the middle of
a word is not heard. When the attempt is kept, the fork becomes the worker and the worker
ends; when it is not, the fork is killed, and the worker is as it was before.

What the two share is not copied: files, sockets, shared memory. Threads are not copied
either: those of earlier cells end with the worker when an attempt is kept.
"""

import contextlib
import ctypes
import fcntl
import json
import os
import random
import select
import signal
import socket
import stat
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from time import monotonic
from typing import Any

from .channel import SIGNALS, Channel
from .envelope import MAX_LINE, ProtocolError, Request

GRACE = 0.1  # seconds that code has to clean up after an interrupt, before it is ended
TICK_MS = 50
OOM_STEP = 100  # when memory ends, an attempt goes before its worker
PR_SET_PDEATHSIG = 1

REPLY = "attempt_reply"
SUCCEED = "succeed"  # the fork's last word to the worker
UNHEARD = "The attempt was ended, because its code went on after an interrupt."

_MEANINGS = {
    signal.SIGSEGV: "native code used memory that is not its own",
    signal.SIGBUS: "native code used memory that is not there",
    signal.SIGFPE: "native code divided by zero or the like",
    signal.SIGILL: "native code met an invalid instruction",
    signal.SIGABRT: "native code gave up",
    signal.SIGKILL: "most often because memory ran out",
    signal.SIGSYS: "it made a system call that the sandbox does not allow",
    signal.SIGTERM: "somebody asked it to end",
}

Reply = tuple[dict[str, Any], dict[str, Any]]


NOT_UNDONE = ("cellpod: under this gVisor an attempt cannot be undone: variables that the failed "
              "code has changed stay changed.")

class Init:
    """What there is to say to process 1 (cellpod.isolate.Library says it)."""

    memory_mb = 0

    def name_successor(self, pid: int) -> None:
        pass

    def await_succession(self) -> None:
        pass


NO_INIT = Init()


class Fork:
    """In the worker: the process that makes an attempt."""

    def __init__(self, pid: int, peer: socket.socket) -> None:
        self.pid = pid
        self.peer = peer
        self.pidfd = -1
        self.offsets: dict[int, int] = {}
        self.has_replied = False
        self.wants_to_succeed = False
        self.interrupted_at: float | None = None
        self.was_deaf = False
        self._incoming = bytearray()
        peer.setblocking(False)

    def interrupt(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGINT)
        self.interrupted_at = self.interrupted_at or monotonic()

    def pass_limit(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def is_deaf(self) -> bool:
        return self.interrupted_at is not None and monotonic() - self.interrupted_at > GRACE

    def end(self) -> int | None:
        """And what it has started in its process group. Returns the status of wait(2)."""
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError):
                kill(self.pid, signal.SIGKILL)
        try:
            return os.waitpid(self.pid, 0)[1]
        except ChildProcessError:  # user code has reaped it
            return None

    def close(self) -> None:
        self.peer.close()
        if self.pidfd >= 0:
            os.close(self.pidfd)

    def read(self) -> bytes | None:
        """Whole envelopes that it has sent; None when there is nothing more for now."""
        try:
            data = self.peer.recv(1 << 18)
        except (BlockingIOError, ConnectionResetError):
            return None
        self._incoming += data
        whole = self._scan()
        taken = bytes(memoryview(self._incoming)[:whole])
        del self._incoming[:whole]
        return taken if data else None

    def _scan(self) -> int:
        """The length of the whole envelopes that are to be passed on."""
        at = 0
        while not self.wants_to_succeed:
            line, end = _head(self._incoming, at)
            if not line or end > len(self._incoming):
                return at
            kind = line["type"]
            self.has_replied |= kind == REPLY
            if kind == SUCCEED:
                self.wants_to_succeed = True
                return at
            at = end
        return at


def _can_be_succeeded() -> bool:
    """gVisor of before 2023 lacks what a fork needs that is to become the worker."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:
        return False
    return True


def _head(data: bytearray, start: int) -> tuple[dict[str, Any] | None, int]:
    """An envelope's first line, and where it ends."""
    newline = data.find(b"\n", start, start + MAX_LINE)
    if newline < 0:
        if len(data) - start >= MAX_LINE:
            raise ProtocolError("envelope line too long")
        return None, 0
    line = json.loads(data[start:newline])
    sizes = [line.get("bytes", 0), line.get("metadata", 0), *line.get("buffers", ())]
    if min(sizes) < 0:
        raise ProtocolError("a negative length")
    return line, newline + 1 + sum(sizes) + 1


class Attempts:
    def __init__(self, worker: Any, init: Init) -> None:
        self.channel: Channel = worker.channel
        self.in_fork = False
        self._forking_thread = 0
        self._worker = worker
        self._init = init
        self._fork: Fork | None = None
        self._elder = -1  # in the fork: pidfd of the worker
        self._is_in_place = False  # there is no fork: the worker itself has tried
        self._left_behind: list[str] = []  # names of the worker's threads

    @property
    def is_open(self) -> bool:
        """In the worker: an attempt waits for its verdict."""
        return self._fork is not None

    def is_forking(self) -> bool:
        """For hooks of os.fork(): this thread makes an attempt."""
        return self._forking_thread == threading.get_ident()

    # --- the request that starts one ---------------------------------------------------

    def run(self, request: Request, execute: Callable[[], Reply]) -> Reply | None:
        """Returns in both processes: the reply in the fork, and in the worker if the fork
        has died without one."""
        if not _can_be_succeeded():
            self._is_in_place = True
            return execute()
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # until the answer is given
        if self._split() == 0:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            return execute()
        try:
            return self._follow()
        except BaseException:
            self.drop()
            raise

    def _split(self) -> int:
        interrupts = self.channel.interrupts
        worker = os.getpid()
        ours, theirs = socket.socketpair()
        offsets = _reading_offsets()
        chance = random.getstate()  # Python seeds the generator of a fork anew
        self._left_behind = [t.name for t in threading.enumerate()][1:]
        self._worker.output.stop()
        interrupts.hold()
        early = interrupts.pending
        self._forking_thread = threading.get_ident()
        try:
            with warnings.catch_warnings():  # of threads, from Python 3.12 on
                warnings.simplefilter("ignore")
                pid = os.fork()
        except OSError:
            self._go_on()
            raise
        finally:
            self._forking_thread = 0
        if pid == 0:
            ours.close()
            random.setstate(chance)
            self._become_fork(worker, theirs)
            return 0
        theirs.close()
        self._fork = Fork(pid, ours)
        self._fork.offsets = offsets
        self._become_guardian(late=interrupts.pending and not early)
        return pid

    def _become_guardian(self, *, late: bool) -> None:
        """In the worker. An interrupt that came before the fork is in both processes."""
        fork = self._fork
        with contextlib.suppress(OSError):
            os.setpgid(fork.pid, fork.pid)  # both do it: neither knows who is first
        signal.signal(signal.SIGINT, lambda *_: fork.interrupt())
        if late:
            fork.interrupt()
        interrupts = self.channel.interrupts
        interrupts.pending = False
        interrupts.forward = fork.pass_limit
        interrupts.release()
        self._worker.output.lend_pipes()
        self._worker.output.start()
        try:
            fork.pidfd = os.pidfd_open(fork.pid)
        except OSError:
            self.drop()
            raise

    def _become_fork(self, worker: int, peer: socket.socket) -> None:
        """On failure there is nobody to tell but the worker, by dying."""
        try:
            os.setpgid(0, 0)
            self._elder = os.pidfd_open(worker)
            _die_with_parent(True)
            if os.getppid() != worker:
                os.kill(os.getpid(), signal.SIGKILL)
            _change_oom_score(OOM_STEP)
            self.in_fork = True
            self.channel.speak_through(peer)
            self._worker.after_attempt_fork()
        except BaseException:
            os.kill(os.getpid(), signal.SIGKILL)
        self.channel.interrupts.release()

    # --- in the worker, while there is a fork --------------------------------------------

    def _follow(self) -> Reply | None:
        """Until it has replied, or is dead."""
        while not self._fork.has_replied:
            self._fork.was_deaf |= self._fork.is_deaf()
            if self._fork.was_deaf or not self._listen():
                return self._bury()
        self.channel.interrupts.install()
        return None

    def receive(self) -> Request:
        """The next request; until it comes, what the fork says is passed on."""
        while self._fork and not self.channel.has_input():
            if not self._listen(self.channel.fileno()):
                self._bury()
        return self.channel.receive()

    def _listen(self, *others: int) -> bool:
        """Pass on what the fork says, or return for another descriptor. False when it is
        dead and has said all, or speaks no sense."""
        fork = self._fork
        poller = select.poll()
        for fd in (fork.peer.fileno(), fork.pidfd, *others):
            poller.register(fd, select.POLLIN)
        try:
            ready = [fd for fd, _ in poller.poll(TICK_MS)]
        except BaseException:  # of a signal handler of the user's
            traceback.print_exc()
            return True
        try:
            if fork.peer.fileno() in ready and self._pass_on():
                return True
            return fork.pidfd not in ready and fork.peer.fileno() not in ready
        except (ProtocolError, ValueError, TypeError, KeyError, AttributeError):
            return False

    def _pass_on(self) -> bool:
        data = self._fork.read()
        if data:
            self.channel.pass_on(data)
        return data is not None

    def _bury(self) -> Reply | None:
        """It is dead, or to die. Returns the reply that is missing, if one is."""
        fork = self._fork
        status = fork.end()
        with contextlib.suppress(ProtocolError, ValueError, TypeError, KeyError, AttributeError):
            while self._pass_on():
                pass
        self._close()
        self._worker.output.flush()  # what its C code and subprocesses have printed
        if fork.has_replied:
            return None
        name, sentence = "WorkerDied", _death(status)
        if fork.was_deaf:
            name, sentence = "KeyboardInterrupt", UNHEARD
        content = {
            "status": "error",
            "ename": name,
            "evalue": sentence,
            "traceback": [f"{name}: {sentence}"],
            "death": sentence,
            "execution_count": self._worker.shell.execution_count,
            "user_expressions": {},
            "payload": [],
        }
        return content, {"status": "error"}

    def drop(self) -> None:
        """The attempt is not kept."""
        if self._fork:
            self._fork.end()
            self._close()

    def _close(self) -> None:
        fork, self._fork = self._fork, None
        fork.close()
        _restore_offsets(fork.offsets)
        self.channel.interrupts.forward = None
        self.channel.interrupts.install()
        self._worker.output.stop()
        self._worker.output.take_pipes_back()
        self._worker.output.start()

    def _go_on(self) -> None:
        """There was no fork."""
        self.channel.interrupts.release()
        self._worker.output.start()

    # --- the verdict -----------------------------------------------------------------------

    def end(self, request: Request) -> dict[str, Any]:
        """In the worker: what becomes of the fork. In the fork: become the worker."""
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        keep = request.content.get("keep") is True
        if self._is_in_place:
            self._is_in_place = False
            if not keep:
                print(NOT_UNDONE, file=sys.stderr)
        elif self.in_fork:
            self._become_worker()
        elif self._fork and keep:
            self._hand_over(request)  # returns only if the fork has died
            keep = False
        else:
            self.drop()
            keep = False
        reply: dict[str, Any] = {"status": "ok", "kept": keep}
        if keep and self._left_behind:
            reply["ended_threads"] = self._left_behind
        return reply

    def _hand_over(self, request: Request) -> None:
        content = json.dumps(request.content).encode()
        line = {"type": request.type, "id": request.id, "msg_id": request.msg_id,
                "bytes": len(content)}  # fmt: skip
        self._fork.peer.setblocking(True)
        with contextlib.suppress(OSError):
            self._fork.peer.sendall(json.dumps(line).encode() + b"\n" + content + b"\n")
        self._fork.peer.setblocking(False)
        while not self._fork.wants_to_succeed:
            if not self._listen():
                self._bury()
                return
        self.channel.exclusively(self._leave)

    def _leave(self) -> None:
        """Nothing is half-sent now. Of the fork's words each has been passed on."""
        self.channel.before_send()
        self._init.name_successor(self._fork.pid)
        os._exit(0)

    def _become_worker(self) -> None:
        _die_with_parent(False)
        self.channel.exclusively(self._succeed)
        os.close(self._elder)
        self._elder = -1
        self.in_fork = False
        _change_oom_score(-OOM_STEP)
        self._worker.shell.history_manager.thaw()

    def _succeed(self) -> None:
        """The worker's death is the sign that its channel is ours."""
        self.channel.before_send()
        self.channel.write([b'{"type":"%s"}\n\n' % SUCCEED.encode()])
        poller = select.poll()
        poller.register(self._elder, select.POLLIN)
        poller.poll()
        self._init.await_succession()
        self.channel.speak_again()
        self._worker.output.journal.take_over()


def _death(status: int | None) -> str:
    if status is None:
        return "The attempt ended by itself."
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"The attempt ended by itself, with exit code {code}."
    try:
        number = signal.Signals(-code)
    except ValueError:
        return f"The attempt was killed by signal {-code}."
    meaning = _MEANINGS.get(number, "a signal that it does not handle")
    return f"The attempt was killed by {number.name}: {meaning}."


def _die_with_parent(yes: bool) -> None:
    number = ctypes.c_ulong(signal.SIGKILL if yes else 0)
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, number, 0, 0, 0) < 0:
        raise OSError(ctypes.get_errno(), "PR_SET_PDEATHSIG")


def _change_oom_score(step: int) -> None:
    """A wish; where /proc is not ours to write, the kernel chooses."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "r+") as file:
        score = int(file.read())
        file.seek(0)
        file.write(str(min(1000, score + step)))


def _reading_offsets() -> dict[int, int]:
    """Of the files that are open for reading only: a fork moves them for its parent too."""
    offsets = {}
    for name in os.listdir("/proc/self/fd"):
        fd = int(name)
        with contextlib.suppress(OSError):
            if (
                stat.S_ISREG(os.fstat(fd).st_mode)
                and fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
            ):
                offsets[fd] = os.lseek(fd, 0, os.SEEK_CUR)
    return offsets


def _restore_offsets(offsets: dict[int, int]) -> None:
    for fd, offset in offsets.items():
        with contextlib.suppress(OSError):
            os.lseek(fd, offset, os.SEEK_SET)
