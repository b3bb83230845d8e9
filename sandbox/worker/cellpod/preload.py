"""What this user's notebooks import, loaded before they ask: in the zygote, once for all.

The names come from sandboxes, so they are wishes of strangers. A module is loaded only if it lies
in this Python's own site-packages, which no sandbox can change, and if a process of its own has
shown that its import is harmless: it ends in time, starts no threads, leaves no descriptor open,
brings in nothing from elsewhere, and fits into the memory that is left.
"""

import ctypes
import importlib
import importlib.machinery
import os
import re
import select
import signal
import site
import sys
import sysconfig
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from . import init, obstacles, shelf, threads

MOST_NAMES = 32
MOST_BYTES = 64  # of a name
PROBE_SECONDS = 30
_SHAPE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*){0,2}", re.ASCII)

# Their threads, or what they have set up, are not there in a fork.
NEVER = {row.module.partition(".")[0] for row in obstacles.TABLE} | {
    "jax", "torch", "tensorflow", "grpc", "ray", "mpi4py", "pyspark",
}  # fmt: skip

_PR_SET_PDEATHSIG = 1
_PAGE = os.sysconf("SC_PAGESIZE")


class Preloads:
    def __init__(self, channel: int, settle: Callable[[], None]) -> None:
        self._channel = channel  # sandboxd's, which nobody else may hold
        self._settle = settle
        self._wanted: list[str] = []
        self._seen: set[str] = set()
        self._left_bytes = 0
        self._probe: _Probe | None = None

    def want(self, names: object, memory_mb: object) -> None:
        """Both as they came. Every name is tried once."""
        if not isinstance(names, list) or not isinstance(memory_mb, int):
            return
        if not self._seen:
            self._left_bytes = memory_mb << 20
        for name in names:
            if is_name(name) and name not in self._seen and len(self._seen) < MOST_NAMES:
                self._seen.add(name)
                self._wanted.append(name)

    def file(self) -> int | None:
        """What to wait for; None: nothing is under way."""
        return self._probe.file if self._probe else None

    def seconds_left(self) -> float | None:
        return max(0.0, self._probe.deadline - time.monotonic()) if self._probe else None

    def leave_to_worker(self) -> None:
        """In a fork for a sandbox. Behind its walls nothing needs to be tried."""
        from . import warm

        warm.then_load([name for name in self._wanted if is_here(name)])

    def begin(self) -> None:
        """A try of the next one, unless one is under way."""
        while self._wanted and self._probe is None:
            name = self._wanted.pop(0)
            if name not in sys.modules and not shelf.holds(name) and is_here(name):
                self._probe = _Probe(name, self._channel)

    def finish(self) -> None:
        """It has ended, or its time is over."""
        if self._probe is None:
            return
        probe, self._probe = self._probe, None
        cost = probe.cost()
        if 0 <= cost <= self._left_bytes:
            self._left_bytes -= cost
            with _as_in_a_sandbox():
                _import(probe.name)
            self._settle()


def is_name(name: object) -> bool:
    return (
        isinstance(name, str)
        and len(name) <= MOST_BYTES
        and _SHAPE.fullmatch(name) is not None
        and name.partition(".")[0] not in NEVER
    )


def is_here(name: str) -> bool:
    """Does it lie in site-packages, whatever else the path of modules leads to?"""
    package = name.partition(".")[0]
    if package in sys.stdlib_module_names:
        return False
    spec = importlib.machinery.PathFinder.find_spec(package, site.getsitepackages())
    return spec is not None and bool(spec.origin) and _lies_in(spec.origin, _site_folders())


def _site_folders() -> list[str]:
    return [os.path.realpath(path) for path in site.getsitepackages()]


def own_folders() -> list[str]:
    """Where modules of this Python lie, and nobody else's."""
    names = ("stdlib", "platstdlib")
    standard = [os.path.realpath(sysconfig.get_path(name)) for name in names]
    zipped = [path for path in sys.path if path.endswith(".zip")]
    return [*standard, *zipped, *_site_folders()]


def _lies_in(path: str, folders: Iterable[str]) -> bool:
    real = os.path.realpath(path)
    return any(real.startswith(folder + "/") for folder in folders)


# Those that Python starts with; others were put there by files named *.pth.
_FOREIGN = [
    each for each in sys.meta_path if not getattr(each, "__module__", "").startswith("_froz")
]


@contextmanager
def only_own_folders() -> Iterator[None]:
    """Modules come from this Python's own folders: files named *.pth may have added any folder,
    such as one that a notebook can write to."""
    path, finders, folders = sys.path[:], sys.meta_path[:], own_folders()
    sys.path[:] = [each for each in path if _is_in(each, folders)]
    sys.meta_path[:] = [each for each in finders if each not in _FOREIGN]
    kept = sys.meta_path[:]
    try:
        yield
    finally:
        gone = [each for each in kept if each not in sys.meta_path]
        new = [each for each in sys.meta_path if each not in kept]
        sys.path[:] = path
        sys.meta_path[:] = [*new, *(each for each in finders if each not in gone)]


def _is_in(path: str, folders: list[str]) -> bool:
    return os.path.realpath(path) in folders or _lies_in(path, folders)


@contextmanager
def _as_in_a_sandbox() -> Iterator[None]:
    """No file in the user's home has a say in what an import does."""
    before = dict(os.environ)
    os.environ["HOME"] = init.HOME
    try:
        with only_own_folders():
            yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _import(name: str) -> None:
    try:
        shelf.load(name)
    except Exception:  # though it has been tried
        traceback.print_exc()


class _Probe:
    """A process that imports it, and says what that has cost."""

    def __init__(self, name: str, channel: int) -> None:
        self.name = name
        self.deadline = time.monotonic() + PROBE_SECONDS
        self.file, end = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.setpgid(0, 0)
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            os.close(channel)
            _answer(name, end)
        os.close(end)
        self._group = pid
        try:
            self._pidfd = os.pidfd_open(pid)
        except ProcessLookupError:  # of a zygote, nobody waits for its children
            self._pidfd = -1

    def cost(self) -> int:
        """Bytes; -1: it must not be loaded."""
        ready = select.select([self.file], [], [], 0)[0]
        said = os.read(self.file, 32) if ready else b""
        os.close(self.file)
        if not said:  # a fork of its own may hang, and would outlive it
            with suppress(ProcessLookupError):
                os.killpg(self._group, signal.SIGKILL)
        if self._pidfd >= 0:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
            os.close(self._pidfd)
        return int(said) if said.isdigit() else -1


def _answer(name: str, end: int) -> NoReturn:
    try:
        os.nice(10)
        before, files, memory = set(sys.modules), _files(), _resident()
        with _as_in_a_sandbox():
            importlib.import_module(name)
        if _is_harmless(before, files):
            os.write(end, b"%d" % max(0, _resident() - memory))
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def _is_harmless(before: set[str], files: set[str]) -> bool:
    if os.fork() == 0:  # what ends its threads before a fork does so now
        os._exit(0)
    with suppress(ChildProcessError):  # where nobody waits, this waits for its end, too
        os.wait()
    threads.settle()
    new = set(sys.modules) - before
    origins = [getattr(sys.modules[name], "__file__", None) for name in new]
    return (
        len(threads.names()) == 1
        and _files() == files
        and not any(name.partition(".")[0] in NEVER for name in new)
        and all(_lies_in(origin, own_folders()) for origin in origins if origin)
    )


def _files() -> set[str]:
    listing = os.open("/proc/self/fd", os.O_RDONLY | os.O_DIRECTORY)
    try:
        return set(os.listdir(listing)) - {str(listing)}
    finally:
        os.close(listing)


def _resident() -> int:
    with open("/proc/self/statm", "rb", buffering=0) as file:
        return int(file.read().split()[1]) * _PAGE
