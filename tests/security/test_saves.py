"""Checkpoints after cells: what a cell says of them is held against what the kernel knows."""

import os

import pytest

from support import processes
from support.client import START

pytestmark = pytest.mark.cellpod_only("other kernels have no checkpoints")

# With each cell a socket is lent. This one makes its own use of it: orphans, who say that they are the
# checkpoint, again and again.
HOSTILE = """
import os
lent = get_ipython().channel._lent
for _ in range(4):
    if os.fork() == 0:
        if os.fork() == 0:
            try:
                while lent.send(b'c') and lent.recv(1): pass
            finally: os._exit(0)
        os._exit(0)
    os.wait()
"""


def test_a_cell_cannot_make_sandboxd_keep_more_than_it_lends(laboratory, start_kernel):
    client = start_kernel().ready_client()
    client.run("x = 1", timeout=START)
    daemon = laboratory.sandboxd().pid
    processes.need_to_look_into(daemon)
    for _ in range(3):
        client.run(HOSTILE, timeout=START)
    before = len(os.listdir(f"/proc/{daemon}/fd"))
    for _ in range(10):
        client.run(HOSTILE, timeout=START)
    assert len(os.listdir(f"/proc/{daemon}/fd")) <= before + 4  # two for each of two that are lent
    assert client.value("x") == "1"


def test_a_cell_cannot_choose_another_sandboxs_process_for_its_heir(start_kernel):
    """Names are those inside of its own sandbox, and count only for checkpoints of it."""
    victim, client = start_kernel().ready_client(), start_kernel().ready_client()
    victim.run("x = 1", timeout=START)
    client.run("x = 2", timeout=START)
    cell = client.execute(
        "import ctypes, os\n"
        "path = next(word for word in open('/proc/self/maps').read().split() if 'libcellpod-isolate' in word)\n"
        "for pid in range(2, 2000): ctypes.CDLL(path).pid1_name_successor(pid)\n"
        "os._exit(1)", timeout=START)
    assert cell.content["ename"] == "WorkerDied"
    assert victim.value("x") == "1"
    assert client.run("print(1)", timeout=START).stdout == "1\n"
