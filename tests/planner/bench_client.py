"""Talks to build/planner-bench as docs/planner.md describes it."""

from __future__ import annotations

import copy
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
from profile_reference import column_name, kind_of, profile_frame, sample_of

BENCH = Path(__file__).resolve().parent.parent.parent / "build" / "planner-bench"


class Bench:
    """A planner-bench that stays: to start one costs more than most questions."""

    def __init__(self) -> None:
        self.process = subprocess.Popen([BENCH], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def ask(self, line: dict) -> dict:
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self) -> None:
        with self.process:
            self.process.stdin.close()
        assert self.process.returncode == 0, self.process.returncode


STAYING: list[Bench] = []


@contextmanager
def staying() -> Iterator[None]:
    """Meanwhile one process answers all; after one that has died, each question has its own."""
    STAYING.append(Bench())
    try:
        yield
    finally:
        if STAYING:
            STAYING.pop().close()


def ask_lines(lines: list[dict]) -> list[dict]:
    """One answer a line."""
    if STAYING:
        try:
            return [STAYING[0].ask(line) for line in lines]
        except (BrokenPipeError, json.JSONDecodeError) as error:
            process = STAYING.pop().process
            process.kill()
            process.communicate()
            raise AssertionError(f"planner-bench died: {process.returncode}") from error
    text = "\n".join(json.dumps(line) for line in lines) + "\n"
    run = subprocess.run([BENCH], input=text, text=True, capture_output=True, check=True)
    answers = [json.loads(line) for line in run.stdout.split("\n") if line]
    assert len(answers) == len(lines), run.stderr
    return answers


def profile_of(frames: dict[str, pd.DataFrame], active: str | None = None) -> dict:
    """A profile of these variables."""
    return {"pandas": pd.__version__, "active": active,
            "frames": [profile_of_one(name, frame) for name, frame in frames.items()]}


CELLS_KEPT = 100_000
KEPT: list[tuple[str, pd.DataFrame, pd.DataFrame, dict]] = []


def profile_of_one(name: str, frame: pd.DataFrame) -> dict:
    """The same one as before, while the frame has the same cells."""
    for known, seen, cells, profile in KEPT:
        if known == name and seen is frame and is_same(cells, frame):
            return copy.deepcopy(profile)
    profile = profile_frame(name, frame)
    if frame.size <= CELLS_KEPT:
        KEPT[8:] = []
        KEPT.insert(0, (name, frame, frame.copy(), copy.deepcopy(profile)))
    return profile


def is_same(one: pd.DataFrame, other: pd.DataFrame) -> bool:
    try:
        return one.equals(other)
    except (TypeError, ValueError):  # cells that cannot be compared
        return False


def ask(question: str, frames: dict[str, pd.DataFrame], previous: list | None = None,
        active: str | None = None) -> dict:
    """The answer to one question about these variables."""
    return ask_lines([{"question": question, "profile": profile_of(frames, active),
                       "previous": previous or []}])[0]


def kinds_of(frame: pd.DataFrame) -> dict[str, str]:
    """Each column's kind, as the profile has it."""
    sample = sample_of(frame)
    return {str(column_name(label)): kind_of(sample.iloc[:, at])
            for at, label in enumerate(frame.columns)}
