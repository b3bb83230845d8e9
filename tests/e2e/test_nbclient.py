"""nbclient, as papermill and nbconvert use it."""

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from support import processes
from support.client import START
from support.kernel import environment


@pytest.fixture
def execute(laboratory):
    """Runs cells as a notebook; nothing is left of its kernel afterwards."""
    before = processes.sandbox_processes()

    def run(*sources: str, **options) -> nbformat.NotebookNode:
        notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
        client = NotebookClient(notebook, kernel_name=laboratory.kernel_name,
                                timeout=options.pop("timeout", START),
                                resources={"metadata": {"path": str(laboratory.work)}}, **options)
        try:
            client.execute(env=environment())
        finally:
            run.notebook = notebook
        nbformat.validate(notebook)
        return notebook

    yield run
    processes.assert_all_end(processes.sandbox_processes() - before, "its sandbox")


def kinds(cell) -> list[str]:
    """Pieces of one stream that follow each other count once."""
    found: list[str] = []
    for output in cell.outputs:
        kind = output.get("name", output.output_type)
        if output.output_type != "stream" or found[-1:] != [kind]:
            found.append(kind)
    return found


def test_outputs(execute):
    text, chart, table, nothing = execute(
        "import sys\nprint('out')\nprint('err', file=sys.stderr)\n1 + 1",
        "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2]);",
        "import pandas\npandas.DataFrame({'a': [1, 2]})",
        "x = 1").cells
    assert sorted(kinds(text)) == ["execute_result", "stderr", "stdout"]
    assert "image/png" in chart.outputs[-1].data
    assert "text/html" in table.outputs[0].data
    assert nothing.outputs == []
    assert [cell.execution_count for cell in (text, chart, table, nothing)] == [1, 2, 3, 4]


def test_markdown_is_left_alone(laboratory):
    notebook = new_notebook(cells=[new_markdown_cell("# a"), new_code_cell("1")])
    NotebookClient(notebook, kernel_name=laboratory.kernel_name,
                   resources={"metadata": {"path": str(laboratory.work)}}).execute()
    assert notebook.cells[1].outputs[0].data["text/plain"] == "1"


def test_timings_are_recorded(execute):
    cell, = execute("1").cells
    assert set(cell.metadata.execution) >= {
        "iopub.status.busy", "iopub.execute_input", "shell.execute_reply", "iopub.status.idle"}


def test_error_stops(execute):
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        execute("1/0", "'never'")
    failed, never = execute.notebook.cells
    assert failed.outputs[-1].ename == "ZeroDivisionError"
    assert never.execution_count is None


def test_errors_may_be_allowed(execute):
    failed, after = execute("1/0", "'goes on'", allow_errors=True).cells
    assert failed.outputs[-1].output_type == "error"
    assert after.outputs[0].data["text/plain"] == "'goes on'"


def test_input_is_refused(execute):
    with pytest.raises(CellExecutionError, match="StdinNotImplementedError"):
        execute("input()")


def test_timeout(execute):
    with pytest.raises(CellTimeoutError):
        execute("import time; time.sleep(3000)", timeout=1)


def test_interrupt_on_timeout(execute):
    with pytest.raises((CellExecutionError, CellTimeoutError)):
        execute("'warm'", "import time; time.sleep(3000)", timeout=5, interrupt_on_timeout=True)
    assert execute.notebook.cells[1].outputs[-1].ename == "KeyboardInterrupt"


def test_display_updates_reach_earlier_cells(execute):
    first, _ = execute("handle = display('before', display_id=True)",
                       "handle.update('after')").cells
    assert first.outputs[0].data["text/plain"] == "'after'"


def test_clear_output(execute):
    cell, = execute("from IPython.display import clear_output\nprint('gone')\nclear_output()\n"
                    "print('stays')").cells
    assert "".join(output.text for output in cell.outputs) == "stays\n"


def test_widgets_are_saved(execute):
    notebook = execute("import ipywidgets\nipywidgets.IntSlider(value=11)")
    state = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
    assert 11 in [model["state"].get("value") for model in state.values()]


def test_output_widget_captures(execute):
    """nbclient writes to the shell channel while it waits there, and at times misses the reply
    until its time-out: of ipykernel's, too."""
    cell, = execute("import ipywidgets\nout = ipywidgets.Output()\ndisplay(out)\n"
                    "with out:\n    print('captured')", timeout=15).cells
    assert "stdout" not in kinds(cell)


def test_tqdm(execute):
    cell, = execute("from tqdm.auto import tqdm\ntotal = 0\nfor n in tqdm(range(20)): total += n\n"
                    "total").cells
    assert cell.outputs[-1].data["text/plain"] == "190"


@pytest.mark.beyond_ipykernel("a cell that arrives as it leaves runs on", always=False)
def test_exit_ends_the_notebook(execute):
    """The kernel stops itself, so the next cell finds no kernel; nothing hangs."""
    with pytest.raises((DeadKernelError, RuntimeError)):
        execute("exit()", "import time; time.sleep(3000)", timeout=20)


@pytest.mark.cellpod_only("there is no worker but the kernel itself")
def test_dead_worker_is_an_error_in_its_cell(execute):
    died, after = execute("import os; os._exit(1)", "'lives'", allow_errors=True).cells
    assert died.outputs[-1].output_type == "error"
    assert after.outputs[0].data["text/plain"] == "'lives'"
