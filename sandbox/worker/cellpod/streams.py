"""sys.stdout, sys.stderr and what others write to descriptors 1 and 2, in one order.

`pending` is that order: pieces of text with their stream and request. write() only puts them
there, and keeps them where they survive this process (journal.py). What a subprocess or C code
wrote lies in two pipes; it is moved to `pending` before Python's own next text, so that both
mix as the code made them.

Text leaves when 64 KiB are waiting, before any other message, and from a helper thread: a
moment after the first of it, so that a cell's few lines make one message, then every 40 ms.
The thread also empties the pipes while the main thread is busy elsewhere.
"""

import array
import codecs
import contextlib
import ctypes
import fcntl
import io
import os
import select
import signal
import sys
import termios
from _thread import allocate_lock, start_new_thread
from collections.abc import Callable, Iterator, Sequence
from time import monotonic, perf_counter, sleep
from typing import Any

from . import parents
from .channel import Channel
from .envelope import Request, head
from .interrupts import LIMITS
from .jsonable import dumps_text
from .journal import Journal, Piece
from .watchdog import Watchdog

SEND_AT = 64 << 10  # bytes
MAX_TEXT = 1 << 20  # bytes in one message
QUIET = 0.02  # after this long without a message, flush() sends at once
GATHER = 0.008  # how long the first text waits for company
TICK = 0.04
PIPE_SIZE = 1 << 20
POKES = 3

_WAKING = frozenset({signal.SIGINT, *LIMITS})


class Pipe:
    """The read end of what descriptor 1 or 2 has become."""

    def __init__(self, name: str, target: int, ends: Sequence[int] = ()) -> None:
        self.name = name
        self.fd, write_end = ends or os.pipe()
        with contextlib.suppress(OSError):  # smaller is only slower
            fcntl.fcntl(write_end, fcntl.F_SETPIPE_SZ, PIPE_SIZE)
        os.dup2(write_end, target, inheritable=True)
        os.close(write_end)
        os.set_blocking(self.fd, False)
        self._count = array.array("i", [0])

    def holds(self) -> int:
        """How many bytes wait in the pipe."""
        fcntl.ioctl(self.fd, termios.FIONREAD, self._count)
        return self._count[0]

    def empty(self, journal: Journal) -> None:
        """Move what it holds behind the text that is pending; not what comes meanwhile."""
        left = self.holds()
        while left > 0:
            taken = journal.take(self.fd, self.name, parents.latest())
            left -= taken or left  # others were faster


class Output:
    """All text of this worker, and the thread that sees it off."""

    def __init__(self, channel: Channel, lent: Sequence[int] = ()) -> None:
        """`lent` comes from journal.borrow()."""
        self.channel = channel
        self.pending: list[Piece] = []
        self.journal = Journal(lent[0] if lent else -1, self.pending)
        self.pipes = [Pipe("stdout", 1, lent[1:3]), Pipe("stderr", 2, lent[3:5])]
        self.record: Callable[[str, str], None] = lambda name, text: None
        self.next_send = 0.0
        self.idle = False  # the helper thread sleeps and must be woken
        self._wake: tuple[int, int] | None = None
        self._stopped = allocate_lock()
        self._is_stopping = False
        self._pokes = 0
        self.watchdog = Watchdog()
        self.listener: Any = None  # subshells.Subshells: it reads in the helper thread
        channel.before_send = self.move
        self.stdout = OutStream(self, "stdout", 1)
        self.stderr = OutStream(self, "stderr", 2)

    # --- sending ---------------------------------------------------------------------

    def drain(self) -> None:
        """Move what the pipes hold behind the text that is pending."""
        for pipe in self.pipes:
            pipe.empty(self.journal)

    def move(self) -> None:
        """Send all text; only inside Channel.exclusively()."""
        self.drain()
        pending = self.pending
        if not pending:
            return
        while pending:
            count = len(pending)
            batch = pending[:count]
            del pending[:count]
            for name, request, text in _merge(batch):
                self._send(name, request, text)
        self.journal.forget_said()
        self.next_send = monotonic() + QUIET

    def flush(self) -> None:
        self.channel.exclusively(self.move)

    def _send(self, name: str, request: Request, text: str) -> None:
        if request.beside is None:
            self.record(name, text)
        step = MAX_TEXT if text.isascii() else MAX_TEXT // 4
        for at in range(0, len(text), step):
            part = text[at : at + step] if len(text) > step else text
            before, json = b'{"name":"%s","text":' % name.encode(), dumps_text(part)
            line = head("stream", request.parent, len(before) + len(json) + 1)
            line += b',"kept":%d}\n' % self.journal.say(part)
            self.channel.write([line + before, json, b"}\n"])

    # --- the helper thread -----------------------------------------------------------

    def start(self) -> None:
        """Begin to look after pipes and pending text; again after stop()."""
        if self._wake is None:
            self._wake = os.pipe()
            os.set_blocking(self._wake[1], False)
            self._stopped.acquire()
            start_new_thread(self._run, (self._wake[0],))
        signal.set_wakeup_fd(self._wake[1], warn_on_full_buffer=False)

    def stop(self) -> None:
        """End the thread; returns when it is gone."""
        if self._wake is None:
            return
        read_end, write_end = self._wake
        self._wake = None
        signal.set_wakeup_fd(-1)
        self._is_stopping = True
        with contextlib.suppress(BlockingIOError):  # full: it will look
            os.write(write_end, b"q")  # not its end: who was forked may hold that open
        with self._stopped:
            self._is_stopping = False
            os.close(read_end)
            os.close(write_end)

    def wake(self) -> None:
        self.idle = False
        if self._wake:
            with contextlib.suppress(BlockingIOError):  # full: it will wake up
                os.write(self._wake[1], b"w")

    def _run(self, wake: int) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        poller = select.poll()
        listening = self.listener.fileno() if self.listener else -1
        for fd in (wake, listening, *(pipe.fd for pipe in self.pipes)):
            if fd >= 0:
                poller.register(fd, select.POLLIN)
        try:
            while self._look(poller, wake):
                pass
        finally:
            self._stopped.release()

    def _look(self, poller: select.poll, wake: int) -> bool:
        self.idle = not self.pending and not self._pokes
        ready = [fd for fd, _ in poller.poll(None if self.idle else TICK * 1000)]
        self.idle = False
        if self._pokes:
            self._pokes -= 1
            self.channel.interrupts.poke()
        if self.listener and self.listener.fileno() in ready:
            ready.remove(self.listener.fileno())
            self.listener.read(poller)
        if wake in ready:  # somebody began to write
            if not self._woken(os.read(wake, 64)):
                return False
            sleep(GATHER)
        self.drain()
        if self.journal.waiting() < SEND_AT:
            left = self.next_send + TICK - QUIET - monotonic()
            if ready and left > 0:
                sleep(min(left, TICK / 8))  # let a burst grow
                self.drain()
            if left > TICK / 8 and self.journal.waiting() < SEND_AT:
                return True
        if self.pending:
            self.flush()
        return True

    def _woken(self, message: bytes) -> bool:
        """The wake-up pipe also carries the numbers of signals that have arrived."""
        if not _WAKING.isdisjoint(message):
            self._pokes = POKES
            self._ask_watchdog()
        return bool(message) and not self._is_stopping

    def _ask_watchdog(self) -> None:
        news = self.watchdog.look(self.channel.interrupts.heard)
        if news and self.channel.running:
            self.channel.send("notice", self.channel.running, {"message": news})

    # --- checkpoints -----------------------------------------------------------------

    def after_waking(self) -> None:
        """In a checkpoint: sandboxd has told what was printed before."""
        self.pending.clear()
        self.journal.take_over()

    # --- forks of user code ------------------------------------------------------------

    def after_fork_in_child(self) -> None:
        """The child writes to the pipes; its parent reads them."""
        self.pipes = []
        self.journal.leave()
        self._wake = None
        self.stdout.become_plain(1)
        self.stderr.become_plain(2)
        self.flush = self._flush_plain

    def _flush_plain(self) -> None:
        self.stdout.flush()
        self.stderr.flush()


def _merge(batch: list[Piece]) -> Iterator[Piece]:
    """Join neighbours of the same stream and request."""
    name, request, _ = batch[0]
    texts: list[str] = []
    for piece in batch:
        if piece[0] is not name or piece[1] is not request:
            yield name, request, "".join(texts)
            name, request, _ = piece
            texts = []
        texts.append(piece[2])
    yield name, request, "".join(texts)


class OutStream(io.TextIOBase):
    """What sys.stdout and sys.stderr are in a worker."""

    __module__ = "ipykernel.iostream"  # where click keeps colours

    encoding = "UTF-8"
    errors = "strict"
    line_buffering = False
    mode = "w"

    def __init__(self, output: Output, name: str, fd: int) -> None:
        self.name = f"<{name}>"
        self.buffer = _Buffer(self)
        self._output = output
        self._fd = fd
        self._pid = os.getpid()
        # An attribute, not a method: print() calls this twice for each line.
        self.write = _make_write(output, name)

    def flush(self) -> None:
        """Send now, unless something was sent a moment ago: then the thread will."""
        output = self._output
        if monotonic() > output.next_send:
            output.flush()

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def fileno(self) -> int:
        return self._fd

    def _is_master_process(self) -> bool:
        """What programs ask of ipykernel's stream, private as it is."""
        return os.getpid() == self._pid

    def isatty(self) -> bool:
        return False

    def writable(self) -> bool:
        return True

    def reconfigure(self, **_options: Any) -> None:
        """Accepted, as of a TextIOWrapper; there is nothing to configure."""

    def close(self) -> None:
        """A cell that closes its output would silence all later ones."""

    def become_plain(self, fd: int) -> None:
        """In a forked child: an ordinary stream on an ordinary descriptor."""
        binary = io.BufferedWriter(io.FileIO(fd, "w", closefd=False))
        plain = io.TextIOWrapper(binary, "utf-8", "backslashreplace", line_buffering=True)
        self.write = plain.write
        self.flush = plain.flush


class _Buffer(io.RawIOBase):
    """sys.stdout.buffer: bytes that are text in UTF-8."""

    def __init__(self, stream: OutStream) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        data = bytes(data)
        self._stream.write(self._decoder.decode(data))
        return len(data)

    def flush(self) -> None:
        self._stream.flush()

    def fileno(self) -> int:
        return self._stream.fileno()

    def close(self) -> None:
        """As for the stream."""


def _check_cost(pipe: Pipe) -> float:
    """How long one look at a pipe takes. Nobody can have written to it in less."""
    best = 1.0
    for _ in range(10):
        began = perf_counter()
        pipe.holds()
        best = min(best, perf_counter() - began)
    return best


def _make_write(output: Output, name: str) -> Callable[[str], int]:
    """write() as a closure: the fast path of every print()."""
    put = output.journal.put
    get = parents.current.get
    latest = parents.latest
    out_pipe, err_pipe = output.pipes
    cost = _check_cost(out_pipe)
    ended = 0.0  # the last write

    def write(text: str) -> int:
        nonlocal ended
        if text.__class__ is not str:
            text = _as_str(text)
        if not text:
            return 0
        if monotonic() - ended > cost:
            if out_pipe.holds() or err_pipe.holds():
                output.drain()
        size = put(name, get() or latest(), text)
        if size > SEND_AT:
            output.flush()
        elif output.idle:
            output.wake()
        ended = monotonic()
        return len(text)

    return write


def _as_str(text: Any) -> str:
    if isinstance(text, str):
        return str.__str__(text)
    raise TypeError(f"write() argument must be str, not {type(text).__name__}")


def line_buffer_c_stdio() -> None:
    """C's printf() would hold text back until 4 KiB are there, as it writes to a pipe."""
    libc = ctypes.CDLL(None)
    with contextlib.suppress(ValueError):
        stdout = ctypes.c_void_p.in_dll(libc, "stdout")
        libc.setvbuf(stdout, None, 1, ctypes.c_size_t(0))


def install(output: Output) -> None:
    sys.stdout = sys.__stdout__ = output.stdout
    sys.stderr = sys.__stderr__ = output.stderr
    line_buffer_c_stdio()
