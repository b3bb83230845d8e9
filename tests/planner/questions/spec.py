"""How a question and its accepted answers are written down."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

REFUSE = "REFUSE"
CHARTS = ("", "any", "bar", "line", "pie", "hist", "scatter", "box", "heat")
CHART_NAMES = {"heatmap": "heat", "histogram": "hist", "boxplot": "box"}


@dataclass
class Accepted:
    source: str
    assumes: bool = False


@dataclass
class Question:
    id: str
    level: str
    ask: str
    accept: list[Accepted]
    chart: str = ""     # a kind, or "any"; empty: text, a table or a chart will do
    order: bool = False  # the answer's order is part of it
    share: bool = False  # 0.25 and 25 (%) are the same answer

    @property
    def refuses(self) -> bool:
        return any(accepted.source == REFUSE for accepted in self.accept)


def assumes(source: str) -> Accepted:
    """A reading that the answer has to own up to."""
    return Accepted(source, True)


def q(id: str, level: str, ask: str, *accept, chart: str = "", order: bool = False,
      share: bool = False) -> Question:
    level = {"e": "easy", "m": "medium", "h": "hard"}[level]
    chart = CHART_NAMES.get(chart, chart)
    if chart not in CHARTS:
        raise ValueError(f'{id}: a chart "{chart}" is not known; there are {", ".join(CHARTS[1:])}')
    listed = [a if isinstance(a, Accepted) else Accepted(a) for a in accept]
    return Question(id, level, ask, listed, chart, order, share)


# --- answers that are more than a value or a mapping ----------------------------------------------


@dataclass
class Top:
    """The best n of a Series, in order; of equals at the border, any. n=1: also the key alone."""

    series: Any
    n: int = 1
    ascending: bool = False


@dataclass
class Hist:
    """A histogram of these numbers, in whatever bins; several for a dict of Series."""

    values: Any


@dataclass
class Pairs:
    """Points of a scatter plot."""

    x: Any
    y: Any


@dataclass
class Box:
    """Box plots: label to numbers; one without a label for a Series."""

    groups: Any


@dataclass
class Values:
    """A few numbers that belong together, whatever they are called."""

    numbers: list


@dataclass
class Keys:
    """A set of names, or the rows of a table told by one column."""

    keys: Any


def top(series, n=1):
    return Top(series.dropna(), n)


def bottom(series, n=1):
    return Top(series.dropna(), n, True)


def box(frame, by, column):
    return Box({key: group.dropna() for key, group in frame.groupby(by)[column]})


def money(series):
    """Numbers from "$1,234.50", "1 234 EUR", "(12)" and the like."""
    text = series.astype("string").str.replace(r"[^0-9.\-]", "", regex=True)
    return pd.to_numeric(text, errors="coerce")


def flag(series):
    """True and False from yes/no, Y/N, 1/0 in any case; missing stays missing."""
    text = series.astype("string").str.strip().str.lower()
    known = {"yes": True, "y": True, "true": True, "1": True, "1.0": True,
             "no": False, "n": False, "false": False, "0": False, "0.0": False}
    return text.map(known).astype("boolean")


HELPERS = {"pd": pd, "np": np, "Top": Top, "Hist": Hist, "Pairs": Pairs, "Box": Box,
           "Values": Values, "Keys": Keys, "top": top, "bottom": bottom, "box": box,
           "money": money, "flag": flag}


@dataclass
class Table:
    """One module of questions, with its frames made and its helpers ready."""

    name: str
    module: Any
    frames: dict = field(default_factory=dict)
    names: dict = field(default_factory=dict)

    def __post_init__(self):
        self.frames = self.module.make()
        prepared = getattr(self.module, "prepare", lambda **frames: {})
        copies = {name: frame.copy() for name, frame in self.frames.items()}
        self.names = {**HELPERS, **self.frames, **prepared(**copies)}

    @property
    def questions(self) -> list[Question]:
        return self.module.QUESTIONS

    def answers(self, question: Question) -> list[tuple[Accepted, Any]]:
        return [(a, REFUSE if a.source == REFUSE else eval(a.source, dict(self.names)))
                for a in question.accept]
