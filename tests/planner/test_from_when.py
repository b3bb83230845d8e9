"""From when on, until when, and of which column: the numbers are worked out here."""

from __future__ import annotations

import bench_client
import pandas as pd
import pytest

FLATS = pd.DataFrame({
    "flat_id": range(1, 11),
    "year_built": [1931, 1958, 1958, 1972, 1985, 1990, 1999, 2004, 2010, 2018],
    "erected": [1930, 1957, 1958, 1971, 1984, 1989, 1998, 2003, 2009, 2017],
    "let_on": pd.to_datetime(["2021-03-01", "2021-07-15", "2022-01-01", "2022-05-20", "2022-12-31", "2023-01-01",
                              "2023-06-01", "2023-09-09", "2024-02-01", "2024-03-03"]),
    "rent": [500, 620, 640, 700, 810, 790, 900, 1100, 1250, 1400],
    "imdb_rating": [5.5, 6.5, 6.0, 7.5, 7.0, 8.5, 8.0, 9.5, 9.0, 9.9],
    "rooms": [1, 2, 3, 2, 3, 4, 2, 3, 4, 5],
    "production_budget": [10, 20, 30, 40, 50, 60, 70, 80, 90, 100],
    "hood": ["north", "south"] * 5,
})
BUILT, ERECTED, LET = FLATS.year_built, FLATS.erected, FLATS.let_on.dt.year


def reply_to(question: str, flats: pd.DataFrame = FLATS) -> dict:
    reply = bench_client.ask(question, {"flats": flats})
    assert reply["outcome"] == "answered", reply["message"]
    return reply


def answer_of(question: str, flats: pd.DataFrame = FLATS):
    names: dict = {"flats": flats.copy(), "__name__": "cell"}
    exec(reply_to(question, flats)["code"], names)
    return names.get("answer", names.get("result"))


@pytest.mark.parametrize("question, rows", [
    ("average rent of flats built since 1990", BUILT >= 1990),
    ("average rent of flats built before 1990", BUILT < 1990),
    ("average rent of flats built after 1990", BUILT > 1990),
    ("average rent of flats built until 1990", BUILT <= 1990),
    ("average rent of flats built from 1990 onwards", BUILT >= 1990),
    ("average rent of flats built from 1990 on", BUILT >= 1990),
    ("average rent of flats built 1990 or later", BUILT >= 1990),
    ("average rent of flats built in 1990 or earlier", BUILT <= 1990),
    ("average rent of flats built 1990 to now", BUILT >= 1990),
    ("average rent of flats built in 1958", BUILT == 1958),
    ("average rent of flats built between 1950 and 1990", BUILT.between(1950, 1990)),
    ("average rent of flats built from 1950 to 1990", BUILT.between(1950, 1990)),
    ("average rent of flats erected since 1971", ERECTED >= 1971),
    ("average rent of flats erected from 1971 on", ERECTED >= 1971),
    ("average rent of flats erected 1971 onwards", ERECTED >= 1971),
    ("average rent of flats built before 1990 and let in 2022", (BUILT < 1990) & (LET == 2022)),
])
def test_a_year_is_of_the_column_before_it(question: str, rows: pd.Series) -> None:
    assert answer_of(question) == pytest.approx(FLATS.rent[rows].mean())


@pytest.mark.parametrize("question, rows", [
    ("average rent since 2022", LET >= 2022),
    ("average rent from 2022 onwards", LET >= 2022),
    ("average rent from 2022 to now", LET >= 2022),
    ("average rent 2023 or later", LET >= 2023),
    ("average rent from January 2023 on", LET >= 2023),
    ("average rent in 2022 or earlier", LET <= 2022),
    ("average rent of flats from 2022", LET == 2022),
    ("average rent of flats from May 2022", FLATS.let_on.dt.strftime("%Y-%m") == "2022-05"),
    ("average rent before 2023", LET < 2023),
])
def test_without_one_it_is_of_the_date(question: str, rows: pd.Series) -> None:
    assert answer_of(question) == pytest.approx(FLATS.rent[rows].mean())


MONTH = FLATS.let_on.dt.month


@pytest.mark.parametrize("question, rows", [
    ("average rent since May 2022", FLATS.let_on >= "2022-05-01"),
    ("average rent before May 2022", FLATS.let_on < "2022-05-01"),
    ("average rent after May 2022", FLATS.let_on >= "2022-06-01"),
    ("average rent May 2022", (MONTH == 5) & (LET == 2022)),
    ("average rent from March to May", MONTH.isin([3, 4, 5])),
    ("average rent from May to September", MONTH.between(5, 9)),
    ("average rent in March and May", MONTH.isin([3, 5])),
    ("average rent in may", MONTH == 5),
])
def test_may_is_a_month_like_others(question: str, rows: pd.Series) -> None:
    assert answer_of(question) == pytest.approx(FLATS.rent[rows].mean())


def test_what_may_be_is_no_month() -> None:
    assert answer_of("how many flats may have 3 rooms") == (FLATS.rooms == 3).sum()


@pytest.mark.parametrize("question", ["total rent per year from 2022", "total rent by year from 2022",
                                      "total rent for each year 2022 to now"])
def test_along_time_from_is_since(question: str) -> None:
    assert list(answer_of(question)) == [FLATS.rent[LET == year].sum() for year in (2022, 2023, 2024)]


@pytest.mark.parametrize("question", ["mean rent of flats with different rooms", "mean rent for various rooms"])
def test_different_ones_are_groups(question: str) -> None:
    assert answer_of(question).to_dict() == FLATS.groupby("rooms").rent.mean().to_dict()


@pytest.mark.parametrize("question", [
    "does a higher rent mean a lower production budget?", "does more rent lead to a higher production budget",
    "does a bigger rent correlate with a lower production budget?"])
def test_more_of_one_and_less_of_the_other_is_a_correlation(question: str) -> None:
    amount = reply_to(question)["plan"]["amounts"][0]
    assert amount["name"] == "correlation of rent and production_budget"


@pytest.mark.parametrize("question, wanted", [
    ("mean prod budget", "production"), ("mean imbd rating", "imdb"), ("mean prodcution budget", "production")])
def test_what_was_shortened_or_mistyped_is_said(question: str, wanted: str) -> None:
    assert any(note.startswith("took") and f'for "{wanted}"' in note for note in reply_to(question)["assumed"])


def test_a_mean_of_what_adds_up_to_nothing_is_of_each_kind() -> None:
    flats = pd.concat([FLATS, FLATS, FLATS], ignore_index=True)
    wanted = flats.groupby("rooms").imdb_rating.mean()
    assert answer_of("average rating per rooms", flats).to_dict() == pytest.approx(wanted.to_dict())
