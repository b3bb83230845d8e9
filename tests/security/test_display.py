"""What code that a model wrote cannot make the user's browser do. See docs/security.md."""

import json
import sys
from contextlib import ExitStack

import pytest

from support.client import START
from support.kernel import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tests/bridge"))

from security.counterparts import works_where_it_may  # noqa: E402
from standin import StandIn, stream  # noqa: E402
from wires import CHAT  # noqa: E402

pytestmark = pytest.mark.cellpod_only("%%ask is cellpod's")

HTML = "from IPython.display import HTML\ndisplay(HTML({!r}))"
ATTACK = "<script>alert(1)</script><img src=//evil onerror=alert(2)><table><tr><td>42</td></tr></table>"


def says(text: str) -> list:
    return stream(*CHAT.answer(f"```python\n{text}\n```"))


@pytest.fixture
def asked(start_kernel, tmp_path):
    """A client whose kernel's model answers with these, one after the other."""
    with ExitStack() as stack:

        def start(*codes: str, **options):
            server = stack.enter_context(StandIn([says(code) for code in codes]))
            provider = {**CHAT.settings(server.url), "model": "m-1"}
            folder = tmp_path / "config/cellpod"
            folder.mkdir(parents=True)
            (folder / "config.json").write_text(json.dumps(
                {"ask": {"provider": "test", "cache": False, "providers": {"test": provider}}}))
            env = {"XDG_CONFIG_HOME": str(tmp_path / "config"),
                   "XDG_CACHE_HOME": str(tmp_path / "cache"), **options}
            client = start_kernel(env=env).ready_client()
            client.run("data = 1", timeout=START)
            return client

        yield start


def ask(client):
    cell = client.run("%%ask\nshow it", timeout=START)
    (end,) = [m for m in cell.of_type("display_data", "execute_result")
              if "transient" in m.content and not m.content["transient"].get("display_id")
              and "text/markdown" not in m.content["data"]][-1:]
    return cell, end.content["data"]


def test_cannot_send_a_script_in_html(asked):
    """The same HTML of the user's own cell goes through: it is the user's page."""
    client = asked(HTML.format(ATTACK))
    own = client.run(HTML.format(ATTACK))
    works_where_it_may(own.one("display_data").content["data"]["text/html"] == ATTACK)
    cell, data = ask(client)
    assert data["text/html"] == ('<div class="tex2jax_ignore mathjax_ignore">'
                                 "<table><tr><td>42</td></tr></table></div>")
    assert "text/html is shown as a plain table, without script, img" in cell.stderr


@pytest.mark.parametrize("mime, value", [
    ("application/javascript", "alert(1)"),
    ("text/javascript", "alert(1)"),
    ("image/svg+xml", "<svg onload='alert(1)'/>"),
    ("application/vnd.jupyter.widget-view+json", {"model_id": "x", "version_major": 2}),
    ("application/vnd.plotly.v1+json", {"data": []}),
    ("application/vnd.vega.v5+json", {"signals": []}),
    ("application/pdf", "JVBERi0="),
    ("application/xhtml+xml", "<script/>"),
    ("TEXT/HTML", "<script>alert(1)</script>"),
    ("image/gif", "R0lGODlhAQABAAAAACw="),
])
def test_cannot_send_what_runs_or_loads_in_another_type(asked, mime, value):
    bundle = {mime: value, "text/plain": "instead"}
    show = f"display({bundle!r}, raw=True)"
    client = asked(show)
    works_where_it_may(client.run(show).one("display_data").content["data"].get(mime) == value)
    cell, data = ask(client)
    assert data == {"text/plain": "instead"}
    assert "is not shown: outputs are reduced" in cell.stderr


@pytest.mark.parametrize("mime", ["text/markdown", "text/latex"])
def test_cannot_send_html_as_another_language(asked, mime):
    source = "<img src=x onerror=alert(1)> $\\href{javascript:alert(1)}{x}$"
    code = f"display({{{mime!r}: {source!r}, 'text/plain': '<object>'}}, raw=True)"
    client = asked(code)
    cell = client.run("%%ask\nshow it", timeout=START)
    shown = [m.content["data"] for m in cell.of_type("display_data")]
    assert {"text/plain": source} in shown


def test_cannot_ask_the_client_for_special_treatment(asked):
    code = ("display({'text/html': '<b>x</b>', 'text/plain': 'x'}, raw=True, "
            "metadata={'text/html': {'isolated': True}, 'trusted': True})")
    client = asked(code)
    works_where_it_may(client.run(code).one("display_data").content["metadata"].get("trusted"))
    cell = client.run("%%ask\nshow it", timeout=START)
    (shown,) = [m for m in cell.of_type("display_data") if m.content["data"].get("text/html")
                == '<div class="tex2jax_ignore mathjax_ignore"><b>x</b></div>']
    assert set(shown.content["metadata"]) == {"cellpod"}


def test_cannot_open_a_widget(asked):
    code = ("from comm import create_comm\ncreate_comm(target_name='jupyter.widget', data={})\n"
            "print('made')")
    client = asked(code)
    works_where_it_may(client.run(code).of_type("comm_open"))
    cell = client.run("%%ask\nshow it", timeout=START)
    assert not cell.of_type("comm_open") and "made" in cell.stdout
    assert "widgets and other comms are blocked" in cell.stderr


def test_cannot_send_a_page(asked):
    code = ("get_ipython().payload_manager.write_payload({'source': 'page', 'start': 0, "
            "'data': {'text/html': '<script>alert(1)</script>', 'text/plain': 'x'}})\nprint(1)")
    client = asked(code)
    works_where_it_may("<script" in json.dumps(client.run(code).content))
    cell = client.run("%%ask\nshow it", timeout=START)
    assert "<script" not in json.dumps(cell.content)


LATER = """
class Table:
    pass
formatter = get_ipython().display_formatter.formatters['text/html']
formatter.for_type(int, lambda value: '<img src=x onerror=alert(1)><b>later</b>')
print('done')
"""


def test_cannot_leave_something_behind_for_a_later_cell(asked):
    """The code that was kept is the worker: what it shows for cells of the user's is its too."""
    client = asked(LATER)
    client.run(LATER)
    works_where_it_may("onerror" in json.dumps(client.run("6 * 7").one("execute_result").content))
    client.run("%%ask\nshow it", timeout=START)
    cell = client.run("6 * 7")
    data = cell.one("execute_result").content["data"]
    assert "onerror" not in json.dumps(data) and "<b>later</b>" in data["text/html"]
    reply = client.run("", user_expressions={"x": "6 * 7"}).content
    assert "onerror" not in json.dumps(reply)


def test_cannot_leave_something_behind_by_failing(asked):
    """Only that code itself says that it has ended."""
    client = asked(*["1 / 0"] * 4)
    mine = HTML.format("<u onclick=x>mine</u>")
    works_where_it_may("onclick" in str(client.run(mine).one("display_data").content["data"]))
    assert client.execute("%%ask\nshow it", timeout=START).status == "error"
    html = client.run(mine).one("display_data")
    assert "onclick" not in html.content["data"]["text/html"]


def test_cannot_be_trusted_again_by_ending_the_worker(asked):
    """Its files are still there: in the sandbox's home, and in the notebook's folder."""
    client = asked(LATER)
    mine = HTML.format("<u onclick=x>mine</u>")
    works_where_it_may("onclick" in str(client.run(mine).one("display_data").content["data"]))
    client.run("%%ask\nshow it", timeout=START)
    client.execute("import os; os._exit(1)")
    html = client.run(mine, timeout=START).one("display_data")
    assert "onclick" not in html.content["data"]["text/html"]


CHANNEL = """
channel = [o for o in __import__('gc').get_objects()
           if type(o).__name__ == 'Channel' and type(o).__module__.startswith('cellpod')][0]
"""


def test_cannot_speak_for_a_cell_of_the_users(asked):
    """With a forged parent it arrives as that cell's, and is reduced all the same."""
    client = asked("""
channel.send('display_data', earlier, {'data': {
    'text/html': '<b>forged</b><img src=x onerror=alert(1)>', 'text/plain': 'x'},
    'metadata': {}, 'transient': {}})
print('done')
""")
    mine = client.run(CHANNEL + "earlier = channel.running")
    client.run("%%ask\nshow it", timeout=START)
    (forged,) = [m for m in client.unclaimed() if m.type == "display_data"]
    assert forged.parent_id == mine.msg_id
    html = forged.content["data"]["text/html"]
    assert "<b>forged</b>" in html and "onerror" not in html


def test_cannot_take_anything_from_cells_after_the_planner(start_kernel, tmp_path):
    """Nobody's code but ours has run: the user's page is as it was."""
    client = start_kernel(env={"XDG_CONFIG_HOME": str(tmp_path)}).ready_client()
    client.run("import pandas as pd\nsales = pd.DataFrame({'profit': [1, 2]})", timeout=START)
    assert "3" in client.run("%%ask\ntotal profit", timeout=START).stdout
    html = client.run(HTML.format("<u onclick=x>mine</u>")).one("display_data")
    works_where_it_may(html.content["data"]["text/html"] == "<u onclick=x>mine</u>")


def test_cannot_send_a_script_through_the_planners_table(start_kernel, tmp_path):
    """The planner's code is ours; what it shows may be of a class that is not."""
    client = start_kernel(env={"XDG_CONFIG_HOME": str(tmp_path)}).ready_client()
    client.run("import pandas as pd\nsales = pd.DataFrame({'region': list('abcd'), "
               "'profit': [1, 2, 3, 4]})\n"
               f"pd.DataFrame._repr_html_ = pd.Series._repr_html_ = lambda self: {ATTACK!r}",
               timeout=START)
    works_where_it_may("onerror" in str(client.run("sales").one("execute_result").content["data"]))
    cell = client.run("%%ask\ntotal profit by region as a table", timeout=START)
    html = [m.content["data"]["text/html"] for m in cell.of_type("display_data", "execute_result")
            if "<td>42</td>" in m.content["data"].get("text/html", "")]
    assert html, cell.transcript
    assert not [text for text in html if "script" in text or "onerror" in text]


def test_cannot_be_reduced_when_the_user_says_so(asked):
    """html: full, and reduced for every cell, as docs/security.md has it."""
    client = asked(HTML.format(ATTACK), CELLPOD_HTML="full")
    works_where_it_may(ATTACK == ask(client)[1]["text/html"])


def test_cannot_send_a_script_from_any_cell_where_all_are_reduced(asked):
    client = asked(CELLPOD_HTML="reduced")
    cell = client.run(HTML.format(ATTACK))
    assert "script" not in cell.one("display_data").content["data"]["text/html"]


def test_a_table_looks_as_before(asked):
    """What the rule is for: pandas' tables and their styles are as they were, in substance."""
    client = asked("import pandas as pd\ndisplay(pd.DataFrame({'a': [1, 2]})"
                   ".style.background_gradient().set_caption('cap'))\nprint(1)")
    cell = client.run("%%ask\nshow it", timeout=START)
    html = next(m.content["data"]["text/html"] for m in cell.of_type("display_data")
                if "<table" in m.content["data"].get("text/html", ""))
    assert "background-color:#" in html and "<caption>cap</caption>" in html
    assert "is shown as a plain table" not in cell.stderr
