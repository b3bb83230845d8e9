"""What a question explains itself, and other turns of phrase that name no column. Each answer is
worked out by hand."""

import numpy as np
import pandas as pd
import pytest
from asked import outcome_of
from bench_client import ask

RNG = np.random.default_rng(2811)
N = 600

ORDERS = pd.DataFrame(
    {
        "order_id": np.arange(N) + 1000,
        "order_date": pd.date_range("2023-01-01", periods=N, freq="D"),
        "customer": RNG.choice([f"Cust {c}" for c in "ABCDEFGHIJKLMN"], N),
        "region": RNG.choice(["North", "South", "East"], N),
        "product": RNG.choice(["Lamp", "Chair", "Desk"], N),
        "qty": RNG.integers(1, 20, N),
        "unit_price": RNG.permutation(N) / 10 + 5,
        "unit_cost": RNG.permutation(N) / 20 + 2,
        "status": RNG.choice(["paid", "cancelled", "open"], N),
        "rating": RNG.integers(1, 6, N),
    }
)
VALUE = ORDERS.qty * ORDERS.unit_price
PROFIT = ORDERS.qty * (ORDERS.unit_price - ORDERS.unit_cost)

CAMPAIGNS = pd.DataFrame(
    {
        "campaign": [f"Camp {i}" for i in range(60)],
        "channel": RNG.choice(["search", "social", "email"], 60),
        "impressions": RNG.integers(1000, 90000, 60),
        "clicks": RNG.integers(10, 900, 60),
        "conversions": RNG.integers(0, 90, 60),
        "spend": RNG.permutation(60) * 11.5 + 100,
        "revenue": RNG.permutation(60) * 21.5 + 100,
        "started": pd.date_range("2024-01-01", periods=60, freq="W"),
    }
)

MARK, FORECAST = RNG.integers(10, 100, N), RNG.integers(10, 100, N)
EXAMS = pd.DataFrame(
    {
        "pupil": [f"P{i}" for i in range(N)],
        "subject": RNG.choice(["Maths", "Art", "French"], N),
        "mark": MARK,
        "forecast": FORECAST,
        "minutes": RNG.integers(20, 120, N),
        "exam_date": pd.date_range("2024-01-01", periods=N, freq="6h"),
    }
)
BY_SUBJECT = EXAMS.groupby("subject")

TRAINS = pd.DataFrame(
    {
        "train": [f"T{i}" for i in range(N)],
        "line": RNG.choice(["Red", "Blue"], N),
        "delay_min": RNG.integers(-3, 40, N),
        "passengers": RNG.integers(10, 400, N),
        "seats": RNG.choice([200, 300, 400], N),
        "distance_km": RNG.integers(10, 200, N),
        "duration_min": RNG.integers(10, 200, N),
        "planned": pd.date_range("2024-01-01", periods=N, freq="3h"),
    }
)

STAYS = pd.DataFrame(
    {
        "booking": [f"B{i}" for i in range(N)],
        "hotel": RNG.choice(["Ritz", "Savoy"], N),
        "nights": RNG.integers(1, 20, N),
        "rate": RNG.permutation(N) / 2 + 80,
        "guests": RNG.integers(1, 6, N),
        "cancelled": RNG.choice(["yes", "no"], N),
        "checkin": pd.date_range("2024-01-01", periods=N, freq="12h"),
    }
)

PATIENTS = pd.DataFrame(
    {
        "patient_id": np.arange(N),
        "sex": RNG.choice(["F", "M"], N),
        "age": RNG.integers(1, 95, N),
        "bmi": RNG.permutation(N) / 25 + 17,
        "ward": RNG.choice(["A", "B", "C"], N),
        "admitted": pd.date_range("2024-01-01", periods=N, freq="20h"),
    }
)

STAFF = pd.DataFrame(
    {
        "respondent": np.arange(N) + 1,
        "dept": RNG.choice(["Sales", "IT", "HR"], N),
        "satisfaction": RNG.choice(["very low", "low", "neutral", "high", "very high"], N),
        "enps": RNG.integers(0, 11, N),
        "tenure_years": RNG.permutation(N) / 30,
        "hours_week": RNG.integers(20, 60, N),
        "remote": RNG.choice(["yes", "no"], N),
        "submitted": pd.date_range("2024-03-01", periods=N, freq="h"),
    }
)

READINGS = pd.DataFrame(
    {
        "ts": pd.date_range("2024-01-01", periods=2400, freq="h"),
        "sensor": RNG.choice(["S1", "S2", "S3"], 2400),
        "temp_c": RNG.permutation(2400) / 100,
    }
)
NIGHT = (READINGS.ts.dt.hour >= 22) | (READINGS.ts.dt.hour < 6)

PEOPLE = pd.DataFrame(
    {
        "name": [f"Emp {i}" for i in range(N)],
        "department": RNG.choice(["Sales", "IT"], N),
        "salary": RNG.permutation(N) * 100 + 30000,
        "manager": RNG.choice([f"Boss {c}" for c in "ABCDEF"], N),
    }
)

LISTED = pd.Timestamp("2022-01-01") + pd.to_timedelta(pd.Series(RNG.integers(0, 700, N)), "D")
HOMES = pd.DataFrame(
    {
        "listing_id": np.arange(N) + 1,
        "listed_on": LISTED,
        "district": RNG.choice(["Altstadt", "Hafen", "Westend"], N),
        "rooms": RNG.integers(1, 7, N),
        "price_eur": RNG.permutation(N) * 1000 + 90_000,
        "sold_on": (LISTED + pd.Timedelta(90, "D")).where(RNG.random(N) < 0.7),
    }
)

LOGS = pd.DataFrame(
    {
        "time": pd.Timestamp("2024-05-01") + pd.to_timedelta(pd.Series(np.arange(N)), "h"),
        "path": RNG.choice(["/", "/cart", "/login"], N),
        "status": RNG.choice([200, 200, 404, 500], N),
        "ms": RNG.permutation(N),
    }
)

METERS = pd.DataFrame(
    {
        "meter": RNG.choice([f"M{i}" for i in range(20)], N),
        "day": pd.date_range("2023-01-01", periods=N, freq="14h"),
        "kwh": RNG.permutation(N) / 10,
    }
)

STOCK = pd.DataFrame(
    {
        "item": RNG.choice(["Item A", "Item B", "Item C"], N),
        "direction": RNG.choice(["in", "out"], N),
        "quantity": RNG.integers(1, 60, N),
        "unit_cost": RNG.permutation(N) / 20 + 1,
    }
)

GIFTS = pd.DataFrame(
    {
        "gift_no": np.arange(N) + 1,
        "donor": RNG.choice([f"D{i}" for i in range(120)], N),
        "gift_date": pd.date_range("2022-01-01", periods=N, freq="D"),
        "amount_usd": RNG.permutation(N) / 4 + 5,
        "channel": RNG.choice(["mail", "web", "event"], N),
        "age": RNG.integers(18, 95, N),
        "no_show": RNG.choice([True, False], N),
    }
)

TABLES = {
    "donors": GIFTS,
    "homes": HOMES,
    "logs": LOGS,
    "meters": METERS,
    "stock": STOCK,
    "orders": ORDERS,
    "campaigns": CAMPAIGNS,
    "exams": EXAMS,
    "trains": TRAINS,
    "stays": STAYS,
    "patients": PATIENTS,
    "staff": STAFF,
    "readings": READINGS,
    "people": PEOPLE,
}


def named(question: str, name: str) -> dict:
    return outcome_of(question, **{name: TABLES[name]}).names


def percent(mask, by=None):
    return 100 * mask.mean() if by is None else (100 * mask).groupby(by).mean().to_dict()


def count(mask, by) -> dict:
    return by[mask].value_counts().to_dict()


LATE = TRAINS.delay_min > 10
FIRST = ORDERS.groupby("customer").order_date.min()


@pytest.mark.parametrize(
    "question, name, wanted",
    [
        # A condition in brackets, or behind what introduces one.
        ("how many big orders (qty over 10) do we have", "orders", (ORDERS.qty > 10).sum()),
        ("how many campaigns lost money (spend above revenue)?", "campaigns",
         (CAMPAIGNS.spend > CAMPAIGNS.revenue).sum()),
        ("how many campaigns were profitable, i.e. brought in more revenue than they spent",
         "campaigns", (CAMPAIGNS.revenue > CAMPAIGNS.spend).sum()),
        ("how many pupils failed (mark below 50)?", "exams", (MARK < 50).sum()),
        ("how many trains were overcrowded (passengers > seats)?", "trains",
         (TRAINS.passengers > TRAINS.seats).sum()),
        ("what share of patients are obese (BMI of 30 or more)?", "patients",
         percent(PATIENTS.bmi >= 30)),
        ("what share of staff is satisfied (high or very high)?", "staff",
         percent(STAFF.satisfaction.isin(["high", "very high"]))),
        ("fast papers (under 30 minutes): average mark", "exams",
         EXAMS.mark[EXAMS.minutes < 30].mean()),
        ("average mark of quick papers, meaning under 30 minutes", "exams",
         EXAMS.mark[EXAMS.minutes < 30].mean()),
        # Bounds in other words.
        ("how many stays of 5+ nights", "stays", (STAYS.nights >= 5).sum()),
        ("average bmi of patients 65+", "patients", PATIENTS.bmi[PATIENTS.age >= 65].mean()),
        ("how many patients are 65 or older", "patients", (PATIENTS.age >= 65).sum()),
        ("how many trains had more than 10 minutes of delay", "trains", LATE.sum()),
        ("how many papers came in more than 20 marks below the forecast?", "exams",
         (FORECAST - MARK > 20).sum()),
        ("share of papers where the mark is at least 5 above forecast", "exams",
         percent(pd.Series(MARK - FORECAST >= 5))),
        ("how many pupils scored at least 80?", "exams", (MARK >= 80).sum()),
        ("how many pupils got more than 80 in Maths", "exams",
         ((EXAMS.subject == "Maths") & (MARK > 80)).sum()),
        ("how many pupils beat their forecast?", "exams", (MARK > FORECAST).sum()),
        ("how many orders were rated 1 star?", "orders", (ORDERS.rating == 1).sum()),
        ("average temperature at night (22 to 6)", "readings", READINGS.temp_c[NIGHT].mean()),
        ("temperature on 5 January", "readings",
         READINGS.temp_c[READINGS.ts.dt.strftime("%m-%d") == "01-05"].mean()),
        ("percentage of papers longer than 60 minutes", "exams",
         percent(EXAMS.minutes > 60)),
        ("how many people work more than 50 hours a week?", "staff",
         (STAFF.hours_week > 50).sum()),
        ("how many people work over 45 hours", "staff", (STAFF.hours_week > 45).sum()),
        ("how many homes are still for sale?", "homes", HOMES.sold_on.isna().sum()),
        ("share of requests slower than 300 ms", "logs", percent(LOGS.ms > 300)),
        ("how many papers were faster than 1 hour?", "exams", (EXAMS.minutes < 60).sum()),
        ("share of orders between March and May", "orders",
         percent(ORDERS.order_date.dt.month.between(3, 5))),
        # What a number is of.
        ("mean absolute difference between mark and forecast", "exams",
         np.abs(MARK - FORECAST).mean()),
        ("what is the overall click-through rate?", "campaigns",
         CAMPAIGNS.clicks.sum() / CAMPAIGNS.impressions.sum()),
        ("how long does a paper take on average", "exams", EXAMS.minutes.mean()),
        ("how long do guests usually stay?", "stays", STAYS.nights.mean()),
        ("how many marks are there", "exams", N),
        ("how many new customers in January 2023?", "orders",
         (FIRST.dt.to_period("M") == "2023-01").sum()),
    ],
)  # fmt: skip
def test_the_number_is_right(question, name, wanted):
    names = named(question, name)
    assert float(names.get("answer", names.get("result"))) == pytest.approx(wanted)


@pytest.mark.parametrize(
    "question, name, wanted",
    [
        ("share of large orders (qty over 10) by region", "orders",
         percent(ORDERS.qty > 10, ORDERS.region)),
        ("big orders, meaning quantity above 10, per region", "orders",
         count(ORDERS.qty > 10, ORDERS.region)),
        ("share of bad reviews (rating of 1 or 2) by product", "orders",
         percent(ORDERS.rating <= 2, ORDERS["product"])),
        ("pass rate by subject (mark of at least 50)", "exams",
         percent(EXAMS.mark >= 50, EXAMS.subject)),
        ("pass rate by subject (pass = mark >= 50)", "exams",
         percent(EXAMS.mark >= 50, EXAMS.subject)),
        ("pass rate by subject, where a pass is a mark of at least 50", "exams",
         percent(EXAMS.mark >= 50, EXAMS.subject)),
        ("punctuality by line, where on time means at most 3 minutes late", "trains",
         percent(TRAINS.delay_min <= 3, TRAINS.line)),
        ("punctuality by line (delay of 3 minutes or less)", "trains",
         percent(TRAINS.delay_min <= 3, TRAINS.line)),
        ("late trains (delay over 10) by line", "trains", count(LATE, TRAINS.line)),
        ("share of overcrowded trains (more passengers than seats) by line", "trains",
         percent(TRAINS.passengers > TRAINS.seats, TRAINS.line)),
        ("long stays (more than 7 nights) by hotel", "stays",
         count(STAYS.nights > 7, STAYS.hotel)),
        ("share of families (3+ guests) by hotel", "stays",
         percent(STAYS.guests >= 3, STAYS.hotel)),
        ("obesity rate by ward (bmi 30 or higher)", "patients",
         percent(PATIENTS.bmi >= 30, PATIENTS.ward)),
        ("seniors, i.e. 65 or older, by ward", "patients",
         count(PATIENTS.age >= 65, PATIENTS.ward)),
        ("how many children (under 18) were admitted per ward", "patients",
         count(PATIENTS.age < 18, PATIENTS.ward)),
        ("patients 65 and over by ward", "patients",
         count(PATIENTS.age >= 65, PATIENTS.ward)),
        # Formulas that are explained, or known by their names.
        ("load factor per line, meaning passengers divided by seats", "trains",
         (TRAINS.passengers / TRAINS.seats).groupby(TRAINS.line).mean().to_dict()),
        ("occupancy by line, i.e. passengers as a share of seats", "trains",
         (TRAINS.passengers / TRAINS.seats).groupby(TRAINS.line).mean().to_dict()),
        ("profit by product, i.e. qty times (unit price minus unit cost)", "orders",
         PROFIT.groupby(ORDERS["product"]).sum().to_dict()),
        ("products ranked by total profit", "orders",
         PROFIT.groupby(ORDERS["product"]).sum().to_dict()),
        ("customers by total spend", "orders", VALUE.groupby(ORDERS.customer).sum().to_dict()),
        ("who spends the most", "orders", VALUE.groupby(ORDERS.customer).sum().to_dict()),
        ("ctr by channel", "campaigns",
         (CAMPAIGNS.groupby("channel").clicks.sum()
          / CAMPAIGNS.groupby("channel").impressions.sum()).to_dict()),
        ("conversion by channel: conversions / clicks", "campaigns",
         (CAMPAIGNS.groupby("channel").conversions.sum()
          / CAMPAIGNS.groupby("channel").clicks.sum()).to_dict()),
        ("average whole time (nights plus guests) by hotel", "stays",
         (STAYS.nights + STAYS.guests).groupby(STAYS.hotel).mean().to_dict()),
        ("average price per room by district", "homes",
         (HOMES.groupby("district").price_eur.sum() / HOMES.groupby("district").rooms.sum())
         .to_dict()),
        ("value of outgoing goods by item (quantity times unit cost)", "stock",
         (STOCK.quantity * STOCK.unit_cost)[STOCK.direction == "out"].groupby(STOCK["item"]).sum()
         .to_dict()),
        ("error rate by path (status 500)", "logs", percent(LOGS.status == 500, LOGS.path)),
        ("compare January with February kwh", "meters",
         METERS[METERS.day.dt.month <= 2].groupby(METERS.day.dt.month).kwh.sum().to_dict()),
        ("which channel raised the most?", "donors",
         GIFTS.groupby("channel").amount_usd.sum().to_dict()),
        ("no-show rate by channel", "donors", percent(GIFTS.no_show, GIFTS.channel)),
        ("new donors per quarter", "donors",
         GIFTS.groupby("donor").gift_date.min().dt.to_period("Q").value_counts().to_dict()),
        # Rows and groups.
        ("average age of donors by channel", "donors",
         GIFTS.groupby("channel").age.mean().to_dict()),
        ("how many promoters (9 or 10) per dept?", "staff", count(STAFF.enps >= 9, STAFF.dept)),
        ("average rate of the two hotels", "stays", STAYS.groupby("hotel").rate.mean().to_dict()),
        ("total salary cost per department", "people",
         PEOPLE.groupby("department").salary.sum().to_dict()),
        ("bookings by hotel", "stays", STAYS.hotel.value_counts().to_dict()),
        ("check-ins by hotel", "stays", STAYS.hotel.value_counts().to_dict()),
        ("which hotel has more cancellations?", "stays",
         count(STAYS.cancelled == "yes", STAYS.hotel)),
        ("how many new customers per month", "orders",
         FIRST.dt.to_period("M").value_counts().to_dict()),
        ("first order of each customer", "orders",
         ORDERS.groupby("customer").order_date.min().to_dict()),
        ("which subject takes longest", "exams", BY_SUBJECT.minutes.mean().to_dict()),
        ("average duration by subject", "exams", BY_SUBJECT.minutes.mean().to_dict()),
        ("do remote people work longer hours?", "staff",
         {True: STAFF.hours_week[STAFF.remote == "yes"].mean(),
          False: STAFF.hours_week[STAFF.remote == "no"].mean()}),
    ],
)  # fmt: skip
def test_each_group_has_its_number(question, name, wanted):
    result = named(question, name)["result"]
    result = result.iloc[:, 0] if isinstance(result, pd.DataFrame) else result
    wanted = list(wanted.values())
    if isinstance(wanted[0], pd.Timestamp):
        assert sorted(result) == sorted(wanted)
    else:
        assert sorted(result) == pytest.approx(sorted(wanted))


def test_patients_are_counted_by_tens_of_their_age():
    result = named("number of patients by decade of age", "patients")["result"]
    wanted = (PATIENTS.age // 10 * 10).value_counts()
    assert sorted(result[result > 0]) == sorted(wanted)


@pytest.mark.parametrize(
    "question, name, column",
    [
        ("distribution of rates by hotel", "stays", "rate"),
        ("spread of marks per subject", "exams", "mark"),
        ("how are rates distributed across hotels", "stays", "rate"),
    ],
)
def test_a_spread_by_groups_is_of_all_rows(question, name, column):
    boxes = named(question, name)["result"]
    assert sum(len(box) for box in boxes) == TABLES[name][column].notna().sum()


@pytest.mark.parametrize("bound", [70, 1000, 2000])
def test_a_bound_is_no_year(bound):
    frame = outcome_of(f"readings with more than {bound} kwh", meters=METERS).value
    assert len(frame) == (METERS.kwh > bound).sum()
    frame = outcome_of(f"meters that used more than {bound} kwh", meters=METERS).value
    assert len(frame) == (METERS.kwh > bound).sum()


@pytest.mark.parametrize(
    "question, name, label, wanted",
    [
        ("who got the best mark in Art?", "exams", "pupil",
         EXAMS[EXAMS.subject == "Art"].mark.max()),
        ("who earns the most in IT?", "people", "name",
         PEOPLE[PEOPLE.department == "IT"].salary.max()),
        ("who took longest", "exams", "pupil", EXAMS.minutes.max()),
    ],
)  # fmt: skip
def test_who_is_a_row(question, name, label, wanted):
    frame = outcome_of(question, **{name: TABLES[name]}).value
    assert len(frame) == 1 and label in frame
    assert wanted in frame.iloc[0].tolist()


@pytest.mark.parametrize(
    "question, name",
    [
        ("how many big orders do we have", "orders"),  # nothing explains it
        ("big orders (in the North) by product", "orders"),  # nor does a place
        ("long stays (checkin after June 2024) by hotel", "stays"),  # nor a day
        ("best 3 pupils", "exams"),  # each is one row
        ("empty seats by line", "trains"),  # of which no table tells
        ("quantity in vs out by item", "stock"),  # both sides were lost
        ("minimum minutes longer than 60 minutes", "exams"),  # of a minimum, or of each?
        ("pass rate by subject, a pass being 50 or more", "exams"),  # of which number?
    ],
)
def test_what_is_not_explained_is_refused(question, name):
    assert ask(question, {name: TABLES[name]})["outcome"] == "refused"
