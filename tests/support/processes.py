"""Processes that a test started: finding them, weighing them, seeing them end."""

import ctypes
import functools
import os
import select
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

PR_SET_CHILD_SUBREAPER = 36


# Of a stand-in cluster. New ones come while a test runs, and what is in them ends with them.
CONTAINERS: set[psutil.Process] = set()


def adopt_orphans() -> None:
    """Whatever our children leave behind becomes our child, so that we can find it."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def status_field(pid: int, name: str) -> str:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        field, _, value = line.partition(":")
        if field == name:
            return value.strip()
    raise KeyError(name)


def is_in_a_sandbox(pid: int) -> bool:
    """Is the process in a pid namespace below ours?"""
    return depth_of(pid) > own_depth()


def depth_of(pid: int) -> int:
    return len(status_field(pid, "NSpid").split())


@functools.cache
def own_depth() -> int:
    return depth_of(os.getpid())


def is_gvisor(process: psutil.Process) -> bool:
    """The kernel of a sandbox under gVisor, whose children stand for the processes in it."""
    return process.cmdline()[:1] == ["runsc-sandbox"]


def below(pid: int) -> list[int]:
    """All descendants. Orphans of ours are our children: we have adopted them."""
    found = []
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []
    for task in tasks:
        try:
            with open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                children = file.read().split()
        except OSError:
            continue
        for child in map(int, children):
            found += [child, *below(child)]
    return found


def descendants(pid: int | None = None) -> list[psutil.Process]:
    return psutil.Process(pid).children(recursive=True)


def of_session(leader: int) -> list[psutil.Process]:
    found = []
    for process in descendants():
        try:
            if os.getsid(process.pid) == leader:
                found.append(process)
        except ProcessLookupError:
            pass
    return found


def sandbox_processes() -> set[psutil.Process]:
    found = set()
    for pid in below(os.getpid()):
        with suppress(FileNotFoundError, ProcessLookupError, psutil.NoSuchProcess):
            if is_in_a_sandbox(pid):
                found.add(psutil.Process(pid))
    return {process for process in found if not is_below(process, CONTAINERS)} if CONTAINERS else found


def is_below(process: psutil.Process, others: set[psutil.Process]) -> bool:
    """A child of theirs, or of such a child; what has ended is."""
    try:
        return not others.isdisjoint(process.parents())
    except psutil.NoSuchProcess:
        return True


def describe(process: psutil.Process) -> str:
    try:
        command = " ".join(process.cmdline())[:120] or process.name()
        return f"{process.pid} [{process.status()}] {command}"
    except psutil.NoSuchProcess:  # or only a zombie of it is left
        return f"{process.pid} [gone]"


def assert_all_end(processes, what: str, timeout: float = 120) -> None:
    _, alive = psutil.wait_procs(list(processes), timeout=timeout)
    assert not alive, f"{what} left running: " + "; ".join(describe(p) for p in alive)


def peak_memory_mb(pid: int) -> float:
    """Peak resident memory since the start, or since forget_peak_memory()."""
    return int(status_field(pid, "VmHWM").split()[0]) / 1024


def forget_peak_memory(pid: int) -> None:
    """Where that is forbidden (sandboxd, for an ordinary user) the peak stays that of its life,
    which is no smaller."""
    try:
        Path(f"/proc/{pid}/clear_refs").write_text("5")
    except PermissionError:
        assert os.getuid() != 0


def need_to_look_into(pid: int) -> None:
    """sandboxd and zygotes hide their descriptors and memory from their own user too."""
    if not os.access(f"/proc/{pid}/fd", os.R_OK):
        assert os.getuid() != 0
        pytest.skip("only root can look into a process that hides")


def mounts() -> set[str]:
    """Mount points that this process sees."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return {line.split()[4] for line in lines}


def has_ended(pidfd: int, seconds: float) -> bool:
    """Waits for it. By poll: select() knows no descriptor over 1023."""
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    return bool(poller.poll(seconds * 1000))
