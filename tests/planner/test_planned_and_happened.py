"""Dates and amounts that were planned beside those that were; what has happened to some rows only;
numbers that are written in several ways; rates of two groups; totals on average; and orders that
say nothing about the data. Each answer is worked out by hand."""

import numpy as np
import pandas as pd
import pytest
from asked import outcome_of
from bench_client import ask, profile_of

RNG = np.random.default_rng(77)
N = 640


def dates(first: str, days: int) -> pd.Series:
    return pd.Series(pd.Timestamp(first) + pd.to_timedelta(RNG.integers(0, days, N), unit="D"))


def later(than: pd.Series, low: int, high: int) -> pd.Series:
    return than + pd.to_timedelta(RNG.integers(low, high, N), unit="D")


PLAN_START = dates("2021-01-04", 900)
PLAN_END = later(PLAN_START, 40, 300)
ACT_START = later(PLAN_START, -5, 40)
IS_DONE = pd.Series(RNG.random(N) < 0.8)
ACT_END = later(PLAN_END, -30, 90).where(IS_DONE)
BUDGET = pd.Series(RNG.permutation(N) * 500 + 90_000)
COST = pd.Series((BUDGET * RNG.uniform(0.8, 1.4, N)).round(2))
WORKS = pd.DataFrame(
    {
        "work_no": [f"CP-{2000 + i}" for i in range(N)],
        "kind": RNG.choice(["Road", "Bridge", "Park"], N),
        "contractor": RNG.choice(["Halloran", "Nordbau", "Pike"], N),
        "budget_usd": [f"${b:,}" if i % 3 else f"{b:,}" for i, b in enumerate(BUDGET)],
        "actual_cost": COST,
        "plan_start": PLAN_START,
        "plan_end": PLAN_END,
        "act_start": ACT_START.dt.strftime("%Y-%m-%d"),
        "act_end": ACT_END.dt.strftime("%Y-%m-%d"),
        "accidents": RNG.integers(0, 5, N),
    }
)
DELAY, LENGTH = (ACT_END - PLAN_END).dt.days, (ACT_END - ACT_START).dt.days

LISTED = dates("2023-01-02", 600)
IS_SOLD = pd.Series(RNG.random(N) < 0.7)
MILES = pd.Series(RNG.permutation(N) * 40 + 900.0)
CARS = pd.DataFrame(
    {
        "StockNo": [f"U{i + 500}" for i in range(N)],
        "Fuel": RNG.choice(["Diesel", "Petrol", "Electric"], N),
        "Branch": RNG.choice(["Harbour", "Northgate"], N),
        "Mileage": MILES,
        "ListedOn": LISTED,
        "SoldOn": later(LISTED, 3, 120).where(IS_SOLD).dt.strftime("%Y-%m-%d"),
    }
)

WHEN = dates("2023-02-01", 500)
AMOUNT = pd.Series(RNG.permutation(5 * N)[:N] / 4 + 3)
TEMP = pd.Series(np.round(RNG.uniform(-4, 31, N), 1))
MARK = pd.Series(RNG.integers(20, 100, N))
PAYMENTS = pd.DataFrame(
    {
        "TxnId": np.arange(N) + 70_000,
        "TxnTs": WHEN,
        "CardRef": [f"K{i:03}" for i in RNG.integers(0, 150, N)],
        "AmtEUR": [f"EUR {a:.2f}" if i % 19 == 4 else f"{a:.2f}" for i, a in enumerate(AMOUNT)],
        "temp_c": [f"{t} C" if i % 4 == 1 else t for i, t in enumerate(TEMP)],
        "Channel": RNG.choice(["online", "in store"], N),
        "Seats": RNG.integers(1, 300, N),
        "Declined": RNG.integers(0, 2, N),
        "StudyYr": RNG.choice(["1st", "2nd", "3rd"], N),
        "DroppedOut": RNG.choice(["Yes", "No"], N, p=[0.2, 0.8]),
        "Credits": RNG.choice([10, 15, 20], N),
        "Mark": MARK,
    }
)
MANY_SEATS = np.where(PAYMENTS.Seats > 100, "Seats over 100", "not Seats over 100")
DECLINED, DROPPED = PAYMENTS.Declined, PAYMENTS.DroppedOut == "Yes"

FRAMES = {"works": WORKS, "cars": CARS, "payments": PAYMENTS}


def answer_of(question: str, name: str) -> float:
    names = outcome_of(question, **{name: FRAMES[name]}).names
    return float(names.get("answer", names.get("result")))


def groups_of(question: str, name: str) -> dict:
    return outcome_of(question, **{name: FRAMES[name]}).names["result"].to_dict()


@pytest.mark.parametrize(
    "question, name, wanted",
    [
        # When it should have been, and when it was.
        ("average delay in days", "works", DELAY.mean()),
        ("how many works finished later than planned?", "works", (DELAY > 0).sum()),
        ("share of works that were late", "works", 100 * (DELAY > 0).mean()),
        ("median duration of the works in days", "works", LENGTH.median()),
        ("average days from actual start to actual end", "works", LENGTH.mean()),
        ("how many works went over budget?", "works", (COST > BUDGET).sum()),
        ("how many works stayed within budget?", "works", (COST <= BUDGET).sum()),
        ("% of works over budget", "works", 100 * (COST > BUDGET).mean()),
        # What has happened to some rows only.
        ("how many of them have actually sold?", "cars", IS_SOLD.sum()),
        ("how many unsold diesels at Harbour", "cars",
         (~IS_SOLD & (CARS.Fuel == "Diesel") & (CARS.Branch == "Harbour")).sum()),
        ("how many new cars in 2023", "cars", (LISTED.dt.year == 2023).sum()),
        # Numbers that are written in several ways.
        ("average amount", "payments", AMOUNT.mean()),
        ("total amount of payments in store", "payments",
         AMOUNT[PAYMENTS.Channel == "in store"].sum()),
        ("average temperature", "payments", TEMP.mean()),
        ("how many payments with a temperature below 0", "payments", (TEMP < 0).sum()),
        # Totals on average.
        ("average total amount per card", "payments",
         AMOUNT.groupby(PAYMENTS.CardRef).sum().mean()),
        ("total amount per card on average", "payments",
         AMOUNT.groupby(PAYMENTS.CardRef).sum().mean()),
        # Things of a size; nouns that add nothing.
        ("mean mark for a 20 credit course", "payments", MARK[PAYMENTS.Credits == 20].mean()),
        ("what's our drop-out rate?", "payments", 100 * DROPPED.mean()),
        ("how many drop-outs were there", "payments", DROPPED.sum()),
        ("average mark of the in store category", "payments",
         MARK[PAYMENTS.Channel == "in store"].mean()),
        ("number of payments over 50 in mark", "payments", (MARK > 50).sum()),
        ("how many payments exceeded a mark of 50", "payments", (MARK > 50).sum()),
        ("number of payments with a mark north of 50", "payments", (MARK > 50).sum()),
    ],
)  # fmt: skip
def test_numbers(question: str, name: str, wanted: float) -> None:
    assert answer_of(question, name) == pytest.approx(float(wanted))


@pytest.mark.parametrize(
    "question, name, wanted",
    [
        ("average delay per contractor", "works", DELAY.groupby(WORKS.contractor).mean()),
        ("are online payments declined more often than the ones in store?", "payments",
         100 * DECLINED.groupby(PAYMENTS.Channel).mean()),
        ("do payments with more than 100 seats get declined less often than smaller ones?",
         "payments", 100 * DECLINED.groupby(MANY_SEATS).mean()),
        ("declined rate by study year, but only study years with at least 210 payments", "payments",
         100 * DECLINED.groupby(PAYMENTS.StudyYr).mean()[PAYMENTS.StudyYr.value_counts() >= 210]),
        ("how much did each channel take in amount?", "payments",
         AMOUNT.groupby(PAYMENTS.Channel).sum()),
        ("car volume by fuel", "cars", CARS.Fuel.value_counts()),
    ],
)  # fmt: skip
def test_groups(question: str, name: str, wanted: pd.Series) -> None:
    got = {str(key): value for key, value in groups_of(question, name).items()}
    assert got == pytest.approx({str(key): value for key, value in wanted.items()})


@pytest.mark.parametrize(
    "question", ["diesels still unsold at Harbour", "unsold diesels at Harbour"]
)
def test_a_list_of_what_has_not_happened_denies_nothing_else(question: str) -> None:
    code = ask(question, {"cars": CARS})["code"]
    assert '["SoldOn"].isna()' in code
    assert '["Fuel"] == "Diesel"' in code and '["Branch"] == "Harbour"' in code


def test_who_asks_how_many_gets_no_histogram() -> None:
    frame = WORKS.drop(columns="actual_cost")
    assert ask("how many works over budget", {"works": frame})["outcome"] == "refused"


ORDERS = """pull the {}|fetch the {}|state the {}|look up the {}|count up the {}|measure the {}|
walk me through the {}|I'm interested in the {}|I wonder what the {} is|quick question: the {}|
raw {}|the exact {}|the {} to date|the {} across the board"""  # fmt: skip


@pytest.mark.parametrize("order", [order.strip() for order in ORDERS.split("|")])
def test_orders_say_nothing_about_the_data(order: str) -> None:
    got = groups_of(order.format("number of works by contractor"), "works")
    assert got == WORKS.contractor.value_counts().to_dict()


def test_a_column_is_no_order() -> None:
    frame = WORKS.rename(columns={"contractor": "state"})
    result = outcome_of("the number of works by state", works=frame).names["result"]
    assert result.to_dict() == frame.state.value_counts().to_dict()


@pytest.mark.parametrize(
    "question, wanted",
    [
        ("on average, which contractor has the highest actual cost?", COST),
        ("the highest average actual cost: which contractor?", COST),
        ("which contractor ranks first by average actual cost?", COST),
        ("which contractor has the maximum average actual cost?", COST),
    ],
)
def test_who_is_best_on_average(question: str, wanted: pd.Series) -> None:
    means = wanted.groupby(WORKS.contractor).mean()
    assert next(iter(groups_of(question, "works"))) == means.idxmax()


def test_ranks_are_no_dates_and_numbers_in_several_ways_are_numbers() -> None:
    columns = {c["name"]: c for c in profile_of({"t": PAYMENTS})["frames"][0]["columns"]}
    assert columns["StudyYr"]["kind"] == columns["temp_c"]["kind"] == "text"
    many = pd.DataFrame({"amount": [f"{a:.2f}" for a in np.arange(2000) / 4] + ["EUR 3.25"]})
    (amount,) = profile_of({"t": many})["frames"][0]["columns"]
    assert amount["forms"] == ["0.00"]  # of the first thousand
    assert "values" not in amount


def test_of_many_ways_in_which_a_number_is_written_one_each_is_told() -> None:
    written = [f"{a:.2f} C" if i % 3 else f"{a:.2f}" for i, a in enumerate(np.arange(2000) / 8)]
    many = pd.DataFrame({"reading": written, "site": RNG.choice(["A", "B"], 2000)})
    assert answer_of_frame("average reading", many) == pytest.approx(
        (np.arange(2000) / 8).mean(), abs=0.01
    )


def answer_of_frame(question: str, frame: pd.DataFrame) -> float:
    return float(outcome_of(question, table=frame).names["answer"])
