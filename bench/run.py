"""cellpod against ipykernel: the same clients, one machine, one run, interleaved.

Prints one row a measurement: the median of each kernel and the ratio. Every round measures both
kernels one after the other, so that a machine that slows down slows both. Nothing here asserts.

    make bench                           every row
    make bench BENCH_FLAGS="pass chart"  rows by name
"""

from __future__ import annotations

import argparse
import os
import select
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from jupyter_client.manager import KernelManager

KERNELS = ("cellpod", "python3")
CHART = "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2, 4]); plt.title('chart');"
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


# --- measurements: each yields one number for one kernel ------------------------------------


def until_kernel_info(kernel: str) -> float:
    began = time.perf_counter()
    manager, client = start(kernel)
    try:
        client.kernel_info()
        client.get_shell_msg(timeout=DEADLINE)
        return (time.perf_counter() - began) * 1000
    finally:
        stop(manager, client)


def until_first_chart(kernel: str) -> float:
    began = time.perf_counter()
    manager, client = start(kernel)
    try:
        client.execute(CHART)
        while True:
            message = client.get_iopub_msg(timeout=DEADLINE)
            if "image/png" in message["content"].get("data", {}):
                return (time.perf_counter() - began) * 1000
            if message["msg_type"] == "error":
                raise RuntimeError(message["content"])
    finally:
        stop(manager, client)


def per_cell(code: str, count: int) -> Callable[[str], float]:
    def measure(kernel: str) -> float:
        with running(kernel) as client:
            run(client, code)
            return statistics.median(milliseconds(lambda: run(client, code)) for _ in range(count))

    return measure


def until_interrupted(kernel: str) -> float:
    """From the interrupt of a busy loop to idle, as a client's stop button sends it."""
    manager, client = start(kernel)
    try:
        client.wait_for_ready(timeout=DEADLINE)
        times = []
        for _ in range(10):
            cell = client.execute("print('on')\nwhile True: pass")
            until(client, cell, lambda message: message["msg_type"] == "stream")
            began = time.perf_counter()
            manager.interrupt_kernel()
            until(client, cell, lambda m: m["content"].get("execution_state") == "idle")
            times.append((time.perf_counter() - began) * 1000)
        return statistics.median(times)
    finally:
        stop(manager, client)


def until(client, cell: str, is_it: Callable[[dict], bool]) -> None:
    """That cell has published such a message."""
    while True:
        message = client.get_iopub_msg(timeout=DEADLINE)
        if message["parent_header"].get("msg_id") == cell and is_it(message):
            return


def memory_of_one_more(kernel: str, more: int = 4) -> float:
    """MB that each further kernel costs, all its processes together (PSS)."""
    held = [start(kernel)]
    try:
        prepare(held)
        before = total_pss()
        added = [start(kernel) for _ in range(more)]
        held += added
        prepare(added)
        return (total_pss() - before) / more / 1e6
    finally:
        for manager, client in held:
            stop(manager, client)


def prepare(kernels) -> None:
    for _, client in kernels:
        client.wait_for_ready(timeout=DEADLINE)
        run(client, "import pandas; pandas.DataFrame({'a': [1, 2]}).describe()")


def hundred_at_once(kernel: str, count: int = 100) -> tuple[float, float]:
    """Seconds until all have run a cell, and their memory in GB."""
    began = time.perf_counter()
    before = total_pss()
    held = [start(kernel) for _ in range(count)]
    try:
        for _, client in held:
            client.execute("1 + 1")
        for _, client in held:
            reply = client.get_shell_msg(timeout=DEADLINE)
            assert reply["content"]["status"] == "ok", reply["content"]
        took = time.perf_counter() - began
        return took, (total_pss() - before) / 1e9
    finally:
        for manager, _ in held:
            os.kill(manager.provisioner.pid, signal.SIGTERM)
        for manager, client in held:
            stop(manager, client)


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
    return sum(pss(pid) for pid in found)


def pss(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass  # it ended meanwhile
    return 0


# --- rows ------------------------------------------------------------------------------------

ROWS: dict[str, tuple[str, str, Callable[[str], float], int]] = {
    # name: (what, unit, measurement, rounds)
    "start": ("start to kernel_info_reply", "ms", until_kernel_info, 9),
    "chart-start": ("start to first chart, pool warm", "ms", until_first_chart, 7),
    "pass": ("`pass`, p50", "ms", per_cell("pass", 300), 3),
    "chart": ("a chart cell, p50", "ms", per_cell(CHART, 30), 3),
    "prints": ("100,000 prints", "ms", per_cell("for i in range(100000): print(i)", 5), 3),
    "text": ("64 MiB of text", "ms", per_cell("print('x' * (64 << 20))", 3), 3),
    "interrupt": ("interrupt of a loop to idle, p50", "ms", until_interrupted, 3),
    "memory": ("memory for one more kernel (PSS)", "MB", memory_of_one_more, 3),
}


def measure_row(name: str) -> None:
    what, unit, measurement, rounds = ROWS[name]
    values: dict[str, list[float]] = {kernel: [] for kernel in KERNELS}
    for _ in range(rounds):
        for kernel in KERNELS:
            values[kernel].append(measurement(kernel))
    ours, theirs = (statistics.median(values[kernel]) for kernel in KERNELS)
    spread = " ".join(f"{value:.1f}" for value in sorted(values["cellpod"]))
    print(
        f"{what:34} {ours:8.1f} {unit:2} {theirs:8.1f} {unit:2}  {ours / theirs:6.2f}   [{spread}]",
        flush=True,
    )


def measure_hundred() -> None:
    seconds, gigabytes = hundred_at_once("cellpod")
    print(f"{'100 kernels at once, all ready':34} {seconds:8.1f} s  {gigabytes:8.2f} GB")


def private_directories(base: str) -> None:
    for name in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "IPYTHONDIR", "JUPYTER_RUNTIME_DIR"):
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", choices=[[], *ROWS, "hundred"], help="default: all")
    wanted = parser.parse_args().rows or [*ROWS, "hundred"]
    base = tempfile.mkdtemp(prefix="cellpod-bench-")
    private_directories(base)
    try:
        with running("cellpod"):  # the daemon is up and its zygote warm
            print(f"{'':34} {'cellpod':>11} {'ipykernel':>11}   ratio   [cellpod's rounds]")
            for name in wanted:
                measure_hundred() if name == "hundred" else measure_row(name)
        return 0
    finally:
        end_daemon()
        os.chdir("/")
        shutil.rmtree(base, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
