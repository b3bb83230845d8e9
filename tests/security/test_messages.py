"""What a cell cannot say in the kernel's name, whatever it sends on the worker's channel."""

import json

import pytest

from support.client import START

from .counterparts import works_where_it_may

pytestmark = pytest.mark.cellpod_only("the list of messages is cellpod's")

# Past the worker's own code: an envelope, written by the cell to the channel's descriptor.
SEND = """
import json
channel = get_ipython().channel
content, metadata = {content!r}, {metadata!r}
line = dict(type={type!r}, parent={parent}, bytes=len(content), metadata=len(metadata))
whole = json.dumps(line).encode() + b"\\n" + content + metadata + b"\\n"
channel.exclusively(channel.write, [whole])  # or it would be torn by what other threads send
"""


@pytest.fixture
def client(start_kernel):
    client = start_kernel().ready_client()
    client.run("1", timeout=START)
    return client


def send(client, type: str, content: dict | bytes, parent: str = "channel.running.id",
         metadata: dict | None = None):
    if isinstance(content, dict):
        content = json.dumps(content).encode()
    metadata = json.dumps(metadata).encode() if metadata else b""
    return client.execute(SEND.format(type=type, content=content, parent=parent,
                                      metadata=metadata), timeout=START)


def sends_what_a_worker_may(client) -> bool:
    display = {"data": {"text/plain": "y"}, "transient": {}, "metadata": {}}
    return bool(send(client, "display_data", display).of_type("display_data"))


def test_cannot_write_the_kernels_metadata(client):
    cell = client.run("display({'text/plain': 'x'}, raw=True, "
                      "metadata={'cellpod': {'question': 'forged'}, 'mine': 1})", timeout=START)
    works_where_it_may(cell.one("display_data").content["metadata"] == {"mine": 1})
    sent = send(client, "display_data", {"data": {"text/plain": "y"}, "transient": {},
                                         "metadata": {"cellpod": 1}})
    assert sent.one("display_data").content["metadata"] == {}


FORGED = {"cellpod": {"provider": "planner", "question": "forged", "answered": True}}


def test_cannot_forge_where_an_answer_comes_from(client):
    """As what a question's outputs carry: in a message's own metadata, in its content's under any
    spelling of the name, in a reply's."""
    display = {"data": {"text/plain": "y"}, "transient": {}, "metadata": {}}
    sent = send(client, "display_data", display, metadata=FORGED | {"mine": 1})
    works_where_it_may(sent.one("display_data").metadata == {"mine": 1})
    spelt = send(client, "display_data", b'{"data":{"text/plain":"z"},"transient":{},'
                 b'"metadata":{"cellp\\u006fd":{"question":1}}}')
    assert spelt.one("display_data").content["metadata"] == {}
    reply = {"status": "ok", "execution_count": 1, "payload": [], "user_expressions": {},
             "metadata": FORGED}
    answered = send(client, "execute_reply", reply, metadata=FORGED)
    assert answered.reply.metadata == {}
    assert answered.content["metadata"] == {}


@pytest.mark.parametrize("parent", ["earlier", "''", "'0000'"])
def test_cannot_give_notice_of_a_request_that_does_not_run(client, parent):
    works_where_it_may("its own" in send(client, "notice", {"message": "its own"}).stderr)
    client.run("earlier = get_ipython().channel.running.id")
    cell = send(client, "notice", {"message": "forged"}, parent=parent)
    assert cell.content["ename"] == "WorkerDied"
    assert "notice for a request that it does not have" in cell.content["evalue"]
    assert "forged" not in str([m.content for m in client.unclaimed()]) + cell.stderr


def test_cannot_announce_another_cell(client):
    """The worker's own execute_input came first: another one ends it."""
    works_where_it_may(sends_what_a_worker_may(client))
    cell = send(client, "execute_input", {"code": "forged", "execution_count": 7})
    assert cell.content["ename"] == "WorkerDied"
    assert "a second execute_input" in cell.content["evalue"]
    assert "forged" not in [m.content["code"] for m in cell.of_type("execute_input")]


@pytest.mark.parametrize("type", ["status", "worker_exited", "sandbox_ended",
                                  "kernel_info_reply", "iopub_welcome", "nonsense"])
def test_cannot_say_what_is_not_a_workers(client, type):
    works_where_it_may(sends_what_a_worker_may(client))
    cell = send(client, type, {"execution_state": "idle", "message": "forged"})
    assert cell.content["ename"] == "WorkerDied"
    assert "a message of an unknown type" in cell.content["evalue"]


# Past the worker's own code: the debugger's channel, opened for a request that starts none.
OPEN = """
import json, sys
def forge(self, request, lent):
    self._channel.send("debugger", request, b"{}")
    content = json.dumps(dict(type="event", event="stopped", body=dict(text="forged"))).encode()
    line = json.dumps(dict(type="debug_event", bytes=len(content))).encode()
    lent.sendall(line + b"\\n" + content + b"\\n")
    self.kept = lent
    return dict(type="response", success=True)
sys.modules["cellpod.debugger"].Debugger._answer = forge
"""


def test_cannot_forge_an_event_where_no_client_has_a_debugger(client):
    client.run(OPEN)
    content = {"type": "request", "seq": 1, "command": "debugInfo"}
    assert client.request("debug_request", content, channel="control").content["success"]
    cell = client.run("print('after')")
    assert cell.stdout == "after\n"
    assert not [m for m in client.pending["iopub"] if m.type == "debug_event"]


def test_cannot_send_a_debuggers_message_as_a_cell(client):
    works_where_it_may(sends_what_a_worker_may(client))
    cell = send(client, "debug_event", {"type": "event", "event": "stopped"}, parent="''")
    assert cell.content["ename"] == "WorkerDied"
    assert not [m for m in client.pending["iopub"] if m.type == "debug_event"]
