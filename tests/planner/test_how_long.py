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
FRAMES = {"calls": CALLS, "repairs": REPAIRS}


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


def test_the_unit_is_said() -> None:
    code = bench_client.ask("average talk time by queue", {"calls": CALLS})["code"]
    assert "talk time in minutes" in code
    drawn = bench_client.ask("scatter talk time against hold", {"calls": CALLS})["code"]
    assert "talk_time in minutes" in drawn and "hold in seconds" in drawn


def test_a_time_of_the_day_stays_one() -> None:
    code = bench_client.ask("calls by hour of started", {"calls": CALLS})["code"]
    assert "to_timedelta" not in code and ".dt.hour" in code
