"""Words that stand beside a column, or for one of its kinds: worked out here."""

from __future__ import annotations

import bench_client
import pandas as pd
import pytest

REPAIRS = pd.DataFrame({
    "wo_no": [f"W{i}" for i in range(8)], "dt_open": pd.date_range("2024-01-01", periods=8),
    "dt_closed": pd.to_datetime(["2024-01-03", "2024-01-03", None, "2024-01-08", None, "2024-01-09", None, "2024-01-09"]),
    "veh_make": ["Ford", "Kia", "Ford", "Opel", "Kia", "Ford", "Ford", "Kia"],
    "fuel": ["petrol", "petrol", "diesel", "diesel", "diesel", "petrol", "diesel", "diesel"],
    "job": ["tyres", "brakes", "tyres", "tyres", "brakes", "brakes", "tyres", "oil"],
    "custType": ["private", "fleet", "fleet", "private", "fleet", "private", "private", "fleet"],
    "stars": [5, 4, 3, 4, 2, 5, 1, 4], "finished": ["yes", "yes", "no", "yes", "no", "yes", "no", "yes"],
    "odo": ["12,000 km", "9,000 km", "30,000 km", "41,000 km", "7,000 km", "8,000 km", "9,500 km", "12,500 km"]})


def shown(question: str) -> object:
    reply = bench_client.ask(question, {"repairs": REPAIRS})
    names: dict = {"repairs": REPAIRS, "__name__": "cell"}
    exec(reply["code"], names)
    return names.get("answer", names.get("result"))


@pytest.mark.parametrize("question, answer", [
    ("mean star rating overall", 3.5),
    ("how many repairs overall", 8),
    ("total stars overall", 28),
    ("how many orders are still open?", 3),
    ("mean stars for everyone but private customers", 3.25),
    ("mean mileage", 16125),
])
def test_a_number(question: str, answer: float) -> None:
    assert shown(question) == pytest.approx(answer)


@pytest.mark.parametrize("question, answer", [
    ("most common makes", {"Ford": 4, "Kia": 3, "Opel": 1}),
    ("pie chart of fuel types", {"petrol": 3, "diesel": 5}),
    ("average stars by type of job", {"tyres": 13 / 4, "brakes": 11 / 3, "oil": 4}),
    ("open orders by job", {"tyres": 2, "brakes": 1}),
    ("completion rate by fuel", {"petrol": 100, "diesel": 40}),
    ("jobs w/ at least 3 orders", {"tyres": 4, "brakes": 3}),
])
def test_groups(question: str, answer: dict) -> None:
    result = shown(question)
    assert result[result > 0].to_dict() == pytest.approx(answer)


SALES = pd.DataFrame({
    "order_id": range(1, 7), "channel": ["web", "web", "desk", "desk", "desk", "phone"],
    "price_cat": ["A", "B", "A", "C", "B", "A"], "qty": [2, 1, 4, 3, 2, 6],
    "price_each": [30.0, 20.0, 30.0, 10.0, 20.0, 30.0], "refunded": ["Y", "N", "N", "N", "N", "N"]})
LINES = pd.DataFrame({
    "invNo": ["R1", "R1", "R2", "R3", "R3", "R3"], "inv_date": pd.date_range("2024-01-01", periods=6),
    "netAmt": [10.0, 20.0, 30.0, 5.0, 5.0, 40.0], "cost_amt": [5.0, 9.0, 20.0, 3.0, 2.0, 30.0],
    "paid_on": pd.to_datetime(["2024-02-01", "2024-02-01", None, None, None, None])})


def of(name: str, frame: pd.DataFrame, question: str) -> dict:
    reply = bench_client.ask(question, {name: frame})
    names: dict = {name: frame, "__name__": "cell"}
    exec(reply["code"] or "", names)
    return {"outcome": reply["outcome"], "shown": names.get("answer", names.get("result"))}


def test_tickets_sold_are_not_orders() -> None:
    assert of("sales", SALES, "tickets sold by channel")["shown"].to_dict() == {"desk": 9, "phone": 6, "web": 3}
    assert of("sales", SALES, "average number of tickets per order")["shown"] == 3
    assert of("sales", SALES, "orders by channel")["shown"].to_dict() == {"desk": 3, "web": 2, "phone": 1}


def test_the_worst_refund_rate_is_the_highest() -> None:
    assert list(of("sales", SALES, "refund rate by channel, worst first")["shown"].index)[0] == "web"


def test_a_is_a_category_and_no_article() -> None:
    assert set(of("sales", SALES, "box plots of price each for A, B and C")["shown"][2]) == {10.0}


def test_lines_are_rows_where_they_are_counted() -> None:
    assert of("inv_lines", LINES, "how many invoice lines are there?")["shown"] == 6
    assert of("inv_lines", LINES, "how many lines have a netAmt over 15?")["shown"] == 3


def test_invoices_of_lines_are_different_ones() -> None:
    assert of("inv_lines", LINES, "how many invoices are there?")["shown"] == 3


def test_how_much_is_never_how_many() -> None:
    assert of("inv_lines", LINES, "how much did we invoice?")["outcome"] == "refused"


def test_what_we_do_with_all_of_them() -> None:
    assert of("inv_lines", LINES, "how many different invoices do we manage?")["shown"] == 3
    assert of("inv_lines", LINES, "how many invoices did we lose?")["outcome"] == "refused"
    assert of("inv_lines", LINES, "how many invoices did we gain?")["outcome"] == "refused"


@pytest.mark.parametrize("question", ["average invoice value", "average number of invoices per paid_on",
                                      "which invoices have a netAmt above the overall one?"])
def test_what_is_not_said_is_not_guessed(question: str) -> None:
    assert of("inv_lines", LINES, question)["outcome"] == "refused"
