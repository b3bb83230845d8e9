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
number = get_ipython().execution_count
lent = get_ipython().channel._lent
for _ in range(4):
    if os.fork() == 0:
        if os.fork() == 0:
            try:
                while lent.send(b'c' + number.to_bytes(4, 'little')) and lent.recv(1): pass
            finally: os._exit(0)
        os._exit(0)
    os.wait()
"""


def test_a_cell_cannot_make_sandboxd_keep_more_than_it_lends(laboratory, start_kernel):
    client = start_kernel().ready_client()
    client.run("x = 1", timeout=START)
    daemon = laboratory.sandboxd().pid
    processes.need_to_look_into(daemon)
    before = len(os.listdir(f"/proc/{daemon}/fd"))
    for _ in range(20):
        client.run(HOSTILE, timeout=START)
    kept, lent = 8, 2
    assert len(os.listdir(f"/proc/{daemon}/fd")) <= before + 2 * (kept + lent)
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


def told(client, content: str) -> str:
    """What comes of such a wish, said past the magics."""
    cell = client.execute("channel = get_ipython().channel\n"
                          f"channel.send('checkpoints_wanted', channel.running, {content})\n"
                          "print(channel.await_input().content)", timeout=START)
    return cell.stdout or cell.content["evalue"]


@pytest.fixture
def client(start_kernel):
    client = start_kernel().ready_client()
    client.run("x = 1", timeout=START)
    return client


def test_a_cell_cannot_go_back_to_what_is_not_there(client):
    assert "is not there any more" in told(client, "{'restore': 4000}")
    assert client.value("x") == "1"


@pytest.mark.parametrize("content", ["{'restore': -1}", "{'restore': 1.5}", "{'restore': 2**31}", "{'restore': 'x'}",
                                     "{'restore': None}"])  # fmt: skip
def test_a_cell_cannot_ask_for_what_cannot_be(client, content):
    assert "it asked for a checkpoint that cannot be" in told(client, content)
    assert client.run("print(1)", timeout=START).stdout == "1\n"


def test_a_cell_cannot_keep_sandboxd_busy_with_lists(client):
    cell = client.execute("channel = get_ipython().channel\n"
                          "while True: channel.send('checkpoints_wanted', channel.running, {})", timeout=START)
    assert "asked for its checkpoints too often" in cell.content["evalue"]


def test_a_cell_cannot_leave_more_than_a_few_words_for_a_checkpoint(client):
    assert "too often, or for too long" in told(client, "{'restore': 1, 'text': 'x' * 70000}")


@pytest.mark.parametrize("number", [0, 4000, 2**31 - 1])
def test_a_cell_cannot_name_a_number_that_it_does_not_have(client, number):
    """Older than the newest, or not begun yet: what says so is not kept."""
    client.run("y = 1; number = %d\n" % number + HOSTILE.replace("number = get_ipython().execution_count", ""), timeout=START)
    assert f"In [{number}]" not in client.run("%checkpoints").stdout
    assert client.value("(x, y)") == "(1, 1)"
