"""Attempts through sandboxd's HTTP API: the real worker behind its walls, and liars."""

import sys

import pytest

from sandboxd_client import Daemon, starting


@pytest.fixture(scope="module")
def daemon():
    with starting(Daemon) as start:
        yield start(CELLPOD_PYTHON=sys.executable)


class Notebook:
    """Requests one after the other, and what came of each."""

    def __init__(self, daemon, **claim):
        self.sandbox = daemon.claim(**claim)
        self.events = self.sandbox.ready()

    def ask(self, kind: str, **content):
        """The events of the request, its end last."""
        request = self.sandbox.request(kind, content)
        return self.until_end(request)

    def until_end(self, request: str):
        events = []
        for event in self.events:
            if event.parent == request:
                events.append(event)
                if event.type.endswith("_reply") or event.type == "worker_exited":
                    return events
        raise EOFError("the stream has ended")

    def run(self, code: str) -> str:
        """What it prints."""
        events = self.ask("execute_request", code=code)
        assert events[-1].json["status"] == "ok", events[-1].json
        return text_of(events)

    def end(self, keep: bool) -> bool:
        return self.ask("attempt_end_request", keep=keep)[-1].json["kept"]

    def start(self, code: str, kind: str = "attempt_request") -> str:
        """Returns when it has printed something."""
        request = self.sandbox.request(kind, {"code": f"print('go')\n{code}"})
        for event in self.events:
            if event.type == "stream" and event.parent == request:
                return request
        raise EOFError("the stream has ended")

    def pid(self) -> int:
        return self.sandbox.call("GET")[1]["worker"]["pid"]


def text_of(events) -> str:
    return "".join(e.json["text"] for e in events if e.type == "stream")


@pytest.fixture
def notebook(daemon):
    notebook = Notebook(daemon)
    yield notebook
    notebook.sandbox.call("DELETE")


def test_code_is_checked(notebook):
    notebook.run("import pandas as pd; df = pd.DataFrame({'Profit': [1]})")
    reply = notebook.ask("check_request", code="df['Profitt']", names=["df"], files=[])[-1]
    assert reply.type == "check_reply"
    assert reply.json["problems"] == [{
        "kind": "unknown_column", "line": 1, "message": "df has no column 'Profitt'",
        "nearest": ["Profit"]}]


def test_one_that_was_kept_keeps_its_last_words(notebook):
    """And does not tell again what its predecessor, or itself as an attempt, has told."""
    notebook.run("print('before ' * 100)")
    notebook.ask("attempt_request", code="print('attempt ' * 50)")
    assert notebook.end(keep=True) is True
    assert notebook.run("print('after')") == "after\n"
    events = notebook.ask("execute_request", code="print('last'); import os; os.kill(os.getpid(), 9)")
    assert [e.type for e in events] == ["execute_input", "stream", "worker_exited"]
    assert text_of(events) == "last\n"


def test_one_fails_and_one_is_kept(notebook):
    notebook.run("x = [1]")
    before = notebook.pid()
    events = notebook.ask("attempt_request", code="x.append(2); print(x); 1/0")
    assert [e.type for e in events] == ["stream", "error", "attempt_reply"]
    assert text_of(events) == "[1, 2]\n"
    assert events[-1].json["ename"] == "ZeroDivisionError"
    assert notebook.end(keep=False) is False
    assert notebook.run("print(x)") == "[1]\n"
    assert notebook.pid() != before
    before = notebook.pid()

    assert notebook.ask("attempt_request", code="x.append(3)")[-1].json["status"] == "ok"
    assert notebook.end(keep=True) is True
    assert notebook.run("print(x)") == "[1, 3]\n"
    assert notebook.pid() == before


# Until nobody is there but init and the worker.
ALONE = """
import os, time
while len([p for p in os.listdir('/proc') if p.isdigit()]) > 2: time.sleep(0.001)
print(n)
"""


def test_many_are_kept_and_one_worker_is_left(notebook):
    notebook.run("n = 0")
    before = notebook.sandbox.call("GET", "/usage")[1]["memory_bytes"]
    for _ in range(20):
        assert notebook.ask("attempt_request", code="n += 1")[-1].json["status"] == "ok"
        assert notebook.end(keep=True) is True
    assert notebook.run(ALONE) == "20\n"
    assert notebook.sandbox.call("GET", "/usage")[1]["memory_bytes"] < before + (30 << 20)


@pytest.mark.parametrize("code, sentence", [
    ("import os; os._exit(4)", "The attempt ended by itself, with exit code 4."),
    ("import ctypes; ctypes.string_at(0)",
     "The attempt was killed by SIGSEGV: native code accessed memory that it does not own."),
])
def test_a_death_costs_nothing(notebook, code, sentence):
    notebook.run("x = 1")
    reply = notebook.ask("attempt_request", code=code)[-1].json
    assert (reply["ename"], reply["death"]) == ("WorkerDied", sentence)
    assert notebook.end(keep=True) is False
    assert notebook.run("print(x)") == "1\n"


def test_the_successor_is_watched_as_any_worker(notebook):
    notebook.ask("attempt_request", code="x = 1")
    assert notebook.end(keep=True) is True
    request = notebook.start("import time; time.sleep(100)", "execute_request")
    assert notebook.sandbox.call("POST", "/interrupt", {"request": request})[1]["delivered"]
    assert notebook.until_end(request)[-1].json["ename"] == "KeyboardInterrupt"
    assert notebook.run("print(x)") == "1\n"

    end = notebook.ask("execute_request", code="import os; os.kill(os.getpid(), 11)")[-1]
    assert (end.type, end.json["signal"]) == ("worker_exited", "SIGSEGV")
    assert notebook.events.next().type == "worker_started"
    assert notebook.run("print('x' in globals())") == "False\n"
    notebook.ask("attempt_request", code="y = 1")
    assert notebook.end(keep=True) is True
    assert notebook.run("print(y)") == "1\n"


def test_an_interrupt_ends_an_attempt_only(notebook):
    notebook.run("x = 1")
    request = notebook.start("x = 2\nimport time; time.sleep(10000)")
    assert notebook.sandbox.call("POST", "/interrupt", {"request": request})[1]["delivered"]
    assert notebook.until_end(request)[-1].json["ename"] == "KeyboardInterrupt"
    assert notebook.end(keep=False) is False
    assert notebook.run("print(x)") == "1\n"


@pytest.mark.parametrize("moment", ["running", "waiting", "ending"])
def test_a_restart_ends_both(notebook, moment):
    if moment == "running":
        request = notebook.start("import time; time.sleep(100)")
    else:
        notebook.ask("attempt_request", code="x = 1")
    if moment == "ending":
        request = notebook.sandbox.request("attempt_end_request", {"keep": True})
    assert notebook.sandbox.call("POST", "/restart", {})[0] == 202
    event = notebook.events.next("worker_exited")
    assert event.json["cause"] == "restart"
    if moment == "running":
        assert event.parent == request
    assert notebook.events.next().type == "worker_started"
    assert notebook.run("print('x' in globals())") == "False\n"
    count = "import os; print(sum(name.isdigit() for name in os.listdir('/proc')))"
    while int(notebook.run(count)) > 2:
        pass  # one that was ending is killed, and not gone yet


def test_delete_ends_all(daemon):
    notebook = Notebook(daemon)
    notebook.start("import time; time.sleep(100)")
    assert notebook.sandbox.call("DELETE") == (200, {})


HOSTILE = """
import ctypes, glob, os, re, sys, threading
folder = next(path for path in open("/proc/self/maps").read().split() if "libcellpod-isolate" in path)
library = ctypes.CDLL(folder)
%s
os._exit(0)
"""


@pytest.mark.parametrize("story", [
    "library.pid1_name_successor(1)",
    "library.pid1_name_successor(os.getpid())",
    "library.pid1_name_successor(-7)",
    "library.pid1_name_successor(2**30)",
    # a child of its own, though nobody has asked for an attempt's end
    "child = os.fork()\nif child == 0:\n    import time; time.sleep(100)\n"
    "library.pid1_name_successor(child)",
])
def test_a_hostile_worker_ends_itself_only(notebook, story):
    other = Notebook(notebook.sandbox.daemon)
    other.run("x = 1")
    end = notebook.ask("execute_request", code=HOSTILE % story)[-1]
    assert end.type == "worker_exited"
    assert notebook.events.next().type == "worker_started"
    seen = notebook.run("import os; print(*os.listdir('/proc'))").split()
    assert len([name for name in seen if name.isdigit()]) == 2
    assert other.run("print(x)") == "1\n"
    other.sandbox.call("DELETE")


HOSTILE_ATTEMPTS = {
    # It is killed and not asked, whatever it says.
    "says that it is kept": ("x.append(2)\nshell = get_ipython()\n"
                             "shell.channel.send('attempt_end_reply', shell.channel.running, {'kept': True})"),
    "answers for itself": ("import threading, time\nx.append(2)\nshell = get_ipython()\n"
                           "shell.channel.send('attempt_reply', shell.channel.running, {'status': 'ok'})\n"
                           "while True: time.sleep(100)"),
    "does not end": ("import os, signal\nx.append(2)\nfor n in set(signal.valid_signals()) - {9, 19, 32, 33}:\n"
                     "    signal.signal(n, signal.SIG_IGN)"),
    "names no successor": HOSTILE.replace("os._exit(0)", "") % "x.append(2); child = os.fork() or os._exit(0)",
}


@pytest.mark.parametrize("story", HOSTILE_ATTEMPTS.values(), ids=HOSTILE_ATTEMPTS)
def test_a_hostile_attempt_does_not_decide_that_it_is_kept(notebook, story):
    notebook.run("x = [1]")
    notebook.ask("attempt_request", code=story)
    assert notebook.end(keep=False) is False
    assert notebook.run("print(x)") == "[1]\n"
    assert notebook.run(ALONE.replace("print(n)", "")) == ""


STUBBORN = """
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
print('done', flush=True)
while True: time.sleep(100)
"""

# Who takes the checkpoint's name, or its place, loses everything.
USURPERS = {
    "a child": "child = os.fork()\nif child == 0:\n    while True: time.sleep(100)\n"
               "library.pid1_name_successor(child)",
    "nobody": "library.pid1_name_successor(0)",
}


@pytest.mark.parametrize("story", USURPERS.values(), ids=USURPERS)
@pytest.mark.parametrize("ending", ["", STUBBORN], ids=["ends", "is ended"])
def test_nobody_else_becomes_the_worker(notebook, story, ending):
    code = HOSTILE.replace("os._exit(0)", ending or "os._exit(0)")
    notebook.run("x = 1")
    request = notebook.sandbox.request("attempt_request", {"code": code % f"import time\n{story}"})
    if ending:
        next(e for e in notebook.events if e.type == "stream" and e.parent == request)
        notebook.sandbox.call("POST", "/interrupt", {"request": request})
    events = notebook.until_end(request)
    assert events[-1].type == "worker_exited"
    assert notebook.events.next().type == "worker_started"
    assert notebook.run("print('x' in globals(), 'child' in globals())") == "False False\n"


def test_who_names_itself_is_passed_over(notebook):
    notebook.run("x = [1]")
    story = "x.append(2)\nlibrary.pid1_name_successor(os.getpid())"
    assert notebook.ask("attempt_request", code=HOSTILE % story)[-1].json["ename"] == "WorkerDied"
    assert notebook.run("print(x)") == "[1]\n"


def test_a_checkpoint_that_was_killed_is_missed_in_words(notebook):
    """What is there is worth more than nothing."""
    notebook.run("x = [1]")
    notebook.ask("attempt_request", code="""
import os
x.append(2)
[other] = [int(p) for p in os.listdir('/proc') if p.isdigit() and int(p) not in (1, os.getpid())]
os.kill(other, 9)
while os.path.exists(f'/proc/{other}'): pass
1 / 0""")
    events = notebook.ask("attempt_end_request", keep=False)
    assert "stays changed" in [e.json["message"] for e in events if e.type == "notice"][0]
    assert events[-1].json["kept"] is False
    assert notebook.run("print(x)") == "[1, 2]\n"
    notebook.ask("attempt_request", code="x.append(3); 1 / 0")
    assert notebook.run("print(x)") == "[1, 2]\n"


def test_memory_that_runs_out_in_an_attempt_costs_the_attempt(daemon):
    notebook = Notebook(daemon, resources={"memory_mb": 300})
    notebook.run("import numpy as np; x = np.ones(10 << 20, 'u1')")
    reply = notebook.ask("attempt_request", code="""
held = []
while True:
    try: held.append(np.ones(10 << 20, 'u1'))
    except MemoryError: pass""")[-1].json
    assert (reply["ename"], "memory" in reply["death"]) == ("WorkerDied", True), reply
    assert notebook.end(keep=False) is False
    assert notebook.run("print(x.sum(), 'held' in globals())") == f"{10 << 20} False\n"
    notebook.sandbox.call("DELETE")


# --- an init that lies -------------------------------------------------------------------------
@pytest.fixture
def standin():
    with starting(Daemon) as start:
        yield start()


@pytest.mark.parametrize("fault", ["init-succeeds-unasked", "init-succeeds-by-sandboxd",
                                   "init-succeeds-by-itself", "init-succeeds-without-fd"])
def test_an_init_that_lies_about_a_successor_is_replaced(standin, fault):
    env = {"STANDIN": fault, "SANDBOXD_PID": str(standin.process.pid)}
    sandbox = standin.claim(env=env)
    events = sandbox.ready()
    if fault == "init-succeeds-unasked":
        sandbox.execute("exit 0", "r")
    else:
        sandbox.request("attempt_end_request", {"code": "exit 0", "keep": True})
    assert events.next().type == "worker_exited"
    assert events.next().type == "worker_started"
    assert standin.process.poll() is None
