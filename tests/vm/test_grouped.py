"""Where control groups of version 2 can be had: root's machine, and an ordinary user's delegated
subtree. Nothing but a machine of its own shows that; most others here have version 1."""

from pathlib import Path

import psutil
import pytest

from support.client import START
from support.kernel import connection_info
from support.processes import is_in_a_sandbox

ROOT = Path("/sys/fs/cgroup")
MIB = 1 << 20
LIMIT_MB = 256
MARK_MB = LIMIT_MB - LIMIT_MB // 8


@pytest.fixture
def limited(start_kernel):
    kernel = start_kernel.on(connection_info(),
                             arguments=("--memory-mb", str(LIMIT_MB), "--cpus", "0.5"))
    client = kernel.ready_client()
    client.run("pass", timeout=START)
    return client


def group_of(pid: int) -> Path:
    """As version 2 tells it: in one line, when no other hierarchy is mounted."""
    (line,) = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
    return Path(f"{ROOT}{line.removeprefix('0::')}")


def test_the_doctor_says_version_2(doctor):
    status, checks = doctor()
    assert status == 0, checks
    for name in ("memory", "processors"):
        assert checks[name]["status"] == "ok", checks[name]
        assert checks[name]["detail"] == "limited by control groups, version 2"


def test_a_sandbox_is_in_a_group_of_its_own_with_its_limits(limited, laboratory):
    daemon = laboratory.sandboxd()
    sandboxes = {group_of(process.pid) for process in daemon.children(recursive=True)
                 if is_in_a_sandbox(process.pid)}
    own = {path for path in sandboxes if path != group_of(daemon.pid)}
    [group] = [path for path in own if (path / "memory.max").read_text() == f"{LIMIT_MB * MIB}\n"]
    assert (group / "memory.high").read_text() == f"{MARK_MB * MIB}\n"
    assert (group / "cpu.max").read_text() == "50000 100000\n"
    assert group.parent.name.startswith(f"cellpod-{daemon.pid}-")
    assert not list((group.parent / "cgroup.procs").read_text())
    most = int((group.parent / "memory.max").read_text())
    assert most <= psutil.virtual_memory().total / 8 * 7


def test_what_is_cached_of_files_does_not_count(limited):
    """memory.high counts the page cache: the kernel has to take it back, and nobody is told."""
    limited.run("""
block = bytes(1 << 20)
with open("large", "wb") as file:
    for _ in range(400):
        file.write(block)
""", timeout=START)
    read = "sum(len(part) for part in iter(lambda: file.read(1 << 20), b''))"
    cell = limited.run(f"with open('large', 'rb') as file: print({read} >> 20)", timeout=START)
    assert cell.stdout == "400\n"
    limited.run("import os; os.remove('large')")
