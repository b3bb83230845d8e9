"""A client's debugger: debugpy in the sandbox, whose requests do not wait for the cell that runs."""

import contextlib
import itertools
import re
import shutil
import subprocess
import sys
from importlib import metadata

import pytest

from support.client import START
from support.kernel import connection_info

pytestmark = pytest.mark.cellpod_only("what is refused, and how, is cellpod's")

CELL = "def add(a, b):\n    total = a + b\n    return total\nadd(2, 3)"
numbers = itertools.count(1)


@pytest.fixture
def client(start_kernel):
    client = start_kernel().ready_client()
    client.run("1", timeout=START)
    return client


def ask(client, command: str, **arguments) -> dict:
    content = {"type": "request", "seq": next(numbers), "command": command, "arguments": arguments}
    return client.request("debug_request", content, channel="control", timeout=START).content


def attach(client) -> None:
    assert ask(client, "initialize", clientID="test", adapterID="", pathFormat="path",
               linesStartAt1=True, columnsStartAt1=True)["success"]
    assert ask(client, "attach")["success"]


def stop_in(client, code: str = CELL, line: int = 2) -> str:
    """Runs it until the breakpoint; the id of its request."""
    path = ask(client, "dumpCell", code=code)["body"]["sourcePath"]
    points = ask(client, "setBreakpoints", source={"path": path}, breakpoints=[{"line": line}])
    assert points["body"]["breakpoints"][0]["verified"]
    assert ask(client, "configurationDone")["success"]
    cell = client.send_execute(code)
    await_event(client, "stopped")
    return cell


def await_event(client, name: str) -> dict:
    return client.published(lambda m: m.type == "debug_event" and m.content["event"] == name,
                            START).content


def frame(client) -> int:
    return ask(client, "stackTrace", threadId=1)["body"]["stackFrames"][0]["id"]


def resume(client, cell: str):
    assert ask(client, "continue", threadId=1)["success"]
    return client.finish_rest(cell, START).content


def test_a_cell_stops_is_looked_at_and_goes_on(client):
    attach(client)
    cell = stop_in(client)
    assert ask(client, "debugInfo")["body"]["stoppedThreads"]
    frames = ask(client, "stackTrace", threadId=1)["body"]["stackFrames"]
    assert [f["name"] for f in frames] == ["add", "<module>"]
    scopes = ask(client, "scopes", frameId=frame(client))["body"]["scopes"]
    reference = next(s["variablesReference"] for s in scopes if s["name"] == "Locals")
    found = ask(client, "variables", variablesReference=reference)["body"]["variables"]
    assert {v["name"]: v["value"] for v in found} == {"a": "2", "b": "3"}
    assert ask(client, "next", threadId=1)["success"]
    await_event(client, "stopped")
    rich = ask(client, "richInspectVariables", variableName="total", frameId=frame(client))
    assert rich["body"]["data"] == {"text/plain": "5"}
    assert ask(client, "copyToGlobals", srcVariableName="total", dstVariableName="kept",
               srcFrameId=frame(client))["success"]
    assert client.request("kernel_info_request", channel="control").status == "ok"
    assert resume(client, cell)["status"] == "ok"
    assert client.value("kept") == "5"


def test_a_stop_that_is_over_has_no_variables(client):
    """A client may have asked for its scopes before it let the cell go on."""
    client.run("1")
    attach(client)
    cell = stop_in(client)
    assert ask(client, "inspectVariables")["success"]
    scopes = ask(client, "scopes", frameId=frame(client))["body"]["scopes"]
    assert resume(client, cell)["status"] == "ok"
    found = [ask(client, "variables", variablesReference=s["variablesReference"]) for s in scopes]
    assert [answer["body"] for answer in found] == [{"variables": []}] * len(scopes)


def test_an_interrupt_ends_a_cell_that_is_stopped(client):
    attach(client)
    cell = stop_in(client)
    assert client.request("interrupt_request", channel="control").status == "ok"
    assert client.finish_rest(cell, START).content["ename"] == "KeyboardInterrupt"
    assert client.value("1 + 1") == "2"


def test_what_is_said_before_there_is_a_debugger(client):
    client.run("word = 'here'")
    assert ask(client, "debugInfo")["body"]["isStarted"] is False
    assert "word" in [v["name"] for v in ask(client, "inspectVariables")["body"]["variables"]]
    refused = ask(client, "stackTrace", threadId=1)
    assert refused["success"] is False and "initialize" in refused["message"]
    refused = ask(client, "dumpCell")
    assert refused["success"] is False
    unnamed = client.request("debug_request", {"seq": 1}, channel="control").content
    assert unnamed["status"] == "error" and "command" in unnamed["evalue"]


def test_breakpoints_where_there_is_no_code(client):
    attach(client)
    for path in ("/nowhere.py", "", "/etc"):
        assert "success" in ask(client, "setBreakpoints", source={"path": path},
                                breakpoints=[{"line": 10**9}])
    assert ask(client, "setBreakpoints", source=None)["success"] is False
    assert client.value("1 + 1") == "2"


def test_a_client_that_vanishes_leaves_its_cell_to_another(start_kernel):
    kernel = start_kernel()
    first, second = kernel.ready_client(), kernel.ready_client()
    first.run("1", timeout=START)
    attach(first)
    stop_in(first)
    first.close()
    assert ask(second, "debugInfo")["body"]["isStarted"] is True
    joined = ask(second, "initialize", adapterID="")  # a second debugger, of the same session
    assert joined["success"] and joined["body"]["supportsConfigurationDoneRequest"]
    assert ask(second, "continue", threadId=1)["success"]
    assert second.value("1 + 1") == "2"


def test_a_worker_that_ends_answers_who_debugs_it(client):
    attach(client)
    cell = stop_in(client)
    answer = ask(client, "evaluate", expression="__import__('os')._exit(1)", frameId=frame(client))
    assert answer["success"] is False and "has ended" in answer["message"]
    assert client.finish_rest(cell, START).content["status"] == "error"
    assert client.value("1 + 1") == "2"


def test_a_debugpy_that_dies_is_told(client):
    attach(client)
    client.run("import os, signal\n"
               "for pid in filter(str.isdigit, os.listdir('/proc')):\n"
               "    if b'debugpy/adapter' in open(f'/proc/{pid}/cmdline', 'rb').read():\n"
               "        os.kill(int(pid), signal.SIGKILL)")
    await_event(client, "terminated")
    assert ask(client, "debugInfo")["body"]["isStarted"] is False
    assert ask(client, "stackTrace", threadId=1)["success"] is False
    assert client.value("1 + 1") == "2"
    attach(client)  # a new one
    assert resume(client, stop_in(client))["status"] == "ok"


def test_a_worker_that_dies_takes_its_debugger_along(client):
    attach(client)
    assert client.execute("import os; os._exit(3)", START).content["ename"] == "WorkerDied"
    await_event(client, "terminated")
    assert ask(client, "debugInfo")["body"]["isStarted"] is False
    attach(client)
    assert resume(client, stop_in(client))["status"] == "ok"


def test_disconnect_and_again(client):
    for _ in range(2):
        attach(client)
        assert resume(client, stop_in(client))["status"] == "ok"
        assert ask(client, "disconnect")["success"]
        assert ask(client, "debugInfo")["body"]["isStarted"] is False


def test_a_question_ends_the_debugger(start_kernel, tmp_path):
    private = {"XDG_CONFIG_HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    client = start_kernel(env=private).ready_client()
    client.run("import pandas as pd; df = pd.DataFrame({'region': ['a', 'b'], 'profit': [1, 2]})",
               timeout=START)
    attach(client)
    cell = client.execute("%%ask\ntotal profit by region", START)
    assert cell.status == "ok", cell.content
    assert ask(client, "debugInfo")["body"]["isStarted"] is False


@pytest.mark.parametrize("channel", ["shell", "control"])
def test_what_can_be_done_is_said(client, channel):
    info = client.request("kernel_info_request", channel=channel).content
    assert info["supported_features"] == ["kernel subshells", "debugger"]


def test_a_python_without_debugpy_says_so(client):
    """Its module cannot be found, as where it is not installed."""
    client.run("import importlib.util as u; find = u.find_spec\n"
               "u.find_spec = lambda name, *rest: None if name == 'debugpy' else find(name, *rest)")
    for command in ("initialize", "debugInfo", "dumpCell"):
        refused = ask(client, command)
        assert (refused["success"], refused["message"]) == (
            False, "debugpy is not installed in this notebook's Python; install it there to debug cells")
    assert client.value("1 + 1") == "2"


def needed_by(name: str, found: set[str]) -> set[str]:
    """Distributions, itself among them; without what is optional or not installed."""
    with contextlib.suppress(metadata.PackageNotFoundError):
        wanted = metadata.requires(name) or []
        found.add(name)
        for other in (re.match(r"[\w.-]+", one)[0] for one in wanted if "extra ==" not in one):
            if other not in found:
                needed_by(other, found)
    return found


@pytest.fixture
def bare_python(tmp_path):
    """A Python of its own, with what cells need, and no more."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    there, = (tmp_path / "venv/lib").glob("python3*/site-packages")
    for name in needed_by("ipython", needed_by("comm", set())):
        for file in metadata.files(name):
            if ".." not in file.parts:
                (there / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file.locate(), there / file)
    return tmp_path / "venv/bin/python"


def test_where_there_is_no_debugpy_no_client_offers_one(start_kernel, bare_python):
    own = {"CELLPOD_PYTHON": str(bare_python)}
    client = start_kernel.on(connection_info(), env=own).ready_client()
    for _ in ("as it looks from outside", "as it is"):
        info = client.request("kernel_info_request", timeout=START).content
        assert info["supported_features"] == ["kernel subshells"]
        client.run("1", timeout=START)
    assert ask(client, "initialize")["success"] is False
