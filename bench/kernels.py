"""What every bench needs: kernels of either kind in folders of their own, and what they hold."""

from __future__ import annotations

import os
import select
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from jupyter_client.manager import KernelManager

DEADLINE = 120


def start(kernel: str, **options):
    manager = KernelManager(kernel_name=kernel)
    manager.start_kernel(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    client = manager.client()
    client.start_channels()
    return manager, client


def stop(manager, client) -> None:
    client.stop_channels()
    manager.shutdown_kernel(now=False)


@contextmanager
def running(kernel: str) -> Iterator:
    manager, client = start(kernel)
    try:
        client.wait_for_ready(timeout=DEADLINE)
        run(client, "import pandas, matplotlib.pyplot")
        yield client
    finally:
        stop(manager, client)


def run(client, code: str) -> list[dict]:
    """Execute, and return all outputs once the kernel is idle again and has replied."""
    outputs: list[dict] = []
    reply = client.execute_interactive(
        code, timeout=DEADLINE, output_hook=outputs.append, allow_stdin=False
    )
    if reply["content"]["status"] != "ok":
        raise RuntimeError(f"{code!r}: {reply['content']}")
    return outputs


def milliseconds(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return (time.perf_counter() - began) * 1000


# --- memory ----------------------------------------------------------------------------------


def daemon_pid() -> int | None:
    """The sandboxd of this run, as the peer of its socket."""
    runtime = Path(os.environ["XDG_RUNTIME_DIR"]) / "cellpod"
    for path in runtime.glob("sandboxd-*.sock"):
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(str(path))
            except OSError:
                continue
            credentials = probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
            return struct.unpack("3i", credentials)[0]
    return None


def children() -> dict[int, list[int]]:
    tree: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                after_name = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            tree.setdefault(int(after_name[1]), []).append(int(entry.name))
    return tree


def total_pss() -> int:
    """Bytes held by this run's kernels, daemon, zygote and sandboxes."""
    return sum(pss(pid) for pid in family())


def family() -> list[int]:
    """This run's kernels, daemon, zygote and sandboxes."""
    tree, found = children(), []
    queue = list(tree.get(os.getpid(), []))
    daemon = daemon_pid()
    if daemon:
        queue.append(daemon)
    while queue:
        pid = queue.pop()
        if pid not in found:
            found.append(pid)
            queue += tree.get(pid, [])
    return found


def pss(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass  # it ended meanwhile
    return 0


# --- surroundings ----------------------------------------------------------------------------


def private_directories(base: str) -> None:
    for name in (
        "XDG_CONFIG_HOME",
        "XDG_RUNTIME_DIR",
        "XDG_STATE_HOME",
        "IPYTHONDIR",
        "JUPYTER_RUNTIME_DIR",
    ):
        path = Path(base) / name.lower()
        path.mkdir(mode=0o700)
        os.environ[name] = str(path)
    workspace = Path(base) / "workspace"
    workspace.mkdir()
    os.chdir(workspace)


def end_daemon() -> None:
    pid = daemon_pid()
    if pid:
        gone = os.pidfd_open(pid)
        os.kill(pid, signal.SIGTERM)
        select.select([gone], [], [], DEADLINE)
        os.close(gone)
