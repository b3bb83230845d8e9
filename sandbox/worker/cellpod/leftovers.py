"""What a fork shares with the process that goes on, or does not have: put back as it was.

Of a checkpoint, which may be woken long after it was made (checkpoint.py). The worker has
moved file offsets meanwhile, and started programs; it has gone on talking over connections.
"""

import array
import contextlib
import fcntl
import os
import random
import signal
import socket
import stat
import struct
import termios
import threading
from pathlib import Path

from .watchdog import native_threads

_TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
_SIOCOUTQ = termios.TIOCOUTQ
_TCP_BYTES = 120  # in struct tcp_info: bytes that were acknowledged, then received; 64 bits each
_ROUNDS = 100
_NAMED = 5
_MADE_ANEW = ("tqdm", f"{__package__}.subshells")  # threads of these modules, when needed

Offsets = dict[int, int]
Process = tuple[int, str]  # its pid, and when it was started


class State:
    """As things are now. Made before the fork, put back in the checkpoint."""

    def __init__(self, is_session_ours: bool, keeps_connections: bool) -> None:
        self._keeps_connections = keeps_connections
        self.chance = random.getstate()  # Python seeds the generator of a fork anew
        self.threads = _threads()
        self.native_threads = native_threads()
        self._offsets = _offsets()
        self._talks = _talks()
        self._timers = {timer: signal.getitimer(timer) for timer in _TIMERS}
        self._session = os.getsid(0) if is_session_ours else 0
        self._processes = _processes_of(self._session)

    def let_go(self, own: set[int]) -> None:
        """Of the ends of pipes, and of connections that are not to be kept: who waits at the
        other end for the worker to close it would wait for us too."""
        known = {_identity(fd) for fd in (0, 1, 2)}
        for fd in _descriptors():
            if fd > 2 and fd not in own:
                with contextlib.suppress(OSError):
                    if _identity(fd) not in known:
                        _let_go_of(fd, self._keeps_connections)

    def restore(self) -> list[str]:
        """Returns what could not be brought back, in words."""
        self._end_processes()
        for fd, offset in self._offsets.items():
            with contextlib.suppress(OSError):
                os.lseek(fd, offset, os.SEEK_SET)
        for timer, (left, interval) in self._timers.items():
            if left:
                signal.setitimer(timer, left, interval)
        lost = [f"thread {name}" for name in self.threads[:_NAMED]]
        if len(self.threads) > _NAMED:
            lost.append(f"{len(self.threads) - _NAMED} more threads")
        closed = self._close_used_talks()
        if closed:
            lost.append(f"{closed} connection{'s'[: closed > 1]} that the code had used")
        return lost

    def _end_processes(self) -> None:
        """What the worker has started since, but for what made a session of its own."""
        for _ in range(_ROUNDS):
            started = _processes_of(self._session) - self._processes
            started = {pid for pid, _ in started if pid != os.getpid()}
            if not started:
                return
            for pid in started:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)

    def _close_used_talks(self) -> int:
        """The other end has gone on: nothing may be said into the middle of that."""
        if not self._keeps_connections:
            return len(self._talks)
        now = _talks()
        used = [fd for fd, talk in self._talks.items() if now.get(fd, talk) != talk]
        for fd in used:
            with contextlib.suppress(OSError), socket.socket(fileno=os.dup(fd)) as shared:
                shared.shutdown(socket.SHUT_RDWR)
        return len(used)


def _threads() -> list[str]:
    """Names of those that somebody may miss."""
    found = [t for t in threading.enumerate() if t is not threading.main_thread()]
    return [t.name for t in found if not type(t).__module__.startswith(_MADE_ANEW)]


# --- descriptors -------------------------------------------------------------------------------


def _descriptors() -> list[int]:
    return [int(name) for name in os.listdir("/proc/self/fd")]


def _identity(fd: int) -> tuple[int, int]:
    about = os.fstat(fd)
    return about.st_dev, about.st_ino


def _offsets() -> Offsets:
    found = {}
    for fd in _descriptors():
        with contextlib.suppress(OSError):
            if stat.S_ISREG(os.fstat(fd).st_mode):
                found[fd] = os.lseek(fd, 0, os.SEEK_CUR)
    return found


def _let_go_of(fd: int, keeps_connections: bool) -> None:
    """The number stays taken, so that nothing else gets it. Reading ends, writing fails."""
    mode = os.fstat(fd).st_mode
    if stat.S_ISFIFO(mode):
        read_end, write_end = os.pipe()
        is_written = fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY
        _replace(fd, write_end if is_written else read_end)
        os.close(read_end)
        os.close(write_end)
    elif stat.S_ISSOCK(mode) and (not keeps_connections or _domain(fd) == socket.AF_UNIX):
        end, other = socket.socketpair()
        with end, other:
            _replace(fd, end.fileno())


def _replace(fd: int, other: int) -> None:
    os.dup2(other, fd, inheritable=os.get_inheritable(fd))


def _domain(fd: int) -> int:
    with socket.socket(fileno=os.dup(fd)) as shared:
        return shared.family


# --- connections -------------------------------------------------------------------------------


def _talks() -> dict[int, tuple[int, int]]:
    """Of each TCP connection: how much was said and heard."""
    found = {}
    for fd in _descriptors():
        with contextlib.suppress(OSError, struct.error):
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                found[fd] = _said_and_heard(fd)
    return found


def _said_and_heard(fd: int) -> tuple[int, int]:
    with socket.socket(fileno=os.dup(fd)) as shared:
        info = shared.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    acknowledged, received = struct.unpack_from("=QQ", info, _TCP_BYTES)
    return acknowledged + _count(fd, _SIOCOUTQ), received - _count(fd, termios.FIONREAD)


def _count(fd: int, request: int) -> int:
    count = array.array("i", [0])
    fcntl.ioctl(fd, request, count)
    return count[0]


# --- processes ---------------------------------------------------------------------------------


def _processes_of(session: int) -> set[Process]:
    """Those of a session; 0: of none."""
    found = set()
    for folder in Path("/proc").iterdir() if session else ():
        with contextlib.suppress(OSError, ValueError, IndexError):
            about = (folder / "stat").read_text().rpartition(")")[2].split()
            if folder.name.isdigit() and int(about[3]) == session and about[0] not in "ZX":
                found.add((int(folder.name), about[19]))
    return found
