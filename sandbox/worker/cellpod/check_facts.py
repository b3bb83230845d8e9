"""What one look at code finds out about it, and the problems that a check reports."""

import ast
import os
import re
from collections.abc import Iterable, Iterator
from typing import Any

from IPython.core.inputtransformer2 import TransformerManager

MAX_PROBLEMS = 8
MAX_NAME = 80  # characters of a name in a message
PREFIX_TRIES = 200
NEAREST = 3


class Found:
    """Problems, in order."""

    def __init__(self) -> None:
        self.problems: list[dict[str, Any]] = []

    def add(self, kind: str, line: int, message: str, nearest: Iterable[Any] = ()) -> None:
        problem = {"kind": kind, "line": line, "message": message, "nearest": list(nearest)}
        if problem not in self.problems and len(self.problems) < MAX_PROBLEMS:
            self.problems.append(problem)

    def reply(self, code: str) -> dict[str, Any]:
        return {
            "status": "ok",
            "ok": not self.problems,
            "code": code,
            "problems": self.problems,
        }


def strings(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def short(name: Any) -> str:
    text = repr(name)
    return text if len(text) <= MAX_NAME else text[:MAX_NAME] + "…"


# --- parsing ------------------------------------------------------------------------------
def parse(code: str) -> ast.Module | SyntaxError:
    """Python, or what IPython makes Python of."""
    try:
        return ast.parse(code)
    except SyntaxError as error:
        failure = error
    except (ValueError, UnicodeError) as error:  # a NUL, a lone surrogate
        return SyntaxError(str(error))
    except (RecursionError, MemoryError):
        return SyntaxError("nested too deeply")
    if not re.search(r"^[ \t]*[%!?]|[?][ \t]*$|=[ \t]*[%!]", code, re.MULTILINE):
        return failure
    try:
        return ast.parse(TransformerManager().transform_cell(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return failure


def longest_prefix(code: str, wrong: int) -> str:
    """Whole statements only: of the last one more may have been meant."""
    lines = code.splitlines(keepends=True)
    for count in range(min(wrong, len(lines)), max(0, wrong - PREFIX_TRIES), -1):
        tree = parse("".join(lines[:count]))
        if isinstance(tree, SyntaxError) or not tree.body:
            continue
        following = lines[count] if count < len(lines) else ""
        if following[:1] in (" ", "\t"):
            count = tree.body[-1].lineno - 1
        return "".join(lines[:count])
    return ""


class Facts:
    """What one walk over the code finds."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.calls: list[ast.Call] = []
        self.imports: list[tuple[str, int]] = []
        self.bound: set[str] = set()  # anywhere
        self.read: set[str] = set()
        self.texts: set[str] = set()
        self.module_bindings: list[tuple[str, int, ast.expr | None]] = []
        self._visit_all(tree.body, at_module=True, guarded=False)

    def _visit_all(self, nodes: Iterable[ast.AST], **where: bool) -> None:
        for node in nodes:
            self._visit(node, **where)

    def _visit(self, node: ast.AST, *, at_module: bool, guarded: bool) -> None:
        for name, value in bindings(node):
            self.bound.add(name)
            if at_module:
                self.module_bindings.append((name, getattr(node, "lineno", 1), value))
        if isinstance(node, ast.Call):
            self.calls.append(node)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            self.read.add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            self.texts.add(node.value)
        elif isinstance(node, (ast.Import, ast.ImportFrom)) and not guarded:
            self.imports += [(name, node.lineno) for name in _imported(node)]
        if isinstance(node, ast.Global):
            self.module_bindings += [(name, node.lineno, None) for name in node.names]
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            arguments = node.args
            every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
            self.bound |= {a.arg for a in (*every, arguments.vararg, arguments.kwarg) if a}
        inner = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.ListComp,
                 ast.SetComp, ast.DictComp, ast.GeneratorExp)  # fmt: skip
        at_module = at_module and not isinstance(node, inner)
        guarded = guarded or isinstance(node, (ast.Try, ast.If))
        self._visit_all(ast.iter_child_nodes(node), at_module=at_module, guarded=guarded)


def bindings(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """The names that this very node binds or deletes, and the value if it is that simple."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id, node.value
            else:
                yield from ((name, None) for name in _stored(target))
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)):
        if isinstance(node.target, ast.Name) and getattr(node, "value", None) is not None:
            yield node.target.id, None if isinstance(node, ast.AugAssign) else node.value
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        yield from ((name, None) for name in _stored(node.target))
    elif isinstance(node, ast.withitem) and node.optional_vars:
        yield from ((name, None) for name in _stored(node.optional_vars))
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name, None
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0], None
    elif isinstance(node, ast.Delete):
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id, None
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        yield node.name, None


def _stored(target: ast.expr) -> list[str]:
    """Not those inside of a subscript or an attribute: they are only read."""
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for each in target.elts for name in _stored(each)]
    return _stored(target.value) if isinstance(target, ast.Starred) else []


def _imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name.partition(".")[0] for alias in node.names]
    return [node.module.partition(".")[0]] if node.module and not node.level else []


def called(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def root(node: ast.expr) -> str:
    """`plt` of plt.gca().set_title"""
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def is_listed(path: str, files: set[str]) -> bool:
    path = os.path.normpath(path)
    return any(path == f or path.endswith("/" + f) for f in map(os.path.normpath, files))


def first_text(call: ast.Call) -> str | None:
    if call.args and isinstance(call.args[0], ast.Constant):
        value = call.args[0].value
        return value if isinstance(value, str) else None
    return None
