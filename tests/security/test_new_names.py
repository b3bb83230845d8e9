"""Names that programs of the user act on: a cell cannot make one unseen. docs/decisions/new-names.md"""

import pytest

from support.client import START

from .counterparts import works_where_it_may

pytestmark = pytest.mark.cellpod_only("other kernels are the user")

NAMES = [".envrc", ".vscode", "Makefile", "conftest.py", "jupyter_server_config.py",
         "jupyter_lab_config.json", "pyvenv.cfg", "evil.pth", ".git", "sitecustomize.py",
         "my.code-workspace", ".env", "setup.py"]


@pytest.fixture
def client(start_kernel, laboratory):
    folder = laboratory.folder(f"names-{len(list(laboratory.root.iterdir()))}")
    client = start_kernel(cwd=str(folder)).ready_client()
    client.run("import os, pathlib", timeout=START)
    return client


def told_after(client, code: str, made: str) -> str:
    """The notice follows the cell, which has made that."""
    cell = client.send_execute(code)
    text = client.published_for(cell, "stream", timeout=START).content["text"]
    client.finish(cell, timeout=START)
    works_where_it_may(client.run(f"print(os.path.lexists({made!r}))").stdout == "True\n")
    return text


@pytest.mark.parametrize("make", ["open({!r}, 'w').close()", "os.mkdir({!r})",
                                  "open('x', 'w').close(); os.rename('x', {!r})"])
def test_cannot_make_a_name_that_programs_act_on_unseen(client, make):
    for name in NAMES:
        assert f"folder: {name} (" in told_after(client, make.format(name), name), name


def test_cannot_hide_one_behind_many(client):
    text = told_after(client, "[open(f'{n:03}.pth', 'w').close() for n in range(900)]", "899.pth")
    assert text.count(".pth (") == 5 and "and more" in text
    assert "folder: .git (" in told_after(client, "os.mkdir('.git')", ".git")


def test_cannot_write_the_notice_itself(client):
    name = "x\n\x1b[2Jnothing is new.pth"
    text = told_after(client, f"open({name!r}, 'w').close()", name)
    assert "folder: x??[2Jnothing is new.pth (" in text


def test_cannot_make_one_while_no_cell_runs(client):
    """A program left running: the next cell's end tells."""
    client.run("import subprocess\nleft = subprocess.Popen('sleep 0.2; touch .envrc', shell=True)")
    assert ".envrc (" in told_after(client, "left.wait()", ".envrc")
