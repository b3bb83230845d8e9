"""SIGINT: where it hits, and where it must not."""

import os
import signal
import time

import pytest
from driver import Driver


def wait_for_text(worker: Driver, text: str) -> None:
    seen = ""
    while text not in seen:
        seen += worker.receive().content.get("text", "")


def interrupt_after(worker: Driver, code: str, text: str = "go"):
    request = worker.start(f"print({text!r})\n{code}")
    wait_for_text(worker, text)
    worker.interrupt()
    return worker.until_reply(request)


@pytest.mark.parametrize(
    "code",
    [
        "import time; time.sleep(100)",
        "while True: pass",
        "import subprocess; subprocess.run(['sleep', '100'])",
        "import threading; threading.Event().wait()",
        "while True: print('x')",
        "import os, sys\nwhile True: display(1)",
        "import time\ntry: time.sleep(100)\nfinally: raise KeyboardInterrupt",
        "async def forever():\n  while True: pass\nawait forever()",
    ],
)
def test_a_cell_ends_with_keyboard_interrupt(worker: Driver, code):
    answer = interrupt_after(worker, code)
    assert (answer.status, answer.content["ename"]) == ("error", "KeyboardInterrupt")
    assert [m.content["ename"] for m in answer.of("error")] == ["KeyboardInterrupt"]
    assert [m.parent for m in answer.of("interrupted")] == [answer.request]
    assert "interrupts.py" not in "".join(answer.content["traceback"])
    assert worker.run("1").result == "1"


def test_a_shell_command_is_interrupted(worker: Driver):
    request = worker.start("!echo go; sleep 10000; echo never")
    wait_for_text(worker, "go")
    worker.interrupt()
    answer = worker.until_reply(request)
    assert "never" not in answer.text()
    assert int(worker.run("_exit_code").result) != 0


CALLBACKS = """
import signal
calls = []
def hit(*_):
    calls.append("hit")
    if calls.count("hit") == {which}:
        signal.raise_signal(signal.SIGINT)
def follow(*_):
    calls.append("follow")
for callback in hit, follow:
    get_ipython().events.register({event!r}, callback)
"""


@pytest.mark.parametrize(
    ("event", "which", "shown"),
    [
        ("pre_execute", 1, ""),
        ("pre_run_cell", 1, ""),
        ("post_execute", 2, "run\n"),
        ("post_run_cell", 2, "run\n"),
    ],
)
def test_one_in_a_callback_around_a_cell_ends_the_cell(worker: Driver, event, which, shown):
    """IPython would show it as the callback's own, and answer ok."""
    worker.run(CALLBACKS.format(event=event, which=which))
    answer = worker.run("print('run')")
    assert (answer.content["ename"], answer.text()) == ("KeyboardInterrupt", shown)
    assert [m.content["ename"] for m in answer.of("error")] == ["KeyboardInterrupt"]
    assert answer.content["execution_count"] == 2
    assert worker.run("calls").result == str(["hit", "follow"] * 2)
    assert worker.run("In[2], len(In)").result == "(\"print('run')\", 5)"


def test_one_before_a_cell_is_counted_takes_its_number(worker: Driver):
    worker.run("""
import signal
def hit(lines):
    ip.input_transformers_cleanup.remove(hit)
    signal.raise_signal(signal.SIGINT)
ip = get_ipython()
ip.input_transformers_cleanup.append(hit)""")
    answer = worker.run("print('run')")
    assert (answer.content["ename"], answer.text()) == ("KeyboardInterrupt", "")
    assert answer.content["execution_count"] == 2
    after = worker.run("In[2]")
    assert (after.content["execution_count"], after.result) == (3, repr("print('run')"))


def test_an_idle_worker_ignores_it(worker: Driver):
    for _ in range(3):
        worker.interrupt()
    assert worker.run("1").result == "1"
    worker.run("import asyncio; asyncio.create_task(asyncio.sleep(100))")
    worker.interrupt()
    assert worker.run("2").result == "2"


def test_the_answer_to_a_magic_is_read_before_one_hits(worker: Driver):
    """Left behind, it would be the next request."""
    request = worker.start("%undo")
    while worker.receive().type != "checkpoints_wanted":
        pass
    worker.interrupt()
    worker.send("checkpoints", {"keep": 8, "position": 0, "checkpoints": []}, id="")
    assert worker.until_reply(request).content["ename"] == "KeyboardInterrupt"
    assert worker.run("1").types == ["execute_input", "execute_result"]


def test_it_does_not_hit_the_next_cell(worker: Driver):
    for n in range(50):
        worker.interrupt()
        answer = worker.run(f"print({n})")
        if answer.status == "ok":
            assert answer.text() == f"{n}\n"
        assert all(m.parent == answer.request for m in answer.messages)


def test_a_storm_of_interrupts_leaves_the_channel_whole(worker: Driver):
    for n in range(40):
        request = worker.start("for i in range(3000): print(i); display(i)")
        time.sleep(0.002 * (n % 5))
        for _ in range(3):
            worker.interrupt()
        answer = worker.until_reply(request)
        assert answer.status in ("ok", "error")
    assert worker.run("print('whole')").text() == "whole\n"


def test_alarms_of_user_code_leave_the_channel_whole(worker: Driver):
    code = """
import signal
class Alarm(Exception): pass
def ring(*_): raise Alarm
signal.signal(signal.SIGALRM, ring)
caught = printed = 0
for n in range(300):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0005 + n * 1e-6)
        while True:
            print('x' * 500)
            printed += 1
    except Alarm:
        caught += 1
signal.setitimer(signal.ITIMER_REAL, 0)
caught"""
    answer = worker.run(code)
    assert answer.result == "300", answer.content
    assert worker.run("print('whole')").text() == "whole\n"


def test_an_alarm_that_rings_when_the_cell_is_over_loses_no_reply(worker: Driver):
    worker.run("import signal, time\ndef ring(*_): raise RuntimeError('late')\n"
               "signal.signal(signal.SIGALRM, ring)")  # fmt: skip
    for n in range(100):
        code = f"signal.setitimer(signal.ITIMER_REAL, {1e-6 + n * 5e-6}); None"
        assert worker.run(code).status in ("ok", "error")
    worker.run("signal.setitimer(signal.ITIMER_REAL, 0)")
    assert worker.run("1").result == "1"


def test_input_is_interrupted(worker: Driver):
    request = worker.start("input('? ')", allow_stdin=True)
    while worker.receive().type != "input_request":
        pass
    worker.interrupt()
    assert worker.until_reply(request).content["ename"] == "KeyboardInterrupt"
    worker.answer("late")
    request = worker.start("input('again ')", allow_stdin=True)
    while worker.receive().type != "input_request":
        pass
    worker.answer("fresh")
    assert worker.until_reply(request).result == "'fresh'"


def test_an_awaiting_cell_is_cancelled(worker: Driver):
    code = "import asyncio\nasyncio.get_running_loop().call_later(0.05, print, 'go')\n"
    request = worker.start(code + "await asyncio.sleep(100)")
    wait_for_text(worker, "go")
    worker.interrupt()
    answer = worker.until_reply(request)
    assert answer.content["ename"] == "CancelledError"
    assert worker.run("await asyncio.sleep(0, 5)").result == "5"


def test_a_computing_async_cell_is_interrupted(worker: Driver):
    code = "import asyncio\nawait asyncio.sleep(0)\nwhile True: pass"
    assert interrupt_after(worker, code).content["ename"] == "KeyboardInterrupt"
    assert worker.run("1").result == "1"


def test_a_cell_may_catch_it(worker: Driver):
    code = "import time\ntry: print('go'); time.sleep(100)\n"
    code += "except KeyboardInterrupt: print('caught')"
    request = worker.start(code)
    wait_for_text(worker, "go\n")
    worker.interrupt()
    answer = worker.until_reply(request)
    assert (answer.status, answer.text()) == ("ok", "caught\n")


def test_a_handler_of_the_users_lasts_for_its_cell(worker: Driver):
    worker.run("import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)")
    assert interrupt_after(worker, "while True: pass").content["ename"] == "KeyboardInterrupt"


def test_a_slow_chart_is_interrupted(worker: Driver):
    code = """
import matplotlib.pyplot as plt, time
from matplotlib.artist import Artist
class Slow(Artist):
    def draw(self, renderer): time.sleep(100)
plt.figure().add_subplot().add_artist(Slow())"""
    request = worker.start(code + "\nprint('go')")
    wait_for_text(worker, "go")
    time.sleep(0.2)
    worker.interrupt()
    worker.until_reply(request)
    assert worker.run("1").result == "1"


def test_a_request_that_is_no_cell_is_interrupted(worker: Driver):
    worker.run("import time\nclass Slow:\n    def __dir__(self): time.sleep(10000)\ns = Slow()")
    worker.ask("complete_request", {"code": "s.x", "cursor_pos": 3})
    os.kill(worker.pid, signal.SIGINT)
    assert worker.run("1").result == "1"
