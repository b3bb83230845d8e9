"""quickstart.ipynb gives under cellpod what it gives under ipykernel, cell by cell."""

import base64
import io
import re
import shutil

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient
from PIL import Image

from support.kernel import REPOSITORY

pytestmark = pytest.mark.timeout(1500)  # the first test runs the notebook twice

NOTEBOOKS = REPOSITORY / "notebooks"
REFERENCE = "python3"
ADDRESS = re.compile(r"\b0x[0-9a-f]+\b")
CODE_CELLS = [cell.id for cell in nbformat.read(NOTEBOOKS / "quickstart.ipynb", 4).cells
              if cell.cell_type == "code"]


@pytest.fixture(scope="module")
def executed(laboratory, kernel_name, tmp_path_factory):
    """Code cells by id, after a run: {"cellpod": {...}, "python3": {...}}."""
    return {name: execute(name, tmp_path_factory.mktemp(name) / "notebooks")
            for name in {kernel_name, REFERENCE}}


def execute(kernel_name: str, folder) -> dict:
    shutil.copytree(NOTEBOOKS, folder, ignore=shutil.ignore_patterns(".*"))
    notebook = nbformat.read(folder / "quickstart.ipynb", as_version=4)
    NotebookClient(notebook, kernel_name=kernel_name, timeout=100, startup_timeout=60,
                   resources={"metadata": {"path": str(folder)}}).execute()
    return {cell.id: cell for cell in notebook.cells if cell.cell_type == "code"}


@pytest.fixture
def pair(executed, kernel_name):
    """A cell under the kernel under test, and under the reference."""
    return lambda cell: (executed[kernel_name][cell], executed[REFERENCE][cell])


@pytest.mark.parametrize("cell", CODE_CELLS)
def test_outputs(pair, cell):
    tested, reference = pair(cell)
    assert tested.execution_count == reference.execution_count
    assert described(tested.outputs) == described(reference.outputs)


def described(outputs) -> list[dict]:
    """Text that follows on the same stream is one text, in how many messages it ever came."""
    found: list[dict] = []
    for output in map(describe, outputs):
        before = found[-1] if found else {"name": None}
        if output["type"] == "stream" and output["name"] == before.get("name"):
            before["text"] += output["text"]
        else:
            found.append(output)
    return found


def describe(output) -> dict:
    """What must be the same: all but addresses in reprs, and how a picture is encoded."""
    if output.output_type == "stream":
        # ipykernel passes on what the terminal of !command makes of line ends.
        text = output.text.replace("\r\n", "\n")
        return {"type": "stream", "name": output.name, "text": text}
    assert output.output_type in ("display_data", "execute_result"), output
    return {
        "type": output.output_type,
        "count": output.get("execution_count"),
        "data": {mime: describe_data(mime, data) for mime, data in output.data.items()},
        "metadata": {key: value for key, value in output.metadata.items() if key != "image/png"},
    }


def describe_data(mime: str, data):
    if mime == "image/png":
        picture = decode(data)
        return {"format": picture.format, "size": picture.size}
    return ADDRESS.sub("0x", data) if mime == "text/plain" else data


def decode(data: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(data)))


def test_charts_show_the_same_picture(executed, kernel_name):
    """Seen from afar: cropping may move a chart by a part of a pixel against a second drawing."""
    tested, reference = (charts(executed[name]) for name in (kernel_name, REFERENCE))
    assert len(tested) == len(reference) == 6
    for cell, picture in tested.items():
        difference = np.abs(from_afar(picture) - from_afar(reference[cell])).mean()
        assert difference < 2, f"{cell}: {difference:.2f} of 255 on average"


def charts(cells: dict) -> dict:
    return {name: output.data["image/png"] for name, cell in cells.items()
            for output in cell.outputs if "image/png" in output.get("data", {})}


def from_afar(data: str) -> np.ndarray:
    picture = decode(data).convert("RGBA")
    white = Image.new("RGBA", picture.size, "white")
    flat = Image.alpha_composite(white, picture).convert("RGB")
    return np.asarray(flat.reduce(8), dtype=float)


@pytest.mark.cellpod_only("ipykernel leaves the size to the client")
def test_charts_name_their_size(executed, kernel_name):
    for name, cell in executed[kernel_name].items():
        for output in cell.outputs:
            png = output.get("data", {}).get("image/png")
            if png:
                width, height = decode(png).size
                assert output.metadata["image/png"] == {"width": width, "height": height}, name


def test_outputs_are_not_in_git():
    notebook = nbformat.read(NOTEBOOKS / "quickstart.ipynb", as_version=4)
    for cell in notebook.cells:
        assert not cell.get("outputs") and not cell.get("execution_count"), cell.id
