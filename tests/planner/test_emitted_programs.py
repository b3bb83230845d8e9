"""Every program that the corpora's questions lead to runs, and shows what its plan says."""

from __future__ import annotations

import random

import bench_client
import checker
import corpora
import pandas as pd
import pytest
import query_checker
import tables


def nlv_runs(dataset: str) -> list[tuple[corpora.Case, dict]]:
    cases = corpora.nlv(dataset)
    pairs = {answer["code"]: (case, answer) for case, answer in zip(cases, corpora.ask(cases))}
    pairs.pop("", None)
    return list(pairs.values())


@pytest.mark.parametrize("dataset", ["cars", "movies"])
def test_charts_show_what_the_rows_say(dataset: str) -> None:
    frame = pd.read_csv(corpora.DATA / "nlv" / f"{dataset}.csv")
    kinds = {column["name"]: column["kind"]
             for column in corpora.nlv(dataset)[0].profile["frames"][0]["columns"]}
    checked = 0
    for case, answer in nlv_runs(dataset):
        outcome = checker.run(answer["code"], {dataset: frame})
        try:
            checker.check(answer["plan"], outcome, frame, kinds)
            checked += 1
        except checker.Undecided:
            pass
        except AssertionError as error:
            raise AssertionError(f"{case.question}\n{answer['code']}") from error
    assert checked > 25


def made_up(profile: dict, rng: random.Random) -> pd.DataFrame:
    """Rows for a table of which only types and values are known."""
    rows, columns = 40, {}
    for column in profile["frames"][0]["columns"]:
        known = column["values"] or [str(at) for at in range(15)]
        cells = [rng.choice(known) for _ in range(rows)]
        if column["kind"] == "number":
            cells = pd.to_numeric(pd.Series(cells), errors="coerce").fillna(rng.randrange(9))
        elif column["kind"] == "date":
            cells = [f"20{rng.randrange(10, 22)}-0{rng.randrange(1, 10)}-15" for _ in range(rows)]
        columns[column["name"]] = cells
    return pd.DataFrame(columns)


def test_programs_for_other_tables_run() -> None:
    rng, frames, seen = random.Random(5), {}, set()
    cases = corpora.ncnet()
    for case, answer in zip(cases, corpora.ask(cases)):
        if not answer["code"] or answer["code"] in seen:
            continue
        seen.add(answer["code"])
        name = case.profile["frames"][0]["name"]
        frame = frames.setdefault(id(case.profile), made_up(case.profile, rng))
        try:
            checker.run(answer["code"], {name: frame})
        except Exception as error:
            raise AssertionError(f"{case.question}\n{answer['code']}") from error
    assert len(seen) > 200


def spoilt(plan: dict, key: str, value: object) -> dict:
    """Another plan than the one that the program came from."""
    return query_checker.spoilt(plan, key, value) if "keys" in plan else {**plan, key: value}


SPOILT = [
    ("aggregate", "max"), ("y", "Weight"), ("x", "Year"),
    ("sort", {"by": "y", "order": "ascending"}),
    ("filters", [{"column": "Year", "op": ">", "values": [75.0], "join": "and"}]),
]


@pytest.mark.parametrize("key, value", SPOILT, ids=[key for key, _ in SPOILT])
def test_the_checker_notices_a_chart_of_another_plan(key: str, value: object) -> None:
    frame = pd.read_csv(corpora.DATA / "nlv" / "cars.csv")
    case = corpora.nlv("cars")[0]
    case.question = "average mpg by cylinders, biggest first"
    answer = corpora.ask([case])[0]
    kinds = {c["name"]: c["kind"] for c in case.profile["frames"][0]["columns"]}
    outcome = checker.run(answer["code"], {"cars": frame})
    checker.check(answer["plan"], outcome, frame, kinds)
    with pytest.raises((AssertionError, KeyError)):
        checker.check(spoilt(answer["plan"], key, value), outcome, frame, kinds)


WITH_GAPS = [
    "box plot of age by sex", "box plot of fare", "correlation matrix", "describe the data",
    "correlation between age and fare", "heatmap of average age by sex and embarked",
    "heatmap of sex and embarked", "table of average fare by pclass, biggest first",
    "table of average age by pclass and sex", "missing values", "missing age values",
    "describe age", "describe embarked", "unique embarked", "what columns are there?",
    "box plot of age by sex and embarked", "histogram of fare by embarked", "rows sorted by age",
    "average age and fare by sex", "median age and fare by embarked and sex", "rows sorted by sex",
    "average age and fare", "fare divided by age by sex", "share of passengers by sex as a table",
    "percentage of passengers by class and sex as a bar chart", "what percentage of rows are male?",
    "show the data", "first 7 rows", "top 10 rows by fare", "passengers with age above 60",
]


@pytest.mark.parametrize("question", WITH_GAPS)
def test_tables_boxes_and_heat_show_what_the_rows_say(question: str) -> None:
    frame = tables.passengers()
    answer = bench_client.ask(question, {"df": frame})
    outcome = checker.run(answer["code"], {"df": frame})
    checker.check(answer["plan"], outcome, frame, bench_client.kinds_of(frame))


def test_rows_are_told_apart_where_the_index_repeats() -> None:
    frame = tables.passengers()
    frame.index = [0] * len(frame)
    answer = bench_client.ask("top 10 rows by fare", {"df": frame})
    outcome = checker.run(answer["code"], {"df": frame})
    checker.check(answer["plan"], outcome, frame, bench_client.kinds_of(frame))


BOXES, HEAT = "box plot of mpg by origin", "heatmap of average mpg by origin and cylinders"
TABLE, GRID = "top 2 origins by average mpg table", "table of average mpg by origin and cylinders"
ROWS, RANKED = "show cars with mpg above 40", "top 10 rows by horsepower"
OLD = [{"column": "Year", "op": "<", "values": [75.0], "join": "and"}]
DOWN = {"by": "y", "order": "descending"}
PARTS, BOTH = "box plot of mpg by origin and cylinders", "average mpg and weight by origin"
TWO, RATIO = "average mpg and weight", "ratio of horsepower to weight by origin"
SHARES, PART = "table of percentage of cars by origin", "percentage of cars from Japan"
SORTED = "rows sorted by model"
SPOILT_TOO = [
    (BOXES, "y", "Weight"), (BOXES, "x", "Cylinders"), (BOXES, "filters", OLD),
    (HEAT, "aggregate", "median"), (HEAT, "y", "Weight"), (HEAT, "filters", OLD),
    (HEAT, "series", "Year"), (HEAT, "sort", DOWN), (HEAT, "limit", 2),
    ("correlation matrix", "filters", OLD),
    ("correlation between mpg and weight", "y", "Horsepower"),
    (TABLE, "aggregate", "median"), (TABLE, "sort", {"by": "y", "order": "ascending"}),
    (TABLE, "limit", 3), (TABLE, "x", "Cylinders"), (TABLE, "filters", OLD),
    (TABLE, "share", True), (GRID, "aggregate", "max"), (GRID, "x", "Year"),
    ("top 5 cars by horsepower", "limit", 4), ("top 5 cars by horsepower", "y", "Weight"),
    ("top 5 cars by horsepower", "sort", {"by": "y", "order": "ascending"}),
    (ROWS, "filters", []), (ROWS, "limit", 3), (ROWS, "sort", {"by": "MPG", "order": "descending"}),
    (RANKED, "sort", None), (RANKED, "limit", 9), (RANKED, "y", "Weight"),
    (PARTS, "series", "Year"), (PARTS, "y", "Weight"), (PARTS, "filters", OLD),
    (BOTH, "also", [{"y": "Horsepower", "aggregate": "mean"}]), (BOTH, "y", "Horsepower"),
    (BOTH, "also", []), (BOTH, "x", "Cylinders"), (BOTH, "filters", OLD),
    (TWO, "also", [{"y": "Weight", "aggregate": "sum"}]), (TWO, "aggregate", "max"),
    (RATIO, "per", None), (RATIO, "per", {"y": "MPG", "aggregate": "sum"}), (RATIO, "y", "MPG"),
    (SHARES, "share", False), (SHARES, "x", "Cylinders"), (PART, "share", False),
    (PART, "filters", OLD), (SORTED, "sort", {"by": "Origin", "order": "ascending"}),
    ("describe the data", "filters", OLD), ("describe mpg", "x", "Weight"),
    ("describe origin", "x", "Model"), ("unique origins", "x", "Year"),
    ("unique origins", "filters", OLD), ("what columns are there?", "filters", OLD),
]


@pytest.mark.parametrize("question, key, value", SPOILT_TOO)
def test_the_checker_notices_the_tables_of_another_plan(question: str, key: str,
                                                         value: object) -> None:
    frame = pd.read_csv(corpora.DATA / "nlv" / "cars.csv")
    answer = bench_client.ask(question, {"df": frame})
    kinds = bench_client.kinds_of(frame)
    outcome = checker.run(answer["code"], {"df": frame})
    checker.check(answer["plan"], outcome, frame, kinds)
    with pytest.raises((AssertionError, KeyError, ValueError)):
        checker.check(spoilt(answer["plan"], key, value), outcome, frame, kinds)


@pytest.mark.parametrize("question", ["missing values", "missing age values"])
def test_the_checker_notices_other_gaps(question: str) -> None:
    frame = tables.passengers()
    answer, kinds = bench_client.ask(question, {"df": frame}), bench_client.kinds_of(frame)
    outcome = checker.run(answer["code"], {"df": frame})
    with pytest.raises(AssertionError):
        checker.check(answer["plan"], outcome, frame.fillna({"Age": 0.0}), kinds)
