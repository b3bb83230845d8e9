"""Limits as the daemon keeps them: with real workers, as root and as an ordinary user."""

import os
from pathlib import Path

import psutil
import pytest

from sandboxd_client import Daemon, starting
from support import processes
from support.lean_python import lean_python
from support.watch import left_after

ORDINARY_UID = 54321
LIMIT_MB = 384
NEIGHBOURS = 20

IN_STEPS = "while True: hoard.append(bytearray(4 << 20))"
AT_ONCE = f"import numpy; numpy.ones({2 * LIMIT_MB} << 17).sum()"

WHO = [None, ORDINARY_UID] if os.getuid() == 0 else [None]
NAMES = ["root", "ordinary"] if os.getuid() == 0 else ["ordinary"]


def groups(daemon: Daemon) -> set[Path]:
    """Folders of control groups that this daemon has made."""
    base = f"cellpod-{daemon.process.pid}-"
    return {Path(folder, name) for folder, names, _ in os.walk("/sys/fs/cgroup")
            for name in names if base in os.path.join(folder, name)}


@pytest.fixture
def start():
    daemons = []

    with starting(Daemon) as start:
        def start_one(uid: int | None = None) -> Daemon:
            daemons.append(start(uid=uid, CELLPOD_PYTHON=lean_python("numpy")))
            return daemons[-1]

        yield start_one
    for daemon in daemons:
        assert not groups(daemon)


def printed(sandbox, events, code: str) -> str:
    """What a cell prints; it must succeed."""
    request, text = sandbox.execute(code), ""
    for event in events:
        if event.parent == request and event.type == "stream":
            text += event.json["text"]
        if event.parent == request and event.type == "execute_reply":
            assert event.json["status"] == "ok", event.json
            return text
        assert event.type != "worker_exited", event.json
    raise EOFError


def worker(sandbox) -> int:
    return sandbox.call("GET")[1]["worker"]["pid"]


def brakes(daemon) -> int:
    """How often a cell got MemoryError, by the metrics."""
    connection = daemon.connect()
    connection.request("GET", "/metrics")
    [line] = [line for line in connection.getresponse().read().decode().splitlines()
              if line.startswith("cellpod_memory_brakes_total ")]
    return int(line.split()[1])


@pytest.mark.parametrize("uid", WHO, ids=NAMES)
def test_who_has_no_memory_left_costs_nobody_else_anything(start, uid):
    daemon = start(uid)
    neighbours = []
    for number in range(NEIGHBOURS):
        sandbox = daemon.claim()
        events = sandbox.ready()
        printed(sandbox, events, f"number = {number}")
        neighbours.append((sandbox, events, worker(sandbox)))
    hoarder = daemon.claim(resources={"memory_mb": LIMIT_MB})
    events = hoarder.ready()
    printed(hoarder, events, "kept, hoard = 'kept', []")

    assert brakes(daemon) == 0
    hoarder.execute(IN_STEPS)
    assert events.next("execute_reply").json["ename"] == "MemoryError"
    assert brakes(daemon) == 1
    assert printed(hoarder, events, "hoard.clear(); print(kept)") == "kept\n"
    hoarder.execute(AT_ONCE)
    death = events.next("worker_exited").json
    assert (death["cause"], death["limit_bytes"]) == ("memory", LIMIT_MB << 20)
    assert death["peak_bytes"] > death["limit_bytes"] * 3 / 4
    assert printed(hoarder, events, "print('a fresh worker')") == "a fresh worker\n"

    for number, (sandbox, events, pid) in enumerate(neighbours):
        assert printed(sandbox, events, "print(number)") == f"{number}\n"
        assert worker(sandbox) == pid
    assert daemon.process.poll() is None
    assert psutil.Process(daemon.process.pid).memory_info().rss < 100 << 20


def test_groups_go_with_their_sandboxes_and_those_of_a_killed_daemon_with_the_next(start):
    daemon = start()
    sandbox = daemon.claim()
    sandbox.ready()
    if sandbox.call("GET")[1]["resources"]["memory_by"] != "cgroup":
        pytest.skip("no control groups to be had here")
    its = {path for path in groups(daemon) if path.name == sandbox.id}
    assert its
    sandbox.call("DELETE")
    assert not left_after(its, timeout=10)

    left = daemon.claim()
    left.ready()
    inside = processes.descendants(daemon.process.pid)
    daemon.process.kill()
    daemon.process.wait(10)
    processes.assert_all_end(inside, "a killed daemon's")
    before = groups(daemon)
    assert before
    second, said = daemon.start()
    assert said == "ready"
    assert not left_after(before, timeout=10)
    daemon.process = second


@pytest.mark.parametrize("uid", WHO, ids=NAMES)
def test_two_that_ask_for_nothing_can_both_have_what_they_may(start, uid):
    daemon = start(uid)
    limits = []
    for _ in range(2):
        sandbox = daemon.claim()
        sandbox.ready()
        limits.append(sandbox.call("GET")[1]["resources"]["memory_mb"])
    assert limits[0] == limits[1] > 0
    assert sum(limits) <= psutil.virtual_memory().total / 8 * 7 / (1 << 20)


SHARE_MB = 64  # of LARGER_MB, at once
LARGER_MB = 512
SEND = """
channel, parts = get_ipython().channel, [bytes({mb} << 20)]
for _ in range({times}):
    channel.send("display_data", channel.running, {{"data": {{}}, "metadata": {{}}}}, None, parts)
"""


def test_what_the_daemon_holds_of_a_sandboxs_messages_is_bounded(start):
    daemon = start()
    sandbox = daemon.claim(resources={"memory_mb": LARGER_MB})
    events = sandbox.ready()
    assert printed(sandbox, events, SEND.format(mb=SHARE_MB - 1, times=8) + "print('sent')") == "sent\n"
    status = Path(f"/proc/{daemon.process.pid}/status").read_text()
    most_mb = int(status.split("VmHWM:")[1].split()[0]) >> 10
    assert SHARE_MB < most_mb < 2 * SHARE_MB + 16 + 24  # the newest two, what is kept of others, the daemon


def test_what_is_too_long_for_a_sandbox_is_an_error_of_its_cell(start):
    daemon = start()
    sandbox = daemon.claim(resources={"memory_mb": LARGER_MB})
    events = sandbox.ready()
    sandbox.execute(SEND.format(mb=SHARE_MB + 1, times=1))
    error = events.next("error").json
    assert error["evalue"] == ("an output of 65 MiB, at most 64 MiB can be sent at once, "
                               "an eighth of resources.memory_mb")


def test_who_says_more_than_that_all_the_same_is_ended(start):
    daemon = start()
    sandbox = daemon.claim(resources={"memory_mb": LARGER_MB})
    events = sandbox.ready()
    sandbox.execute(f"get_ipython().channel.most = 1 << 40\n{SEND.format(mb=SHARE_MB + 1, times=1)}")
    death = events.next("worker_exited").json
    assert death["cause"] == "protocol"
    assert printed(sandbox, events, "print('a fresh worker')") == "a fresh worker\n"


def test_more_processors_than_can_be_limited_are_refused_or_limited(start):
    daemon = start()
    status, answer = daemon.call("POST", "/v1/sandboxes",
                                 {"task_id": "cpus", "resources": {"cpus": 0.5}})
    if status == 201:
        [quota] = [path for path in groups(daemon) if path.name == answer["id"]
                   and ((path / "cpu.cfs_quota_us").exists() or (path / "cpu.max").exists())]
        name = "cpu.max" if (quota / "cpu.max").exists() else "cpu.cfs_quota_us"
        assert (quota / name).read_text().split()[0] == "50000"
    else:
        assert "resources.cpus" in answer["error"]["message"]
