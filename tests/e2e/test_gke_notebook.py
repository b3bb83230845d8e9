"""gke.ipynb, on this machine: the local kernel stands in for the pod, everything else is what it will be.

That a claimed pod runs the same cells is tests/e2e/test_gke.py's and tests/e2e/test_pod.py's.
"""

import shutil

import nbformat
import pytest
from nbclient import NotebookClient

from support.kernel import REPOSITORY

pytestmark = [pytest.mark.cellpod_only("%%ask is cellpod's"), pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def cells(laboratory, kernel_name, tmp_path_factory):
    folder = tmp_path_factory.mktemp("gke") / "notebooks"
    shutil.copytree(REPOSITORY / "notebooks", folder, ignore=shutil.ignore_patterns(".*"))
    notebook = nbformat.read(folder / "gke.ipynb", as_version=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(folder.parent / "config"))
        NotebookClient(notebook, kernel_name=kernel_name, timeout=100, startup_timeout=60,
                       resources={"metadata": {"path": str(folder)}}).execute()
    nbformat.validate(notebook)
    assert (folder / "wines.parquet").is_file()
    return {cell.id: cell for cell in notebook.cells if cell.cell_type == "code"}


def text_of(cell) -> str:
    return "".join(output.get("text", "") or output.get("data", {}).get("text/plain", "")
                   for output in cell.outputs)


def charts(cell) -> int:
    return sum("image/png" in output.get("data", {}) for output in cell.outputs)


def test_every_cell_ran_in_order(cells):
    assert [cell.execution_count for cell in cells.values()] == list(range(1, len(cells) + 1))


def test_there_is_no_way_out(cells):
    assert "\nno network:" in "\n" + text_of(cells["network"])  # behind what the sandbox may have to say


def test_the_table(cells):
    assert "class_0    13.74" in text_of(cells["data"])
    assert "<table" in cells["data"].outputs[0].data["text/html"]


@pytest.mark.parametrize("name", ["scatter", "heat", "ask"])
def test_a_chart_each(cells, name):
    assert charts(cells[name]) == 1


def test_the_question_was_answered_here(cells):
    told = [output.metadata["cellpod"] for output in cells["ask"].outputs
            if "cellpod" in output.get("metadata", {})]
    assert told and {one["provider"] for one in told} == {"planner"}


def test_the_file_is_listed(cells):
    assert "'wines.parquet'" in text_of(cells["files"])


def test_outputs_are_not_in_git():
    notebook = nbformat.read(REPOSITORY / "notebooks/gke.ipynb", as_version=4)
    for cell in notebook.cells:
        assert not cell.get("outputs") and not cell.get("execution_count"), cell.id
