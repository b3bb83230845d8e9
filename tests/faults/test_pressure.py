"""More than fits: whoever does not read makes the worker wait, and nobody's memory grows.

    FAULT_MEGABYTES=10240 FAULT_DISPLAYS=1000000 tools/run-tests -s tests/faults/test_pressure.py
"""

from __future__ import annotations

import os

import pytest

from support import processes
from support.client import START
from support.signals import Pause

pytestmark = [pytest.mark.cellpod_only("there is no sandboxd behind other kernels"),
              pytest.mark.timeout(3600)]

MEGABYTES = int(os.environ.get("FAULT_MEGABYTES", "150"))
DISPLAYS = int(os.environ.get("FAULT_DISPLAYS", "5000"))
KERNEL_MB, DAEMON_MB = 256, 128  # peaks: queues of 64 and 16 MiB, what is on its way, libraries
LONG = 1800


@pytest.fixture
def peaks(local, capsys):
    """Measured from here to the end of the test, printed, and held against the bounds."""
    for pid in (local.cast.kernel, local.cast.daemon):
        processes.forget_peak_memory(pid)
    yield
    kernel = processes.peak_memory_mb(local.cast.kernel)
    daemon = processes.peak_memory_mb(local.cast.daemon)
    with capsys.disabled():
        print(f"\n  peaks: kernel {kernel:.0f} MB, sandboxd {daemon:.0f} MB")
    assert kernel < KERNEL_MB and daemon < DAEMON_MB


@pytest.fixture
def client(local):
    """The only one, and it takes in little more than it reads."""
    local.clients.pop().close()
    return local.ready_client(backlog=16)


def read(client, cell: str, take) -> None:
    """Each message of the cell, and none is kept."""
    while True:
        message = client.published(lambda m: m.parent_id == cell, LONG)
        if message.state == "idle":
            break
        take(message)
    assert client.reply_to(cell, timeout=LONG).content["status"] == "ok"


@pytest.mark.parametrize("whom", ["nobody", "kernel", "daemon"])
def test_a_flood_of_text_while_one_is_stopped(local, client, peaks, whom):
    cell = client.send_execute(
        f"for i in range({MEGABYTES}):\n    print(f'{{i:08}}' * (1 << 17), end='')")
    client.wait_busy(cell)
    if whom != "nobody":
        Pause(getattr(local.cast, whom), ms=300).timer.join()
    rest, number = "", 0

    def take(message) -> None:
        nonlocal rest, number
        rest += message.content.get("text", "")
        while len(rest) >= 1 << 20:
            assert rest[:1 << 20] == f"{number:08}" * (1 << 17), f"megabyte {number}"
            rest, number = rest[1 << 20:], number + 1

    read(client, cell, take)
    assert (number, rest) == (MEGABYTES, "")


def test_a_flood_of_displays(client, peaks):
    count = 0
    cell = client.send_execute(
        f"for i in range({DISPLAYS}):\n    display({{'text/plain': str(i)}}, raw=True)")

    def take(message) -> None:
        nonlocal count
        if message.type == "display_data":
            assert message.content["data"]["text/plain"] == str(count)
            count += 1

    read(client, cell, take)
    assert count == DISPLAYS


def test_a_display_over_the_limit_costs_nobody_else_anything(local, start_kernel, peaks):
    """300 MB in one message: the cell is told, what it holds stays or its loss is said."""
    client, other = local.clients[0], start_kernel().ready_client()
    other.run("kept = 1", timeout=START)
    cell = client.execute("display({'text/plain': 'x' * (300 << 20)}, raw=True)", timeout=START)
    said = str(cell.content) + cell.stderr
    assert "limit" in said or "large" in said or "bytes" in said, said[:2000]
    assert client.run("print('next')", timeout=START).stdout == "next\n"
    assert other.run("print(kept)").stdout == "1\n"
