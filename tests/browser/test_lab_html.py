"""What outputs of a model's code do to the page: nothing. docs/security.md has the rule."""

import json
import os
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect

from support.kernel import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tests/bridge"))

from standin import StandIn, stream  # noqa: E402
from wires import CHAT  # noqa: E402

pytestmark = [pytest.mark.cellpod_only("%%ask is cellpod's"), pytest.mark.timeout(900)]

# Each sets window.ran if it runs.
PAYLOADS = {
    "text/html": "<table><tr><td onclick='window.ran = 7'>harmless</td></tr></table>"
                 "<script>window.ran = 1</script><img src=x onerror='window.ran = 2'>"
                 "<iframe srcdoc='<script>parent.ran = 3</script>'></iframe>"
                 "<svg><animate onbegin='window.ran = 4' attributeName=x dur=1s></svg>"
                 "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 "
                 "onerror=window.ran=5&gt;'></table>"
                 "<div style='background:url(javascript:window.ran=6)'></div>",
    "text/markdown": "<img src=x onerror='window.ran = 8'>\n\nharmless",
    "image/svg+xml": "<svg xmlns='http://www.w3.org/2000/svg' onload='window.ran = 9'/>",
    "application/javascript": "window.ran = 10",
}
DISPLAY_ALL = "for mime, text in {0!r}.items(): display({{mime: text, 'text/plain': mime}}, raw=True)"


@contextmanager
def model_configured(provider: dict):
    path = Path(os.environ["XDG_CONFIG_HOME"]) / "cellpod/config.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"ask": {"provider": "test", "cache": False, "providers": {
        "test": {**provider, "model": "m-1"}}}}))
    yield
    path.unlink()


def test_code_of_a_model_runs_nothing_in_the_page(open_notebook):
    """The same outputs of the user's own cell do run: that is how the test can fail."""
    code = DISPLAY_ALL.format(PAYLOADS)
    answer = stream(*CHAT.answer(f"```python\n{code}\n```"))
    with StandIn([answer]) as server, model_configured(CHAT.settings(server.url)):
        notebook = open_notebook("model-html.ipynb", code.replace(".ran", ".own"), "%%ask\nshow it", code,
                                 "print('the end')")
        notebook.run_cell(0)
        notebook.page.wait_for_function("window.own !== undefined")
        for index in (1, 2, 3):
            notebook.run_cell(index)
        expect(notebook.output(3)).to_contain_text("the end")
        expect(notebook.cell(1).locator("table td")).to_have_text("harmless")
        expect(notebook.cell(2).locator("table td")).to_have_text("harmless")
        # What loads behind everything above: then all that could have run has.
        notebook.page.evaluate("new Promise(done => { const image = new Image();"
                               "image.onerror = done; image.src = 'nowhere'; })")
        assert notebook.page.evaluate("window.ran") is None
        for index in (1, 2):
            for name in ("img", "animate", "iframe", "script", "math", "[onclick]"):
                found = notebook.cell(index).locator(f".jp-OutputArea {name}")
                assert found.count() == 0, (index, name)
        notebook.picture("model-html")
