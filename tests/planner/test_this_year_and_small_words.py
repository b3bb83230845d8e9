"""This month, this year and the one before; values that are small words or verbs; of which rows a
share is. Each answer is worked out by hand."""

import numpy as np
import pandas as pd
import pytest
from asked import outcome_of
from bench_client import ask

RNG = np.random.default_rng(31)
N = 480


def days(first: str, within: int) -> pd.Series:
    return pd.Series(pd.Timestamp(first) + pd.to_timedelta(RNG.integers(0, within, N), unit="D"))


INVOICES = pd.DataFrame({
    "Invoice No": [f"INV-{n}" for n in range(N)], "Customer": RNG.choice(["Cobalt", "Mercado", "Nordwind"], N),
    "Sector": RNG.choice(["IT", "Retail", "Health Care"], N), "Country": RNG.choice(["Germany", "France", "US"], N),
    "Issue Date": days("2022-01-03", 1080), "Net Amt (EUR)": RNG.gamma(2, 900, N).round(2), "Qty": RNG.integers(1, 40, N),
    "Pmt Method": RNG.choice(["Bank Transfer", "Credit Card"], N), "Disputed": RNG.random(N) < 0.2})
OPENED = days("2024-01-02", 400) + pd.to_timedelta(RNG.integers(0, 86400, N), unit="s")
CALLS = pd.DataFrame({
    "call_id": range(N), "queue": RNG.choice(["billing", "returns", "sales"], N), "agent": RNG.choice(["Mei", "Olu", "Tom"], N),
    "issue_desc": RNG.choice(["refund", "double charge"], N), "opened_at": OPENED,
    "closed_at": OPENED + pd.to_timedelta(RNG.integers(300, 9000, N), unit="s"),
    "wait_s": RNG.integers(1, 500, N), "talk_min": RNG.gamma(3, 4, N).round(1), "escalated": RNG.choice(["Y", "N"], N, p=[.2, .8])})
APPLIED = days("2023-01-02", 800)
CANDIDATES = pd.DataFrame({
    "cand_id": [f"C{n}" for n in range(N)], "dept": RNG.choice(["Sales", "Finance"], N),
    "job_title": RNG.choice(["Data Engineer", "Accountant"], N), "stage": RNG.choice(["Applied", "Offer", "Hired", "Rejected"], N),
    "applied_dt": APPLIED, "decision_dt": (APPLIED + pd.to_timedelta(RNG.integers(5, 90, N), unit="D")).mask(RNG.random(N) < .2)})
FRAMES = {"invoices": INVOICES, "calls": CALLS, "candidates": CANDIDATES}
AMOUNT, ISSUED = INVOICES["Net Amt (EUR)"], INVOICES["Issue Date"]
YEAR, MONTH = ISSUED.dt.year, ISSUED.dt.to_period("M")
OF_YEAR = CANDIDATES.applied_dt.dt.year
DAYS = (CANDIDATES.decision_dt - CANDIDATES.applied_dt).dt.days


@pytest.mark.parametrize("question, name, wanted", [
    ("net amount this month", "invoices", AMOUNT[MONTH == MONTH.max()].sum()),
    ("net amount this year", "invoices", AMOUNT[YEAR == YEAR.max()].sum()),
    ("net amount so far this year", "invoices", AMOUNT[YEAR == YEAR.max()].sum()),
    ("year to date net amount", "invoices", AMOUNT[YEAR == YEAR.max()].sum()),
    ("net amount in the current month", "invoices", AMOUNT[MONTH == MONTH.max()].sum()),
    ("how many invoices this year", "invoices", (YEAR == YEAR.max()).sum()),
    ("how many candidates applied in 2024", "candidates", (OF_YEAR == 2024).sum()),
    ("how many candidates applied this year", "candidates", (OF_YEAR == OF_YEAR.max()).sum()),
    ("how many candidates applied for a job title that contains engineer", "candidates",
     CANDIDATES.job_title.str.contains("Engineer").sum()),
    ("total net amount for it customers", "invoices", AMOUNT[INVOICES.Sector == "IT"].sum()),
    ("total net amount in the it sector", "invoices", AMOUNT[INVOICES.Sector == "IT"].sum()),
    ("how many us invoices were disputed", "invoices", (INVOICES.Disputed & (INVOICES.Country == "US")).sum()),
    ("average wait for returns", "calls", CALLS.wait_s[CALLS.queue == "returns"].mean()),
    ("how many calls in the returns queue", "calls", (CALLS.queue == "returns").sum()),
    ("average talk time excluding sales and returns", "calls", CALLS.talk_min[CALLS.queue == "billing"].mean()),
    ("average wait for either billing or sales", "calls", CALLS.wait_s[CALLS.queue != "returns"].mean()),
    ("how many calls waited more than 5 minutes", "calls", (CALLS.wait_s > 300).sum()),
    ("how many calls had a wait of less than a minute", "calls", (CALLS.wait_s < 60).sum()),
    ("what percentage of calls waited less than a minute", "calls", 100 * (CALLS.wait_s < 60).mean()),
    ("how many days on average from application to decision", "candidates", DAYS.mean()),
    ("how many candidates waited more than 60 days for a decision", "candidates", (DAYS > 60).sum()),
    ("what percentage of net amount in germany was paid by bank transfer", "invoices",
     100 * AMOUNT[(INVOICES.Country == "Germany") & (INVOICES["Pmt Method"] == "Bank Transfer")].sum()
     / AMOUNT[INVOICES.Country == "Germany"].sum()),
])
def test_one_number(question: str, name: str, wanted: float) -> None:
    outcome = outcome_of(question, **{name: FRAMES[name]})
    assert outcome.names.get("answer", outcome.value) == pytest.approx(wanted)


@pytest.mark.parametrize("question, name, groups, numbers", [
    ("net amount this year vs last year", "invoices", YEAR, AMOUNT),
    ("net amount this month vs last month", "invoices", MONTH, AMOUNT),
    ("net amount this quarter compared to last quarter", "invoices", ISSUED.dt.to_period("Q"), AMOUNT),
    ("offers this year vs last year", "candidates", OF_YEAR, (CANDIDATES.stage == "Offer").astype(int)),
])
def test_this_period_and_the_one_before(question: str, name: str, groups: pd.Series, numbers: pd.Series) -> None:
    result = outcome_of(question, **{name: FRAMES[name]}).names["result"]
    assert result.to_dict() == pytest.approx(numbers.groupby(groups).sum().sort_index()[-2:].to_dict())


def test_what_this_means_is_said() -> None:
    reply = ask("net amount this month", {"invoices": INVOICES})
    assert "took the month of the last date in Issue Date" in reply["assumed"]


def test_a_value_that_is_a_verb_is_one_of_two() -> None:
    outcome = outcome_of("bar chart of number of calls by issue, only billing and returns", calls=CALLS)
    wanted = CALLS[CALLS.queue != "sales"].groupby("issue_desc").size()
    assert outcome.names["result"].to_dict() == wanted.to_dict()


def test_us_is_no_country_where_one_is_asked_to_show() -> None:
    outcome = outcome_of("show us invoices over 4000 euros", invoices=INVOICES)
    assert len(outcome.value) == (AMOUNT > 4000).sum()


def test_a_share_of_all_such_rows_adds_up() -> None:
    result = outcome_of("what share of all escalated calls did each agent have", calls=CALLS).names["result"]
    wanted = CALLS[CALLS.escalated == "Y"].groupby("agent").size()
    assert result.to_dict() == wanted.to_dict()


def test_a_share_that_has_what_few_have() -> None:
    some = INVOICES.assign(**{"promo code": pd.Series(["SPRING", "FRIEND"] * (N // 2)).where(RNG.random(N) < .2)})
    outcome = outcome_of("what share of invoices used a promo code?", invoices=some)
    assert outcome.names["answer"] == pytest.approx(100 * some["promo code"].notna().mean())


def test_numbers_beyond_any_period_are_refused() -> None:
    assert ask("net amount in the last 99999999999 days", {"invoices": INVOICES})["outcome"] == "refused"


@pytest.mark.parametrize("question", [
    "difference in median net amt between disputed and undisputed invoices", "compare net amt",
])
def test_one_side_is_no_comparison(question: str) -> None:
    assert ask(question, {"invoices": INVOICES})["outcome"] == "refused"


def test_a_rolling_mean_is_of_the_days_that_have_one() -> None:
    few = CALLS[CALLS.opened_at.dt.day % 3 > 0]
    result = outcome_of("7 day rolling average of wait time", calls=few).names["result"]
    daily = few.groupby(few.opened_at.dt.to_period("D")).wait_s.mean()
    daily = daily.reindex(pd.period_range(daily.index.min(), daily.index.max()))
    wanted = pd.Series({day: daily[at - 6:at + 1].mean() for at, day in enumerate(daily.index) if at >= 6}).dropna()
    assert result.to_dict() == pytest.approx(wanted.to_dict())
