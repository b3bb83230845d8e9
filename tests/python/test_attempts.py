"""Attempts: what a fork does is kept, or has never been."""

import os
import signal
import socket
import time
from pathlib import Path

import pytest
from driver import Driver

SETUP = """
import numpy as np, pandas as pd, matplotlib.pyplot as plt, random, threading
df = pd.DataFrame({"a": [1, 2, 3]}); array = np.arange(5); nested = {"list": [1, [2]], "set": {3}}
text = "before"; random.seed(7); np.random.seed(7); figure, axes = plt.subplots(); plt.close("all")
class Thing: value = 1
thing = Thing(); handle = open("read.txt"); line = handle.readline(); thing
"""
FINGERPRINT = """
import pickle, hashlib
{name: (id(value), repr(value)) for name, value in list(globals().items())
 if name not in ("In", "Out", "_ih", "_oh", "_dh", "__builtins__") and not name.startswith("_")
} | {"frame": df.to_dict(), "rc": plt.rcParams["figure.dpi"], "figures": plt.get_fignums(),
     "lines": len(axes.lines), "chance": (hash(random.getstate()), np.random.get_state()[1].sum()),
     "thing": (Thing.value, vars(thing)), "at": handle.tell(), "cwd": __import__("os").getcwd(),
     "environment": hash(str(sorted(__import__("os").environ.items()))),
     "path": list(__import__("sys").path), "modules": "wave" in __import__("sys").modules}
"""
CHANGES = """
df["b"] = 1; df.drop(index=0, inplace=True); array[:] = 9; nested["list"][1].append(3)
nested["set"].clear(); text = "after"; del thing.__class__.value; thing.x = 1; new = 1
random.random(); np.random.rand(); plt.rcParams["figure.dpi"] = 33; axes.plot([1]); plt.figure()
handle.read(); import os, sys, wave; os.chdir("/"); os.environ["NEW"] = "1"; sys.path.append("/x")
threading.Thread(target=__import__("time").sleep, args=(100,), daemon=True).start()
"""


@pytest.fixture
def prepared(worker: Driver, cwd: Path) -> Driver:
    (cwd / "read.txt").write_text("one\n" + "two\n" * 10000)
    assert worker.run(SETUP).status == "ok"
    return worker


def state_of(worker: Driver) -> str:
    answer = worker.run(FINGERPRINT, store_history=False)
    assert answer.status == "ok", answer.content
    return answer.result


def children_of(pid: int) -> list[int]:
    return [int(c) for c in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def processes_of(cwd: Path) -> set[int]:
    """Those that live in this test's folder."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(folder / "cwd") == str(cwd):
                found.add(int(folder.name))
        except OSError:
            continue
    return found


def wait_until(condition) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, "it never came to be"
        time.sleep(0.01)


def wait_for_text(worker: Driver, text: str) -> None:
    seen = ""
    while text not in seen:
        seen += worker.receive().content.get("text", "")


# --- not kept ---------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "end, name",
    [
        ("1/0", "ZeroDivisionError"),
        ("print('done')", None),
        ("os._exit(3)", "WorkerDied"),
        ("os.kill(os.getpid(), 9)", "WorkerDied"),
        ("import ctypes; ctypes.string_at(0)", "WorkerDied"),
        ("sys.exit()", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("os.closerange(3, 200); print('who hears?')", "WorkerDied"),
    ],
)
def test_nothing_is_left_of_one_that_is_not_kept(prepared, end, name):
    before = state_of(prepared)
    answer = prepared.attempt(f"{CHANGES}\n{end}")
    assert answer.content.get("ename") == name
    assert prepared.end_attempt(keep=False) == {"status": "ok", "kept": False}
    assert state_of(prepared) == before
    assert children_of(prepared.pid) == []
    assert prepared.run("handle.readline()").result == "'two\\n'"


def test_outputs_are_those_of_a_cell(prepared):
    code = "print('x'); display(1); plt.plot([1, 2]); plt.show(); 7"
    cell, attempt = prepared.run(code, store_history=False), prepared.attempt(code)
    assert [t for t in cell.types if t != "execute_input"] == attempt.types
    assert attempt.pngs == cell.pngs
    assert len(attempt.pngs) == 1
    assert attempt.result == cell.result == "7"
    assert attempt.content.keys() == cell.content.keys()
    assert attempt.reply.type == "attempt_reply"
    assert attempt.reply.metadata.keys() == cell.reply.metadata.keys()


@pytest.mark.parametrize(
    "code, sentence",
    [
        ("os._exit(3)", "The attempt ended by itself, with exit code 3."),
        ("os.kill(os.getpid(), 9)",
         "The attempt was killed by SIGKILL: most often because memory ran out."),
        ("os.abort()", "The attempt was killed by SIGABRT: native code gave up."),
    ],
)  # fmt: skip
def test_a_death_is_told_after_its_last_words(worker: Driver, code, sentence):
    answer = worker.attempt(f"import os\nprint('hello'); os.system('echo shell'); print()\n{code}")
    assert answer.everything.startswith("hello\n")  # what was sent before it died
    assert (answer.content["ename"], answer.content["evalue"]) == ("WorkerDied", sentence)
    assert answer.content["death"] == sentence
    if "exit" in code:
        assert answer.everything == "hello\nshell\n\n"
    assert worker.end_attempt(keep=True) == {"status": "ok", "kept": False}
    assert worker.run("1").result == "1"


def test_half_an_envelope_is_not_heard(worker: Driver):
    code = """
import os, threading, time
threading.Thread(target=lambda: (time.sleep(0.05), os.kill(os.getpid(), 9))).start()
while True: print("x" * 200_000)
"""
    for _ in range(5):
        assert worker.attempt(code).content["ename"] == "WorkerDied"
    assert worker.run("print('whole')").text() == "whole\n"


def test_any_other_request_drops_it(worker: Driver):
    worker.run("x = 1")
    worker.attempt("x = 2")
    assert worker.run("x").result == "1"
    worker.attempt("x = 3")
    worker.attempt("x += 3; y = 1")
    assert worker.ask("complete_request", {"code": "x", "cursor_pos": 1}).status == "ok"
    assert worker.end_attempt(keep=True) == {"status": "ok", "kept": False}
    assert worker.run("x, 'y' in globals()").result == "(1, False)"
    assert children_of(worker.pid) == []


def test_one_that_dies_before_the_verdict_is_not_kept(worker: Driver):
    code = "import os, threading, time\nthreading.Timer(0.2, lambda: os.kill(os.getpid(), 9)).start()"
    assert worker.attempt(code).status == "ok"
    (child,) = children_of(worker.pid)
    wait_until(lambda: not Path(f"/proc/{child}").exists())
    assert worker.end_attempt(keep=True) == {"status": "ok", "kept": False}


def test_its_processes_end_with_it(worker: Driver, cwd):
    before = processes_of(cwd)
    worker.attempt("import subprocess; p = subprocess.Popen(['sleep', '100'])")
    assert len(processes_of(cwd)) == len(before) + 2
    worker.end_attempt(keep=False)
    wait_until(lambda: processes_of(cwd) == before)


def test_input_is_refused(worker: Driver):
    answer = worker.attempt("input()", allow_stdin=True)
    assert answer.content["ename"] == "StdinNotImplementedError"


# --- kept ---------------------------------------------------------------------------------------
def test_one_that_is_kept_is_the_worker(prepared, cwd):
    before = prepared.pid
    assert prepared.attempt("df['b'] = 5; new = [1]; p = random.random()").status == "ok"
    assert prepared.end_attempt(keep=True) == {"status": "ok", "kept": True}
    wait_until(lambda: before not in processes_of(cwd))
    assert prepared.pid != before
    assert prepared.run("list(df.columns), new").result == "(['a', 'b'], [1])"
    assert prepared.run("random.seed(7); p == random.random()").result == "True"
    assert prepared.run("import os; os.system('echo out'); print('x')").text() == "out\nx\n"


def test_kept_twice_and_dropped_between(worker: Driver):
    worker.run("x = []")
    for n in range(3):
        worker.attempt(f"x.append({n})")
        assert worker.end_attempt(keep=True)["kept"]
        assert worker.end_attempt(keep=True) == {"status": "ok", "kept": False}
        worker.attempt("x.clear(); 1/0")
        worker.end_attempt(keep=False)
    assert worker.run("x").result == "[0, 1, 2]"


def test_twenty_leave_one_process_and_no_more_memory(worker: Driver, cwd):
    def measure() -> tuple[int, int, int]:
        status = Path(f"/proc/{worker.pid}/status").read_text()
        rss = int(status.split("VmRSS:")[1].split()[0])
        threads = int(status.split("Threads:")[1].split()[0])
        return rss, len(os.listdir(f"/proc/{worker.pid}/fd")), threads

    worker.run("import asyncio, numpy as np; block = np.ones(1_000_000); n = 0")
    worker.attempt("n += 1")
    worker.end_attempt(keep=True)
    rss, fds, threads = measure()
    for _ in range(20):
        assert worker.attempt("n += 1; block += 1; print(n)").status == "ok"
        assert worker.end_attempt(keep=True)["kept"]
    wait_until(lambda: processes_of(cwd) == {worker.pid})
    after = measure()
    assert after[0] < rss + 20_000  # KiB; the block alone would be 160,000
    assert after[1:] == (fds, threads)
    assert worker.run("n, block[0]").result.startswith("(21, ")


def test_counts_and_history_are_kept_with_it(new_worker, home):
    (home / ".state").mkdir()
    worker = new_worker()
    worker.run("1")
    assert worker.attempt("'dropped'").content["execution_count"] == 2
    worker.end_attempt(keep=False)
    assert worker.attempt("'kept'").content["execution_count"] == 2
    worker.end_attempt(keep=True)
    assert worker.run("3").content["execution_count"] == 3
    asked = {"hist_access_type": "tail", "n": 10, "raw": True, "output": False}
    lines = [entry[2] for entry in worker.ask("history_request", asked).content["history"]]
    assert "'kept'" in lines
    assert "'dropped'" not in lines
    other = new_worker()
    lines = [entry[2] for entry in other.ask("history_request", asked).content["history"]]
    assert lines[:3] == ["1", "'kept'", "3"]


def test_threads_of_earlier_cells_are_named_when_they_end(worker: Driver):
    worker.run("import threading; stop = threading.Event()\n"
               "threading.Thread(target=stop.wait, name='ticker').start()")
    worker.attempt("1")
    assert worker.end_attempt(keep=False) == {"status": "ok", "kept": False}
    assert worker.run("len(threading.enumerate())").result == "2"
    worker.attempt("1")
    reply = worker.end_attempt(keep=True)
    assert reply["ended_threads"] == ["ticker"]
    assert worker.run("len(threading.enumerate())").result == "1"


def test_threads_go_on_while_an_attempt_runs(worker: Driver):
    """Their words and the attempt's are whole, and belong to whom said them."""
    talk = worker.start(
        "import threading\nstop = threading.Event()\n"
        "def talk():\n"
        "    while not stop.wait(0.001): print('thread ' * 50)\n"
        "threading.Thread(target=talk).start()"
    )
    worker.until_reply(talk)
    for keep in (False, False, True):
        answer = worker.attempt("for i in range(3000): print('attempt', i)")
        mine = [m.content["text"] for m in answer.of("stream") if m.parent == answer.request]
        assert "".join(mine) == "".join(f"attempt {i}\n" for i in range(3000))
        others = "".join(m.content["text"] for m in answer.of("stream") if m.parent == talk)
        assert set(others.split()) <= {"thread"}
        worker.end_attempt(keep=keep)


def test_tasks_go_on_in_the_successor(worker: Driver):
    worker.run("import asyncio; ticks = []\n"
               "async def tick():\n    while True:\n        ticks.append(1); await asyncio.sleep(0.01)\n"
               "task = asyncio.create_task(tick())")
    worker.attempt("await asyncio.sleep(0.05); inside = len(ticks)")
    worker.end_attempt(keep=True)
    answer = worker.run("await asyncio.sleep(0.05); len(ticks) > inside > 1")
    assert answer.result == "True"
    assert worker.attempt("await asyncio.to_thread(lambda: 5)").result == "5"


def test_figures_that_are_open_stay_open(worker: Driver):
    worker.run("%config InlineBackend.close_figures = False\nimport matplotlib.pyplot as plt")
    worker.attempt("plt.plot([1, 2])")
    worker.end_attempt(keep=True)
    assert worker.run("plt.get_fignums()").result == "[1]"
    worker.attempt("plt.figure(); 1/0")
    worker.end_attempt(keep=False)
    assert worker.run("plt.get_fignums()").result == "[1]"


DRAWINGS = ["ax.set_title('t')", "plt.plot([1, 2])", "plt.hist([1, 2])", "plt.pie([1, 2])", "ax", "fig",
            "plt.boxplot([1, 2])", "plt.bar([1], [2])", "plt.subplots(2, 2)[1]"]  # fmt: skip


@pytest.mark.parametrize("last", DRAWINGS)
def test_what_a_drawing_returns_is_not_shown_beside_the_chart(worker: Driver, last):
    code = f"import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\n{last}"
    answer = worker.attempt(code)
    assert not answer.of("execute_result")
    assert all("image/png" in m.content["data"] for m in answer.of("display_data"))
    assert len(answer.of("display_data")) >= 1
    worker.end_attempt(keep=False)
    assert worker.run(code).of("execute_result")  # a cell is nobody else's


@pytest.mark.parametrize("last", ["[1, 2]", "ax.get_ylim()", "fig.number", "'text'", "plt.close() or fig",
                                  "{'a': 1}", "__import__('numpy').arange(3)"])  # fmt: skip
def test_any_other_value_is_shown_beside_a_chart(worker: Driver, last):
    code = f"import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\n{last}"
    assert worker.attempt(code).of("execute_result")
    worker.end_attempt(keep=False)


# --- interrupts, and the end of the worker -----------------------------------------------------
def start_attempt(worker: Driver, code: str) -> str:
    request = worker.send("attempt_request", {"code": f"print('go')\n{code}"})
    wait_for_text(worker, "go\n")
    return request


@pytest.mark.parametrize("code", ["import time; time.sleep(100)", "while True: pass", "!sleep 100",
                                  "import asyncio; await asyncio.sleep(100)"])  # fmt: skip
def test_an_interrupt_reaches_it(worker: Driver, code):
    worker.run("x = 1")
    request = start_attempt(worker, f"x = 2\n{code}")
    began = time.monotonic()
    worker.interrupt()
    answer = worker.until_reply(request)
    assert time.monotonic() - began < 2
    assert [m.parent for m in answer.of("interrupted")][:1] == [request]
    if not code.startswith("!"):
        assert answer.content["ename"] in ("KeyboardInterrupt", "CancelledError")
    worker.end_attempt(keep=False)
    assert worker.run("x").result == "1"


# Whenever the interrupt comes, these go on.
DEADLOCK = """
import ctypes
lock, mutex = ctypes.CDLL(None).pthread_mutex_lock, ctypes.create_string_buffer(64)
while True:
    try: print('stuck'); lock(mutex), lock(mutex)
    except BaseException: pass
"""
STUBBORN = """
import time
while True:
    try: print('stuck'); time.sleep(100)
    except BaseException: pass
"""


@pytest.mark.parametrize("code", [DEADLOCK, STUBBORN], ids=["deaf", "stubborn"])
def test_who_does_not_stop_is_ended_and_costs_nothing(worker: Driver, code):
    worker.run("x = 1")
    request = worker.send("attempt_request", {"code": code})
    wait_for_text(worker, "stuck")
    worker.interrupt()
    answer = worker.until_reply(request)
    assert answer.content["ename"] == "KeyboardInterrupt"
    assert answer.content["death"] == answer.content["evalue"]
    assert worker.run("x").result == "1"


def test_interrupts_at_any_moment_lose_nothing(worker: Driver):
    worker.run("x = 1")
    for n in range(25):
        request = worker.send("attempt_request", {"code": "x += 1; print(x)"})
        time.sleep(0.001 * n)
        worker.interrupt()
        answer = worker.until_reply(request)
        assert answer.status in ("ok", "error")
        worker.interrupt()
        worker.end_attempt(keep=False)
    worker.attempt("x = 10")
    worker.interrupt()
    worker.end_attempt(keep=True)
    worker.interrupt()
    assert worker.run("x").result == "10"
    request = worker.start("print('go'); import time; time.sleep(100)")
    wait_for_text(worker, "go")
    worker.interrupt()
    assert worker.until_reply(request).content["ename"] == "KeyboardInterrupt"


@pytest.mark.parametrize("ending", ["running", "waiting"])
def test_it_does_not_outlive_its_worker(worker: Driver, cwd, ending):
    if ending == "running":
        start_attempt(worker, "import time; time.sleep(100)")
    else:
        worker.attempt("1")
    assert len(processes_of(cwd)) == 2
    os.kill(worker.pid, signal.SIGKILL)
    wait_until(lambda: not processes_of(cwd))


def test_both_end_with_their_channel(worker: Driver, cwd):
    worker.attempt("1")
    worker.socket.shutdown(socket.SHUT_RDWR)
    wait_until(lambda: not processes_of(cwd))


def test_a_timer_of_the_user_is_no_harm(worker: Driver):
    worker.run("import signal\ndef late(*_): raise ValueError('late')\n"
               "signal.signal(signal.SIGALRM, late); signal.setitimer(signal.ITIMER_REAL, 0.2)")
    answer = worker.attempt("import time; time.sleep(0.6); 5")
    assert answer.result == "5"
    assert worker.run("6").result == "6"


def test_without_room_for_a_process_there_is_an_answer(worker: Driver):
    worker.run("import os\nreal, os.fork = os.fork, lambda: (_ for _ in ()).throw(OSError(11, 'full'))")
    answer = worker.attempt("1")
    assert (answer.status, answer.content["ename"]) == ("error", "BlockingIOError")
    worker.run("os.fork = real")
    assert worker.attempt("1").result == "1"
