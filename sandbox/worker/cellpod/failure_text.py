"""Text where numbers or dates are needed. failures.py has the rest."""

import ast
import re
from collections.abc import Iterator
from typing import Any

from .columns import dtype_name, has_day_first, kind_of

MAX_CELLS = 20_000  # of a column, that are looked at
MOST_LOST = 0.1
# "(5)" is -5 to an accountant: it is left alone.
_NUMBER = r"[^\d.,\-()]{0,5}-?[^\d.,\-()]{0,5}(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?[^\d.,\-()]{0,5}"
_SCALES = {"k", "m", "b", "t", "bn", "mn", "mio", "tsd"}  # "1.2k" is not 1.2
_ABSENT = ("", "-", "--", "?", "n/a", "na", "nan", "none", "null", "missing", "unknown")
_OF_NUMBERS = re.compile(
    r"str|string|object|numeric|convert|float|concatenate|could not|agg function|no numeric"
)
_OF_DATES = re.compile(
    r"\.dt accessor|operation 'r?sub'|Timestamp|datetime|DatetimeIndex|date|'str' and 'str'"
)


def dates(failure: Any) -> dict[str, Any] | None:
    if not isinstance(failure.error, (AttributeError, TypeError)):
        return None
    if not _OF_DATES.search(failure.message) or failure.pandas is None:
        return None
    for found in _texts_in(failure):
        about = _as_dates(failure.pandas, found.pop("cells"))
        if about:
            return {"kind": "dates", **found, **about}
    return None


def numbers(failure: Any) -> dict[str, Any] | None:
    if not isinstance(failure.error, (TypeError, ValueError)) or failure.pandas is None:
        return None
    if not _OF_NUMBERS.search(failure.message):
        return None
    for found in _texts_in(failure):
        about = _as_numbers(failure.pandas, found.pop("cells"))
        if about:
            return {"kind": "numbers", **found, **about}
    return None


def _texts_in(failure: Any) -> Iterator[dict[str, Any]]:
    """Columns of text that the statement takes from a frame: as `frame["column"]`, to be
    converted where they stand; or by name in a call on `frame`, to be converted before it."""
    seen = set()
    for node in failure.nodes(failure.statement, ast.Subscript, ast.Attribute):
        frame, column = failure.frame_called(node.value), _column_of(node)
        if frame is not None and isinstance(node.ctx, ast.Load) and _is_text(frame, column):
            seen.add((node.value.id, column))
            same = (other for other in failure.nodes(failure.statement, type(node))
                    if ast.dump(other) == ast.dump(node))  # fmt: skip
            yield {"found": column, "where": node.value.id, "cells": frame[column],
                   "spots": failure.spots(same)}  # fmt: skip
    held = [node for node in failure.nodes(failure.statement, ast.Name)
            if failure.frame_called(node) is not None]  # fmt: skip
    for text in failure.nodes(failure.statement, ast.Constant, ast.Attribute):
        column = text.attr if isinstance(text, ast.Attribute) else text.value
        for name in held:
            frame = failure.frame_called(name)
            if (name.id, column) in seen or not _is_text(frame, column):
                continue
            yield {"found": column, "where": name.id, "cells": frame[column],
                   "whole": True, "spots": failure.spots([name])}  # fmt: skip


def _column_of(node: Any) -> Any:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.slice.value if isinstance(node.slice, ast.Constant) else None


def _is_text(frame: Any, column: Any) -> bool:
    if not isinstance(column, str) or column not in frame.columns:
        return False
    cells = frame[column]
    return cells.ndim == 1 and dtype_name(cells.dtype) in ("object", "str", "string", "category")


def _some(cells: Any) -> Any:
    return cells.iloc[:MAX_CELLS].dropna()


def _as_dates(pandas: Any, cells: Any) -> dict[str, Any] | None:
    some = _some(cells)
    if not len(some) or kind_of(some) != "date":
        return None
    is_day_first = has_day_first(some)
    mixed = {"format": "mixed"} if int(pandas.__version__.split(".")[0]) >= 2 else {}
    read = pandas.to_datetime(some, errors="coerce", dayfirst=is_day_first)
    is_mixed = bool(read.isna().any()) and bool(mixed)
    if is_mixed:
        read = pandas.to_datetime(some, errors="coerce", dayfirst=is_day_first, **mixed)
    return {"day_first": is_day_first, "mixed": is_mixed, **_loss(read, some)}


def _as_numbers(pandas: Any, cells: Any) -> dict[str, Any] | None:
    some = _some(cells)
    if not len(some):
        return None
    text = some.astype(str)
    plain = pandas.to_numeric(text, errors="coerce")
    if not plain.isna().any():
        return {"marked": False, "lost": 0}
    read = text.where(text.str.strip().str.fullmatch(_NUMBER) & text.str.contains(r"\d"))
    is_absent = text.str.strip().str.casefold().isin(_ABSENT)
    marks = set(text[~is_absent].str.replace(r"[\d.,\-\s]", "", regex=True).str.casefold()) - {""}
    if len(marks) > 1 or marks & _SCALES:  # $ and €, kg and lb
        return None
    if (read.isna() & ~is_absent).mean() > MOST_LOST or read.isna().all():
        return None
    return {"marked": True, **_loss(read, some)}


def _loss(read: Any, some: Any) -> dict[str, Any]:
    return {"lost": int(read.isna().sum()), "of": len(some)}


def concatenations(failure: Any) -> dict[str, Any] | None:
    """ "total: " + 5: exactly where it failed."""
    if not isinstance(failure.error, TypeError) or not failure.at:
        return None
    if not re.search(r"concatenate str|'str'|ufunc 'add'", failure.message):
        return None
    line, end_line, start, end = failure.at
    for node in failure.nodes(failure.statement, ast.BinOp):
        at = (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)
        if at != (line, end_line, start, end) or not isinstance(node.op, ast.Add):
            continue
        others = [side for side in (node.left, node.right) if not _is_literal(side)]
        if len(others) == 1:
            return {"kind": "text", "spots": failure.spots(others)}
    return None


def _is_literal(node: ast.expr) -> bool:
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        node = node.left
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return is_text or isinstance(node, ast.JoinedStr)
