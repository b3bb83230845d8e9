"""Attempts: what the worker does is kept, or has never been.

The driver stands in for sandboxd: it ends the worker, and wakes its checkpoint.
"""

import os
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


def commands_in(cwd: Path) -> list[str]:
    names = [Path(f"/proc/{pid}/comm") for pid in processes_of(cwd)]
    return sorted(name.read_text().strip() for name in names if name.exists())


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
    assert len(attempt.pngs) == 1 and attempt.pngs != cell.pngs  # in the style of answers
    assert attempt.result == cell.result == "7"
    assert attempt.content.keys() == cell.content.keys() | {"findings"}
    assert attempt.content["findings"] == []
    assert attempt.reply.type == "attempt_reply"
    assert attempt.reply.metadata.keys() == cell.reply.metadata.keys()
    prepared.end_attempt(keep=True)
    assert prepared.run(code, store_history=False).pngs == cell.pngs  # which no cell inherits


@pytest.mark.parametrize("code, found", [
    ("plt.subplots()", ["nothing"]),
    ("result = pd.Series([1.0, 5, 3], list('abc')); plt.bar(list('abc'), result * 2)", ["differs"]),
    ("plt.bar(list('abc'), [4, 4, 4])", ["equal"]),
    ("result = pd.Series([1.0, 5, 3], list('abc')); plt.bar(list('abc'), result)", []),
    ("result = 7; plt.hist([1, 2, 2, 3])", []),
])  # fmt: skip
def test_what_is_wrong_with_its_charts_is_in_the_reply(prepared, code, found):
    prepared.run("import pandas as pd; result = pd.Series([9.0, 8, 1])")
    attempt = prepared.attempt(code + "; None")
    assert attempt.content["findings"] == found and len(attempt.pngs) == 1


@pytest.mark.parametrize("code, status", [
    ("os._exit(3)", 3 << 8), ("os.kill(os.getpid(), 9)", 9), ("os.abort()", 6)])  # fmt: skip
def test_a_death_is_told_after_its_last_words(worker: Driver, code, status):
    answer = worker.attempt(f"import os\nprint('hello'); os.system('echo shell'); print()\n{code}")
    assert answer.everything.startswith("hello\n")  # what was sent before it died
    sentence = f"status {status}"  # sandboxd's words; here the driver's
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
    assert worker.attempt("x += 3").status == "ok"
    assert worker.end_attempt(keep=True) == {"status": "ok", "kept": True}
    assert worker.run("x").result == "4"


def test_one_that_dies_before_the_verdict_is_not_kept(worker: Driver):
    code = "import os, threading, time\nthreading.Timer(0.2, lambda: os.kill(os.getpid(), 9)).start()"
    before = worker.pid
    assert worker.attempt(code).status == "ok"
    worker.wait_for(lambda: worker.pid != before)
    assert worker.end_attempt(keep=True) == {"status": "ok", "kept": False}


def test_its_processes_end_with_it_and_earlier_ones_do_not(worker: Driver, cwd):
    worker.run("import subprocess; p = subprocess.Popen(['tail', '-f', '/dev/null'])")
    before = commands_in(cwd)
    worker.attempt("p = subprocess.Popen(['sleep', '100'])")
    assert "sleep" in commands_in(cwd)
    worker.end_attempt(keep=False)
    wait_until(lambda: commands_in(cwd) == before)


def test_input_is_refused(worker: Driver):
    answer = worker.attempt("input()", allow_stdin=True)
    assert answer.content["ename"] == "StdinNotImplementedError"


# --- kept ---------------------------------------------------------------------------------------
def test_one_that_is_kept_is_the_worker_as_it_was(prepared, cwd):
    before = processes_of(cwd)
    assert prepared.attempt("df['b'] = 5; new = [1]; p = random.random()").status == "ok"
    assert len(processes_of(cwd) - before) == 1
    assert prepared.end_attempt(keep=True) == {"status": "ok", "kept": True}
    wait_until(lambda: processes_of(cwd) == before)
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
    wait_until(lambda: len(processes_of(cwd)) == 2)  # and its init
    after = measure()
    assert after[0] < rss + 20_000  # KiB; the block alone would be 160,000
    assert after[1:] == (fds, threads)
    assert worker.run("n, block[0]").result.startswith("(21, ")
    for _ in range(20):
        worker.attempt("n += 1; block += 1; 1/0")
        worker.end_attempt(keep=False)
    wait_until(lambda: len(processes_of(cwd)) == 2)
    after = measure()
    assert after[0] < rss + 20_000
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


TICKER = """
import asyncio, concurrent.futures, threading
stop, ticks, pool = threading.Event(), [], concurrent.futures.ThreadPoolExecutor(2)
def tick():
    while not stop.wait(0.001): ticks.append(1)
threading.Thread(target=tick, name='ticker').start()
list(pool.map(len, ['a', 'b']))
async def wait():
    while True:
        beats.append(1); await asyncio.sleep(0.001)
beats = []; task = asyncio.create_task(wait())
"""
TICKS = """
before = len(ticks)
while len(ticks) <= before: stop.wait(0.001)
before = len(beats)
while len(beats) <= before: await asyncio.sleep(0.001)
'ticker' in [t.name for t in threading.enumerate()], list(pool.map(len, ['abc', 'd'])), task.done()
"""


def test_threads_tasks_and_pools_live_through_an_answered_question(worker: Driver):
    worker.run(TICKER)
    for _ in range(3):
        assert worker.attempt("x = len(ticks)").status == "ok"
        assert worker.end_attempt(keep=True)["kept"]
        assert worker.run(TICKS).result == "(True, [3, 1], False)"
    worker.run("stop.set()")


def test_what_does_not_come_back_is_named(worker: Driver):
    """Of one that failed: its threads are of the worker that is gone."""
    worker.run(TICKER)
    worker.attempt("1/0")
    answer = worker.ask("attempt_end_request", {"keep": False})
    [notice] = answer.of("notice")
    assert "thread ticker" in notice.content["message"]
    assert worker.run("[t.name for t in threading.enumerate()]").result == "['MainThread']"
    answer = worker.run("list(pool.map(len, ['abc', 'd']))")
    assert answer.result == "[3, 1]"
    assert not answer.of("notice")  # told once
    assert worker.run("before = len(beats); await asyncio.sleep(0.05); len(beats) > before").result == "True"


def test_it_is_no_child_of_the_worker(worker: Driver):
    """Code that waits for its children would wait for it."""
    answer = worker.attempt("import os\ntry: os.wait()\nexcept ChildProcessError: print('none')")
    assert answer.text() == "none\n"


PIPES = """
import os, subprocess
cat = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
yes = subprocess.Popen(["yes"], stdout=subprocess.PIPE)
"""


def test_who_reads_from_the_worker_sees_it_close(worker: Driver):
    worker.run(PIPES)
    answer = worker.attempt("print(cat.communicate(b'text')[0]); yes.stdout.close(); print(yes.wait())")
    assert answer.text() == "b'text'\n-13\n"
    worker.end_attempt(keep=False)
    assert worker.run("cat.stdin.write(b'x'); cat.stdin.flush()").content["ename"] == "BrokenPipeError"


TALK = """
import socket, threading
listener = socket.create_server(("127.0.0.1", 0))
used, unused = (socket.create_connection(listener.getsockname()) for _ in range(2))
peers = [listener.accept()[0] for _ in range(2)]
"""


def test_a_connection_that_was_used_is_closed_and_any_other_is_not(worker: Driver):
    worker.run(TALK)
    worker.attempt("used.sendall(b'half a'); 1/0")
    [notice] = worker.ask("attempt_end_request", {"keep": False}).of("notice")
    assert "connection" in notice.content["message"]
    assert worker.run("used.sendall(b' word')").content["ename"] == "BrokenPipeError"
    assert worker.run("unused.sendall(b'word'); peers[1].recv(9)").result == "b'word'"


def test_a_pool_of_processes_says_that_it_has_ended(worker: Driver):
    worker.run("import multiprocessing; pool = multiprocessing.get_context('fork').Pool(1)")
    assert worker.run("pool.map(abs, [-1])").result == "[1]"
    worker.attempt("1/0")
    worker.end_attempt(keep=False)
    assert worker.run("pool.map(abs, [-1])").content["evalue"] == "Pool not running"


def test_files_are_written_on_where_they_were(worker: Driver, cwd):
    worker.run("file = open('log', 'w'); _ = file.write('before '); file.flush(); _ = file.write('kept ')")
    worker.attempt("file.write('attempt'); file.flush(); 1/0")
    worker.end_attempt(keep=False)
    worker.run("_ = file.write('after'); file.flush()")
    assert (cwd / "log").read_text().startswith("before kept after")


def test_a_timer_rings_in_the_one_that_was_woken(worker: Driver):
    worker.run("import signal, time; rung = []; signal.signal(signal.SIGALRM, lambda *_: rung.append(1))\n"
               "signal.setitimer(signal.ITIMER_REAL, 2)")
    worker.attempt("1/0")
    worker.end_attempt(keep=False)
    assert worker.run("while not rung: time.sleep(0.01)\nrung").result == "[1]"


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


@pytest.mark.parametrize("code", ["import time; time.sleep(10000)", "while True: pass",
                                  "!sleep 10000", "import asyncio; await asyncio.sleep(10000)"])  # fmt: skip
def test_an_interrupt_reaches_it(worker: Driver, code):
    worker.run("x = 1")
    request = start_attempt(worker, f"x = 2\n{code}")
    worker.interrupt()
    answer = worker.until_reply(request)
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
    worker.kill("interrupt")  # sandboxd does, a moment later
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
def test_its_checkpoint_ends_when_sandboxd_lets_it_go(worker: Driver, cwd, ending):
    if ending == "running":
        start_attempt(worker, "import time; time.sleep(100)")
    else:
        worker.attempt("1")
    before = processes_of(cwd)
    worker._forget_checkpoint()
    wait_until(lambda: len(processes_of(cwd)) == len(before) - 1)
    assert worker.pid in processes_of(cwd)


def test_all_end_with_their_sockets(worker: Driver, cwd):
    worker.attempt("1")
    worker.socket.shutdown(socket.SHUT_RDWR)
    worker.checkpoint.shutdown(socket.SHUT_RDWR)
    worker.init.close()
    wait_until(lambda: not processes_of(cwd))


def test_a_timer_of_the_user_rings_as_in_a_cell(worker: Driver):
    worker.run("import signal\nbegun = []\ndef ring(): signal.setitimer(signal.ITIMER_REAL, 0.05)\n"
               "def late(*_):\n    if begun: raise ValueError('late')\n    ring()\n"
               "signal.signal(signal.SIGALRM, late); ring()")
    answer = worker.attempt("begun.append(1)\nwhile True: pass")
    assert answer.content["evalue"] == "late"
    worker.end_attempt(keep=False)
    assert worker.run("6").status in ("ok", "error")
    assert worker.run("6").result == "6"


# --- without a checkpoint -----------------------------------------------------------------------
def told_before(answer) -> str:
    """That it cannot be undone; nothing was run before that."""
    assert answer.messages[0].type == "notice"
    [notice] = answer.of("notice")
    return notice.content["message"]


def test_without_room_for_a_process_it_runs_in_place(worker: Driver):
    worker.run("import os\nx, real = 1, os.fork\nos.fork = lambda: (_ for _ in ()).throw(OSError(11, 'full'))")
    answer = worker.attempt("print('runs'); x = 2; 1/0")
    assert "no room for a copy of the worker (full)" in told_before(answer)
    assert answer.content["ename"] == "ZeroDivisionError"
    assert worker.end_attempt(keep=False) == {"status": "ok", "kept": False}
    assert worker.run("x").result == "2"
    assert worker.attempt("x = 3").status == "ok"
    assert worker.end_attempt(keep=True) == {"status": "ok", "kept": True}
    worker.run("os.fork = real")
    worker.attempt("x = 4; 1/0")
    assert worker.run("x").result == "3"


def test_a_daemon_that_lends_nothing(worker: Driver):
    worker.lends = False
    assert "made no room" in told_before(worker.attempt("x = 5"))
    assert worker.end_attempt(keep=True)["kept"]
    assert worker.run("x").result == "5"


def test_it_is_told_once_for_each_cell(worker: Driver):
    worker.lends = False
    worker.ask("announce_request", {"code": "%%ask", "store_history": True})
    options = {"is_counted": True, "store_history": False}
    assert told_before(worker.attempt("1/0", **options))
    assert not worker.attempt("1", **options).of("notice")
    worker.ask("announce_request", {"code": "%%ask", "store_history": True})
    assert told_before(worker.attempt("1", **options))
