"""Sandboxes under gVisor, by choice: `runtime: runsc`, with the runsc of the distribution. What
cells cannot do there is in tests/security, where an ordinary user has one too."""

import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import psutil
import pytest

from support.client import Deadline
from support.kernel import connection_info
from support.lean_python import WHOLE, lean_python

pytestmark = [
    pytest.mark.cellpod_only("there is no sandbox behind other kernels"),
    pytest.mark.skipif(not shutil.which("runsc"), reason="runsc is not installed"),
    pytest.mark.timeout(1200),  # its default platform traces every system call
]
PATIENCE = 120


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notebooks")
    (folder / "cities.csv").write_text("city,size\nA,1\nB,5\n")
    for name in ("json", "socket", "IPython", "pandas", "cellpod", "ctypes", "usercustomize"):
        (folder / f"{name}.py").write_text("open('/workspace/trapped', 'w')")
    return folder


@pytest.fixture
def start(start_kernel, folder):
    """A kernel whose sandbox is under gVisor, with little Python: its imports take ten seconds there."""

    def start_one(python: str | None = None, cwd=folder):
        return start_kernel.on(connection_info(), arguments=["--runtime", "runsc"], cwd=cwd,
                               env={"CELLPOD_PYTHON": python or lean_python()})

    return start_one


def test_the_same_worker_runs_under_gvisor_and_ends_with_its_kernel(start, folder):
    kernel = start(WHOLE)
    client = kernel.ready_client()
    client.run("0", timeout=PATIENCE)  # it says that it waits

    # The kernel that cells see is gVisor's, which calls itself Linux 4.4.0.
    version = client.execute("print(open('/proc/version').read())", timeout=PATIENCE).stdout
    assert version != Path("/proc/version").read_text() + "\n" and "4.4.0" in version

    cell = client.execute("import pandas as pd, matplotlib.pyplot as plt\n"
                          "cities = pd.read_csv('cities.csv'); cities.plot.bar('city')\n"
                          "open('made', 'w').write('1'); print(len(cities))", timeout=PATIENCE)
    assert cell.status == "ok" and cell.stdout == "2\n"
    assert "image/png" in cell.one("display_data").content["data"]
    assert (folder / "made").read_text() == "1"
    assert not (folder / "trapped").exists()  # by a module that is named like those it imports

    loop = client.send_execute("print('on', flush=True)\nwhile True: pass")
    client.wait_for_text(loop, "on", timeout=PATIENCE)
    client.request("interrupt_request", {}, channel="control", timeout=PATIENCE)
    assert client.finish(loop, timeout=PATIENCE).content["ename"] == "KeyboardInterrupt"

    cell = client.execute("import ctypes; ctypes.string_at(0)", timeout=PATIENCE)
    assert cell.status == "error" and "SIGSEGV" in str(cell.content["traceback"])
    assert client.execute("print(1)", timeout=PATIENCE).stdout.endswith("1\n")

    runtime = Path(os.environ["XDG_RUNTIME_DIR"]) / "cellpod"
    assert list(runtime.glob("runsc-*"))
    keeper, = psutil.Process(kernel.pid).children()
    os.kill(kernel.pid, signal.SIGKILL)
    assert keeper.wait(PATIENCE) is not None or not keeper.is_running()
    assert not list(runtime.glob("runsc-*"))


def is_of_2022() -> bool:
    """Debian 12's, which hands orphans to another process than init."""
    said = subprocess.run(["runsc", "--version"], capture_output=True, text=True, check=True)
    return int(re.search(r"version (?:release-|0\.0~)(\d{4})", said.stdout)[1]) < 2023


def await_a_checkpoint(client) -> str:
    """The list of them; or why there is none."""
    deadline = Deadline(PATIENCE)
    while "no checkpoint yet" in (listed := client.run("%checkpoints", timeout=PATIENCE).stdout):
        assert deadline.left_ms
    return listed


def test_checkpoints_work_there_or_are_told_to_be_missing(start):
    client = start().ready_client()
    client.run("x = 1; import os", timeout=PATIENCE)
    listed = await_a_checkpoint(client)
    client.run("x = 2", timeout=PATIENCE)
    undone = client.execute("%undo", timeout=PATIENCE)
    after = client.value("x")
    died = client.execute("x = 3; os._exit(1)", timeout=PATIENCE).content["evalue"]
    kept = client.execute("print(x)", timeout=PATIENCE)
    if is_of_2022():
        assert listed == "There is no checkpoint: this gVisor is too old for a copy of the worker to take over.\n"
        assert "nothing to undo: this gVisor is too old" in undone.content["evalue"]
        assert after == "2" and kept.content["ename"] == "NameError"
    else:
        assert undone.status == "ok" and after == "1"
        assert "The variables are those from before this cell." in died and kept.stdout == "1\n"


def test_a_folder_with_too_much_to_look_through_is_told_there_too(start, laboratory):
    folder = laboratory.folder("crowded-gvisor")
    for number in range(3000):
        (folder / f"{number:05}ü").mkdir()
    client = start(cwd=folder).ready_client()
    first = client.run("1", timeout=PATIENCE)
    assert "cellpod: There is more in this folder" in first.stderr
    assert "more in this folder" not in client.run("1", timeout=PATIENCE).stderr


def test_without_runsc_the_error_names_it(start_kernel, folder, tmp_path):
    kernel = start_kernel.on(connection_info(), arguments=["--runtime", "runsc"], cwd=folder,
                             env={"PATH": str(tmp_path)})
    cell = kernel.ready_client().execute("1", timeout=PATIENCE)
    assert cell.status == "error" and "apt-get install runsc" in str(cell.content)
