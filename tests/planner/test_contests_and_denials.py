"""Two groups against each other, what is not so, what is missing, how two numbers go together;
and things under names that are not the columns'. Each answer is worked out by hand."""

import numpy as np
import pandas as pd
import pytest
import checker
from bench_client import ask

RNG = np.random.default_rng(23)
N = 500
RECEIVED = pd.Timestamp("2023-01-02") + pd.to_timedelta(RNG.integers(0, 720, N), unit="D")
TAKEN = RNG.integers(1, 40, N)
JOBS = pd.DataFrame(
    {
        "job_id": np.arange(N) + 1,
        "region": RNG.choice(["North", "South", "Germany", "France"], N),
        "priority": RNG.choice(["rush", "routine"], N),
        "listed": RNG.choice([True, False], N),
        "method": RNG.choice(["EPA 200.8", "EPA 300.0", "EPA 6020"], N),
        "rcvd_date": RECEIVED,
        "rptd_date": pd.Series(RECEIVED + pd.to_timedelta(TAKEN, unit="D")).mask(
            RNG.random(N) < 0.2
        ),
        "amount_eur": RNG.permutation(N) * 7.0 + 20,
        "empl_fte": RNG.integers(3, 90, N),
        "garden_m2": pd.Series(RNG.integers(0, 4, N) * 50.0).mask(RNG.random(N) < 0.1),
        "rooms": pd.Series(RNG.integers(1, 7, N) * 1.0).mask(RNG.random(N) < 0.1),
        "year_built": RNG.integers(1900, 2020, N),
    }
)
DAYS = (JOBS.rptd_date - JOBS.rcvd_date).dt.days
SUMMER = JOBS.rcvd_date.dt.month.isin([6, 7, 8])

FLIGHTS = pd.DataFrame(
    {
        "flight_no": RNG.choice(["KL 12", "KL 14", "BA 3", "BA 9"], N),
        "airline": RNG.choice(["KLM", "BA"], N),
        "delay_min": RNG.integers(-10, 90, N),
        "std": pd.date_range("2024-01-01", periods=N, freq="7h"),
    }
)


def outcome_of(question: str, frame: pd.DataFrame = JOBS, name: str = "jobs") -> checker.Outcome:
    reply = ask(question, {name: frame})
    assert reply["outcome"] == "answered", reply["message"]
    return checker.run(reply["code"], {name: frame.copy()})


def groups_of(question: str) -> pd.Series:
    return outcome_of(question).names["result"]


def answer_of(question: str, frame: pd.DataFrame = JOBS, name: str = "jobs") -> object:
    return outcome_of(question, frame, name).names["answer"]


# --- contests -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    [
        "are rush jobs really faster than routine ones?",
        "do rush jobs take longer than routine ones?",
        "how much longer do routine jobs take than rush jobs?",
    ],
)
def test_faster_is_the_time_between_two_dates(question: str) -> None:
    wanted = DAYS.groupby(JOBS.priority).mean()
    assert dict(groups_of(question)) == pytest.approx(dict(wanted))


@pytest.mark.parametrize(
    "question, reduce",
    [
        ("how much more amount did the South have than the North?", "sum"),
        ("how much larger is the amount in the South than in the North on average?", "mean"),
        ("is the amount larger in the South than in the North?", "mean"),
        ("who has more amount, South or North?", "mean"),
    ],
)
def test_of_two_regions(question: str, reduce: str) -> None:
    wanted = JOBS[JOBS.region.isin(["North", "South"])].groupby("region").amount_eur.agg(reduce)
    assert dict(groups_of(question)) == pytest.approx(dict(wanted))


def test_how_much_more_is_a_difference() -> None:
    printed = outcome_of("how much more amount did the South have than the North?").printed
    sums = JOBS.groupby("region").amount_eur.sum()
    assert format(abs(sums.South - sums.North), ",.2f") in printed.replace("-", "")


@pytest.mark.parametrize(
    "question",
    [
        "is the amount higher in summer?",
        "how much higher is the amount in summer than in the rest of the year?",
    ],
)
def test_some_days_against_all_others(question: str) -> None:
    wanted = JOBS.groupby(SUMMER).amount_eur.mean()
    assert sorted(groups_of(question)) == pytest.approx(sorted(wanted))


def test_summer_against_winter() -> None:
    seasons = JOBS.rcvd_date.dt.month.map(lambda m: {0: "winter", 2: "summer"}.get(m % 12 // 3))
    wanted = JOBS.groupby(seasons).amount_eur.mean()
    assert dict(groups_of("is the amount higher in summer than in winter?")) == pytest.approx(
        dict(wanted)
    )


def test_in_terms_of() -> None:
    wanted = JOBS[JOBS.region.isin(["Germany", "France"])].groupby("region").empl_fte.mean()
    result = groups_of("are German jobs bigger than French ones in terms of employees?")
    assert dict(result) == pytest.approx(dict(wanted))


# --- what is not so -----------------------------------------------------------------------------


def test_unlisted_is_not_listed() -> None:
    assert answer_of("how many jobs are unlisted?") == (~JOBS.listed).sum()
    assert answer_of("mean amount of unlisted jobs") == pytest.approx(
        JOBS[~JOBS.listed].amount_eur.mean()
    )


@pytest.mark.parametrize(
    "question", ["how many jobs are unreported?", "how many jobs haven't been reported yet?"]
)
def test_unreported_has_no_such_date(question: str) -> None:
    assert answer_of(question) == JOBS.rptd_date.isna().sum()


def test_a_word_of_its_own_is_not_taken_apart() -> None:
    frame = JOBS.assign(state=RNG.choice(["unlisted", "known"], N)).drop(columns="listed")
    assert answer_of("how many jobs are unlisted?", frame) == (frame.state == "unlisted").sum()


# --- what is missing ----------------------------------------------------------------------------


def test_one_or_the_other_is_missing() -> None:
    wanted = (JOBS.rooms.isna() | JOBS.garden_m2.isna()).sum()
    assert answer_of("how many jobs lack the rooms or the garden?") == wanted


def test_none_of_an_amount_is_nought_and_that_is_said() -> None:
    reply = ask("how many jobs have no garden?", {"jobs": JOBS})
    assert any("for 0, and not for missing values" in said for said in reply["assumed"])
    assert answer_of("how many jobs have no garden?") == (JOBS.garden_m2 == 0).sum()


def test_the_most_missing_come_first() -> None:
    outcome = outcome_of("which column has the most missing values?")
    assert list(outcome.value.missing) == sorted(JOBS.isna().sum(), reverse=True)
    assert "Most missing values: rptd_date (" in outcome.printed


# --- two numbers --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    [
        "does the amount depend on the year built?",
        "is there a connection between the year built and the amount?",
    ],
)
def test_what_depends_on_what_is_a_correlation(question: str) -> None:
    assert answer_of(question) == pytest.approx(JOBS.amount_eur.corr(JOBS.year_built))


def test_the_first_word_of_two_names() -> None:
    logs = pd.DataFrame({"resp_ms": RNG.integers(1, 900, 50), "size_kb": RNG.random(50) * 90})
    result = answer_of("correlation between response size and response time", logs, "logs")
    assert result == pytest.approx(logs.resp_ms.corr(logs.size_kb))


# --- against one's own group --------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    [
        "how many jobs have an amount above their own region's average?",
        "how many jobs are above their own region's average amount?",
    ],
)
def test_above_the_mean_of_ones_own_group(question: str) -> None:
    means = JOBS.groupby("region").amount_eur.transform("mean")
    assert answer_of(question) == (JOBS.amount_eur > means).sum()


# --- names --------------------------------------------------------------------------------------


def test_flights_are_rows_though_their_number_comes_again() -> None:
    wanted = FLIGHTS.airline.value_counts()
    result = outcome_of("flights per airline", FLIGHTS, "departures").names["result"]
    assert dict(result) == dict(wanted)
    assert answer_of("how many flights are there?", FLIGHTS, "departures") == N


def test_flight_numbers_are_not_rows() -> None:
    assert answer_of("how many different flight numbers are there?", FLIGHTS, "departures") == 4


def test_a_word_and_a_number_is_a_name() -> None:
    result = groups_of("number of jobs by method")
    assert dict(result) == dict(JOBS.method.value_counts())
    assert ask("mean method", {"jobs": JOBS})["outcome"] == "refused"


@pytest.mark.parametrize(
    "question",
    ["which regions are covered?", "names of the regions", "give me the names of all regions"],
)
def test_the_values_of_a_column(question: str) -> None:
    assert set(outcome_of(question).names["result"].index) == set(JOBS.region)


@pytest.mark.parametrize("word", ["employees", "headcount", "staff", "workforce"])
def test_people_under_other_names(word: str) -> None:
    assert answer_of(f"median {word}") == JOBS.empl_fte.median()


def test_work_orders_are_rows() -> None:
    frame = pd.DataFrame(
        {"work_order_no": np.arange(90) + 70_000, "branch": RNG.choice(["A", "B"], 90)}
    )
    result = outcome_of("work orders by branch", frame, "repairs").names["result"]
    assert dict(result) == dict(frame.branch.value_counts())


# --- groups of so many --------------------------------------------------------------------------

TICKETS = pd.DataFrame(
    {
        "ticket": np.arange(60) + 1,
        "opened": pd.date_range("2024-01-01", periods=60, freq="17h"),
        "customer": RNG.choice([f"C{i}" for i in range(40)], 60),
        "branch": RNG.choice(["East", "West", "Mid"], 60),
        "cnx": RNG.choice(["Y", "N"], 60),
    }
)
SIZES = TICKETS.customer.value_counts()


@pytest.mark.parametrize(
    "question, wanted",
    [
        ("how many customers opened only one ticket?", (SIZES == 1).sum()),
        ("how many customers opened more than one ticket?", (SIZES > 1).sum()),
        (
            "how many customers have come to more than one branch?",
            (TICKETS.groupby("customer").branch.nunique() > 1).sum(),
        ),
    ],
)
def test_how_many_have_so_many(question: str, wanted: int) -> None:
    assert answer_of(question, TICKETS, "tickets") == wanted


def test_one_ticket_is_no_number_of_a_ticket() -> None:
    result = outcome_of("customers with more than one ticket", TICKETS, "tickets").names["result"]
    assert dict(result) == dict(SIZES[SIZES > 1])


def test_days_with_so_many_of_a_kind() -> None:
    result = outcome_of("days with two or more cancellations", TICKETS, "tickets").names["result"]
    days = TICKETS[TICKETS.cnx == "Y"].opened.dt.normalize().value_counts()
    assert sorted(result) == sorted(days[days >= 2])


# --- how long -----------------------------------------------------------------------------------

READINGS = pd.DataFrame(
    {
        "id": np.arange(80),
        "station": RNG.choice(["Ash", "Birch"], 80),
        "obs_date": pd.date_range("2024-01-01", periods=80),
        "ratified_on": pd.date_range("2024-01-01", periods=80)
        + pd.to_timedelta(RNG.integers(5, 60, 80), unit="D"),
        "level": RNG.random(80),
    }
)
LAG = (READINGS.ratified_on - READINGS.obs_date).dt.days


@pytest.mark.parametrize(
    "question, wanted",
    [
        ("how long does it take until a reading is ratified, on average?", LAG.mean()),
        ("median days from observation to ratification", LAG.median()),
        ("longest ratification delay", LAG.max()),
    ],
)
def test_lags_under_other_names(question: str, wanted: float) -> None:
    assert answer_of(question, READINGS, "readings") == pytest.approx(wanted)
