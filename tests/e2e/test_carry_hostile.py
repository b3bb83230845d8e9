"""Files from a sandbox that lies: a pod's cells may have become its sandboxd."""

import json
import os
import threading

import pytest

from support.kernel import connection_info
from support.sandboxd_standin import Standin

pytestmark = pytest.mark.cellpod_only("there is no sandboxd behind other kernels")


@pytest.fixture
def standin():
    standin = Standin()
    standin.asked = []
    yield standin
    standin.close()


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "outer/notebooks"
    folder.mkdir(parents=True)
    (folder / "sales.csv").write_text("ours")
    return folder


@pytest.fixture
def start(start_kernel, standin, folder):
    def start_one(*arguments):
        return start_kernel.on(connection_info(), cwd=folder,
                               arguments=["--sandbox", standin.place, *arguments]).ready_client()
    return start_one


def send(handler, status: int, body: bytes) -> bool:
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    try:
        handler.wfile.write(body)
    except OSError:
        handler.close_connection = True  # the kernel has had enough
    return True


def lists(standin, *later, baseline=b'{"files":[],"is_cut":false}') -> None:
    """What it answers for its list: `baseline` before the first cell, then each of `later`, the last again."""
    answers = [baseline, *(one if isinstance(one, bytes) else
                           json.dumps({"files": one, "is_cut": False}).encode() for one in later)]

    def tree(handler):
        return send(handler, 200, answers.pop(0) if len(answers) > 1 else answers[0])

    def file(handler):
        standin.asked.append(handler.path.split("/files/", 1)[1])
        return send(handler, 200, b"evil")

    standin.faults[("GET", "tree")] = tree
    standin.faults[("GET", "files")] = file


def everything(folder) -> list[str]:
    return sorted(str(path.relative_to(folder.parent.parent)) for path in folder.parent.parent.rglob("*")
                  if path.is_file())


OURS = "outer/notebooks/sales.csv"


def test_names_that_lead_out_are_not_even_asked_for(start, standin, folder):
    bad = ["../evil", "a/../../evil", "/tmp/evil", "", ".", "..", "a//b", "a\\x00b".encode().decode("unicode_escape"),
           "a\nb", "x" * 300, "/".join("d" * 20), ".git/config", "sub/.env", "a\u202egpj.x"]
    lists(standin, [[name, 1, "1"] for name in bad if "\0" not in name] + [["fine", 4, "1"]])
    cell = start().execute("1")
    assert cell.status == "ok"
    assert standin.asked == ["fine"]
    assert everything(folder) == ["outer/notebooks/fine", OURS]
    assert "a file (a name that is not UTF-8, or too long)" in cell.stderr


LISTS = {
    "empty": b"", "no JSON": b"no", "an array": b"[]", "no list": b"{}", "a number": b'{"files":7}',
    "many values": b'{"files":[' + b"[]," * 100_000 + b"[]]}",
    "a NUL": b'{"files":[["a\\u0000b",1,"1"]]}',
    "deep": b"[" * 100_000,
    "long": b'{"files":[' + b" " * 20_000_000 + b"]}",
    "many files": json.dumps({"files": [[f"f{i}", 1, "1"] for i in range(10_001)]}).encode(),
}


@pytest.mark.parametrize("answer", LISTS.values(), ids=LISTS)
def test_a_list_that_is_none_ends_the_cell_well(start, standin, folder, answer):
    lists(standin, answer)
    cell = start().execute("1")
    assert cell.status == "ok" and cell.stdout == "1"
    assert "not brought back from the sandbox: the list of its files (cannot be read)" in cell.stderr
    assert everything(folder) == [OURS] and standin.asked == []


def test_more_than_was_announced_is_not_read(start, standin, folder):
    lists(standin, [["big", 1, "1"], ["fine", 4, "1"]])

    def file(handler):
        return send(handler, 200, b"x" * 3_000_000 if handler.path.endswith("big") else b"fine")

    standin.faults[("GET", "files")] = file
    cell = start("--carry-file-mb", "1").execute("1")
    assert everything(folder) == ["outer/notebooks/fine", OURS]
    assert "big (changes while it is read)" in cell.stderr


def test_less_than_was_announced_is_not_written(start, standin, folder):
    """A router cuts an answer that has no length."""
    lists(standin, [["cut", 100, "1"], ["fine", 4, "1"]])

    def file(handler):
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(b"fine")
        handler.close_connection = True
        return True

    standin.faults[("GET", "files")] = file
    cell = start().execute("1")
    assert everything(folder) == ["outer/notebooks/fine", OURS]
    assert "cut (changes while it is read)" in cell.stderr


def test_what_is_here_is_never_taken_for_its_own(start, standin, folder):
    """It says that it holds in another state what was never sent, or was refused there."""
    standin.refuse("PUT", "files", 500, "no")
    lists(standin, [["sales.csv", 4, "2"]])
    start().execute("1")
    assert (folder / "sales.csv").read_text() == "ours"
    assert (folder / "sales (from the sandbox).csv").read_text() == "evil"


def test_two_entries_of_one_name_and_a_file_that_is_a_folder(start, standin, folder):
    lists(standin, [["a", 4, "1"], ["a", 4, "2"], ["a/b", 4, "1"], ["sales.csv/x", 4, "1"]])
    cell = start().execute("1")
    assert everything(folder) == ["outer/notebooks/a", OURS]
    assert "a/b and 1 more (cannot be written here)" in cell.stderr


def test_a_cell_that_waits_for_files_says_so_until_they_are_there(start, standin, folder):
    shown = threading.Event()

    def put(handler):
        shown.wait()
        return send(handler, 200, b'{"state":"1"}')

    standin.faults[("PUT", "files")] = put
    client = start()
    msg_id = client.send_execute("1")
    waiting = client.receive(("iopub",), lambda m: m.type == "display_data" and m.parent_id == msg_id, 60)
    assert waiting.content["data"]["text/plain"] == \
        "cellpod: sending the notebook's files: 0 of 1 looked at, 0 bytes sent \u2026"
    shown.set()
    cell = client.finish(msg_id)
    assert cell.stdout == "1" and "clear_output" in [m.type for m in cell.messages]


def test_a_list_without_end_can_be_interrupted(start, standin, folder):
    ended = threading.Event()
    asked = threading.Event()
    trees = []

    def tree(handler):
        trees.append(handler)
        if len(trees) == 1:
            return send(handler, 200, b'{"files":[],"is_cut":false}')
        asked.set()
        ended.wait()
        return send(handler, 200, b'{"files":[],"is_cut":false}')

    standin.faults[("GET", "tree")] = tree
    client = start()
    msg_id = client.send_execute("1")
    assert asked.wait(60)
    client.request("interrupt_request", {}, channel="control")
    cell = client.finish(msg_id)
    assert cell.status == "ok" and "what this cell has written still comes" in cell.stderr
    ended.set()
    assert client.execute("2").stdout == "2"


def test_a_pod_that_is_lost_while_its_files_come(start, standin, folder):
    trees = []

    def tree(handler):
        trees.append(handler)
        if len(trees) == 1:
            return send(handler, 200, b'{"files":[],"is_cut":false}')
        standin.sandbox.emit("sandbox_ended", {"cause": "ttl", "message": "its time was up"})
        standin.sandbox.end()
        handler.close_connection = True
        return True

    standin.faults[("GET", "tree")] = tree
    client = start()
    cell = client.execute("1")
    assert cell.status == "error" and "its time was up" in cell.content["evalue"]
    del standin.faults[("GET", "tree")]
    assert client.execute("2").stdout == "2"


def test_states_that_are_none_are_not_kept(start, standin, folder):
    """Nor sent: what is written into a URL is what was checked."""
    paths = []

    def put(handler):
        paths.append(handler.path)
        return send(handler, 200, json.dumps({"state": "1&mode=4755\r\nX: y"}).encode())

    standin.faults[("PUT", "files")] = put
    lists(standin, [])
    client = start()
    client.execute("1")
    (folder / "sales.csv").write_text("changed")
    client.execute("1")
    assert [path.split("?")[1] for path in paths] == ["mode=0644&unless="] * 2


def test_old_sandboxds_are_sent_files_and_asked_for_none(start, standin, folder):
    client = start()
    cell = client.execute("1")
    assert cell.status == "ok" and "sent 1 file" in cell.stderr
    assert client.execute("1").stderr == ""
    assert os.listdir(folder) == ["sales.csv"]
