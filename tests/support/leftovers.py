"""After each test nothing of it is left: no process, mount, cgroup, socket or file.

What lives longer on purpose (a module's kernel, the session's sandboxd) is adopted when it
is made. Temporary files are made in a folder of this run (TMPDIR), and are all counted.
The check reads a few files of /proc: a millisecond or two while nothing is left.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import psutil
import pytest

from support import processes
from support.watch import left_after

DAEMONS_CGROUP = re.compile(r"cellpod-\d+-\d+")
PYTESTS_OWN = ("pytest-of-", "pytest-")


class Snapshot:
    """All that there is of ours at one moment."""

    def __init__(self, root: Path):
        self.processes = set(processes.below(os.getpid()))
        self.mounts = set(Path("/proc/self/mountinfo").read_bytes().splitlines())
        self.files = {entry.path for entry in os.scandir(root)
                      if not entry.name.startswith(PYTESTS_OWN)}
        self.cgroups = cgroups()


class Census:
    """A pytest plugin."""

    def __init__(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="cellpod-tests-", dir="/tmp"))
        self.root.chmod(0o1777)  # other users' programs have their files here too
        self.before = os.environ.get("TMPDIR")
        os.environ["TMPDIR"] = tempfile.tempdir = str(self.root)
        self.runtime: Path | None = None  # of the laboratory: it ends its own sandboxd
        self.seen: set[str] = set()       # every process of ours that was there at a check
        self.sessions: set[int] = set()   # that are meant to stay, whatever they start
        self.adopt()

    @contextmanager
    def keeping_session(self, leader: int) -> Iterator[None]:
        self.sessions.add(leader)
        try:
            yield
        finally:
            self.sessions.remove(leader)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        """What is made for more than one test stays after this one."""
        result = yield
        if fixturedef.scope != "function":
            self.adopt()
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self):
        """What the fixtures have started may be killed by the test."""
        self.note()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self):
        """After all that this test, or the last of its module, has to take down."""
        self.note()
        result = yield
        self.check()
        return result

    def adopt(self) -> None:
        """What is here now is meant to stay after this test."""
        self.kept = Snapshot(self.root)

    def note(self) -> None:
        """Before what runs now is taken down."""
        self.seen |= {cgroup_name(pid) for pid in processes.below(os.getpid())}

    def check(self) -> None:
        now, kept = Snapshot(self.root), self.kept
        left = [f"file {path}" for path in now.files - kept.files]
        left += [f"file {path}" for path in self.left_in_runtime()]
        left += [f"mount {line.split()[4].decode()}" for line in now.mounts - kept.mounts]
        left += self.left_processes(now.processes - kept.processes)
        left += self.left_cgroups(now.cgroups - kept.cgroups)
        self.kept = Snapshot(self.root) if left else now  # a failure is told once
        assert not left, "left behind: " + "; ".join(sorted(left))

    def close(self) -> None:
        tempfile.tempdir = None
        if self.before is None:
            os.environ.pop("TMPDIR", None)
        else:
            os.environ["TMPDIR"] = self.before
        shutil.rmtree(self.root, ignore_errors=True)

    # --- processes ----------------------------------------------------------------------

    def left_processes(self, new: set[int]) -> list[str]:
        strays = [process for process in map(existing, new)
                  if process is not None and not self.is_expected(process)]
        _, alive = psutil.wait_procs(strays, timeout=120) if strays else ((), ())
        return [f"process {processes.describe(process)}" for process in alive]

    def is_expected(self, process: psutil.Process) -> bool:
        """Part of a session or a sandbox that stays, the laboratory's sandboxd, the zygote of one
        that stays."""
        try:
            if os.getsid(process.pid) in self.sessions:
                return True
            parents = process.parents()
            stays = [p for p in parents if p.pid in self.kept.processes]
            in_kept_sandbox = any(processes.is_in_a_sandbox(p.pid) or processes.is_gvisor(p)
                                  for p in stays)
            return in_kept_sandbox or self.is_sandboxd(process) or (
                "zygote.py" in " ".join(process.cmdline())
                and bool(parents)  # it is about to end
                and (parents[0] in stays or self.is_sandboxd(parents[0])))
        except (psutil.NoSuchProcess, FileNotFoundError, ProcessLookupError):
            return True

    def is_sandboxd(self, process: psutil.Process) -> bool:
        command = process.cmdline()
        return (self.runtime is not None and bool(command)
                and command[0].endswith("cellpod-sandboxd")
                and any(str(self.runtime) in word for word in command))

    # --- files, mounts, cgroups -----------------------------------------------------------

    def left_in_runtime(self) -> list[Path]:
        """But for sandboxd's socket and lock."""
        folder = self.runtime and self.runtime / "cellpod"
        if not folder or not folder.is_dir():
            return []
        return [path for path in folder.iterdir() if not path.name.startswith("sandboxd")]

    def left_cgroups(self, new: set[str]) -> list[str]:
        """Those that name a sandboxd of ours: other runs on this machine have theirs. What one
        that was killed has left goes soon after the next one has started (sandbox/resources/cgroup_cleanup.h)."""
        ours = {Path(path) for path in new if self.is_cgroup_of_ours(path)}
        return [f"cgroup {path}" for path in left_after(ours, timeout=10)] if ours else []

    def is_cgroup_of_ours(self, path: str) -> bool:
        """And not of the laboratory's sandboxd, which stays."""
        daemon = existing(daemon_of(path))
        return Path(path).name in self.seen and not (daemon and self.is_sandboxd(daemon))


def existing(pid: int) -> psutil.Process | None:
    try:
        return psutil.Process(pid)
    except psutil.NoSuchProcess:
        return None


@cache
def cgroup_folders() -> list[Path]:
    """Where a sandboxd of ours would make them: our own cgroup in each hierarchy, or above it."""
    folders = []
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        for name in (names.removeprefix("name="), "unified", ""):
            mount = Path("/sys/fs/cgroup", name)
            own = mount / path.lstrip("/")
            if own.is_dir():
                folders += [own, *(p for p in own.parents if p.is_relative_to(mount))]
                break
    return folders


def cgroups() -> set[str]:
    found = set()
    for folder in cgroup_folders():
        with os.scandir(folder) as entries:
            found |= {entry.path for entry in entries
                      if DAEMONS_CGROUP.fullmatch(entry.name)}
    return found


def cgroup_name(pid: int) -> str:
    """What this process, as a sandboxd, would call its group. With the time of its start: other
    runs on this machine have daemons too, and numbers come again."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    return f"cellpod-{pid}-{stat.rpartition(')')[2].split()[19]}"


def daemon_of(cgroup: str) -> int:
    """cellpod-PID-START: whose sandboxes' groups lie below it."""
    return int(Path(cgroup).name.split("-")[1])


def remove_cgroups_of(daemon: int) -> None:
    """In the place of the next sandboxd, where none follows one that was killed."""
    for base in cgroups():
        if daemon_of(base) == daemon:
            for group in [*(path for path in Path(base).iterdir() if path.is_dir()), Path(base)]:
                group.rmdir()
