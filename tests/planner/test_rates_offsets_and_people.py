"""What is so much per unit, one date of a row against another, people that a column counts, and
names with a part in brackets. Each answer is worked out by hand."""

import numpy as np
import pandas as pd
import pytest
import checker
from bench_client import ask

RNG = np.random.default_rng(31)
N = 700
BOOKED = pd.Timestamp("2023-01-02") + pd.to_timedelta(RNG.integers(0, 500, N), unit="D")
ARRIVED = BOOKED + pd.to_timedelta(RNG.integers(0, 120, N), unit="D")
IS_CANCELLED = RNG.random(N) < 0.2
CANCELLED = pd.Series(BOOKED + pd.to_timedelta(RNG.integers(0, 20, N), unit="D")).mask(
    ~IS_CANCELLED
)
BOOKINGS = pd.DataFrame(
    {
        "Booking Ref": [f"HG{i + 100}" for i in range(N)],
        "Hotel": RNG.choice(["The Mill", "Old Inn"], N),
        "room_type": RNG.choice(["single", "suite"], N),
        "channel": RNG.choice(["Website", "Phone", "Agency"], N),
        "Booked on": BOOKED,
        "Arr_Date": ARRIVED,
        "Nights": RNG.integers(1, 9, N),
        "Adults": RNG.integers(1, 4, N),
        "Kids": RNG.integers(0, 3, N),
        "Rate_EUR/night": RNG.integers(60, 300, N) + 0.5,
        "Canc?": np.where(IS_CANCELLED, "Y", "N"),
        "Canc_Date": CANCELLED,
    }
)
RATE = BOOKINGS["Rate_EUR/night"]
IS_OFF = BOOKINGS["Canc?"] == "Y"

CRASHES = pd.DataFrame(
    {
        "Crash_No": [f"22-{i}" for i in range(N)],
        "CrashDate": pd.Timestamp("2022-01-01") + pd.to_timedelta(RNG.integers(0, 300, N), "D"),
        "town": RNG.choice(["Ashton", "Pine Ridge"], N),
        "NumVeh": RNG.integers(1, 6, N),
        "NumInj": RNG.integers(0, 5, N),
        "NumKilled": RNG.choice([0, 0, 0, 1], N),
        "weather": pd.Series(RNG.choice(["clear", "rain"], N)).mask(RNG.random(N) < 0.1),
        "AlcoholInv": RNG.choice(["Y", "N"], N),
        "collision": RNG.choice(["pedestrian", "head-on"], N),
        "est_damage_usd": RNG.permutation(N) * 50.0,
    }
)
INVOLVED = CRASHES.AlcoholInv == "Y"

EXAMS = pd.DataFrame(
    {
        "student_id": RNG.integers(0, 90, N),
        "programme": RNG.choice(["Law", "Physics"], N),
        "FY": RNG.choice([2021, 2022, 2023], N),
        "exam_date": pd.Timestamp("2021-08-01") + pd.to_timedelta(RNG.integers(0, 900, N), "D"),
        "Pts (max 100)": RNG.integers(0, 100, N) + 0.5,
        "grade": RNG.choice(list("ABCD"), N),
    }
)
PLANNED = pd.Timestamp("2023-03-01") + pd.to_timedelta(RNG.integers(0, 300, N), unit="D")
FREIGHT = pd.DataFrame(
    {
        "shipment_no": np.arange(N),
        "mode": RNG.choice(["road", "rail"], N),
        "PlannedDel": PLANNED,
        "ActualDel": PLANNED + pd.to_timedelta(RNG.integers(-4, 9, N), unit="D"),
        "price_eur": RNG.integers(200, 900, N),
        "cost_eur": RNG.integers(100, 600, N),
    }
)
DELAY = (FREIGHT.ActualDel - FREIGHT.PlannedDel).dt.days
LOANS = pd.DataFrame(
    {
        "loan_no": np.arange(N),
        "member_id": RNG.integers(0, 80, N),
        "category": RNG.choice(["garden", "kitchen"], N),
        "date_out": BOOKED,
        "date_returned": ARRIVED,
        "value_gbp": RNG.integers(10, 300, N),
        "renewals": RNG.integers(0, 4, N),
    }
)
KEPT = (LOANS.date_returned - LOANS.date_out).dt.days
LINES = pd.DataFrame(
    {
        "RcptNo": [f"R{i // 3}" for i in range(N)],
        "LineNo": [i % 3 + 1 for i in range(N)],
        "shop": RNG.choice(["Station", "Harbour"], N),
        "SoldAt": pd.Timestamp("2023-01-01") + pd.to_timedelta(RNG.integers(0, 700, N), "D"),
        "Qty": RNG.integers(1, 9, N),
        "UnitPrice_EUR": RNG.integers(1, 90, N) / 10,
        "gross_wt_kg": RNG.integers(200, 9000, N),
        "cashier": pd.Series(RNG.choice(["Emma", "Bilal"], N)).mask(RNG.random(N) < 0.1),
    }
)
GRANTS = pd.DataFrame(
    {
        "appl_no": np.arange(N),
        "institute": RNG.choice(["EPFL", "Basel"], N),
        "awarded_chf": RNG.integers(10, 900, N) * 100.0,
    }
)
FRAMES = {
    "receipts": LINES,
    "grants": GRANTS,
    "bookings": BOOKINGS,
    "crashes": CRASHES,
    "exams": EXAMS,
    "freight": FREIGHT,
    "loans": LOANS,
}


def reply_of(question: str, name: str) -> dict:
    reply = ask(question, {name: FRAMES[name]})
    assert reply["outcome"] == "answered", reply["message"]
    return reply


def outcome_of(question: str, name: str) -> checker.Outcome:
    reply = reply_of(question, name)
    return checker.run(reply["code"], {name: FRAMES[name].copy()})


def value_of(question: str, name: str) -> object:
    """One number, the numbers of groups, or how many rows are shown."""
    outcome = outcome_of(question, name)
    if "answer" in outcome.names:
        return outcome.names["answer"]
    if "result" in outcome.names:
        return dict(outcome.names["result"])
    return len(outcome.value)


@pytest.mark.parametrize(
    "question, wanted",
    [
        ("average nightly rate", RATE.mean()),
        ("mean rate by hotel", dict(RATE.groupby(BOOKINGS.Hotel).mean())),
        ("rate by hotel", dict(RATE.groupby(BOOKINGS.Hotel).mean())),
        ("median price per night", RATE.median()),
        ("how many bookings over 200 euros a night?", int((RATE > 200).sum())),
        ("rate per adult by hotel", dict((RATE / BOOKINGS.Adults).groupby(BOOKINGS.Hotel).mean())),
        ("total revenue", (RATE * BOOKINGS.Nights).sum()),
        (
            "how much more does a suite cost than a single, on average?",
            dict(RATE.groupby(BOOKINGS.room_type).mean()),
        ),
    ],
)
def test_so_much_per_night_is_a_rate(question: str, wanted: object) -> None:
    assert value_of(question, "bookings") == pytest.approx(wanted)


@pytest.mark.parametrize(
    "question, wanted",
    [
        ("what's our cancellation rate?", 100 * IS_OFF.mean()),
        ("cancellation rate by channel", dict(100 * IS_OFF.groupby(BOOKINGS.channel).mean())),
        ("number of one-night stays", int((BOOKINGS.Nights == 1).sum())),
        ("median length of stay", BOOKINGS.Nights.median()),
        (
            "share of Website and Phone together",
            100 * BOOKINGS.channel.isin(["Website", "Phone"]).mean(),
        ),
    ],
)
def test_rates_of_rows_and_stays(question: str, wanted: object) -> None:
    assert value_of(question, "bookings") == pytest.approx(wanted)


AHEAD = (BOOKINGS.Arr_Date - BOOKINGS["Booked on"]).dt.days


@pytest.mark.parametrize(
    "question, name, wanted",
    [
        ("how many bookings were made more than 90 days before arrival?", "bookings", AHEAD > 90),
        ("number of bookings made less than 3 days before arrival", "bookings", AHEAD < 3),
        (
            "how many were cancelled within a week of booking?",
            "bookings",
            (CANCELLED - BOOKED).dt.days <= 7,
        ),
        ("how many loans were returned on the same day?", "loans", KEPT == 0),
        (
            "how many shipments had an actual del on the same day as the planned del?",
            "freight",
            DELAY == 0,
        ),
    ],
)
def test_one_date_against_another(question: str, name: str, wanted: pd.Series) -> None:
    assert wanted.any()
    assert value_of(question, name) == int(wanted.sum())


@pytest.mark.parametrize(
    "question, wanted",
    [
        ("median lead time", AHEAD.median()),
        ("arrivals per quarter", None),
    ],
)
def test_a_short_name_is_that_date(question: str, wanted: float | None) -> None:
    if wanted is None:
        counts = BOOKINGS.groupby(BOOKINGS.Arr_Date.dt.to_period("Q")).size()
        assert list(value_of(question, "bookings").values()) == list(counts)
    else:
        assert value_of(question, "bookings") == pytest.approx(wanted)


@pytest.mark.parametrize(
    "question, wanted",
    [
        ("how many people were injured?", CRASHES.NumInj.sum()),
        ("total number of people killed", CRASHES.NumKilled.sum()),
        ("deaths by town", dict(CRASHES.groupby("town").NumKilled.sum())),
        ("how many crashes with more than 3 vehicles?", int((CRASHES.NumVeh > 3).sum())),
        (
            "how many crashes involved pedestrians?",
            int((CRASHES.collision == "pedestrian").sum()),
        ),
        (
            "do alcohol crashes cost more than the ones without?",
            dict(CRASHES.est_damage_usd.groupby(np.where(INVOLVED, "Y", "N")).mean()),
        ),
    ],
)
def test_people_are_counted_by_the_column_that_counts_them(question: str, wanted: object) -> None:
    got = value_of(question, "crashes")
    if isinstance(wanted, dict):
        assert sorted(got.values()) == pytest.approx(sorted(wanted.values()))
    else:
        assert got == wanted


def test_which_date_is_a_day() -> None:
    got = outcome_of("which date had the most crashes?", "crashes").names["result"]
    assert got.max() == CRASHES.CrashDate.value_counts().max()


def test_the_dearest_by_the_only_money() -> None:
    got = outcome_of("top 5 costliest crashes", "crashes").value
    assert list(got.est_damage_usd) == list(CRASHES.est_damage_usd.nlargest(5))


def test_what_is_missing_is_said_where_another_value_is_left_out() -> None:
    reply = reply_of("how many crashes were not in clear weather?", "crashes")
    assert "counted rows without weather as not clear" in reply["assumed"]


@pytest.mark.parametrize(
    "question, wanted",
    [
        ("average points", EXAMS["Pts (max 100)"].mean()),
        ("mean points by programme", dict(EXAMS.groupby("programme")["Pts (max 100)"].mean())),
        ("number of As", int((EXAMS.grade == "A").sum())),
        ("how many exams in 2022?", int((EXAMS.FY == 2022).sum())),
        ("exams per year", dict(EXAMS.groupby("FY").size())),
    ],
)
def test_brackets_letters_and_years_of_their_own(question: str, wanted: object) -> None:
    assert value_of(question, "exams") == pytest.approx(wanted)


@pytest.mark.parametrize(
    "question, name, wanted",
    [
        ("average delay in days", "freight", DELAY.mean()),
        ("delay by mode", "freight", dict(DELAY.groupby(FREIGHT["mode"]).mean())),
        (
            "on-time rate per mode",
            "freight",
            dict(100 * (DELAY <= 0).groupby(FREIGHT["mode"]).mean()),
        ),
        ("total profit", "freight", (FREIGHT.price_eur - FREIGHT.cost_eur).sum()),
        ("typical loan length", "loans", KEPT.mean()),
        ("average loan duration by category", "loans", dict(KEPT.groupby(LOANS.category).mean())),
        ("what is the largest number of renewals on a single loan?", "loans", 3),
        ("standard deviation of the loan value", "loans", LOANS.value_gbp.std()),
        (
            "distinct borrowers by category",
            "loans",
            dict(LOANS.groupby("category").member_id.nunique()),
        ),
    ],
)
def test_spans_and_nouns_of_rows(question: str, name: str, wanted: object) -> None:
    assert value_of(question, name) == pytest.approx(wanted)


@pytest.mark.parametrize(
    "question, name",
    [("show typical loans", "loans"), ("top 5 customers by number of crashes", "crashes")],
)
def test_what_sets_no_bound_or_is_nobody_is_refused(question: str, name: str) -> None:
    assert ask(question, {name: FRAMES[name]})["outcome"] == "refused"


@pytest.mark.parametrize(
    "question, name, wanted",
    [
        (
            "average unit price by shop",
            "receipts",
            dict(LINES.groupby("shop").UnitPrice_EUR.mean()),
        ),
        (
            "how many lines have a unit price over 5 euros?",
            "receipts",
            int((LINES.UnitPrice_EUR > 5).sum()),
        ),
        ("how many receipts are there?", "receipts", LINES.RcptNo.nunique()),
        ("receipts per shop", "receipts", dict(LINES.groupby("shop").RcptNo.nunique())),
        ("receipt lines by shop", "receipts", dict(LINES.groupby("shop").size())),
        (
            "how many lines weigh between 1 and 5 tonnes?",
            "receipts",
            int(LINES.gross_wt_kg.between(1000, 5000).sum()),
        ),
        (
            "was the average unit price higher in 2024 than in 2023?",
            "receipts",
            dict(LINES.groupby(LINES.SoldAt.dt.year).UnitPrice_EUR.mean()),
        ),
        ("how many grants over 50000 francs?", "grants", int((GRANTS.awarded_chf > 50000).sum())),
    ],
)
def test_names_of_several_words_and_lines_of_something(
    question: str, name: str, wanted: object
) -> None:
    assert value_of(question, name) == pytest.approx(wanted)
