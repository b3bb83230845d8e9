"""profile_request: what data is there? For the built-in planner, and for prompts.

Frames of pandas (the variables, and files of the workspace) with their columns' names, types,
counts, ranges and frequent values; of other variables the name and type. Nothing here calls
code of the user's: only pandas' and Python's own types are looked at. What a model gets to see
of it the bridge decides (docs/ask.md).

It is bounded: large frames are described by some of their rows, and what would take too long is
left out. What was found is kept for the next question, until the frame looks different.
"""

import contextlib
import math
import os
import sys
import time
import types
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from . import made, warm
from .columns import (ROWS_SCANNED, Found, add_distances, column_name, describe_column, dtype_name,
                      has_moments, text_of)  # fmt: skip
from .introspect import OutOfTime, limit
from .look import look

MAX_FRAMES = 40
MAX_VARIABLES = 200
MAX_COLUMNS = 10_000  # of all frames; a wider one is described by its first ones
MAX_FILES = 20
MAX_NAME = 500
MAX_SAMPLE_CELL = 80
SAMPLE_ROWS = 3

SECONDS = 3.0  # for all frames, and for all files
CELLS_SCANNED = 4_000_000  # of a frame, when values are counted
LEAST_ROWS_SCANNED = 10_000
FILE_ROWS = 5000
WHOLE_FILE = 8 << 20  # bytes; a larger one is described by its first rows


_UNINTERESTING = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)
_kept: dict[Any, tuple[Any, Found]] = {}


def profile(user_ns: dict[str, Any], hidden: dict[str, Any]) -> Found:
    """Content of the profile_reply."""
    frames: list[Found] = []
    variables: list[Found] = []
    if "pandas" not in sys.modules and _are_files_there():
        warm.load("pandas")  # the first question of the day may be about them
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
    columns: list[Found] = []
    moments: list[tuple[Found, Any]] = []
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
        if columns[-1].get("kind") == "date" and has_moments(columns[-1]):
            moments.append((columns[-1], part))
    with contextlib.suppress(Exception):  # of cells that do not take to being subtracted
        add_distances(moments)
    return {"rows": rows, "columns": columns, "sample": sample(frame)}, is_whole


def _columns(frame: Any, some: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Label, cells and some of them: by pandas' items(), ten times as fast as iloc[:, at]."""
    import pandas as pd

    parts = pd.DataFrame.items(some) if some is not frame else None
    for label, cells in islice(pd.DataFrame.items(frame), MAX_COLUMNS):
        yield label, cells, next(parts)[1] if parts is not None else cells


def sample(frame: Any) -> list[list[Any]]:
    """Some rows, for prompts at the level that allows them."""
    rows = frame.iloc[:SAMPLE_ROWS]
    columns = [[_cell(value) for value in cells] for _, cells, _ in _columns(rows, rows)]
    return [[cells[at] for cells in columns] for at in range(len(rows))]


def _cell(value: Any) -> Any:
    if value is None or isinstance(value, (bool, str)):
        return text_of(value, MAX_SAMPLE_CELL) if isinstance(value, str) else value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    module = type(value).__module__.split(".")[0]
    return text_of(value, MAX_SAMPLE_CELL) if module in ("pandas", "numpy", "datetime") else "?"


# --- files of the workspace --------------------------------------------------------------------


def _are_files_there() -> bool:
    with contextlib.suppress(OutOfTime), limit(SECONDS):
        return any(table_files())
    return False


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
