"""Rows that begin and end, some of them not yet: what has happened to them, what was so on a day,
how long it lasted; and words that a column's name says in another form. Each answer is worked out
by hand."""

import numpy as np
import pandas as pd
import pytest
from asked import outcome_of
from bench_client import ask, profile_of

RNG = np.random.default_rng(4711)
N = 700


def days(low: int, high: int) -> pd.Series:
    return pd.Series(pd.to_timedelta(RNG.integers(low, high, N), unit="D"))


START = pd.Timestamp("2022-01-03") + days(0, 1000)
END = (START + days(10, 700)).where(RNG.random(N) < 0.6)
FEE = pd.Series(RNG.permutation(N) / 4 + 5)
CONTRACTS = pd.DataFrame(
    {
        "contract_no": [f"C{i + 900}" for i in range(N)],
        "Tier": RNG.choice(["Basic", "Team", "Pro"], N),
        "Region": RNG.choice(["North", "South"], N),
        "StartDt": START,
        "CancelDt": END.dt.strftime("%Y-%m-%d"),
        "Fee": FEE,
    }
)
LASTED = (END - START).dt.days

LISTED = pd.Timestamp("2023-01-02") + days(0, 600)
SOLD = (LISTED + days(3, 120)).where(RNG.random(N) < 0.7)
CARS = pd.DataFrame(
    {
        "StockNo": [f"U{i + 500}" for i in range(N)],
        "Make": RNG.choice(["Ford", "Kia", "Tesla"], N, p=[0.5, 0.3, 0.2]),
        "Branch": RNG.choice(["Harbour", "Northgate"], N),
        "ListedOn": LISTED,
        "SoldOn": SOLD.dt.strftime("%Y-%m-%d"),
    }
)
IS_SOLD = SOLD.notna()

SENT = pd.Timestamp("2023-02-01") + pd.Series(
    pd.to_timedelta(RNG.choice(500_000, N, replace=False), unit="m")
)
ATTEND = pd.Series(RNG.integers(30, 101, N))
MARK = pd.Series(RNG.integers(20, 100, N))
WORK = pd.DataFrame(
    {
        "StudentRef": [f"S{i}" for i in RNG.integers(0, 200, N)],
        "SentAt": SENT,
        "Course": RNG.choice(["Ethics", "Logic", "Latin"], N),
        "Mode": RNG.choice(["online", "on campus", "hybrid"], N),
        "Term": RNG.choice([1, 2, 3], N),
        "State": RNG.choice(["On hold", "Marked"], N),
        "Country": RNG.choice(["DE", "NO", "PL"], N),
        "Move": RNG.choice(["IN", "OUT"], N),
        "ItemCode": RNG.choice(["A1", "B2", "C3"], N),
        "Qty": RNG.integers(1, 40, N),
        "BinLoc": RNG.choice(["A-01", "A-02", "B-01", "B-07", "C-03"], N),
        "AttendPct": ATTEND,
        "Mark": MARK,
        "FeeEUR": [f"EUR {v:.2f}" if i % 23 == 3 else f"{v:.2f}" for i, v in enumerate(FEE)],
    }
)

HIRED = pd.Timestamp("2018-02-01") + days(0, 1500)
GONE = (HIRED + days(30, 900)).where(RNG.random(N) < 0.5)
GONE[0] = pd.Timestamp(
    "2023-05-28"
)  # "May" is a month in full, and none that others are written like
ABSENT = pd.Series(RNG.integers(0, 40, N) / 2).where(RNG.random(N) > 0.1)
BONUS = pd.Series(RNG.integers(0, 21, N))
STAFF = pd.DataFrame(
    {
        "EmpNo": [f"E{i + 10_000}" for i in range(N)],
        "Dept": RNG.choice(["Sales", "Legal"], N),
        "HireDate": HIRED,
        "LeftDt": GONE.dt.strftime("%d-%b-%Y"),
        "abs_days": ABSENT,
        "bonus_pct": BONUS,
        "base_sal": MARK * 500,
    }
)

BEGUN = pd.Timestamp("2024-01-01") + pd.Series(pd.to_timedelta(RNG.integers(0, 500_000, N), "m"))
OVER = BEGUN + pd.Series(pd.to_timedelta(RNG.integers(1, 90, N), unit="m"))
MINUTES = (OVER - BEGUN).dt.total_seconds() / 60
STOPS = pd.DataFrame(
    {
        "StopID": [f"ST{i + 100}" for i in range(N)],
        "Line": RNG.choice(["L1", "L2", "L3"], N),
        "StartTS": BEGUN,
        "EndTS": OVER,
        "ScrapPcs": RNG.integers(0, 30, N),
    }
)

STAYS = pd.DataFrame(
    {
        "BookingRef": [f"HF{i + 2000}" for i in range(N)],
        "Channel": RNG.choice(["Direct", "Agency"], N),
        "Pers": RNG.integers(1, 7, N),
        "TotalPrice": [f"€{v:,.2f}" if i % 4 else f"{v:.2f}" for i, v in enumerate(FEE * 40)],
    }
)

BILLS = pd.DataFrame({"seen_at": BEGUN, "bill_eur": FEE, "kind": RNG.choice(["cat", "dog"], N)})

FRAMES = {
    "bills": BILLS,
    "contracts": CONTRACTS,
    "cars": CARS,
    "work": WORK,
    "staff": STAFF,
    "stops": STOPS,
    "stays": STAYS,
}


def as_of(day: str, start: pd.Series, end: pd.Series) -> pd.Series:
    """Which rows have begun on that day or before, and not ended."""
    return (start <= day) & ~(end <= day)


def named(question: str, name: str) -> dict:
    return outcome_of(question, **{name: FRAMES[name]}).names


@pytest.mark.parametrize(
    "question, name, wanted",
    [
        # What has happened.
        ("how many Fords have we sold?", "cars", (IS_SOLD & (CARS.Make == "Ford")).sum()),
        ("number of sales", "cars", IS_SOLD.sum()),
        ("how many sales in 2023", "cars", (SOLD.dt.year == 2023).sum()),
        ("number of cars listed but not sold", "cars", (~IS_SOLD).sum()),
        (
            "contracts in the North cancelled 2023, number",
            "contracts",
            ((END.dt.year == 2023) & (CONTRACTS.Region == "North")).sum(),
        ),
        # What was so on a day.
        (
            "how many cars were unsold at the end of 2023",
            "cars",
            as_of("2023-12-31", LISTED, SOLD).sum(),
        ),
        (
            "how many cars were unsold on 1 July 2023",
            "cars",
            as_of("2023-07-01", LISTED, SOLD).sum(),
        ),
        (
            "how many cars were unsold at the end of Q2 2023",
            "cars",
            as_of("2023-06-30", LISTED, SOLD).sum(),
        ),
        (
            "how many cars were unsold at the beginning of 2024",
            "cars",
            as_of("2023-12-31", LISTED, SOLD).sum(),
        ),
        (
            "number of active contracts as of 1 May 2024",
            "contracts",
            as_of("2024-05-01", START, END).sum(),
        ),
        (
            "how many contracts in the South were active at the end of March 2023?",
            "contracts",
            (as_of("2023-03-31", START, END) & (CONTRACTS.Region == "South")).sum(),
        ),
        # How long.
        ("how many days do cancelled contracts last on average", "contracts", LASTED.mean()),
        (
            "for the contracts that were cancelled, how many days did they typically last?",
            "contracts",
            LASTED.mean(),
        ),
        ("median lifetime of cancelled contracts in days", "contracts", LASTED.median()),
        # Words that a column's name says in another form, and words of the grammar's that are a value.
        ("average attendance", "work", ATTEND.mean()),
        ("how many are on hold right now", "work", (WORK.State == "On hold").sum()),
        ("number of rows from Germany", "work", (WORK.Country == "DE").sum()),
        ("how many Polish ones are there", "work", (WORK.Country == "PL").sum()),
        ("average mark of the outgoing ones", "work", MARK[WORK.Move == "OUT"].mean()),
        # Dates as text, of which the first does not tell how the others are written.
        ("how many of the staff left in 2022", "staff", (GONE.dt.year == 2022).sum()),
        ("headcount as of 31 December 2020", "staff", as_of("2020-12-31", HIRED, GONE).sum()),
        # One row, by what it is called.
        ("what is the base salary of E10017?", "staff", STAFF.base_sal[17]),
        ("base salary of employee e10017", "staff", STAFF.base_sal[17]),
        ("average mark of student S7", "work", MARK[WORK.StudentRef == "S7"].mean()),
        # None of them is nought, where that is a number of days.
        ("how many of the staff had no absence at all?", "staff", (ABSENT == 0).sum()),
        ("avg bonus %", "staff", BONUS.mean()),
        # Minutes, where days would be small fractions; all of them.
        ("how long does a stop last on average?", "stops", MINUTES.mean()),
        ("how many hours of downtime did L3 have", "stops", MINUTES[STOPS.Line == "L3"].sum() / 60),
        ("how many stops were shorter than 5 minutes?", "stops", (MINUTES < 5).sum()),
        ("how many stoppages are there", "stops", N),
        ("how many bins are in use?", "work", 5),
        # Bills are counted, though a column has what they amount to.
        ("how many bills are there", "bills", N),
        ("how many bills over 100 euros", "bills", (FEE > 100).sum()),
        (
            "average number of bills per month",
            "bills",
            BEGUN.dt.to_period("M").value_counts().mean(),
        ),
        # The one price is the revenue, and "per" is not its persons.
        ("total revenue", "stays", (FEE * 40).round(2).sum()),
    ],
)
def test_the_number_is_right(question, name, wanted):
    names = named(question, name)
    assert float(names.get("answer", names.get("result"))) == pytest.approx(wanted)


def of_month(when: pd.Series, amount: pd.Series) -> list[float]:
    return list(amount.groupby(when.dt.to_period("M")).sum())


@pytest.mark.parametrize(
    "question, name, wanted",
    [
        ("which makes do we sell?", "cars", CARS[IS_SOLD].groupby("Make").size().to_dict()),
        ("which make was sold most", "cars", CARS[IS_SOLD].groupby("Make").size().to_dict()),
        ("sales by branch", "cars", CARS[IS_SOLD].groupby("Branch").size().to_dict()),
        ("cars sold by branch", "cars", CARS[IS_SOLD].groupby("Branch").size().to_dict()),
        ("which tier lasts longest", "contracts", LASTED.groupby(CONTRACTS.Tier).mean().to_dict()),
        ("attendance by course, average", "work", ATTEND.groupby(WORK.Course).mean().to_dict()),
        # Two months or days against each other.
        (
            "were there more entries in March than in April?",
            "work",
            SENT.dt.month_name().value_counts()[["March", "April"]].to_dict(),
        ),
        (
            "is there more quantity on Mondays than on Fridays?",
            "work",
            WORK.Qty.groupby(SENT.dt.day_name()).sum()[["Monday", "Friday"]].to_dict(),
        ),
        (
            "items by outgoing quantity",
            "work",
            WORK[WORK.Move == "OUT"].groupby("ItemCode").Qty.sum().to_dict(),
        ),
        ("median mark per term", "work", MARK.groupby(WORK.Term).median().to_dict()),
        (
            "median mark, online and on campus",
            "work",
            MARK.groupby(WORK.Mode).median().drop("hybrid").to_dict(),
        ),
        ("which course costs the most", "work", FEE.groupby(WORK.Course).mean().to_dict()),
        ("avg bonus % by department", "staff", BONUS.groupby(STAFF.Dept).mean().to_dict()),
        ("bookings per channel", "stays", STAYS.groupby("Channel").size().to_dict()),
        ("revenue by channel", "stays", (FEE * 40).round(2).groupby(STAYS.Channel).sum().to_dict()),
        (
            "total hours of downtime for each line",
            "stops",
            (MINUTES.groupby(STOPS.Line).sum() / 60).to_dict(),
        ),
        ("scrapped pieces per line", "stops", STOPS.groupby("Line").ScrapPcs.sum().to_dict()),
    ],
)
def test_each_group_has_its_number(question, name, wanted):
    found = named(question, name)["result"].to_dict()
    assert found == pytest.approx(wanted)


@pytest.mark.parametrize(
    "question, name, wanted",
    [
        ("sales per month", "cars", of_month(SOLD, pd.Series(1, SOLD.index))),
        ("cars sold month by month", "cars", of_month(SOLD, pd.Series(1, SOLD.index))),
        ("plot the fee by month as a line", "work", of_month(SENT, FEE)),
    ],
)
def test_each_month_has_its_number(question, name, wanted):
    assert list(named(question, name)["result"]) == pytest.approx(wanted)


def test_the_best_of_each_group_are_counted():
    sold = CARS[IS_SOLD].groupby(["Branch", "Make"]).size()
    best = sold.groupby(level=0, group_keys=False).nlargest(1).to_dict()
    for question in ["best-selling make at each branch", "make with the most sales at each branch"]:
        assert named(question, "cars")["result"].to_dict() == best, question


def test_a_heatmap_counts_where_nothing_else_is_named():
    counted = named("heatmap of contracts, tier by region", "contracts")["result"]
    wanted = CONTRACTS.groupby(["Tier", "Region"]).size()
    assert counted.stack().sort_index().tolist() == wanted.tolist()


@pytest.mark.parametrize(
    "question", ["which contract was the last?", "average fee of the last 3 months"]
)
def test_what_is_last_does_not_last(question):
    answer = ask(question, {"contracts": CONTRACTS})
    assert "CancelDt" not in answer["code"], answer["code"]


def test_months_are_no_number_of_rows():
    question = "who was absent for more than 5 days in the past 12 months?"
    assert ".head(12)" not in ask(question, {"staff": STAFF})["code"]


def test_when_is_asked_of_one_row():
    assert named("when was E10017 hired?", "staff")["answer"] == HIRED[17]


def test_a_code_is_none_where_nothing_is_written_so():
    assert ask("base salary of EX-10017", {"staff": STAFF})["outcome"] == "refused"


def test_digits_are_a_code_behind_what_is_called_so():
    orders = pd.DataFrame({"order_no": [str(i + 10_000) for i in range(N)], "amount": FEE * 100})
    one = outcome_of("amount of order 10017", orders=orders).names["answer"]
    assert one == pytest.approx(orders.amount[17])
    above = outcome_of("how many orders above 10000", orders=orders).names["answer"]
    assert above == (orders.amount > 10_000).sum()


def test_all_rows_are_shown_that_are_asked_for():
    shown = outcome_of("show me all stops on L2", stops=STOPS).value
    assert len(shown) == (STOPS.Line == "L2").sum()
    assert len(outcome_of("show me the data", stops=STOPS).value) == 20


def test_a_day_without_a_state_is_when_it_happened():
    answer = ask("how many cars were listed on 1 July 2023", {"cars": CARS})
    assert answer["plan"]["filters"][0]["column"] == "ListedOn"
    assert profile_of({"cars": CARS})["frames"][0]["rows"] == N
