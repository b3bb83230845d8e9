"""Which threads a process has."""

import json
import subprocess
import sys
import threading

from driver import WORKER_DIR

sys.path.insert(0, str(WORKER_DIR))
from cellpod import threads  # noqa: E402

# The first thread of a process is listed until the last one ends.
FIRST_ENDS = """
import ctypes, json, os, sys, threading
from cellpod import threads
SYS_exit = 60 if os.uname().machine == "x86_64" else 93

def look():
    while " Z " not in open(f"/proc/self/task/{os.getpid()}/stat").read():
        pass
    print(json.dumps([len(os.listdir("/proc/self/task")), len(threads.names())]), flush=True)
    os._exit(0)

threading.Thread(target=look).start()
ctypes.CDLL(None).syscall(SYS_exit, 0)
"""


def ours() -> int:
    """Those of Python: libraries that other tests have loaded may start some meanwhile."""
    return threads.names().count(threads.names()[0])


def test_all_that_run():
    before = ours()
    over = threading.Event()
    more = threading.Thread(target=over.wait)
    more.start()
    assert ours() == before + 1
    over.set()
    more.join()


class SlowTimer(threading.Timer):
    """One whose thread hears that it was cancelled once somebody waits for it."""

    def __init__(self):
        super().__init__(3600, print)
        self.daemon = True  # nobody waited: the test is red, and ends
        self.is_awaited = threading.Event()

    def run(self):
        super().run()
        self.is_awaited.wait()

    def join(self, timeout=None):
        self.is_awaited.set()
        super().join(timeout)


def test_a_timer_that_was_cancelled_is_waited_for():
    timer = SlowTimer()
    timer.start()
    timer.cancel()
    threads.settle()
    assert not timer.is_alive()


def test_a_timer_that_runs_is_not_waited_for():
    timer = threading.Timer(3600, print)
    timer.start()
    threads.settle()
    assert timer.is_alive()
    timer.cancel()
    timer.join()


def test_not_one_that_has_ended():
    said = subprocess.check_output(
        [sys.executable, "-c", FIRST_ENDS], timeout=60, env={"PYTHONPATH": ":".join(sys.path)}
    )
    assert json.loads(said) == [2, 1]
