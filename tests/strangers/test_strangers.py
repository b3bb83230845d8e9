"""Notebooks that were published by others: each cell that is undone and run again puts out the same.

    make test-strangers                          fetches them below build/, and runs all
    make PYTEST_FLAGS='-k 03.08' test-strangers  one of them

Cells fail here, too: for want of a network, or of the library of that year. An undone one has to
fail the same way again. What differs between two plain runs (%timeit, random numbers without a
seed) says nothing, and is counted apart.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections import Counter
from pathlib import Path

import pytest

from support.client import START, Client, Exchange
from support.kernel import connection_info

pytestmark = [
    pytest.mark.cellpod_only("other kernels undo nothing"),
    pytest.mark.timeout(3600),
]

FOLDER = Path(os.environ["STRANGERS"])
NOTEBOOKS = sorted(path.name for path in FOLDER.glob("*.ipynb"))
LONGEST = 600  # seconds of a cell
OLD_STYLE = re.compile(r"(['\"]seaborn-)(?=\w+['\"])")  # Matplotlib has renamed its styles
MEASURES = re.compile(r"%(time|timeit|prun|lprun|mprun|memit)\b")
ADDRESS = re.compile(r"0x[0-9a-f]{6,}")
NUMBER = re.compile(r"(In|Out) ?\[\d+\]|/tmp/\S+/\d+\.py|<ipython-input-\d+-\w+>")


def cells_of(notebook: str) -> list[str]:
    cells = json.loads((FOLDER / notebook).read_text())["cells"]
    codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return [OLD_STYLE.sub(r"\1v0_8-", code) for code in codes if code.strip()]


def plain(text: str) -> str:
    text = re.sub(r"^Overwriting ", "Writing ", text)  # %%file: files are not undone
    return NUMBER.sub(r"\1", ADDRESS.sub("0x", text))


def shown_by(cell: Exchange) -> list:
    """Without what counts on, and where something lies in memory."""
    shown: list = []
    for message in cell.outputs:
        content = message.content
        if message.type == "stream":
            name, text = content["name"], plain(content["text"])
            text = re.sub(r"^cellpod: .*\n", "", text, flags=re.M)
            if shown and shown[-1][0] == name:
                text = shown.pop()[1] + text
            shown.append((name, text))
        elif message.type == "error":
            shown.append(("error", content["ename"], plain(content["evalue"])))
        elif "data" in content:
            shown.append((message.type, {k: plain(str(v)) for k, v in content["data"].items()}))
    return shown


class Reader:
    def __init__(self, start_kernel, work: Path):
        shutil.copytree(FOLDER, work)
        self.client: Client = start_kernel.on(connection_info(), cwd=work).ready_client()
        self.client.run("mark = object()", timeout=START)

    def run(self, code: str) -> Exchange:
        return self.client.execute(code, timeout=LONGEST)

    def is_undoable(self, number: int) -> bool:
        """Waits for the copy of all that is there now. A cell that only looks has none."""
        while "<- now" not in (rows := self.client.run("%checkpoints", timeout=START).stdout):
            time.sleep(0.03)  # cells in a row do not wait for one
        return f"In [{number}] " in rows


@pytest.fixture
def read(start_kernel, laboratory, request):
    def read(name: str) -> Reader:
        work = laboratory.work / f"{request.node.name.partition('[')[2].rstrip(']')}-{name}"
        return Reader(start_kernel, work)

    return read


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_an_undone_cell_puts_out_the_same_again(read, notebook, capsys):
    codes, counts, wrong = cells_of(notebook), Counter(), []
    once = [shown_by(cell) for cell in map(read("plain").run, codes)]
    reader = read("undone")
    for code, before in zip(codes, once, strict=True):
        cell = reader.run(code)
        counts["failed"] += cell.status != "ok"
        first = shown_by(cell)
        if not reader.is_undoable(cell.content["execution_count"]):
            counts["looks"] += 1
            continue
        undone = reader.run("%undo")
        assert undone.status == "ok" and "Undone: " in undone.stdout, undone.messages
        repeated = reader.run(code)
        again = shown_by(repeated)
        reader.is_undoable(repeated.content["execution_count"])  # else it goes with the next one
        if first == again:
            counts["same"] += 1
        elif first != before or MEASURES.search(code):
            counts["differ in plain runs"] += 1
        else:
            wrong.append((code, first, again))
    with capsys.disabled():
        print(f"\n  {notebook}: {len(codes)} cells; {dict(counts)}; {len(wrong)} wrong", end="")
    assert not wrong, wrong
