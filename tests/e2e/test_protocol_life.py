"""Interrupts, shutdown, restart, signals, and the death of any of the processes."""

import json
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from support import processes
from support.client import NATIVE_LOOP, START, Client
from support.kernel import Laboratory, ManagedKernel, environment
from support.saves import wait_for_checkpoint

# --- interrupts -------------------------------------------------------------------------------


def by_message(kernel, client):
    assert client.request("interrupt_request", channel="control").status == "ok"


def by_signal(kernel, client):
    os.killpg(kernel.pid, signal.SIGINT)


@pytest.fixture(params=[by_message, by_signal], ids=["message", "signal"])
def interrupt(request, kernel, client):
    return lambda: request.param(kernel, client)


BUSY = {
    "sleep": "import time; print('held', flush=True); time.sleep(3000)",
    "loop": "print('held', flush=True)\nwhile True: pass",
    "child": "import subprocess; print('held'); subprocess.run(['sleep', '3000'])",
    "lock": "import threading; print('held', flush=True); threading.Event().wait()",
    "selector": "import socket; a, b = socket.socketpair(); print('held', flush=True); a.recv(1)",
}


@pytest.mark.parametrize("code", BUSY.values(), ids=BUSY.keys())
def test_interrupt(client, interrupt, code):
    msg_id = client.send_execute(code)
    client.wait_for_text(msg_id, "held")
    interrupt()
    reply = client.finish_rest(msg_id)
    assert reply.content["ename"] == "KeyboardInterrupt"
    assert client.run("'next'").types == ["execute_result"]


@pytest.mark.beyond_ipykernel("another thread may take the signal", always=False)
def test_interrupt_await(client, interrupt):
    msg_id = client.send_execute("import asyncio\nprint('held')\nawait asyncio.sleep(3000)")
    client.wait_for_text(msg_id, "held")
    interrupt()
    assert client.finish_rest(msg_id).content["ename"] in ("CancelledError", "KeyboardInterrupt")
    assert client.run("await asyncio.sleep(0); 'next'").types == ["execute_result"]


def test_interrupt_ends_subprocesses_too(client, interrupt, kernel):
    before = set(processes.descendants())
    msg_id = client.send_execute("print('held')\n!sleep 2999")
    client.wait_for_text(msg_id, "held")
    interrupt()
    client.finish_rest(msg_id)
    sleeps = [p for p in set(processes.descendants()) - before
              if "sleep 2999" in processes.describe(p)]
    processes.assert_all_end(sleeps, "the subprocess")


def test_interrupt_can_be_caught(client, interrupt):
    msg_id = client.send_execute("import time\ntry:\n    print('held')\n    time.sleep(3000)\n"
                                 "except KeyboardInterrupt: caught = True")
    client.wait_for_text(msg_id, "held")
    interrupt()
    assert client.finish_rest(msg_id).content["status"] == "ok"
    assert client.value("caught") == "True"


def test_interrupt_aborts_the_queue(client, interrupt):
    msg_id = client.send_execute(BUSY["sleep"])
    client.wait_for_text(msg_id, "held")
    queued = client.send_execute("'never'")
    client.request("kernel_info_request", channel="control")
    interrupt()
    assert client.finish_rest(msg_id).content["status"] == "error"
    assert client.finish(queued).content == {"status": "aborted"}


def test_interrupt_hits_the_running_cell_only(client, interrupt):
    msg_id = client.send_execute(BUSY["sleep"], stop_on_error=False)
    client.wait_for_text(msg_id, "held")
    queued = client.send_execute("'runs'")
    client.request("kernel_info_request", channel="control")
    interrupt()
    assert client.finish_rest(msg_id).content["ename"] == "KeyboardInterrupt"
    assert client.finish(queued).status == "ok"


def test_interrupt_when_idle_does_nothing(client, interrupt, kernel):
    for _ in range(10):
        interrupt()
    by_message(kernel, client)
    assert client.run("sum(range(100_000)); 'untouched'").types == ["execute_result"]


@pytest.mark.beyond_ipykernel("a late interrupt ends the kernel's own wait", always=False)
def test_interrupts_that_race_with_cells(client):
    """Each cell ends, well or interrupted; none takes the blow meant for the one before."""
    for _ in range(50):
        cell = client.send_execute("pass")
        blow = client.send("interrupt_request", channel="control")
        reply = client.finish(cell).content
        assert reply["status"] == "ok" or reply["ename"] == "KeyboardInterrupt"
        client.finish(blow, "control")
        assert client.run("'after'").types == ["execute_result"]


@pytest.mark.beyond_ipykernel("interrupts whatever runs")
def test_interrupt_meant_for_the_kernel_before_a_restart(client):
    """A manager sends one as it restarts a kernel, and it may arrive at the next kernel."""
    msg_id = client.send_execute("print('held'); input()", allow_stdin=True)
    client.wait_for_text(msg_id, "held")
    stale = {"date": "2020-01-01T00:00:00.000000Z"}
    client.request("interrupt_request", channel="control", header=stale)
    client.answer_input("")
    assert client.finish_rest(msg_id).content["status"] == "ok"


@pytest.mark.parametrize("spec", ["under-test-message", "under-test-signal"])
def test_manager_interrupts(start_kernel, spec):
    kernel = start_kernel(spec)
    client = kernel.ready_client()
    msg_id = client.send_execute(BUSY["sleep"])
    client.wait_for_text(msg_id, "held")
    kernel.manager.interrupt_kernel()
    assert client.finish_rest(msg_id).content["ename"] == "KeyboardInterrupt"


@pytest.mark.cellpod_only("ipykernel cannot end native code")
def test_native_code_ends_at_the_second_interrupt(client, kernel):
    client.run("precious = 1")
    msg_id = client.send_execute(NATIVE_LOOP)
    client.wait_for_text(msg_id, "held")
    by_message(kernel, client)
    notice = client.published_for(msg_id, "stream")
    assert "interrupt" in notice.content["text"].lower(), notice
    by_message(kernel, client)
    reply = client.finish_rest(msg_id).content
    assert reply["status"] == "error"
    assert "interrupt" in (reply["evalue"] + " ".join(reply["traceback"])).lower()
    assert client.run("'next'", timeout=START).types == ["execute_result"]


# --- alive while busy ---------------------------------------------------------------------------


def elapsed_ms(action) -> float:
    start = time.monotonic()
    action()
    return (time.monotonic() - start) * 1000


def test_alive_during_a_busy_loop(client, kernel, capsys):
    msg_id = client.send_execute(BUSY["loop"])
    client.wait_for_text(msg_id, "held")
    second = kernel.client()

    def connect_second():
        second.published(lambda m: m.type == "iopub_welcome" or m.parent_id)
        second.request("kernel_info_request", channel="control")

    def end_cell():
        by_message(kernel, client)
        client.finish_rest(msg_id)

    info = elapsed_ms(lambda: client.request("kernel_info_request", channel="control"))
    client.send("kernel_info_request", channel="control")
    connected = elapsed_ms(connect_second)
    beat = elapsed_ms(client.heartbeat)
    ended = elapsed_ms(end_cell)
    with capsys.disabled():
        print(f"\n  during `while True: pass`: kernel_info {info:.1f} ms, second client "
              f"{connected:.1f} ms, heartbeat {beat:.1f} ms, interrupt to idle {ended:.1f} ms")


@pytest.mark.parametrize("msg_type", ["usage_request", "connect_request"])
def test_control_answers_during_a_cell(client, kernel, msg_type):
    msg_id = client.send_execute(BUSY["sleep"])
    client.wait_for_text(msg_id, "held")
    client.request(msg_type, channel="control")
    by_message(kernel, client)
    client.finish_rest(msg_id)


def test_busy_is_said_when_a_request_starts_not_when_it_arrives(client):
    first = client.send_execute("print('held'); input()", allow_stdin=True)
    client.wait_for_text(first, "held")
    second = client.send_execute("pass")
    client.request("kernel_info_request", channel="control")
    assert not [m for m in client.pending["iopub"] if m.parent_id == second]
    client.answer_input("")
    client.finish_rest(first)
    client.finish(second)


# --- shutdown -----------------------------------------------------------------------------------

STATES = {
    "idle": None,
    "in a sleep": BUSY["sleep"],
    "in a loop": BUSY["loop"],
    "in native code": NATIVE_LOOP,
    "in a C loop": "print('held', flush=True)\nsum(range(10**13))",
    "deaf": "import signal, time\nfor s in (signal.SIGINT, signal.SIGTERM):\n"
            "    signal.signal(s, signal.SIG_IGN)\nprint('held', flush=True)\n"
            "while True:\n    try: time.sleep(3000)\n    except BaseException: pass",
    "with children": "import subprocess, os\n[subprocess.Popen(['sleep', '3000'],"
                     " start_new_session=bool(n)) for n in (0, 1)]\nif os.fork() == 0:\n"
                     "    os.setsid()\n    import time; time.sleep(3000)\nprint('held')",
}
NOT_IDLE = pytest.mark.beyond_ipykernel("lives until the cell ends")


@pytest.mark.parametrize("code", [
    pytest.param(code, id=name, marks=NOT_IDLE if name.startswith(("in ", "deaf")) else ())
    for name, code in STATES.items() if name != "with children"])
@pytest.mark.parametrize("restart", [False, True])
def test_shutdown(start_kernel, code, restart):
    kernel = start_kernel()
    client = kernel.ready_client()
    if code:
        client.wait_for_text(client.send_execute(code), "held")
    shut_down(kernel, client, {"restart": restart}, "control", restart)


def shut_down(kernel, client, content: dict, channel: str, restart: bool):
    kernel.note_processes()
    exchange = client.request("shutdown_request", content, channel)
    assert exchange.content == {"status": "ok", "restart": restart}
    copy = exchange.one("shutdown_reply")
    assert copy.content == exchange.content
    assert copy.header["msg_id"] != exchange.reply.header["msg_id"]
    assert copy.idents[0].endswith(b".shutdown")
    assert kernel.wait_exit() == 0


@pytest.mark.cellpod_only("ipykernel leaves what has left its process group")
def test_shutdown_ends_all_children(start_kernel):
    kernel = start_kernel()
    client = kernel.ready_client()
    client.run(STATES["with children"])
    shut_down(kernel, client, {"restart": False}, "control", False)


@pytest.mark.beyond_ipykernel("raises KeyError")
@pytest.mark.parametrize("channel", ["control", "shell"])
def test_shutdown_without_restart_field(start_kernel, channel):
    kernel = start_kernel()
    shut_down(kernel, kernel.ready_client(), {}, channel, False)


@pytest.mark.parametrize("restart", [False, True])
def test_shutdown_on_shell(start_kernel, restart):
    kernel = start_kernel()
    shut_down(kernel, kernel.ready_client(), {"restart": restart}, "shell", restart)


def test_shutdown_before_the_first_cell(start_kernel):
    """The sandbox may still be starting."""
    kernel = start_kernel()
    client = kernel.client()
    client.send("shutdown_request", {"restart": False}, "control")
    assert kernel.wait_exit() == 0


def test_manager_shuts_down(start_kernel):
    kernel = start_kernel()
    kernel.ready_client().run("pass", timeout=START)
    kernel.note_processes()
    kernel.manager.shutdown_kernel()
    assert not kernel.is_alive


# --- restart ------------------------------------------------------------------------------------


@pytest.mark.parametrize("now", [False, True], ids=["asked", "killed"])
@pytest.mark.parametrize("code", [None, BUSY["sleep"]], ids=["idle", "busy"])
def test_restart_on_the_same_ports(start_kernel, now, code):
    kernel = start_kernel()
    client = kernel.ready_client()
    client.run("old = 1", timeout=START)
    if code:
        client.wait_for_text(client.send_execute(code), "held")
    kernel.note_processes()
    old = set(kernel.own) | (processes.sandbox_processes() - start_kernel.before)
    before = kernel.connection
    kernel.restart(now=now)
    assert kernel._connection() == before
    new = kernel.ready_client()
    assert new.run("'old' in globals()", timeout=START).one("execute_result").content["data"][
        "text/plain"] == "False"
    assert new.kernel_session != client.kernel_session
    processes.assert_all_end(old, "the old kernel's processes")


def test_client_lives_through_a_restart(start_kernel):
    """Its sockets reconnect by themselves, and it sees a new kernel session."""
    kernel = start_kernel()
    client = kernel.ready_client()
    client.run("pass", timeout=START)
    kernel.restart()
    client.restarts_allowed = 1
    client.ready()
    assert client.run("1", timeout=START).content["execution_count"] == 1


# --- signals to the kernel ----------------------------------------------------------------------


@pytest.mark.parametrize("code", [None, BUSY["loop"]], ids=["idle", "busy"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["SIGTERM", "SIGKILL"])
@pytest.mark.parametrize("group", [True, False], ids=["group", "process"])
def test_signal_ends_kernel_and_worker(start_kernel, code, number, group):
    """Nothing is left: that is checked when the kernel fixture closes."""
    kernel = start_kernel()
    client = kernel.ready_client()
    client.run("pass", timeout=START)
    if code:
        client.wait_for_text(client.send_execute(code), "held")
    kernel.note_processes()
    (os.killpg if group else os.kill)(kernel.pid, number)
    kernel.wait_exit()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGPIPE], ids=["SIGINT", "SIGPIPE"])
def test_signal_that_does_not_end_an_idle_kernel(start_kernel, number):
    kernel = start_kernel()
    client = kernel.ready_client()
    client.run("kept = 1", timeout=START)
    os.killpg(kernel.pid, number)
    assert client.value("kept") == "1"


LAUNCHER = """
import json, os, sys
from jupyter_client.manager import KernelManager
manager = KernelManager(kernel_name=sys.argv[1])
manager.start_kernel(cwd=sys.argv[2])
print(json.dumps([manager.provisioner.process.pid, manager.connection_file]), flush=True)
sys.stdin.read()
"""


def test_kernel_ends_with_its_launcher(laboratory, connect_to):
    """The server is killed without a chance to shut anything down."""
    before = processes.sandbox_processes()
    launcher = subprocess.Popen([sys.executable, "-c", LAUNCHER, laboratory.kernel_name,
                                 str(laboratory.work)], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, env=environment(), text=True)
    pid, connection_file = json.loads(launcher.stdout.readline())
    connect_to(connection_file).ready().run("pass", timeout=START)
    kernel = psutil.Process(pid)
    sandbox = processes.sandbox_processes() - before
    launcher.kill()
    launcher.communicate()
    os.unlink(connection_file)
    processes.assert_all_end([kernel], "the kernel")
    processes.assert_all_end(sandbox, "its sandbox")


@pytest.fixture
def connect_to():
    clients = []

    def connect(connection_file: str) -> Client:
        with open(connection_file) as file:
            clients.append(Client(json.load(file)))
        return clients[-1]

    yield connect
    for client in clients:
        client.close()


# --- the worker dies ----------------------------------------------------------------------------

DEATHS = {
    "exit": ("import os; os._exit(3)", "3"),
    "killed": ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
    "segfault": ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
    "abort": ("import os; os.abort()", "SIGABRT"),
    "stack": ("import sys; sys.setrecursionlimit(10**9)\nclass A:\n    def __repr__(self):"
              " return repr([self])\nrepr(A())", "SIGSEGV"),
    "in a thread": ("import os, threading\nthreading.Timer(0.1, os._exit, [4]).start()\n"
                    "threading.Event().wait()", "4"),
    "while asking": ("import os, threading\nthreading.Timer(0.1, os._exit, [5]).start()\ninput()",
                     "5"),
}


@pytest.mark.cellpod_only("there is no worker but the kernel itself")
@pytest.mark.parametrize("code, word", DEATHS.values(), ids=DEATHS.keys())
def test_worker_death_takes_only_its_cell(client, code, word):
    client.run("kept = 1")
    wait_for_checkpoint(client)
    msg_id = client.send_execute("kept = 2; print('last words'); input()\n" + code, allow_stdin=True)
    client.answer_input("")
    cell = client.finish(msg_id, timeout=START)
    assert cell.status == "error"
    assert cell.stdout == "last words\n"
    assert cell.one("error").content["ename"] == cell.content["ename"]
    said = cell.content["evalue"] + "\n".join(cell.content["traceback"])
    assert word in said, said
    assert client.value("kept") == "1"


@pytest.mark.cellpod_only("there is no worker but the kernel itself")
def test_worker_death_aborts_the_queue(client):
    dying = client.send_execute("input(); import os; os._exit(1)", allow_stdin=True)
    queued = client.send_execute("'never'")
    client.request("kernel_info_request", channel="control")
    client.answer_input("")
    assert client.finish(dying).status == "error"
    assert client.finish(queued).content == {"status": "aborted"}


@pytest.mark.cellpod_only("there is no worker but the kernel itself")
@pytest.mark.parametrize("request_type", ["complete_request", "inspect_request"])
def test_worker_death_in_another_request_is_answered(client, request_type):
    client.run("import os\nclass Trap:\n    def __dir__(self): os._exit(1)\n"
               "    def __getattr__(self, name): os._exit(1)\ntrap = Trap()")
    exchange = client.request(request_type, {"code": "trap.", "cursor_pos": 5, "detail_level": 0})
    assert exchange.status in ("ok", "error")
    assert client.run("'next'", timeout=START).types == ["execute_result"]


@pytest.mark.cellpod_only("there is no worker but the kernel itself")
def test_worker_death_between_cells(client):
    client.run("import os, threading\nthreading.Timer(0.05, os._exit, [1]).start()")
    client.published(lambda m: m.type == "stream" and m.content["name"] == "stderr")
    assert client.run("'next'", timeout=START).types == ["execute_result"]


def test_forked_children_do_no_harm(client):
    cell = client.run("import os\npid = os.fork()\nif pid == 0:\n    os._exit(0)\n"
                      "os.waitpid(pid, 0)\nprint('parent')")
    assert cell.stdout == "parent\n"


def test_multiprocessing(client):
    cell = client.run("from multiprocessing import get_context\n"
                      "with get_context('fork').Pool(2) as pool:\n    print(pool.map(abs, [-1, -2]))", timeout=30)
    assert "[1, 2]\n" in cell.stdout


# --- where it runs --------------------------------------------------------------------------------


def test_working_directory_is_the_notebooks(client, laboratory):
    (laboratory.work / "from-outside.txt").write_text("hello")
    client.run("import os, pathlib")
    assert client.value("os.getcwd()") == repr(str(laboratory.work))
    assert client.value("pathlib.Path('from-outside.txt').read_text()") == "'hello'"
    client.run("pathlib.Path('from-inside.txt').write_text('hi')")
    written = laboratory.work / "from-inside.txt"
    assert written.read_text() == "hi"
    assert written.stat().st_uid == os.getuid()


def test_notebook_name_is_in_the_namespace(start_kernel):
    client = start_kernel(env={"JPY_SESSION_NAME": "/a/notebook.ipynb"}).ready_client()
    assert client.run("__session__").one("execute_result").content["data"][
        "text/plain"] == "'/a/notebook.ipynb'"


def test_kernels_do_not_share_names(start_kernel):
    one, two = (start_kernel().ready_client() for _ in range(2))
    one.run("shared = 1", timeout=START)
    assert two.execute("shared", timeout=START).content["ename"] == "NameError"


def test_several_kernels_at_once(start_kernel):
    clients = [start_kernel().ready_client() for _ in range(5)]
    sent = [(client, client.send_execute(f"print({n})")) for n, client in enumerate(clients)]
    for n, (client, msg_id) in enumerate(sent):
        assert client.finish(msg_id, timeout=START).stdout == f"{n}\n"


def visible(cell) -> list[str]:
    """What is left to see, once clear_output has had its effect."""
    left: list[str] = []
    for kind in cell.types:
        left = [] if kind == "clear_output" else [*left, kind]
    return [kind for kind in left if kind != "update_display_data"]


def test_the_first_kernel_of_all(kernel_name, laboratory):
    """No sandboxd, no warm Python: it answers before it has a sandbox, and its first cell waits.

    While that takes long, the cell tells the stage; nothing of it stays in the notebook.
    """
    cold = Laboratory(kernel_name)
    try:
        kernel = ManagedKernel(cold)
        try:
            client = kernel.ready_client()
            msg_id = client.send_execute("print('first')")
            info = client.request("kernel_info_request", channel="control")
            cell = client.finish(msg_id, timeout=START)
            assert info.reply.received < cell.reply.received
            assert visible(cell) == ["stdout"] and cell.stdout == "first\n"
        finally:
            kernel.close()
    finally:
        cold.close()
