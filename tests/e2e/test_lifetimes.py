"""A sandbox that ends by its own clock says so, in the notebook and over HTTP."""

from ast import literal_eval
from pathlib import Path

import pytest

from support.cli import cellpod
from support.client import START
from support.kernel import connection_info

pytestmark = pytest.mark.cellpod_only("other kernels have no sandbox that could end")


@pytest.fixture
def start(start_kernel):
    return lambda *flags: start_kernel.on(connection_info(), arguments=flags).ready_client()


def test_a_cell_that_outlives_its_sandbox_is_told_why(start):
    cell = start("--ttl-seconds", "3").execute("print('on')\nimport time; time.sleep(600)",
                                               timeout=START)
    assert (cell.content["ename"], cell.content["evalue"]) == (
        "SandboxError", "the sandbox has ended: its time of 3 s is up (ttl_seconds)")
    assert cell.stdout == "on\n"


def test_an_idle_sandbox_says_so_below_the_last_cell_and_the_next_one_runs(start):
    client = start("--idle-seconds", "1")
    last = client.run("x = 1", timeout=START)
    told = client.published_for(last.msg_id, "stream", timeout=START).content
    assert told["name"] == "stderr"
    assert told["text"].startswith(
        "cellpod: the sandbox has ended: it was idle for 1 s (idle_seconds)\n")
    assert client.run("print('x' in globals())", timeout=START).stdout == "False\n"


@pytest.mark.parametrize("end", ["shutdown", "kill"])
def test_files_of_a_notebook_in_the_home_are_kept_for_the_next_one(start_kernel, end, tmp_path):
    first = start_kernel(cwd=Path.home())
    client = first.ready_client()
    made = client.run("import os, uuid; name = uuid.uuid4().hex; open(name, 'w').write('kept')", timeout=START)
    folder, name = literal_eval(client.value("(os.getcwd(), name)"))
    assert f"work in {folder}, where their files are kept" in made.stderr
    first.process.kill() if end == "kill" else first.close()
    second = start_kernel(cwd=Path.home()).ready_client()
    assert second.run(f"print(open({name!r}).read())", timeout=START).stdout == "kept\n"
    assert (Path(folder) / name).read_text() == "kept"
    assert not (Path.home() / name).exists()
    copied = cellpod("cp", f"{Path.home()}/any.ipynb:{name}", tmp_path)
    assert (copied.stderr, (tmp_path / name).read_text()) == ("", "kept")
    second.run(f"import os; os.unlink({name!r})")
