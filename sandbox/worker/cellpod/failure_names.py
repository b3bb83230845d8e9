"""Names that are not there: variables, modules, columns, attributes. failures.py has the rest."""

import ast
import builtins
import os
import sys
import types
from collections.abc import Iterator
from itertools import islice
from typing import Any

from .check_facts import Facts
from .nearest import nearest

MAX_LABELS = 5000
# Where pandas' functions keep what they look into.
_HOLDERS = ("self", "obj", "frame", "data")
_SEABORN = "Could not interpret value"
_USUAL = ("pandas", "numpy", "matplotlib", "seaborn", "scipy", "sklearn", "statsmodels")


def names(failure: Any) -> dict[str, Any] | None:
    error = failure.error
    name = getattr(error, "name", None)
    if type(error) is not NameError or not isinstance(name, str):
        return None
    facts = Facts(failure.tree)
    uses = [node for node in failure.nodes(None, ast.Name)
            if node.id == name and isinstance(node.ctx, ast.Load)]  # fmt: skip
    if not uses or name in facts.bound:
        return None
    known = [each for each in failure.namespace if isinstance(each, str) and each[:1] != "_"]
    known += [each for each in facts.bound if each[:1] != "_"]
    near, is_clear = nearest(name, [*known, *(n for n in dir(builtins) if n[:1] != "_")])
    return {"kind": "name", "found": name, "near": near, "clear": is_clear,
            "spots": failure.spots(uses)}  # fmt: skip


def modules(failure: Any) -> dict[str, Any] | None:
    error = failure.error
    name = getattr(error, "name", None)
    if type(error) is not ModuleNotFoundError or not isinstance(name, str):
        return None
    spots = []
    for node in failure.nodes(None, ast.alias, ast.ImportFrom):
        if isinstance(node, ast.alias):
            if node.name == name:
                start = failure.span(node)[0]
                spots.append([start, start + len(name.encode())])
        elif node.module == name and not node.level:
            start = failure.span(node, len("from "))[0]
            spots.append([start, start + len(name.encode())])
    loaded = {each.partition(".")[0] for each in list(sys.modules)}
    known = {each for each in (*loaded, *sys.stdlib_module_names, *_USUAL) if each[:1] != "_"}
    near, is_clear = nearest(name, sorted(known))
    return {"kind": "module", "found": name, "near": near, "clear": is_clear, "spots": spots}


# --- columns -------------------------------------------------------------------------------


def columns(failure: Any) -> dict[str, Any] | None:
    is_seaborn = isinstance(failure.error, ValueError) and _SEABORN in failure.message
    if failure.statement is None or not (isinstance(failure.error, KeyError) or is_seaborn):
        return None
    known, where = _labels_of_data(failure) if is_seaborn else _labels_of_traceback(failure)
    if not known:
        known, where = _keys_of_dict(failure)
    if not known:
        return None
    missing = _missing(failure, failure.statement, known) or _missing(failure, None, known)
    if not missing:
        return None
    name = missing[0].value
    near, is_clear = nearest(name, known)
    same = [node for node in missing if node.value == name]
    return {"kind": "column" if where else "key", "found": name, "near": near, "clear": is_clear,
            "spots": failure.spots(same)}  # fmt: skip


def _missing(failure: Any, root: ast.AST | None, known: list[str]) -> list[Any]:
    """Texts of the code that the error names, and that nothing is called."""
    inside_f = {id(part) for node in failure.nodes(root, ast.JoinedStr) for part in ast.walk(node)}
    return [node for node in failure.nodes(root, ast.Constant)
            if isinstance(node.value, str) and node.value and node.value not in known
            and id(node) not in inside_f and node.value in failure.message]  # fmt: skip


def _labels_of_data(failure: Any) -> tuple[list[str], bool]:
    """Of `data=frame`."""
    for node in failure.nodes(failure.statement, ast.Call):
        for keyword in node.keywords:
            frame = failure.frame_called(keyword.value)
            if keyword.arg == "data" and frame is not None:
                return _labels_of(failure.pandas, frame), True
    return [], False


def _labels_of_traceback(failure: Any) -> tuple[list[str], bool]:
    """Of what pandas has looked into, the innermost first."""
    for tb in reversed(failure.frames):
        frame = tb.tb_frame
        module = frame.f_globals.get("__name__")
        if not isinstance(module, str) or module.partition(".")[0] != "pandas":
            continue
        inside = frame.f_locals
        for holder in _HOLDERS:
            labels = _labels_of(failure.pandas, inside.get(holder))
            if labels:
                return labels, True
    return [], False


def _labels_of(pandas: Any, value: Any) -> list[str]:
    if pandas is None or type(value).__module__.partition(".")[0] != "pandas":
        return []
    if isinstance(value, pandas.DataFrame):
        labels = value.columns
    elif isinstance(value, pandas.Series):
        labels = value.index
    elif isinstance(value, pandas.Index):
        labels = value
    else:  # grouped rows
        inner = vars(value).get("obj") if hasattr(type(value), "__dict__") else None
        return _labels_of(pandas, inner) if isinstance(inner, pandas.DataFrame) else []
    return [each for each in labels[:MAX_LABELS].tolist() if isinstance(each, str)]


def _keys_of_dict(failure: Any) -> tuple[list[str], bool]:
    for node in failure.nodes(failure.statement, ast.Subscript):
        held = failure.namespace.get(node.value.id) if isinstance(node.value, ast.Name) else None
        is_key = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
        if type(held) is dict and is_key and node.slice.value not in held:
            return [key for key in list(held)[:MAX_LABELS] if isinstance(key, str)], False
    return [], False


def files(failure: Any) -> dict[str, Any] | None:
    """A file that is nearly called so, in the folder where it was looked for."""
    path = getattr(failure.error, "filename", None)
    if not isinstance(failure.error, FileNotFoundError) or not isinstance(path, str):
        return None
    texts = [node for node in failure.nodes(None, ast.Constant) if node.value == path]
    folder, name = os.path.split(path)
    try:
        with os.scandir(folder or ".") as entries:
            known = [entry.name for entry in islice(entries, MAX_LABELS) if entry.name[:1] != "."]
    except OSError:
        return None
    near, is_clear = nearest(name, known)
    return {"kind": "file", "found": path, "near": [os.path.join(folder, each) for each in near],
            "clear": is_clear, "spots": failure.spots(texts)}  # fmt: skip


# --- attributes ----------------------------------------------------------------------------


def attributes(failure: Any) -> dict[str, Any] | None:
    error = failure.error
    name = getattr(error, "name", None)
    if not isinstance(error, AttributeError) or not isinstance(name, str):
        return None
    known = sorted({each for each in _known(failure.pandas, error.obj) if each[:1] != "_"})
    size = len(name.encode())
    uses = [node for node in failure.nodes(failure.statement, ast.Attribute)
            if node.attr == name and isinstance(node.ctx, ast.Load)]  # fmt: skip
    if not uses or not known or name in known:
        return None
    near, is_clear = nearest(name, known)
    ends = [end for _, end in failure.spots(uses)]
    return {"kind": "attribute", "found": name, "near": near, "clear": is_clear,
            "where": type(error.obj).__name__, "spots": [[end - size, end] for end in ends]}  # fmt: skip


def _known(pandas: Any, holder: Any) -> Iterator[str]:
    """Without asking the object itself: its class may be the user's."""
    if isinstance(holder, types.ModuleType):
        yield from (each for each in list(vars(holder)) if isinstance(each, str))
    elif type(type(holder)) is type or type(holder).__module__.partition(".")[0] == "pandas":
        for base in type(holder).__mro__:
            yield from (each for each in list(vars(base)) if isinstance(each, str))
    if pandas is not None and type(holder) is pandas.DataFrame:
        yield from (each for each in holder.columns[:MAX_LABELS].tolist()
                    if isinstance(each, str) and each.isidentifier())  # fmt: skip
