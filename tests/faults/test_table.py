"""The table of faults: who is struck, how, and what the user sees of it.

Each row is one fault against one process, once while a cell shows numbered outputs and once
between two cells. Whatever happens: what was shown is a beginning of what the cell shows,
each output once and in order; a cell that ends early says why, in a sentence; the next cell
runs; nothing is left behind.
"""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass

import psutil
import pytest

from support import limits, processes
from support.client import START
from support.saves import wait_for_checkpoint
from support.signals import Pause

pytestmark = [pytest.mark.cellpod_only("there is no sandbox behind other kernels"),
              pytest.mark.timeout(900)]

ANOTHERS_UID = 4242
STOP_SECONDS = float(os.environ.get("FAULT_STOP_SECONDS", "0.3"))
COUNT = 60
CELL = (f"for i in range({COUNT}):\n    display({{'text/plain': str(i)}}, raw=True)\n"
        "    time.sleep(0.01)")
GONE = "variables are gone"
KEPT = "The variables are those from after"
KILLED = "killed by SIGKILL"
SILENT = "sandboxd does not answer"


@dataclass
class Row:
    whom: str
    fault: str
    ename: str = ""     # of the cell's error; "": it goes on as if nothing had happened
    sentence: str = ""  # in the notebook
    keeps: bool = True  # the variables

    def __str__(self) -> str:
        return f"{self.whom} {self.fault}"


TABLE = [
    Row("worker", "kill -9", "WorkerDied", KILLED),
    Row("worker", "stop and continue"),
    Row("init", "kill -9", "WorkerDied", KILLED, keeps=False),
    Row("init", "stop and continue"),
    Row("zygote", "kill -9"),
    Row("zygote", "stop and continue"),
    Row("daemon", "kill -9", "SandboxError", SILENT, keeps=False),
    Row("daemon", "terminate", "SandboxError", "sandbox", keeps=False),
    Row("daemon", "stop and continue"),
    Row("kernel", "stop and continue"),
]


def strike(row: Row, pid: int) -> None:
    if row.fault == "stop and continue":
        Pause(pid, ms=int(STOP_SECONDS * 1000)).timer.join()
    else:
        os.kill(pid, signal.SIGTERM if row.fault == "terminate" else signal.SIGKILL)


def until(client, cell: str, kind: str = "status") -> None:
    """The cell has said this; who finishes the cell hears it once more."""
    client.pending["iopub"].append(client.published_for(cell, kind))


def shown(cell) -> list[str]:
    return [text for kind, text in cell.transcript if kind == "display_data"]


def assert_next_cell_works(row: Row, client) -> None:
    cell = client.run("print('kept' in globals())", timeout=START)
    assert cell.stdout == f"{row.keeps}\n" and not cell.stderr


@pytest.mark.parametrize("row", TABLE, ids=str)
def test_while_a_cell_runs(local, row):
    client = local.clients[0]
    wait_for_checkpoint(client)
    below = local.cast.below_daemon()
    cell = client.send_execute(CELL)
    until(client, cell, "display_data")
    strike(row, getattr(local.cast, row.whom))
    done = client.finish(cell, timeout=START)
    expected = [str(i) for i in range(COUNT)]
    if row.ename:
        assert done.content["ename"] == row.ename, done.content
        said = " ".join(done.one("error").content["traceback"])
        assert row.sentence in said, said
        assert row.keeps or GONE in said or "variables are lost" in said or "new sandbox" in said, said
        assert shown(done) == expected[:len(shown(done))]
    else:
        assert done.status == "ok", done.content
        assert shown(done) == expected
    if row.whom == "daemon" and row.ename:
        processes.assert_all_end(below, "what a dead sandboxd ran")
    assert_next_cell_works(row, client)


@pytest.mark.parametrize("row", TABLE, ids=str)
def test_between_two_cells(local, row):
    """The user hears of it at once, below the last cell, and not from a NameError later."""
    client = local.clients[0]
    wait_for_checkpoint(client)
    below = local.cast.below_daemon()
    cell = client.run("print('last')").msg_id
    strike(row, getattr(local.cast, row.whom))
    if row.ename:
        client.wait_for_text(cell, KEPT if row.keeps else GONE)
    if row.whom == "daemon" and row.ename:
        processes.assert_all_end(below, "what a dead sandboxd ran")
    assert_next_cell_works(row, client)


@pytest.mark.parametrize("code", ["pass", CELL, "import time; time.sleep(1000)", "input()"],
                         ids=["idle", "counting", "asleep", "asking"])
def test_a_kernel_that_is_killed_leaves_no_sandbox(local, code):
    """The kernel's sandbox ends; sandboxd, and its zygote, stay for the next one."""
    client, cast = local.clients[0], local.cast
    own = [psutil.Process(pid) for pid in (cast.worker, cast.init)]
    cell = client.send_execute(code, allow_stdin=True)
    client.wait_busy(cell)
    os.kill(local.pid, signal.SIGKILL)
    processes.assert_all_end(own, "the sandbox of a dead kernel")
    assert psutil.pid_exists(cast.daemon) and psutil.pid_exists(cast.zygote)


def test_a_kernel_and_its_sandboxd_killed_at_once(local, start_kernel):
    """And what is left of their control groups goes with the next ones."""
    below = local.cast.below_daemon()
    os.kill(local.cast.daemon, signal.SIGKILL)
    os.kill(local.pid, signal.SIGKILL)
    processes.assert_all_end(below, "what a dead sandboxd ran")
    start_kernel().ready_client().run("pass", timeout=START)


def test_all_are_stopped_and_go_on_in_any_order(local):
    client, cast = local.clients[0], local.cast
    cell = client.send_execute(CELL)
    until(client, cell, "display_data")
    with Pause(cast.worker), Pause(cast.zygote), Pause(cast.init), Pause(cast.kernel):
        with Pause(cast.daemon):
            pass
    done = client.finish(cell)
    assert done.status == "ok" and shown(done) == [str(i) for i in range(COUNT)]


def test_a_worker_out_of_memory_keeps_its_variables(local):
    client = local.clients[0]
    used = psutil.Process(local.cast.worker).memory_info().vms
    client.run(f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({used + (64 << 20)}, -1))")
    done = client.execute("rows = [bytearray(1 << 20) for _ in range(1000)]")
    assert done.content["ename"] == "MemoryError"
    assert client.run("print(kept)").stdout == "1\n"


def test_a_worker_out_of_processes_keeps_its_variables(local):
    client = local.clients[0]
    client.run("import resource; resource.setrlimit(resource.RLIMIT_NPROC, (40, 40))")
    done = client.execute("pids = []\nwhile True:\n    pids.append(os.fork() or os._exit(0))",
                          timeout=START)
    assert done.content["ename"] == "BlockingIOError", done.content
    client.run("for pid in pids: os.waitpid(pid, 0)")
    assert client.run("print(kept)").stdout == "1\n"


@pytest.mark.parametrize("but", [0, 3, 4, 5, 9])
def test_a_daemon_out_of_descriptors_serves_those_it_has(local, start_kernel, but):
    """A second kernel waits or is told, the first one notices nothing; then both work."""
    client, cast = local.clients[0], local.cast
    processes.need_to_look_into(cast.daemon)
    with limits.no_more_files(cast.daemon, but):
        second = start_kernel().ready_client()
        cell = second.send_execute("print('second')")
        until(second, cell)
        for number in range(20):
            assert client.run(f"print({number})").stdout == f"{number}\n"
        spent = psutil.Process(cast.daemon).cpu_times().user
        client.run("time.sleep(0.5)")
        assert psutil.Process(cast.daemon).cpu_times().user - spent < 0.4, "it spins"
    done = second.finish(cell, timeout=START)
    assert done.status == "ok" or "Too many open files" in done.content["evalue"], done.content
    assert second.run("print('second')", timeout=START).stdout == "second\n"
    assert [p.pid for p in cast.below_daemon() if p.pid == cast.zygote], "the zygote was lost"


def test_a_kernel_out_of_descriptors_waits_for_one(local):
    """Its calls need a socket now and then; without one it tries again."""
    client = local.clients[0]
    client.run("kept = 2")
    with limits.no_more_files(local.pid):
        cell = client.send_execute("print(kept)")
        until(client, cell)
    assert client.finish(cell, timeout=START).stdout == "2\n"


def assert_no_new_sandbox(start_kernel, local, sentence: str, remedy: str, cwd=None):
    """The next kernel's user is told why; returns its client. This kernel's notices nothing."""
    second = start_kernel(cwd=cwd).ready_client()
    cell = second.execute("print('second')", timeout=START)
    assert cell.status == "error" and sentence in cell.content["evalue"], cell.content
    assert remedy in " ".join(cell.content["traceback"]), cell.content
    assert local.clients[0].run("print(kept)").stdout == "1\n"
    return second


def test_a_zygote_out_of_processes_says_so(local, start_kernel):
    with limits.no_more_processes(local.cast.zygote):
        second = assert_no_new_sandbox(
            start_kernel, local, "fork into new namespaces: Resource temporarily unavailable",
            "too many processes")
    assert second.run("print('second')", timeout=START).stdout == "second\n"


def test_a_daemon_out_of_processes_says_so(local, start_kernel):
    """What it starts is zygotes, and holders of user namespaces."""
    with limits.no_more_processes(local.cast.daemon):
        zygote = psutil.Process(local.cast.zygote)
        zygote.kill()
        processes.assert_all_end([zygote], "a killed zygote")
        second = assert_no_new_sandbox(
            start_kernel, local, "Resource temporarily unavailable", "too many processes")
    assert second.run("print('second')", timeout=START).stdout == "second\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="ids are mapped by root alone")
def test_a_daemon_that_can_map_no_ids_for_want_of_processes_says_so(local, start_kernel, tmp_path):
    """Whoever owns a folder for the first time needs a user namespace of their own."""
    os.chown(tmp_path, ANOTHERS_UID, ANOTHERS_UID)
    with limits.no_more_processes(local.cast.daemon):
        second = assert_no_new_sandbox(
            start_kernel, local, "make a user namespace: Resource temporarily unavailable",
            "too many processes", cwd=tmp_path)
    assert second.run("print('second')", timeout=START).stdout == "second\n"


@pytest.mark.whole_python  # the other has room to spare in what it has
def test_a_zygote_out_of_memory_says_so(local, start_kernel):
    """Where Linux kills one for it, that is the row `zygote kill -9`."""
    start_kernel().ready_client().run("pass", timeout=START)  # which waits until all is loaded
    with limits.no_more_memory(local.cast.zygote, but=-(64 << 20)):  # it may have given some back
        second = assert_no_new_sandbox(
            start_kernel, local, "Cannot allocate memory", "no memory left")
    assert second.run("print('second')", timeout=START).stdout == "second\n"


def test_a_daemon_out_of_memory_ends_and_says_so_in_its_log(local, laboratory):
    """It does not guess at what it can do without: the cell is told that it is gone."""
    client = local.clients[0]
    below = local.cast.below_daemon()
    with limits.no_more_memory(local.cast.daemon, but=4 << 20):
        done = client.execute("display({'text/plain': 'x' * (20 << 20)}, raw=True)", timeout=START)
    assert done.content["ename"] == "SandboxError" and SILENT in done.content["evalue"], done.content
    assert "cellpod: out of memory" in laboratory.logs()
    processes.assert_all_end(below, "what a dead sandboxd ran")
    assert_next_cell_works(Row("daemon", "out of memory", keeps=False), client)
