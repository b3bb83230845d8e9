"""Bands that a question lists, gaps between rows, the same months of two years, groups without a
single row of a kind, the numbers of days: the answers are worked out here."""

from __future__ import annotations

import bench_client
import matplotlib.pyplot as plt
import pandas as pd
import pytest

LOANS = pd.DataFrame({
    "loan_id": range(1, 11),
    "member": ["Ann", "Ann", "Ann", "Bo", "Bo", "Cy", "Cy", "Cy", "Dee", "Dee"],
    "lent_on": pd.to_datetime([
        "2023-01-02", "2023-01-12", "2023-03-01", "2023-02-01", "2024-02-11",
        "2024-01-05", "2024-01-05", "2024-06-30", "2024-09-07", "2024-09-08"]),
    "returned_on": pd.to_datetime([
        "2023-01-03", "2023-01-15", "2023-03-11", "2023-02-02", None,
        "2024-01-12", "2024-01-06", "2024-07-10", "2024-09-10", "2024-09-09"]),
    "pages": [100, 200, 201, 350, 400, 401, 90, 200, 500, 40],
    "fine_eur": [0, 1.5, 3, 0, None, 2, 0, 4, 1, 0],
    "lost": ["no", "no", "yes", "no", "no", "yes", "no", "no", "no", "no"],
    "café": ["Aral", "Aral", "São Bento", "Aral", "Aral", "São Bento", "Aral", "Aral", None, "Aral"],
})

METERS = pd.DataFrame({
    "site": ["A", "A", "A", "A", "B", "B", "B", "B"],
    "read_on": pd.to_datetime(["2024-01-31", "2024-02-29", "2024-03-31", "2024-04-30"] * 2),
    "kWh": [10.0, 20, 30, 40, 1, 2, None, 4],
})


def answered(question: str, **frames: pd.DataFrame):
    reply = bench_client.ask(question, frames)
    assert reply["outcome"] == "answered", reply["message"]
    names: dict = {**{name: frame.copy() for name, frame in frames.items()}, "__name__": "cell"}
    exec(reply["code"], names)
    plt.close("all")
    return names.get("answer", names.get("result")), reply


@pytest.mark.parametrize("question, wanted", [
    ("number of loans by pages: under 200, 200 to 400, over 400",
     {"under 200": 3, "200 to 400": 5, "over 400": 2}),
    ("number of loans by pages: up to 200, 200 to 400, over 400",
     {"up to 200": 5, "200 to 400": 3, "over 400": 2}),
    ("number of loans by pages: 1-200, 201-400, 401+",
     {"1-200": 5, "201-400": 3, "401+": 2}),
    ("mean fine for pages under 200, 200-400 and over 400",
     {"under 200": 0.0, "200-400": 8.5 / 4, "over 400": 1.5}),
    ("number of loans by page band: under 200, 200-400 and longer",
     {"under 200": 3, "200-400": 5, "400 and longer": 2}),
])
def test_bands_have_the_ends_that_are_listed(question: str, wanted: dict) -> None:
    result, _ = answered(question, loans=LOANS)
    assert {str(key): value for key, value in result.items()} == pytest.approx(wanted)


def test_bands_in_another_unit_than_the_column_has() -> None:
    parcels = pd.DataFrame({"parcel_id": range(5), "weight_g": [500, 1000, 1001, 4999, 9000]})
    result, _ = answered("number of parcels by weight: up to 1 kg, 1 to 5 kg, over 5 kg", parcels=parcels)
    assert dict(result) == {"up to 1 kg": 2, "1 to 5 kg": 2, "over 5 kg": 1}


@pytest.mark.parametrize("question", [
    "number of sales by price: under 50k, 50-100k, 100-250k, 250k+",
    "how many sales came to less than 50k euros, 50k up to 100k euros, 100k to 250k euros, 250k or more?",
])
def test_both_ends_of_a_band_are_thousands(question: str) -> None:
    sales = pd.DataFrame({"sale_id": range(6), "year": [2020] * 6,
                          "price_eur": [49_999, 50_000, 99_000, 100_000, 250_000, 900_000]})
    result, _ = answered(question, sales=sales)
    assert list(result) == [1, 2, 1, 2]


def test_an_end_that_is_in_neither_band_is_said() -> None:
    _, reply = answered("mean pages by fine_eur: under 1, 1 to 3, over 3", loans=LOANS)
    assert any("exactly 3" in said for said in reply["assumed"])


def test_bands_that_do_not_meet_are_not_guessed() -> None:
    reply = bench_client.ask("number of loans by pages: under 100, 200 to 300, over 400", {"loans": LOANS})
    assert reply["outcome"] == "refused"


@pytest.mark.parametrize("question, wanted", [
    ("average days between two loans of the same member", (10 + 48 + 375 + 0 + 177 + 1) / 6),
    ("median number of days between consecutive loans by the same member", 29.0),
    ("average hours between two loans of the same member", 24 * (10 + 48 + 375 + 0 + 177 + 1) / 6),
])
def test_the_time_from_one_row_to_the_next(question: str, wanted: float) -> None:
    result, _ = answered(question, loans=LOANS)
    assert result == pytest.approx(wanted)


@pytest.mark.parametrize("question, wanted", [
    ("total pages in the first half of 2024 versus the first half of 2023", {2023: 851, 2024: 1091}),
    ("total pages in January 2023 versus January 2024", {2023: 300, 2024: 491}),
    ("total pages January to March 2024 compared to January to March 2023", {2023: 851, 2024: 891}),
    ("compare Q1 2023 with Q1 2024 by total pages", {2023: 851, 2024: 891}),
])
def test_the_same_months_of_two_years(question: str, wanted: dict) -> None:
    result, _ = answered(question, loans=LOANS)
    assert dict(result) == wanted


def test_other_months_of_the_second_year_are_not_compared() -> None:
    reply = bench_client.ask("total pages in Q1 2023 versus Q2 2024", {"loans": LOANS})
    assert reply["outcome"] == "refused"


def test_a_season_beside_two_periods_that_are_not_of_it_is_refused() -> None:
    reply = bench_client.ask("winter: July to September 2024 against July to September 2023, total pages",
                             {"loans": LOANS})
    assert reply["outcome"] == "refused" and "winter" in reply["message"]


def test_change_in_percent_of_two_years(capsys: pytest.CaptureFixture[str]) -> None:
    answered("percent change in number of loans, 2024 vs 2023", loans=LOANS)
    assert "Change from 2023 to 2024: 50.00 %" in capsys.readouterr().out


@pytest.mark.parametrize("question", ["members that were never lost", "which members have never lost?",
                                      "members who have never lost a book"])
def test_groups_without_a_single_row_of_a_kind(question: str) -> None:
    result, _ = answered(question, loans=LOANS)
    assert set(result.index) == {"Bo", "Dee"}


def test_a_group_without_a_cell_is_one_without_any() -> None:
    result, reply = answered("which café has no fine?", loans=LOANS)
    assert not len(result)
    assert any("single row" in said for said in reply["assumed"])


def test_how_many_have_never() -> None:
    result, _ = answered("how many members were never lost?", loans=LOANS)
    assert result == 2


def test_a_day_without_numbers_has_no_sum() -> None:
    result, _ = answered("average monthly kWh of site B", meters=METERS)
    assert result == pytest.approx(7 / 3)
    result, _ = answered("median monthly kWh by site", meters=METERS)
    assert dict(result) == {"A": 25.0, "B": 2.0}


@pytest.mark.parametrize("word", ["energy", "output", "production", "kwh"])
def test_kwh_is_a_word(word: str) -> None:
    result, _ = answered(f"total {word} by site", meters=METERS)
    assert dict(result) == {"A": 100.0, "B": 7.0}


@pytest.mark.parametrize("question, wanted", [
    ("rolling 3 month total of kWh", [63.0, 96.0]),
    ("rolling sum of kWh over 3 months", [63.0, 96.0]),
    ("3 month rolling average of total kWh", [21.0, 32.0]),
])
def test_rolling_sums_and_means(question: str, wanted: list) -> None:
    result, _ = answered(question, meters=METERS)
    assert list(result) == pytest.approx(wanted)


@pytest.mark.parametrize("question", ["number of loans by cafe", "number of loans by Café"])
def test_accents_are_no_other_letters(question: str) -> None:
    result, _ = answered(question, loans=LOANS)
    assert dict(result) == {"Aral": 7, "São Bento": 2}


def test_values_without_their_accents() -> None:
    result, _ = answered("total pages of Sao Bento", loans=LOANS)
    assert result == 602


@pytest.mark.parametrize("question, wanted", [
    ("how much was claimed in total?", 60.0),
    ("how much was claimed in Rome?", 30.0),
    ("total claimed", 60.0),
    ("how many claims were there?", 3),
    ("total claims", 3),
])
def test_what_was_claimed_is_worth_something(question: str, wanted: float) -> None:
    claims = pd.DataFrame({"claim_no": range(3), "city": ["Rome", "Oslo", "Bern"],
                           "amount": [30.0, 20, 10]})
    result, _ = answered(question, claims=claims)
    assert result == wanted


def test_customers_with_so_many_rows_or_more() -> None:
    result, _ = answered("how many members brought in three or more loans?", loans=LOANS)
    assert result == 2


CALLS = pd.DataFrame({
    "call_id": range(1, 9),
    "called_at": pd.to_datetime(["2024-03-01 05:59", "2024-03-01 06:00", "2024-03-01 09:00", "2024-03-02 12:30",
                                 "2024-03-02 17:00", "2024-04-03 20:00", "2024-04-03 21:59", "2024-04-04 22:00"]),
    "seconds": [10, 20, 30, 40, 50, 60, 70, 80],
    "clicks": [1, 2, 3, 4, 5, 6, 7, 8],
    "team": ["red"] * 4 + ["blue"] * 4,
    "urgent": ["yes", "no", "no", "yes", "no", "no", "no", "yes"],
    "forecast": [1.0, 2, 3, 4, 5, 6, 7, 8],
})


@pytest.mark.parametrize("question, wanted", [
    ("how many calls between 22:00 and 6:00?", 2),
    ("how many calls between 9 and 17 o'clock?", 2),
    ("how many calls from 8 to 10 pm?", 2),
    ("how many calls after 8 pm?", 3),
    ("how many calls before 6:00?", 1),
])
def test_times_of_the_day(question: str, wanted: int) -> None:
    result, _ = answered(question, calls=CALLS)
    assert result == wanted


def test_half_hours_are_not_rounded() -> None:
    assert bench_client.ask("how many calls after 8:30 pm?", {"calls": CALLS})["outcome"] == "refused"


@pytest.mark.parametrize("question, wanted", [
    ("seconds per 1000 clicks", 1000 * 360 / 36),
    ("seconds per thousand clicks", 1000 * 360 / 36),
    ("how many calls have more clicks than average?", 4),
    ("how many calls have fewer clicks than average?", 4),
    ("standard deviation of the number of clicks", CALLS.clicks.std()),
    ("average forecast", 4.5),
    ("how many calls were longer than 1 minute?", 2),
    ("mean clicks for anything other than red", 6.5),
])
def test_plain_words_of_analysts(question: str, wanted: float) -> None:
    result, _ = answered(question, calls=CALLS)
    assert result == pytest.approx(wanted)


def test_the_smallest_and_the_largest(capsys: pytest.CaptureFixture[str]) -> None:
    answered("smallest and largest number of clicks", calls=CALLS)
    lines = capsys.readouterr().out
    assert "Lowest clicks: 1" in lines and "Highest clicks: 8" in lines


def test_some_against_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    answered("difference in mean clicks between urgent and other calls", calls=CALLS)
    assert "0.27" in capsys.readouterr().out  # 13 / 3 against 23 / 5


def test_groups_with_so_many_of_a_kind() -> None:
    result, _ = answered("teams with more than 1 urgent calls", calls=CALLS)
    assert dict(result) == {"red": 2}
    result, _ = answered("teams where more than 40 percent of calls are urgent", calls=CALLS)
    assert list(result.index) == ["red"]


def test_new_rows_of_a_month() -> None:
    result, reply = answered("new calls per month", calls=CALLS)
    assert [int(number) for number in result] == [5, 3]
    assert any('"new"' in said for said in reply["assumed"])


@pytest.mark.parametrize("question, column", [("what did we produce in March 2024?", "kWh"),
                                              ("which site produces the most?", "kWh")])
def test_verbs_of_a_measure_are_no_filler(question: str, column: str) -> None:
    _, reply = answered(question, meters=METERS)
    assert column in reply["code"]
    drawn, _ = answered("can you produce a bar chart of kWh by site", meters=METERS)
    assert dict(drawn) == {"A": 100.0, "B": 7.0}


@pytest.mark.parametrize("question, wanted", [
    ("what share of all clicks do the top 2 calls have?", 100 * 15 / 36),
    ("what share of clicks comes from the top 1 teams?", 100 * 26 / 36),
    ("what share of clicks comes from the top 25% of calls?", 100 * 15 / 36),
    ("what share of clicks comes from the top 25 percent of calls?", 100 * 15 / 36),
    ("what percentage of total clicks comes from the top 50 % of teams?", 100 * 26 / 36),
])
def test_what_the_largest_have_of_all(question: str, wanted: float) -> None:
    result, _ = answered(question, calls=CALLS)
    assert result == pytest.approx(wanted)


@pytest.mark.parametrize("question, wanted", [
    ("top 25% of calls by clicks", [8, 7]),
    ("the 25 % smallest calls by clicks", [1, 2]),
    ("top 25 percent of calls by clicks", [8, 7]),
    ("top 3 calls by clicks", [8, 7, 6]),
])
def test_the_top_so_many_percent(question: str, wanted: list) -> None:
    reply = bench_client.ask(question, {"calls": CALLS})
    names: dict = {"calls": CALLS, "__name__": "cell"}
    *before, last = reply["code"].rstrip().split("\n")
    exec("\n".join(before), names)
    assert list(eval(last, names).call_id) == wanted


def test_the_top_so_many_percent_of_groups() -> None:
    result, _ = answered("top 50% of teams by total clicks", calls=CALLS)
    assert dict(result) == {"blue": 26}


@pytest.mark.parametrize("question, wanted", [
    ("share of rated stays with 4 or 5 stars", 100 * 3 / 4),
    ("how many stays have 4 or 5 stars?", 3),
    ("how many rated stays are there?", 4),
])
def test_rows_that_are_rated_and_two_numbers(question: str, wanted: float) -> None:
    stays = pd.DataFrame({"stay_id": range(6), "stars": [4, 5, None, 2, None, 5.0]})
    result, reply = answered(question, stays=stays)
    assert result == pytest.approx(wanted)
    assert reply["code"].count("notna") <= 1


def test_whether_some_do_something_more_often_than_others() -> None:
    result, reply = answered("do urgent calls fail more often than others?",
                             calls=CALLS.assign(failed=["yes", "no"] * 4))
    assert {str(key): value for key, value in result.items()} == pytest.approx(
        {"no": 100 * 3 / 5, "yes": 100 / 3})
    assert any("share" in said for said in reply["assumed"])


LEASES = pd.DataFrame({
    "lease_no": range(1, 6),
    "LeaseStart": pd.to_datetime(["2022-02-01", "2022-12-31", "2023-01-01", "2023-05-01", "2024-01-01"]),
    "listed_on": pd.to_datetime(["2021-12-01", "2022-12-01", "2022-12-05", "2023-01-01", "2023-01-02"]),
    "RentMonthly": ["EUR 650", "1,200.00 €", "700.50 €", "EUR 450", None],
    "size_m2": [60, 101, 70, 45, 120],
    "late_payments": [0, 2, 1, 3, 0],
    "city": ["Halle", "Halle", "Erfurt", "Erfurt", "Erfurt"],
})


@pytest.mark.parametrize("question, wanted", [
    ("what's the average rent", 3000.5 / 4),
    ("cheapest rent", 450),
    ("how many leases began in 2022?", 2),
    ("nr of leases in this export", 5),
    ("how many leases over 100 m2?", 2),
    ("pct of leases with late payments at least twice", 40.0),
])
def test_an_export_as_it_comes(question: str, wanted: float) -> None:
    result, _ = answered(question, leases=LEASES)
    assert result == pytest.approx(wanted)


def test_amounts_of_two_currencies_are_not_added_up() -> None:
    mixed = LEASES.assign(RentMonthly=["EUR 650", "1,200.00 $", "700.50 €", "EUR 450", None])
    reply = bench_client.ask("average rent", {"leases": mixed})
    assert reply["outcome"] == "refused" and "does not contain numbers" in reply["message"]


@pytest.mark.parametrize("question", ["heatmap of mean clicks, weekday x team", "heatmap weekday vs team, mean clicks",
                                      "heatmap weekday by team with the average clicks"])
def test_the_axes_of_a_heatmap(question: str) -> None:
    result, _ = answered(question, calls=CALLS)
    assert list(result.index) == ["Wednesday", "Thursday", "Friday", "Saturday"]
    assert set(result.columns) == {"red", "blue"}


@pytest.mark.parametrize("first", ["seconds per 1000 clicks by team", "top 50% of teams by total clicks",
                                   "number of calls by seconds: under 30, 30 to 60, over 60"])
def test_what_follows_does_not_lose_a_part_of_the_answer_before(first: str) -> None:
    before = bench_client.ask(first, {"calls": CALLS})["plan"]
    reply = bench_client.ask("only urgent calls", {"calls": CALLS}, [before])
    assert reply["outcome"] == "answered", reply["message"]
    kept = {"seconds per 1000 clicks by team": "1000", "top 50% of teams by total clicks": "* 50 / 100",
            "number of calls by seconds: under 30, 30 to 60, over 60": "pd.cut"}[first]
    assert kept in reply["code"] and "urgent" in reply["code"]
