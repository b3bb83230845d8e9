"""What notebooks cost that nobody uses: processor and memory, of many with full rings of checkpoints.

Processor time and context switches are those of every thread of every process behind them, over a
while in which nothing is asked. Nothing here asserts.

    make bench BENCH_FLAGS=idle
"""

from __future__ import annotations

import os
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

from kernels import family, run, running, total_pss

NOTEBOOKS = 20
CELLS = 12  # more than a ring has checkpoints
QUIET = 0.15  # seconds in which one is made
SETTLE = 3  # after the last one
WHILE = 20  # seconds
TICKS = os.sysconf("SC_CLK_TCK")


def threads(pid: int) -> list[Path]:
    try:
        return list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return []  # it ended meanwhile


def name_of(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        return os.path.basename(words[0].decode()) or Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return "?"


def used() -> dict[tuple[str, str], tuple[int, int]]:
    """Of each thread (its process's name, its own id): clock ticks, and switches."""
    found = {}
    for pid in family():
        for thread in threads(pid):
            try:
                fields = (thread / "stat").read_text().rpartition(")")[2].split()
                lines = (thread / "status").read_text().splitlines()
            except OSError:
                continue
            switches = sum(int(line.split()[1]) for line in lines if "ctxt_switches" in line)
            found[name_of(pid), thread.name] = int(fields[11]) + int(fields[12]), switches
    return found


def measure_idle() -> None:
    before = total_pss()
    with ExitStack() as stack:
        clients = [stack.enter_context(running("cellpod")) for _ in range(NOTEBOOKS)]
        for number in range(CELLS):
            for client in clients:
                run(client, f"x{number} = list(range(10_000))")
            time.sleep(QUIET)
        for client in clients:
            client.hb_channel.pause()  # or it is asked each second
        time.sleep(SETTLE)
        first = used()
        time.sleep(WHILE)
        last = used()
        show(first, last, total_pss() - before)


def show(first: dict, last: dict, pss: int) -> None:
    ticks, switches = Counter(), Counter()
    for key, (spent, switched) in last.items():
        began = first.get(key, (0, 0))
        ticks[key[0]] += spent - began[0]
        switches[key[0]] += switched - began[1]
    print(
        f"{f'{NOTEBOOKS} idle notebooks, rings full':34} {ticks.total() / TICKS:8.2f} s of the processor,"
        f" {switches.total()} switches in {WHILE} s; {pss / 1e6:.0f} MB ({pss / NOTEBOOKS / 1e6:.0f} each)",
        flush=True,
    )
    for name, count in switches.most_common():
        if count:
            print(f"    {name:30} {ticks[name] / TICKS:8.2f} s  {count} switches")
