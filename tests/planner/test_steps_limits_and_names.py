"""From one row to the next and from one month to the next, the nth, what the top have of all,
what came of a plan, bands with units, charts of rows, and names that are short or large. Each
answer is worked out by hand."""

import numpy as np
import pandas as pd
import pytest
from asked import outcome_of
from bench_client import ask

RNG = np.random.default_rng(41)
N = 640
DAY_IN = pd.Timestamp("2023-01-02") + pd.to_timedelta(RNG.integers(0, 600, N), unit="D")
STAY = RNG.integers(3, 160, N)
IS_SOLD = RNG.random(N) < 0.8
DAY_SOLD = pd.Series(DAY_IN + pd.to_timedelta(STAY, unit="D")).where(IS_SOLD)
LIST = RNG.permutation(N) * 50.0 + 4000
CARS = pd.DataFrame(
    {
        "StkNo": [f"U{20000 + i}" for i in range(N)],
        "Make": RNG.choice(["Ford", "Skoda", "Fiat", "Seat"], N, p=[0.4, 0.3, 0.2, 0.1]),
        "Model": RNG.choice(["A", "B", "C", "D", "E"], N),
        "Yr": RNG.integers(2008, 2023, N),
        "Odo_mi": RNG.permutation(N) * 200 + 900,
        "DateIn": DAY_IN,
        "ListPrice_USD": LIST,
        "Sold": np.where(IS_SOLD, "Y", "N"),
        "DateSold": DAY_SOLD,
        "SalePrice_USD": pd.Series(LIST + RNG.integers(-4, 3, N) * 100).where(IS_SOLD),
        "DOL": STAY,
    }
)
SALES = CARS[IS_SOLD]

RUNS = pd.DataFrame(
    {
        "RunNo": np.arange(N) + 1,
        "Press": RNG.choice(["P1", "P2", "P3"], N),
        "RunDate": pd.Timestamp("2024-01-01") + pd.to_timedelta(RNG.integers(0, 360, N), "D"),
        "Qty_Total": RNG.integers(200, 900, N),
        "Scrap_pcs": RNG.integers(0, 40, N),
        "DT_min": RNG.permutation(N) % 90,
        "MainDefect": RNG.choice(["burr", "crack", "dent"], N),
        "Clerk": [f"C{i:02}" for i in RNG.integers(0, 25, N)],
    }
)

PUPILS = pd.DataFrame(
    {
        "Adm_No": np.arange(N) + 7000,
        "Yr_Grp": [f"Y{y}" for y in RNG.integers(7, 12, N)],
        "Country": RNG.choice(["United States", "United Kingdom", "Kenya"], N),
        "Pay_Method": RNG.choice(["Cash", "Card"], N),
        "Billing": RNG.choice(["annual", "monthly"], N),
        "CoPay_USD": RNG.permutation(N) / 8,
        "Area_m2": RNG.permutation(N) + 20,
        "Dist_Home_km": RNG.permutation(N) / 50,
        "Yield kg": RNG.permutation(N) * 3.0,
        "Price EUR/kg": RNG.permutation(N) / 100 + 1,
    }
)
FRAMES = {"cars": CARS, "runs": RUNS, "pupils": PUPILS}


def groups_of(question: str, name: str) -> pd.Series:
    return outcome_of(question, **{name: FRAMES[name]}).names["result"]


def answer_of(question: str, name: str) -> object:
    return outcome_of(question, **{name: FRAMES[name]}).names["answer"]


def rows_of(question: str, name: str) -> pd.DataFrame:
    return outcome_of(question, **{name: FRAMES[name]}).value


# --- from one row to the next -------------------------------------------------------------------


@pytest.mark.parametrize(
    "question, name, wanted",
    [
        (
            "how many days lie between two runs of the same clerk on average?",
            "runs",
            RUNS.sort_values("RunDate").groupby("Clerk").RunDate.diff().dt.days.mean(),
        ),
        (
            "how many days pass between one run and the next of the same clerk, on average?",
            "runs",
            RUNS.sort_values("RunDate").groupby("Clerk").RunDate.diff().dt.days.mean(),
        ),
        (
            "longest stretch of days without a single sale",
            "cars",
            DAY_SOLD.dropna().sort_values().diff().dt.days.max(),
        ),
        (
            "longest gap between two sales",
            "cars",
            DAY_SOLD.dropna().sort_values().diff().dt.days.max(),
        ),
        (
            "average number of days between one crack and the next",
            "runs",
            RUNS[RUNS.MainDefect == "crack"].RunDate.sort_values().diff().dt.days.mean(),
        ),
    ],
)
def test_gaps_are_between_rows_that_follow_one_another(question, name, wanted) -> None:
    assert answer_of(question, name) == pytest.approx(wanted)


# --- from one month to the next -----------------------------------------------------------------

PER_MONTH = SALES.groupby(SALES.DateSold.dt.to_period("M")).SalePrice_USD.sum()


@pytest.mark.parametrize(
    "question, is_down",
    [
        ("which month had the biggest increase in revenue over the month before?", False),
        ("which month saw the biggest jump in revenue compared to the previous month", False),
        ("in which month did revenue fall the most compared with the month before?", True),
        ("when did revenue fall the most from one month to the next?", True),
        ("biggest month over month drop in revenue", True),
    ],
)
def test_the_largest_step_is_one_of_the_months(question: str, is_down: bool) -> None:
    steps = PER_MONTH.diff().dropna()
    wanted = steps.idxmin() if is_down else steps.idxmax()
    result = groups_of(question, "cars")
    assert list(result.index) == [wanted]
    assert result.iloc[0] == pytest.approx(steps[wanted])


# --- places, and what the top have --------------------------------------------------------------


@pytest.mark.parametrize(
    "question, place",
    [("which make is the second most common?", 1), ("what is the third most common make?", 2)],
)
def test_a_place_is_one_group(question: str, place: int) -> None:
    counts = CARS.Make.value_counts()
    result = groups_of(question, "cars")
    assert list(result.index) == [counts.index[place]]
    assert result.iloc[0] == counts.iloc[place]


def test_a_place_that_nobody_has_is_empty() -> None:
    assert groups_of("which make is the ninth most common?", "cars").empty


def test_a_place_is_one_row() -> None:
    rows = rows_of("the second highest list price", "cars")
    assert list(rows.ListPrice_USD) == [sorted(LIST)[-2]]


@pytest.mark.parametrize(
    "question, wanted",
    [
        (
            "how much of the total scrap comes from the biggest 10% of runs?",
            RUNS.Scrap_pcs.nlargest(64).sum() / RUNS.Scrap_pcs.sum(),
        ),
        (
            "what share of total scrap fell on the 10 busiest clerks?",
            RUNS.groupby("Clerk").Scrap_pcs.sum().nlargest(10).sum() / RUNS.Scrap_pcs.sum(),
        ),
        (
            "what percentage of runs is down to our ten most active clerks",
            RUNS.Clerk.value_counts().head(10).sum() / N,
        ),
    ],
)
def test_the_top_have_a_share_of_all(question: str, wanted: float) -> None:
    assert groups_of(question, "runs") == pytest.approx(100 * wanted)


# --- what came of a plan, and rates of counts ---------------------------------------------------


@pytest.mark.parametrize(
    "question, wanted",
    [
        (
            "how many cars sold above list price?",
            SALES.SalePrice_USD > SALES.ListPrice_USD,
        ),
        ("how many cars sold below list price?", SALES.SalePrice_USD < SALES.ListPrice_USD),
    ],
)
def test_a_plan_is_held_against_what_came_of_it(question: str, wanted: pd.Series) -> None:
    assert answer_of(question, "cars") == wanted.sum()


def test_a_rate_of_what_is_counted_is_of_all_that_were_made() -> None:
    sums = RUNS.groupby("Press")[["Scrap_pcs", "Qty_Total"]].sum()
    result = groups_of("scrap rate per press", "runs")
    assert dict(result) == pytest.approx(dict(100 * sums.Scrap_pcs / sums.Qty_Total))


def test_above_the_average_of_their_own_group() -> None:
    own = CARS.groupby("Make").ListPrice_USD.transform("mean")
    wanted = (CARS.ListPrice_USD > own).sum()
    question = "how many cars have a list price above the average of their make?"
    assert answer_of(question, "cars") == wanted


def test_the_time_of_a_sale_is_when_it_was_sold() -> None:
    wanted = ((SALES.Make == "Ford") & (SALES.DateSold.dt.to_period("Q") == "2023Q3")).sum()
    assert answer_of("Ford sales in Q3 2023", "cars") == wanted
    assert answer_of("What's our total sales revenue?", "cars") == SALES.SalePrice_USD.sum()


# --- bands, units and charts of rows ------------------------------------------------------------


def test_bands_may_differ_in_their_units() -> None:
    question = "cars by days on lot: up to 2 weeks, 15-30 days, more than 30 days"
    result = groups_of(question, "cars")
    assert list(result) == [
        (STAY <= 14).sum(),
        ((STAY > 14) & (STAY <= 30)).sum(),
        (STAY > 30).sum(),
    ]


@pytest.mark.parametrize(
    "question, name, wanted",
    [
        ("how many cars have over 100,000 miles on them", "cars", (CARS.Odo_mi > 100000).sum()),
        ("average days on lot", "cars", STAY.mean()),
        ("average downtime of a run", "runs", RUNS.DT_min.mean()),
        ("how many live more than 8 km away", "pupils", (PUPILS.Dist_Home_km > 8).sum()),
        (
            "how many have between 100 and 200 square metres",
            "pupils",
            PUPILS.Area_m2.between(100, 200).sum(),
        ),
        ("total kg", "pupils", PUPILS["Yield kg"].sum()),
        ("mean price per kg", "pupils", PUPILS["Price EUR/kg"].mean()),
        ("average copay", "pupils", PUPILS.CoPay_USD.mean()),
    ],
)
def test_units_and_short_names_say_which_column(question, name, wanted) -> None:
    assert answer_of(question, name) == pytest.approx(wanted)


def test_worth_is_price_by_the_unit_that_it_is_of() -> None:
    wanted = (PUPILS["Price EUR/kg"] * PUPILS["Yield kg"]).groupby(PUPILS.Country).sum()
    assert dict(groups_of("revenue by country", "pupils")) == pytest.approx(dict(wanted))


def test_a_chart_of_rows_has_their_conditions() -> None:
    figure = outcome_of("histogram of days on lot for sold cars", cars=FRAMES["cars"]).figure
    assert sum(bar.get_height() for bar in figure.axes[0].patches) == IS_SOLD.sum()
    figure = outcome_of("boxplot of price by billing", pupils=FRAMES["pupils"]).figure
    assert [t.get_text() for t in figure.axes[0].get_xticklabels()] == ["annual", "monthly"]
    figure = outcome_of("scatter plot of list price against sale price", cars=FRAMES["cars"]).figure
    assert len(figure.axes[0].collections[0].get_offsets()) == IS_SOLD.sum()


# --- values that are said otherwise -------------------------------------------------------------


@pytest.mark.parametrize(
    "question, wanted",
    [
        ("how many are in year 9?", PUPILS.Yr_Grp == "Y9"),
        ("how many pupils were paid in cash?", PUPILS.Pay_Method == "Cash"),
        ("how many pupils are in the US?", PUPILS.Country == "United States"),
        ("number of pupils with annual billing", PUPILS.Billing == "annual"),
    ],
)
def test_values_that_are_said_with_a_word_more(question: str, wanted: pd.Series) -> None:
    assert answer_of(question, "pupils") == wanted.sum()


def test_a_name_in_capitals_is_never_passed_over() -> None:
    reply = ask("how many pupils are from IT?", {"pupils": PUPILS})
    assert reply["outcome"] == "refused"
    assert "IT" in reply["not_understood"]


def test_a_row_is_found_by_its_key() -> None:
    rows = rows_of("show me car U20017", "cars")
    assert list(rows.StkNo) == ["U20017"]


def test_both_groups_that_are_counted_are_shown() -> None:
    result = groups_of("how many Fords and how many Skodas", "cars")
    assert dict(result) == {k: (CARS.Make == k).sum() for k in ("Ford", "Skoda")}
