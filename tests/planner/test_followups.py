"""Questions that change the answer before, and choices among several tables."""

from __future__ import annotations

import bench_client
import checker
import pandas as pd
import pytest
import tables

ORDERS = tables.orders()

CHANGES = [
    ("sales by region", "only for furniture",
     {"x": "Region", "y": "Sales", "filters": [["Category", "==", "Furniture"]]}),
    ("sales by region", "as a pie chart", {"mark": "pie", "x": "Region"}),
    ("sales by region", "as a line chart", {"mark": "line", "x": "Region"}),
    ("sales by region", "and by year",
     {"mark": "line", "x": "Order Date", "series": "Region", "unit": "year"}),
    ("sales by region", "split by segment", {"x": "Region", "series": "Segment"}),
    ("sales by region", "biggest first", {"sort": ["y", "descending"]}),
    ("sales by region", "what about profit", {"x": "Region", "y": "Profit"}),
    ("sales by region", "now the average", {"x": "Region", "aggregate": "mean"}),
    ("sales by region", "by category instead", {"x": "Category", "series": None}),
    ("sales by state", "only the top 2", {"limit": 2, "x": "State"}),
    ("monthly sales", "by quarter", {"unit": "quarter", "x": "Order Date"}),
    ("sales vs profit", "colored by segment", {"mark": "scatter", "series": "Segment"}),
    ("sales in the west by segment", "now for the east",
     {"x": "Segment", "filters": [["Region", "==", "East"]]}),
    ("sales by region", "without technology",
     {"x": "Region", "filters": [["Category", "!=", "Technology"]]}),
    ("number of orders by region", "as a table", {"intent": "table", "x": "Region"}),
]


def short(plan: dict) -> dict:
    return {**plan, "unit": (plan["bin"] or {}).get("unit"),
            "filters": [[f["column"], f["op"], *f["values"]] for f in plan["filters"]],
            "sort": [plan["sort"]["by"], plan["sort"]["order"]] if plan["sort"] else None}


@pytest.mark.parametrize("first, then, want", CHANGES, ids=[c[1] for c in CHANGES])
def test_changes_the_answer_before(first: str, then: str, want: dict) -> None:
    before = bench_client.ask(first, {"df": ORDERS})
    answer = bench_client.ask(then, {"df": ORDERS}, [before["plan"]])
    got = short(answer["plan"])
    assert {key: got[key] for key in want} == want
    assert answer["outcome"] == "answered"
    outcome = checker.run(answer["code"], {"df": ORDERS})
    checker.check(answer["plan"], outcome, ORDERS, bench_client.kinds_of(ORDERS))


@pytest.mark.parametrize("question", [
    "average profit by segment", "histogram of discount", "how many orders are there?",
    "which state has the highest sales?"])
def test_a_whole_question_starts_afresh(question: str) -> None:
    before = bench_client.ask("sales by region in 2015 as a pie chart", {"df": ORDERS})
    alone = bench_client.ask(question, {"df": ORDERS})
    after = bench_client.ask(question, {"df": ORDERS}, [before["plan"]])
    assert after["plan"] == alone["plan"]


def test_a_plan_of_a_table_that_is_gone_is_no_context() -> None:
    before = bench_client.ask("sales by region", {"old": ORDERS})
    answer = bench_client.ask("only for furniture", {"df": ORDERS}, [before["plan"]])
    assert answer["plan"]["frame"] == "df" and answer["plan"]["x"] != "Region"


def test_takes_the_table_that_has_the_columns() -> None:
    frames = {"orders": ORDERS, "staff": tables.staff()}
    assert bench_client.ask("average salary by gender", frames)["plan"]["frame"] == "staff"
    assert bench_client.ask("total profit by segment", frames)["plan"]["frame"] == "orders"
    assert any("staff" in text
               for text in bench_client.ask("salary by gender", frames)["assumed"])


def test_asks_when_two_tables_fit() -> None:
    frames = {"north": ORDERS, "south": ORDERS.copy()}
    answer = bench_client.ask("profit by segment", frames)
    assert answer["outcome"] == "asks" and answer["code"] == ""
    assert "north" in answer["message"] and "south" in answer["message"]
    assert bench_client.ask("profit by segment", frames, active="south")["plan"]["frame"] == "south"
    assert bench_client.ask("profit by segment in south", frames)["plan"]["frame"] == "south"


def test_own_leftovers_do_not_compete() -> None:
    profile = bench_client.profile_of(
        {"sales": ORDERS, "data": ORDERS[ORDERS["Region"] == "East"]})
    profile["frames"][1]["made"] = True
    answer = bench_client.ask_lines([{"question": "profit by segment", "profile": profile}])[0]
    assert answer["plan"]["frame"] == "sales"


def test_names_of_answers_are_bound_again_and_the_users_never() -> None:
    frames = {"sales": ORDERS, "result": ORDERS, "result_": ORDERS, "data": ORDERS}
    profile = bench_client.profile_of(frames) | {"active": "sales"}
    profile["frames"][3]["made"] = True
    profile["variables"] = [{"name": "index", "type": "int"}]
    question = "total profit by segment in the west"
    code = bench_client.ask_lines([{"question": question, "profile": profile}])[0]["code"]
    assert "result__ = " in code and "data = " in code
    assert "index_=" not in code, "arguments are no variables"


def test_users_variables_of_our_names_are_kept() -> None:
    answer = bench_client.ask("profit by segment in the west", {"data": ORDERS})
    outcome = checker.run(answer["code"], {"data": ORDERS})
    checker.check(answer["plan"], outcome, ORDERS, bench_client.kinds_of(ORDERS))


@pytest.mark.parametrize("form", ["csv", "parquet", "excel"])
def test_loads_a_file_when_no_frame_holds_it(form: str, tmp_path) -> None:
    path = tmp_path / f"sales.{form}"
    {"csv": ORDERS.to_csv, "parquet": ORDERS.to_parquet, "excel": ORDERS.to_excel}[form](
        path, index=False, **({"engine": "openpyxl"} if form == "excel" else {}))
    profile = bench_client.profile_of({"sales.csv": ORDERS})
    profile["frames"][0].update(kind="file", path=str(path), format=form)
    answer = bench_client.ask_lines([{"question": "profit by segment", "profile": profile}])[0]
    outcome = checker.run(answer["code"], {})
    frame = {"csv": pd.read_csv, "parquet": pd.read_parquet, "excel": pd.read_excel}[form](path)
    checker.check(answer["plan"], outcome, frame, bench_client.kinds_of(frame))


def test_a_frame_is_taken_before_the_file_that_it_came_from() -> None:
    profile = bench_client.profile_of({"orders": ORDERS, "orders.csv": ORDERS})
    profile["frames"][1].update(kind="file", path="orders.csv", format="csv")
    answer = bench_client.ask_lines([{"question": "profit by segment", "profile": profile}])[0]
    assert answer["plan"]["frame"] == "orders" and "read_csv" not in answer["code"]
