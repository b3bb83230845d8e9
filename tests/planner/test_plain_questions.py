"""The plain questions that everybody asks, about tables of the shapes that everybody has, in the
ways in which they are asked: each number is worked out here. Nothing of it may be wrong, and
nothing refused."""

from __future__ import annotations

import ast
import contextlib
import io
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import bench_client
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

ROWS = 300
random = np.random.default_rng(7)


def some(*values: object, p: list[float] | None = None):
    return random.choice(np.array(values), ROWS, p=p)


def dates() -> pd.Series:
    return pd.Series(pd.to_datetime("2022-01-03") + pd.to_timedelta(random.integers(0, 900, ROWS), "D"))


@dataclass
class Table:
    """What people call its rows, its numbers (two), its kinds (two), its date and its yes or no."""

    frame: pd.DataFrame
    row: str
    rows: str
    numbers: dict[str, str]
    kinds: dict[str, tuple[str, str]]
    date: str
    flag: tuple[str, object, str]


TABLES = {
    "orders": Table(
        pd.DataFrame({
            "order_id": range(1000, 1000 + ROWS), "customer": some(*range(100, 135)), "ordered_at": dates(),
            "city": some("Rome", "Oslo", "Bern"), "category": some("Toys", "Books", "Garden"),
            "quantity": random.integers(1, 9, ROWS), "price": np.round(random.uniform(3, 90, ROWS), 2),
            "returned": some("yes", "no", p=[0.2, 0.8])}),
        "order", "orders", {"quantity": "quantity", "price": "price"},
        {"city": ("city", "cities"), "category": ("category", "categories")}, "ordered_at", ("returned", "yes", "returned")),
    "employees": Table(
        pd.DataFrame({
            "employee_id": range(ROWS), "department": some("Sales", "IT", "Legal"), "office": some("Paris", "Berlin"),
            "hire_date": dates(), "salary": random.integers(30000, 120000, ROWS), "bonus": random.integers(0, 9000, ROWS),
            "remote": some(True, False)}),
        "employee", "employees", {"salary": "salary", "bonus": "bonus"},
        {"department": ("department", "departments"), "office": ("office", "offices")}, "hire_date",
        ("remote", True, "remote")),
    "calls": Table(
        pd.DataFrame({
            "call_id": range(ROWS), "agent": some("Ana", "Ben", "Cleo"), "started": dates(),
            "topic": some("billing", "technical", "sales"), "wait_seconds": random.integers(1, 600, ROWS),
            "duration_min": np.round(random.uniform(1, 50, ROWS), 1), "resolved": some(0, 1)}),
        "call", "calls", {"wait_seconds": "wait time", "duration_min": "duration"},
        {"topic": ("topic", "topics"), "agent": ("agent", "agents")}, "started", ("resolved", 1, "resolved")),
    "students": Table(
        pd.DataFrame({
            "StudentID": range(ROWS), "Major": some("Biology", "History", "Physics"), "campus": some("East", "West"),
            "enrolled_on": dates(), "GPA": np.round(random.uniform(1, 4, ROWS), 2), "credits": random.integers(0, 180, ROWS),
            "is_graduated": some(0, 1)}),
        "student", "students", {"GPA": "GPA", "credits": "credits"},
        {"Major": ("major", "majors"), "campus": ("campus", "campuses")}, "enrolled_on",
        ("is_graduated", 1, "graduated")),
    "visits": Table(
        pd.DataFrame({
            "visit_no": range(5000, 5000 + ROWS), "ward": some("A1", "B2", "C3"), "diagnosis": some("flu", "asthma"),
            "admitted": dates(), "cost_usd": np.round(random.uniform(100, 9000, ROWS), 2),
            "age_years": random.integers(1, 95, ROWS), "readmitted": some("Y", "N")}),
        "visit", "visits", {"cost_usd": "cost", "age_years": "age"},
        {"ward": ("ward", "wards"), "diagnosis": ("diagnosis", "diagnoses")}, "admitted",
        ("readmitted", "Y", "readmitted")),
    "sessions": Table(
        pd.DataFrame({
            "session_id": range(ROWS), "started_at": dates(), "device": some("mobile", "desktop"),
            "country": some("DE", "FR", "US"), "page_views": random.integers(1, 30, ROWS),
            "duration_s": random.integers(1, 3000, ROWS), "converted": some(0, 1)}),
        "session", "sessions", {"page_views": "page views", "duration_s": "duration"},
        {"device": ("device", "devices"), "country": ("country", "countries")}, "started_at",
        ("converted", 1, "converted")),
}
REDUCED = {"total": "sum", "sum of the": "sum", "average": "mean", "median": "median", "highest": "max",
           "maximum": "max", "lowest": "min", "minimum": "min"}
BOUNDS = {"over": "gt", "above": "gt", "more than": "gt", "at least": "ge", "under": "lt", "below": "lt",
          "at most": "le"}
Asked = Iterator[tuple[str, object]]


def of_rows(t: Table) -> Asked:
    date = pd.to_datetime(t.frame[t.date])
    flagged = t.frame[t.flag[0]] == t.flag[1]
    for text in ("how many {} are there", "number of {}", "count the {}", "how many {} do we have", "total number of {}"):
        yield text.format(t.rows), ROWS
    for text in ("how many {} in 2023", "how many {} during 2023", "number of {} in 2023"):
        yield text.format(t.rows), (date.dt.year == 2023).sum()
    yield f"{t.rows} per month in 2023", date[date.dt.year == 2023].dt.month.value_counts()
    yield f"how many {t.rows} were there in March 2023", ((date.dt.year == 2023) & (date.dt.month == 3)).sum()
    yield f"number of {t.rows} since June 2023", (date >= "2023-06-01").sum()
    yield f"number of {t.rows} before 2023", (date.dt.year < 2023).sum()
    yield f"number of {t.rows} in Q2 2023", ((date.dt.year == 2023) & (date.dt.quarter == 2)).sum()
    yield (f"number of {t.rows} between January and May 2023",
           ((date.dt.year == 2023) & (date.dt.month <= 5)).sum())
    yield f"how many {t.flag[2]} {t.rows}", flagged.sum()
    yield f"how many {t.rows} were not {t.flag[2]}", (~flagged).sum()
    for text in ("share of {1} {0}", "percentage of {0} that are {1}", "what percent of {0} were {1}"):
        yield text.format(t.rows, t.flag[2]), 100 * flagged.mean()


def of_kinds(t: Table) -> Asked:
    flagged = t.frame[t.flag[0]] == t.flag[1]
    for column, (kind, kinds) in t.kinds.items():
        sizes = t.frame.groupby(column).size()
        for text in ("number of {0} by {1}", "{0} per {1}", "how many {0} does each {1} have", "count of {0} for each {1}"):
            yield text.format(t.rows, kind), sizes
        yield f"which {kind} has the most {t.rows}", sizes.idxmax()
        yield f"{kind} with the fewest {t.rows}", sizes.idxmin()
        for text in ("how many different {} are there", "how many {} do we have", "number of distinct {}"):
            yield text.format(kinds), len(sizes)
        for text in ("percentage of {1} {0} by {2}", "share of {0} that were {1} by {2}"):
            yield text.format(t.rows, t.flag[2], kind), 100 * flagged.groupby(t.frame[column]).mean()


def of_cells(t: Table) -> Asked:
    flagged = t.frame[t.flag[0]] == t.flag[1]
    for column, (kind, _) in t.kinds.items():
        cell = sorted(t.frame[column].unique())[1]
        is_it = t.frame[column] == cell
        yield f"number of {t.rows} with {kind} {cell}", is_it.sum()
        yield f"how many {t.rows} where {kind} is {cell}", is_it.sum()
        yield f"how many {t.rows} not in {cell}", (~is_it).sum()
        yield f"number of {t.rows} except {cell}", (~is_it).sum()
        yield f"how many {t.flag[2]} {t.rows} in {cell}", (is_it & flagged).sum()
        for number, called in t.numbers.items():
            values = t.frame[number]
            yield f"average {called} in {cell}", values[is_it].mean()
            yield f"total {called} for {cell}", values[is_it].sum()
            yield f"average {called} of {cell} {t.rows}", values[is_it].mean()
            yield f"average {called} where {kind} is {cell}", values[is_it].mean()
            yield f"average {called} excluding {cell}", values[~is_it].mean()
            yield f"average {called} of {t.flag[2]} {t.rows} in {cell}", values[is_it & flagged].mean()
            yield f"what share of total {called} comes from {cell}", 100 * values[is_it].sum() / values.sum()


def of_groups(t: Table) -> Asked:
    column, (kind, kinds) = next(iter(t.kinds.items()))
    for number, called in t.numbers.items():
        groups = t.frame.groupby(column)[number]
        for words, reduce in REDUCED.items():
            yield f"{words} {called} by {kind}", groups.agg(reduce)
        for text in ("average {} per {}", "what is the average {} of each {}"):
            yield text.format(called, kind), groups.mean()
        yield f"which {kind} has the highest average {called}", groups.mean().idxmax()
        yield f"{kind} with the most total {called}", groups.sum().idxmax()
        yield f"top 2 {kinds} by total {called}", groups.sum().nlargest(2)
        yield f"the 2 {kinds} with the lowest average {called}", groups.mean().nsmallest(2)


def of_numbers(t: Table) -> Asked:
    date = pd.to_datetime(t.frame[t.date])
    flagged = t.frame[t.flag[0]] == t.flag[1]
    for number, called in t.numbers.items():
        values = t.frame[number]
        for words, reduce in REDUCED.items():
            yield f"{words} {called}", values.agg(reduce)
            yield f"what is the {words} {called}", values.agg(reduce)
            yield f"{words} {called} of {t.flag[2]} {t.rows}", values[flagged].agg(reduce)
            yield f"{words} {called} in 2023", values[date.dt.year == 2023].agg(reduce)
        yield f"how high is the average {called}", values.mean()
        yield f"what is the average {called} of a {t.row}", values.mean()
        yield f"90th percentile of {called}", values.quantile(0.9)
        bound = round(float(values.quantile(0.7)))
        for words, compare in BOUNDS.items():
            passing = getattr(values, compare)(bound)
            yield f"number of {t.rows} with {called} {words} {bound}", passing.sum()
            yield f"how many {t.rows} have a {called} of {words} {bound}", passing.sum()
            yield f"share of {t.rows} with {called} {words} {bound}", 100 * passing.mean()
        yield f"average {called} by year", values.groupby(date.dt.year).mean()
        yield f"average {called} by weekday", values.groupby(date.dt.day_name()).mean()
        yield f"total {called} per quarter", values.groupby(date.dt.to_period("Q")).sum()
        yield f"{t.row} with the highest {called}", t.frame.loc[[values.idxmax()]]
        yield f"which {t.row} has the lowest {called}", t.frame.loc[[values.idxmin()]]
        yield f"top 5 {t.rows} by {called}", t.frame.loc[values.nlargest(5).index]


def shown_by(code: str, name: str, frame: pd.DataFrame) -> object:
    """What the program's last line shows, or else its answer."""
    program = ast.parse(code)
    names: dict = {name: frame.copy(), "__name__": "cell"}
    last = program.body.pop() if isinstance(program.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(program, "cell", "exec"), names)
        shown = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
    plt.close("all")
    return shown if isinstance(shown, (pd.DataFrame, pd.Series)) else names.get("answer", names.get("result", shown))


def is_same(wanted: object, shown: object) -> bool:
    if isinstance(wanted, pd.DataFrame):  # rows, of which others may tie
        return isinstance(shown, pd.DataFrame) and len(shown) == len(wanted)
    if isinstance(wanted, pd.Series):
        numbers = np.sort(np.asarray(shown, dtype=float).ravel())
        numbers, known = numbers[numbers != 0], np.sort(wanted[wanted != 0].to_numpy(dtype=float))
        return len(numbers) == len(known) and np.allclose(numbers, known)
    if isinstance(wanted, str):
        return wanted in str(shown)
    return bool(np.isclose(float(np.asarray(shown, dtype=float).ravel()[0]), float(wanted)))


@pytest.mark.parametrize("ask", [of_rows, of_kinds, of_cells, of_groups, of_numbers])
@pytest.mark.parametrize("name", TABLES)
def test_is_answered_right(name: str, ask) -> None:
    table = TABLES[name]
    asked = list(ask(table))
    profile = bench_client.profile_of({name: table.frame})
    replies = bench_client.ask_lines(
        [{"question": question, "profile": profile, "previous": []} for question, _ in asked])
    wrong = []
    for (question, wanted), reply in zip(asked, replies):
        shown = shown_by(reply["code"], name, table.frame) if reply["outcome"] == "answered" else reply["message"]
        if reply["outcome"] != "answered" or not is_same(wanted, shown):
            wrong.append(f"{question}: {str(shown)[:100]}; wanted {str(wanted)[:100]}")
    assert wrong == []


POLITE = ["show me {}", "give me {}", "please show {}", "can you tell me {}?", "I want to know {}", "what's the {}",
          "could you please compute {}", "{}, thanks", "calculate {}", "hey, {}", "I'd like to see {}"]


@pytest.mark.parametrize("polite", POLITE)
def test_is_answered_alike_however_it_is_asked(polite: str) -> None:
    table = TABLES["employees"]
    profile = bench_client.profile_of({"employees": table.frame})
    asked = [question for ask in (of_groups, of_numbers) for question, _ in ask(table)
             if question.startswith(("average", "total", "highest", "lowest", "median"))]
    plain, others = (bench_client.ask_lines(
        [{"question": form.format(question), "profile": profile, "previous": []} for question in asked])
        for form in ("{}", polite))
    assert [reply["code"] for reply in others] == [reply["code"] for reply in plain]


@pytest.mark.parametrize("questions, wanted", [
    (["how many orders were returned", "in Rome"], lambda d: (d.returned.eq("yes") & d.city.eq("Rome")).sum()),
    (["how many orders were returned", "in Rome", "per month"],
     lambda d: d[d.returned.eq("yes") & d.city.eq("Rome")].groupby(d.ordered_at.dt.to_period("M")).size()),
    (["average price in Rome", "by year"], lambda d: d[d.city == "Rome"].groupby(d.ordered_at.dt.year).price.mean()),
    (["number of orders", "per month"], lambda d: d.groupby(d.ordered_at.dt.to_period("M")).size()),
    (["total quantity", "for Toys", "per month"],
     lambda d: d[d.category == "Toys"].groupby(d.ordered_at.dt.to_period("M")).quantity.sum()),
    (["average price in Rome", "and in Bern?"], lambda d: d.price[d.city == "Bern"].mean()),
    (["how many orders were returned", "by city"], lambda d: d[d.returned == "yes"].groupby("city").size()),
])
def test_what_only_goes_on_changes_the_answer_before(questions: list[str], wanted) -> None:
    orders = TABLES["orders"].frame
    before: list = []
    for question in questions:
        reply = bench_client.ask(question, {"orders": orders}, before)
        assert reply["outcome"] == "answered", reply["message"]
        before.append(reply["plan"])
    assert is_same(wanted(orders), shown_by(reply["code"], "orders", orders))


SALES = pd.DataFrame({
    "store": some(1, 2, 3, 4), "year": some(2021, 2022, 2023), "month": random.integers(1, 13, ROWS),
    "product": some("Tea", "Juice"), "units": random.integers(1, 40, ROWS),
    "revenue": np.round(random.uniform(10, 900, ROWS), 2)})
WELLS = pd.DataFrame({
    "well": some("W1", "W2", "W3"), "sampled": dates().dt.strftime("%d/%m/%Y"),
    "depth_m": random.integers(5, 200, ROWS).astype(float), "nitrate_mg_l": np.round(random.uniform(1, 60, ROWS), 1),
    "land_use": some("farm", "forest"), "cost": [f"${value:,.2f}" for value in random.uniform(50, 2500, ROWS)],
    "priority": some("low", "medium", "high")})


@pytest.mark.parametrize("question, wanted", [
    ("total revenue in March 2022", lambda d: d.revenue[(d.month == 3) & (d.year == 2022)].sum()),
    ("total revenue in March", lambda d: d.revenue[d.month == 3].sum()),
    ("total revenue by month in 2022", lambda d: d[d.year == 2022].groupby("month").revenue.sum()),
    ("total revenue since 2022", lambda d: d.revenue[d.year >= 2022].sum()),
    ("how many stores are there", lambda d: d.store.nunique()),
    ("average revenue per store", lambda d: d.groupby("store").revenue.mean()),
    ("top 2 stores by revenue", lambda d: d.groupby("store").revenue.sum().nlargest(2)),
    ("total revenue of store 3", lambda d: d.revenue[d.store == 3].sum()),
    ("compare store 1 and store 2 by total revenue", lambda d: d[d.store < 3].groupby("store").revenue.sum()),
])
def test_of_years_months_and_stores_that_are_numbers(question: str, wanted) -> None:
    reply = bench_client.ask(question, {"sales": SALES})
    assert reply["outcome"] == "answered", reply["message"]
    assert is_same(wanted(SALES), shown_by(reply["code"], "sales", SALES))


@pytest.mark.parametrize("question, wanted", [
    ("how many samples have more than 50 mg/l of nitrate", lambda d: (d.nitrate_mg_l > 50).sum()),
    ("how many samples are deeper than 100 meters", lambda d: (d.depth_m > 100).sum()),
    ("deepest sample", lambda d: d.loc[[d.depth_m.idxmax()]]),
    ("number of samples with high priority", lambda d: (d.priority == "high").sum()),
    ("how many high priority samples", lambda d: (d.priority == "high").sum()),
    ("total cost", lambda d: d.cost.str.replace("[$,]", "", regex=True).astype(float).sum()),
    ("average depth of forest samples", lambda d: d.depth_m[d.land_use == "forest"].mean()),
    ("number of samples per well", lambda d: d.groupby("well").size()),
])
def test_of_units_money_and_days_that_are_text(question: str, wanted) -> None:
    reply = bench_client.ask(question, {"wells": WELLS})
    assert reply["outcome"] == "answered", reply["message"]
    assert is_same(wanted(WELLS), shown_by(reply["code"], "wells", WELLS))


CHARTS = {
    "plot average salary by department": ("bar", "department", "salary", "mean"),
    "bar chart of the number of employees per office": ("bar", "office", None, "count"),
    "histogram of salary": ("histogram", "salary", None, "count"),
    "show the distribution of bonus": ("histogram", "bonus", None, "count"),
    "scatter plot of salary and bonus": ("scatter", "salary", "bonus", None),
    "box plot of salary by department": ("box", "department", "salary", None),
    "boxplot of level": ("box", None, "level", None),
    "pie chart of employees by office": ("pie", "office", None, "count"),
    "line chart of total bonus per month": ("line", "hire_date", "bonus", "sum"),
    "plot the number of employees over time": ("line", "hire_date", None, "count"),
    "visualize employees by department": ("bar", "department", None, "count"),
    "graph the average bonus of each office": ("bar", "office", "bonus", "mean"),
}


@pytest.mark.parametrize("question", CHARTS)
def test_charts_are_those_that_were_asked_for(question: str) -> None:
    frame = TABLES["employees"].frame.assign(level=some(1, 2, 3, 4))
    reply = bench_client.ask(question, {"employees": frame})
    assert reply["outcome"] == "answered", reply["message"]
    plan = reply["plan"]
    assert (plan["mark"], plan["x"], plan["y"], plan["aggregate"]) == CHARTS[question]
    shown_by(reply["code"], "employees", frame)


@pytest.mark.parametrize("question", [
    "average profit by city", "average price by galaxy", "orders per planet", "number of orders from Atlantis",
    "average price of purple orders", "how many orders were frobnicated", "total weight of orders",
    "how many zebras are there", "which planet has the most orders", "how many orders with shoe size over 42",
    "correlation between price and happiness", "average temperature by city", "number of orders that arrived late",
    "price per square meter", "average price adjusted for inflation", "forecast price for next year",
    "why did price fall", "orders near the station",
    "third order of each city", "orders with the word urgent in the comment", "average price of gift orders",
    "weighted average price", "geometric mean of price",
])
def test_what_the_table_does_not_know_is_refused(question: str) -> None:
    assert bench_client.ask(question, {"orders": TABLES["orders"].frame})["outcome"] == "refused"


@pytest.mark.parametrize("has_date", [True, False], ids=["dated", "undated"])
@pytest.mark.parametrize("question", [
    "price of the first order", "city of the last order", "which city had the last order", "customer with the first order",
    "last 3 orders", "last 3 orders from Rome", "the last row", "show the last 5 rows", "last 3 orders of each customer",
    "price of the first 3 orders", "average price of the first 10 orders", "first customer", "last city",
    "first price of each city", "which customer ordered first", "latest price", "oldest price", "latest price by city",
    "bottom 3 orders", "top 5 orders from Rome", "top orders", "every second order", "price of every second order",
    "orders from Rome, largest first", "orders from Rome sorted descending", "orders by city, latest first",
    "show the first order of each city and its price",
])
def test_first_and_last_are_not_the_most_and_the_least(question: str, has_date: bool) -> None:
    orders = TABLES["orders"].frame
    orders = orders if has_date else orders.drop(columns="ordered_at")
    assert bench_client.ask(question, {"orders": orders})["outcome"] == "refused"


@pytest.mark.parametrize("question", ["first order from Rome", "first order of each customer"])
def test_the_first_are_the_earliest_where_there_is_a_date(question: str) -> None:
    orders = TABLES["orders"].frame
    plan = bench_client.ask(question, {"orders": orders})["plan"]
    assert (plan["y"], plan["aggregate"]) == ("ordered_at", "min")
    undated = bench_client.ask(question, {"orders": orders.drop(columns="ordered_at")})
    assert undated["outcome"] == "refused"


@pytest.mark.parametrize("question", ["price of the latest order", "newest order price"])
def test_what_the_latest_had_is_in_its_row(question: str) -> None:
    orders = TABLES["orders"].frame
    reply = bench_client.ask(question, {"orders": orders})
    assert reply["outcome"] == "answered", reply["message"]
    rows = shown_by(reply["code"], "orders", orders)
    assert list(rows.ordered_at) == [orders.ordered_at.max()]


@pytest.mark.parametrize("question", ["cost of the latest visit", "age of the newest visit", "show the latest 1 visits"])
def test_the_latest_is_by_the_date_and_by_no_number_of_years(question: str) -> None:
    visits = TABLES["visits"].frame
    reply = bench_client.ask(question, {"visits": visits})
    assert reply["outcome"] == "answered", reply["message"]
    assert list(shown_by(reply["code"], "visits", visits).admitted) == [visits.admitted.max()]


@pytest.mark.parametrize("question, chosen, by, is_up", [
    ("orders from Rome, latest first", lambda d: d.city == "Rome", "ordered_at", False),
    ("list the returned orders, oldest first", lambda d: d.returned == "yes", "ordered_at", True),
    ("orders from Rome, most expensive first", lambda d: d.city == "Rome", "price", False),
    ("orders over 50 euros, cheapest first", lambda d: d.price > 50, "price", True),
    ("orders, newest first", lambda d: d.price > 0, "ordered_at", False),
    ("orders by price, highest first", lambda d: d.price > 0, "price", False),
    ("list orders from Rome by price, most expensive first", lambda d: d.city == "Rome", "price", False),
    ("orders sorted by price", lambda d: d.price > 0, "price", True),
    ("sort by price", lambda d: d.price > 0, "price", True),
    ("sort orders by price descending", lambda d: d.price > 0, "price", False),
    ("sort the orders by quantity", lambda d: d.price > 0, "quantity", True),
    ("orders from Rome ordered by quantity", lambda d: d.city == "Rome", "quantity", True),
    ("orders sorted by ordered at", lambda d: d.price > 0, "ordered_at", True),
    ("orders by ordered at, latest first", lambda d: d.price > 0, "ordered_at", False),
])
def test_rows_come_in_the_order_that_was_asked_for(question: str, chosen, by: str, is_up: bool) -> None:
    orders = TABLES["orders"].frame
    reply = bench_client.ask(question, {"orders": orders})
    assert reply["outcome"] == "answered", reply["message"]
    rows = shown_by(reply["code"], "orders", orders)
    wanted = orders[chosen(orders)]
    assert set(rows.order_id) == set(wanted.order_id)
    assert list(rows[by]) == sorted(wanted[by], reverse=not is_up)


@pytest.mark.parametrize("question, wanted", [
    ("orders per month, highest first", lambda n: list(n.sort_values(ascending=False))),
    ("orders per month, latest first", lambda n: list(n[::-1])),
    ("orders per month, oldest first", list),
    ("line chart of orders per month, highest first", list),
])
def test_periods_in_another_order_are_no_line(question: str, wanted) -> None:
    orders = TABLES["orders"].frame
    reply = bench_client.ask(question, {"orders": orders})
    assert reply["outcome"] == "answered", reply["message"]
    counts = orders.groupby(orders.ordered_at.dt.to_period("M")).size()
    assert list(shown_by(reply["code"], "orders", orders)) == wanted(counts)
    is_as_time_goes = wanted is list
    assert reply["plan"]["mark"] == ("line" if is_as_time_goes else "bar")


def test_another_currency_is_refused() -> None:
    visits = TABLES["visits"].frame
    assert bench_client.ask("total cost in euros", {"visits": visits})["outcome"] == "refused"
    assert bench_client.ask("total cost in dollars", {"visits": visits})["outcome"] == "answered"


def test_a_row_is_told_by_its_number() -> None:
    visits = TABLES["visits"].frame
    reply = bench_client.ask("cost of visit 5017", {"visits": visits})
    assert is_same(visits.cost_usd[17], shown_by(reply["code"], "visits", visits))


def test_what_is_taken_for_rows_is_said() -> None:
    reply = bench_client.ask("top 5 gizmos by price", {"orders": TABLES["orders"].frame})
    assert 'took "gizmos" for the rows of the table' in reply["assumed"]


@pytest.mark.parametrize("question, wanted", [
    ("how many managers are there", lambda d: d.manager.sum()),
    ("share of managers by shop", lambda d: 100 * d.groupby("shop").manager.mean()),
    ("average pay by shop", lambda d: d.groupby("shop").pay.mean()),
])
def test_a_person_of_noughts_and_ones_is_a_yes_or_no(question: str, wanted) -> None:
    staff = pd.DataFrame({"staff_id": range(40), "manager": [1, 0, 0, 0] * 10, "shop": [1, 2] * 20,
                          "pay": [100 + 7 * row % 31 for row in range(40)]})
    reply = bench_client.ask(question, {"staff": staff})
    assert reply["outcome"] == "answered", reply["message"]
    assert is_same(wanted(staff), shown_by(reply["code"], "staff", staff))


def test_a_number_whose_question_is_not_known_has_no_groups() -> None:
    orders = {"orders": TABLES["orders"].frame}
    before = bench_client.ask("number of orders", orders)["plan"]
    del before["asked"]
    assert bench_client.ask("per month", orders, [before])["outcome"] == "refused"
