"""What is asked in other words: times of the day in a column of their own, how long until what a
verb says, bounds before their number, rows of one kind by rows of another, shares of those who
did something once, short names, names of cells that are names of columns. Each answer is worked
out by hand."""

import numpy as np
import pandas as pd
import pytest
from asked import outcome_of
from bench_client import ask, profile_of

RNG = np.random.default_rng(52)
N = 720


def dates(first: str, days: int) -> pd.Series:
    return pd.Series(pd.Timestamp(first) + pd.to_timedelta(RNG.integers(0, days, N), unit="D"))


ISSUED = dates("2023-01-02", 540)
IS_PAID = pd.Series(RNG.random(N) < 0.8)
PAID = (ISSUED + pd.to_timedelta(RNG.integers(1, 60, N), unit="D")).where(IS_PAID)
HOUR, MINUTE = RNG.integers(6, 22, N), RNG.integers(0, 60, N)
TICKETS = pd.DataFrame(
    {
        "Ticket #": [f"T{23000 + i}" for i in range(N)],
        "Issue Date": ISSUED.dt.strftime("%m/%d/%Y"),
        "Issue Time": [f"{h:02}:{m:02}" for h, m in zip(HOUR, MINUTE)],
        "District": RNG.choice(["Harbor", "Downtown", "West End"], N),
        "Fine Amt ($)": RNG.permutation(N) / 4 + 20,
        "Date Paid": PAID.dt.strftime("%m/%d/%Y"),
        "Appealed (Y/N)": RNG.choice(["Y", "N"], N, p=[0.2, 0.8]),
    }
)
IS_APPEALED = TICKETS["Appealed (Y/N)"] == "Y"
DAYS_TO_PAY = (PAID - ISSUED).dt.days

POSTED = dates("2023-07-01", 500)
IS_ANSWERED = pd.Series(RNG.random(N) < 0.55)
ANSWERED = (POSTED + pd.to_timedelta(RNG.integers(0, 21, N), unit="D")).where(IS_ANSWERED)
REVIEWS = pd.DataFrame(
    {
        "Review_ID": [f"rv{880000 + i}" for i in range(N)],
        "App": RNG.choice(["Larkbank", "Lark Kids", "SplitLark"], N),
        "Store": RNG.choice(["Google Play", "App Store", "AppGallery"], N),
        "Posted": POSTED.dt.strftime("%Y-%m-%d"),
        "Stars": RNG.integers(1, 6, N),
        "App Ver": RNG.choice(["4.6.0", "4.8.1", "5.0.2", None], N),
        "Len_chars": RNG.permutation(N) + 10,
        "Dev Reply Date": ANSWERED.dt.strftime("%d-%b-%Y"),
        "Reply Agent": pd.Series(RNG.choice(["Luis", "Priya"], N)).where(IS_ANSWERED),
    }
)
WAITED = (ANSWERED - POSTED).dt.days

ENROLMENTS = pd.DataFrame(
    {
        "EnrID": [f"E{30000 + i}" for i in range(N)],
        "StudNo": [f"S{i:03}" for i in RNG.integers(0, 300, N)],
        "CrsCode": RNG.choice(["MA1", "BI1", "PS1"], N),
        "Attend_%": RNG.integers(20, 100, N),
        "Delivery": RNG.choice(["Online", "Hybrid", None], N, p=[0.5, 0.4, 0.1]),
        "Mark": RNG.permutation(N) / 8,
        "Outcome": RNG.choice(["Pass", "Fail", "Withdrawn"], N, p=[0.6, 0.3, 0.1]),
    }
)
FAILED, PASSED = ENROLMENTS.Outcome == "Fail", ENROLMENTS.Outcome == "Pass"
FAILS = FAILED.groupby(ENROLMENTS.StudNo).sum()

QUAKES = pd.DataFrame(
    {
        "EventID": [f"Q{i:05}" for i in range(N)],
        "Origin_UTC": dates("2021-01-01", 900) + pd.to_timedelta(RNG.integers(0, 1440, N), "min"),
        "Depth_km": RNG.permutation(N) / 10,
        "Mag": np.round(RNG.uniform(1.5, 6.5, N), 1),
        "azGap_deg": RNG.integers(20, 340, N),
        "PL_Mass_kg": RNG.permutation(N) * 2.0,
        "Region": RNG.choice(["Crete", "Ionian Sea", "Thessaly"], N),
        "Felt_YN": RNG.choice(["Y", "N"], N, p=[0.3, 0.7]),
        "Rating_1-5": RNG.integers(1, 6, N),
        "Chgd to Tenant": RNG.choice(["Y", "N"], N),
        "Tenant_ID": [f"T{i:03}" for i in RNG.integers(0, 90, N)],
    }
)
FELT = QUAKES.Felt_YN == "Y"

GIVEN = dates("2023-01-01", 700)
GIFTS = pd.DataFrame(
    {
        "giftId": np.arange(N) + 9000,
        "donorId": [f"D{i:03}" for i in RNG.integers(0, 200, N)],
        "giftDate": GIVEN,
        "amountGBP": RNG.permutation(N) / 3,
        "donorAge": RNG.integers(18, 90, N),
        "feeEUR": RNG.choice([0.0, 2.5, 4.0], N),
        "kwh": RNG.permutation(N) / 2,
        "rate_x": RNG.integers(1, 9, N),
        "disputed": RNG.choice(["yes", "no"], N),
        "status": RNG.choice(["returned", "delivered", "lost"], N),
        "service": RNG.choice(["economy", "express"], N),
        "result": RNG.choice(["H", "D", "A"], N),
    }
)

OPENED = dates("2023-01-01", 300)
IS_RESOLVED = pd.Series(RNG.random(N) < 0.8)
RESOLVED = (OPENED + pd.to_timedelta(RNG.integers(0, 50, N), unit="D")).where(IS_RESOLVED)
JOBS = pd.DataFrame(
    {
        "job_no": np.arange(N) + 100,
        "Opened": OPENED,
        "Resolved Dt": RESOLVED,
        "State": np.where(IS_RESOLVED, RNG.choice(["Resolved", "Closed"], N), "Open"),
        "team": RNG.choice(["North", "South", "West"], N),
        "terms_days": RNG.choice([30, 45, 60], N),
    }
)
STAYS = pd.DataFrame(
    {
        "booking_id": np.arange(N) + 100,
        "hotel": RNG.choice(["Harbour", "Old Mill", "Station"], N),
        "reviewScore": RNG.permutation(N) / 90,
        "rate_eur": RNG.permutation(N) / 9 + 40,
        "hrs": RNG.permutation(N) / 8,
    }
)

FRAMES = {"tickets": TICKETS, "reviews": REVIEWS, "enrolments": ENROLMENTS, "quakes": QUAKES,
          "gifts": GIFTS, "jobs": JOBS, "stays": STAYS}  # fmt: skip


def reply_to(question: str, name: str) -> dict:
    return ask(question, {name: FRAMES[name]})


def answer_of(question: str, name: str) -> float:
    return outcome_of(question, **{name: FRAMES[name]}).names["answer"]


def groups_of(question: str, name: str) -> pd.Series:
    return outcome_of(question, **{name: FRAMES[name]}).names["result"]


def told(question: str, name: str) -> str:
    return "; ".join(reply_to(question, name)["assumed"])


@pytest.mark.parametrize(
    "question, name, wanted",
    [
        # Times of the day in a column of their own.
        ("how many tickets after 6 pm", "tickets", (HOUR >= 18).sum()),
        ("how many tickets between 8 and 10 am", "tickets", ((HOUR >= 8) & (HOUR < 10)).sum()),
        # How long until what a verb says.
        ("average days to pay", "tickets", DAYS_TO_PAY.mean()),
        ("how many days does it take us to answer a review on average?", "reviews", WAITED.mean()),
        ("average days until reply", "reviews", WAITED.mean()),
        ("how often did we answer on the very same day?", "reviews", (WAITED == 0).sum()),
        ("what percentage of our replies went out within 2 days?", "reviews",
         100 * (WAITED <= 2)[IS_ANSWERED].mean()),
        ("p90 of days until reply", "reviews", WAITED.quantile(0.9)),
        # What only some rows have.
        ("how many reviews did we reply to", "reviews", IS_ANSWERED.sum()),
        ("what share of reviews got a reply?", "reviews", 100 * IS_ANSWERED.mean()),
        ("how many reviews have no app version?", "reviews", REVIEWS["App Ver"].isna().sum()),
        ("how many were neither paid nor appealed", "tickets", (~IS_PAID & ~IS_APPEALED).sum()),
        ("how many were not paid or appealed", "tickets", (~IS_PAID & ~IS_APPEALED).sum()),
        ("how many were not paid or were appealed", "tickets", (~IS_PAID | IS_APPEALED).sum()),
        # Cells that are called as columns are.
        ("number of reviews in the App Store", "reviews", (REVIEWS.Store == "App Store").sum()),
        # Bounds before the number that they are of.
        ("number of quakes over magnitude 5", "quakes", (QUAKES.Mag > 5).sum()),
        ("how many between magnitude 3 and 4", "quakes", QUAKES.Mag.between(3, 4).sum()),
        ("number of quakes with a depth from 10 to 20", "quakes",
         QUAKES.Depth_km.between(10, 20).sum()),
        # Money and ages that go without saying.
        ("count the gifts above £100", "gifts", (GIFTS.amountGBP > 100).sum()),
        ("how many donors over 60", "gifts", GIFTS.donorId[GIFTS.donorAge > 60].nunique()),
        # Names.
        ("median attendance", "enrolments", ENROLMENTS["Attend_%"].median()),
        ("average payload mass", "quakes", QUAKES.PL_Mass_kg.mean()),
        ("how many were charged to the tenant", "quakes", (QUAKES["Chgd to Tenant"] == "Y").sum()),
        # Rows of one kind by rows of another; who did something once.
        ("ratio of passes to fails", "enrolments", PASSED.sum() / FAILED.sum()),
        ("ratio of felt to not felt events", "quakes", FELT.sum() / (~FELT).sum()),
        ("share of students who failed at least once", "enrolments", 100 * (FAILS >= 1).mean()),
        ("share of students who failed at least twice", "enrolments", 100 * (FAILS >= 2).mean()),
        ("share of students who failed", "enrolments", 100 * (FAILS >= 1).mean()),
        # What stands before the comma says of which rows.
        ("of the economy gifts, what percentage was returned?", "gifts",
         100 * (GIFTS.status == "returned")[GIFTS.service == "economy"].mean()),
        ("how many jobs with payment terms of 60 days", "jobs", (JOBS.terms_days == 60).sum()),
        ("total of kwh times rate_x", "gifts", (GIFTS.kwh * GIFTS.rate_x).sum()),
        ("multiply kwh by rate_x and give me the total", "gifts", (GIFTS.kwh * GIFTS.rate_x).sum()),
        ("how old are our donors on average?", "gifts", GIFTS.donorAge.mean()),
        ("number of gifts from 1 June 2023 through 31 August 2023", "gifts",
         GIVEN.between("2023-06-01", "2023-08-31").sum()),
        ("how many gifts came in over the past 14 days?", "gifts",
         (GIVEN > GIVEN.max() - pd.Timedelta(days=14)).sum()),
    ],
)  # fmt: skip
def test_numbers(question: str, name: str, wanted: float) -> None:
    names = outcome_of(question, **{name: FRAMES[name]}).names
    assert float(names.get("answer", names.get("result"))) == pytest.approx(float(wanted))


@pytest.mark.parametrize(
    "question, name, wanted",
    [
        ("tickets by hour of the day", "tickets", pd.Series(HOUR).value_counts()),
        ("tickets by issue time", "tickets", pd.Series(HOUR).value_counts()),
        ("fails per pass for each course", "enrolments",
         FAILED.groupby(ENROLMENTS.CrsCode).sum() / PASSED.groupby(ENROLMENTS.CrsCode).sum()),
        ("mean tenant rating per region", "quakes", QUAKES.groupby("Region")["Rating_1-5"].mean()),
        ("for each region, give me the highest depth", "quakes",
         QUAKES.groupby("Region").Depth_km.max()),
        ("average amount of gifts with and without a dispute", "gifts",
         GIFTS.groupby(GIFTS.disputed == "yes").amountGBP.mean()),
        ("bar chart of the number of H, D and A results", "gifts", GIFTS.result.value_counts()),
        ("in each service, how many gifts fall on each status", "gifts",
         GIFTS.groupby(["service", "status"]).size()),
        # When it was done, whatever it is now; what is divided already; marks.
        ("jobs resolved per month", "jobs", RESOLVED.dt.to_period("M").value_counts()),
        ("mean rate per hour for each hotel", "stays", STAYS.groupby("hotel").rate_eur.mean()),
        ("hotel with the worst reviews", "stays", STAYS.groupby("hotel").reviewScore.mean()),
    ],
)  # fmt: skip
def test_groups(question: str, name: str, wanted: pd.Series) -> None:
    got = groups_of(question, name)
    got = got.stack() if isinstance(got, pd.DataFrame) else got
    assert sorted(map(float, got)) == pytest.approx(sorted(map(float, wanted)))


def test_a_contest_may_be_about_a_depth() -> None:
    got = groups_of("are quakes in Crete deeper than in the Ionian Sea?", "quakes")
    means = QUAKES.groupby("Region").Depth_km.mean()
    assert sorted(map(float, got)) == pytest.approx(sorted([means["Crete"], means["Ionian Sea"]]))


def test_both_percentiles_are_given() -> None:
    run = outcome_of("what are the P10 and P90 of depth?", quakes=QUAKES)
    shown = run.printed + str(run.value)
    for part in (0.1, 0.9):
        assert f"{QUAKES.Depth_km.quantile(part):.2f}" in shown


def test_the_earliest_is_of_the_time_that_there_is() -> None:
    assert outcome_of("when was the earliest quake?", quakes=QUAKES).names["answer"] == (
        QUAKES.Origin_UTC.min()
    )


def test_a_median_is_no_letter_of_a_name() -> None:
    """`Mag` is not short for "median azimuthal gap"."""
    assert "Mag " not in str(reply_to("median azimuthal gap", "quakes"))


@pytest.mark.parametrize("question", ["what is the earliest issue time", "average issue time"])
def test_of_times_of_the_day_no_more_than_the_hour_is_known(question: str) -> None:
    assert reply_to(question, "tickets")["outcome"] == "refused"


def test_an_hour_says_which_column_it_is_from() -> None:
    assert "took Issue Time as the time of day" in told("how many tickets per hour", "tickets")


def test_the_highest_of_each_is_no_mean() -> None:
    assert "mean" not in told("highest depth per region", "quakes")


def test_years_are_not_those_of_hours() -> None:
    frame = pd.DataFrame({"hrs_wk": RNG.integers(10, 50, 40), "dept": ["A", "B"] * 20})
    assert ask("who has been here for over 10 years", {"staff": frame})["outcome"] == "refused"


@pytest.mark.parametrize("question", ["pie of deliveries", "boxplot of mark by delivery"])
def test_a_chart_leaves_out_what_is_missing_and_says_so(question: str) -> None:
    reply = reply_to(question, "enrolments")
    assert "left out rows without Delivery" in reply["assumed"]
    assert "(missing)" not in reply["code"]


def test_versions_are_no_dates_and_times_of_the_day_have_none() -> None:
    columns = {each["name"]: each for name in ("tickets", "reviews")
               for each in profile_of({name: FRAMES[name]})["frames"][0]["columns"]}  # fmt: skip
    assert columns["App Ver"]["kind"] == "text"
    assert columns["Issue Time"]["clock"] and "first" not in columns["Issue Time"]
    assert "clock" not in columns["Issue Date"]


def test_an_index_with_parts_is_a_number() -> None:
    frame = pd.DataFrame({"bmi": RNG.permutation(90) / 7 + 15, "arm": ["A", "B", "C"] * 30})
    for question in ("how many have a bmi above average", "how many have a bmi above the mean bmi"):
        run = outcome_of(question, subjects=frame)
        assert run.names["answer"] == (frame.bmi > frame.bmi.mean()).sum()


def test_the_least_and_the_most_of_one_number() -> None:
    run = outcome_of("what are the minimum and the maximum of depth?", quakes=QUAKES)
    for number in (QUAKES.Depth_km.min(), QUAKES.Depth_km.max()):
        assert f"{number:,.2f}" in run.printed
