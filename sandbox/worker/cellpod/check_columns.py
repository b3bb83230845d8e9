"""Columns that code names and that are not there, as far as that is certain."""

import ast
import csv
import os
import re
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from .check_facts import Facts, Found, NEAREST, bindings, called, first_text, is_listed, short

MAX_HEADER = 64 << 10  # characters of a file's first line
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
        name = called(call)
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
            for name, _ in bindings(node):
                counts[name] = counts.get(name, 0) + 1
        for statement in self.tree.body:
            for name, value in bindings(statement):
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
        path = first_text(call)
        arguments = {keyword.arg for keyword in call.keywords}
        if not path or len(call.args) != 1 or not arguments <= _PLAIN_READ:
            return None
        if not is_listed(path, self.files) or not path.endswith(".csv"):
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
        name = called(call)
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
            message = f"{frame.name} has no column {short(label)}"
            self.found.add("unknown_column", line, message, frame.nearest(label))


def _labels(node: ast.AST) -> list[Any]:
    """Of a literal, or a list of them."""
    if isinstance(node, ast.Constant):
        value = node.value
        return [value] if isinstance(value, (str, int)) and not isinstance(value, bool) else []
    if isinstance(node, ast.List):
        return [label for each in node.elts for label in _labels(each)]
    return []
