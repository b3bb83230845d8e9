"""check_request: code is looked at before it runs. It is parsed, never executed.

What is found goes back to who wrote the code, so messages name what the code names. Where
this cannot be sure it says nothing: the sandbox, not the check, protects the user.
"""

import ast
import builtins
import importlib.machinery
import os
import re
import sys
import warnings
from difflib import get_close_matches
from typing import Any

from .check_columns import Columns
from .check_facts import (
    Facts,
    Found,
    NEAREST,
    called,
    first_text,
    is_listed,
    longest_prefix,
    parse,
    root,
    short,
    strings,
)
from .introspect import COMPUTING, OutOfTime, limit
from .made import is_made

MAX_CODE = 256 << 10  # characters
SECONDS = 1.0
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


def _look(code: str, content: dict[str, Any], namespace: dict[str, Any], found: Found) -> str:
    """Returns the code that is to run."""
    tree = parse(code)
    if isinstance(tree, SyntaxError) and content.get("prefix") is True:
        shorter = longest_prefix(code, tree.lineno or 1)
        if shorter:
            code, tree = shorter, parse(shorter)
    if isinstance(tree, SyntaxError):
        found.add("syntax", tree.lineno or 1, str(tree.msg))
        return code
    names = {name for name in strings(content.get("names")) if name in namespace}
    files = set(strings(content.get("files")))
    facts = Facts(tree)
    theirs = {name for name in names if not is_made(name, namespace[name])}
    is_repair = content.get("repair") is True  # a cell of the user's
    if not is_repair:
        _check_data(facts, names, theirs, files, found)
    _check_imports(facts, found)
    for call in facts.calls:
        if called(call) in _ASKING and not is_repair:
            found.add("input", call.lineno, f"nobody can answer {called(call)}()")
    if is_repair:
        return code
    Columns(tree, namespace, files, facts, found).check()
    code = _with_output(code, tree, facts, found)
    return _with_imports(code, facts, namespace)


# --- the data ------------------------------------------------------------------------------
def _check_data(
    facts: Facts, names: set[str], theirs: set[str], files: set[str], found: Found
) -> None:
    """`theirs`: the names that are the user's, and not an earlier answer's."""
    uses_data = bool(facts.read & names) or any(is_listed(text, files) for text in facts.texts)
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
    if called(value) not in _MAKERS:
        return False
    arguments = [*value.args, *(keyword.value for keyword in value.keywords)]
    inside = [node for each in arguments for node in ast.walk(each)]
    constants = sum(isinstance(node, ast.Constant) for node in inside)
    return constants > 2 or any(isinstance(n, ast.Attribute) and n.attr == "random" for n in inside)


def _check_reader(call: ast.Call, files: set[str], found: Found) -> None:
    path = first_text(call)
    if called(call) not in _READERS or not path or is_listed(path, files):
        return
    if re.match(r"[a-z][a-z0-9+]*://", path):
        found.add("invents", call.lineno, f"there is no network: {short(path)} cannot be read")
    elif called(call) != "open" and "\0" not in path and "\n" not in path:
        try:
            if os.path.exists(path):
                return
        except (OSError, ValueError):
            pass
        nearest = get_close_matches(path, sorted(files)[:1000], NEAREST, 0.4)
        found.add("invents", call.lineno, f"the file {short(path)} does not exist", nearest)


# --- imports and output ----------------------------------------------------------------------
def _check_imports(facts: Facts, found: Found) -> None:
    for name, line in facts.imports:
        if name in sys.modules or name in sys.stdlib_module_names or _is_installed(name):
            continue
        known = {*sys.stdlib_module_names, *(m for m in list(sys.modules) if "." not in m)}
        nearest = get_close_matches(name, sorted(known), NEAREST)
        found.add("import", line, f"the module {short(name)} is not installed here", nearest)


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
    return isinstance(value, ast.Call) and called(value) in {"append", "extend", "update", "sort"}


def _shows(call: ast.Call) -> bool:
    return called(call) in _SHOWING or root(call.func) in _CHART_LIBRARIES
