"""What several rows tell of, counted; numbers whose names say a unit or a scale, or whose cells say
less than a number; groups of equal size; whose a number is. Each answer is worked out by hand."""

import numpy as np
import pandas as pd
import pytest
from asked import outcome_of
from bench_client import ask

RNG = np.random.default_rng(2209)
N = 600


def days(low: int, high: int) -> pd.Series:
    return pd.Series(pd.to_timedelta(RNG.integers(low, high, N), unit="D"))


RECEIVED = pd.Timestamp("2023-01-02") + days(0, 500)
DUE = RECEIVED + days(5, 12)
REPORTED = (RECEIVED + days(2, 20)).where(RNG.random(N) < 0.85)
RESULT = pd.Series(RNG.permutation(N) / 100 + 0.5)
SMALL = RNG.random(N) < 0.2
TESTS = pd.DataFrame(
    {
        "TEST_ID": np.arange(N) + 4000,
        "SAMPLE_NO": [f"W{i}" for i in RNG.integers(100, 250, N)],
        "CLIENT_NO": (RNG.integers(500, 560, N)).astype(float),
        "MATRIX": RNG.choice(["Soil", "Water", "Sludge"], N),
        "INSTR_ID": RNG.choice(["GC-1", "GC-2", "IC-1"], N),
        "RECVD_DT": RECEIVED.dt.strftime("%d/%m/%Y"),
        "RPTD_DT": REPORTED.dt.strftime("%d/%m/%Y"),
        "DUE_DT": DUE,
        "RESULT_MGL": [f"<{v:.2f}" if s else f"{v:.2f}" for v, s in zip(RESULT, SMALL)],
        "LIMIT_MGL": RNG.integers(1, 6, N),
        "RUSH_FLG": RNG.choice(["Y", "N"], N, p=[0.3, 0.7]),
        "SCORE": RNG.integers(1, 6, N),
        "PRICE": [f"£{v:.2f}" for v in RNG.permutation(N) / 8 + 20],
    }
)
PRICE = TESTS.PRICE.str.strip("£").astype(float)

SEEN = pd.Timestamp("2023-01-01") + days(0, 400)
MAX, RAIN = pd.Series(RNG.permutation(N) / 10 - 5), pd.Series(RNG.integers(0, 300, N) / 10)
WEATHER = pd.DataFrame(
    {
        "StationName": RNG.choice(["Elm", "Oak", "Fir"], N),
        "ObsDate": SEEN,
        "TMax_C": MAX,
        "TMin_C": MAX - 7,
        "Precip_mm": ["T" if i % 11 == 4 else f"{v:.1f}" for i, v in enumerate(RAIN)],
        "SkyCond": RNG.choice(["Rain", "Clear", "Fog"], N),
    }
)
RAIN = RAIN.where(np.arange(N) % 11 != 4, 0)

TOWNS = 60
DEBT = pd.Series(RNG.permutation(N) * 400.0)
SPENT, EARNED = pd.Series(RNG.permutation(N) + 900.0), pd.Series(RNG.permutation(N) + 990.0)
ACCOUNTS = pd.DataFrame(
    {
        "Town": [f"Town{chr(65 + i // 26)}{chr(65 + i % 26)}" for i in np.arange(N) % TOWNS],
        "FiscalYear": 2014 + np.arange(N) // TOWNS,
        "County": RNG.choice(["West", "East"], N),
        "TotRev_kEUR": EARNED,
        "TotExp_kEUR": SPENT,
        "PersExp_kEUR": SPENT / 4,
        "DebtEOY_kEUR": DEBT,
        "ApprovedOn": (pd.Timestamp("2015-05-01") + days(0, 4000)).where(RNG.random(N) < 0.9),
    }
)

CAME = pd.Timestamp("2024-01-01") + pd.Series(pd.to_timedelta(RNG.integers(0, 250_000, N), "m"))
STAYED = pd.Series(RNG.permutation(N) * 3 + 5)
PARKED = pd.DataFrame(
    {
        "TicketNo": [f"T{i + 7000}" for i in range(N)],
        "FacilityName": RNG.choice(["Harbour Garage", "Central Garage", "North Garage"], N),
        "EntryTm": CAME,
        "ExitTm": CAME + pd.to_timedelta(STAYED, unit="m"),
        "ParkerType": RNG.choice(["Permit", "Transient"], N),
        "ValidationAmt": RNG.integers(1, 9, N),
        "AmtPaid": RNG.integers(10, 90, N),
        "WaitSec": [str(v) for v in RNG.integers(10, 400, N)],
    }
)
WAIT = PARKED.WaitSec.astype(int)

FRAMES = {"tests": TESTS, "obs": WEATHER, "accounts": ACCOUNTS, "sessions": PARKED}


def named(question: str, name: str) -> dict:
    return outcome_of(question, **{name: FRAMES[name]}).names


IS_LATE = REPORTED > DUE


@pytest.mark.parametrize(
    "question, name, wanted",
    [
        # Orders that nobody asks an answer to come in, and words that are short.
        (
            "what percentage of the tests was ordered as rush?",
            "tests",
            100 * (TESTS.RUSH_FLG == "Y").mean(),
        ),
        ("how many tests have no report yet?", "tests", REPORTED.isna().sum()),
        ("how many tests were late?", "tests", IS_LATE.sum()),
        # Whose a number is, and what names things.
        ("average client score", "tests", TESTS.SCORE.mean()),
        # Numbers that were too small to be measured.
        ("highest result", "tests", RESULT.max()),
        ("how many results are over the limit?", "tests", (RESULT > TESTS.LIMIT_MGL).sum()),
        # Degrees are those of a temperature; traces are none that are missing.
        ("average max temp", "obs", MAX.mean()),
        ("what is the lowest temperature?", "obs", (MAX - 7).min()),
        ("what is the highest temperature ever?", "obs", MAX.max()),
        ("total rain", "obs", RAIN.sum()),
        ("how many days had more than 20 mm of rain?", "obs", SEEN[RAIN > 20].nunique()),
        ("number of rainy days", "obs", SEEN[WEATHER.SkyCond == "Rain"].nunique()),
        ("number of missing values in Precip_mm", "obs", 0),
        # Thousands of euros, and words that are short for what money does.
        ("total expenditure in 2016", "accounts", SPENT[ACCOUNTS.FiscalYear == 2016].sum()),
        ("average personnel spending", "accounts", SPENT.mean() / 4),
        ("total debt at the end of 2018", "accounts", DEBT[ACCOUNTS.FiscalYear == 2018].sum()),
        ("how many rows have more than 100 million euros of debt?", "accounts", (DEBT > 1e5).sum()),
        ("how many rows have debt above 100000?", "accounts", (DEBT > 1e5).sum()),
        # How long, of what comes and goes.
        ("median stay in minutes", "sessions", STAYED.median()),
        ("90th percentile of time parked in hours", "sessions", (STAYED / 60).quantile(0.9)),
        ("how many cars stayed for more than 24 hours?", "sessions", (STAYED > 1440).sum()),
        ("how many garages are there?", "sessions", 3),
        ("total revenue", "sessions", PARKED.AmtPaid.sum()),
        ("how many sessions by permit holders?", "sessions", (PARKED.ParkerType == "Permit").sum()),
        ("average wait in sec", "sessions", WAIT.mean()),
    ],
)
def test_the_number_is_right(question, name, wanted):
    names = named(question, name)
    assert float(names.get("answer", names.get("result"))) == pytest.approx(wanted)


def distinct(by, things: str = "SAMPLE_NO") -> dict:
    return TESTS.groupby(by)[things].nunique().to_dict()


@pytest.mark.parametrize(
    "question, name, wanted",
    [
        ("samples by matrix", "tests", distinct("MATRIX")),
        ("plot samples by matrix", "tests", distinct("MATRIX")),
        ("which matrix has the most samples?", "tests", distinct("MATRIX")),
        ("clients per instrument", "tests", distinct("INSTR_ID", "CLIENT_NO")),
        ("tests per instrument", "tests", TESTS.INSTR_ID.value_counts().to_dict()),
        (
            "on-time rate by matrix",
            "tests",
            (100 * (REPORTED <= DUE)).groupby(TESTS.MATRIX).mean().to_dict(),
        ),
        ("median price per matrix (£)", "tests", PRICE.groupby(TESTS.MATRIX).median().to_dict()),
        (
            "median turnaround per matrix (days)",
            "tests",
            (REPORTED - RECEIVED).dt.days.groupby(TESTS.MATRIX).median().to_dict(),
        ),
        (
            "longest gap between two observations for each station, in days",
            "obs",
            {
                name: SEEN[WEATHER.StationName == name].sort_values().diff().dt.days.max()
                for name in ["Elm", "Oak", "Fir"]
            },
        ),
        (
            "lowest temperature by station",
            "obs",
            (MAX - 7).groupby(WEATHER.StationName).min().to_dict(),
        ),
        (
            "which station had the highest temperature?",
            "obs",
            MAX.groupby(WEATHER.StationName).max().to_dict(),
        ),
        (
            "total spending over the years",
            "accounts",
            SPENT.groupby(ACCOUNTS.FiscalYear).sum().to_dict(),
        ),
        ("revenue by county", "accounts", EARNED.groupby(ACCOUNTS.County).sum().to_dict()),
        (
            "which county spent the most?",
            "accounts",
            SPENT.groupby(ACCOUNTS.County).sum().to_dict(),
        ),
        ("sessions per garage", "sessions", PARKED.FacilityName.value_counts().to_dict()),
        (
            "average stay in minutes, permit holders vs transients",
            "sessions",
            STAYED.groupby(PARKED.ParkerType).mean().to_dict(),
        ),
    ],
)
def test_each_group_has_its_number(question, name, wanted):
    assert named(question, name)["result"].to_dict() == pytest.approx(wanted)


BY_WAIT = list(STAYED.groupby(pd.qcut(WAIT, 4)).mean())


@pytest.mark.parametrize(
    "question",
    [
        "average stay in minutes by wait quartile",
        "average stay in minutes for each quartile of wait",
        "average stay in minutes by wait in quartiles",
        "Split the sessions into four wait quartiles: average stay in minutes in each?",
    ],
)
def test_parts_of_equal_size(question):
    assert list(named(question, "sessions")["result"]) == pytest.approx(BY_WAIT)


@pytest.mark.parametrize(
    "question",
    [
        "change in number of tests against the month before",
        "number of tests by month, change vs the prior month",
    ],
)
def test_a_change_is_against_the_period_before(question):
    counted = RECEIVED.dt.to_period("M").value_counts().sort_index().diff().dropna()
    assert list(named(question, "tests")["result"]) == pytest.approx(list(counted))


@pytest.mark.parametrize(
    "question, name",
    [
        ("average client number", "tests"),  # names have no mean
        ("tests per patient", "tests"),  # of whom there are none
        ("pie chart of the sample foobars", "tests"),
        ("revenue by borough", "accounts"),
    ],
)
def test_what_is_not_there_is_refused(question, name):
    assert ask(question, {name: FRAMES[name]})["outcome"] == "refused"


def test_rows_that_are_called_otherwise_are_named():
    answer = ask("bar chart of foobars by county", {"accounts": ACCOUNTS})
    assert any("foobars" in said for said in answer["assumed"]), answer["assumed"]


def test_what_is_taken_for_a_number_is_said():
    answer = ask("highest result", {"tests": TESTS})
    assert any("<" in said for said in answer["assumed"]), answer["assumed"]
