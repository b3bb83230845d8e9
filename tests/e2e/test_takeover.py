"""A session outlives a kernel that ends without a shutdown; the notebook's next kernel has it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.client import START, Client
from support.kernel import connection_info
from support.takeover import STEPS, kept, rm, wait_until_kept

pytestmark = pytest.mark.cellpod_only("other kernels keep nothing")

NOTEBOOK = "/notebooks/one.ipynb"
FROM_BEFORE = "cellpod: this is the session from before; its kernel ended at "


@pytest.fixture
def start(start_kernel, laboratory, work):
    def start(*flags: str, notebook: str | None = NOTEBOOK, cwd: Path = work, **options):
        env = {"JPY_SESSION_NAME": notebook} if notebook else {}
        return start_kernel.on(connection_info(), arguments=flags, cwd=cwd,
                               env={**env, **options.pop("env", {})}, **options)

    yield start
    for kernel in start_kernel.kernels:
        if kernel.process.poll() is None:
            kernel.close()
    for sandbox in kept(laboratory):
        rm(sandbox["id"])


def kill(kernel) -> None:
    kernel.process.kill()
    kernel.wait_exit()


@pytest.fixture
def lost(start, laboratory):
    """A session with variables, whose kernel has been killed."""
    def lose(*flags: str, code: str = "x = [1, 2]; text = 'kept'", **options):
        kernel = start(*flags, **options)
        kernel.ready_client().run(code, timeout=START)
        kill(kernel)
        wait_until_kept(laboratory)
        return kernel

    return lose


def test_the_next_kernel_has_the_variables_and_says_since_when(lost, start):
    lost()
    client = start().ready_client()
    first = client.run("print(x, text)", timeout=START)
    assert first.stdout == "[1, 2] kept\n"
    assert first.stderr.startswith(FROM_BEFORE)
    assert "Its variables are here: x, text. %fresh starts afresh" in first.stderr
    assert client.run("x.append(3); print(x)").transcript == [("stdout", "[1, 2, 3]\n")]


def test_a_running_cell_goes_on_and_all_its_lines_are_shown(start, laboratory, step):
    kernel = start()
    client = kernel.ready_client()
    client.run("x = 1", timeout=START)
    cell = client.send_execute(STEPS.format(count=4) + "x = 2")
    step(0)
    client.wait_for_text(cell, "line 0\n")
    kill(kernel)
    wait_until_kept(laboratory)
    step(1)  # nobody is there
    client = start().ready_client()
    first = client.send_execute("print('first', x)")
    client.wait_for_text(first, "line 1\n", START)
    step(2)
    client.wait_for_text(first, "line 2\n")
    step(3)
    client.wait_for_text(first, "line 3\n")
    client.wait_for_text(first, "first 2\n")
    assert client.finish_rest(first).content["status"] == "ok"


def test_nothing_is_doubled_or_missing(start, laboratory, step):
    kernel = start()
    client = kernel.ready_client()
    cell = client.send_execute(STEPS.format(count=3))
    step(0)
    client.wait_for_text(cell, "line 0\n", START)
    kill(kernel)
    wait_until_kept(laboratory)
    step(1)
    step(2)
    first = start().ready_client().run("print('first')", timeout=START)
    assert first.stdout == "line 0\nline 1\nline 2\nfirst\n"
    assert "below is what its last cell has put out." in first.stderr


SERVER = """
import sys
from jupyter_client.manager import KernelManager
manager = KernelManager(kernel_name=sys.argv[1])
manager.start_kernel(cwd=sys.argv[2])
print(manager.connection_file, flush=True)
sys.stdin.read()
"""


def test_the_session_outlives_a_server_that_is_killed(start, laboratory, work, step):
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, laboratory.kernel_name, work], text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
        env={**os.environ, "JPY_SESSION_NAME": NOTEBOOK})
    connection = Path(server.stdout.readline().strip())
    client = Client(json.loads(connection.read_text())).ready()
    cell = client.send_execute("x = 1\n" + STEPS.format(count=3))
    step(0)
    client.wait_for_text(cell, "line 0\n", START)
    server.kill()
    server.communicate()
    connection.unlink()  # a server that is killed leaves it
    client.close()
    wait_until_kept(laboratory)
    step(1)
    client = start().ready_client()
    first = client.send_execute("print('first', x)")
    client.wait_for_text(first, "line 1\n", START)
    step(2)
    client.wait_for_text(first, "line 2\n")
    client.wait_for_text(first, "first 1\n")
    assert client.finish_rest(first).content["status"] == "ok"


def test_a_cell_that_has_ended_meanwhile(start, laboratory, step):
    kernel = start()
    client = kernel.ready_client()
    cell = client.send_execute(STEPS.format(count=2) + "open('done', 'w')\n1/0")
    step(0)
    client.wait_for_text(cell, "line 0\n", START)
    kill(kernel)
    wait_until_kept(laboratory)
    step(1)
    client = start().ready_client()
    first = client.run("print('first')", timeout=START)
    assert first.stdout == "line 0\nline 1\nfirst\n"
    assert first.one("error").content["ename"] == "ZeroDivisionError"
    assert client.run("2").transcript == [("execute_result", "2")]


def test_an_interrupt_is_for_the_cell_that_runs(start, laboratory):
    kernel = start()
    client = kernel.ready_client()
    cell = client.send_execute("x = 1; print('runs', flush=True)\nimport time; time.sleep(600)")
    client.wait_for_text(cell, "runs\n", START)
    kill(kernel)
    wait_until_kept(laboratory)
    client = start().ready_client()
    first = client.send_execute("print('first', x)")
    client.wait_for_text(first, "runs\n", START)
    client.request("interrupt_request", channel="control")
    assert client.published_for(first, "error").content["ename"] == "KeyboardInterrupt"
    client.wait_for_text(first, "first 1\n")
    assert client.finish_rest(first).content["status"] == "ok"


def test_a_cell_that_waits_for_input_asks_the_next_client(start, laboratory):
    kernel = start()
    client = kernel.ready_client()
    client.send_execute("name = input('first? ')", allow_stdin=True)
    client.answer_input("one", START)
    client.send_execute("again = input('second? ')", allow_stdin=True)
    client.receive(("stdin",), lambda m: m.content["prompt"] == "second? ", START)
    kill(kernel)
    wait_until_kept(laboratory)
    client = start().ready_client()
    first = client.send_execute("print(name, again)", allow_stdin=True)
    assert client.answer_input("two", START).content["prompt"] == "second? "
    client.wait_for_text(first, "one two\n")
    assert client.finish_rest(first).content["status"] == "ok"


def test_one_kernel_after_the_other(start, laboratory):
    for number in range(3):
        kernel = start()
        cell = kernel.ready_client().run(f"x = {number} + globals().get('x', 0); print(x)", timeout=START)
        assert cell.stdout.splitlines()[-1] == str((0, 1, 3)[number])  # below what was shown last
        kill(kernel)
        wait_until_kept(laboratory)


def test_a_kernel_that_is_killed_before_its_first_cell_leaves_all(start, laboratory, step):
    kernel = start()
    client = kernel.ready_client()
    cell = client.send_execute(STEPS.format(count=2))
    step(0)
    client.wait_for_text(cell, "line 0\n", START)
    kill(kernel)
    wait_until_kept(laboratory)
    second = start()
    second.ready_client().request("kernel_info_request")
    wait_until_kept(laboratory, 0)
    kill(second)
    wait_until_kept(laboratory)
    step(1)
    first = start().ready_client().run("print('first')", timeout=START)
    assert first.stdout == "line 0\nline 1\nfirst\n"


# --- what starts afresh -------------------------------------------------------------------------
def assert_fresh(kernel) -> None:
    cell = kernel.ready_client().run("print('x' in globals())", timeout=START)
    assert (cell.stdout, FROM_BEFORE in cell.stderr) == ("False\n", False)


ENDS = {
    "shutdown": lambda kernel: kernel.client().send("shutdown_request", {"restart": False}, "control"),
    "restart": lambda kernel: kernel.client().send("shutdown_request", {"restart": True}, "control"),
    "SIGTERM": lambda kernel: kernel.process.send_signal(signal.SIGTERM),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_a_kernel_that_is_shut_down_leaves_nothing(start, laboratory, end):
    kernel = start()
    kernel.ready_client().run("x = 1", timeout=START)
    end(kernel)
    kernel.wait_exit()
    assert kept(laboratory) == []
    assert_fresh(start())


def test_fresh(lost, start, laboratory):
    lost()
    client = start().ready_client()
    cell = client.run("%fresh", timeout=START)
    assert cell.stderr == "cellpod: this is a fresh session.\n"
    assert client.run("print('x' in globals())", timeout=START).stdout == "False\n"
    assert kept(laboratory) == []


def test_fresh_while_the_cell_from_before_runs(start, laboratory):
    kernel = start()
    cell = kernel.ready_client()
    cell.wait_for_text(cell.send_execute("x = 1; print('on', flush=True)\nimport time; time.sleep(600)"),
                       "on\n", START)
    kill(kernel)
    wait_until_kept(laboratory)
    client = start().ready_client()
    client.run("%fresh", timeout=START)
    assert client.run("print('x' in globals())", timeout=START).stdout == "False\n"


def test_of_two_kernels_one_gets_it_and_the_other_is_told(lost, start):
    lost()
    first = start()
    client = first.ready_client()
    assert client.run("print(x)", timeout=START).stdout == "[1, 2]\n"
    cell = start().ready_client().run("print('x' in globals())", timeout=START)
    assert cell.stdout == "False\n"
    assert f"in use by another kernel of this notebook (process {first.pid})" in cell.stderr
    assert client.run("print(x)").stdout == "[1, 2]\n"


def test_a_kernel_that_has_run_nothing_leaves_nothing(start, laboratory):
    kernel = start()
    kernel.ready_client().request("complete_request", {"code": "pri", "cursor_pos": 3}, timeout=START)
    kill(kernel)
    assert_fresh(start())
    assert kept(laboratory) == []


@pytest.mark.parametrize("how", [
    pytest.param({"notebook": None}, id="no name"),
    pytest.param({"flags": ("--keep-minutes", "0")}, id="turned off"),
])
def test_nothing_is_kept(start, laboratory, how):
    flags = how.pop("flags", ())
    kernel = start(*flags, **how)
    kernel.ready_client().run("x = 1", timeout=START)
    kill(kernel)
    assert_fresh(start(*flags, **how))
    assert kept(laboratory) == []


OTHERS = {
    "notebook": {"notebook": "/notebooks/two.ipynb"},
    "folder": {"cwd": Path("/var/tmp")},
    "limits": {"flags": ("--memory-mb", "2048")},
    "network": {"flags": ("--network", "list", "--allow", "pypi.org")},
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_another_does_not_get_it(lost, start, laboratory, other):
    lost()
    other = dict(other)
    assert_fresh(start(*other.pop("flags", ()), **other))
    assert len(kept(laboratory)) == 1
    assert start().ready_client().run("print(x)", timeout=START).stdout == "[1, 2]\n"


def test_rm_ends_what_is_kept(lost, start, laboratory):
    lost()
    rm(wait_until_kept(laboratory)[0]["id"])
    assert kept(laboratory) == []
    assert_fresh(start())


def test_a_cell_that_came_before_the_takeover_runs(start, lost, laboratory):
    """It was named before it was known which names the earlier kernel had used."""
    lost()
    daemon = laboratory.sandboxd()
    daemon.suspend()
    try:
        client = start().ready_client()
        early = client.send_execute("print(x)")
        client.wait_busy(early, timeout=START)
    finally:
        daemon.resume()
    cell = client.reply_to(early, timeout=10)
    assert cell.content["status"] == "ok"
    assert client.run("print(text)").stdout == "kept\n"


def test_what_runs_in_a_subshell_is_the_next_kernels_too(start, laboratory):
    first = start()
    client = first.ready_client()
    client.run("x = 'kept'; import threading; go = threading.Event()", timeout=START)
    reply = client.request("create_subshell_request", channel="control").content
    content = {"code": "print('held', flush=True); go.wait(60); print('late')", "silent": False}
    cell = client.send("execute_request", content, header={"subshell_id": reply["subshell_id"]})
    client.wait_for_text(cell, "held")
    os.kill(first.process.pid, signal.SIGKILL)
    wait_until_kept(laboratory)
    client = start().ready_client()
    refused = client.request("create_subshell_request", channel="control").content
    early = client.finish(client.send("execute_request", {"code": "x", "silent": False},
                                      header={"subshell_id": refused["subshell_id"]}))
    assert "run a cell outside of subshells first" in early.content["evalue"]
    shown = client.send_execute("print(x)")
    client.wait_for_text(shown, "kept", START)
    client.finish_rest(shown, START)
    assert client.request("list_subshell_request", channel="control").content["subshell_id"] == [
        refused["subshell_id"]]
    client.run("go.set()")
    content = {"code": "print('mine')", "silent": False}
    mine = client.send("execute_request", content, header={"subshell_id": refused["subshell_id"]})
    assert client.finish(mine, timeout=START).stdout == "mine\n"
