"""profile_request: what data is there? For the built-in planner, and for prompts.

Frames of pandas (the variables, and files of the workspace) with their columns' names, types,
counts, ranges and frequent values; of other variables the name and type. Nothing here calls
code of the user's: only pandas' and Python's own types are looked at. What a model gets to see
of it the bridge decides (docs/ask.md).

It is bounded: large frames are described by some of their rows, and what would take too long is
left out. What was found is kept for the next question, until the frame looks different.
"""

import math
import os
import sys
import time
import types
from collections.abc import Iterator
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any

from . import made
from .introspect import OutOfTime, limit
from .look import look

MAX_FRAMES = 40
MAX_VARIABLES = 200
MAX_COLUMNS = 10_000  # of all frames; a wider one is described by its first ones
MAX_FILES = 20
MAX_NAME = 500
MAX_VALUES = 1000
MAX_VALUE = 200
MAX_SAMPLE_CELL = 80
SAMPLE_ROWS = 3

SECONDS = 3.0  # for all frames, and for all files
CELLS_SCANNED = 4_000_000  # of a frame, when values are counted
ROWS_SCANNED = 200_000
LEAST_ROWS_SCANNED = 10_000
FILE_ROWS = 5000
WHOLE_FILE = 8 << 20  # bytes; a larger one is described by its first rows

DATE_SHARE = 0.9
# "T-00012", "INV 7": names with numbers, which pandas reads as dates of the first century; "May 7" is not one.
CODE = r"(?i)(?!jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{1,4}[-_#/ ]?\d+"
# "10:00-17:00", "9am–5pm", "5-10": of hours, of numbers. Their ends are read as time zones, or as days.
CLOCK = r"\d{1,2}(:\d\d){0,2} ?([ap]m)?"
SPAN = rf"(?i){CLOCK} ?(-|–|—|to) ?{CLOCK}"
# "00:04:36", "31:05:00": a time of the day, or how long something took.
LENGTH = r"\s*\d{1,3}:[0-5]\d:[0-5]\d(\.\d+)?\s*"
LENGTHS_READ = 5000

Found = dict[str, Any]

_UNINTERESTING = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)
_kept: dict[Any, tuple[Any, Found]] = {}


def profile(user_ns: dict[str, Any], hidden: dict[str, Any]) -> Found:
    """Content of the profile_reply."""
    frames: list[Found] = []
    variables: list[Found] = []
    pandas = sys.modules.get("pandas")
    deadline = time.monotonic() + SECONDS
    try:
        with limit(2 * SECONDS):
            for name, value in _named(user_ns, hidden):
                if pandas is not None and issubclass(type(value), pandas.DataFrame):
                    if len(frames) < MAX_FRAMES and _room(frames) > 0:
                        frames.append(_kept_frame(name, value, deadline) | _maker(name, value))
                elif len(variables) < MAX_VARIABLES:
                    about = {"name": name, "type": _type_name(value)}
                    variables.append(about | _maker(name, value))
            if pandas is not None:
                frames += _files(time.monotonic() + SECONDS)
    except OutOfTime:
        pass
    while _room(frames) < 0:
        frames.pop()
    return {"status": "ok", "packages": _versions(), "pandas": _versions().get("pandas", ""),
            "active": None, "frames": frames, "variables": variables}  # fmt: skip


def _room(frames: list[Found]) -> int:
    return MAX_COLUMNS - sum(len(frame["columns"]) for frame in frames)


def _named(user_ns: dict[str, Any], hidden: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in list(user_ns.items()):
        if (isinstance(name, str) and not name.startswith("_") and name not in hidden
                and not issubclass(type(value), _UNINTERESTING)):  # fmt: skip
            yield name, value


def _maker(name: str, value: Any) -> Found:
    """Answers may bind again what answers bound."""
    return {"made": True} if made.is_made(name, value) else {}


def _type_name(value: Any) -> str:
    kind = type(value)
    return (
        kind.__qualname__
        if kind.__module__ == "builtins"
        else (f"{kind.__module__}.{kind.__qualname__}")
    )


def _versions() -> dict[str, str]:
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    for name in ("pandas", "numpy", "matplotlib"):
        version = getattr(sys.modules.get(name), "__version__", None)
        if isinstance(version, str):
            found[name] = version
    return found


# --- frames ----------------------------------------------------------------------------------


def _kept_frame(name: str, frame: Any, deadline: float) -> Found:
    """As it was described before, if it looks the same."""
    key, seen = id(frame), look(frame)
    kept = _kept.get(key)
    if kept is None or seen is None or kept[0] != seen:
        about, is_whole = describe_frame(frame, deadline)
        kept = (seen, about)
        if seen is not None and is_whole:
            while len(_kept) >= 2 * MAX_FRAMES:
                _kept.pop(next(iter(_kept)))
            _kept[key] = kept
    return {"name": name, "kind": "frame"} | kept[1]


def describe_frame(frame: Any, deadline: float) -> tuple[Found, bool]:
    """And whether it is the whole description."""
    rows, width = frame.shape
    scanned = max(LEAST_ROWS_SCANNED, min(ROWS_SCANNED, CELLS_SCANNED // max(1, width)))
    some = frame if rows <= scanned else frame.sample(scanned, random_state=0)
    columns = []
    is_whole = True
    for label, cells, part in _columns(frame, some):
        name = column_name(label)
        if len(name if isinstance(name, str) else str(name)) > MAX_NAME:
            continue
        if time.monotonic() > deadline:
            is_whole = False
            columns.append({"name": name, "dtype": dtype_name(cells.dtype)})
            continue
        try:
            columns.append(describe_column(name, cells, part))
        except Exception:  # of cells that do not take to being compared or counted
            columns.append({"name": name, "dtype": dtype_name(cells.dtype),
                            "kind": "other"})  # fmt: skip
    return {"rows": rows, "columns": columns, "sample": sample(frame)}, is_whole


def _columns(frame: Any, some: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Label, cells and some of them: by pandas' items(), ten times as fast as iloc[:, at]."""
    import pandas as pd

    parts = pd.DataFrame.items(some) if some is not frame else None
    for label, cells in islice(pd.DataFrame.items(frame), MAX_COLUMNS):
        yield label, cells, next(parts)[1] if parts is not None else cells


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
        is_day_first = cells.dtype.kind not in "Mm" and has_day_first(some)
        about |= date_range(cells if cells.dtype.kind == "M" else some, is_day_first)
        about |= {"day_first": True} if is_day_first else {}
    elif kind in ("text", "bool") and 0 < (about["unique"] or 0) <= MAX_VALUES:
        about["values"] = frequent(some)
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
        return "other"
    if some.str.contains(r"\d", regex=True).mean() < DATE_SHARE:
        return "text"
    if pd.to_numeric(some, errors="coerce").notna().mean() > 1 - DATE_SHARE:
        return "text"
    if some.str.fullmatch(CODE).mean() > 1 - DATE_SHARE:
        return "text"
    if some.str.fullmatch(SPAN).mean() > 1 - DATE_SHARE:
        return "text"
    return "date" if _to_dates(some).notna().mean() >= DATE_SHARE else "text"


def _to_dates(cells: Any, is_day_first: bool = False) -> Any:
    import pandas as pd

    mixed = {"format": "mixed"} if int(pd.__version__.split(".")[0]) >= 2 else {}
    return pd.to_datetime(cells, errors="coerce", utc=True, dayfirst=is_day_first, **mixed)


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


def date_range(cells: Any, is_day_first: bool = False) -> Found:
    """First and last moment, and day."""
    import pandas as pd

    if isinstance(cells.dtype, pd.PeriodDtype):
        cells = cells.astype(str)
    dates = cells if cells.dtype.kind == "M" else _to_dates(cells, is_day_first)
    dates = dates.dropna()
    if not len(dates):
        return {}
    first, last = dates.min(), dates.max()
    return {"first": first.date().isoformat(), "last": last.date().isoformat(),
            "min": first.isoformat(), "max": last.isoformat()}  # fmt: skip


def lengths(cells: Any) -> Found:
    """Of spans of time, and of text like "00:04:36", the least, the middle and the most in seconds."""
    import pandas as pd

    some = cells.dropna().head(LENGTHS_READ)
    if some.dtype.kind not in "mM" and len(some) and all(isinstance(value, str) for value in some):
        if some.str.fullmatch(LENGTH).mean() < DATE_SHARE:
            return {}
        some = pd.to_timedelta(some.str.strip(), errors="coerce").dropna()
    if some.dtype.kind != "m" or not len(some):
        return {}
    seconds = some.dt.total_seconds()
    return {"seconds": {"min": float(seconds.min()), "median": float(seconds.median()),
                        "max": float(seconds.max())}}  # fmt: skip


def frequent(cells: Any) -> list[str]:
    """All values, the most frequent first."""
    return [_text(value, MAX_VALUE) for value in cells.value_counts().index]


def _text(value: Any, most: int) -> str:
    return str(value)[:most].encode("utf-8", "replace").decode()


def sample(frame: Any) -> list[list[Any]]:
    """Some rows, for prompts at the level that allows them."""
    rows = frame.iloc[:SAMPLE_ROWS]
    columns = [[_cell(value) for value in cells] for _, cells, _ in _columns(rows, rows)]
    return [[cells[at] for cells in columns] for at in range(len(rows))]


def _cell(value: Any) -> Any:
    if value is None or isinstance(value, (bool, str)):
        return _text(value, MAX_SAMPLE_CELL) if isinstance(value, str) else value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    module = type(value).__module__.split(".")[0]
    return _text(value, MAX_SAMPLE_CELL) if module in ("pandas", "numpy", "datetime") else "?"


# --- files of the workspace --------------------------------------------------------------------


def _files(deadline: float) -> list[Found]:
    """Tables in the working directory and the folders in it."""
    found = []
    for path in table_files():
        if len(found) == MAX_FILES or time.monotonic() > deadline:
            break
        about = _kept_file(path, deadline)
        if about is not None:
            found.append(about)
    return found


def table_files() -> Iterator[Path]:
    """Of which the first MAX_FILES are described."""
    try:
        here = sorted(Path().iterdir())
        folders = [path for path in here if path.is_dir() and not path.name.startswith(".")]
        inside = [path for folder in folders[:MAX_FILES] for path in _listed(folder)]
    except OSError:
        return
    for path in here + inside:
        if path.suffix.lower() in _READERS and not path.name.startswith(".") and path.is_file():
            yield path


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())[: 10 * MAX_FILES]
    except OSError:
        return []


def _kept_file(path: Path, deadline: float) -> Found | None:
    try:
        stat = os.stat(path)
        key, look = str(path), (stat.st_mtime_ns, stat.st_size)
        if _kept.get(key, (None,))[0] != look:
            _kept[key] = (look, _describe_file(path, stat.st_size, deadline))
        return _kept[key][1]
    except Exception:  # no table after all
        return None


def _describe_file(path: Path, size: int, deadline: float) -> Found:
    form, read = _READERS[path.suffix.lower()]
    frame, rows = read(path, size)
    about, _ = describe_frame(frame, deadline)
    del about["sample"]
    if rows is None or rows > len(frame):  # what was counted is of its first rows
        about["rows"] = rows
        for column in about["columns"]:
            for name in ("nulls", "unique"):
                column[name] = None
            for name in ("min", "max", "mean", "median", "std", "first", "last"):
                column.pop(name, None)
    return {"name": path.stem, "kind": "file", "path": str(path), "format": form} | about


def _read_csv(path: Path, size: int) -> tuple[Any, int | None]:
    import pandas as pd

    some = {} if size <= WHOLE_FILE else {"nrows": FILE_ROWS}
    separator = {"sep": "\t"} if path.suffix.lower() == ".tsv" else {}
    frame = pd.read_csv(path, **some, **separator)
    return frame, None if some else len(frame)


def _read_excel(path: Path, size: int) -> tuple[Any, int | None]:
    import pandas as pd

    if size > WHOLE_FILE:
        raise ValueError("too large to look into")
    frame = pd.read_excel(path, nrows=FILE_ROWS)
    return frame, len(frame) if len(frame) < FILE_ROWS else None


def _read_parquet(path: Path, _size: int) -> tuple[Any, int | None]:
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        batch = next(file.iter_batches(batch_size=FILE_ROWS))
        return batch.to_pandas(), file.metadata.num_rows


_READERS = {
    ".csv": ("csv", _read_csv),
    ".tsv": ("tsv", _read_csv),
    ".xlsx": ("excel", _read_excel),
    ".parquet": ("parquet", _read_parquet),
}
