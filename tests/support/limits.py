"""Taking from a running process what it needs, and giving it back."""

from __future__ import annotations

import itertools
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest


@contextmanager
def limited(pid: int, what: int, limit: int) -> Iterator[None]:
    before = resource.prlimit(pid, what)
    resource.prlimit(pid, what, (limit, before[1]))
    try:
        yield
    finally:
        if psutil.pid_exists(pid):
            resource.prlimit(pid, what, before)


def no_more_files(pid: int, but: int = 0):
    """It keeps what is open now, and may open so many."""
    in_use = {int(fd.name) for fd in os.scandir(f"/proc/{pid}/fd")}
    free = (number for number in itertools.count() if number not in in_use)
    return limited(pid, resource.RLIMIT_NOFILE, next(itertools.islice(free, but, None)))


def no_more_memory(pid: int, but: int = 0):
    """It keeps what it has now, and gets so many bytes."""
    return limited(pid, resource.RLIMIT_AS, psutil.Process(pid).memory_info().vms + but)


def no_more_processes(pid: int):
    """It keeps those it has now. Root is above the limit of a user's processes."""
    return limited(pid, resource.RLIMIT_NPROC, 0) if os.getuid() else _full_group(pid)


@contextmanager
def _full_group(pid: int) -> Iterator[None]:
    parent = _group_of_processes()
    group = parent / f"full-{pid}"
    try:
        group.mkdir()
        (group / "cgroup.procs").write_text(str(pid))
        (group / "pids.max").write_text((group / "pids.current").read_text())
    except OSError as error:
        pytest.skip(f"no control group for processes: {error}")
    try:
        yield
    finally:
        for member in (group / "cgroup.procs").read_text().split():
            (parent / "cgroup.procs").write_text(member)
        group.rmdir()


def _group_of_processes() -> Path:
    """Ours, of version 1 or 2."""
    own = Path("/proc/self/cgroup").read_text().splitlines()
    for line in own:
        _, names, path = line.split(":", 2)
        if "pids" in names.split(","):
            return Path(f"/sys/fs/cgroup/pids{path}")
    return Path(f"/sys/fs/cgroup{own[-1].split(':', 2)[2]}")
