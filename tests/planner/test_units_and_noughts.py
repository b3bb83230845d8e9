"""Units of numbers, nought for none, bands, and what words that count things mean."""

from __future__ import annotations

import bench_client
import checker
import pandas as pd
import pytest
from test_operator_pairs import visits


def answered(question: str):
    frame = visits()
    answer = bench_client.ask(question, {"visits": frame})
    assert answer["outcome"] == "answered", answer["message"]
    return frame, checker.run(answer["code"], {"visits": frame}).names


@pytest.mark.parametrize("question, wanted", [
    ("number of visits with wait minutes over 2 hours", lambda d: (d.wait_minutes > 120).sum()),
    ("number of visits longer than 30 minutes", lambda d: (d.wait_minutes > 30).sum()),
    ("how many visits had no calls", lambda d: (d.calls == 0).sum()),
    ("how many visits have no score", lambda d: d.score.isna().sum()),
    ("how many visits had 4 or more calls", lambda d: (d.calls >= 4).sum()),
    ("number of visits between June and August",
     lambda d: d.visited.dt.month.between(6, 8).sum()),
    ("number of visits of urgency high", lambda d: (d.urgency == "high").sum()),
])
def test_counts_what_is_asked(question: str, wanted) -> None:
    frame, names = answered(question)
    assert names["answer"] == wanted(frame)


def test_groups_are_kept_by_their_rate() -> None:
    frame, names = answered("clinics whose referred rate is above 45%")
    rates = 100 * (frame.referred == "yes").groupby(frame.clinic).mean()
    assert set(names["result"].index) == set(rates[rates > 45].index)


def test_bands_are_as_wide_as_said() -> None:
    frame, names = answered("average score by wait minutes in bands of 60 minutes")
    assert list(names["result"].index) == [0, 60, 120, 180]


def test_a_group_without_a_divisor_has_no_ratio() -> None:
    _, names = answered("bill divided by calls by clinic with no calls")
    assert names["result"].isna().all()


def test_what_nothing_follows_is_refused() -> None:
    answer = bench_client.ask("average score of visits by", {"visits": visits()})
    assert answer["outcome"] == "refused"


WELLS = pd.DataFrame({"well": ["W-01", "W-02"] * 3, "nitrate_mg_l": [1.0, 2.0, 3.0, 4.0, 5.0, 9.0],
                      "county": ["Kent"] * 2 + ["Essex"] * 4})


@pytest.mark.parametrize("question, wanted", [
    ("highest nitrate", 9.0),          # two units behind a name say little
    ("nitrate in Kent", 1.5),          # so much in so much: no sum
    ("how many wells are there", 2),   # a column of names, that come again
])
def test_what_is_measured_in_two_units(question: str, wanted: float) -> None:
    reply = bench_client.ask(question, {"wells": WELLS})
    assert reply["outcome"] == "answered", reply["message"]
    names: dict = {"wells": WELLS, "__name__": "cell"}
    exec(reply["code"], names)
    assert names["answer"] == wanted


def test_names_with_numbers_are_no_amounts() -> None:
    reply = bench_client.ask("worst well", {"wells": WELLS})
    assert reply["outcome"] == "refused"
