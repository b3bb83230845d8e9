"""%%ask in other languages than English: a lexicon file each, the user's own among them."""

from pathlib import Path

import pytest

from support.client import START, Client

pytestmark = pytest.mark.cellpod_only("%%ask is cellpod's")

DATA = """
import pandas as pd
sales = pd.DataFrame({"region": ["north", "south", "north", "east"], "profit": [10, 20, 5, 1]})
"""
GERMAN = """\
; as much German as one question takes
term SUM: summe | gesamt
term BY: nach
term FILLER: der | die | das
same: profit | gewinn
say name.sum: Summe von {0}
say title.x: {0} nach {1}
say refuse.lead: Das kann ich nicht beantworten.
"""


@pytest.fixture
def kernel(start_kernel, tmp_path: Path) -> Client:
    folder = tmp_path / "config/cellpod/planner"
    folder.mkdir(parents=True)
    (folder / "de.txt").write_text(GERMAN)
    (folder / "broken.txt").write_text("term SUM: summe\nnonsense\n")
    client = start_kernel(env={"XDG_CONFIG_HOME": str(tmp_path / "config"),
                               "XDG_CACHE_HOME": str(tmp_path / "cache")}).ready_client()
    client.run(DATA, timeout=START)
    return client


def plan_of(cell) -> dict:
    found = [m for m in cell.of_type("display_data") if "plan" in m.content["metadata"].get(
        "cellpod", {})]
    return found[-1].content["metadata"]["cellpod"]["plan"]


def text_of(cell) -> str:
    return " ".join(str(m.content["data"].get("text/plain", "")) for m in cell.of_type(
        "display_data", "update_display_data")) + str(cell.content)


def test_a_question_in_a_language_of_ones_own(kernel: Client) -> None:
    cell = kernel.execute("%%ask --language de\nSumme der Gewinn nach Region", timeout=30)
    plan = plan_of(cell)
    assert (plan["x"], plan["y"], plan["aggregate"]) == ("region", "profit", "sum")
    assert plan["not_understood"] == []
    assert "nach" in plan_of(kernel.execute("%%ask --language en\nSumme der Gewinn nach Region",
                                            timeout=30))["not_understood"]


def test_the_language_is_told_by_the_words_where_none_is_set(kernel: Client) -> None:
    plan = plan_of(kernel.execute("%%ask\nSumme der Gewinn nach Region", timeout=30))
    assert (plan["x"], plan["y"], plan["aggregate"]) == ("region", "profit", "sum")
    plan = plan_of(kernel.execute("%%ask\nprofit by region", timeout=30))
    assert (plan["x"], plan["y"]) == ("region", "profit")


def test_german_ships(start_kernel, tmp_path: Path) -> None:
    client = start_kernel(env={"XDG_CONFIG_HOME": str(tmp_path)}).ready_client()
    client.run(DATA, timeout=START)
    cell = client.execute("%%ask\nwie viele Zeilen gibt es pro region?", timeout=30)
    assert plan_of(cell)["aggregate"] == "count"
    assert "Anzahl der Zeilen nach region" in text_of(cell)


def test_english_ships(kernel: Client) -> None:
    plan = plan_of(kernel.execute("%%ask --language en\ntotal profit by region", timeout=30))
    assert (plan["x"], plan["y"], plan["aggregate"]) == ("region", "profit", "sum")


@pytest.mark.parametrize("name", ["fr", "../planner/de", "de.txt", "de/../de"])
def test_an_unknown_language_is_told_those_that_there_are(kernel: Client, name: str) -> None:
    text = text_of(kernel.execute(f"%%ask --language {name}\ntotal profit", timeout=30))
    assert "no language" in text and "de" in text and "en" in text, text


def test_a_broken_lexicon_names_its_line(kernel: Client) -> None:
    text = text_of(kernel.execute("%%ask --language broken\ntotal profit", timeout=30))
    assert "line 2" in text and "broken.txt" in text, text


def test_the_configuration_names_the_language(kernel: Client, tmp_path: Path) -> None:
    (tmp_path / "config/cellpod/config.json").write_text('{"ask": {"language": "de"}}')
    plan = plan_of(kernel.execute("%%ask\nSumme der Gewinn nach Region", timeout=30))
    assert (plan["x"], plan["y"], plan["aggregate"]) == ("region", "profit", "sum")
    plan = plan_of(kernel.execute("%%ask --language en\ntotal profit by region", timeout=30))
    assert plan["not_understood"] == []
