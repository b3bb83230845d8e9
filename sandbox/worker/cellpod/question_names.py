"""complete_request behind %%ask, %ask and %fix: the tables and columns that a question may name."""

import contextlib
import csv
import re
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from . import introspect
from .envelope import Request
from .profile import MAX_FILES, table_files

MAX_MATCHES = 300
MAX_COLUMNS = 2000  # of a table
MAX_HEADER = 64 << 10  # characters of a file's first line
WORDS = 4  # that a name may have before the cursor
_MAGIC = re.compile(r"\s*(%%?ask|%%?fix)\s")

Name = tuple[str, str]  # and what it is of


def answer(shell: Any, request: Request) -> dict[str, Any] | None:
    """None where the cursor is in no question."""
    code = introspect.code_of(request.content)
    cursor = introspect.cursor_of(request.content, code)
    magic = _MAGIC.match(code)
    if magic is None or cursor < magic.end():
        return None
    found: dict[str, Any] = {"matches": [], "cursor_start": cursor, "cursor_end": cursor}
    with contextlib.suppress(introspect.OutOfTime), introspect.limit(introspect.BUDGET):
        found = complete(code, cursor, shell.user_ns, shell.user_ns_hidden)
    types = found.pop("types", [])
    return {"status": "ok", **found, "metadata": {introspect.TYPES: types}}


def complete(code: str, cursor: int, namespace: dict[str, Any], hidden: Any) -> dict[str, Any]:
    """The longest beginning that some name has counts:
    "total order d" is completed with "Order Date", whose first word was there already."""
    known = list(_names(namespace, hidden))
    for start in _starts(code[:cursor]):
        begun = code[start:cursor].casefold()
        fit = dict((name, kind) for name, kind in known if name.casefold().startswith(begun))
        if fit:
            some = list(fit.items())[:MAX_MATCHES]
            types = [{"start": start, "end": cursor, "text": name, "type": kind, "signature": ""}
                     for name, kind in some]  # fmt: skip
            return {"matches": [name for name, _ in some], "cursor_start": start,
                    "cursor_end": cursor, "types": types}  # fmt: skip
    return {"matches": [], "cursor_start": cursor, "cursor_end": cursor, "types": []}


def _starts(before: str) -> list[int]:
    """Where the name at the cursor may begin, the farthest first; flags do not belong to it."""
    line = before.rpartition("\n")[2]
    offset = len(before) - len(line)
    found = [offset + match.start() for match in re.finditer(r"[\w$]+", line)]
    return found[-WORDS:] if before[-1:].strip() else [*found[-WORDS:], len(before)]


def _names(namespace: dict[str, Any], hidden: Any) -> Iterator[Name]:
    pandas = sys.modules.get("pandas")
    for name, value in list(namespace.items()):
        is_theirs = isinstance(name, str) and name[:1] != "_" and name not in hidden
        if pandas is not None and is_theirs and issubclass(type(value), pandas.DataFrame):
            yield name, "table"
            for label in value.columns[:MAX_COLUMNS].tolist():
                if isinstance(label, str) and label.strip() and "\n" not in label:
                    yield label.encode("utf-8", "replace").decode(), "column"
    for path in islice(table_files(), MAX_FILES):
        yield path.stem, "table"
        if path.suffix.lower() == ".csv":
            yield from ((label, "column") for label in _header(path))


def _header(path: Path) -> list[str]:
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            row = next(csv.reader([file.readline(MAX_HEADER)]), [])
    except (OSError, ValueError, csv.Error):
        return []
    return [label for label in islice(row, MAX_COLUMNS) if label.strip()]
