"""What rows are amounts of, bounds that all rows set, ranges of days, tables by their sides.

Each answer is worked out by hand.
"""

from __future__ import annotations

import bench_client
import matplotlib.pyplot as plt
import pandas as pd
import pytest

GRANTS = pd.DataFrame({
    "app_no": [f"G-{n}" for n in range(8)],
    "applicant": ["Ada", "Ada", "Ada", "Ben", "Ben", "Cleo", "Cleo", "Cleo"],
    "faculty": ["Arts", "arts", "Law", "Law", "LAW", "Arts", "Law", "Arts"],
    "programme": ["Seed", "Main", "Seed", "Seed", "Main", "Main", "Seed", "Seed"],
    "submitted_on": ["2023-12-20", "2024-01-01", "2024-03-31", "2024-04-01",
                     "2024-02-10", "2024-02-11", "2024-06-30", "2024-05-05"],
    "sumAsked": [100, 200, 300, 50, 60, 70, 80, 90],
    "sum_awarded": [10.0, 20.0, None, 30.0, None, 40.0, 50.0, 60.0],
    "co_applicants": [0, 1, 0, 2, 0, 0, 3, 1],
    "panel_score": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
    "status": ["awarded", "awarded", "rejected", "awarded", "rejected", "awarded", "awarded",
               "awarded"],
    "resubmitted": ["yes", "No", "no", "no", "Yes", "no", "no", "no"],
})  # fmt: skip


def answered(question: str, **frames: pd.DataFrame):
    reply = bench_client.ask(question, frames or {"grants": GRANTS})
    assert reply["outcome"] == "answered", reply["message"]
    names: dict = {name: frame.copy() for name, frame in (frames or {"grants": GRANTS}).items()}
    names["__name__"] = "cell"
    exec(reply["code"], names)
    plt.close("all")
    return names.get("answer", names.get("result")), reply


@pytest.mark.parametrize("question, wanted", [
    ("which programme got the most money awarded?", {"Main": 60, "Seed": 150}),
    ("money awarded by programme", {"Main": 60, "Seed": 150}),
    ("who was awarded the most money?", {"Ada": 30, "Ben": 30, "Cleo": 150}),
    ("who has asked for the most money in total?", {"Ada": 600, "Ben": 110, "Cleo": 240}),
    ("applicants with at least 2 awards", {"Ada": 2, "Cleo": 3}),
    ("applicants with more than one programme", {"Ada": 2, "Ben": 2, "Cleo": 2}),
    ("which applicants have a panel score above average?", {"Cleo": 7}),
    ("applicants whose mean panel score is below the overall one", {"Ada": 2}),
    ("which applicants have a resubmitted rate above the overall rate?", {"Ada": 100 / 3, "Ben": 50}),
    ("mean panel score of applications with and without co-applicants",
     {"with co_applicants": 21 / 4, "without co_applicants": 15 / 4}),
    ("mean panel score by resubmitted", {"yes": 3, "no": 5}),
])  # fmt: skip
def test_numbers_of_groups(question: str, wanted: dict) -> None:
    result, _ = answered(question)
    assert dict(result) == pytest.approx(wanted)


@pytest.mark.parametrize("question, wanted", [
    ("average award", 35),
    ("what was the largest single award?", 60),
    ("how many applications between 1 January 2024 and 31 March 2024?", 4),
    ("how many applications between 1 January and 31 March 2024?", 4),
    ("how many applications from 20 December to 1 January 2024?", 2),
    ("how many applications from 10 to 11 February 2024?", 2),
    ("how many applications in the most recent 60 days?", 2),
    ("how many applicants with 2 or more different programmes?", 3),
    ("what share of the sum awarded do the two biggest applicants have?", 100 * 180 / 210),
    ("how much of the sum awarded do the top 1 applicants account for?", 100 * 150 / 210),
    ("cut in percent, i.e. (sumAsked - panel_score) / sumAsked", 100 * (950 - 36) / 950),
])  # fmt: skip
def test_one_number(question: str, wanted: float) -> None:
    result, _ = answered(question)
    assert result == pytest.approx(wanted)


@pytest.mark.parametrize("question", [
    "a table with faculties as rows, programmes as columns and the number of applications in the cells",
    "number of applications, faculties down the side and programmes across the top",
    "faculty x programme, number of applications",
])
def test_tables_by_their_sides(question: str) -> None:
    result, reply = answered(question)
    assert result.to_dict() == {"Main": {"arts": 2, "law": 1}, "Seed": {"arts": 2, "law": 3}}
    assert any("differ by case" in said for said in reply["assumed"])


def test_rows_that_have_something_make_one_group_of_a_pie() -> None:
    result, reply = answered("pie chart of resubmitted applications per programme")
    assert dict(result) == {"Main": 1, "Seed": 1}
    assert ".pie(" in reply["code"]


@pytest.mark.parametrize("question", [
    "box plot of panel score by faculty",
    "scatter plot of sumAsked and panel_score coloured by faculty",
])
def test_names_that_differ_by_case_are_one_group_of_charts_of_rows(question: str) -> None:
    _, reply = answered(question)
    assert ".str.lower()" in reply["code"]
    assert any("differ by case" in said for said in reply["assumed"])


@pytest.mark.parametrize("question, word", [
    ("how much of the awarded money has been spent so far?", "how much"),
    ("how many applications from 30 to 31 February 2024?", "31"),
    ("programmes with a mean panel score above the previous one", "above"),
])
def test_what_cannot_be_known_is_refused_by_name(question: str, word: str) -> None:
    reply = bench_client.ask(question, {"grants": GRANTS})
    assert reply["outcome"] == "refused"
    assert word in reply["message"]


def test_a_rate_of_rows_that_all_have_it_is_refused() -> None:
    reply = bench_client.ask("resubmitted rate of resubmitted applications by programme", {"grants": GRANTS})
    assert reply["outcome"] == "refused"


def test_a_bound_of_groups_is_in_the_title() -> None:
    _, reply = answered("programmes with more than 3 applications")
    assert "(number of rows > 3)" in reply["code"]


def test_what_an_abbreviation_means_names_a_table() -> None:
    perfs = pd.DataFrame({"perfId": ["P1", "P2"], "perf_date": ["2024-03-01", "2024-04-01"]})
    sales = pd.DataFrame({"order_id": range(3), "perfId": ["P1", "P1", "P2"],
                          "sold_at": ["2024-03-01", "2024-03-02", "2024-03-03"]})
    result, _ = answered("how many performances in March 2024?", sales=sales, perfs=perfs)
    assert result == 1


def test_an_amount_is_the_revenue_rather_than_a_price() -> None:
    lines = pd.DataFrame({"line": range(3), "region": ["N", "N", "S"], "unit_price": [1.0, 2.0, 3.0],
                          "net_amt": [10.0, 20.0, 40.0]})
    result, reply = answered("total revenue by region", lines=lines)
    assert dict(result) == {"N": 30, "S": 40}
    assert any("net_amt" in said for said in reply["assumed"])


def test_both_words_of_a_name_are_read_where_one_is_also_the_grammars() -> None:
    lines = pd.DataFrame({"whs": ["A", "A", "B"], "qty_ord": [10, 10, 5], "qty_del": [10, 5, 5]})
    result, _ = answered("fill rate (qty delivered / qty ordered) by warehouse", lines=lines)
    assert dict(result) == pytest.approx({"A": 0.75, "B": 1.0})


ORDERS = pd.DataFrame({
    "Order No": [f"#{n}" for n in range(8)],
    "order_dt": ["2024-01-01", "2024-01-01", "2024-01-05", "2024-01-09", "2024-02-01", "2024-02-02",
                 "2024-02-03", "2024-02-04"],
    "CustID": ["C1", "C1", "C2", "C2", "C3", "C3", "C3", "C4"],
    "bag": ["250 g", "1 kg", "250 g", "1 kg", "250 g", "250 g", "1 kg", "250 g"],
    "Qty": [1, 1, 2, 1, 1, 3, 1, 1], "unit_prc": [10.0, 30.0, 10.0, 30.0, 10.0, 10.0, 30.0, 10.0],
    "Order Total": ["€10.00", "€27.00", "€20.00", "€30.00", "€10.00", "€25.00", "€30.00", "€10.00"],
    "ctry": ["DE", "DE", "DE", "FR", "FR", "FR", "FR", "IT"],
    "gift_yn": ["Y", "N", "N", "Y", "N", "N", "N", "Y"],
    "Shipped": ["2024-01-02", "2024-01-04", "2024-01-06", "2024-01-10", "2024-02-09", "2024-02-03",
                "2024-02-09", "2024-02-05"],
    "Delivd": ["2024-01-03", "2024-01-09", "2024-01-10", "2024-01-12", "2024-02-12", "2024-02-06",
               "2024-02-12", "2024-02-07"],
    "status": ["ok", "no-show", "ok", "no-show", "ok", "ok", "ok", "ok"],
    "code": [200, 500, 404, 200, 503, 200, 200, 200], "temp_c": [1.5, 9.0, 4.0, 12.5, 3.0, 2.0, 8.0, 7.0],
    "age": [20, 34, 35, 50, 61, 18, 44, 33], "born": [2003.0, 1989.0, 1988.0, None, 1962.0, 2005.0, 1979.0, 1990.0],
    "pay_mthd": ["card", "cash", "card", "card", "cash", "card", "card", "card"],
})  # fmt: skip


@pytest.mark.parametrize("question, wanted", [
    ("total revenue", 162),
    ("how many orders were gifts?", 3),
    ("how many no-shows did we have?", 2),
    ("share of orders shipped within 2 days", 62.5),
    ("how many orders when it was warmer than 8 degrees", 2),
    ("share of under-35s", 50),
    ("highest order total charged", 30),
    ("how many different customers ordered something?", 4),
    ("average customer age", 295 / 8),
])  # fmt: skip
def test_numbers_of_orders(question: str, wanted: float) -> None:
    result, _ = answered(question, orders=ORDERS)
    assert result == pytest.approx(wanted)


@pytest.mark.parametrize("question, wanted", [
    ("revenue by bag size", {"250 g": 75, "1 kg": 87}),
    ("error rate (code >= 500) by bag size", {"250 g": 20, "1 kg": 100 / 3}),
    ("share of bad ones (code above 400) by bag", {"250 g": 40, "1 kg": 100 / 3}),
    ("countries with 3+ orders", {"DE": 3, "FR": 4}),
    ("payment methods used", {"card": 6, "cash": 2}),
    ("number of orders by method", {"card": 6, "cash": 2}),
    ("most common payment method", {"card": 6, "cash": 2}),
    ("mean temperature by age group: under 30, 30-49, 50+",
     {"under 30": 1.75, "30-49": 28 / 4, "50+": 7.75}),
])  # fmt: skip
def test_groups_of_orders(question: str, wanted: dict) -> None:
    result, _ = answered(question, orders=ORDERS)
    assert {str(key): value for key, value in dict(result).items()} == pytest.approx(wanted)


def test_decades_are_whole_numbers() -> None:
    people = pd.DataFrame({"person": list("abcd"), "birth_year": [1951.0, 1958.0, None, 1980.0]})
    result, _ = answered("number of people by decade of birth", people=people)
    assert {str(key): value for key, value in result.items()} == {"1950": 2, "1980": 1}


def test_days_without_a_time_have_no_hours() -> None:
    reply = bench_client.ask("number of orders by hour of the day", {"orders": ORDERS})
    assert reply["outcome"] == "refused"
    assert "order_dt has no times of day" in reply["message"]


def test_what_cells_are_counted_in_says_how_long() -> None:
    visits = pd.DataFrame({"visit": range(4), "dur": ["85 min", "45 min", "60 min", "90 min"],
                           "wait_mins": [70, 80, 5, 90]})
    result, _ = answered("how many visits longer than an hour?", visits=visits)
    assert result == 2


@pytest.mark.parametrize("question", [
    "what share of subscriptions has been cancelled?",
    "cancellation rate of subscriptions",
])
def test_a_table_of_subs_has_subscriptions(question: str) -> None:
    subs = pd.DataFrame({"sub_id": list("abcd"), "Plan": ["S", "S", "L", "L"], "fee": [1.0, 1.0, 2.0, 2.0],
                         "cancelled_on": ["2024-01-01", None, None, None]})
    result, _ = answered(question, subs=subs)
    assert result == pytest.approx(25)
