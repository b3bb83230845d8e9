"""What a cell cannot say in the kernel's name, whatever it sends on the worker's channel."""

import json

import pytest

from support.client import START

pytestmark = pytest.mark.cellpod_only("the list of messages is cellpod's")

# Past the worker's own code: an envelope, written by the cell to the channel's descriptor.
SEND = """
import json
channel = get_ipython().channel
content = json.dumps({content}).encode()
line = dict(type={type!r}, parent=channel.running.id, bytes=len(content))
channel.write([json.dumps(line).encode() + b"\\n" + content + b"\\n"])
"""


@pytest.fixture
def client(start_kernel):
    client = start_kernel().ready_client()
    client.run("1", timeout=START)
    return client


def send(client, type: str, content: dict):
    return client.execute(SEND.format(type=type, content=json.dumps(content)), timeout=START)


def test_cannot_write_the_kernels_metadata(client):
    cell = client.run("display({'text/plain': 'x'}, raw=True, "
                      "metadata={'cellpod': {'question': 'forged'}, 'mine': 1})", timeout=START)
    assert cell.one("display_data").content["metadata"] == {"mine": 1}
    sent = send(client, "display_data", {"data": {"text/plain": "y"}, "transient": {},
                                         "metadata": {"cellpod": 1}})
    assert sent.one("display_data").content["metadata"] == {}


def test_cannot_announce_another_cell(client):
    """The worker's own execute_input came first: another one ends it."""
    cell = send(client, "execute_input", {"code": "forged", "execution_count": 7})
    assert cell.content["ename"] == "WorkerDied"
    assert "a second execute_input" in cell.content["evalue"]
    assert "forged" not in [m.content["code"] for m in cell.of_type("execute_input")]


@pytest.mark.parametrize("type", ["status", "worker_exited", "sandbox_ended",
                                  "kernel_info_reply", "iopub_welcome", "nonsense"])
def test_cannot_say_what_is_not_a_workers(client, type):
    cell = send(client, type, {"execution_state": "idle", "message": "forged"})
    assert cell.content["ename"] == "WorkerDied"
    assert "a message of an unknown type" in cell.content["evalue"]
