"""Runs the notebooks as a user of nbclient would, and leaves a report of each.

Usage: demo.py [KERNEL]     (cellpod)
"""

import base64
import shutil
import sys
import time
from pathlib import Path

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbconvert import HTMLExporter

REPOSITORY = Path(__file__).resolve().parents[1]
NOTEBOOKS = [REPOSITORY / "notebooks" / name for name in ("quickstart.ipynb", "ask.ipynb")]
OUTPUT = REPOSITORY / "build/demo"


class Progress:
    """One line for each code cell, written when it has run."""

    def __init__(self, notebook):
        self.total = sum(cell.cell_type == "code" for cell in notebook.cells)
        self.number = 0
        self.began = 0.0

    def start(self, cell, **_):
        self.began = time.monotonic()

    def executed(self, cell, **_):
        self.number += 1
        seconds = time.monotonic() - self.began
        print(
            f"  [{self.number:2}/{self.total}] {cell.id:12} {seconds:6.2f} s  {summary(cell)}",
            flush=True,
        )


def summary(cell) -> str:
    """What the cell shows, in a few words."""
    kinds = [kind_of(output) for output in cell.outputs]
    return ", ".join(kinds)


def kind_of(output) -> str:
    if output.output_type == "stream":
        return "text"
    if output.output_type == "error":
        return output.ename
    if "text/html" in output.data and "cellpod" in output.metadata:
        return "summary"
    for mime, kind in (("image/png", "chart"), ("text/html", "table"), ("text/markdown", "text")):
        if mime in output.data:
            return kind
    return "value"


def run(notebook, folder: Path, kernel: str) -> Exception | None:
    progress = Progress(notebook)
    client = NotebookClient(
        notebook,
        kernel_name=kernel,
        timeout=300,
        startup_timeout=60,
        resources={"metadata": {"path": str(folder)}},
        on_cell_start=progress.start,
        on_cell_executed=progress.executed,
    )
    try:
        client.execute()
    except (CellExecutionError, RuntimeError) as error:
        return error
    return None


def write_report(notebook, name: str) -> Path:
    page, _ = HTMLExporter().from_notebook_node(notebook, {"metadata": {"name": name}})
    path = OUTPUT / f"{name}.html"
    path.write_text(page, encoding="utf-8")
    return path


def write_charts(notebook, name: str) -> list[Path]:
    charts: list[Path] = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            png = output.get("data", {}).get("image/png")
            if png:
                charts.append(OUTPUT / f"{name}-{len(charts) + 1}-{cell.id}.png")
                charts[-1].write_bytes(base64.b64decode(png))
    return charts


def shown(path: Path) -> Path:
    return path.relative_to(REPOSITORY) if path.is_relative_to(REPOSITORY) else path


def show(path: Path, kernel: str, program: Path) -> bool:
    """Runs one notebook; whether it went well."""
    notebook = nbformat.read(path, as_version=4)
    print(f"{shown(path)} on kernel {kernel} ({shown(program)})", flush=True)
    began = time.monotonic()
    error = run(notebook, path.parent, kernel)
    seconds = time.monotonic() - began
    charts = write_charts(notebook, path.stem)
    print(f"  report  {shown(write_report(notebook, path.stem))}")
    for chart in charts:
        print(f"  chart   {shown(chart)}")
    if error is not None:
        print(f"demo: the notebook failed: {error}", file=sys.stderr)
        return False
    print(f"done: {len(charts)} charts, {seconds:.1f} s with the kernel's start and end")
    return True


def main() -> int:
    kernel = sys.argv[1] if len(sys.argv) > 1 else "cellpod"
    program = Path(KernelSpecManager().get_kernel_spec(kernel).argv[0])
    shutil.rmtree(OUTPUT, ignore_errors=True)
    OUTPUT.mkdir(parents=True)
    return 0 if all([show(path, kernel, program) for path in NOTEBOOKS]) else 1


if __name__ == "__main__":
    sys.exit(main())
