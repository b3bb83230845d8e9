"""%%ask in JupyterLab: the line of progress, the code, the chart, the next cell."""

import json
import os
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from support.kernel import REPOSITORY
from support.lab import expect_chart

sys.path.insert(0, str(REPOSITORY / "tests/bridge"))

from standin import StandIn, Wait, stream  # noqa: E402
from wires import CHAT  # noqa: E402

pytestmark = [pytest.mark.cellpod_only("%%ask is cellpod's"), pytest.mark.timeout(900)]

DATA = """import pandas as pd

sales = pd.DataFrame({
    "region": ["north", "south", "east", "west", "north", "east"],
    "profit": [120, 85, 40, 66, 35, 52],
})
sales.head(3)"""
WRONG = "totals = sales.groupby('area')['profit'].sum()\ntotals.plot.bar()"
RIGHT = """\
import matplotlib.pyplot as plt

totals = sales.groupby("region")["profit"].sum().sort_values(ascending=False)
fig, ax = plt.subplots(figsize=(6, 3))
ax.bar(totals.index, totals, color="tab:blue")
ax.set_ylabel("profit")
ax.set_title("Profit by region")"""


def says(code: str) -> bytes:
    return CHAT.text(f"```python\n{code}\n```")


@pytest.fixture
def model():
    """Says what it is scripted to say, in the configuration of all kernels."""
    with StandIn([]) as server:
        file = Path(os.environ["XDG_CONFIG_HOME"]) / "cellpod/config.json"
        file.parent.mkdir(exist_ok=True)
        provider = {**CHAT.settings(server.url), "model": "m-1"}
        file.write_text(json.dumps({"ask": {"provider": "stand-in", "cache": False,
                                            "providers": {"stand-in": provider}}}))
        yield server
        file.unlink()


def test_progress_foldable_code_and_chart(open_notebook, model):
    """Each state of the line is waited for; the model goes on when it has been seen."""
    writes, corrects = Wait(), Wait()
    model.scripts += [
        stream(*CHAT.begin, CHAT.text("Here it is.\n"), writes, says(WRONG), *CHAT.end),
        [corrects, *stream(*CHAT.answer(f"```python\n{RIGHT}\n```"))],
    ]
    notebook = open_notebook("ask.ipynb", DATA, "%%ask\nprofit by region, as a bar chart")
    notebook.run_all()
    line = notebook.output(1)
    expect(line).to_contain_text("stand-in (m-1) writes")
    expect(line).to_have_count(1)
    notebook.picture("ask-progress")
    writes.semaphore.release()
    expect(line).to_contain_text("Asking stand-in (m-1)")
    expect(line).to_have_count(1)
    corrects.semaphore.release()

    expect(notebook.prompt(1)).to_have_text("[2]:")
    summary, chart, code = (notebook.output(1).nth(n) for n in range(3))
    expect(summary).to_contain_text("stand-in (m-1) · 2 attempts")
    expect_chart(notebook, 1)
    expect(chart.locator("img")).to_be_visible()
    expect(code).to_contain_text("sort_values")
    expect(code.locator("pre")).to_be_hidden()
    notebook.picture("ask")
    code.locator("summary").click()
    expect(code.locator("pre")).to_be_visible()
    notebook.picture("ask-unfolded")


def test_an_answer_is_drawn_otherwise(open_notebook):
    """By the planner: a sentence, a chart, its code folded; then the same chart lying down."""
    notebook = open_notebook("restyled.ipynb", DATA, "%%ask\ntotal profit by region as a bar chart",
                             "%ask horizontal, in green", "%ask stacked")
    notebook.run_all()
    for cell in (1, 2):
        _, sentence, chart, code = (notebook.output(cell).nth(n) for n in range(4))
        expect(sentence).to_contain_text("has the highest total profit")
        expect(chart.locator("img")).to_be_visible()
        expect(code.locator("pre")).to_be_hidden()
    expect(notebook.output(2).nth(3)).to_contain_text("barh")
    expect(notebook.output(2).nth(3)).to_contain_text("tab:green")
    expect(notebook.output(3).last).to_contain_text('"stacked" needs two groups')
    notebook.picture("ask-restyled")


def test_code_only_fills_the_next_cell(open_notebook):
    notebook = open_notebook("code-only.ipynb", DATA, "%%ask --code-only\ntotal profit")
    notebook.run_cell(0)
    notebook.run_cell(1)
    filled = notebook.cell(2)
    expect(filled).to_contain_text("answer = sales")
    expect(notebook.prompt(2)).to_have_text("[ ]:")
    notebook.picture("ask-code-only")
    notebook.run_cell(2)
    expect(notebook.output(2).first).to_contain_text("398")  # the sentence, then the number


def test_a_cell_is_repaired(open_notebook):
    """A KeyError by the planner: why, the lines that changed, what the repaired cell shows; then
    the same into the next cell."""
    notebook = open_notebook("fix.ipynb", DATA, "total = sales['profits'].sum()\nprint('total', total)",
                             "%fix", "%fix --code-only")
    for cell in range(2):
        notebook.run_cell(cell)
    expect(notebook.output(1)).to_contain_text("KeyError: 'profits'")
    # An error is shown before its reply, which aborts what has been asked by then.
    expect(notebook.prompt(1)).to_have_text("[2]:")
    notebook.run_cell(2)
    summary, change, shown = (notebook.output(2).nth(n) for n in range(3))
    expect(summary).to_contain_text('There is no column "profits": "profit" is taken')
    expect(change).to_contain_text("-total = sales['profits'].sum()")
    expect(change).to_contain_text('+total = sales["profit"].sum()')
    expect(shown).to_have_text("total 398")
    notebook.picture("fix")
    notebook.run_cell(3)
    expect(notebook.cell(4)).to_contain_text('total = sales["profit"].sum()')
    expect(notebook.prompt(4)).to_have_text("[ ]:")


def begin_completion(notebook, cell: int, text: str) -> None:
    """In place of what stands in the cell."""
    notebook.cell(cell).locator(".jp-InputArea-editor").click()
    notebook.page.keyboard.press("Control+a")
    notebook.page.keyboard.type(text)
    notebook.page.keyboard.press("Tab")


def test_flags_are_completed_and_explained(open_notebook):
    notebook = open_notebook("flags.ipynb", "1", "%ask?", "%ask --models")
    notebook.run_all()
    expect(notebook.output(1)).to_contain_text("--code-only")
    expect(notebook.output(2)).to_contain_text("Questions go to planner")
    notebook.picture("ask-help")
    begin_completion(notebook, 0, "%%ask --code")
    expect(notebook.page.locator(".jp-Completer")).to_have_text("--code-only")
    notebook.page.keyboard.press("Enter")
    expect(notebook.cell(0)).to_contain_text("%%ask --code-only")


def test_columns_are_completed_in_a_question(open_notebook):
    notebook = open_notebook("columns.ipynb", DATA, "1")
    notebook.run_all()
    begin_completion(notebook, 1, "%ask total prof")
    expect(notebook.page.locator(".jp-Completer")).to_contain_text("profit")
    notebook.page.keyboard.press("Enter")
    expect(notebook.cell(1)).to_contain_text("%ask total profit")
