"""The repository's notebooks, unchanged, by the kernelspec that a cluster's JupyterLab offers:
their CSV files travel to the claimed pod, and what cells write there comes back."""

import json
import shutil

import nbformat
import pytest
from nbclient import NotebookClient

from support.cluster import CLAIMS, wait_for
from support.kernel import BUILD, REPOSITORY
from support.kubeconfig import kubeconfig, write_kubeconfig

pytestmark = [pytest.mark.cellpod_only("other kernels claim no pods"), pytest.mark.timeout(900)]


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "notebooks"
    shutil.copytree(REPOSITORY / "notebooks", folder, ignore=shutil.ignore_patterns(".*"))
    return folder


@pytest.fixture(scope="module")
def kernelspec(laboratory):
    """cellpod-gke's, as `make install` writes it."""
    template = (REPOSITORY / "kernelspec/cellpod-gke/kernel.json.in").read_text()
    laboratory.install_spec("cellpod-gke", json.loads(template.replace("@BINDIR@", str(BUILD / "bin"))))
    return "cellpod-gke"


@pytest.fixture
def run(kernelspec, plane, pool, folder, monkeypatch):
    """Runs a notebook to its end, as the user `tester`; its code cells."""
    config = write_kubeconfig(folder.parent / "config", kubeconfig(
        plane.url, plane.authority, {"token": "tester-token"}))
    monkeypatch.setenv("KUBECONFIG", str(config))
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder.parent / "settings"))

    def run_one(name):
        notebook = nbformat.read(folder / name, as_version=4)
        NotebookClient(notebook, kernel_name=kernelspec, timeout=200, startup_timeout=100,
                       resources={"metadata": {"path": str(folder)}}).execute()
        wait_for(lambda: not plane.api.items(CLAIMS), "no claim is left")
        return [cell for cell in notebook.cells if cell.cell_type == "code"]

    return run_one


def said(cells) -> str:
    return "".join(output.text for cell in cells for output in cell.outputs
                   if output.output_type == "stream" and output.name == "stderr")


def charts(cells) -> int:
    return sum("image/png" in output.get("data", {}) for cell in cells for output in cell.outputs)


@pytest.mark.parametrize("name", ["quickstart.ipynb", "ask.ipynb"])
def test_a_notebook_finds_its_data_in_the_pod(run, folder, name):
    """nbclient raises for a cell that fails, unless the notebook says that it does."""
    cells = run(name)
    recorded = [cell for cell in nbformat.read(folder / name, as_version=4).cells
                if cell.cell_type == "code"]
    assert [cell.source for cell in cells] == [cell.source for cell in recorded]
    assert charts(cells) > 2
    assert "of the notebook's folder to the sandbox" in said(cells[:1])


def test_what_a_cell_writes_in_the_pod_is_beside_the_notebook(run, folder):
    assert not (folder / "wines.parquet").exists()
    run("gke.ipynb")
    assert (folder / "wines.parquet").read_bytes()[:4] == b"PAR1"
