"""Exit reports: what a worker died of, what went with it where there are no checkpoints, and that
the next cell runs."""

import pytest

from support.client import START
from support.kernel import connection_info

pytestmark = pytest.mark.cellpod_only("other kernels die with their worker")

# mount(2) by its number on 32-bit x86, through the gate that it has there.
OTHER_ARCHITECTURE = """
import ctypes, mmap
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(bytes.fromhex("b815000000cd80c3"))  # mov eax, 21; int 0x80; ret
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
"""


@pytest.fixture
def client(start_kernel):
    client = start_kernel.on(connection_info(), arguments=["--checkpoints", "0"]).ready_client()
    client.run("import numpy, pandas", timeout=START)
    return client


def exit_report(client, code: str) -> str:
    cell = client.execute(code, timeout=START)
    assert (cell.status, cell.content["ename"]) == ("error", "WorkerDied"), cell.content
    text = "\n".join(cell.content["traceback"])
    assert cell.content["evalue"] in text
    assert client.run("print('on')", timeout=START).stdout == "on\n"
    return text


@pytest.mark.parametrize(("code", "says"), [
    ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV: native code accessed memory"),
    ("import os; os.abort()", "SIGABRT: native code aborted"),
    ("import os; os._exit(7)", "ended by itself, with exit code 7"),
    ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
    (OTHER_ARCHITECTURE, "a system call that the sandbox does not allow: mount."),
], ids=["segfault", "abort", "exit", "kill", "system call"])
def test_the_cause_is_named(client, code, says):
    assert says in exit_report(client, code)


def test_the_largest_variables_are_named(client):
    client.run("import numpy as np, pandas as pd\n"
               "table = pd.DataFrame({'a': np.zeros(4 << 20)})\n"
               "rows = [bytes(1 << 20) for _ in range(24)]\n"
               "small = 1")
    text = exit_report(client, "import os; os._exit(1)")
    assert "Its " in text and " variables are lost" in text
    assert "the largest were table (DataFrame, 32 MiB) and rows (list, 24 MiB)." in text
    assert "small" not in text


def test_a_variable_with_code_of_its_own_is_not_asked(client):
    client.run("class Trap:\n"
               "    def __sizeof__(self): print('asked'); return 1\n"
               "    def __hash__(self): print('asked'); return 1\n"
               "    __len__ = __iter__ = __eq__ = __sizeof__\n"
               "    def __getattr__(self, name): print('asked')\n"
               "trap = Trap()\n"
               "traps = [trap, {1: trap}, bytes(64 << 20)]")
    assert "asked" not in client.run("print('quiet')").stdout


@pytest.mark.parametrize("said", [
    b'{"count":1}',
    b'{"count":1,"largest":[{"name":"\\u001b[2J","type":"x","bytes":1}]}',
    b'{"count":1,"largest":[{"name":"a","type":"x","bytes":-1}]}',
    b'{"count":1,"largest":[1,2,3,4,5,6]}',
])
def test_a_worker_that_lies_about_its_variables_is_ended(client, said):
    forge = ("import os\n"
             "fd = next(f for f in range(3, 256) if os.path.exists(f'/proc/self/fd/{f}') and "
             "os.readlink(f'/proc/self/fd/{f}').startswith('socket'))\n"
             f"said = {said!r}\n"
             "os.write(fd, b'{\"type\":\"variables\",\"bytes\":%d}\\n%b\\n' % (len(said), said))\n"
             "import time; time.sleep(60)")
    assert "broke the sandbox protocol" in exit_report(client, forge)
