"""check_request: code is looked at before it runs. It is parsed, never executed.

What is found goes back to who wrote the code, so messages name what the code names. Where
this cannot be sure it says nothing: the sandbox, not the check, protects the user.
"""

import ast
import builtins
import csv
import importlib.machinery
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

from IPython.core.inputtransformer2 import TransformerManager

from .introspect import COMPUTING, OutOfTime, limit
from .made import is_made

MAX_CODE = 256 << 10  # characters
MAX_PROBLEMS = 8
MAX_NAME = 80  # characters of a name in a message
MAX_HEADER = 64 << 10  # characters of a file's first line
SECONDS = 1.0
NEAREST = 3
PREFIX_TRIES = 200

_ALIASES = {
    "pd": "import pandas as pd",
    "np": "import numpy as np",
    "plt": "import matplotlib.pyplot as plt",
    "mpl": "import matplotlib as mpl",
    "sns": "import seaborn as sns",
}
_ASKING = {"input", "raw_input", "getpass", "breakpoint", "set_trace"}
_SHOWING = {
    "print", "display", "show", "plot", "hist", "boxplot", "scatter", "bar", "barh", "pie", "pprint",
    "imshow", "write", "info", "savefig", "system", "run_line_magic", "run_cell_magic",
    "set_next_input", "publish", "violinplot", "area", "hexbin", "kde", "density", "box", "line",
}  # fmt: skip
_CHART_LIBRARIES = {"plt", "sns", "px", "go", "alt", "ax", "axes", "axs", "fig", "figure"}
_MAKERS = {"DataFrame", "Series", "from_dict", "from_records", "array"}
_READERS = {
    "read_csv", "read_table", "read_excel", "read_json", "read_parquet", "read_feather", "read_pickle",
    "read_xml", "read_html", "read_hdf", "read_fwf", "open", "loadtxt", "genfromtxt", "scan_csv",
}  # fmt: skip

# Methods that give a frame with the same columns, or some of them.
_SAME = {
    "copy", "dropna", "fillna", "head", "tail", "sample", "sort_values", "sort_index", "query",
    "nlargest", "nsmallest", "drop_duplicates", "drop", "infer_objects", "convert_dtypes", "groupby",
    "replace", "astype", "clip", "round", "ffill", "bfill", "reset_index", "assign", "interpolate",
}  # fmt: skip
# Arguments that name columns: by keyword, and the position of the first of them.
_NAMING: dict[str, tuple[tuple[str, ...], int]] = {
    "groupby": (("by",), 0),
    "sort_values": (("by",), 0),
    "set_index": (("keys",), 0),
    "nlargest": (("columns",), 1),
    "nsmallest": (("columns",), 1),
    "pivot_table": (("index", "columns", "values"), -1),
    "pivot": (("index", "columns", "values"), -1),
    "melt": (("id_vars", "value_vars"), -1),
    "dropna": (("subset",), -1),
    "drop_duplicates": (("subset",), 0),
    "drop": (("columns",), -1),
    "explode": (("column",), 0),
    "plot": (("x", "y"), -1),
    "hist": (("column", "by"), 0),
    "boxplot": (("column", "by"), 0),
}
_CHART_KEYS = ("x", "y", "hue", "size", "style", "color", "col", "row")
_PLAIN_READ = {"parse_dates", "dtype", "encoding", "low_memory", "na_values", "thousands", "nrows"}


def check(content: dict[str, Any], namespace: dict[str, Any]) -> dict[str, Any]:
    """Content of the check_reply."""
    code = content.get("code")
    if not isinstance(code, str):
        raise TypeError("a check_request needs its code, a string")
    found = Found()
    if len(code) > MAX_CODE:
        found.add("syntax", 1, f"more than {MAX_CODE} characters of code")
        return found.reply(code)
    try:
        with limit(SECONDS, COMPUTING), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd escapes in the code
            code = _look(code, content, namespace, found)
    except (OutOfTime, RecursionError, MemoryError):
        pass  # what was found until then
    return found.reply(code)


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


def _look(code: str, content: dict[str, Any], namespace: dict[str, Any], found: Found) -> str:
    """Returns the code that is to run."""
    tree = _parse(code)
    if isinstance(tree, SyntaxError) and content.get("prefix") is True:
        shorter = _longest_prefix(code, tree.lineno or 1)
        if shorter:
            code, tree = shorter, _parse(shorter)
    if isinstance(tree, SyntaxError):
        found.add("syntax", tree.lineno or 1, str(tree.msg))
        return code
    names = {name for name in _strings(content.get("names")) if name in namespace}
    files = set(_strings(content.get("files")))
    facts = Facts(tree)
    theirs = {name for name in names if not is_made(name, namespace[name])}
    _check_data(facts, names, theirs, files, found)
    _check_imports(facts, found)
    for call in facts.calls:
        if _called(call) in _ASKING:
            found.add("input", call.lineno, f"nobody can answer {_called(call)}()")
    Columns(tree, namespace, files, facts, found).check()
    code = _with_output(code, tree, facts, found)
    return _with_imports(code, facts, namespace)


def _strings(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _short(name: Any) -> str:
    text = repr(name)
    return text if len(text) <= MAX_NAME else text[:MAX_NAME] + "…"


# --- parsing ------------------------------------------------------------------------------
def _parse(code: str) -> ast.Module | SyntaxError:
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


def _longest_prefix(code: str, wrong: int) -> str:
    """Whole statements only: of the last one more may have been meant."""
    lines = code.splitlines(keepends=True)
    for count in range(min(wrong, len(lines)), max(0, wrong - PREFIX_TRIES), -1):
        tree = _parse("".join(lines[:count]))
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
        for name, value in _bindings(node):
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


def _bindings(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
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


def _called(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _root(node: ast.expr) -> str:
    """`plt` of plt.gca().set_title"""
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


# --- the data ------------------------------------------------------------------------------
def _check_data(
    facts: Facts, names: set[str], theirs: set[str], files: set[str], found: Found
) -> None:
    """`theirs`: the names that are the user's, and not an earlier answer's."""
    uses_data = bool(facts.read & names) or any(_is_listed(text, files) for text in facts.texts)
    for name, line, value in facts.module_bindings:
        if name not in theirs:
            continue
        if value is not None and _is_made_up(value):
            found.add("invents", line, f"{name} is the user's data, and must not be made up")
        else:
            found.add("rebinds", line, f"{name} is the user's data: give the result another name")
    for call in facts.calls:
        _check_reader(call, files, found)
        if (names or files) and not uses_data and _is_made_up(call):
            known = sorted(names | files)
            found.add("invents", call.lineno, "the code makes up data and does not use the user's",
                      known[:NEAREST])  # fmt: skip


def _is_made_up(value: ast.expr) -> bool:
    """Data from literals or from chance."""
    if not isinstance(value, ast.Call):
        return False
    parts = list(ast.walk(value.func))
    if any(isinstance(p, ast.Attribute) and p.attr == "random" for p in parts):
        return True
    if _called(value) not in _MAKERS:
        return False
    arguments = [*value.args, *(keyword.value for keyword in value.keywords)]
    inside = [node for each in arguments for node in ast.walk(each)]
    constants = sum(isinstance(node, ast.Constant) for node in inside)
    return constants > 2 or any(isinstance(n, ast.Attribute) and n.attr == "random" for n in inside)


def _is_listed(path: str, files: set[str]) -> bool:
    path = os.path.normpath(path)
    return any(path == f or path.endswith("/" + f) for f in map(os.path.normpath, files))


def _first_text(call: ast.Call) -> str | None:
    if call.args and isinstance(call.args[0], ast.Constant):
        value = call.args[0].value
        return value if isinstance(value, str) else None
    return None


def _check_reader(call: ast.Call, files: set[str], found: Found) -> None:
    path = _first_text(call)
    if _called(call) not in _READERS or not path or _is_listed(path, files):
        return
    if re.match(r"[a-z][a-z0-9+]*://", path):
        found.add("invents", call.lineno, f"there is no network: {_short(path)} cannot be read")
    elif _called(call) != "open" and "\0" not in path and "\n" not in path:
        try:
            if os.path.exists(path):
                return
        except (OSError, ValueError):
            pass
        nearest = get_close_matches(path, sorted(files)[:1000], NEAREST, 0.4)
        found.add("invents", call.lineno, f"the file {_short(path)} does not exist", nearest)


# --- imports and output ----------------------------------------------------------------------
def _check_imports(facts: Facts, found: Found) -> None:
    for name, line in facts.imports:
        if name in sys.modules or name in sys.stdlib_module_names or _is_installed(name):
            continue
        known = {*sys.stdlib_module_names, *(m for m in list(sys.modules) if "." not in m)}
        nearest = get_close_matches(name, sorted(known), NEAREST)
        found.add("import", line, f"the module {_short(name)} is not installed here", nearest)


def _is_installed(name: str) -> bool:
    try:
        return importlib.machinery.PathFinder.find_spec(name) is not None
    except Exception:  # a broken entry of sys.path
        return True


def _with_imports(code: str, facts: Facts, namespace: dict[str, Any]) -> str:
    """The usual ones, where their names are used and mean nothing."""
    unknown = facts.read - facts.bound - namespace.keys() - set(dir(builtins))
    lines = [
        line
        for name, line in _ALIASES.items()
        if name in unknown and _is_installed(line.split()[1].partition(".")[0])
    ]
    has_future = re.search(r"^from\s+__future__\b", code, re.MULTILINE)
    if not lines or has_future or code.lstrip().startswith("%%"):
        return code
    return "\n".join([*lines, code])


def _with_output(code: str, tree: ast.Module, facts: Facts, found: Found) -> str:
    """A last assignment is shown; code that shows nothing else is a problem."""
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr) and not _is_mute(last.value):
        return code
    if any(_shows(call) for call in facts.calls):
        return code
    if isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name):
        return f"{code.rstrip()}\n{last.targets[0].id}\n"
    line = last.lineno if last else 1
    found.add("no_output", line, "the code shows nothing: end it with its result, or a chart")
    return code


def _is_mute(value: ast.expr) -> bool:
    if isinstance(value, ast.Constant):
        return value.value is None or isinstance(value.value, str)
    return isinstance(value, ast.Call) and _called(value) in {"append", "extend", "update", "sort"}


def _shows(call: ast.Call) -> bool:
    return _called(call) in _SHOWING or _root(call.func) in _CHART_LIBRARIES


# --- columns -----------------------------------------------------------------------------------
class Frame:
    """An expression whose columns are known. `also`: levels of its index."""

    def __init__(self, name: str, columns: Iterable[Any], also: Iterable[Any] = ()) -> None:
        self.name = name
        self.columns = [c for c in columns if isinstance(c, (str, int))]
        self.also = {a for a in also if isinstance(a, (str, int))}

    def has(self, column: Any) -> bool:
        return column in self.columns or column in self.also

    def nearest(self, column: Any) -> list[Any]:
        if not isinstance(column, str):
            return self.columns[:NEAREST]
        lower = {c.casefold(): c for c in self.columns if isinstance(c, str)}
        close = get_close_matches(column.casefold(), list(lower)[:2000], NEAREST, 0.5)
        return [lower[each] for each in close] or self.columns[:NEAREST]


class Columns:
    """Does the code name columns that are not there? Only frames that are the user's, read
    from his files, or come of these by steps that keep the columns."""

    def __init__(
        self, tree: ast.Module, namespace: dict[str, Any], files: set[str], facts: Facts,
        found: Found,
    ) -> None:  # fmt: skip
        self.tree = tree
        self.files = files
        self.facts = facts
        self.found = found
        self.pandas = sys.modules.get("pandas")
        self.frames: dict[str, Frame] = {}
        self.made: set[Any] = set()  # columns that the code makes, or asks for first
        if self.pandas:
            self._take_frames(namespace)

    def check(self) -> None:
        if not self.pandas:
            return
        self._collect_made()
        self._follow_assignments()
        if self.frames:
            self._visit(self.tree)

    def _take_frames(self, namespace: dict[str, Any]) -> None:
        for name in self.facts.read - self.facts.bound:
            value = namespace.get(name)
            if type(value) is self.pandas.DataFrame and value.columns.nlevels == 1:
                self.frames[name] = Frame(name, value.columns, value.index.names)

    def _collect_made(self) -> None:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
                self.made.update(_labels(node.slice))
                if isinstance(node.slice, ast.Tuple):
                    self.made.update(*map(_labels, node.slice.elts))
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                self.made.add(node.attr)
            elif isinstance(node, ast.Assign):
                if any(isinstance(t, ast.Attribute) and t.attr == "columns" for t in node.targets):
                    self.made.update(_labels(node.value))
            elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
                self.made.update(_labels(node.left))
            elif isinstance(node, ast.Call):
                self._collect_of_call(node)

    def _collect_of_call(self, call: ast.Call) -> None:
        name = _called(call)
        keywords = {k.arg: k.value for k in call.keywords if k.arg}
        if name in {"assign", "agg", "aggregate", "rename"}:
            self.made.update(keywords)
        if name in {"rename", "set_axis"}:
            for value in (*call.args, *keywords.values()):
                self.made.update(_labels(value))
                if isinstance(value, ast.Dict):
                    self.made.update(*map(_labels, value.values))
        if name in {
            "reset_index",
            "rename_axis",
            "melt",
            "to_frame",
            "insert",
            "eval",
            "get",
            "pop",
        }:
            texts = (n for n in ast.walk(call) if isinstance(n, ast.Constant))
            self.made.update(n.value for n in texts if isinstance(n.value, str))
        if name == "eval":
            for text in list(self.made):
                if isinstance(text, str):
                    self.made.update(re.findall(r"\b(\w+) *=(?!=)", text[:1000]))

    def _follow_assignments(self) -> None:
        """Of names that are bound once, at module level, outside of any block."""
        counts: dict[str, int] = {}
        for node in ast.walk(self.tree):
            for name, _ in _bindings(node):
                counts[name] = counts.get(name, 0) + 1
        for statement in self.tree.body:
            for name, value in _bindings(statement):
                if counts[name] == 1 and value is not None:
                    frame = self._frame_of(value)
                    if frame:
                        self.frames[name] = frame

    def _frame_of(self, node: ast.expr) -> Frame | None:
        if isinstance(node, ast.Name):
            return self.frames.get(node.id)
        if isinstance(node, ast.Subscript):
            return self._part_of(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "read_csv":
                return self._file_of(node)
            frame = self._frame_of(node.func.value)
            if frame is None or node.func.attr not in _SAME:
                return None
            if node.func.attr == "reset_index":
                return Frame(frame.name, frame.columns, frame.also | {"index", "level_0"})
            return frame
        return None

    def _part_of(self, node: ast.Subscript) -> Frame | None:
        """df[mask], df.loc[mask]: rows. Everything else is not a frame, or a narrower one."""
        value = node.value
        if isinstance(value, ast.Attribute) and value.attr in ("loc", "iloc"):
            value = value.value
            if isinstance(node.slice, ast.Tuple):
                return None
        is_mask = isinstance(node.slice, (ast.Compare, ast.BinOp, ast.UnaryOp, ast.Slice))
        return self._frame_of(value) if is_mask else None

    def _file_of(self, call: ast.Call) -> Frame | None:
        path = _first_text(call)
        arguments = {keyword.arg for keyword in call.keywords}
        if not path or len(call.args) != 1 or not arguments <= _PLAIN_READ:
            return None
        if not _is_listed(path, self.files) or not path.endswith(".csv"):
            return None
        try:
            if not os.path.isfile(path):
                return None
            with open(path, encoding="utf-8-sig", newline="") as file:
                header = next(csv.reader([file.readline(MAX_HEADER)]), [])
        except (OSError, ValueError, csv.Error):
            return None
        return Frame(path, header) if len(header) == len(set(header)) and all(header) else None

    # --- uses ---

    def _visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.Try) and node.handlers:
            for each in (*node.handlers, *node.orelse, *node.finalbody):
                self._visit(each)
            return
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            self._check_subscript(node)
        elif isinstance(node, ast.Call):
            self._check_call(node)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            self._check_attribute(node)
        for child in ast.iter_child_nodes(node):
            self._visit(child)

    def _check_subscript(self, node: ast.Subscript) -> None:
        value = node.value
        if isinstance(value, ast.Attribute) and value.attr in ("loc", "at"):
            frame = self._frame_of(value.value)
            if isinstance(node.slice, ast.Tuple) and len(node.slice.elts) == 2:
                self._demand(frame, node.slice.elts[1])
        else:
            self._demand(self._frame_of(value), node.slice)

    def _check_attribute(self, node: ast.Attribute) -> None:
        if not isinstance(node.value, ast.Name) or node.attr.startswith("_"):
            return
        frame = self._frame_of(node.value)
        if frame and not hasattr(self.pandas.DataFrame, node.attr):
            self._demand_label(frame, node.attr, node.lineno)

    def _check_call(self, call: ast.Call) -> None:
        name = _called(call)
        keywords = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        if "data" in keywords:
            frame = self._frame_of(keywords["data"])
            for key in _CHART_KEYS:
                self._demand(frame, keywords.get(key))
        if not isinstance(call.func, ast.Attribute) or name not in {*_NAMING, "agg", "aggregate"}:
            return
        frame = self._frame_of(call.func.value)
        if name in ("agg", "aggregate"):
            self._check_aggregates(frame, call)
            return
        names, position = _NAMING[name]
        for key in names:
            self._demand(frame, keywords.get(key))
        if 0 <= position < len(call.args):
            self._demand(frame, call.args[position])

    def _check_aggregates(self, frame: Frame | None, call: ast.Call) -> None:
        for argument in call.args[:1]:
            if isinstance(argument, ast.Dict):
                for key in argument.keys:
                    self._demand(frame, key)
        for keyword in call.keywords:
            if isinstance(keyword.value, ast.Tuple) and keyword.value.elts:
                self._demand(frame, keyword.value.elts[0])

    def _demand(self, frame: Frame | None, node: ast.AST | None) -> None:
        if frame is None or node is None:
            return
        for label in _labels(node):
            self._demand_label(frame, label, node.lineno)

    def _demand_label(self, frame: Frame, label: Any, line: int) -> None:
        if not frame.has(label) and label not in self.made:
            message = f"{frame.name} has no column {_short(label)}"
            self.found.add("unknown_column", line, message, frame.nearest(label))


def _labels(node: ast.AST) -> list[Any]:
    """Of a literal, or a list of them."""
    if isinstance(node, ast.Constant):
        value = node.value
        return [value] if isinstance(value, (str, int)) and not isinstance(value, bool) else []
    if isinstance(node, ast.List):
        return [label for each in node.elts for label in _labels(each)]
    return []
