"""The wall clock jumps a year forwards and a day back: nothing ends, nothing waits for ever."""

from __future__ import annotations

import os
import struct
import subprocess
from pathlib import Path

import pytest

from support import processes
from support.client import START
from support.kernel import BUILD, connection_info
from support.lean_python import lean_python
from support.sandboxd_http import ask

pytestmark = pytest.mark.cellpod_only("there is no sandboxd behind other kernels")

JUMPS = {"a year forwards": 366 * 86400, "a day back": -86400, "to 1970": -int(2e9) + 86400 * 365 * 7}


@pytest.fixture(scope="module")
def clock(tmp_path_factory):
    """Sets how wrong the wall clock is of whoever was started with `clock.env`."""
    folder = tmp_path_factory.mktemp("clock")

    class Clock:
        file = folder / "jump"
        library = folder / "clock_jump.so"

        def __init__(self):
            self.set(0)
            subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-D_GNU_SOURCE", "-o",
                            self.library, Path(__file__).with_name("clock_jump.c")], check=True)
            self.env = {"LD_PRELOAD": str(self.library), "CLOCK_JUMP_FILE": str(self.file)}

        def set(self, seconds: int) -> None:
            with open(self.file, "r+b" if self.file.exists() else "w+b") as file:
                file.write(struct.pack("q", seconds))

    return Clock()


@pytest.fixture(scope="module")
def sandboxd(clock, laboratory):
    folder = laboratory.folder(f"clock-{os.urandom(4).hex()}")
    reader, writer = os.pipe()
    process = subprocess.Popen(
        [BUILD / "bin/cellpod-sandboxd", "--listen", f"unix:{folder}/s.sock", "--ready-fd", str(writer)],
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "XDG_STATE_HOME": str(folder),
             "XDG_RUNTIME_DIR": str(folder), "CELLPOD_PYTHON": lean_python(), **clock.env},
        pass_fds=[writer])
    os.close(writer)
    with open(reader) as said:
        assert said.readline() == "ready\n"
    yield folder / "s.sock"
    tree = [process, *processes.descendants(process.pid)]
    process.terminate()
    process.wait(20)
    processes.assert_all_end(tree[1:], "sandboxd's children")


def test_the_clock_of_these_programs_jumps(clock):
    """What follows would prove nothing otherwise."""
    clock.set(JUMPS["a year forwards"])
    said = subprocess.run(["date", "+%s"], env={**os.environ, **clock.env}, capture_output=True)
    now = subprocess.run(["date", "+%s"], capture_output=True)
    assert int(said.stdout) - int(now.stdout) > 365 * 86400


@pytest.mark.parametrize("seconds", JUMPS.values(), ids=JUMPS.keys())
def test_the_wall_clock_jumps(clock, sandboxd, start_kernel, seconds):
    clock.set(0)
    kernel = start_kernel.on(connection_info(), arguments=["--sandbox", f"unix:{sandboxd}"],
                             env=clock.env)
    client = kernel.ready_client()
    client.run("import time; kept = 1", timeout=START)
    status, limited = ask(sandboxd, "POST", "/v1/sandboxes",
                          {"task_id": "with-limits", "ttl_seconds": 3600, "idle_seconds": 3600})
    assert status == 201
    cell = client.send_execute("for i in range(50): print(i, end=' '); time.sleep(0.01)")
    client.pending["iopub"].append(client.published_for(cell, "stream"))
    clock.set(seconds)
    assert client.finish(cell).stdout == "".join(f"{i} " for i in range(50))
    assert client.run("print(kept)").stdout == "1\n"
    waiting = client.send_execute("time.sleep(1000)")
    client.pending["iopub"].append(client.published_for(waiting, "execute_input"))
    client.request("interrupt_request", channel="control")
    assert client.finish(waiting).content["ename"] == "KeyboardInterrupt"
    assert ask(sandboxd, "GET", f"/v1/sandboxes/{limited['id']}")[0] == 200
    assert ask(sandboxd, "DELETE", f"/v1/sandboxes/{limited['id']}")[0] == 200
