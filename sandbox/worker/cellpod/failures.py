"""The cell that failed last, for %fix: its code, its error, and what was found out about it.

Found are facts (a name and its nearest names, where they stand in the code): the kernel makes
the repair of them. Code is parsed, never executed; of the objects in reach only Python's own
and pandas' are looked at.
"""

import ast
import sys
import types
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from .failure_lengths import lengths
from .failure_names import attributes, columns, files, modules, names
from .failure_text import concatenations, dates, numbers
from .introspect import COMPUTING, OutOfTime, limit

MAX_CODE = 256 << 10  # characters
MAX_MESSAGE = 2000
MAX_FRAMES = 200
MAX_SPOTS = 50
SECONDS = 1.0

Found = dict[str, Any]
_FINDERS = (names, modules, columns, files, attributes, dates, numbers, concatenations, lengths)
_last: tuple[str, int, int] | None = None  # code, number of the cell, id of the error


class Failure:
    """A cell and its error. `statement`: the one that failed; `at`: the lines and bytes of the
    expression in it, as Python's ast counts them."""

    def __init__(self, code: str, error: BaseException, namespace: dict[str, Any]) -> None:
        self.code, self.error, self.namespace = code, error, namespace
        self.message = _message(error)
        self.pandas: Any = sys.modules.get("pandas")
        self.tree = _parse(code)
        self.starts = [0]  # of the lines, in bytes
        for line in code.encode("utf-8", "replace").split(b"\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.frames = list(_frames(error))
        self.line, self.at = self._position()
        self.statement = self._statement()

    def _position(self) -> tuple[int, tuple[int, ...]]:
        ours = [tb for tb in self.frames if tb.tb_frame.f_globals is self.namespace]
        same = [tb for tb in ours if _file(tb) == _file(ours[0])]
        if not same:
            return 0, ()
        tb = same[-1]
        positions = list(tb.tb_frame.f_code.co_positions())
        at = positions[tb.tb_lasti // 2] if tb.tb_lasti // 2 < len(positions) else ()
        return tb.tb_lineno, at if None not in at else ()

    def _statement(self) -> ast.stmt | None:
        around = [node for node in self.nodes(None, ast.stmt)
                  if node.lineno <= self.line <= node.end_lineno]  # fmt: skip
        return min(around, key=lambda node: node.end_lineno - node.lineno, default=None)

    def nodes(self, root: ast.AST | None, *kinds: type) -> Iterator[Any]:
        """In the order of the code. `root`: None for the whole cell."""
        root = root or self.tree
        found = [node for node in ast.walk(root) if isinstance(node, kinds)] if root else []
        return iter(sorted(found, key=lambda node: (node.lineno, node.col_offset)))

    def span(self, node: Any, skip: int = 0) -> list[int]:
        """Where it stands: bytes of the code, from and to."""
        start = self.starts[node.lineno - 1] + node.col_offset
        return [start + skip, self.starts[node.end_lineno - 1] + node.end_col_offset]

    def spots(self, nodes: Iterable[Any]) -> list[list[int]]:
        """Where they stand. Before Python 3.12 the places of what is in an f-string are
        not to be relied on: only those are taken where the code says what the node is."""
        code = self.code.encode("utf-8", "replace")
        found = []
        for node in islice(nodes, MAX_SPOTS):
            start, end = self.span(node)
            try:
                there = ast.parse(b"(" + code[start:end] + b")", mode="eval").body
            except (SyntaxError, ValueError):
                continue
            if ast.dump(there) == ast.dump(node):
                found.append([start, end])
        return found

    def frame_called(self, node: ast.AST) -> Any:
        """The frame that a name stands for, if it is pandas' own kind."""
        if not isinstance(node, ast.Name) or not self.pandas:
            return None
        value = self.namespace.get(node.id)
        return value if type(value) is self.pandas.DataFrame else None


def note(code: object, number: int, error: BaseException | None) -> None:
    """A cell has ended. The error itself stays IPython's, which keeps the last one."""
    global _last
    if error is not None and isinstance(code, str):
        _last = (code, number, id(error))


def describe_last(namespace: dict[str, Any]) -> Found | None:
    error = getattr(sys, "last_value", None)
    if _last is None or error is None or id(error) != _last[2]:
        return None
    return describe(_last[0], error, namespace) | {"count": _last[1]}


def describe(code: str, error: BaseException, namespace: dict[str, Any]) -> Found:
    about: Found = {"code": code[:MAX_CODE], "ename": type(error).__name__, "line": 0,
                    "evalue": _message(error), "pd": False, "finding": None}  # fmt: skip
    if len(code) > MAX_CODE or not isinstance(error, Exception):
        return about
    try:
        with limit(SECONDS, COMPUTING):
            failure = Failure(code, error, namespace)
            about["line"] = failure.line
            about["pd"] = failure.pandas is not None and namespace.get("pd") is failure.pandas
            about["finding"] = _find(failure)
    except (OutOfTime, Exception):
        pass  # what was found until then; of objects that lie about themselves, nothing
    return about


def _find(failure: Failure) -> Found | None:
    if failure.tree is None:
        return None
    for finder in _FINDERS:
        found = finder(failure)
        if found is not None:
            found["spots"] = found.get("spots", [])[:MAX_SPOTS]
            return {key: _plain(value) for key, value in found.items()}
    return None


def _plain(value: Any) -> Any:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _parse(code: str) -> ast.Module | None:
    """Only what is Python as it stands: else places in it would be other ones."""
    if "\r" in code or "\f" in code:
        return None
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _message(error: BaseException) -> str:
    """Not of the user's own classes, whose text is his code. Others were shown already."""
    module = type(error).__module__.split(".")[0]
    if module == "__main__":
        return ""
    try:
        return str(error)[:MAX_MESSAGE].encode("utf-8", "replace").decode()
    except Exception:  # of an argument that has no text
        return ""


def _frames(error: BaseException) -> Iterator[types.TracebackType]:
    tb, left = error.__traceback__, MAX_FRAMES
    while tb and left:
        yield tb
        tb, left = tb.tb_next, left - 1


def _file(tb: types.TracebackType) -> str:
    return tb.tb_frame.f_code.co_filename
