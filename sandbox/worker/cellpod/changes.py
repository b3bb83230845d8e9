"""Which variables a cell has changed, as far as that can be seen without a look at their contents.

Names that are new, gone or bound to another object; and those whose object the cell's code writes
into: `df["x"] = 1`, `a[0] += 1`, `x.append(2)`.
"""

import ast
from typing import Any

_LONGEST = 20_000  # characters of code that are looked into
_MOST = 100
_FUNCTIONS = frozenset({"display", "len", "max", "min", "print", "repr", "str", "sum", "type"})
_METHODS = frozenset({"corr", "count", "describe", "groupby", "head", "info", "max", "mean", "median",
                      "min", "nunique", "sum", "tail", "value_counts"})  # fmt: skip


class Changes:
    def __init__(self) -> None:
        self._objects: dict[str, int] = {}

    def since_last(self, names: dict[str, Any], hidden: dict[str, Any], code: str) -> list[str]:
        """Also makes this the last."""
        before = self._objects
        self._objects = {
            name: id(value)
            for name, value in names.items()
            if type(name) is str and name[:1] != "_" and name not in hidden
        }
        bound = {name for name, at in self._objects.items() if before.get(name) != at}
        written = _written_into(code) & self._objects.keys()
        return sorted(bound | written | (before.keys() - self._objects.keys()))[:_MOST]


def is_a_look(code: str) -> bool:
    """Nothing but expressions of names, items and operators, and calls that are known to look
    only: for who undoes and redoes, such a cell did not happen."""
    tree = _parse(code)
    return tree is not None and all(
        isinstance(statement, ast.Expr) and all(map(_looks, ast.walk(statement.value)))
        for statement in tree.body
    )


def _looks(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        name = node.func
        return (isinstance(name, ast.Name) and name.id in _FUNCTIONS) or (
            isinstance(name, ast.Attribute) and name.attr in _METHODS
        )
    return not isinstance(node, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom)


def _parse(code: str) -> ast.Module | None:
    if len(code) > _LONGEST:
        return None
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # magics, say
        return None


def _written_into(code: str) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(_parse(code) or ast.Module([], [])):
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(
            node.ctx, ast.Store | ast.Del
        ):
            found.add(_root_of(node))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            found.add(
                _root_of(node.value.func) if isinstance(node.value.func, ast.Attribute) else ""
            )
    return found


def _root_of(node: ast.AST) -> str:
    """`a` of a.b["c"].d."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
