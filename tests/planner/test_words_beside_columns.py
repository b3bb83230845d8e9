"""Words that stand beside a column, or for one of its kinds: worked out here."""

from __future__ import annotations

import bench_client
import pandas as pd
import pytest

REPAIRS = pd.DataFrame({
    "wo_no": [f"W{i}" for i in range(8)], "dt_open": pd.date_range("2024-01-01", periods=8),
    "dt_closed": pd.to_datetime(["2024-01-03", "2024-01-03", None, "2024-01-08", None, "2024-01-09", None, "2024-01-09"]),
    "veh_make": ["Ford", "Kia", "Ford", "Opel", "Kia", "Ford", "Ford", "Kia"],
    "fuel": ["petrol", "petrol", "diesel", "diesel", "diesel", "petrol", "diesel", "diesel"],
    "job": ["tyres", "brakes", "tyres", "tyres", "brakes", "brakes", "tyres", "oil"],
    "custType": ["private", "fleet", "fleet", "private", "fleet", "private", "private", "fleet"],
    "stars": [5, 4, 3, 4, 2, 5, 1, 4], "finished": ["yes", "yes", "no", "yes", "no", "yes", "no", "yes"],
    "odo": ["12,000 km", "9,000 km", "30,000 km", "41,000 km", "7,000 km", "8,000 km", "9,500 km", "12,500 km"]})


def shown(question: str) -> object:
    reply = bench_client.ask(question, {"repairs": REPAIRS})
    names: dict = {"repairs": REPAIRS, "__name__": "cell"}
    exec(reply["code"], names)
    return names.get("answer", names.get("result"))


@pytest.mark.parametrize("question, answer", [
    ("mean star rating overall", 3.5),
    ("how many repairs overall", 8),
    ("total stars overall", 28),
    ("how many orders are still open?", 3),
    ("mean stars for everyone but private customers", 3.25),
    ("mean mileage", 16125),
])
def test_a_number(question: str, answer: float) -> None:
    assert shown(question) == pytest.approx(answer)


@pytest.mark.parametrize("question, answer", [
    ("most common makes", {"Ford": 4, "Kia": 3, "Opel": 1}),
    ("pie chart of fuel types", {"petrol": 3, "diesel": 5}),
    ("average stars by type of job", {"tyres": 13 / 4, "brakes": 11 / 3, "oil": 4}),
    ("open orders by job", {"tyres": 2, "brakes": 1}),
    ("completion rate by fuel", {"petrol": 100, "diesel": 40}),
    ("jobs w/ at least 3 orders", {"tyres": 4, "brakes": 3}),
])
def test_groups(question: str, answer: dict) -> None:
    result = shown(question)
    assert result[result > 0].to_dict() == pytest.approx(answer)
