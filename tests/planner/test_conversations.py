"""Several questions, each of which changes the one before: what is said otherwise, added, or of
those rows. Each last answer is worked out by hand."""

import numpy as np
import pandas as pd
import pytest
import bench_client
import checker

RNG = np.random.default_rng(41)
N = 420
SHIPPED = pd.Series(pd.Timestamp("2023-01-02") + pd.to_timedelta(RNG.integers(0, 720, N), unit="D"))
PARCELS = pd.DataFrame({
    "Parcel ID": [f"PX{n}" for n in range(N)], "Customer": RNG.choice(["Alder", "Fjord", "Halo", "Iris", "Kite", "Mica"], N),
    "Dest. City": RNG.choice(["Rome", "Oslo", "Porto"], N), "channel": RNG.choice(["web", "phone"], N), "Shipped On": SHIPPED,
    "delivered_on": (SHIPPED + pd.to_timedelta(RNG.integers(1, 12, N), unit="D")).mask(RNG.random(N) < .05),
    "weight kg": RNG.gamma(2, 3, N).round(2), "Price_EUR": RNG.gamma(3, 4, N).round(2), "Returned?": RNG.random(N) < .15})
PRICE, WEIGHT, CITY, CHANNEL = PARCELS.Price_EUR, PARCELS["weight kg"], PARCELS["Dest. City"], PARCELS.channel
MONTH, QUARTER, YEAR = SHIPPED.dt.to_period("M"), SHIPPED.dt.to_period("Q"), SHIPPED.dt.year
DAYS = (PARCELS.delivered_on - SHIPPED).dt.days
HEAVY = (CITY == "Oslo") & (WEIGHT > 8)


def talk(*questions: str) -> tuple[dict, checker.Outcome | None]:
    """The last answer, and what its program leaves; all before it are answered."""
    plans: list[dict] = []
    for question in questions:
        reply = bench_client.ask(question, {"parcels": PARCELS}, plans)
        if question != questions[-1]:
            assert reply["outcome"] == "answered", f"{question}: {reply['message']}"
        plans.append(reply["plan"])
    return reply, checker.run(reply["code"], {"parcels": PARCELS.copy()}) if reply["code"] else None


def groups(talked: tuple[dict, checker.Outcome | None]) -> dict:
    reply, outcome = talked
    assert reply["outcome"] == "answered", reply["message"]
    result = outcome.names["result"]
    return (result.iloc[:, 0] if isinstance(result, pd.DataFrame) else result).to_dict()


@pytest.mark.parametrize("questions, wanted", [
    (["average price in Rome", "and for Oslo?"], PRICE[CITY == "Oslo"].mean()),
    (["average price in Rome", "median instead"], PRICE[CITY == "Rome"].median()),
    (["average price in Rome", "what about weight"], WEIGHT[CITY == "Rome"].mean()),
    (["average price in Rome", "and for Oslo?", "median instead", "what about weight"], WEIGHT[CITY == "Oslo"].median()),
    (["how many parcels were returned in 2023?", "what about 2024?"], (PARCELS["Returned?"] & (YEAR == 2024)).sum()),
    (["average price for the web channel", "how many rows is that"], (CHANNEL == "web").sum()),
    (["show the parcels to Oslo heavier than 8 kg", "how many are they?"], HEAVY.sum()),
    (["show the parcels to Oslo heavier than 8 kg", "how many of them were returned?"], (HEAVY & PARCELS["Returned?"]).sum()),
    (["show the parcels to Oslo heavier than 8 kg", "what is their total price"], PRICE[HEAVY].sum()),
])
def test_the_last_number(questions: list[str], wanted: float) -> None:
    reply, outcome = talk(*questions)
    assert reply["outcome"] == "answered", reply["message"]
    assert outcome.names["answer"] == pytest.approx(wanted)


@pytest.mark.parametrize("questions, key, numbers", [
    (["total price per month in 2024", "what about 2023"], MONTH[YEAR == 2023], PRICE),
    (["total price per month in 2024", "by quarter instead"], QUARTER[YEAR == 2024], PRICE),
    (["total price per month in 2024", "same for weight"], MONTH[YEAR == 2024], WEIGHT),
    (["total price by channel", "by city instead"], CITY, PRICE),
    (["total price by channel", "only Rome"], CHANNEL[CITY == "Rome"], PRICE),
    (["total price by channel", "for Rome", "and Oslo?"], CHANNEL[CITY == "Oslo"], PRICE),
    (["total price by channel", "as a table", "and in 2024"], CHANNEL[YEAR == 2024], PRICE),
    (["total price for Rome", "per city"], CITY, PRICE),
    (["running total of price by month", "what about weight"], None, None),
])
def test_the_last_groups(questions: list[str], key: pd.Series | None, numbers: pd.Series) -> None:
    got = groups(talk(*questions))
    wanted = (WEIGHT.groupby(MONTH).sum().sort_index().cumsum() if key is None
              else numbers[key.index].groupby(key).sum())
    assert got == pytest.approx(wanted.to_dict())


def test_a_condition_stays_with_what_is_measured() -> None:
    got = groups(talk("how long does delivery take on average?", "per city", "leave out Porto"))
    assert got == pytest.approx(DAYS[CITY != "Porto"].groupby(CITY).mean().to_dict())


def test_rows_that_are_no_question_of_their_own() -> None:
    got = groups(talk("average weight by channel", "Rome only"))
    assert got == pytest.approx(WEIGHT[CITY == "Rome"].groupby(CHANNEL).mean().to_dict())
    got = groups(talk("count parcels per channel", "without Porto"))
    assert got == CHANNEL[CITY != "Porto"].value_counts().to_dict()


def test_the_other_end_and_one_more_number() -> None:
    sums = PRICE.groupby(PARCELS.Customer).sum()
    assert groups(talk("total price by customer", "top 2 only")) == pytest.approx(sums.nlargest(2).to_dict())
    assert groups(talk("total price by customer", "top 2 only", "and the bottom 2?")) == pytest.approx(sums.nsmallest(2).to_dict())
    got = groups(talk("average price by city", "only 2024", "median instead", "by customer instead", "top 2 only"))
    assert got == pytest.approx(PRICE[YEAR == 2024].groupby(PARCELS.Customer).median().nlargest(2).to_dict())
    _, outcome = talk("total price by customer", "top 2 only", "also the average weight")
    assert list(outcome.names["result"].columns) == ["total Price_EUR", "mean weight kg"]
    assert list(outcome.names["result"].index) == list(sums.nlargest(2).index)


@pytest.mark.parametrize("then, by, is_up", [("newest first", "Shipped On", False), ("cheapest first", "Price_EUR", True),
                                             ("sorted by price", "Price_EUR", True)])
def test_the_rows_before_in_another_order(then: str, by: str, is_up: bool) -> None:
    _, outcome = talk("show the parcels of Halo to Oslo", then)
    rows = PARCELS[(PARCELS.Customer == "Halo") & (CITY == "Oslo")]
    assert set(outcome.value["Parcel ID"]) == set(rows["Parcel ID"])
    assert list(outcome.value[by]) == sorted(rows[by], reverse=not is_up)


@pytest.mark.parametrize("first, rows", [
    ("how many parcels are missing delivered_on?", PARCELS.delivered_on.isna()),
    ("how many parcels were returned in 2024?", PARCELS["Returned?"] & (YEAR == 2024)),
])
def test_those_rows(first: str, rows: pd.Series) -> None:
    _, outcome = talk(first, "show me those rows")
    assert list(outcome.value["Parcel ID"]) == list(PARCELS["Parcel ID"][rows])


@pytest.mark.parametrize("questions", [
    ["total price by customer in 2024", "how many are they?"], ["total price by customer", "top 2 only", "how many rows is that"],
    ["total price by channel", "average weight instead of the total"], ["running total of price by month", "now the average"],
    ["show the parcels to Oslo heavier than 8 kg", "only the customer and the weight"],
    ["median weight", "top 3 only"], ["average price by channel", "sorted by weight"],
    ["average price by channel and city", "per city"],
])
def test_what_those_are_or_what_would_be_lost_is_asked(questions: list[str]) -> None:
    reply, _ = talk(*questions)
    assert reply["outcome"] == "refused" and "whole question" in reply["message"]


@pytest.mark.parametrize("question", ["average weight by city", "how many parcels went to Rome?", "histogram of weight",
                                      "how many of those with a price over 20 were returned", "top 3 customers by total price",
                                      "sort parcels by price descending", "sort the parcels by price"])
def test_a_whole_question_inherits_nothing(question: str) -> None:
    alone, _ = talk(question)
    after, _ = talk("total price by channel in 2024", "only Rome", question)
    assert after["plan"] == alone["plan"]


@pytest.mark.parametrize("question", ["how many is that?", "show me those"])
def test_nothing_comes_before_the_first_question(question: str) -> None:
    reply, _ = talk(question)
    assert reply["outcome"] == "refused" and "no answer before" in reply["message"]


def test_weekends_and_weekdays_are_no_rows_at_once() -> None:
    reply, _ = talk("average price by channel on weekends", "and on weekdays?")
    assert reply["outcome"] == "refused"


def test_the_rows_of_a_table_may_be_called_as_a_chart_is() -> None:
    frames = {"breakdowns": PARCELS.rename(columns={"Dest. City": "Plant"})}
    reply = bench_client.ask("how many breakdowns per plant in 2024?", frames)
    result = checker.run(reply["code"], frames).names["result"]
    assert result.to_dict() == CITY[YEAR == 2024].value_counts().to_dict()


def test_the_end_of_a_year_that_was_chosen_is_no_end_of_the_data() -> None:
    _, outcome = talk("total price per month in 2023")
    assert "not complete" not in outcome.printed
