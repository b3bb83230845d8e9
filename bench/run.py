"""cellpod against ipykernel, and xeus-python where it can be had: the same clients, one machine, one run, interleaved.

Prints one row a measurement: the median of each kernel and the ratio. Every round measures both
kernels one after the other, so that a machine that slows down slows both. Nothing here asserts.

    make bench                           every row
    make bench BENCH_FLAGS="pass chart"  rows by name
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import checkpoints
import hostile
import idle
import way
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
XEUS = "xpython"  # where bench/run.py is told of its environment
XEUS_ROWS = ("start", "chart-start", "pass", "chart", "displays", "complete", "traceback")
# Not 100,000 prints: it drops messages there, so that the end of the cell never comes.
DISPLAYS = "from IPython.display import display\nfor i in range(2000): display(i)"
RECURSION = "def f(n):\n    return f(n + 1)\nf(0)"
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


def until_first_chart_of_the_day(kernel: str) -> float:
    """No daemon is running: ipykernel has none, so its number is that of any start."""
    end_daemon()
    return until_first_chart(kernel)


def await_preloading(kernel: str, code: str) -> None:
    """The new day's daemon has started, and has loaded what was used: the second kernel has it.
    The first one loads it itself."""
    names = code.removeprefix("import ").split(", ")
    deadline = time.monotonic() + DEADLINE / 4
    with running(kernel):
        while time.monotonic() < deadline:
            with running(kernel) as client:
                shown = run(
                    client,
                    f"import sys; held = sys.modules['cellpod.shelf'].holds\n"
                    f"print(all(map(held, {names})))",
                )
            if any(message["content"].get("text") == "True\n" for message in shown):
                return


def importing(code: str) -> Callable[[str], float]:
    """The import in a new kernel, on the day after another kernel has run it."""
    used: set[str] = set()

    def measure(kernel: str) -> float:
        if kernel not in used:
            used.add(kernel)
            with running(kernel) as client:
                run(client, code)
            if kernel == "cellpod":
                end_daemon()
                await_preloading(kernel, code)
        manager, client = start(kernel)
        try:
            client.wait_for_ready(timeout=DEADLINE)
            return milliseconds(lambda: run(client, code))
        finally:
            stop(manager, client)

    return measure


def per_cell(code: str, count: int) -> Callable[[str], float]:
    def measure(kernel: str) -> float:
        with running(kernel) as client:
            run(client, code)
            return statistics.median(milliseconds(lambda: run(client, code)) for _ in range(count))

    return measure


def per_completion(kernel: str) -> float:
    with running(kernel) as client:
        run(client, "import pandas as pd; frame = pd.DataFrame({'a': [1]})")

        def complete() -> None:
            asked = client.complete("frame.desc", 10)
            while client.get_shell_msg(timeout=DEADLINE)["parent_header"].get("msg_id") != asked:
                pass

        complete()
        return statistics.median(milliseconds(complete) for _ in range(50))


def per_traceback(kernel: str) -> float:
    """Of a recursion without end."""
    with running(kernel) as client:

        def fail() -> None:
            client.execute_interactive(RECURSION, timeout=DEADLINE, output_hook=lambda _: None)

        fail()
        return statistics.median(milliseconds(fail) for _ in range(3))


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
    "cold-start": (
        "start to first chart, no daemon yet",
        "ms",
        until_first_chart_of_the_day,
        7,
    ),
    "import": (
        "`import sklearn, seaborn`, used before",
        "ms",
        importing("import sklearn, seaborn"),
        7,
    ),
    "pass": ("`pass`, p50", "ms", per_cell("pass", 300), 3),
    "chart": ("a chart cell, p50", "ms", per_cell(CHART, 30), 3),
    "prints": ("100,000 prints", "ms", per_cell("for i in range(100000): print(i)", 5), 3),
    "text": ("64 MiB of text", "ms", per_cell("print('x' * (64 << 20))", 3), 3),
    "displays": ("2,000 displays", "ms", per_cell(DISPLAYS, 3), 3),
    "complete": ("completion, p50", "ms", per_completion, 3),
    "traceback": ("a traceback of deep recursion", "ms", per_traceback, 3),
    "interrupt": ("interrupt of a loop to idle, p50", "ms", until_interrupted, 3),
    "memory": ("memory for one more kernel (PSS)", "MB", memory_of_one_more, 3),
}


def measure_row(name: str) -> None:
    what, unit, measurement, rounds = ROWS[name]
    kernels = (*KERNELS, XEUS) if has_xeus() and name in XEUS_ROWS else KERNELS
    values: dict[str, list[float]] = {kernel: [] for kernel in kernels}
    for _ in range(rounds):
        for kernel in kernels:
            values[kernel].append(measurement(kernel))
    ours, theirs, *xeus = (statistics.median(values[kernel]) for kernel in kernels)
    spread = " ".join(f"{value:.1f}" for value in sorted(values["cellpod"]))
    beside = f"{xeus[0]:8.1f} {unit:2}" if xeus else f"{'-':>8}   "
    print(
        f"{what:38} {ours:8.1f} {unit:2} {theirs:8.1f} {unit:2}  {ours / theirs:6.2f}  {beside}"
        f"   [{spread}]",
        flush=True,
    )


def has_xeus() -> bool:
    return "CELLPOD_XEUS" in os.environ


def install_xeus(base: str) -> None:
    """A kernelspec that names its environment's Python in full; the package's own does not."""
    folder = Path(base) / "xeus/kernels" / XEUS
    folder.mkdir(parents=True)
    python = Path(os.environ["CELLPOD_XEUS"]) / "bin/python"
    argv = [str(python), "-m", "xpython_launcher", "-f", "{connection_file}"]
    spec = {"argv": argv, "display_name": XEUS, "language": "python"}
    (folder / "kernel.json").write_text(json.dumps(spec))
    others = os.environ.get("JUPYTER_PATH", "")
    os.environ["JUPYTER_PATH"] = f"{folder.parents[1]}{os.pathsep}{others}"


def measure_hundred() -> None:
    seconds, gigabytes = hundred_at_once("cellpod")
    print(f"{'100 kernels at once, all ready':34} {seconds:8.1f} s  {gigabytes:8.2f} GB")


OTHERS: dict[str, Callable[[], None]] = {
    "hundred": measure_hundred,
    "checkpoints": checkpoints.measure_checkpoints,
    "idle": idle.measure_idle,
    "way": way.measure_way,
    "hostile": hostile.measure_hostile,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", choices=[[], *ROWS, *OTHERS], help="default: all")
    wanted = parser.parse_args().rows or [*ROWS, *OTHERS]
    base = tempfile.mkdtemp(prefix="cellpod-bench-")
    private_directories(base)
    if has_xeus():
        install_xeus(base)
    try:
        with running("cellpod"):  # the daemon is up, and its zygote warm
            pass
        print(
            f"{'':38} {'cellpod':>11} {'ipykernel':>11}   ratio {'xeus':>10}     [cellpod's rounds]"
        )
        for name in wanted:
            OTHERS[name]() if name in OTHERS else measure_row(name)
        return 0
    finally:
        end_daemon()
        os.chdir("/")
        shutil.rmtree(base, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
