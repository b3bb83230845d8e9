"""SIGINT: a KeyboardInterrupt in the user's code, and nowhere else. Likewise the signals of
limits: MemoryError, TimeoutError and OSError.

A handler may run between any two bytecodes of the main thread, so the code that sends and
receives holds it off (`held`): an envelope is never torn.
"""

import errno
import os
import signal
from _thread import get_ident
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from types import FrameType, TracebackType

from . import trio_runs

# Sandboxd's words that a limit is near; sandbox/life/supervisor_limits.c has the same numbers.
MEMORY = 37
TIME = 38
WRITES = 39
LIMITS = (MEMORY, TIME, WRITES)

POKE = signal.SIGURG  # ignored by default, so harmless to whatever inherits it


class Phase(Enum):
    IDLE = 0  # ignored
    STARTING = 1  # kept until the code runs
    RUNNING = 2
    ENDING = 3  # too late


class Interrupts:
    def __init__(self, notify: Callable[[], None]) -> None:
        self.phase = Phase.IDLE
        self.held = 0
        self.raise_in_code: Callable[[], None] = _raise
        self.insist_in_code: Callable[[], None] = _nothing
        self._main = get_ident()
        self._notify = notify
        self.pending = False  # one came while held
        self._early = False
        self.memory_mb = 0
        self._limit = 0  # one came while held, or before the code ran
        self.heard = 0  # how many had a handler of ours run

    def start(self) -> None:
        """A request begins."""
        self.phase = Phase.STARTING
        self.held = 0
        self._limit = 0
        self.install()

    def install(self) -> None:
        """User code may have left another handler behind."""
        if signal.getsignal(signal.SIGINT) != self._on_signal:
            signal.signal(signal.SIGINT, self._on_signal)
        for number in LIMITS:
            if signal.getsignal(number) != self._on_limit:
                signal.signal(number, self._on_limit)
        if signal.getsignal(POKE) in (signal.SIG_DFL, None):
            signal.signal(POKE, self._on_poke)

    def poke(self) -> None:
        """From another thread. A SIGINT that arrives just before the main thread goes to
        sleep in a system call is seen only when that returns: let it return."""
        signal.pthread_kill(self._main, POKE)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.heard += 1
        if self.held:
            self.pending = True
        else:
            self._deliver()

    def _on_limit(self, number: int, _frame: FrameType | None) -> None:
        if self.held or self.phase is Phase.STARTING:
            self._limit = number
        elif self.phase is Phase.RUNNING:
            raise self._limit_error(number)

    def _limit_error(self, number: int) -> Exception:
        if number == TIME:
            return TimeoutError("the cell has reached its time limit (resources.cell_seconds)")
        if number == WRITES:
            what = "the cell has reached its limit for writes to disks (resources.cell_write_mb)"
            return OSError(errno.EDQUOT, what)
        amount = f" of {self.memory_mb} MiB" if self.memory_mb else ""
        return MemoryError(
            f"the sandbox's memory{amount} is nearly used up; variables are kept, "
            "so delete what you do not need, or ask for more (resources.memory_mb)"
        )

    def _raise_kept_limit(self) -> None:
        if self._limit and self.phase is Phase.RUNNING:
            number, self._limit = self._limit, 0
            raise self._limit_error(number)

    def hold(self) -> bool:
        """Until release(), which is due if this returned True: it is the main thread."""
        if get_ident() != self._main:
            return False
        self.held += 1
        return True

    @contextmanager
    def held_off(self) -> Iterator[None]:
        """What comes meanwhile hits at the end. For what is answered at once."""
        is_main = self.hold()
        try:
            yield
        finally:
            if is_main:
                self.release()

    def _on_poke(self, _number: int, _frame: FrameType | None) -> None:
        if not self.held and self.phase is Phase.RUNNING:
            self.insist_in_code()

    def release(self) -> None:
        self.held -= 1
        if self.pending and not self.held:
            self.pending = False
            self._deliver()
        if self._limit and not self.held:
            self._raise_kept_limit()

    def _deliver(self) -> None:
        if self.phase is Phase.IDLE:
            return
        self._notify()
        if self.phase is Phase.RUNNING:
            self.raise_in_code()
        elif self.phase is Phase.STARTING:
            self._early = True

    def enter_code(self) -> None:
        self.phase = Phase.RUNNING
        if self._early:
            self._early = False
            self.raise_in_code()
        self._raise_kept_limit()

    def end(self) -> None:
        """The code has run; the reply is still due."""
        self.phase = Phase.ENDING

    def after_fork_in_child(self) -> None:
        self._main = get_ident()
        self.phase = Phase.RUNNING
        self._notify = lambda: None

    def forget(self) -> None:
        """What came was for another process."""
        self.pending = self._early = False
        self._limit = 0

    def finish(self) -> None:
        self.phase = Phase.IDLE
        self._early = False


def _nothing() -> None:
    pass


def _raise() -> None:
    if not trio_runs.takes_interrupt():
        raise KeyboardInterrupt


_HERE = os.path.dirname(__file__)
_ENTRIES = {
    method.__code__
    for method in (
        Interrupts._on_signal, Interrupts._on_limit, Interrupts._on_poke,
        Interrupts.release, Interrupts.enter_code,
    )
}  # fmt: skip


def end_at_what_was_hit(error: BaseException | None) -> None:
    """Cut tracebacks where one of the above comes in: the last line is the user's that was
    interrupted, as with Python's own handler. Also of what was handled meanwhile."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        _cut(error.__traceback__)
        error = error.__cause__ or error.__context__


def _cut(tb: TracebackType | None) -> None:
    hit = None
    while tb:
        code = tb.tb_frame.f_code
        if code in _ENTRIES and hit:
            hit.tb_next = None
            return
        if not code.co_filename.startswith(_HERE):
            hit = tb
        tb = tb.tb_next
