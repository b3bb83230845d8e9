"""Rows and groups in the order that a question says, and people by when they were born. Each
answer is worked out by hand."""

import numpy as np
import pandas as pd
import pytest
from asked import outcome_of
from bench_client import ask

RNG = np.random.default_rng(23)
N = 300


def days(first: str, within: int) -> pd.DatetimeIndex:
    """Of which no two are the same."""
    return pd.Timestamp(first) + pd.to_timedelta(RNG.permutation(within)[:N], unit="D")


MEMBERS = pd.DataFrame({
    "member_no": range(500, 500 + N), "full_name": [f"Person {n}" for n in RNG.permutation(N)],
    "home_port": RNG.choice(["Bergen", "Kiel", "Turku"], N),
    "birth_date": days("1940-01-01", 20_000).strftime("%Y-%m-%d"),
    "joined_on": days("2012-01-01", 4_000).strftime("%Y-%m-%d"),
    "last_race_date": pd.Series(days("2023-03-01", 600).strftime("%Y-%m-%d")).mask(RNG.random(N) < 0.2),
    "fee_eur": RNG.normal(260, 60, N).round(2)})
STAYS = pd.DataFrame({
    "booking_ref": [f"BK-{n}" for n in range(N)], "cottage": RNG.choice(["Rose Cottage", "Old Mill", "Lime Kiln"], N, p=[.5, .3, .2]),
    "check_in": days("2023-01-02", 700), "nights": RNG.integers(1, 15, N), "wait_min": RNG.integers(1, 70, N),
    "is_urgent": RNG.random(N) < 0.3, "total_gbp": RNG.permutation(N) * 7.5 + 80})
FRAMES = {"members": MEMBERS, "bookings": STAYS}
MONTH = STAYS.check_in.dt.to_period("M")


def shown(question: str, name: str) -> pd.DataFrame:
    return outcome_of(question, **{name: FRAMES[name]}).value


def by(column: str, count: int, is_down: bool = True) -> list[int]:
    """The numbers of the members who come first by a date."""
    return list(MEMBERS.sort_values(column, ascending=not is_down).member_no[:count])


@pytest.mark.parametrize("question, wanted", [
    ("oldest member", by("birth_date", 1, is_down=False)),
    ("who is the youngest member?", by("birth_date", 1)),
    ("youngest 3 members", by("birth_date", 3)),
    ("newest 3 members", by("joined_on", 3)),
    ("members, newest first", by("joined_on", N)),
    ("members, oldest first", by("birth_date", N, is_down=False)),
    ("members ordered by birth date", by("birth_date", N, is_down=False)),
])
def test_people_are_old_by_their_birth_and_new_by_what_else_is_told(question: str, wanted: list[int]) -> None:
    assert list(shown(question, "members").member_no) == wanted


def test_the_newest_member_joined_last() -> None:
    outcome = outcome_of("newest member", members=MEMBERS)
    assert outcome.names["answer"] == pd.Timestamp(MEMBERS.joined_on.max())


def test_the_oldest_of_each_group_is_a_row_of_it() -> None:
    rows = shown("oldest member in each home port", "members")
    born = pd.to_datetime(MEMBERS.birth_date)
    assert set(rows.member_no) == set(MEMBERS.loc[born.groupby(MEMBERS.home_port).idxmin()].member_no)


def test_an_order_is_no_condition() -> None:
    rows = shown("members without a last race date, oldest first", "members")
    wanted = MEMBERS[MEMBERS.last_race_date.isna()].sort_values("birth_date")
    assert list(rows.member_no) == list(wanted.member_no)


def test_things_are_not_born() -> None:
    """Of orders that have their customer's date of birth."""
    orders = STAYS.assign(birth_date=MEMBERS.birth_date)
    assert outcome_of("oldest 2 bookings", bookings=orders).value.equals(orders.nsmallest(2, "check_in"))


@pytest.mark.parametrize("question, wanted", [
    ("bookings sorted by total, highest first", STAYS.sort_values("total_gbp", ascending=False)),
    ("bookings of more than 10 nights in descending order of total",
     STAYS[STAYS.nights > 10].sort_values("total_gbp", ascending=False)),
    ("bookings ordered by date", STAYS.sort_values("check_in")),
    ("bookings sorted by date, newest first", STAYS.sort_values("check_in", ascending=False)),
    ("urgent bookings sorted by date", STAYS[STAYS.is_urgent].sort_values("check_in")),
    ("second highest total", STAYS.sort_values("total_gbp", ascending=False)[1:2]),
])
def test_bookings_in_order(question: str, wanted: pd.DataFrame) -> None:
    assert list(shown(question, "bookings").booking_ref) == list(wanted.booking_ref)


def test_a_unit_in_brackets_is_no_part_of_what_is_ranked() -> None:
    stays = STAYS.rename(columns={"total_gbp": "Fare (EUR)"})
    rows = outcome_of("the most expensive booking for each cottage", bookings=stays).value
    assert set(rows.booking_ref) == set(STAYS.loc[STAYS.groupby("cottage").total_gbp.idxmax()].booking_ref)


def test_what_ranks_a_period_is_added_up() -> None:
    stays = STAYS.rename(columns={"nights": "pax"})
    for question, wanted in [("busiest month by passengers", "highest"), ("quietest month by passengers", "lowest")]:
        sums = STAYS.groupby(MONTH).nights.sum()
        best = sums.idxmax() if wanted == "highest" else sums.idxmin()
        assert f"{best} has the {wanted} total pax: " in outcome_of(question, bookings=stays).printed


def test_rows_in_the_order_of_a_text() -> None:
    assert list(shown("sort bookings by cottage", "bookings").cottage) == sorted(STAYS.cottage)


def test_the_best_by_a_total_are_rows() -> None:
    rows = shown("top 2 bookings by total for each cottage", "bookings")
    best = STAYS.sort_values("total_gbp", ascending=False).groupby("cottage").head(2)
    assert set(rows.booking_ref) == set(best.booking_ref)


@pytest.mark.parametrize("question", [
    "sort bookings by cottage and then by total", "bookings sorted by cottage and nights", "did total in 2024 beat 2023?",
])
def test_what_would_be_half_an_answer_is_refused(question: str) -> None:
    assert ask(question, {"bookings": STAYS})["outcome"] == "refused"


def test_the_month_of_a_date_is_one_group() -> None:
    outcome = outcome_of("which check in month had the fewest nights?", bookings=STAYS)
    sums = STAYS.groupby(MONTH).nights.sum()
    assert f"{sums.idxmin()} has the lowest total nights" in outcome.printed


def test_the_second_is_no_unit_of_time_and_is_said_whole() -> None:
    reply = ask("the second most common cottage", {"bookings": STAYS})
    outcome = outcome_of("the second most common cottage", bookings=STAYS)
    assert "Old Mill  " in outcome.printed
    assert not any("wait_min" in sentence for sentence in reply["assumed"])


@pytest.mark.parametrize("question, said", [
    ("which cottage had the most nights on a single booking", f"has the highest nights: {STAYS.nights.max()}"),
    ("average total per cottage, lowest first", "has the lowest mean total"),
    ("total by cottage", "Rose Cottage has the highest total in GBP"),
    ("highest total by cottage", f"has the highest total in GBP: {STAYS.total_gbp.max():,.2f}"),
])
def test_what_is_said_of_groups(question: str, said: str) -> None:
    assert said in outcome_of(question, bookings=STAYS).printed
