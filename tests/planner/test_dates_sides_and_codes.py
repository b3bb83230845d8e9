"""The first and the last date, what was before and after one, and columns whose names are short
for what they are or hold codes such as NO2. Each answer is worked out by hand."""

import numpy as np
import pandas as pd
import pytest
import checker
from asked import outcome_of
from bench_client import ask

RNG = np.random.default_rng(29)
N = 600
LISTED = pd.Timestamp("2022-01-03") + pd.to_timedelta(RNG.integers(0, 700, N), unit="D")
assert pd.Timestamp("2022-06-12") in LISTED  # a day that is asked for
SOLD = pd.Series(LISTED + pd.to_timedelta(RNG.integers(5, 90, N), unit="D")).mask(
    RNG.random(N) < 0.15
)
HOMES = pd.DataFrame(
    {
        "ref": np.arange(N) + 1,
        "district": RNG.choice(["North", "South", "Harbour"], N),
        "agent": RNG.choice(["Ann Novak", "Lea Brandt", "Tom Reyes"], N),
        "list_date": LISTED,
        "sale_date": SOLD,
        "ask_eur": RNG.permutation(N) * 500.0 + 90000,
        "sold_eur": pd.Series(RNG.permutation(N) * 480.0 + 88000).mask(SOLD.isna()),
        "year_built": RNG.integers(1890, 2020, N),
    }
)

STATIONS = pd.DataFrame(
    {
        "station": RNG.choice(["Mill Lane", "Ring Road", "Elm Grove"], N),
        "obs_date": pd.Timestamp("2023-06-01") + pd.to_timedelta(RNG.integers(0, 400, N), "D"),
        "NO2_ugm3": RNG.permutation(N) / 10 + 5,
        "PM2.5 (ug/m3)": RNG.permutation(N) / 20 + 2,
        "wind_ms": RNG.permutation(N) / 50,
    }
)

LAB = pd.DataFrame(
    {
        "sample_id": np.arange(N) + 1,
        "instr": RNG.choice(["ICP-1", "ICP-2"], N, p=[0.4, 0.6]),
        "matrix": RNG.choice(["groundwater", "drinking water"], N),
        "analyte": RNG.choice(["nitrate", "lead"], N),
        "rcvd_date": pd.Timestamp("2024-01-01") + pd.to_timedelta(RNG.integers(0, 300, N), "D"),
        "rptd_date": pd.Timestamp("2024-02-01") + pd.to_timedelta(RNG.integers(0, 300, N), "D"),
        "result_ug_l": RNG.permutation(N) / 7,
        "spike_rec_pct": RNG.permutation(N) / 10 + 60,
    }
)
FRAMES = {"homes": HOMES, "readings": STATIONS, "samples": LAB}


def groups_of(question: str, name: str) -> pd.Series:
    return outcome_of(question, **{name: FRAMES[name]}).names["result"]


def answer_of(question: str, name: str) -> object:
    return outcome_of(question, **{name: FRAMES[name]}).names["answer"]


# --- the first and the last ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "question, name, wanted",
    [
        ("date of our first listing", "homes", LISTED.min()),
        ("when did we sell the last one?", "homes", SOLD.max()),
        ("when was the latest sale?", "homes", SOLD.max()),
        ("when was the oldest building built?", "homes", HOMES.year_built.min()),
        ("date of the most recent report", "samples", LAB.rptd_date.max()),
        ("when was the earliest sample received?", "samples", LAB.rcvd_date.min()),
        ("when does the data start?", "readings", STATIONS.obs_date.min()),
        (
            "when did Elm Grove stop reporting?",
            "readings",
            STATIONS.obs_date[STATIONS.station == "Elm Grove"].max(),
        ),
    ],
)
def test_when_is_of_the_date_that_is_told(question: str, name: str, wanted: object) -> None:
    assert answer_of(question, name) == wanted


def test_dates_of_groups_are_a_table_and_no_bars() -> None:
    outcome = outcome_of("first obs date of every station", readings=FRAMES["readings"])
    wanted = STATIONS.groupby("station").obs_date.min()
    assert dict(outcome.names["result"]) == dict(wanted)
    assert outcome.figure is None


@pytest.mark.parametrize(
    "question",
    ["how many homes were sold in March 2023?", "number of homes sold in March 2023"],
)
def test_a_sale_is_when_something_is_sold(question: str) -> None:
    wanted = int((SOLD.dt.to_period("M") == "2023-03").sum())
    assert answer_of(question, "homes") == wanted


def test_a_part_of_a_date_that_is_named_is_that_part() -> None:
    wanted = HOMES.groupby(SOLD.dt.year).sold_eur.mean()
    got = groups_of("average sale price by year of sale", "homes")
    assert list(got) == pytest.approx(list(wanted))


# --- before and after ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    [
        "mean asking price before and after 12 June 2022",
        "mean asking price before vs after 12 June 2022",
        "mean asking price before 12 June 2022 and after",
        "compare the mean asking price before and since 2022-06-12",
    ],
)
def test_the_day_itself_is_after(question: str) -> None:
    is_before = pd.Series(LISTED < pd.Timestamp("2022-06-12"))
    got = dict(groups_of(question, "homes"))
    assert got == pytest.approx(
        {"before": HOMES.ask_eur[is_before].mean(), "after": HOMES.ask_eur[~is_before].mean()}
    )


@pytest.mark.parametrize("move", ["improve", "drop", "change"])
def test_a_change_after_a_day_is_against_what_was_before(move: str) -> None:
    is_before = LAB.rcvd_date < "2024-05-01"
    got = dict(groups_of(f"did the mean result {move} after 1 May 2024?", "samples"))
    assert got == pytest.approx(
        {
            "before": LAB.result_ug_l[is_before].mean(),
            "after": LAB.result_ug_l[~is_before].mean(),
        }
    )


# --- how many each has, and which of two --------------------------------------------------------


@pytest.mark.parametrize(
    "question, name, keys",
    [
        ("homes per agent on average", "homes", HOMES.agent),
        ("samples per month on average?", "samples", LAB.rcvd_date.dt.to_period("M")),
        (
            "how many samples do we get a month on average?",
            "samples",
            LAB.rcvd_date.dt.to_period("M"),
        ),
    ],
)
def test_on_average_at_the_end_is_the_mean_of_the_groups(
    question: str, name: str, keys: pd.Series
) -> None:
    assert answer_of(question, name) == pytest.approx(FRAMES[name].groupby(keys).size().mean())


def test_which_of_two_gets_more() -> None:
    got = groups_of("ICP-1 or ICP-2, which one gets more work?", "samples")
    assert dict(got) == dict(LAB.instr.value_counts())


def test_a_cell_that_is_higher_is_of_what_is_measured() -> None:
    of = LAB[LAB.analyte == "nitrate"]
    got = groups_of("is nitrate higher in groundwater than in drinking water?", "samples")
    assert dict(got) == pytest.approx(dict(of.groupby("matrix").result_ug_l.mean()))


def test_a_part_of_a_name_is_no_slip_of_another_word() -> None:
    of = HOMES[HOMES.agent.isin(["Tom Reyes", "Lea Brandt"])]
    got = groups_of("compare Reyes and Brandt on asking price", "homes")
    assert dict(got) == pytest.approx(dict(of.groupby("agent").ask_eur.mean()))


# --- names that are short, and codes ------------------------------------------------------------


def test_a_word_that_only_one_name_is_short_for() -> None:
    reply = ask("mean recovery per instrument", {"samples": LAB})
    assert reply["outcome"] == "answered", reply["message"]
    assert any("spike_rec_pct" in said for said in reply["assumed"])
    got = checker.run(reply["code"], {"samples": LAB.copy()}).names["result"]
    assert dict(got) == pytest.approx(dict(LAB.groupby("instr").spike_rec_pct.mean()))


def test_a_code_is_a_number_of_the_table_and_no_key() -> None:
    wanted = int(((STATIONS.NO2_ugm3 > 40) & (STATIONS.wind_ms > 5)).sum())
    assert answer_of("how many readings had NO2 over 40 and wind over 5?", "readings") == wanted


def test_a_count_is_not_the_digit_of_a_code() -> None:
    got = outcome_of("two highest NO2 readings at each station", readings=FRAMES["readings"]).value
    wanted = STATIONS.sort_values("NO2_ugm3", ascending=False).groupby("station").head(2)
    assert sorted(got.NO2_ugm3) == sorted(wanted.NO2_ugm3)


def test_so_much_in_so_much_is_not_added_up() -> None:
    wanted = STATIONS.groupby("station")["PM2.5 (ug/m3)"].mean()
    got = groups_of("PM2.5 by station", "readings")
    assert dict(got) == pytest.approx(dict(wanted))


@pytest.mark.parametrize(
    "question, column",
    [
        ("the most expensive home sold in Harbour", "sold_eur"),
        ("the most expensive home in Harbour", "ask_eur"),
    ],
)
def test_what_is_dear_is_by_the_money_that_is_spoken_of(question: str, column: str) -> None:
    reply = ask(question, {"homes": HOMES})
    assert reply["outcome"] == "answered", reply["message"]
    assert any(column in said for said in reply["assumed"])
    got = checker.run(reply["code"], {"homes": HOMES.copy()}).value
    assert list(got[column]) == [HOMES[HOMES.district == "Harbour"][column].max()]
