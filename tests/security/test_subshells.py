"""What code cannot do by way of a subshell: its thread is one of the worker, which runs beside the main one."""

import json
from pathlib import Path

import pytest

from security.counterparts import works_where_it_may
from security.test_messages import SEND
from security.test_provenance import OWN, ask, html_of, notebook  # noqa: F401
from support.client import START

pytestmark = pytest.mark.cellpod_only("the list of messages is cellpod's")

# The request of the subshell's cell.
OWN_ID = "__import__('cellpod.parents', fromlist=['get']).get().id"
# The worker's end of the socket on which it is told what to run in subshells.
BESIDE = """
import gc
beside = next(each for each in gc.get_objects() if type(each).__name__ == "Subshells")._end
"""


@pytest.fixture
def client(start_kernel):
    client = start_kernel().ready_client()
    client.run("import threading", timeout=START)
    return client


def create(client) -> str:
    return client.request("create_subshell_request", channel="control").content["subshell_id"]


@pytest.fixture
def subshell(client):
    return create(client)


def send(client, subshell: str, code: str) -> str:
    content = {"code": code, "silent": False}
    return client.send("execute_request", content, header={"subshell_id": subshell})


def run(client, subshell: str, code: str):
    return client.finish(send(client, subshell, code), timeout=START)


def says(type: str, content: dict) -> str:
    return SEND.format(type=type, content=json.dumps(content).encode(), metadata=b"", parent=OWN_ID)


def held(client) -> str:
    cell = client.send_execute("print('held', flush=True); threading.Event().wait(600)")
    client.wait_for_text(cell, "held")
    return cell


def death_of(client, cell: str) -> str:
    reply = client.finish_rest(cell, START).content
    assert reply["ename"] == "WorkerDied"
    return reply["evalue"]


@pytest.mark.parametrize("said", [b'{"type":"stream"}\n\n', b"x" * 100_000,
                                  b'{"type":"execute_reply","parent":"x1"}\n\n'],
                         ids=["a message", "no message", "a reply"])
def test_cannot_speak_where_it_is_told_what_to_run(client, subshell, said):
    client.run(BESIDE)
    works_where_it_may(client.value("beside.send(b'')") == "0")
    cell = held(client)
    send(client, subshell, f"beside.sendall({said!r})")
    assert "protocol" in death_of(client, cell)
    assert client.value("1 + 1") == "2"


@pytest.mark.parametrize("type, content", [
    ("input_request", {"prompt": "Password: ", "password": True}),
    ("notice", {"message": "forged"}), ("checkpoints_wanted", {}), ("debugger", {}), ("done", {}),
    ("complete_reply", {"matches": [], "metadata": {}}),
    ("execute_input", {"code": "forged", "execution_count": 7})])
def test_cannot_say_what_is_a_main_cells(client, subshell, type, content):
    works_where_it_may(run(client, subshell, says("stream", {"name": "stdout", "text": "s"})).stdout == "s")
    cell = run(client, subshell, f"{says(type, content)}\nwhile True: pass")
    assert cell.content["ename"] == "WorkerDied"
    assert "forged" not in [m.content["code"] for m in cell.of_type("execute_input")]
    assert "forged" not in str([m.content for m in client.unclaimed()])


def test_cannot_answer_twice(client, subshell):
    """The worker's own reply is the second one."""
    forged = {"status": "ok", "execution_count": 77, "payload": [], "user_expressions": {}}
    cell = held(client)
    # Nothing to show: that would come after the forged one, now and then before the worker is gone.
    answered = run(client, subshell, says("execute_reply", forged) + "\nNone")
    works_where_it_may(answered.content["execution_count"] == 77)
    assert "execute_reply for a request that it does not have" in death_of(client, cell)


def test_cannot_leave_the_walls_by_its_thread(client, subshell):
    names = ("Seccomp:", "NoNewPrivs", "CapEff", "CapPrm", "CapBnd", "Uid", "Gid", "Groups")
    walls = f"[line for line in open('/proc/thread-self/status') if line.startswith({names!r})]"
    inside = run(client, subshell, f"print({walls})").stdout
    assert inside == client.run(f"print({walls})").stdout
    outside = Path("/proc/thread-self/status").read_text().splitlines(keepends=True)
    works_where_it_may(f"{[line for line in outside if line.startswith(names)]}\n" != inside)


def test_cannot_show_unreduced_what_a_models_code_may_have_made(notebook):  # noqa: F811
    client = notebook("print('done')")
    client.run("1", timeout=START)
    subshell = create(client)
    opens = "import comm; _ = comm.create_comm(target_name='x')"
    works_where_it_may("onclick" in html_of(run(client, subshell, OWN)))
    works_where_it_may("comm_open" in run(client, subshell, opens).types)
    assert ask(client).status == "ok"
    assert "onclick" not in html_of(run(client, subshell, OWN))
    assert "comm_open" not in run(client, subshell, opens).types
