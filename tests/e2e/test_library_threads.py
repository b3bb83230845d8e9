"""Libraries with threads of their own, before and after an answered question, an undo and a crash:
none hangs, and who cannot be brought back is told before. tests/python/test_forks.py has the
questions that fail.

What is not in requirements/cellpod.txt is skipped here, and run by `make test-libraries`, which
names its Python in CELLPOD_LIBRARIES.
"""

import os
import re
import subprocess
import sys
import time

import pytest

from support.client import START, Client
from support.kernel import connection_info
from support.libraries import DATA, LIBRARIES
from support.saves import wait_for_checkpoint

pytestmark = [
    pytest.mark.cellpod_only("other kernels bring nothing back"),
    pytest.mark.timeout(300),
]

PYTHON = os.environ.get("CELLPOD_LIBRARIES", sys.executable)
FRAME = "import pandas as pd; df = pd.DataFrame({'region': ['N', 'S'], 'profit': [1, 2]})\n"
CRASHES = {
    "exit": "import os; os._exit(1)",
    "segmentation fault": "import ctypes; ctypes.string_at(0)",
}


@pytest.fixture(scope="module")
def installed() -> set[str]:
    code = "import importlib.metadata as m\nfor d in m.distributions(): print(d.name)"
    found = subprocess.run([PYTHON, "-c", code], check=True, capture_output=True, text=True)
    return set(found.stdout.replace("_", "-").split())


class Session:
    """With a library that was used."""

    def __init__(self, client: Client, name: str, imports: str, use: str, word: str):
        self.client, self.word, self.using = client, word, f"{imports}\nuse = lambda: ({use})"
        self.told = ""
        self.run("x = 1")
        wait_for_checkpoint(client)
        first = client.execute(f"{DATA}{FRAME}{self.using}\n_ = use()", timeout=2 * START)
        if "numba" in name and first.content.get("evalue", "").startswith("No threading layer"):
            pytest.skip(first.content["evalue"])
        assert first.status == "ok", first.content
        self.told += first.stderr
        self.use()

    def run(self, code: str):
        cell = self.client.run(code, timeout=START)
        self.told += cell.stderr
        return cell

    def use(self) -> None:
        self.run("_ = use()")

    def use_anew(self) -> None:
        """The variables may be from before it was there."""
        self.run(f"{DATA}{self.using}\n_ = use()")
        self.use()

    def die(self, code: str) -> str:
        """Processes that a library leaves behind may say something after the cell is over."""
        request = self.client.send_execute(f"x = 9\n_ = use()\n{code}")
        content = self.client.finish_rest(request, START).content
        assert (content["status"], content["ename"]) == ("error", "WorkerDied"), content
        return content["evalue"]

    def wait_for_notice(self) -> None:
        """It comes with a cell after the one that had no checkpoint."""
        while not (notice := re.search(r"If a cell ends the worker from here on.*", self.told)):
            time.sleep(0.03)  # cells in a row do not wait for a checkpoint
            self.run("pass")
        assert self.word in notice[0]


@pytest.fixture(params=LIBRARIES)
def session(request, installed, start_kernel) -> Session:
    package, *row = LIBRARIES[request.param]
    if package not in installed:
        pytest.skip(f"{package} is not installed: see requirements/libraries.in")
    kernel = start_kernel.on(connection_info(), env={"CELLPOD_PYTHON": PYTHON})
    return Session(kernel.ready_client(), request.param, *row)


def test_it_works_after_all_that_goes_back(session: Session):
    """One after the other, in what each has left of the worker."""
    if session.word:
        return goes_back_to_before_it(session)
    client = session.client
    assert "3" in session.run("%ask total profit").stdout
    session.use()
    wait_for_checkpoint(client)
    session.run("x = 2; _ = use()")
    assert "Undone: " in session.run("%undo").stdout
    assert client.value("x") == "1"
    session.run("%redo")
    assert client.value("x") == "2"
    session.run("%undo")
    session.use()
    session.run("x = 2; _ = use()")
    for code in CRASHES.values():
        wait_for_checkpoint(client)
        assert "The variables are those from before this cell." in session.die(code)
        assert client.value("x") == "2"
        session.use()
    session.run("%undo")
    session.use()


def goes_back_to_before_it(session: Session) -> None:
    """There is no checkpoint since it was used, which was said."""
    client = session.client
    session.wait_for_notice()
    assert "3" in session.run("%ask total profit").stdout
    session.use()
    session.run("x = 2; _ = use()")
    for code in CRASHES.values():
        assert "The variables are those from after In [" in session.die(code)
        assert client.value("(x, 'use' in globals())") == "(1, False)"
        session.use_anew()
    undone = client.execute("%undo", timeout=START)
    assert undone.status == "ok", undone.content
    assert client.value("(x, 'use' in globals())") == "(1, False)"
    session.use_anew()
