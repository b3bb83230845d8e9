"""Lengths that do not match. failures.py has the rest."""

import ast
import re
from typing import Any

from .check_facts import called

_ASSIGNED = re.compile(r"Length of values \((\d+)\) does not match length of index \((\d+)\)")
_OTHERS = re.compile(
    r"x and y must have same first dimension, but have shapes \((\d+).*?\((\d+)"
    r"|x and y must be the same size()()"
    r"|Expected axis has (\d+) elements, new values have (\d+)"
)
_UNEQUAL = "arrays must be of the same length"
_STRIPS = {"to_numpy", "tolist", "to_list"}


def lengths(failure: Any) -> dict[str, Any] | None:
    if not isinstance(failure.error, ValueError) or failure.statement is None:
        return None
    assigned = _ASSIGNED.search(failure.message)
    if assigned:
        have, want = (int(number) for number in assigned.groups())
        return _assigned(failure, have, want) or {"kind": "lengths", "have": have, "want": want}
    if _UNEQUAL in failure.message:
        return _frame_of_lists(failure)
    other = _OTHERS.search(failure.message)
    if other is None:
        return None
    have, want = ([int(number) for number in other.groups() if number] + [0, 0])[:2]
    return {"kind": "lengths", "have": have, "want": want}


def _assigned(failure: Any, have: int, want: int) -> dict[str, Any] | None:
    """frame["column"] = values"""
    statement = failure.statement
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target, value = statement.targets[0], statement.value
    if not isinstance(target, ast.Subscript) or failure.frame_called(target.value) is None:
        return None
    start, end = failure.span(value)
    inner = None
    if isinstance(value, ast.Attribute) and value.attr == "values":
        inner = value.value
    elif isinstance(value, ast.Call) and not value.args and not value.keywords:
        is_strip = isinstance(value.func, ast.Attribute) and called(value) in _STRIPS
        inner = value.func.value if is_strip else None
    if inner is not None:
        return {"kind": "align", "have": have, "want": want,
                "spots": [[failure.span(inner)[1], end]]}  # fmt: skip
    if have < want and isinstance(value, (ast.List, ast.Tuple, ast.Name)):
        return {"kind": "pad", "have": have, "want": want, "where": target.value.id,
                "spots": [[start, end]]}  # fmt: skip
    return None


def _frame_of_lists(failure: Any) -> dict[str, Any] | None:
    for call in failure.nodes(failure.statement, ast.Call):
        given = call.args[0] if called(call) == "DataFrame" and call.args else None
        if isinstance(given, ast.Dict):
            return {"kind": "series", "spots": failure.spots(given.values)}
    return {"kind": "lengths", "have": 0, "want": 0}
