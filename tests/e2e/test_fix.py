"""%fix after an error: by the planner, and by a scripted model."""

import json
import sys

import pytest

from support.client import START, Client
from support.kernel import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tests/bridge"))

from standin import StandIn, stream  # noqa: E402
from wires import CHAT  # noqa: E402

pytestmark = pytest.mark.cellpod_only("%fix is cellpod's")

DATA = """
import pandas
import pandas as pd
sales = pd.DataFrame({"shop": ["a", "b", "a"], "revenue_usd": [10, 20, 5], "price": ["$1,200", "$2", "$3"],
                      "sold": ["2024-01-31", "2024-02-01", "2024-02-05"]})
"""


@pytest.fixture
def planner(client) -> Client:
    client.run("%reset -f")
    client.run(DATA, timeout=START)
    return client


def fail(client: Client, code: str):
    cell = client.execute(code, timeout=30)
    assert cell.status == "error", cell.content
    return cell


def fix(client: Client, line: str = "%fix"):
    return client.execute(line, timeout=30)


def diff(cell) -> str:
    found = [m.content["data"] for m in cell.of_type("display_data")
             if m.content["data"].get("text/markdown", "").startswith("```diff\n")]
    assert len(found) == 1, [m.content for m in cell.outputs]
    return found[0]["text/plain"]


def changes(cell) -> list[str]:
    return [line for line in diff(cell).splitlines() if line[0] in "+-"]


def texts(cell) -> list[str]:
    shown = cell.of_type("display_data", "update_display_data")
    return [m.content["data"]["text/plain"] for m in shown]


def summary(cell) -> str:
    found = [m for m in cell.of_type("display_data", "update_display_data")
             if m.content["transient"].get("display_id")]
    return found[-1].content["data"]["text/plain"]


# --- the planner: one row for each of its rules ----------------------------------------------------


@pytest.mark.parametrize(
    "code, became, shown",
    [
        ("print(sales['revenue'].sum())", ['+print(sales["revenue_usd"].sum())'], "35"),
        ("print({'tea': 2}, sales.shape)\nd = {'tea': 2}\nprint(d['Tea'])", ['+print(d["tea"])'], "2"),
        ("print(len(saless))", ["+print(len(sales))"], "3"),
        ("print(sales.revenu_usd.max())", ["+print(sales.revenue_usd.max())"], "20"),
        ("import panda\nprint('ok')", ["+import pandas"], "ok"),
        ("print(math.floor(2.5))", ["+import math"], "2"),
        ("print(sales['sold'].dt.month.max())",
         ["+print(pd.to_datetime(sales['sold']).dt.month.max())"], "2"),
        ("print(sales.groupby('shop')['price'].mean().max())",
         ['+print(sales.assign(**{"price": pd.to_numeric(sales["price"].astype(str).str.replace('
          'r"[^0-9.\\-]", "", regex=True))}).groupby(\'shop\')[\'price\'].mean().max())'], "601.5"),
        ("print('rows: ' + len(sales))", ["+print('rows: ' + str(len(sales)))"], "rows: 3"),
        ("sales['bonus'] = [1, 2]\nprint(sales['bonus'].sum())",
         ["+sales['bonus'] = pd.Series([1, 2], index=sales.index[:2])"], "3.0"),
        ("sales['top'] = sales['revenue_usd'][sales['revenue_usd'] > 5].to_numpy()\n"
         "print(sales['top'].isna().sum())",
         ["+sales['top'] = sales['revenue_usd'][sales['revenue_usd'] > 5]"], "1"),
        ("print(pd.DataFrame({'a': [1, 2], 'b': [1]}).shape)",
         ["+print(pd.DataFrame({'a': pd.Series([1, 2]), 'b': pd.Series([1])}).shape)"], "(2, 2)"),
    ],
)  # fmt: skip
def test_the_planner_repairs(planner, code, became, shown):
    fail(planner, code)
    cell = fix(planner)
    assert cell.status == "ok", cell.content
    assert [line for line in changes(cell) if line[0] == "+"] == became
    assert cell.stdout.strip().endswith(shown)
    assert summary(cell).startswith("cellpod: planner")
    assert len(summary(cell).splitlines()) == 2  # and why


def test_one_thing_after_the_other(planner):
    fail(planner, "total = sales['revenue'].sum()\nprint(totl, sales['shp'].nunique())")
    cell = fix(planner)
    assert cell.status == "ok", cell.content
    assert changes(cell) == [
        "-total = sales['revenue'].sum()", "-print(totl, sales['shp'].nunique())",
        '+total = sales["revenue_usd"].sum()', '+print(total, sales["shop"].nunique())']
    assert cell.stdout == "35 2\n"
    assert "revenue" in summary(cell) and "totl" in summary(cell) and "shp" in summary(cell)
    assert planner.value("int(total)") == "35"


def test_code_only_goes_into_the_next_cell(planner):
    fail(planner, "x = sales['revenue'].sum()")
    cell = fix(planner, "%fix --code-only")
    [payload] = cell.content["payload"]
    assert payload["source"] == "set_next_input"
    assert payload["text"] == 'x = sales["revenue_usd"].sum()'
    assert changes(cell)
    assert planner.value("'x' in globals()") == "False"


@pytest.mark.parametrize(
    "code, words",
    [
        ("1 / 0", ["ZeroDivisionError", "not an error that the planner can repair"]),
        ("sales['weight']", ['There is no column "weight"', "none is clearly"]),
        ("sales.columns = ['a', 'b']", ["(4 and 2)"]),
        ("import notapackage", ['no module "notapackage"', "%pip install"]),
    ],
)
def test_what_the_planner_cannot_repair_is_refused_in_words(planner, code, words):
    fail(planner, code)
    cell = fix(planner)
    assert cell.status == "ok"
    for word in words:
        assert word in texts(cell)[-1]


def test_a_repair_that_fails_leaves_nothing_behind(planner):
    before = planner.value("sorted(n for n in globals() if n[0] != '_')")
    fail(planner, "y = sales['revenue'].sum()\nz = 1 / 0")
    cell = fix(planner)
    assert any("ZeroDivisionError" in text and "revenue_usd" in text for text in texts(cell))
    assert planner.value("sorted(n for n in globals() if n[0] != '_')") == before


def test_nothing_has_failed(start_kernel):
    client = start_kernel().ready_client()
    cell = fix(client)
    assert cell.status == "error"
    assert "none has failed" in cell.content["evalue"]


def test_a_column_named_like_code_stays_a_name(planner):
    planner.run("odd = pd.DataFrame({'x\"]; print(\"owned\"); odd[\"': [1]})")
    fail(planner, "odd['x\"]; print(\"owned\"); od[\"']")
    cell = fix(planner)
    assert cell.status == "ok", cell.content
    assert "owned" not in cell.stdout


def test_the_cell_of_the_question_is_not_repaired(planner):
    fail(planner, "sales['revenue']")
    assert planner.execute("%ask --nonsense x", timeout=30).status == "error"
    assert changes(fix(planner))


# --- a model ---------------------------------------------------------------------------------------


def test_a_model_explains_and_repairs(start_kernel, tmp_path):
    answer = "It is revenue_usd.\n```python\nprint(sales['revenue_usd'].sum())\n```"
    with StandIn([stream(*CHAT.answer(answer))]) as server:
        provider = {**CHAT.settings(server.url), "model": "m-1"}
        folder = tmp_path / "cellpod"
        folder.mkdir()
        asked = {"provider": "test", "providers": {"test": provider}}
        (folder / "config.json").write_text(json.dumps({"ask": asked}))
        env = {"XDG_CONFIG_HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
        client = start_kernel(env=env).ready_client()
        client.run(DATA, timeout=START)
        fail(client, "# canary\nprint(sales['revenue'].sum())")
        shown = fix(client, "%fix --show").stdout
        cell = fix(client, "%fix the total is enough")
        assert cell.status == "ok", cell.content
        assert cell.stdout == "35\n"
        assert "It is revenue_usd." in summary(cell)
        assert "-print(sales['revenue'].sum())" in changes(cell)
        sent = json.dumps(server.requests[-1].json())
    for words in ("This cell failed", "# canary", "KeyError", "It failed in line 2", "Change as little"):
        assert words in sent and words in shown
    assert "the total is enough" in sent
