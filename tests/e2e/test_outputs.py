"""What cells put out is kept, and `%outputs` shows it again."""

import resource
import uuid
from pathlib import Path

import pytest

from support.client import START
from support.kernel import connection_info
from support.takeover import STEPS, kept, rm, wait_until_kept

pytestmark = pytest.mark.cellpod_only("other kernels keep no outputs")

NOTEBOOK = "/notebooks/one.ipynb"


@pytest.fixture
def state(laboratory, work):
    folder = laboratory.work / f"state-of-{work.name}"
    folder.mkdir()
    return folder


@pytest.fixture
def start(start_kernel, laboratory, work, state):
    def start(*flags: str, notebook: str | None = NOTEBOOK, cwd: Path = work, **options):
        env = {"XDG_STATE_HOME": str(state)}
        if notebook:
            env["JPY_SESSION_NAME"] = notebook
        return start_kernel.on(connection_info(), arguments=flags, cwd=cwd,
                               env={**env, **options.pop("env", {})}, **options)

    yield start
    for kernel in start_kernel.kernels:
        if kernel.process.poll() is None:
            kernel.close()
    for sandbox in kept(laboratory):
        rm(sandbox["id"])


def kill(kernel) -> None:
    kernel.process.kill()
    kernel.wait_exit()


def folder_of(state: Path) -> Path:
    (only,) = (state / "cellpod/outputs").iterdir()
    return only


def test_a_cell_is_shown_again_by_its_number_and_without_one(start):
    client = start().ready_client()
    client.run("print('one'); 1 + 1", timeout=START)
    client.execute("import sys; print('two', file=sys.stderr); 1 / 0")
    shown = client.run("%outputs 1")
    assert shown.content["execution_count"] == 3
    assert shown.stdout == "one\n"
    assert shown.one("execute_result").content["data"]["text/plain"] == "2"
    assert shown.stderr.startswith("cellpod: what cell [1] of ")
    assert "Others: 2." in shown.stderr
    again = client.run("%outputs")
    assert again.stderr.endswith("two\n")
    assert again.one("error").content["ename"] == "ZeroDivisionError"
    assert client.run("4").content["execution_count"] == 5


def test_the_next_kernel_shows_what_an_earlier_one_has_kept(start):
    kernel = start()
    client = kernel.ready_client()
    client.run("print('from before')", timeout=START)
    kernel.close()
    client = start().ready_client()
    assert client.run("%outputs 1", timeout=START).stdout == "from before\n"


def test_a_display_is_as_it_was_last_and_what_was_cleared_is_not_there(start):
    client = start().ready_client()
    client.run("from IPython.display import display, clear_output, HTML\n"
               "print('gone'); clear_output()\n"
               "h = display('first', display_id=True); print('stays')\n"
               "h.update('second')", timeout=START)
    client.run("h.update('third')")
    shown = client.run("%outputs 1")
    assert shown.types == ["stderr", "display_data", "stdout"]
    assert shown.one("display_data").content["data"]["text/plain"] == "'third'"
    assert shown.stdout == "stays\n"


def test_a_cell_that_ran_on_without_a_kernel_is_whole_and_nothing_is_doubled(start, laboratory, step):
    kernel = start()
    client = kernel.ready_client()
    cell = client.send_execute(STEPS.format(count=4))
    step(0)
    client.wait_for_text(cell, "line 0\n", START)
    kill(kernel)
    wait_until_kept(laboratory)
    step(1)
    client = start().ready_client()
    first = client.send_execute("print('first')")
    client.wait_for_text(first, "line 1\n", START)
    step(2)
    step(3)
    client.wait_for_text(first, "first\n")
    client.finish_rest(first)
    shown = client.run("%outputs 1")
    assert shown.stdout == "line 0\nline 1\nline 2\nline 3\n"
    assert "so far" not in shown.stderr and "too much" not in shown.stderr


def test_a_second_kernel_of_the_notebook_keeps_none_and_says_so_once(start):
    first = start()
    first.ready_client().run("print('first')", timeout=START)
    client = start().ready_client()
    refused = client.execute("%outputs", timeout=START)  # answered once that is known
    assert refused.content["ename"] == "OutputsError"
    assert refused.stderr.count("are not kept for %outputs: another kernel") == 1
    assert client.run("print('second')").transcript == [("stdout", "second\n")]
    assert first.client().ready().run("%outputs").stdout == "first\n"


@pytest.mark.parametrize("flags, notebook, why", [
    (["--outputs-mb", "0"], NOTEBOOK, "the configuration says so (outputs_mb)"),
    ([], None, "has not named this notebook")], ids=["off", "no-name"])
def test_nothing_is_kept_where_it_is_not_to_be(start, state, flags, notebook, why):
    client = start(*flags, notebook=notebook).ready_client()
    client.run("print('one')", timeout=START)
    refused = client.execute("%outputs")
    assert refused.content["ename"] == "OutputsError" and why in refused.content["evalue"]
    assert not list(state.glob("cellpod/outputs/*"))


def test_a_full_disk_costs_outputs_and_neither_cells_nor_what_was_kept(start, state):
    kernel = start()
    client = kernel.ready_client()
    client.run("print('one')", timeout=START)
    client.run("%outputs 1")
    size = (folder_of(state) / "now").stat().st_size
    unlimited = resource.prlimit(kernel.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(kernel.process.pid, resource.RLIMIT_FSIZE, (size + 4096, unlimited[1]))
    large = client.run("print('x' * 100_000)")
    assert large.stdout == "x" * 100_000 + "\n"
    shown = client.run("%outputs 1")  # once all before it is dealt with
    assert shown.stdout == "one\n"
    told = large.stderr + shown.stderr + client.run("pass").stderr
    assert told.count("cellpod: outputs are not kept for %outputs from here on: write: ") == 1
    resource.prlimit(kernel.process.pid, resource.RLIMIT_FSIZE, unlimited)
    client.run("print('two')")
    again = client.run("%outputs")
    assert again.stdout == "two\n" and "without" not in again.stderr


def test_answers_to_input_are_not_kept(start, state):
    client = start().ready_client()
    word = uuid.uuid4().hex
    cell = client.send_execute("text = input('? ')", allow_stdin=True)
    asked = client.receive(("stdin",), lambda m: m.type == "input_request", START)
    client.send("input_reply", {"status": "ok", "value": word}, "stdin", parent=asked.header)
    client.finish(cell)
    client.run("%outputs 1")
    for path in folder_of(state).iterdir():
        assert word.encode() not in path.read_bytes()
        assert path.stat().st_mode & 0o777 == 0o600


# --- the comm ---------------------------------------------------------------------------

class Journal:
    """The comm of a document that may lack outputs."""

    def __init__(self, client, target: str = "cellpod.journal"):
        self.client, self.id = client, uuid.uuid4().hex
        client.notify("comm_open", {"comm_id": self.id, "target_name": target, "data": {}})

    def say(self, **data) -> dict:
        asked = self.client.send("comm_msg", {"comm_id": self.id, "data": data})
        return self.hear(asked)

    def hear(self, asked: str | None = None) -> dict:
        return self.client.published(lambda m: m.type == "comm_msg" and (
            asked is None or m.parent_id == asked)).content["data"]


def run_cell(client, cell: str, code: str, **options):
    return client.finish(client.send_execute(code, metadata={"cellId": cell}), **options)


def texts(outputs: list[dict]) -> str:
    return "".join(o["content"].get("text", "") for o in outputs)


def test_a_client_gets_what_its_document_lacks(start):
    kernel = start()
    client = kernel.ready_client()
    run_cell(client, "cell-a", "print('one')", timeout=START)
    run_cell(client, "cell-b", "2")
    run_cell(client, "cell-c", "x = 1")  # shows nothing
    journal = Journal(kernel.ready_client())
    cells = journal.say(method="list")["cells"]
    assert [(c["cell"], c["count"], c["running"], c["gap"]) for c in cells] == [
        ("cell-b", 2, False, False), ("cell-a", 1, False, False)]
    lacking = journal.say(method="list", have={"cell-b": 2, "cell-a": None})["cells"]
    assert [c["cell"] for c in lacking] == ["cell-a"]
    answer = journal.say(method="get", cell="cell-b")
    assert (answer["found"], answer["count"], answer["running"]) == (True, 2, False)
    (output,) = answer["outputs"]
    assert output["type"] == "execute_result"
    assert output["content"]["data"] == {"text/plain": "2"}
    assert journal.say(method="get", cell="cell-z") == {"method": "get", "found": False}
    assert journal.say(method="steal")["method"] == "error"


def test_a_client_follows_a_cell_that_runs(start, step):
    kernel = start()
    client = kernel.ready_client()
    cell = client.send_execute(STEPS.format(count=3), metadata={"cellId": "cell-a"})
    step(0)
    client.wait_for_text(cell, "line 0\n", START)
    journal = Journal(kernel.client().ready_on_control())
    (listed,) = journal.say(method="list", have={"cell-a": 1})["cells"]
    assert listed["running"] is True and listed["ended"] is None
    answer = journal.say(method="get", cell="cell-a", follow=True)
    assert answer["running"] is True
    text = texts(answer["outputs"])
    step(1)
    step(2)
    while (news := journal.hear())["method"] == "more":
        assert news["cell"] == "cell-a"
        text += texts([news["output"]])
    assert news == {"method": "end", "cell": "cell-a"}
    assert text == "line 0\nline 1\nline 2\n"


def test_a_cell_of_an_earlier_kernel_is_followed_to_its_end(start, laboratory, step):
    kernel = start()
    client = kernel.ready_client()
    cell = client.send_execute(STEPS.format(count=4), metadata={"cellId": "cell-a"})
    step(0)
    client.wait_for_text(cell, "line 0\n", START)
    kill(kernel)
    wait_until_kept(laboratory)
    step(1)
    kernel = start()
    client = kernel.ready_client()
    first = client.send_execute("print('first')", metadata={"cellId": "cell-b"})
    client.wait_for_text(first, "line 1\n", START)
    journal = Journal(kernel.client().ready_on_control())
    answer = journal.say(method="get", cell="cell-a", follow=True)
    assert answer["running"] is True and answer["count"] == 1
    text = texts(answer["outputs"])
    step(2)
    step(3)
    while (news := journal.hear())["method"] == "more":
        text += texts([news["output"]])
    assert news["method"] == "end"
    assert text == "line 0\nline 1\nline 2\nline 3\n"


def test_comm_info_names_the_comm_until_it_is_closed(start):
    client = start().ready_client()
    client.run("pass", timeout=START)
    journal = Journal(client)

    def comms(**content):
        return client.request("comm_info_request", content).content["comms"]

    ours = {journal.id: {"target_name": "cellpod.journal"}}
    assert comms() == ours and comms(target_name="cellpod.journal") == ours
    assert comms(target_name="jupyter.widget") == {}
    client.notify("comm_close", {"comm_id": journal.id, "data": {}})
    assert comms() == {}


def test_a_cell_cannot_speak_in_the_journals_name(start):
    client = start().ready_client()
    client.run("pass", timeout=START)
    journal = Journal(client)
    cell = client.run(f"""
from comm import create_comm
fake = create_comm(target_name='cellpod.journal', data={{'x': 1}})
fake.send({{'method': 'list', 'cells': []}})
from comm.base_comm import BaseComm
other = create_comm(target_name='other', comm_id='{journal.id}')
other.send({{'method': 'list', 'cells': []}})
third = create_comm(target_name='third')
third.send({{'x': 3}})
""")
    said = [(m.type, m.content["comm_id"]) for m in cell.messages if m.type.startswith("comm_")]
    assert journal.id not in [comm for _, comm in said]
    targets = [m.content["target_name"] for m in cell.messages if m.type == "comm_open"]
    assert targets == ["third"]


def test_a_cell_can_neither_read_nor_write_what_is_kept(start, state):
    client = start().ready_client()
    client.run("print('kept')", timeout=START)
    client.run("%outputs 1")
    folder = folder_of(state)
    tried = client.run(f"""
import os
for path in ({str(folder)!r}, {str(folder / 'now')!r}):
    try:
        os.listdir(path) if path == {str(folder)!r} else open(path, 'ab')
        print('reached', path)
    except OSError as error:
        print(type(error).__name__)
""")
    assert "reached" not in tried.stdout
