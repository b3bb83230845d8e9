"""Agents: make a sandbox, run, move files, end it. Over HTTP alone."""

import os

import pytest

from support import processes
from support.zygote_client import PYTHON
from unit.sandbox.sandboxd_client import TcpDaemon

from .conftest import USERS, ORDINARY_UID
from .counterparts import works_where_it_may

# The kernel's word for each; who is killed may still be about to go when the answer comes.
# Whether somebody has waited for them yet or not. gVisor of before 2023 has no pidfd_open.
WAIT_UNTIL_GONE = """
import os

def runs(pid):
    try:
        with open(f"/proc/{{pid}}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False

for pid in {!r}.split():
    while runs(pid):
        os.sched_yield()
print("gone")
"""


@pytest.fixture(scope="module", params=USERS)
def daemon(request):
    uid = ORDINARY_UID if request.param == "ordinary" and os.getuid() == 0 else None
    daemon = TcpDaemon(uid=uid, CELLPOD_PYTHON=PYTHON)
    assert daemon.said.startswith("ready ")
    yield daemon
    children = processes.descendants(daemon.process.pid)
    daemon.close()
    processes.assert_all_end(children, "sandboxd")


@pytest.fixture(scope="module")
def sandbox(daemon):
    sandbox = daemon.claim(ttl_seconds=600, idle_seconds=300)
    sandbox.ready().close()
    return sandbox


def execute(sandbox, code: str, **fields):
    status, answer = sandbox.call("POST", "/execute", {"code": code, **fields})
    assert status == 200, answer
    return answer


def test_a_whole_life(daemon):
    sandbox = daemon.claim(ttl_seconds=60, env={"GREETING": "hello"})
    assert sandbox.raw("PUT", "/files/data.csv", b"a,b\n1,2\n3,4\n")[0] == 204
    answer = execute(sandbox, "import os, pandas as pd\ndf = pd.read_csv('data.csv')\n"
                     "print(os.environ['GREETING'])\ndf.to_csv('out.csv', index=False)\ndf.a.sum()")
    assert answer["success"] and answer["exit_code"] == 0 and answer["error"] is None
    assert answer["stdout"] == "hello\n"
    assert [result["text/plain"] for result in answer["results"]] == ["np.int64(4)"]
    assert sandbox.raw("GET", "/files/out.csv") == (200, b"a,b\n1,2\n3,4\n")
    assert execute(sandbox, "wc -l < out.csv; echo oops >&2; exit 3", language="bash") == {
        "success": False, "stdout": "3\n", "stderr": "oops\n", "exit_code": 3, "results": [],
        "error": None}
    assert sandbox.call("DELETE") == (200, {})


def test_variables_stay_and_charts_come_back(sandbox):
    execute(sandbox, "x = 20")
    answer = execute(sandbox, "import matplotlib.pyplot as plt, sys\nplt.plot([x, 1]); print(x + 1, file=sys.stderr)",
                     language="python")
    assert answer["stderr"] == "21\n"
    assert set(answer["results"][-1]) >= {"image/png", "text/plain"}


def test_an_error_is_told(sandbox):
    answer = execute(sandbox, "print('before')\n1/0")
    assert (answer["success"], answer["exit_code"], answer["stdout"]) == (False, 1, "before\n")
    assert answer["error"]["ename"] == "ZeroDivisionError"
    assert "division by zero" in answer["error"]["evalue"]
    assert any("ZeroDivisionError" in line for line in answer["error"]["traceback"])


def test_text_is_told_as_it_is(sandbox):
    answer = execute(sandbox, r"printf 'a\0b\r\n\xff\xe2\x82\xac'", language="bash")
    assert answer["stdout"] == "a\0b\n\ufffd€"


def test_input_is_refused(sandbox):
    assert execute(sandbox, "input()")["error"]["ename"] == "StdinNotImplementedError"


@pytest.mark.parametrize("fields", [
    {}, {"code": 1}, {"code": "1", "language": "perl"}, {"code": "1", "timeout": 0},
    {"code": "1", "timeout": "5"}, {"code": "1", "timeout": 1e9}, {"code": "1", "colour": "red"}])
def test_bad_requests_are_refused_and_name_the_field(sandbox, fields):
    status, answer = sandbox.call("POST", "/execute", fields)
    assert (status, answer["error"]["code"]) == (400, "bad_input")
    assert [name for name in ("code", "language", "timeout", "colour") if name in answer["error"]["message"]]


# --- cannot ---------------------------------------------------------------------------------------
def execute_until_it_prints(sandbox, code: str, **options: str) -> dict:
    """What never ends, with a timeout that is just long enough to begin, however busy the machine is."""
    answers = (execute(sandbox, code, timeout=0.5 * 2**doubled, **options) for doubled in range(10))
    return next(answer for answer in answers if answer["stdout"])


def test_cannot_run_longer_than_its_timeout(sandbox):
    sleep = "import time\nprint('sleeping')\ntime.sleep({})"
    works_where_it_may(execute(sandbox, sleep.format(0.6), timeout=600)["success"])
    answer = execute_until_it_prints(sandbox, sleep.format(600))
    assert (answer["error"]["ename"], answer["exit_code"]) == ("TimeoutError", 124)
    assert answer["stdout"] == "sleeping\n"
    answer = execute_until_it_prints(sandbox, "sleep infinity & echo $$ $!; sleep infinity", language="bash")
    assert (answer["error"]["ename"], answer["exit_code"]) == ("TimeoutError", 124)
    answer = execute(sandbox, WAIT_UNTIL_GONE.format(answer["stdout"]))
    assert (answer["stdout"], answer["error"]) == ("gone\n", None)
    assert execute(sandbox, "x = 1; print(x)")["stdout"] == "1\n"


def test_cannot_outlast_its_timeout_by_not_listening(sandbox):
    answer = execute(sandbox, "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})\n"
                     "while True: signal.sigtimedwait([], 1)", timeout=0.5)
    assert answer["error"]["ename"] == "TimeoutError"
    assert execute(sandbox, "print('fresh')")["stdout"] == "fresh\n"


def test_cannot_take_the_daemon_down_by_dying(sandbox):
    answer = execute(sandbox, "import os; os.kill(os.getpid(), 11)")
    assert answer["error"]["ename"] == "WorkerDied"
    works_where_it_may("SIGSEGV" in answer["error"]["evalue"])  # on its own worker
    assert execute(sandbox, "print(1)")["stdout"] == "1\n"


def test_cannot_fill_the_daemons_memory(sandbox):
    works_where_it_may(len(execute(sandbox, "print('x' * (1 << 20))")["stdout"]) > 1 << 20)
    answer = execute(sandbox, "for i in range(48): print('x' * (1 << 20))")
    assert answer["truncated"] is True
    assert 30 << 20 < len(answer["stdout"]) <= 32 << 20
    answer = execute(sandbox, "head -c 20000000 /dev/zero | tr '\\0' y", language="bash")
    assert answer["truncated"] is True
    assert len(answer["stdout"]) == 8 << 20


def test_cannot_fill_the_daemons_memory_with_displays(sandbox):
    """As many as there is room for are told, whatever their type."""
    answer = execute(sandbox, "for i in range(40):\n"
                     "    display({'text/plain': str(i), 'text/x': 'x' * (1 << 20)}, raw=True)")
    assert answer["truncated"] is True
    told = [int(result["text/plain"]) for result in answer["results"]]
    assert told == list(range(len(told))) and 29 <= len(told) <= 31
    answer = execute(sandbox, "display({'text/plain': 'one', 'text/x': 'x' * (40 << 20)}, raw=True)")
    assert answer["truncated"] is True and answer["results"] == []
    answer = execute(sandbox, "raise ValueError('x' * (40 << 20))")
    assert answer["truncated"] is True
    assert answer["error"]["evalue"] == "its reply was too large"
    answer = execute(sandbox, "display({'text/plain': 'small'}, raw=True)")
    works_where_it_may(answer["results"] and not answer.get("truncated"))


def test_cannot_be_held_up_by_what_nobody_read(sandbox):
    """A thread prints more than the log keeps, between two calls."""
    execute(sandbox, "import threading\nt = threading.Thread(target=lambda: print('y' * (40 << 20)))\nt.start()")
    works_where_it_may(execute(sandbox, "t.join(); print('on')")["stdout"].endswith("on\n"))


def test_cannot_be_run_without_the_token(daemon, sandbox):
    works_where_it_may(sandbox.call("POST", "/execute", {"code": "1"})[0] == 200)
    status, _ = daemon.call("POST", f"/v1/sandboxes/{sandbox.id}/execute", {"code": "1"})
    assert status == 403
