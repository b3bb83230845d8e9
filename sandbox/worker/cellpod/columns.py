"""What a column of pandas' holds: kind, size, range, and its values where they are few.

Nothing here calls code of the user's: only pandas' and Python's own types are looked at.
"""

import math
import warnings
from datetime import date
from typing import Any

MAX_VALUES = 1000
MAX_VALUE = 200
MAX_FORMS = 20
FORMS_READ = 1000  # cells

ROWS_SCANNED = 200_000

DATE_SHARE = 0.9
# "T-00012", "INV 7": names with numbers, which pandas reads as dates of the first century; "May 7" is not one.
CODE = r"(?i)(?!jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{1,4}[-_#/ ]?\d+"
# "10:00-17:00", "9am–5pm", "5-10": of hours, of numbers. Their ends are read as time zones, or as days.
CLOCK = r"\d{1,2}(:\d\d){0,2} ?([ap]m)?"
SPAN = rf"(?i){CLOCK} ?(-|–|—|to) ?{CLOCK}"
# "05/012": a number of two parts, neither of which is a year.
PAIR = r"\d{1,3}[-/.]\d{1,3}"
# "1st", "Year 2", "Q3": one number, and no month: of some rank, and no day.
RANK = r"\D*\d{1,2}\D*"
MONTH = r"(?i)\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
# "4.6.0": of some software; years have two digits at least.
VERSION = r"v?\d{1,3}\.\d{1,3}\.\d"
# "00:04:36", "31:05:00": a time of the day, or how long something took.
LENGTH = r"\s*\d{1,3}:[0-5]\d:[0-5]\d(\.\d+)?\s*"
# "14:05", "2:05 pm": a time of the day, without a day.
TIME_OF_DAY = r"(?i)\s*\d{1,2}:[0-5]\d(\s*[ap]\.?m\.?|:[0-5]\d\s*[ap]\.?m\.?)?\s*"
LENGTHS_READ = 5000
CLOCKS_READ = 1000  # dates
MAX_MOMENTS = 5  # columns
LENGTHS_TRIED = 50  # most columns of text are none, and cost no more

Found = dict[str, Any]


def describe_column(name: Any, cells: Any, some: Any) -> Found:
    """A column's kind, size and range, and its values where they are few. Counts and ranges
    are of all rows where that is fast, values of `some`."""
    if _is_plain_number(cells.dtype):
        return describe_numbers(name, cells.to_numpy(), some.to_numpy())
    kind = kind_of(some)
    about: Found = {"name": name, "dtype": dtype_name(cells.dtype), "kind": kind,
                    "nulls": int(cells.isna().sum()), "unique": count_unique(some)}  # fmt: skip
    is_part = len(some) < len(cells)
    if is_part and about["unique"] is not None and about["unique"] > len(some) // 2:
        about["unique"] = None  # no bound for the whole
    if kind == "number":
        about |= number_range(cells)
    elif kind == "date":
        if has_no_days(some):
            return about | {"clock": True}
        is_day_first = cells.dtype.kind not in "Mm" and has_day_first(some)
        about |= date_range(cells if cells.dtype.kind == "M" else some, is_day_first)
        about |= {"day_first": True} if is_day_first else {}
    elif kind in ("text", "bool") and 0 < (about["unique"] or 0) <= MAX_VALUES:
        about["values"] = frequent(some)
    elif kind == "text" and about["unique"]:
        about["forms"] = forms(some)
    if kind not in ("number", "bool"):
        about |= lengths(some)
    return about


def _is_plain_number(dtype: Any) -> bool:
    import numpy as np

    return isinstance(dtype, np.dtype) and dtype.kind in "iuf"


def describe_numbers(name: Any, cells: Any, some: Any) -> Found:
    """As describe_column(), of an array of numpy's: most columns of wide frames are one, and
    pandas takes a millisecond for each."""
    import pandas as pd

    whole = cells if cells.dtype.kind != "f" else cells[cells == cells]
    part = some if some.dtype.kind != "f" else some[some == some]
    unique: int | None = len(pd.unique(part))
    if len(some) < len(cells) and unique > len(some) // 2:
        unique = None
    return {"name": name, "dtype": dtype_name(cells.dtype), "kind": "number",
            "nulls": len(cells) - len(whole), "unique": unique} | range_of(whole)  # fmt: skip


def column_name(label: Any) -> Any:
    """Strings stand for themselves, other labels for what they are in Python."""
    if isinstance(label, str):
        return label.encode("utf-8", "replace").decode()
    if isinstance(label, bool) or not isinstance(label, (int, float)):
        return {"repr": _repr(label)}
    return label if math.isfinite(label) and abs(label) < 2**53 else {"repr": repr(label)}


def _repr(label: Any) -> str:
    """Of labels that are pandas' or Python's own; others would run the user's code."""
    known = type(label).__module__.split(".")[0] in (
        "builtins", "pandas", "numpy", "datetime", "decimal")  # fmt: skip
    return repr(label)[:MAX_VALUE] if known else f"<{type(label).__name__}>"


def dtype_name(dtype: Any) -> str:
    """Without any values: a category's are data."""
    return str(getattr(dtype, "name", dtype))


def kind_of(cells: Any) -> str:
    """What the cells are: number, text, date, bool or other."""
    import pandas as pd
    from pandas.api import types as kinds

    dtype = cells.dtype
    if kinds.is_bool_dtype(dtype):
        return "bool"
    if kinds.is_numeric_dtype(dtype) and not kinds.is_complex_dtype(dtype):
        return "number"
    if kinds.is_datetime64_any_dtype(dtype) or isinstance(dtype, pd.PeriodDtype):
        return "date"
    if isinstance(dtype, pd.CategoricalDtype):
        return "text"
    if kinds.is_object_dtype(dtype) or kinds.is_string_dtype(dtype):
        return kind_of_objects(cells.dropna().head(200))
    return "other"


def kind_of_objects(some: Any) -> str:
    """Text, or dates written as text, or neither."""
    import pandas as pd

    if not len(some):
        return "text"
    if all(isinstance(value, date) for value in some):
        return "date"
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
    return "date" if _to_dates(some)[0].notna().mean() >= DATE_SHARE else "text"


def are_numbers_written(some: Any) -> bool:
    """Whether these are numbers, of which some were read as text: 12.5, "13.1 C"."""
    texts = [value for value in some if isinstance(value, str)]
    written = sum(any(map(str.isdigit, text)) for text in texts)
    return written >= DATE_SHARE * len(texts) > 0 and all(
        isinstance(value, (str, int, float)) and not isinstance(value, bool) for value in some
    )


def _to_dates(cells: Any, is_day_first: bool = False) -> tuple[Any, bool]:
    """Dates, and whether they are not all written as the first of them is. To read each by
    itself takes fifty times as long."""
    import pandas as pd

    how: Found = {"errors": "coerce", "utc": True, "dayfirst": is_day_first}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the first does not tell how they are written
        read = pd.to_datetime(cells, **how)
    if int(pd.__version__.split(".")[0]) < 2 or read.isna().sum() == cells.isna().sum():
        return read, False
    each = pd.to_datetime(cells, format="mixed", **how)
    return each, bool(each.notna().sum() > read.notna().sum())


def count_unique(cells: Any) -> int | None:
    """How many different values; None where they cannot be compared."""
    try:
        return int(cells.nunique())
    except TypeError:
        return None


def number_range(cells: Any) -> Found:
    """range_of() any numbers of pandas'."""
    import numpy as np

    return range_of(cells.dropna().to_numpy(dtype=float, na_value=np.nan))


def range_of(numbers: Any) -> Found:
    """Range and middle, whether all are whole, and whether some are infinite."""
    import numpy as np

    numbers = numbers.astype(float, copy=False)
    finite = numbers[np.isfinite(numbers)]
    about: Found = {"infinite": True} if len(finite) < len(numbers) else {}
    if not len(finite):
        return about
    part = finite if len(finite) <= ROWS_SCANNED else finite[:: len(finite) // ROWS_SCANNED]
    about |= {"min": float(finite.min()), "max": float(finite.max()),
              "mean": float(finite.mean()), "median": float(np.median(part)),
              "integer": bool((part % 1 == 0).all())}  # fmt: skip
    if len(part) > 1:
        about["std"] = float(part.std(ddof=1))
    return {key: value for key, value in about.items()
            if not isinstance(value, float) or math.isfinite(value)}  # fmt: skip


def has_day_first(cells: Any) -> bool:
    """Whether some date is like 31/12/2024: then all are written so."""
    text = cells.dropna().astype(str)
    first = text.str.extract(r"^\s*(\d{1,2})[/.-]\d{1,2}[/.-]\d{2,4}\b", expand=False).dropna()
    return bool(len(first)) and bool((first.astype(int) > 12).any())


def has_no_days(cells: Any) -> bool:
    """Whether what reads as dates is times of the day alone."""
    text = cells.dropna().head(CLOCKS_READ)
    return bool(text.dtype.kind not in "Mm" and len(text)
                and all(isinstance(value, str) for value in text)
                and text.str.fullmatch(TIME_OF_DAY).all())  # fmt: skip


def date_range(cells: Any, is_day_first: bool = False) -> Found:
    """First and last moment, and day; whether they lack times of the day."""
    import pandas as pd

    if isinstance(cells.dtype, pd.PeriodDtype):
        cells = cells.astype(str)
    dates, is_mixed = (cells, False) if cells.dtype.kind == "M" else _to_dates(cells, is_day_first)
    dates = dates.dropna()
    if not len(dates):
        return {}
    first, last = dates.min(), dates.max()
    about: Found = {"first": first.date().isoformat(), "last": last.date().isoformat(),
                    "min": first.isoformat(), "max": last.isoformat()}  # fmt: skip
    some = dates.head(CLOCKS_READ)
    if (some == some.dt.normalize()).all():
        about["whole_days"] = True
    return about | {"mixed": True} if is_mixed else about


def has_moments(about: Found) -> bool:
    """Whether a described column has days with times of the day."""
    return (isinstance(about["name"], str) and about.get("first") is not None
            and not about.get("whole_days"))  # fmt: skip


def add_distances(moments: list[tuple[Found, Any]]) -> None:
    """Adds to columns of moments how far apart they are from each one before, in the middle."""
    import pandas as pd

    read: list[tuple[Found, Any]] = []
    for about, cells in moments[:MAX_MOMENTS]:
        cells = cells.head(CLOCKS_READ)
        if isinstance(cells.dtype, pd.PeriodDtype):
            cells = cells.astype(str)
        if cells.dtype.kind != "M" or cells.dt.tz is not None:
            cells = _to_dates(cells, about.get("day_first", False))[0].dt.tz_localize(None)
        apart = {}
        for other, dates in read:
            distance = (cells - dates).abs().median().total_seconds()
            if distance == distance:
                apart[other["name"]] = distance
        if apart:
            about["apart"] = apart
        read.append((about, cells))


def lengths(cells: Any) -> Found:
    """Of spans of time, and of text like "00:04:36", the least, the middle and the most in seconds."""
    import pandas as pd

    some = cells.head(LENGTHS_READ).dropna()  # of all rows that would take milliseconds
    if not len(some):
        some = cells.dropna().head(LENGTHS_READ)
    if some.dtype.kind not in "mM":
        if not _are_lengths(some):
            return {}
        some = pd.to_timedelta(some.str.strip(), errors="coerce").dropna()
    if some.dtype.kind != "m" or not len(some):
        return {}
    seconds = some.dt.total_seconds()
    return {"seconds": {"min": float(seconds.min()), "median": float(seconds.median()),
                        "max": float(seconds.max())}}  # fmt: skip


def _are_lengths(some: Any) -> bool:
    first = some.head(LENGTHS_TRIED)
    if not all(isinstance(value, str) for value in first) or not first.str.fullmatch(LENGTH).any():
        return False
    return (all(isinstance(value, str) for value in some)
            and some.str.fullmatch(LENGTH).mean() >= DATE_SHARE)  # fmt: skip


def frequent(cells: Any) -> list[str]:
    """All values, the most frequent first."""
    return [text_of(value, MAX_VALUE) for value in cells.value_counts().index]


def forms(cells: Any) -> list[str]:
    """A text of each way in which they are written, numbers aside: "12.50", "EUR 12.50"."""
    texts = cells.dropna().head(FORMS_READ).astype(str)
    ways = texts.str.replace(r"\d+", "0", regex=True)
    return [text_of(text, MAX_VALUE) for text in texts[~ways.duplicated()].head(MAX_FORMS)]


def text_of(value: Any, most: int) -> str:
    return str(value)[:most].encode("utf-8", "replace").decode()
