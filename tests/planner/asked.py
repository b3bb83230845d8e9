"""A question that must be answered, and what its program then shows."""

from __future__ import annotations

import bench_client
import checker
import pandas as pd


def outcome_of(question: str, **frames: pd.DataFrame) -> checker.Outcome:
    """Of the tables, by the names that they have in the notebook; they stay as they are."""
    reply = bench_client.ask(question, frames)
    assert reply["outcome"] == "answered", reply["message"]
    return checker.run(reply["code"], {name: frame.copy() for name, frame in frames.items()})
