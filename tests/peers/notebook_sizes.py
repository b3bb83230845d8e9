"""What papermill saves of a notebook with charts is as large as with ipykernel."""

import json
import sys

import nbformat
import papermill
import pytest

CELLS = ("import plotly.graph_objects as go",
         *(f"go.Figure(go.Scatter(x=list(range(200)), y=[n * {n} for n in range(200)])).show()"
           for n in range(1, 4)))


@pytest.fixture
def with_ipykernel(tmp_path, monkeypatch) -> str:
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = tmp_path / "jupyter/kernels/reference/kernel.json"
    spec.parent.mkdir(parents=True)
    spec.write_text(json.dumps({"argv": argv, "display_name": "reference", "language": "python"}))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    return "reference"


def size(folder, kernel: str) -> int:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in CELLS])
    nbformat.write(notebook, folder / "in.ipynb")
    out = folder / f"{kernel}.ipynb"
    papermill.execute_notebook(str(folder / "in.ipynb"), str(out), kernel_name=kernel, progress_bar=False)
    print(kernel, out.stat().st_size)
    return out.stat().st_size


def test_a_notebook_of_plotly_is_as_large(tmp_path, with_ipykernel):
    theirs = size(tmp_path, with_ipykernel)
    ours = size(tmp_path, "python3")
    assert theirs * 0.9 < ours < theirs * 1.1
