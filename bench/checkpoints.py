"""What checkpoints cost cells that do not need them, and how fast one is there when it is needed.

Cells in a row are measured with checkpoints and without, one after the other; undo and a death
with much in memory. Nothing here asserts.

    make bench BENCH_FLAGS=checkpoints
"""

from __future__ import annotations

import json
import os
import statistics
import time
from contextlib import contextmanager

from kernels import DEADLINE, milliseconds, run, running, total_pss

CHART = "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2, 4]); plt.title('chart');"
IN_A_ROW = {  # what: a cell, how often
    "`pass`": ("pass", 300),
    "100,000 numbers": ("numbers = [i * i for i in range(100_000)]", 150),
    "a frame": (
        "frame = pandas.DataFrame({'a': range(50_000)}); frame['b'] = frame.a % 7\n"
        "frame.groupby('b').a.mean()",
        100,
    ),
    "a chart": (CHART, 60),
    "a second": ("import time; time.sleep(1)", 5),
}
HELD = {  # what: made by, rounds
    "nothing": ("pass", 100),
    "0.1 GB of floats": ("held = numpy.ones(100_000_000 // 8)", 50),
    "1 GB of floats": ("held = numpy.ones(1_000_000_000 // 8)", 50),
    "4 GB of floats": ("held = numpy.ones(4_000_000_000 // 8)", 20),
    "4 million strings": ("held = [str(i) for i in range(4_000_000)]", 20),
}
MEMORY_MB = 12_000
QUIET = 0.3  # seconds in which a checkpoint is made


@contextmanager
def configured(**resources: int):
    """A kernel of these resources, with the usual imports."""
    path = os.path.join(os.environ["XDG_CONFIG_HOME"], "cellpod", "config.json")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        json.dump({"sandbox": {"resources": resources}}, file)
    with running("cellpod") as client:
        run(client, "import os, numpy")
        yield client


def seconds_in_a_row(code: str, count: int, **resources: int) -> float:
    with configured(**resources) as client:
        run(client, code)
        return milliseconds(lambda: [run(client, code) for _ in range(count)]) / 1000


def measure_in_a_row(rounds: int = 5) -> None:
    print(f"{'cells in a row':34} {'with':>9} {'without':>9}   ratio")
    for what, (code, count) in IN_A_ROW.items():
        on, off = [], []
        for _ in range(rounds):
            on.append(seconds_in_a_row(code, count))
            off.append(seconds_in_a_row(code, count, checkpoints=0))
        ours, theirs = statistics.median(on), statistics.median(off)
        print(
            f"{f'{count} times {what}':34} {ours:7.2f} s {theirs:7.2f} s  {ours / theirs:6.2f}",
            flush=True,
        )


def measure_full_ring() -> None:
    """Of small cells, as they are run by hand."""
    held = []
    for resources in ({}, {"checkpoints": 0}):
        before = total_pss()
        with configured(**resources) as client:
            for number in range(12):
                run(client, f"x{number} = list(range(10_000)); {CHART}")
                time.sleep(QUIET)
            held.append((total_pss() - before) / 1e6)
    print(
        f"{'memory of a kernel, ring full':34} {held[0]:6.0f} MB {held[1]:6.0f} MB  {held[0] / held[1]:6.2f}"
    )


def measure_ways_back() -> None:
    print(f"\n{'from the request to idle':34} {'p50':>9} {'p99':>9}")
    for what, (code, rounds) in HELD.items():
        undone, died = [], []
        with configured(memory_mb=MEMORY_MB) as client:
            run(client, code)
            time.sleep(QUIET)
            for number in range(rounds):
                run(client, f"number = {number}")
                time.sleep(QUIET)
                undone.append(milliseconds(lambda: run(client, "%undo")))
                time.sleep(QUIET)
            for _ in range(rounds):
                died.append(milliseconds(lambda: die(client)))
                time.sleep(QUIET)
        show(f"%undo, {what}", undone)
        show(f"a death, {what}", died)


def die(client) -> None:
    reply = client.execute_interactive("os._exit(1)", timeout=DEADLINE, output_hook=lambda _: None)
    assert reply["content"]["ename"] == "WorkerDied", reply["content"]


def show(what: str, times: list[float]) -> None:
    last = sorted(times)[min(len(times) - 1, int(len(times) * 0.99))]
    print(f"{what:34} {statistics.median(times):6.0f} ms {last:6.0f} ms", flush=True)


def measure_checkpoints() -> None:
    measure_in_a_row()
    measure_full_ring()
    measure_ways_back()
