"""Questions of our own about tables that no corpus has: the plan, and the program's figure."""

from __future__ import annotations

import json

import bench_client
import checker
import corpora
import pytest
import tables

QUESTIONS = json.loads((corpora.DATA / "questions.json").read_text())
FRAMES = {name: make() for name, make in tables.TABLES.items()}
ANSWERS: dict[str, dict] = {}


def setup_module() -> None:
    lines = [{"question": row["question"],
              "profile": bench_client.profile_of({"df": FRAMES[row["table"]]})}
             for row in QUESTIONS]
    for row, answer in zip(QUESTIONS, bench_client.ask_lines(lines)):
        ANSWERS[row["table"] + row["question"]] = answer


def summary(plan: dict) -> dict:
    """A plan in the short form of questions.json."""
    short = {key: plan[key] for key in ("intent", "mark", "x", "y", "series", "aggregate", "limit")}
    short.update({key: plan[key] for key in ("also", "per", "share") if plan[key]})
    plain = ("y", "aggregate")
    if "also" in short:
        short["also"] = [{key: amount[key] for key in plain} for amount in short["also"]]
    if "per" in short:
        short["per"] = {key: short["per"][key] for key in plain}
    short["unit"] = (plan["bin"] or {}).get("unit")
    short["filters"] = [[f["column"], f["op"], *f["values"]] for f in plan["filters"]] or None
    short["sort"] = [plan["sort"]["by"], plan["sort"]["order"]] if plan["sort"] else None
    return {key: value for key, value in short.items() if value is not None}


@pytest.mark.parametrize("row", QUESTIONS, ids=lambda row: row["question"])
def test_is_read_and_drawn_as_meant(row: dict) -> None:
    answer, frame = ANSWERS[row["table"] + row["question"]], FRAMES[row["table"]]
    assert summary(answer["plan"]) == row["plan"]
    assert answer["outcome"] == "answered" and answer["not_understood"] == []
    outcome = checker.run(answer["code"], {"df": frame})
    try:
        checker.check(answer["plan"], outcome, frame, bench_client.kinds_of(frame))
    except checker.Undecided:
        pass  # that it runs is what is left


@pytest.mark.parametrize("question, unknown", [
    ("profit forecast for next year", "forecast"),
    ("seasonally adjusted sales by month", "seasonally adjusted"),
    ("k-means clusters of customers", "clusters"),
    ("why is profit falling in Texas", "why is"),
])
def test_refuses_what_it_cannot_do_and_says_what_it_can(question: str, unknown: str) -> None:
    answer = bench_client.ask(question, {"df": FRAMES["orders"]})
    assert answer["outcome"] == "refused" and answer["code"] == ""
    assert unknown in answer["not_understood"] or unknown in " ".join(answer["not_understood"])
    assert answer["message"].startswith("I can't answer that without a model.")
    assert answer["alternatives"]
    for offered in answer["alternatives"]:
        again = bench_client.ask(offered, {"df": FRAMES["orders"]})
        assert again["outcome"] == "answered", offered


def test_says_which_aggregate_it_took() -> None:
    answer = bench_client.ask("sales by region", {"df": FRAMES["orders"]})
    assert any("sum of Sales" in text for text in answer["assumed"])
    answer = bench_client.ask("discount by region", {"df": FRAMES["orders"]})
    assert any("mean of Discount" in text for text in answer["assumed"])


def test_says_that_it_corrected_a_word() -> None:
    answer = bench_client.ask("average sallary by departement", {"df": FRAMES["staff"]})
    assert answer["plan"]["y"] == "Salary" and answer["plan"]["x"] == "Department"
    assert any("sallary" in text for text in answer["assumed"])


@pytest.mark.parametrize("table, question, word", [
    ("orders", "big orders", "big"), ("orders", "expensive products by region", "expensive"),
    ("orders", "orders with high profit", "high"), ("staff", "old employees", "old"),
    ("staff", "average salary of good employees", "good"), ("staff", "who are young?", "young"),
])
def test_vague_words_are_refused(table: str, question: str, word: str) -> None:
    answer = bench_client.ask(question, {"df": FRAMES[table]})
    assert answer["outcome"] == "refused" and answer["code"] == ""
    assert word in answer["not_understood"] and f'"{word}" sets no bound' in answer["message"]


@pytest.mark.parametrize("table, question", [
    ("staff", "average charisma"), ("staff", "number of different pets by city"),
    ("passengers", "cheapest passenger"),
])
def test_refuses_rather_than_answering_something_else(table: str, question: str) -> None:
    answer = bench_client.ask(question, {"df": FRAMES[table]})
    assert answer["outcome"] == "refused" and answer["code"] == "", answer["plan"]


def test_leaves_no_key_out() -> None:
    answer = bench_client.ask("sales by region, category and segment", {"df": FRAMES["orders"]})
    assert [key["name"] for key in answer["plan"]["keys"]] == ["Region", "Category", "Segment"]
