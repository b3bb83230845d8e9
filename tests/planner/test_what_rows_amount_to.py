"""\"Total amount of orders\": what each row amounts to, not a number of rows."""

from __future__ import annotations

import bench_client
import pandas as pd
import pytest

ORDERS = pd.DataFrame(
    {
        "order_id": range(1, 41),
        "customer": [100 + 7 * (row % 30) for row in range(40)],
        "shipped_on": pd.to_datetime([None if row % 4 == 0 else "2024-03-01" for row in range(40)]),
        "amount": [11 * row % 97 for row in range(40)],
        "city": ["Rome", "Oslo", "Bern", "Kiel"] * 10,
        "status": ["open", "closed", "cancelled", "closed", "closed"] * 8,
        "is_gift": [1, 0, 0, 1, 0, 1, 0, 0] * 5,
    }
)
CALLED = ["amount", "order_value", "net_amount", "order_total"]


def answer_of(question: str, called: str = "amount"):
    orders = ORDERS.rename(columns={"amount": called})
    reply = bench_client.ask(question, {"orders": orders})
    assert reply["outcome"] == "answered", reply["message"]
    names: dict = {"orders": orders, "__name__": "cell"}
    exec(reply["code"], names)
    return names.get("answer", names.get("result"))


@pytest.mark.parametrize("called", CALLED)
@pytest.mark.parametrize(
    "question, wanted",
    [
        ("total amount of orders", ORDERS.amount.sum()),
        ("total amount of shipped orders", ORDERS.amount[ORDERS.shipped_on.notna()].sum()),
        ("total amount of cancelled orders", ORDERS.amount[ORDERS.status == "cancelled"].sum()),
        ("total value of cancelled orders", ORDERS.amount[ORDERS.status == "cancelled"].sum()),
        ("average amount of shipped orders", ORDERS.amount[ORDERS.shipped_on.notna()].mean()),
        ("average value of orders in Rome", ORDERS.amount[ORDERS.city == "Rome"].mean()),
        ("median amount of orders in Rome", ORDERS.amount[ORDERS.city == "Rome"].median()),
        ("average order value", ORDERS.amount.mean()),
        ("median order amount", ORDERS.amount.median()),
        ("average order", ORDERS.amount.mean()),
    ],
)
def test_one_number(question: str, wanted: float, called: str) -> None:
    assert answer_of(question, called) == pytest.approx(wanted)


@pytest.mark.parametrize(
    "question, reduce",
    [
        ("total amount of orders by city", "sum"),
        ("average value of orders by city", "mean"),
        ("average order value by city", "mean"),
        ("value of orders by city", "sum"),
    ],
)
def test_of_each_group(question: str, reduce: str) -> None:
    assert answer_of(question).to_dict() == pytest.approx(
        ORDERS.groupby("city").amount.agg(reduce).to_dict()
    )


@pytest.mark.parametrize("question", ["number of orders by city", "amount of orders by city"])
def test_an_amount_that_is_no_total_is_their_number(question: str) -> None:
    assert answer_of(question).to_dict() == {"Bern": 10, "Kiel": 10, "Oslo": 10, "Rome": 10}


def test_a_value_that_no_column_has_is_refused() -> None:
    reply = bench_client.ask(
        "total value of cancelled orders", {"orders": ORDERS.drop(columns="amount")}
    )
    assert reply["outcome"] == "refused"


def test_a_customer_is_one_and_no_number_of_them() -> None:
    wanted = ORDERS.groupby("customer").amount.mean().to_dict()
    assert answer_of("average amount per customer").to_dict() == pytest.approx(wanted)


@pytest.mark.parametrize(
    "question, wanted",
    [
        ("average quantity of orders", lambda d: d.quantity.mean()),
        ("sum of the quantity of shipped orders", lambda d: d.quantity[d.shipped_on.notna()].sum()),
        ("how many orders have a quantity of over 3", lambda d: (d.quantity > 3).sum()),
        ("how high is the average amount", lambda d: d.amount.mean()),
        ("highest amount of cancelled orders", lambda d: d.amount[d.status == "cancelled"].max()),
        ("average amount in IT", lambda d: d.amount[d.team == "IT"].mean()),
        ("average amount where team is IT", lambda d: d.amount[d.team == "IT"].mean()),
        ("number of orders from the US", lambda d: (d.team == "US").sum()),
        ("average wait time of orders in Rome", lambda d: d.wait_min[d.city == "Rome"].mean()),
        ("how many orders have a wait time over 20", lambda d: (d.wait_min > 20).sum()),
        ("minimum wait", lambda d: d.wait_min.min()),
        ("lowest wait_min", lambda d: d.wait_min.min()),
        ("mean wait_min", lambda d: d.wait_min.mean()),
        (
            "what share of total quantity comes from Rome",
            lambda d: 100 * d.quantity[d.city == "Rome"].sum() / d.quantity.sum(),
        ),
    ],
)
def test_of_plain_words(question: str, wanted) -> None:
    orders = ORDERS.assign(
        quantity=[1 + row % 7 for row in range(40)],
        team=["IT", "US", "Legal", "US"] * 10,
        wait_min=[3 + 2.5 * (row % 11) for row in range(40)],
    )
    reply = bench_client.ask(question, {"orders": orders})
    assert reply["outcome"] == "answered", reply["message"]
    names: dict = {"orders": orders, "__name__": "cell"}
    exec(reply["code"], names)
    assert names.get("answer", names.get("result")) == pytest.approx(wanted(orders))


@pytest.mark.parametrize(
    "question", ["order with the highest amount", "which order has the highest amount"]
)
def test_one_of_them_is_a_row(question: str) -> None:
    reply = bench_client.ask(question, {"orders": ORDERS})
    assert (reply["plan"]["intent"], reply["plan"]["sort"]["by"]) == ("rows", "amount")


def test_a_question_that_ends_with_in_is_no_crash() -> None:
    assert bench_client.ask("average amount in it", {"orders": ORDERS})["code"]


@pytest.mark.parametrize("question, wanted", [
    ("average amount of gift orders compared to others", lambda d: d.groupby("is_gift").amount.mean()),
    ("average amount of Rome compared to Oslo", lambda d: d[d.city.isin(["Rome", "Oslo"])].groupby("city").amount.mean()),
])
def test_two_groups_side_by_side(question: str, wanted) -> None:
    assert sorted(answer_of(question)) == pytest.approx(sorted(wanted(ORDERS)))


def test_how_much_higher_is_a_difference() -> None:
    reply = bench_client.ask("how much higher is the average amount in Rome than in Oslo", {"orders": ORDERS})
    assert (reply["outcome"], reply["plan"]["compare"]) == ("answered", True)


def test_seconds_and_minutes_are_not_added() -> None:
    times = pd.DataFrame({"job_id": range(9), "wait_seconds": range(9), "run_minutes": range(9)})
    assert bench_client.ask("total wait seconds plus run minutes", {"jobs": times})["outcome"] == "refused"
