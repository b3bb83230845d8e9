"""What rows have or lack, what happened to them and how long it took: each answer is recomputed."""

import numpy as np
import pandas as pd
import pytest
import checker
from bench_client import ask

RNG = np.random.default_rng(11)
N = 300
MADE = pd.Timestamp("2024-01-01") + pd.to_timedelta(RNG.integers(0, 200 * 1440, N), unit="min")
DONE = pd.Series(MADE + pd.to_timedelta(RNG.integers(10, 6000, N), unit="min"))
DONE[RNG.random(N) < 0.2] = pd.NaT
REPAIRS = pd.DataFrame(
    {
        "repair_no": np.arange(1, N + 1),
        "received": MADE,
        "finished": DONE,
        "shop": RNG.choice(["East", "West"], N),
        "probe": RNG.choice(["oil", "gas", "noise"], N),
        "probe_value": RNG.normal(50, 9, N).round(1),
        "age_years": RNG.integers(16, 90, N),
        "client": [f"C{i}" for i in RNG.integers(1, 60, N)],
        "complaints": RNG.integers(0, 3, N),
        "credit_eur": np.where(RNG.random(N) < 0.3, 20.0, 0.0),
    }
)
SPENT = (REPAIRS.finished - REPAIRS.received).dt.total_seconds() / 60


@pytest.mark.parametrize(
    "question, wanted",
    [
        ("how many repairs got a credit?", (REPAIRS.credit_eur > 0).sum()),
        ("average credit_eur of repairs with a credit", 20.0),
        ("how many repairs are not finished yet?", REPAIRS.finished.isna().sum()),
        ("mean oil value", REPAIRS[REPAIRS.probe == "oil"].probe_value.mean()),
        ("median minutes from received to finished", SPENT.median()),
        ("average processing time in hours (received to finished)", SPENT.mean() / 60),
            ("how many repairs were finished within 10 hours", (SPENT <= 600).sum()),
    ],
)
def test_is_worked_out_as_meant(question: str, wanted: float) -> None:
    answer = ask(question, {"repairs": REPAIRS})
    assert answer["outcome"] == "answered", answer["message"]
    names = checker.run(answer["code"], {"repairs": REPAIRS.copy()}).names
    assert names["answer"] == pytest.approx(wanted)


@pytest.mark.parametrize(
    "question",
    [
        "where do the repairs come from?",
        "average credit percentage by shop",
        "how many repairs per probe are missing",
    ],
)
def test_what_it_cannot_say_is_refused(question: str) -> None:
    assert ask(question, {"repairs": REPAIRS})["outcome"] == "refused"
