"""How a number moved between two periods, what was late, how long it took, and other turns of
phrase of analysts; each answer is worked out by hand."""

import numpy as np
import pandas as pd
import pytest
from asked import outcome_of
from bench_client import ask

RNG = np.random.default_rng(5)
N = 900
TAKEN = pd.Timestamp("2022-01-03") + pd.to_timedelta(RNG.integers(0, 1000, N), unit="D")
DUE = TAKEN + pd.Timedelta(days=21)
BACK = pd.Series(TAKEN + pd.to_timedelta(RNG.integers(1, 40, N), unit="D")).mask(RNG.random(N) < 0.1)
LOANS = pd.DataFrame({
    "loan_no": np.arange(N) + 1,
    "loan_date": TAKEN,
    "due_date": DUE,
    "return_date": BACK,
    "branch": RNG.choice(["North", "South", "West"], N),
    "clerk": RNG.choice(["Ada", "Bob", "Cyd"], N),
    "kind": RNG.choice(["print", "audio"], N),
    "renewals": RNG.integers(0, 4, N),
    "pages": RNG.integers(50, 900, N),
    "stars": pd.Series(RNG.integers(1, 6, N)).mask(RNG.random(N) < 0.4),
    "fine_eur": np.where(RNG.random(N) < 0.3, RNG.gamma(2, 2, N).round(2), 0.0),
})
YEAR = LOANS.loan_date.dt.year
LATE = LOANS.return_date > LOANS.due_date
OVER = (LOANS.return_date - LOANS.due_date).dt.days
HELD = (LOANS.return_date - LOANS.loan_date).dt.days

STAYS = pd.DataFrame({
    "stay_no": np.arange(400) + 7000,
    "bookedOn": pd.Timestamp("2023-01-01") + pd.to_timedelta(RNG.integers(0, 300, 400), unit="D"),
    "origin": RNG.choice(["Oslo", "Rome"], 400),
    "destination": RNG.choice(["Kiel", "Cork", "Bari"], 400),
    "income": RNG.normal(20, 40, 400).round(1),
    "total_assets": RNG.integers(100, 900, 400),
    "employees": RNG.permutation(np.arange(400) + 50),
    "ratePerNight": RNG.integers(40, 200, 400),
    "rain_mm": np.where(RNG.random(400) < 0.3, 4.0, 0.0),
})
STAYS["checkIn"] = STAYS.bookedOn + pd.to_timedelta(RNG.integers(1, 90, 400), unit="D")


def code_of(question: str, **frames: pd.DataFrame) -> dict:
    return outcome_of(question, **frames).names


def counts(year: int) -> pd.Series:
    return LOANS[YEAR == year].groupby("branch").size()


def test_who_moved_the_most() -> None:
    outcome = outcome_of("which branch had the biggest increase in loans from 2022 to 2023?", loans=LOANS)
    result = outcome.names["result"]
    moved = (counts(2023) - counts(2022)).sort_values(ascending=False)
    assert list(result.index) == list(moved.index) and list(result["change"]) == list(moved)
    assert f"{moved.index[0]} has the largest increase in number of rows: {moved.iloc[0]:,}" in outcome.printed


def test_who_fell_the_most_and_by_how_much_of_each() -> None:
    result = code_of("in which branch did total pages drop the most between 2022 and 2023?", loans=LOANS)["result"]
    pages = LOANS.groupby([YEAR, "branch"]).pages.sum().unstack(0)
    assert result["change"].to_dict() == (pages[2023] - pages[2022]).to_dict()
    assert list(result["change"]) == sorted(result["change"])
    result = code_of("by how many percent did total pages change from 2022 to 2023, per branch?", loans=LOANS)["result"]
    assert result["change, %"].to_dict() == pytest.approx((100 * (pages[2023] / pages[2022] - 1)).to_dict())


def test_only_those_that_fell() -> None:
    result = code_of("branches whose total pages fell in 2023 compared to 2022", loans=LOANS)["result"]
    pages = LOANS.groupby([YEAR, "branch"]).pages.sum().unstack(0)
    moved = pages[2023] - pages[2022]
    assert result["change"].to_dict() == moved[moved < 0].to_dict()


def test_the_same_months_of_two_years() -> None:
    result = code_of("loans Jan-Jun 2023 compared with the same months of 2022", loans=LOANS)["result"]
    half = LOANS[LOANS.loan_date.dt.month <= 6]
    assert result.to_dict() == half.groupby(half.loan_date.dt.year).size().loc[[2022, 2023]].to_dict()


def test_months_of_several_years_are_not_compared() -> None:
    assert ask("did loans rise from May to June?", {"loans": LOANS})["outcome"] == "refused"


@pytest.mark.parametrize("question, wanted", [
    ("how many loans came back after the due date?", LATE.sum()),
    ("how many loans were returned late?", LATE.sum()),
    ("how many loans were returned more than 7 days late?", (OVER > 7).sum()),
    ("how many loans were late by at least 3 days", (OVER >= 3).sum()),
    ("how many days late are loans returned on average?", OVER[LATE].mean()),
    ("how many loans are still out?", LOANS.return_date.isna().sum()),
    ("average loan length in days", HELD.mean()),
    ("median loan period of audio", HELD[LOANS.kind == "audio"].median()),
    ("correlation between pages and days kept", LOANS.pages.corr(HELD)),
    ("what percent of loans were renewed at least twice?", 100 * (LOANS.renewals >= 2).mean()),
    ("how many loans with pages below 100 or above 800?", ((LOANS.pages < 100) | (LOANS.pages > 800)).sum()),
    ("difference between the highest and the lowest pages", LOANS.pages.max() - LOANS.pages.min()),
])
def test_numbers_of_loans(question: str, wanted: float) -> None:
    names = code_of(question, loans=LOANS)
    assert names["answer"] == pytest.approx(wanted)


@pytest.mark.parametrize("question, wanted", [
    ("late return rate by branch", (100 * LATE).groupby(LOANS.branch).mean()),
    ("in which branch are loans kept longest on average?", HELD.groupby(LOANS.branch).mean()),
    ("mean stars by branch, only branches with at least 20 stars",
     LOANS.groupby("branch").stars.mean()[LOANS.groupby("branch").stars.count() >= 20]),
    ("share of total pages that comes from audio, by branch",
     100 * LOANS[LOANS.kind == "audio"].groupby("branch").pages.sum() / LOANS.groupby("branch").pages.sum()),
])
def test_numbers_of_each_branch(question: str, wanted: pd.Series) -> None:
    result = code_of(question, loans=LOANS)["result"]
    assert result.to_dict() == pytest.approx(wanted.to_dict())


def test_who_in_each() -> None:
    result = code_of("in each branch, who has the most loans?", loans=LOANS)["result"]
    best = LOANS.groupby(["branch", "clerk"]).size().groupby(level=0).idxmax()
    assert sorted(result.index) == sorted(best)


@pytest.mark.parametrize("question, wanted", [
    ("90th percentile of lead time in days", (STAYS.checkIn - STAYS.bookedOn).dt.days.quantile(0.9)),
    ("how many days in advance do people book on average?", (STAYS.checkIn - STAYS.bookedOn).dt.days.mean()),
    ("how many stays have a rate below 80 per night?", (STAYS.ratePerNight < 80).sum()),
    ("how many stays with negative income?", (STAYS.income < 0).sum()),
    ("average income when it rains", STAYS[STAYS.rain_mm > 0].income.mean()),
])
def test_numbers_of_stays(question: str, wanted: float) -> None:
    assert code_of(question, stays=STAYS)["answer"] == pytest.approx(wanted)


@pytest.mark.parametrize("question, wanted", [
    ("income per employee by origin",
     STAYS.groupby("origin").income.sum() / STAYS.groupby("origin").employees.sum()),
    ("income to assets ratio by origin",
     STAYS.groupby("origin").income.sum() / STAYS.groupby("origin").total_assets.sum()),
])
def test_ratios(question: str, wanted: pd.Series) -> None:
    assert code_of(question, stays=STAYS)["result"].to_dict() == pytest.approx(wanted.to_dict())


def test_the_row_of_an_extreme() -> None:
    outcome = outcome_of("highest income and when it was", stays=STAYS)
    assert list(outcome.value.stay_no) == [STAYS.loc[STAYS.income.idxmax(), "stay_no"]]


def test_routes_are_pairs() -> None:
    result = code_of("top 3 routes by number of stays", stays=STAYS)["result"]
    assert result.to_dict() == STAYS.groupby(["origin", "destination"]).size().nlargest(3).to_dict()


@pytest.mark.parametrize("question", [
    "how many stays cost more than their rate per night?",
    "average income when there is one",
    "what will the income be next year?",
    "correlation of income and income",
    "change in total income from 2022 to 2023 by origin, only origins with more than 100 stays",
])
def test_is_not_passed_over(question: str) -> None:
    assert ask(question, {"stays": STAYS})["outcome"] == "refused"
