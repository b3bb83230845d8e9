"""A notebook whose questions a real llama-server answers, with a scripted model: `make test-llama`.

The model first names a column that is not there. What it is told of that makes it type the program
that works, whose chart then is in the notebook.
"""

import base64
import json
import struct
import subprocess
import sys

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from support import processes
from support.client import START
from support.kernel import environment
from support.llama import APIS, KEY, llama_config, llama_server, needs_llama

pytestmark = [pytest.mark.cellpod_only("%%ask is cellpod's"), needs_llama,
              pytest.mark.timeout(600)]

DATA = """
import pandas as pd
df = pd.DataFrame({"Region": ["West", "East", "West", "South"], "Profit": [5.0, 30.0, 7.0, 1.0]})
"""
QUESTION = "%%ask\nProfit by region, as a bar chart"
BARS = "print([(t.get_text(), float(b.get_height())) for t, b in zip(ax.get_xticklabels(), ax.patches)])"


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    with llama_server(tmp_path_factory.mktemp("llama")) as url:
        yield url


@pytest.fixture
def execute(laboratory, llama, tmp_path):
    """Runs a notebook in a kernel of its own whose questions go to the server over this API."""
    before = processes.sandbox_processes()

    def run(notebook: nbformat.NotebookNode, api: str) -> nbformat.NotebookNode:
        folder = tmp_path / "config/cellpod"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.json").write_text(json.dumps({"ask": llama_config(llama, api)}))
        env = environment({"XDG_CONFIG_HOME": str(tmp_path / "config"), "LLAMA_KEY": KEY,
                           "XDG_CACHE_HOME": str(tmp_path / "cache")})
        NotebookClient(notebook, kernel_name=laboratory.kernel_name, timeout=START,
                       resources={"metadata": {"path": str(laboratory.work)}}).execute(env=env)
        nbformat.validate(notebook)
        return notebook

    yield run
    processes.assert_all_end(processes.sandbox_processes() - before, "its sandbox")


def question_notebook() -> nbformat.NotebookNode:
    return new_notebook(cells=[new_code_cell(source) for source in (DATA, QUESTION, BARS)])


def about(cell) -> dict:
    """What the outputs say of the question: all the same."""
    [found] = {json.dumps(output.metadata.cellpod): output.metadata.cellpod
               for output in cell.outputs if "cellpod" in output.metadata}.values()
    return found


def of_kind(cell, mime: str) -> list:
    return [output.data[mime] for output in cell.outputs if mime in output.get("data", {})]


def expect_answer(notebook: nbformat.NotebookNode, api: str) -> None:
    _, asked, bars = notebook.cells
    told = about(asked)
    assert (told["provider"], told["api"], told["model"]) == ("llama", api, "scripted")
    wrong, right = told["attempts"]
    assert wrong["outcome"] == "rejected" and "Profitt" in wrong["code"]
    assert wrong["problems"][0]["nearest"] == ["Profit"]
    assert right["outcome"] == "ok" and "Profitt" not in right["code"]
    assert all(attempt["tokens"]["completion"] > 0 for attempt in (wrong, right))

    [code] = of_kind(asked, "text/markdown")
    assert right["code"] in code
    [png] = of_kind(asked, "image/png")
    width, height = struct.unpack(">II", base64.b64decode(png)[16:24])
    assert width > 200 and height > 150
    assert bars.outputs[0].text == "[('East', 30.0), ('West', 12.0), ('South', 1.0)]\n"


@pytest.mark.parametrize("api", APIS)
def test_question_wrong_column_correction_chart(execute, api):
    notebook = execute(question_notebook(), api)
    expect_answer(notebook, api)
    assert [cell.execution_count for cell in notebook.cells] == [1, 2, 3]
    assert KEY not in nbformat.writes(notebook)


def test_the_notebook_can_be_saved_read_and_run_again(execute, tmp_path):
    file = tmp_path / "asked.ipynb"
    nbformat.write(execute(question_notebook(), "chat"), file)
    read = nbformat.read(file, as_version=4)
    assert [cell.source for cell in read.cells] == [DATA, QUESTION, BARS]
    expect_answer(read, "chat")
    expect_answer(execute(read, "chat"), "chat")

    subprocess.run([sys.executable, "-m", "nbconvert", "--to", "html", str(file)], check=True,
                   capture_output=True)
    page = file.with_suffix(".html").read_text()
    assert "<summary>Code</summary>" in page and "data:image/png;base64," in page
    assert "llama (scripted) · 2 attempts" in page
