"""Spans of time as exports have them, and as pandas has them: worked out here."""

from __future__ import annotations

import bench_client
import pandas as pd
import pytest

CALLS = pd.DataFrame({
    "call_id": range(1, 7), "queue": ["sales", "sales", "tech", "tech", "tech", "billing"],
    "talk_time": ["00:02:00", "00:04:00", "00:10:30", "00:06:00", "00:01:30", None],
    "hold": pd.to_timedelta([30, 90, 0, 10, 20, 60], unit="s"),
    "wait_sec": [60, 120, 30, 90, 150, 30],
    "started": ["08:15:00", "09:30:00", "11:00:00", "14:45:00", "16:20:00", "17:05:00"]})
REPAIRS = pd.DataFrame({"repair_id": range(1, 5), "bay": ["A", "A", "B", "B"],
                        "duration": ["26:30:00", "02:00:00", "05:30:00", "10:00:00"]})
MEMBERS = pd.DataFrame({
    "member_id": ["a", "b", "c", "d", "e"], "plan": ["basic", "basic", "gold", "gold", "gold"],
    "join_date": pd.to_datetime(["2023-01-01", "2023-02-01", "2023-03-01", "2023-04-01", "2023-05-01"]),
    "end_date": pd.to_datetime(["2023-01-11", None, "2023-03-31", "2024-03-31", None]),
    "last_seen": pd.to_datetime(["2023-01-09", "2024-05-01", "2023-03-20", "2024-03-01", "2024-05-02"])})
LISTENS = pd.DataFrame({
    "listen_id": range(1, 6), "device": ["phone", "phone", "car", "car", "tv"],
    "epLenMin": [30, 30, 60, 60, 20], "minPlayed": [10, 30, 50, 10, 5], "hours_saved": [1, 2, 3, 4, 5]})
FRAMES = {"calls": CALLS, "repairs": REPAIRS, "members": MEMBERS, "listens": LISTENS}


def shown(question: str, name: str) -> object:
    reply = bench_client.ask(question, {name: FRAMES[name]})
    names: dict = {name: FRAMES[name], "__name__": "cell"}
    exec(reply["code"], names)
    return names.get("answer", names.get("result"))


@pytest.mark.parametrize("question, name, answer", [
    ("average talk time", "calls", 4.8),
    ("average talk time in seconds", "calls", 288),
    ("longest hold", "calls", 90),
    ("how many calls had a talk time over 5 minutes?", "calls", 2),
    ("how many calls had a hold under 20 seconds?", "calls", 2),
    ("average duration", "repairs", 11),
    ("how many repairs had a duration above 1 day?", "repairs", 1),
    ("how many active members are there?", "members", 2),
    ("how many members left in 2023?", "members", 2),
    ("how many members quit?", "members", 3),
    ("average length of membership in days", "members", (10 + 30 + 365) / 3),
    ("how long do members stay on average, in months?", "members", (10 + 30 + 365) / 3 / 30.4375),
    ("how long do members stay?", "members", (10 + 30 + 365) / 3),
    ("total minutes played", "listens", 105),
])
def test_a_number(question: str, name: str, answer: float) -> None:
    assert shown(question, name) == pytest.approx(answer)


@pytest.mark.parametrize("question, answer", [
    ("average talk time by queue", {"sales": 3, "tech": 6}),
    ("average talk time by queue in seconds", {"sales": 180, "tech": 360}),
    ("average wait by queue in minutes", {"billing": 0.5, "sales": 1.5, "tech": 1.5}),
    ("total hold by queue", {"billing": 60, "sales": 120, "tech": 30}),
])
def test_groups(question: str, answer: dict) -> None:
    result = shown(question, "calls")
    assert result.dropna().to_dict() == pytest.approx(answer)


@pytest.mark.parametrize("question, name, answer", [
    ("active members by plan", "members", {"basic": 1, "gold": 1}),
    ("minutes per device", "listens", {"phone": 40, "car": 60, "tv": 5}),
    ("top 2 devices by minutes listened", "listens", {"car": 60, "phone": 40}),
    ("hours by device", "listens", {"phone": 3, "car": 7, "tv": 5}),
    ("top 1 device by hours saved", "listens", {"car": 7}),
])
def test_what_ends_and_what_has_a_unit(question: str, name: str, answer: dict) -> None:
    assert shown(question, name).dropna().to_dict() == pytest.approx(answer)


def test_who_left_is_counted_when_they_did() -> None:
    result = shown("members who left by month", "members")
    assert {str(key): value for key, value in result[result > 0].items()} == {
        "2023-01": 1, "2023-03": 1, "2024-03": 1}


@pytest.mark.parametrize("question", ["kilograms by device", "dollars per device", "bar chart of pounds per device"])
def test_a_unit_that_no_column_has_is_not_dropped(question: str) -> None:
    reply = bench_client.ask(question, {"listens": LISTENS.drop(columns="hours_saved")})
    assert reply["outcome"] == "refused"


def test_the_unit_is_said() -> None:
    code = bench_client.ask("average talk time by queue", {"calls": CALLS})["code"]
    assert "talk time in minutes" in code
    drawn = bench_client.ask("scatter talk time against hold", {"calls": CALLS})["code"]
    assert "talk_time in minutes" in drawn and "hold in seconds" in drawn


def test_a_time_of_the_day_stays_one() -> None:
    code = bench_client.ask("calls by hour of started", {"calls": CALLS})["code"]
    assert "to_timedelta" not in code and ".dt.hour" in code
