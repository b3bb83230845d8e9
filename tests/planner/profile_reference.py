"""How a profile is made from a DataFrame: what the planner is told about the data.

The sandbox's worker describes its frames the same way (docs/planner.md). Nothing here calls
code of the user's: only pandas' own types are looked at.
"""

from __future__ import annotations

import json
import math
import re
import warnings

import pandas as pd
from pandas.api import types

ROWS_SCANNED = 200_000
SAMPLE_ROWS = 3
VALUES_MAX = 1000
FORMS_MAX = 20
FORMS_READ = 1000
VALUE_CHARACTERS = 200
DATE_SHARE = 0.9
CODE = r"(?i)(?!jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{1,4}[-_#/ ]?\d+"
CLOCK = r"\d{1,2}(:\d\d){0,2} ?([ap]m)?"
SPAN = rf"(?i){CLOCK} ?(-|–|—|to) ?{CLOCK}"
PAIR = r"\d{1,3}[-/.]\d{1,3}"
RANK = r"\D*\d{1,2}\D*"
MONTH = r"(?i)\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
VERSION = r"v?\d{1,3}\.\d{1,3}\.\d"
TIME_OF_DAY = r"(?i)\s*\d{1,2}:[0-5]\d(\s*[ap]\.?m\.?|:[0-5]\d\s*[ap]\.?m\.?)?\s*"
CLOCKS_READ = 1000
LENGTH = r"\s*\d{1,3}:[0-5]\d:[0-5]\d(\.\d+)?\s*"


def profile_frame(name: str, frame: pd.DataFrame) -> dict:
    """One entry of the profile's "frames"."""
    sample = sample_of(frame)
    columns = [profile_column(label, sample.iloc[:, at], len(frame))
               for at, label in enumerate(frame.columns)]
    add_distances(columns, sample)
    return {"name": name, "kind": "frame", "rows": len(frame), "columns": columns,
            "sample": [[cell if isinstance(cell, str) else None for cell in row]
                       for row in frame.head(SAMPLE_ROWS).itertuples(index=False, name=None)]}


def sample_of(frame: pd.DataFrame) -> pd.DataFrame:
    return frame if len(frame) <= ROWS_SCANNED else frame.sample(ROWS_SCANNED, random_state=0)


def add_distances(columns: list[dict], sample: pd.DataFrame) -> None:
    """How far apart moments are from those of each such column before, in the middle."""
    read = []
    for at, about in enumerate(columns):
        if "first" not in about or "whole_days" in about or not isinstance(about["name"], str):
            continue
        dates = to_dates(sample.iloc[:, at].head(CLOCKS_READ), about.get("day_first", False))
        apart = {name: (dates - other).abs().median().total_seconds() for name, other in read}
        apart = {name: seconds for name, seconds in apart.items() if seconds == seconds}
        if apart:
            about["apart"] = apart
        read.append((about["name"], dates))
        if len(read) == 5:
            return


def profile_column(label: object, cells: pd.Series, rows: int) -> dict:
    """A column's kind, size and range, and its values where they are few."""
    about = {"name": column_name(label), "dtype": str(cells.dtype), "kind": kind_of(cells),
             "nulls": int(cells.isna().sum()), "unique": count_unique(cells)}
    if len(cells) < rows and about["unique"] is not None and about["unique"] > len(cells) // 2:
        about["unique"] = None  # of a sample, not a bound for the whole
    if about["kind"] == "number":
        about.update(number_range(cells))
    elif about["kind"] == "date" and has_no_days(cells):
        return about | {"clock": True}
    elif about["kind"] == "date":
        about.update(date_range(cells))
    if about["kind"] in ("text", "bool") and 0 < (about["unique"] or 0) <= VALUES_MAX:
        about["values"] = [str(value)[:VALUE_CHARACTERS] for value in cells.dropna().unique()]
    elif about["kind"] == "text" and about["unique"]:
        about["forms"] = forms(cells.dropna())
    if about["kind"] not in ("number", "bool"):
        about.update(lengths(cells.dropna()))
    return about


def column_name(label: object) -> object:
    """Strings stand for themselves, other labels for what they are in Python."""
    if isinstance(label, str):
        return label.encode("utf-8", "replace").decode()
    if isinstance(label, bool) or not isinstance(label, (int, float)):
        return {"repr": repr(label)[:VALUE_CHARACTERS]}
    return label if math.isfinite(label) else {"repr": repr(label)}


def kind_of(cells: pd.Series) -> str:
    """What the cells are: number, text, date, bool or other."""
    if types.is_bool_dtype(cells.dtype):
        return "bool"
    if types.is_numeric_dtype(cells.dtype) and not types.is_complex_dtype(cells.dtype):
        return "number"
    if types.is_datetime64_any_dtype(cells.dtype) or isinstance(cells.dtype, pd.PeriodDtype):
        return "date"
    if isinstance(cells.dtype, pd.CategoricalDtype):
        return "text"
    if types.is_object_dtype(cells.dtype) or types.is_string_dtype(cells.dtype):
        return kind_of_objects(cells.dropna().head(200))
    return "other"


def kind_of_objects(some: pd.Series) -> str:
    """Text, or dates written as text, or neither."""
    if not len(some):
        return "text"
    if not all(isinstance(value, str) for value in some):
        return "text" if are_numbers_written(some) else "other"
    if some.str.contains(r"\d", regex=True).mean() < DATE_SHARE:
        return "text"
    if pd.to_numeric(some, errors="coerce").notna().mean() > 1 - DATE_SHARE:
        return "text"
    if some.str.fullmatch(CODE).mean() > 1 - DATE_SHARE:
        return "text"
    if (some.str.fullmatch(RANK) & ~some.str.contains(MONTH, regex=True)).mean() > 1 - DATE_SHARE:
        return "text"
    if some.str.fullmatch(f"{SPAN}|{PAIR}|{VERSION}").mean() > 1 - DATE_SHARE:
        return "text"
    return "date" if to_dates(some).notna().mean() >= DATE_SHARE else "text"


def are_numbers_written(some: pd.Series) -> bool:
    """Whether these are numbers, of which some were read as text: 12.5, "13.1 C"."""
    texts = [value for value in some if isinstance(value, str)]
    return (sum(bool(re.search(r"\d", text)) for text in texts) >= DATE_SHARE * len(texts) > 0
            and all(isinstance(value, (str, int, float)) for value in some)
            and not any(isinstance(value, bool) for value in some))


def forms(cells: pd.Series) -> list[str]:
    """A text of each way in which they are written, numbers aside."""
    known: dict[str, str] = {}
    for text in map(str, cells.head(FORMS_READ)):
        known.setdefault(re.sub(r"\d+", "0", text), text[:VALUE_CHARACTERS])
    return list(known.values())[:FORMS_MAX]


def count_unique(cells: pd.Series) -> int | None:
    """How many different values; None where they cannot be compared."""
    try:
        return int(cells.nunique())
    except TypeError:
        return None


def number_range(cells: pd.Series) -> dict:
    """Least and greatest, whether all are whole, and whether some are infinite."""
    numbers = pd.to_numeric(cells.dropna(), errors="coerce").astype(float).dropna()
    finite = numbers[numbers.abs() != math.inf]
    about = {"infinite": True} if len(finite) < len(numbers) else {}
    if len(finite):
        about.update({"min": float(finite.min()), "max": float(finite.max()),
                      "integer": bool((finite % 1 == 0).all())})
    return about


def to_dates(cells: pd.Series, day_first: bool = False) -> pd.Series:
    mixed = {"format": "mixed"} if int(pd.__version__.split(".")[0]) >= 2 else {}
    return pd.to_datetime(cells, errors="coerce", utc=True, dayfirst=day_first, **mixed)


def has_day_first(cells: pd.Series) -> bool:
    """Whether some date is like 31/12/2024: then all are written so."""
    text = cells.dropna().astype(str)
    first = text.str.extract(r"^\s*(\d{1,2})[/.-]\d{1,2}[/.-]\d{2,4}\b", expand=False).dropna()
    return bool(len(first)) and bool((first.astype(int) > 12).any())


def has_no_days(cells: pd.Series) -> bool:
    """Times of the day alone: "14:05", "2:05 pm"."""
    texts = [value for value in cells.dropna().head(CLOCKS_READ)]
    return bool(texts) and all(isinstance(value, str) and re.fullmatch(TIME_OF_DAY, value)
                               for value in texts)


def are_mixed(cells: pd.Series, day_first: bool) -> bool:
    """Whether some are lost where all are read as the first is written."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        read = pd.to_datetime(cells, errors="coerce", utc=True, dayfirst=day_first)
    return bool(read.notna().sum() < to_dates(cells, day_first).notna().sum())


def date_range(cells: pd.Series) -> dict:
    """First and last day, and whether days come first."""
    if isinstance(cells.dtype, pd.PeriodDtype):
        cells = cells.astype(str)
    day_first = cells.dtype.kind not in "Mm" and has_day_first(cells)
    dates = (cells if cells.dtype.kind == "M" else to_dates(cells, day_first)).dropna()
    if not len(dates):
        return {}
    about = {"first": dates.min().date().isoformat(), "last": dates.max().date().isoformat()}
    if not (dates - dates.dt.floor("D")).any():
        about["whole_days"] = True
    if cells.dtype.kind != "M" and are_mixed(cells, day_first):
        about["mixed"] = True
    return {**about, "day_first": True} if day_first else about


def lengths(cells: pd.Series) -> dict:
    """Of spans of time, and of text like "00:04:36", the least, the middle and the most in seconds."""
    if cells.dtype.kind not in "mM" and len(cells) and all(isinstance(value, str) for value in cells):
        if cells.str.fullmatch(LENGTH).mean() < DATE_SHARE:
            return {}
        cells = pd.to_timedelta(cells.str.strip(), errors="coerce").dropna()
    if cells.dtype.kind != "m" or not len(cells):
        return {}
    seconds = cells.dt.total_seconds()
    return {"seconds": {"min": seconds.min(), "median": seconds.median(), "max": seconds.max()}}


def profile(frames: dict[str, pd.DataFrame], active: str | None = None) -> str:
    """The whole profile, as JSON."""
    return json.dumps({
        "pandas": pd.__version__,
        "active": active,
        "frames": [profile_frame(name, frame) for name, frame in frames.items()],
    }, allow_nan=False)
