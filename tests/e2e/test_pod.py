"""sandboxd in a container, which cannot make namespaces: --isolation pod."""

import json
import os
import urllib.error
import urllib.request

import psutil
import pytest

from support import container
from support.caches import cache_of
from support.kernel import BUILD, connection_info
from support.lean_python import WHOLE, lean_python
from support.saves import wait_for_checkpoint

pytestmark = [pytest.mark.cellpod_only("there is no sandboxd behind other kernels"),
              pytest.mark.skipif(os.geteuid() != 0, reason="only root can make the container")]


class Pod:
    def __init__(self, python: str):
        reader, writer = os.pipe()
        self.process = container.start(
            [BUILD / "bin/cellpod-sandboxd", "--listen", "tcp:127.0.0.1:0", "--capacity", "1",
             "--isolation", "pod", "--ready-fd", str(writer)],
            env={"CELLPOD_PYTHON": python, "CACHE": cache_of(container.UID), "XDG_CACHE_HOME": "/cache"},
            pass_fds=[writer])
        os.close(writer)
        with open(reader) as said:
            word, _, netloc = said.readline().strip().partition(" ")
        assert word == "ready"
        self.url = f"http://{netloc}"

    def close(self):
        for program in psutil.Process(self.process.pid).children() if self.is_alive else []:
            program.terminate()  # unshare, which waits for it, passes nothing on
        self.process.wait(20)

    @property
    def is_alive(self):
        return self.process.poll() is None


@pytest.fixture
def pod(request):
    pod = Pod(WHOLE if request.node.get_closest_marker("whole_python") else lean_python())
    yield pod
    pod.close()


@pytest.fixture
def start(start_kernel, pod):
    def start(*flags: str):
        client = start_kernel.on(connection_info(), arguments=["--sandbox", pod.url, *flags]).ready_client()
        client.run("0", timeout=60)  # the first cell waits for Python, and says so
        return client

    return start


@pytest.fixture
def client(start):
    return start()


def test_a_crash_costs_one_cell(client):
    client.run("x = 1")
    wait_for_checkpoint(client)
    cell = client.execute("x = 2; import ctypes; ctypes.string_at(0)")
    assert "SIGSEGV" in str(cell.content["traceback"])
    assert client.value("x") == "1"


@pytest.mark.whole_python
def test_cells_run_charts_come_back_and_workers_are_replaced(start):
    client = start("--checkpoints", "0")
    cell = client.execute("import matplotlib.pyplot as plt; plt.plot([1, 3, 2]); print('drawn')")
    assert cell.status == "ok" and cell.stdout == "drawn\n"
    assert "image/png" in cell.one("display_data").content["data"]
    cell = client.execute("import os; print(os.getcwd(), os.getuid(), os.environ['HOME'])")
    assert cell.stdout == f"/workspace {container.UID} /tmp/home\n"

    # What the worker had started ends with it.
    assert client.execute("import subprocess as s; c = s.Popen(['sleep', '1000'],"
                          " start_new_session=True); print(c.pid)").status == "ok"
    cell = client.execute("import ctypes; ctypes.string_at(0)")
    assert cell.status == "error" and "SIGSEGV" in str(cell.content["traceback"])
    listed = client.execute("import os, pathlib\n"
                            "print([p for p in pathlib.Path('/proc').glob('[0-9]*/comm')"
                            " if p.read_text() == 'sleep\\n'])", timeout=60)
    assert listed.stdout.endswith("[]\n")


def test_the_notebooks_files_travel(start_kernel, pod, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/a.csv").write_text("1")
    client = start_kernel.on(connection_info(), arguments=["--sandbox", pod.url], cwd=tmp_path).ready_client()
    cell = client.execute("open('sub/b.csv', 'w').write(open('sub/a.csv').read() + '2')\n"
                          "open('sub/a.csv', 'w').write('3')", timeout=60)
    assert cell.status == "ok", cell
    assert ((tmp_path / "sub/a.csv").read_text(), (tmp_path / "sub/b.csv").read_text()) == ("3", "12")
    assert sorted(os.listdir(tmp_path)) == ["sub"]


def test_an_interrupt_ends_a_loop(client):
    asked = client.send_execute("print('on', flush=True)\nwhile True: pass")
    client.wait_for_text(asked, "on")
    client.request("interrupt_request", {}, channel="control")
    assert client.finish(asked).content["ename"] == "KeyboardInterrupt"
    assert client.execute("print(1)").stdout == "1\n"


def test_a_cell_cannot_reach_beyond_its_folders_or_into_sandboxd(client):
    tried = client.execute("""
import ctypes, os
def attempt(name, do):
    try:
        do()
    except OSError as error:
        print(name, error.errno)
    else:
        print(name, "DONE")

sandboxd = next(p for p in os.listdir("/proc") if p.isdigit()
                and open(f"/proc/{p}/comm").read().startswith("cellpod-sandbox"))
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    if libc.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "")
attempt("write beside", lambda: open("/var/tmp/x", "w"))
attempt("memory", lambda: open(f"/proc/{sandboxd}/mem", "rb").read(1))
attempt("environment", lambda: open(f"/proc/{sandboxd}/environ").read())
attempt("descriptors", lambda: os.listdir(f"/proc/{sandboxd}/fd"))
attempt("trace", lambda: call(101, 16, int(sandboxd), 0, 0))
attempt("namespace", lambda: call(272, 0x10000000))
print("privileges", [l.split()[1] for l in open("/proc/self/status")
                     if l.startswith(("NoNewPrivs", "Seccomp:", "CapEff"))])
""")
    lines = tried.stdout.splitlines()
    assert not [line for line in lines if "DONE" in line], tried.stdout
    assert lines[-1] == "privileges ['0000000000000000', '1', '2']"


def test_the_pod_ends_with_its_sandbox(start_kernel, pod):
    kernel = start_kernel.on(connection_info(), arguments=["--sandbox", pod.url])
    client = kernel.ready_client()
    client.run("0", timeout=60)
    kernel.close()
    assert pod.process.wait(20) == 0


@pytest.mark.whole_python
def test_a_pod_is_ready_when_its_python_is(pod):
    """What a readiness probe sees; who claims then waits for no Python."""
    seen = []
    while not seen or seen[-1] != 200:
        try:
            seen.append(urllib.request.urlopen(f"{pod.url}/v1/health", timeout=30).status)
        except urllib.error.HTTPError as error:
            assert json.load(error)["status"] == "warming"
            seen.append(error.code)
            os.sched_yield()  # the processor is Python's
    assert seen[0] == 503 and set(seen) == {503, 200}
