"""The best row of each group, which group has it, the first and the last date, what is longest;
and columns under the names that people have for them. Each answer is worked out by hand."""

import numpy as np
import pandas as pd
import pytest
import checker
from asked import outcome_of
from bench_client import ask

RNG = np.random.default_rng(19)
N = 600
LISTED = pd.Timestamp("2022-01-03") + pd.to_timedelta(RNG.integers(0, 700, N), unit="D")
SALES = pd.DataFrame(
    {
        "sale_no": np.arange(N) + 1,
        "district": RNG.choice(["Harbour", "Mill", "West"], N),
        "agent": RNG.choice(["Ada", "Bob", "Cyd", "Dee"], N),
        "title": [f"House {i}" for i in RNG.permutation(N)],
        "rooms": RNG.integers(1, 8, N),
        "garage": RNG.choice(["Y", "N"], N),
        "list_date": LISTED,
        "sale_date": pd.Series(LISTED + pd.to_timedelta(RNG.integers(1, 120, N), unit="D")).mask(
            RNG.random(N) < 0.2
        ),
        "ask_eur": RNG.permutation(np.arange(N)) * 500 + 100_000,
        "sold_eur": (RNG.permutation(np.arange(N)) * 500.0 + 90_000),
        "epc": RNG.choice(["A", "B", "C"], N),
    }
)
HELD = (SALES.sale_date - SALES.list_date).dt.days

READINGS = pd.DataFrame(
    {
        "reading_id": np.arange(500),
        "station": RNG.choice(["Ash", "Birch", "Cedar"], 500),
        "obs_date": pd.date_range("2024-01-01", periods=500),
        "NO2_ugm3": RNG.normal(30, 8, 500).round(2),
        "PAX": RNG.integers(10, 99, 500),
        "Seats": RNG.choice([100, 140, 180], 500),
        "CNX": RNG.choice(["Y", "N"], 500, p=[0.2, 0.8]),
        "alarm": RNG.choice(["NO", "YES"], 500),
    }
)

FIRMS = pd.DataFrame(
    [
        (f"Firm {i}", "steel" if i < 5 else "food", year, 10.0 * i + year - 2018)
        for i in range(12)
        for year in range(2018, 2018 + 3 + i % 3)
    ],
    columns=["company", "sector", "year", "revenue"],
)


def names_of(question: str, **frames: pd.DataFrame) -> dict:
    return outcome_of(question, **frames).names


def rows_of(question: str, **frames: pd.DataFrame) -> pd.DataFrame:
    return outcome_of(question, **frames).value


def refusal_of(question: str, **frames: pd.DataFrame) -> str:
    reply = ask(question, frames)
    assert reply["outcome"] == "refused"
    return reply["message"]


# --- rows of each group -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question, by, n, is_low",
    [
        ("the 3 largest sales of each district by rooms", "rooms", 3, False),
        ("the 2 smallest sales by ask_eur in every district", "ask_eur", 2, True),
        ("top 3 sales per district by sold_eur", "sold_eur", 3, False),
    ],
)
def test_the_best_rows_of_each_group(question, by, n, is_low) -> None:
    shown = rows_of(question, sales=SALES)
    for district, rows in SALES.groupby("district"):
        best = rows[by].nsmallest(n) if is_low else rows[by].nlargest(n)
        assert list(shown[shown.district == district][by]) == list(best)
    assert len(shown) == 3 * n


def test_the_best_rows_of_each_month() -> None:
    shown = rows_of("top 2 sales per month of list_date by sold_eur", sales=SALES)
    months = SALES.groupby(SALES.list_date.dt.to_period("M")).sold_eur
    assert sorted(shown.sold_eur) == sorted(months.nlargest(2))


def test_which_group_has_the_row() -> None:
    reply = ask(
        "which district had the most expensive sale?",
        {"sales": SALES.rename(columns={"sold_eur": "price"})},
    )
    frames = {"sales": SALES.rename(columns={"sold_eur": "price"})}
    result = checker.run(reply["code"], frames).names["result"]
    assert result.idxmax() == SALES.loc[SALES.sold_eur.idxmax(), "district"]
    assert result.max() == SALES.sold_eur.max()


@pytest.mark.parametrize(
    "question", ["month with the biggest sale", "largest sale each week", "monthly largest sale"]
)
def test_a_size_is_no_number_of_rows(question) -> None:
    plain = SALES[["sale_no", "district", "list_date", "rooms"]]
    assert "answered" not in ask(question, {"sales": plain})["outcome"]


def test_the_title_of_a_table_that_has_titles() -> None:
    loans = pd.DataFrame(
        {"branch": RNG.choice(["N", "S"], 300), "title": RNG.choice(list("pqrst"), 300)}
    )
    result = names_of("for each branch, the title with the most loans", loans=loans)["result"]
    for branch, rows in loans.groupby("branch"):
        assert result[branch].iloc[0] == rows.title.value_counts().iloc[0]


# --- longest and shortest -------------------------------------------------------------------------


def test_the_longest_sale_is_of_its_two_dates() -> None:
    assert names_of("what is the longest sale?", sales=SALES)["answer"] == HELD.max()
    assert names_of("the shortest sale", sales=SALES)["answer"] == HELD.min()


def test_the_longest_of_each_group_and_who_has_it() -> None:
    longest = HELD.groupby(SALES.district).max()
    result = names_of("longest sale by district", sales=SALES)["result"]
    pd.testing.assert_series_equal(
        result.sort_index(), longest, check_names=False, check_dtype=False
    )
    assert (
        names_of("which district had the longest sale", sales=SALES)["result"].idxmax()
        == longest.idxmax()
    )


def test_longest_without_a_length_is_refused() -> None:
    assert "longest" in refusal_of("which station has the longest readings", readings=READINGS)


# --- first and last -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question, date",
    [
        ("date of the first reading", READINGS.obs_date.min()),
        ("first reading date", READINGS.obs_date.min()),
        ("date of the most recent reading", READINGS.obs_date.max()),
    ],
)
def test_the_first_and_the_last_date(question, date) -> None:
    assert names_of(question, readings=READINGS)["answer"] == date


def test_the_first_date_of_each() -> None:
    result = names_of("first reading date of every station", readings=READINGS)["result"]
    first = READINGS.groupby("station").obs_date.min()
    assert {name: pd.Timestamp(day) for name, day in result.items()} == first.to_dict()


# --- what columns are called ------------------------------------------------------------------------


def test_a_denial_in_a_code_is_none() -> None:
    result = names_of("average NO2 by station", readings=READINGS)["result"]
    mean = READINGS.groupby("station").NO2_ugm3.mean()
    pd.testing.assert_series_equal(result.sort_index(), mean, check_names=False)


@pytest.mark.parametrize(
    "question, column", [("average asking price", "ask_eur"), ("average sale price", "sold_eur")]
)
def test_prices_of_columns_in_a_currency(question, column) -> None:
    assert names_of(question, sales=SALES)["answer"] == pytest.approx(SALES[column].mean())


def test_what_sales_are_worth() -> None:
    assert names_of("total sales value", sales=SALES)["answer"] == SALES.sold_eur.sum()
    result = names_of("sales value by agent", sales=SALES)["result"]
    assert result.to_dict() == SALES.groupby("agent").sold_eur.sum().to_dict()
    assert names_of("total number of sales", sales=SALES)["answer"] == N


def test_what_is_worth_nothing_known_is_refused() -> None:
    assert "value" in refusal_of(
        "readings value by station", readings=READINGS[["station", "obs_date", "PAX"]]
    )


def test_sold_within_days_compares_no_price() -> None:
    assert (
        names_of("how many were sold within 30 days?", sales=SALES)["answer"] == (HELD <= 30).sum()
    )


def test_what_comes_with_something_has_it() -> None:
    answer = names_of("how many sales in Mill come with a garage?", sales=SALES)["answer"]
    assert answer == ((SALES.district == "Mill") & (SALES.garage == "Y")).sum()


def test_events_of_a_flag_with_a_short_name() -> None:
    cancelled = READINGS.CNX == "Y"
    result = names_of("cancellations by station", readings=READINGS)["result"]
    assert result.to_dict() == READINGS[cancelled].groupby("station").size().to_dict()
    rates = names_of("cancellation rate by station", readings=READINGS)["result"]
    assert rates.to_dict() == pytest.approx(
        (100 * cancelled.groupby(READINGS.station).mean()).to_dict()
    )


def test_a_mean_of_each_row() -> None:
    assert names_of("average passengers per flight", readings=READINGS)["answer"] == pytest.approx(
        READINGS.PAX.mean()
    )


@pytest.mark.parametrize(
    "question", ["which sector has the most companies?", "companies by sector"]
)
def test_companies_with_several_rows_are_counted_once(question) -> None:
    result = names_of(question, companies=FIRMS)["result"]
    assert result.to_dict() == FIRMS.groupby("sector").company.nunique().to_dict()


# --- what is late, what is reserved ------------------------------------------------------------------


TOOLS = pd.DataFrame(
    {
        "Loan No": np.arange(400) + 1,
        "branch": RNG.choice(["North", "South"], 400),
        "Date Due": pd.Timestamp("2024-02-01")
        + pd.to_timedelta(RNG.integers(0, 200, 400), unit="D"),
        "Late Fee": np.where(RNG.random(400) < 0.3, RNG.gamma(2, 2, 400).round(2), 0.0),
        "Reserved Y/N": RNG.choice(["Y", "N"], 400, p=[0.3, 0.7]),
    }
)
TOOLS["Date Returned"] = TOOLS["Date Due"] + pd.to_timedelta(RNG.integers(-9, 9, 400), unit="D")


def test_late_is_of_dates_and_not_of_a_late_fee() -> None:
    late = (TOOLS["Date Returned"] > TOOLS["Date Due"]).sum()
    assert names_of("how many loans were returned late", loans=TOOLS)["answer"] == late
    assert names_of("total late fees", loans=TOOLS)["answer"] == pytest.approx(
        TOOLS["Late Fee"].sum()
    )


def test_reservations_are_what_is_reserved() -> None:
    result = names_of("reservations per branch", loans=TOOLS)["result"]
    assert (
        result.to_dict() == TOOLS[TOOLS["Reserved Y/N"] == "Y"].groupby("branch").size().to_dict()
    )


# --- what an answer owns up to -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "question", ["top 3 loans returned late by fee", "highest fee of loans returned late"]
)
def test_answers_of_rows_keep_what_was_assumed(question) -> None:
    reply = ask(question, {"loans": TOOLS.rename(columns={"Late Fee": "fee"})})
    assert reply["outcome"] == "answered" and any('"late"' in line for line in reply["assumed"])
    assert not any("names no aggregate" in line for line in reply["assumed"])


def test_a_ratio_is_never_added_up() -> None:
    ratio = READINGS.PAX.sum() / READINGS.Seats.sum()
    assert names_of("overall load factor (passengers / seats)", readings=READINGS)[
        "answer"
    ] == pytest.approx(ratio)
    result = names_of("total PAX / Seats by station", readings=READINGS)["result"]
    sums = READINGS.groupby("station")[["PAX", "Seats"]].sum()
    assert result.to_dict() == pytest.approx((sums.PAX / sums.Seats).to_dict())
