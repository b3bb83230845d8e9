"""What nouns of a question mean: keys of things, events of dates, amounts of rows."""

from __future__ import annotations

import bench_client
import pandas as pd
import pytest

GIFTS = pd.DataFrame({
    "giftId": [f"G{i}" for i in range(40)], "donorId": [f"D{i % 9}" for i in range(40)],
    "donorAge": [20 + i for i in range(40)], "amountGBP": [5.0 + i % 7 for i in range(40)],
    "channel": ["web", "post"] * 20, "region": ["North", "South", "Wales", "North"] * 10,
    "enrolledOn": pd.date_range("2023-01-01", periods=40, freq="9D"),
    "visits_attended": [i % 6 for i in range(40)],
    "dropout_reason": [None, "moved", "cost", None] * 10})
FIELDS = pd.DataFrame({
    "entry_no": range(500, 540), "crop": ["wheat", "maize"] * 20, "season": [2022, 2023] * 20,
    "port_dues": [float(i % 11) for i in range(40)], "rainfall_mm": [300 + i for i in range(40)],
    "severe": [True, False, False, False] * 10, "sex": ["F", "M", "F", "F"] * 10,
    "baseline_kg": [float(i) for i in range(40)], "final_kg": [2.0 * i for i in range(40)],
    "seen": pd.date_range("2023-01-01", periods=40, freq="9D")})
FRAMES = {"gifts": GIFTS, "entries": FIELDS}


def ask(table: str, question: str) -> dict:
    return bench_client.ask(question, {table: FRAMES[table]})


def answer(table: str, question: str):
    """What the program's `answer` or `result` is."""
    got = ask(table, question)
    assert got["outcome"] == "answered", got["message"]
    names = {table: FRAMES[table]}
    exec(got["code"], names)
    return names.get("answer", names.get("result"))


@pytest.mark.parametrize("table, question, value", [
    ("gifts", "how many donors do we have?", 9),
    ("gifts", "how many donors gave more than 4 times?", 4),
    ("gifts", "average gift", GIFTS.amountGBP.mean()),
    ("gifts", "median gift", GIFTS.amountGBP.median()),
    ("gifts", "how much was donated in total?", GIFTS.amountGBP.sum()),
    ("gifts", "how many gifts were over 8 pounds?", (GIFTS.amountGBP > 8).sum()),
    ("gifts", "how many attended fewer than 4 visits?", (GIFTS.visits_attended < 4).sum()),
    ("gifts", "dropout rate", 50.0),
    ("gifts", "how many gifts dropped out because of cost?", 10),
    ("entries", "how many entries over 2023?", 40),
    ("entries", "average change from baseline to final", 19.5),
    ("entries", "what share of the wheat entries are severe?", 50.0),
])
def test_numbers(table: str, question: str, value: float) -> None:
    assert answer(table, question) == pytest.approx(value)


@pytest.mark.parametrize("table, question, expected", [
    ("gifts", "average gift by channel", GIFTS.groupby("channel").amountGBP.mean()),
    ("gifts", "average amount by channel", GIFTS.groupby("channel").amountGBP.mean()),
    ("gifts", "enrolments by region", GIFTS.groupby("region").size()),
    ("entries", "number of entries per crop", FIELDS.groupby("crop").size()),
    ("entries", "average dues by season with more than 320 mm of rainfall",
     FIELDS[FIELDS.rainfall_mm > 320].groupby("season").port_dues.mean()),
])
def test_groups(table: str, question: str, expected: pd.Series) -> None:
    assert answer(table, question).to_dict() == pytest.approx(expected.to_dict())


def test_a_share_of_two_values_is_one_of_each() -> None:
    table = answer("entries", "proportion of F and M by crop")
    assert sorted(float(v) for v in table.to_numpy().ravel()) == pytest.approx([0, 50, 50, 100])


def test_within_says_what_the_whole_is() -> None:
    shares = answer("gifts", "share of gifts by channel within each region")
    wanted = pd.crosstab(GIFTS.region, GIFTS.channel, normalize="index") * 100
    assert shares.loc["North"].to_dict() == pytest.approx(wanted.loc["North"].to_dict())


def test_rows_without_an_amount_have_no_mean() -> None:
    assert ask("entries", "average entry")["outcome"] == "refused"


def test_fields_may_be_rows() -> None:
    frame = FIELDS.rename(columns={"entry_no": "field_no"})
    got = bench_client.ask("how many wheat fields are severe?", {"harvests": frame})
    assert got["plan"]["intent"] == "value", got
