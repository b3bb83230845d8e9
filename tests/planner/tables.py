"""Tables that no corpus has, made up here, for questions of our own."""

from __future__ import annotations

import random

import pandas as pd


def orders() -> pd.DataFrame:
    """A shop's order lines; the dates are text."""
    rng = random.Random(1)
    rows = 1500
    days = [pd.Timestamp("2014-01-01") + pd.Timedelta(days=rng.randrange(1460))
            for _ in range(rows)]
    return pd.DataFrame({
        "Order ID": [f"CA-{at // 2}" for at in range(rows)],
        "Order Date": [day.strftime("%m/%d/%Y") for day in days],
        "Ship Mode": rng.choices(["First Class", "Second Class", "Same Day"], k=rows),
        "Customer Name": [f"Customer {rng.randrange(300)}" for _ in range(rows)],
        "Segment": rng.choices(["Consumer", "Corporate", "Home Office"], k=rows),
        "State": rng.choices(["California", "Texas", "New York", "Ohio"], k=rows),
        "Region": rng.choices(["East", "West", "South", "Central"], k=rows),
        "Category": rng.choices(["Furniture", "Technology", "Office Supplies"], k=rows),
        "Sub-Category": rng.choices(["Chairs", "Phones", "Paper", "Tables"], k=rows),
        "Product Name": [f"Product {rng.randrange(500)}" for _ in range(rows)],
        "Sales": [round(rng.gammavariate(2, 100), 2) for _ in range(rows)],
        "Quantity": [rng.randrange(1, 15) for _ in range(rows)],
        "Discount": rng.choices([0.0, 0.1, 0.2, 0.3], k=rows),
        "Profit": [round(rng.gauss(20, 100), 2) for _ in range(rows)],
    })


def staff() -> pd.DataFrame:
    """People of a company; the dates are dates."""
    rng = random.Random(2)
    rows = 400
    return pd.DataFrame({
        "EmployeeID": range(rows),
        "Name": [f"Person {at}" for at in range(rows)],
        "Age": [rng.randrange(20, 65) for _ in range(rows)],
        "Gender": rng.choices(["Male", "Female"], k=rows),
        "Department": rng.choices(["Sales", "Engineering", "HR", None], k=rows),
        "JobTitle": rng.choices(["Manager", "Analyst", "Engineer", "Clerk"], k=rows),
        "Salary": [float(round(rng.gauss(60000, 15000))) for _ in range(rows)],
        "HireDate": [pd.Timestamp("2005-01-01") + pd.Timedelta(days=rng.randrange(6000))
                     for _ in range(rows)],
        "PerformanceRating": [rng.randrange(1, 6) for _ in range(rows)],
        "City": rng.choices(["Paris", "London", "Berlin"], k=rows),
    })


def passengers() -> pd.DataFrame:
    """Who was on a ship; zeros and ones, and missing ages."""
    rng = random.Random(3)
    rows = 600
    return pd.DataFrame({
        "PassengerId": range(rows),
        "Survived": [rng.randrange(2) for _ in range(rows)],
        "Pclass": [rng.randrange(1, 4) for _ in range(rows)],
        "Sex": rng.choices(["male", "female"], k=rows),
        "Age": [None if rng.random() < 0.2 else float(rng.randrange(1, 80))
                for _ in range(rows)],
        "Fare": [round(rng.gammavariate(2, 15), 2) for _ in range(rows)],
        "Embarked": rng.choices(["S", "C", "Q"], k=rows),
    })


TABLES = {"orders": orders, "staff": staff, "passengers": passengers}
