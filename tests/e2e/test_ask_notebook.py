"""ask.ipynb runs with no key, and each question in it is answered or refused as it says."""

import shutil

import nbformat
import pytest
from nbclient import NotebookClient

from support.kernel import REPOSITORY

pytestmark = [pytest.mark.cellpod_only("%%ask is cellpod's"), pytest.mark.timeout(900)]

CHARTS = {"chart", "follow", "histogram", "scatter"}


@pytest.fixture(scope="module")
def cells(laboratory, kernel_name, tmp_path_factory):
    folder = tmp_path_factory.mktemp("ask") / "notebooks"
    shutil.copytree(REPOSITORY / "notebooks", folder, ignore=shutil.ignore_patterns(".*"))
    notebook = nbformat.read(folder / "ask.ipynb", as_version=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(folder.parent / "config"))
        NotebookClient(notebook, kernel_name=kernel_name, timeout=100, startup_timeout=60,
                       resources={"metadata": {"path": str(folder)}}).execute()
    nbformat.validate(notebook)
    return {cell.id: cell for cell in notebook.cells if cell.cell_type == "code"}


def kinds(cell) -> set[str]:
    return {mime for output in cell.outputs for mime in output.get("data", {})}


def planned(cell) -> dict:
    """The attempt that the saved outputs tell of."""
    [found] = {str(output.metadata["cellpod"]): output.metadata["cellpod"]
               for output in cell.outputs if "cellpod" in output.get("metadata", {})}.values()
    return found


def test_counts_are_those_of_ordinary_cells(cells):
    counts = [cell.execution_count for cell in cells.values()]
    assert counts == list(range(1, len(counts) + 1))


@pytest.mark.parametrize("name", sorted(CHARTS))
def test_questions_that_become_charts(cells, name):
    assert {"image/png", "text/markdown"} <= kinds(cells[name])
    assert planned(cells[name])["provider"] == "planner"


def test_a_number(cells):
    assert "4983" in str(cells["number"].outputs)


def test_a_table(cells):
    assert planned(cells["table"])["plan"]["limit"] == 5


def test_a_refusal_runs_nothing(cells):
    assert "image/png" not in kinds(cells["refuse"])
    assert planned(cells["refuse"])["failure"] == "refused"


def test_nothing_would_leave(cells):
    assert "Nothing would be sent" in cells["show"].outputs[0].text
