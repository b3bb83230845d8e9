"""Names that programs of the user act on by themselves: a new one is told."""

import pytest

from support.client import START

pytestmark = pytest.mark.cellpod_only("other kernels are the user")


def cell_and_notice(client, code):
    """The notice follows the cell's idle; its reply, on another socket, may come after both."""
    msg_id = client.send_execute(code)
    told = client.published_for(msg_id, "stream", timeout=START).content
    return client.finish(msg_id, timeout=START), told


def test_a_new_name_is_told_once_below_the_cell_that_made_it(start_kernel, laboratory):
    folder = laboratory.folder("traps")
    client = start_kernel(cwd=str(folder)).ready_client()
    client.run("import os; os.mkdir('.vscode-of-mine')", timeout=START)
    made, told = cell_and_notice(client, "os.mkdir('.git'); open('.envrc', 'w').close()")
    assert (made.status, told["name"]) == ("ok", "stderr")
    assert "New in the notebook's folder: " in told["text"]
    assert ".envrc (direnv runs it in a shell's prompt)" in told["text"]
    assert ".git (git and prompts run what its settings say)" in told["text"]
    client.run("pass")
    client.run("pass")
    assert not [m for m in client.unclaimed() if m.type == "stream"]


def test_a_worker_that_dies_leaves_none_unseen(start_kernel, laboratory):
    client = start_kernel(cwd=str(laboratory.folder("dead"))).ready_client()
    cell, told = cell_and_notice(client, "import os; os.mkdir('.git'); os.kill(os.getpid(), 9)")
    assert cell.content["ename"] == "WorkerDied"
    assert ".git" in told["text"]


def test_a_folder_with_too_much_to_look_through_is_told_in_the_first_cell(start_kernel, laboratory):
    folder = laboratory.folder("crowded")
    for number in range(3000):
        (folder / f"{number:05}").mkdir()
    client = start_kernel(cwd=str(folder)).ready_client()
    assert "cellpod: There is more in this folder" in client.run("1", timeout=START).stderr
    assert client.run("1").stderr == ""


def test_what_was_there_before_is_no_news(start_kernel, laboratory):
    folder = laboratory.folder("known")
    (folder / ".git").mkdir()
    client = start_kernel(cwd=str(folder)).ready_client()
    client.run("open('data.csv', 'w').close()", timeout=START)
    client.run("pass")
    assert not [m for m in client.unclaimed() if m.type == "stream"]
