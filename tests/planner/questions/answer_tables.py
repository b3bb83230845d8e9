"""Finding a mapping in what was shown: tables long and wide, and what figures draw."""

import itertools
import math
from functools import cached_property, wraps

import pandas as pd

from capture import cell_value
from cells import Level, is_number, number_matches, value_matches

MOST_COLUMNS = 40


# --- what is wanted --------------------------------------------------------------------------------


MOST_KEPT = 500


def kept(make):
    """What was made of an answer, for the many answers that it is compared with."""
    known = {}

    @wraps(make)
    def made(wanted):
        if id(wanted) not in known:
            if len(known) == MOST_KEPT:
                known.clear()
            known[id(wanted)] = wanted, make(wanted)  # which keeps it, and so its id
        return known[id(wanted)][1]

    return made


class Mapping:
    """Keys (lists of encoded cells) and values that are wanted, and how keys are read."""

    def __init__(self, pairs: list[tuple[list, object]]):
        self.pairs = pairs

    @cached_property
    def levels(self) -> list[Level]:
        return [Level([keys[i] for keys, _ in self.pairs]) for i in range(len(self.pairs[0][0]))]

    @cached_property
    def meant(self) -> dict[tuple, object]:
        return {tuple(level.read(k) for level, k in zip(self.levels, keys)): value
                for keys, value in self.pairs}


@kept
def mapping(series: pd.Series) -> Mapping:
    return Mapping([(cell_keys(key, series.index.nlevels), cell_value(value))
                    for key, value in series.items() if not missing(value) and not missing(key)])


def missing(value) -> bool:
    return value is None or value is pd.NA or isinstance(value, float) and math.isnan(value) or (
        value is pd.NaT)


def cell_keys(key, levels: int) -> list:
    return [cell_value(part) for part in key] if levels > 1 else [cell_value(key)]


# --- what was shown, as columns --------------------------------------------------------------------


def columns_of(shown: dict) -> list[tuple[list, list]]:
    """(label, values) of every column and index level."""
    index = [([i["name"] or "index"], i["values"]) for i in shown["index"]]
    return index + [(c["label"], c["values"]) for c in shown["columns"][:MOST_COLUMNS]]


def series_tables(series: list[tuple[str, list, list]]) -> dict:
    """One table of drawn (label, keys, values): long, with the label as a column."""
    rows = [(key, label, value) for label, keys, values in series
            for key, value in zip(keys, values)]
    return {"kind": "table", "rows": len(rows), "index": [],
            "columns": [{"label": [name], "values": [row[i] for row in rows]}
                        for i, name in enumerate(("key", "label", "value"))]}


@kept
def drawn_tables(axes: dict) -> list[dict]:
    found = []
    bars = [(b["label"], [d[0] for d in b["data"]], [d[1] for d in b["data"]])
            for b in axes["bars"]]
    lines = [(line["label"], line["x"], line["y"]) for line in axes["lines"]]
    for drawn in (bars, lines):
        found += [series_tables([one]) for one in drawn]
        if len(drawn) > 1:
            found.append(series_tables(drawn))
    found += [series_tables([("", [s["x"][i] for i in range(len(s["x"]))], s["y"])])
              for s in axes["scatters"] if not s["hexes"]]
    for grid in axes["grids"]:
        found.append(series_tables([(column, grid["rows"], [row[j] for row in grid["values"]])
                                    for j, column in enumerate(grid["columns"])]))
    return found


# --- mappings --------------------------------------------------------------------------------------


def same_mapping(wanted: dict, got: dict, share: bool) -> bool:
    """Nothing more and nothing else; what is missing may be drawn as nought."""
    extra = [key for key in got if key not in wanted]
    if any(got[key] not in (0, 0.0) for key in extra):
        return False
    scale = [share] if not share else [False, "percent"]
    return any(all(key in got and compare(got[key], value, s) if value not in (0, 0.0)
                   else not got.get(key) for key, value in wanted.items()) for s in scale)


def compare(got, value, scale) -> bool:
    if scale == "percent":
        return is_number(value) and number_matches(got, value * 100)
    return value_matches(got, value)


def readings(table: dict, levels: list[Level]):
    """Every way to read the table as keys and values: long, wide, or one row under a header."""
    columns = columns_of(table)
    depth = len(levels)
    read = [[read_column(level, cells) for _, cells in columns] for level in levels]
    for chosen in itertools.permutations(range(len(columns)), depth):
        keys = [read[level][i] for level, i in enumerate(chosen)]
        if all(keys):
            for j in set(range(len(columns))) - set(chosen):
                yield list(zip(zip(*keys), columns[j][1]))
    if depth > 1:
        yield from joined(columns, levels)
    if depth == 2:
        for first, second in ((0, 1), (1, 0)):
            yield from wide(columns, levels, first, second)
    if depth == 1 and table["rows"] == 1:
        heads = [(levels[0].read(label[-1]), values[0]) for label, values in columns]
        yield [((key,), value) for key, value in heads if key is not None]


def read_column(level: Level, cells: list) -> list:
    """Empty where not one cell is one of the wanted keys."""
    keys = [level.read(cell) for cell in cells]
    return keys if not level.meant.isdisjoint(keys) else []


def joined(columns: list, levels: list[Level]):
    """Bars of several keys have one name each: "Rome, double"."""
    for i, (_, cells) in enumerate(columns):
        parts = [cell.split(", ") for cell in cells if isinstance(cell, str)]
        if len(parts) < len(cells) or any(len(part) != len(levels) for part in parts):
            continue
        keys = [tuple(level.read(name) for level, name in zip(levels, part)) for part in parts]
        for j in set(range(len(columns))) - {i}:
            yield list(zip(keys, columns[j][1]))


def wide(columns: list, levels: list[Level], down: int, across: int):
    heads = [(j, next((h for h in (levels[across].read(part) for part in reversed(label))
                       if h is not None), None)) for j, (label, _) in enumerate(columns)]
    for i, (_, cells) in enumerate(columns):
        rows = read_column(levels[down], cells)
        if not rows:
            continue
        pairs = []
        for j, head in heads:
            if head is None or j == i:
                continue
            for row, value in zip(rows, columns[j][1]):
                pairs.append(((row, head) if down == 0 else (head, row), value))
        yield pairs


def clean(pairs: list) -> dict | None:
    """A mapping without what is missing; None if a key comes twice."""
    kept = {}
    for key, value in pairs:
        if value is None or any(part is None for part in key):
            continue
        if key in kept:
            return None
        kept[key] = value
    return kept


def in_order(wanted: dict, got: dict) -> bool:
    return [key for key in got if key in wanted] == list(wanted)


def table_matches(wanted: Mapping, table: dict, order: bool, share: bool) -> bool:
    count = len(wanted.pairs)
    if not count or not 0 < table["rows"] <= 4 * count + 50:  # the rest is points
        return False
    if len(wanted.meant) != count:
        return False
    for pairs in readings(table, wanted.levels):
        if len(pairs) < count * 0.5:
            continue
        got = clean(pairs)
        if got and same_mapping(wanted.meant, got, share) and (
                not order or in_order(wanted.meant, got)):
            return True
    return False


def all_tables(shown: list) -> list[dict]:
    found = []
    for item in shown:
        if item["kind"] == "table":
            found.append(item)
        if item["kind"] == "figure":
            for axes in item["axes"]:
                found += drawn_tables(axes)
    return found


def pie_matches(wanted: Mapping, shown: list) -> bool:
    wedges = [axes["wedges"] for item in figures(shown) for axes in item["axes"]
              if axes["wedges"]]
    numbers = [value for _, value in wanted.pairs if is_number(value)]
    if not wedges or len(numbers) < len(wanted.pairs) or not sum(numbers) or (
            len(wanted.pairs[0][0]) > 1):
        return False
    total = sum(numbers)
    meant = Mapping([(keys, value / total) for keys, value in wanted.pairs])
    return any(table_matches(meant, drawn_shares(w, meant), False, False) for w in wedges)


def drawn_shares(wedges: list, meant: Mapping) -> dict:
    return series_tables([("", [name for name, _ in wedges], exactly(wedges, meant.pairs))])


def exactly(wedges: list, meant: list) -> list:
    """The shares that wedges stand for: their angles are kept in single precision."""
    shares = [share for _, share in meant]
    return [min((s for s in shares if abs(s - part) < 1e-5), key=lambda s: abs(s - part),
                default=part) for _, part in wedges]


def figures(shown: list) -> list[dict]:
    return [item for item in shown if item["kind"] == "figure"]
