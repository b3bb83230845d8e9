"""cellpod against ipykernel: the same clients, one machine, one run, interleaved.

Prints one row a measurement: the median of each kernel and the ratio. Every round measures both
kernels one after the other, so that a machine that slows down slows both. Nothing here asserts.

    make bench                           every row
    make bench BENCH_FLAGS="pass chart"  rows by name
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable

import checkpoints
import hostile
from kernels import (
    DEADLINE,
    end_daemon,
    milliseconds,
    private_directories,
    run,
    running,
    start,
    stop,
    total_pss,
)

KERNELS = ("cellpod", "python3")
CHART = "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2, 4]); plt.title('chart');"


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


OTHERS: dict[str, Callable[[], None]] = {
    "hundred": measure_hundred,
    "checkpoints": checkpoints.measure_checkpoints,
    "hostile": hostile.measure_hostile,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", choices=[[], *ROWS, *OTHERS], help="default: all")
    wanted = parser.parse_args().rows or [*ROWS, *OTHERS]
    base = tempfile.mkdtemp(prefix="cellpod-bench-")
    private_directories(base)
    try:
        with running("cellpod"):  # the daemon is up and its zygote warm
            print(f"{'':34} {'cellpod':>11} {'ipykernel':>11}   ratio   [cellpod's rounds]")
            for name in wanted:
                OTHERS[name]() if name in OTHERS else measure_row(name)
        return 0
    finally:
        end_daemon()
        os.chdir("/")
        shutil.rmtree(base, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
