"""Is what was shown the accepted answer? Both sides as plain data; nothing here runs a plan."""

import itertools
import math
import re

import numpy as np
import pandas as pd

from capture import cell_value, encode
from spec import Box, Hist, Keys, Pairs, Top, Values

DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september",
          "october", "november", "december"]
TIMES = (1, 60, 3600, 86400, 7 * 86400)
NUMBER = re.compile(r"[-+−]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
MOST_COLUMNS = 40
NOTHING = ("nan", "none", "<na>", "nat", "missing", "(missing)", "unknown")


# --- values ---------------------------------------------------------------------------------------


def is_number(value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def decimals(value: float) -> int:
    text = repr(float(value))
    return 0 if "e" in text or text.endswith(".0") else len(text.split(".")[1])


def near(got: float, wanted: float) -> bool:
    """Equal, or rounded for display: two groups' means may be alike to a thousandth."""
    if math.isclose(got, wanted, rel_tol=1e-6, abs_tol=1e-9):
        return True
    places = decimals(got)
    if places > 6 or abs(got - wanted) > 0.5 * 10.0 ** -places + 1e-9:
        return False
    return places >= 2 or abs(got - wanted) <= (0.006, 0.02)[places] * abs(wanted)


def number_matches(got, wanted: float, share: bool = False) -> bool:
    if isinstance(got, list) and got and got[0] == "d":
        return any(near(got[1] / unit, wanted) for unit in TIMES)
    if isinstance(got, str):
        got = number_of(got)
    if not is_number(got):
        return False
    return near(got, wanted) or share and near(got, wanted * 100)


def number_of(text: str):
    found = NUMBER.findall(text)
    whole = re.fullmatch(r"\s*[^\w\-−.]*\s*(%s)\s*(%%|[^\d\s]{0,4}|days?|hours?|minutes?)\s*"
                         % NUMBER.pattern, text)
    return as_number(found[0]) if whole and len(found) == 1 else None


def as_number(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))


def when(value):
    """A timestamp from an encoded date, period or text of a date; else None."""
    if isinstance(value, list) and value and value[0] in "tp":
        return pd.Timestamp(value[1])
    if isinstance(value, str) and re.match(r"\s*(\d{4}[-/Q ]|[A-Za-z]{3,9}\.? '?\d{2,4}|\d\d?[ -][A-Z]|"
                                           r"\d{4}$|Q\d[ -]\d{4}|\d\d?/\d\d?/\d)", value):
        text = re.sub(r"^(Q\d)[ -](\d{4})$", r"\2\1", value.strip())
        try:
            return pd.Period(text.split("/")[0] if re.match(r"\d{4}-\d\d-\d\d/", text)
                             else text).start_time
        except (ValueError, TypeError):
            return None
    return None


def value_matches(got, wanted, share: bool = False) -> bool:
    if is_number(wanted):
        return number_matches(got, wanted, share)
    if isinstance(wanted, list) and wanted[0] == "d":
        return isinstance(got, list) and got[0] == "d" and near(got[1], wanted[1]) or (
            is_number(got) and any(near(got * unit, wanted[1]) for unit in TIMES))
    return got is not None and Level([wanted]).read(got) == Level([wanted]).read(wanted)


# --- keys -----------------------------------------------------------------------------------------


def words(value) -> str:
    return " ".join(str(value).replace("_", " ").split())


class Level:
    """Reads cells of one level of keys the way the wanted ones are meant."""

    def __init__(self, wanted: list):
        self.wanted = [w for w in wanted if w is not None]
        texts = [words(w).casefold() for w in self.wanted]
        self.folds = len(set(texts)) == len({words(w) for w in self.wanted})
        self.texts = texts
        self.kind = self._kind(texts)
        self.freq = next((w[2] for w in self.wanted
                          if isinstance(w, list) and w[0] == "p"), None)

    def _kind(self, texts) -> str:
        first = self.wanted[0] if self.wanted else ""
        if all(isinstance(w, bool) for w in self.wanted):
            return "flag"
        if isinstance(first, list):
            return {"p": "period", "t": "time", "i": "interval", "d": "number"}.get(first[0], "text")
        if all(text in DAYS for text in texts):
            return "day"
        if all(text in MONTHS for text in texts):
            return "month"
        if all(re.fullmatch(r"q[1-4]", text) for text in texts):
            return "quarter"
        if all(is_number(w) for w in self.wanted):
            years = all(w == int(w) and 1900 < w < 2100 for w in self.wanted)
            return "year" if years else "number"
        return "text"

    def read(self, cell):
        """What cell means, or None."""
        return None if cell is None else getattr(self, "_" + self.kind)(cell)

    def _flag(self, cell):
        text = words(cell).casefold()
        if text in ("true", "yes", "y", "1", "1.0"):
            return True
        if text in ("false", "no", "n", "0", "0.0") or text.startswith(("not ", "other")):
            return False
        return None

    def _period(self, cell):
        if isinstance(cell, int) and self.freq.startswith(("Y", "A")):
            return str(pd.Period(str(cell), "Y-DEC"))
        if isinstance(cell, list) and cell[0] == "l":
            parts = [int(p) for p in cell[1:] if is_number(p)]
            if len(parts) != 2 or self.freq[0] not in "MQ":
                return None
            cell = f"{parts[0]}Q{parts[1]}" if self.freq[0] == "Q" else f"{parts[0]}-{parts[1]:02}"
        time = when(cell)
        return None if time is None else str(pd.Period(time, self.freq))

    def _time(self, cell):
        time = when(cell)
        return None if time is None else str(time.round("s"))

    def _day(self, cell):
        return named(cell, DAYS, 0)

    def _month(self, cell):
        return named(cell, MONTHS, 1)

    def _quarter(self, cell):
        text = words(cell).casefold().removesuffix(".0").removeprefix("q")
        return text if text in ("1", "2", "3", "4") else None

    def _year(self, cell):
        if is_number(cell):
            return int(cell)
        time = when(cell)
        return None if time is None else time.year

    def _interval(self, cell):
        if isinstance(cell, list) and cell[0] == "i":
            return None if cell[1] is None else float(cell[1])
        found = NUMBER.findall(words(cell).replace("–", " ").replace("-", " "))
        return as_number(found[0]) if found else None

    def _number(self, cell):
        if isinstance(cell, list) and cell[0] == "d":
            return cell[1]
        try:
            return round(float(re.sub(r":00$", "", cell) if isinstance(cell, str) else cell), 6)
        except (TypeError, ValueError):
            return None

    def _text(self, cell):
        if isinstance(cell, list) and cell[0] in "tpi":
            return None
        text = re.sub(r"\.0$", "", words(cell))
        if text.casefold() in NOTHING and text.casefold() not in self.texts:
            return None
        return text.casefold() if self.folds else text


def named(cell, names: list[str], first: int):
    if is_number(cell):
        place = int(cell) - first
        return names[place] if 0 <= place < len(names) else None
    text = words(cell).casefold()
    return next((name for name in names if len(text) >= 3 and name.startswith(text)), None)


# --- what is wanted --------------------------------------------------------------------------------


def mapping(series: pd.Series) -> dict[tuple, object]:
    """Keys as tuples of encoded cells would not hash; they stay lists beside their values."""
    return [(cell_keys(key, series.index.nlevels), cell_value(value))
            for key, value in series.items() if not missing(value) and not missing(key)]


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


def ordered_keys(wanted: list, levels: list[Level]) -> dict[tuple, object]:
    return {tuple(level.read(k) for level, k in zip(levels, keys)): value
            for keys, value in wanted}


def levels_of(wanted: list) -> list[Level]:
    depth = len(wanted[0][0])
    return [Level([keys[i] for keys, _ in wanted]) for i in range(depth)]


def readings(table: dict, levels: list[Level]):
    """Every way to read the table as keys and values: long, wide, or one row under a header."""
    columns = columns_of(table)
    depth = len(levels)
    for chosen in itertools.permutations(range(len(columns)), depth):
        keys = [[level.read(cell) for cell in columns[i][1]] for level, i in zip(levels, chosen)]
        if all(any(k is not None for k in key) for key in keys):
            for j in set(range(len(columns))) - set(chosen):
                yield list(zip(zip(*keys), columns[j][1]))
    if depth == 2:
        for first, second in ((0, 1), (1, 0)):
            yield from wide(columns, levels, first, second)
    if depth == 1 and table["rows"] == 1:
        heads = [(levels[0].read(label[-1]), values[0]) for label, values in columns]
        yield [((key,), value) for key, value in heads if key is not None]


def wide(columns: list, levels: list[Level], down: int, across: int):
    heads = [(j, next((h for h in (levels[across].read(part) for part in reversed(label))
                       if h is not None), None)) for j, (label, _) in enumerate(columns)]
    for i, (_, cells) in enumerate(columns):
        rows = [levels[down].read(cell) for cell in cells]
        if all(row is None for row in rows):
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


def in_order(wanted: list, got: dict) -> bool:
    names = [key for key in got if key in dict(wanted)]
    return names == [key for key, _ in wanted]


def table_matches(wanted: list, table: dict, order: bool, share: bool) -> bool:
    if not wanted or not table["rows"]:
        return False
    levels = levels_of(wanted)
    meant = ordered_keys(wanted, levels)
    if len(meant) != len(wanted):
        return False
    for pairs in readings(table, levels):
        if len(pairs) < len(wanted) * 0.5:
            continue
        got = clean(pairs)
        if got and same_mapping(meant, got, share) and (
                not order or in_order(list(meant.items()), got)):
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


def pie_matches(wanted: list, shown: list) -> bool:
    numbers = [value for _, value in wanted if is_number(value)]
    if not numbers or len(wanted[0][0]) > 1:
        return False
    total = sum(numbers)
    for item in figures(shown):
        for axes in item["axes"]:
            if axes["wedges"] and table_matches(
                    [(keys, value / total) for keys, value in wanted],
                    series_tables([("", *map(list, zip(*axes["wedges"])))]), False, False):
                return True
    return False


def figures(shown: list) -> list[dict]:
    return [item for item in shown if item["kind"] == "figure"]


# --- printed text -----------------------------------------------------------------------------------


def printed_values(printed: str) -> list:
    """What the sentences say: the number (or word) behind the colon, one a line."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    if len(lines) > 4:
        return []
    return [value for line in lines for value in line_value(line)]


def line_value(line: str) -> list:
    rest = re.split(r":\s+|\s=\s", line)[-1]
    found = NUMBER.findall(rest)
    if not found or re.match(r"\s*[A-Za-z]", rest) or len(found) > 3 or when(rest) is not None:
        head = re.split(r"\s+\(", rest)[0]
        return [head]
    number = as_number(found[0])
    return [number]


def printed_table(printed: str) -> list[dict]:
    """Lines of the form `key: value`."""
    found = [re.fullmatch(r"\s*(.+?):\s+(.+?)\s*", line) for line in printed.splitlines()]
    pairs = [(m[1], line_value(m[0])[0]) for m in found if m]
    return [series_tables([("", *map(list, zip(*pairs)))])] if len(pairs) > 1 else []


def single_values(shown: list, printed: str) -> list:
    """What stands alone: scalars, tables of one cell, what is printed."""
    found = printed_values(printed)
    for item in shown:
        if item["kind"] == "scalar":
            value = item["value"]
            found += line_value(value) if isinstance(value, str) and ": " in value else [value]
        if item["kind"] == "list" and len(item["values"]) == 1:
            found += item["values"]
        if item["kind"] == "table" and item["rows"] == 1 and len(item["columns"]) <= 3:
            numbers = [c["values"][0] for c in item["columns"]]
            found += numbers if len([n for n in numbers if is_number(n)]) <= 1 else []
            if not item["plain_index"]:
                found += [level["values"][0] for level in item["index"]] if all(
                    isinstance(level["values"][0], (str, list)) for level in item["index"]) else []
    return found


# --- the kinds of answers ---------------------------------------------------------------------------


def matches(wanted, shown: list, printed: str, order: bool = False, share: bool = False) -> bool:
    shown = [item for item in shown if item["kind"] != "other"]
    for kind, match in KINDS:
        if isinstance(wanted, kind):
            return match(wanted, shown, printed, order, share)
    return scalar_matches(wanted, shown, printed, share)


def scalar_matches(wanted, shown, printed, share) -> bool:
    value = cell_value(wanted)
    return any(value_matches(got, value, share) for got in single_values(shown, printed))


def series_matches(wanted, shown, printed, order, share) -> bool:
    pairs = mapping(wanted)
    tables = all_tables(shown) + printed_table(printed)
    return any(table_matches(pairs, table, order, share) for table in tables) or (
        pie_matches(pairs, shown))


def frame_matches(wanted, shown, printed, order, share) -> bool:
    """As keys down and across, or as several measures of the same keys."""
    if series_matches(stacked(wanted), shown, printed, False, share):
        return True
    columns = [wanted.iloc[:, i] for i in range(wanted.shape[1])]
    tables = all_tables(shown)
    return any(all(table_matches(mapping(column), table, order, share) for column in columns)
               for table in tables)


def stacked(frame: pd.DataFrame) -> pd.Series:
    index = pd.MultiIndex.from_tuples([(*(key if isinstance(key, tuple) else (key,)), column)
                                       for key in frame.index for column in frame.columns])
    return pd.Series(frame.to_numpy(dtype=object).ravel(), index=index, dtype=object)


def top_matches(wanted: Top, shown, printed, order, share) -> bool:
    series = wanted.series.sort_values(ascending=wanted.ascending, kind="stable")
    n = min(wanted.n, len(series))
    border = series.iloc[n - 1]
    sure = series[series < border] if wanted.ascending else series[series > border]
    equals = series[series == border]
    if wanted.n == 1 and any(single_key(key, series, shown, printed, border) for key in equals.index):
        return True
    tables = all_tables(shown) + printed_table(printed)
    rest = list(itertools.islice(itertools.combinations(range(len(equals)), n - len(sure)), 50))
    picks = [pd.concat([sure, equals.iloc[list(pick)]]) for pick in rest] + [
        pd.concat([sure, equals])]
    return any(best_first(mapping(pick), table, wanted, share)
               for table in tables for pick in picks) or (
        wanted.n == 1 and any(best_first(mapping(series), table, wanted, share)
                              for table in tables))


def best_first(pairs: list, table: dict, wanted: Top, share: bool) -> bool:
    """The right mapping, with the best at the beginning (or the end, as bars lie)."""
    if not table_matches(pairs, table, False, share):
        return False
    levels = levels_of(pairs)
    meant = ordered_keys(pairs, levels)
    for reading in readings(table, levels):
        got = clean(reading)
        if got and same_mapping(meant, got, share):
            drawn = [meant[key] for key in got if key in meant]
            if drawn in (sorted(drawn), sorted(drawn, reverse=True)):
                return True
    return False


def single_key(key, series, shown, printed, best) -> bool:
    keys = cell_keys(key, series.index.nlevels)
    if len(keys) > 1:
        return False
    level = Level([cell_value(k) for k in series.index])
    meant = level.read(keys[0])
    return any(level.read(got) == meant or printed_key(got, level, meant)
               for got in single_values(shown, printed))


def printed_key(got, level: Level, meant) -> bool:
    """`north, 12.5` and `north with 12.5`."""
    if not isinstance(got, str):
        return False
    head = re.split(r",| with | at | \(| - ", got)[0]
    return level.read(head) == meant


def keys_match(wanted: Keys, shown, printed, order, share) -> bool:
    keys = [cell_value(key) for key in wanted.keys]
    level = Level(keys)
    meant = {level.read(key) for key in keys}
    lists = [item["values"] for item in shown if item["kind"] == "list"]
    lists += [cells for table in all_tables(shown) for _, cells in columns_of(table)]
    if printed and len(printed) < 2000:
        lists += [re.split(r"[,\n]\s*", re.split(r":\s", printed.strip(), maxsplit=1)[-1])]
    return any(len(cells) == len(keys) and {level.read(cell) for cell in cells} == meant
               for cells in lists)


def values_match(wanted: Values, shown, printed, order, share) -> bool:
    numbers = [cell_value(number) for number in wanted.numbers]
    candidates = [[value for c in t["columns"] for value in c["values"]] for t in all_tables(shown)]
    singles = single_values(shown, printed)
    text = [as_number(n) for n in NUMBER.findall(printed)] if printed.count("\n") < 5 else []
    for got in [*candidates, singles, text]:
        usable = [value for value in got if is_number(value) or isinstance(value, list)]
        if len(usable) <= 3 * len(numbers) + 2 and in_turn(numbers, usable, share):
            return True
    return False


def in_turn(numbers: list, got: list, share: bool) -> bool:
    """All of them, each after the one before."""
    rest = iter(got)
    return all(any(value_matches(value, number, share) for value in rest) for number in numbers)


def hist_matches(wanted: Hist, shown, printed, order, share) -> bool:
    groups = wanted.values if isinstance(wanted.values, dict) else {"": wanted.values}
    numbers = [plain_numbers(group) for group in groups.values()]
    drawn = [bars["data"] for item in figures(shown) for axes in item["axes"]
             for bars in axes["bars"]]
    drawn += [[[0, c, e[0], e[1]] for c, e in steps(axes)] for item in figures(shown)
              for axes in item["axes"] if axes["lines"] and not axes["bars"]]
    whole = [plain_numbers(pd.concat([pd.Series(g) for g in groups.values()]))] if (
        len(groups) == 1) else []
    return all(any(same_histogram(group, bars) for bars in drawn) for group in whole or numbers)


def steps(axes: dict) -> list:
    return []


def plain_numbers(values) -> np.ndarray:
    series = pd.Series(values).dropna()
    if str(series.dtype).startswith("timedelta"):
        series = series.dt.total_seconds()
    return series.astype(float).to_numpy()


def same_histogram(numbers: np.ndarray, bars: list) -> bool:
    bars = sorted(bar for bar in bars if is_number(bar[2]))
    bars.sort(key=lambda bar: bar[2])
    if len(bars) < 2:
        return False
    starts = np.array([bar[2] for bar in bars])
    widths = np.array([bar[3] for bar in bars])
    if not np.allclose(starts[1:], (starts + widths)[:-1], atol=1e-6 * max(1, abs(starts).max())):
        return same_counts(numbers, bars)
    edges = np.append(starts, starts[-1] + widths[-1])
    return matches_edges(numbers, edges, np.array([bar[1] or 0 for bar in bars], dtype=float))


def same_counts(numbers: np.ndarray, bars: list) -> bool:
    """A bar for each value of a few whole numbers, named by its tick."""
    wanted = pd.Series(numbers).value_counts()
    return len(wanted) <= 30 and table_matches(mapping(wanted), series_tables(
        [("", [bar[0] for bar in bars], [bar[1] for bar in bars])]), False, False)


def matches_edges(numbers: np.ndarray, edges: np.ndarray, heights: np.ndarray) -> bool:
    slack = 1e-9 * max(1.0, abs(edges).max())
    inside = numbers[(numbers >= edges[0] - slack) & (numbers <= edges[-1] + slack)]
    if len(inside) < 0.98 * len(numbers) or heights.sum() <= 0:
        return False
    counts, _ = np.histogram(np.clip(inside, edges[0], edges[-1]), bins=edges)
    if abs(heights.sum() - len(inside)) < 0.5:
        return bool(np.abs(counts - heights).sum() <= 0.01 * len(inside))
    for scaled in (heights * np.diff(edges), heights, heights / 100):  # density, share, percent
        if math.isclose(scaled.sum(), 1, rel_tol=0.02):
            return bool(np.abs(counts / len(inside) - scaled).sum() <= 0.02)
    return False


def pairs_match(wanted: Pairs, shown, printed, order, share) -> bool:
    points = pd.DataFrame({"x": np.asarray(wanted.x, dtype=float),
                           "y": np.asarray(wanted.y, dtype=float)}).dropna()
    for item in figures(shown):
        for axes in item["axes"]:
            drawn = [(s["x"], s["y"]) for s in axes["scatters"] if not s["hexes"]]
            drawn += [(line["rawx"], line["y"]) for line in axes["lines"] if line["dots"]]
            if drawn and any(same_points(points, d) for d in (*drawn, joined(drawn))):
                return True
            if any(same_hexes(points, s) for s in axes["scatters"] if s["hexes"]):
                return True
    return False


def joined(drawn: list) -> tuple:
    return sum((d[0] for d in drawn), []), sum((d[1] for d in drawn), [])


def same_points(points: pd.DataFrame, drawn: tuple) -> bool:
    """All of them, either way round; of more than 5,000 a sample of 500 will do."""
    got = pd.DataFrame({"x": drawn[0], "y": drawn[1]}).dropna().astype(float)
    for first, second in (("x", "y"), ("y", "x")):
        wanted = {(round(a, 6), round(b, 6)) for a, b in zip(points.x, points.y)}
        found = {(round(a, 6), round(b, 6)) for a, b in zip(got[first], got[second])}
        if found == wanted and len(got) in (len(points), len(wanted)):
            return True
        if len(points) > 5000 and len(got) >= 500 and found <= wanted:
            return True
    return False


def same_hexes(points: pd.DataFrame, drawn: dict) -> bool:
    x, y = np.array(drawn["x"], dtype=float), np.array(drawn["y"], dtype=float)
    return math.isclose(drawn["weight"], len(points), rel_tol=0.01) and (
        abs(np.nanmax(x) - points.x.max()) < 0.1 * np.ptp(points.x)) and (
        abs(np.nanmax(y) - points.y.max()) < 0.1 * np.ptp(points.y))


def box_matches(wanted: Box, shown, printed, order, share) -> bool:
    groups = wanted.groups if isinstance(wanted.groups, dict) else {None: wanted.groups}
    medians = [float(np.median(plain_numbers(g))) for g in groups.values()]
    level = Level([cell_value(key) for key in groups])
    keys = [level.read(cell_value(key)) for key in groups]
    for item in figures(shown):
        for axes in item["axes"]:
            got = axes["boxes"]
            if len(got) == len(groups) and boxes_match(got, level, keys, medians, groups):
                return True
    return False


def boxes_match(got, level, keys, medians, groups) -> bool:
    if len(keys) == 1:
        return near(got[0]["median"], medians[0])
    found = {level.read(b["label"]): b for b in got}
    if set(found) != set(keys):  # violins know no names
        return sorted(round(b["median"], 6) for b in got) == sorted(round(m, 6) for m in medians) and (
            all("min" in b for b in got))
    quarter = [float(np.percentile(plain_numbers(g), 25)) for g in groups.values()]
    return all(near(found[k]["median"], m) and near(found[k].get("low", low), low)
               for k, m, low in zip(keys, medians, quarter))


KINDS = [(Top, top_matches), (Hist, hist_matches), (Pairs, pairs_match), (Box, box_matches),
         (Values, values_match), (Keys, keys_match), (pd.DataFrame, frame_matches),
         (pd.Series, series_matches)]

DRAWN = {"bar": lambda a: a["bars"], "line": lambda a: a["lines"], "pie": lambda a: a["wedges"],
         "hist": lambda a: a["bars"], "scatter": lambda a: a["scatters"] or any(
             line["dots"] for line in a["lines"]),
         "box": lambda a: a["boxes"], "heat": lambda a: a["grids"],
         "any": lambda a: any(a[k] for k in ("bars", "lines", "wedges", "scatters", "boxes",
                                             "grids"))}


def has_chart(kind: str, shown: list) -> bool:
    return not kind or any(DRAWN[kind](axes) for item in figures(shown) for axes in item["axes"])


__all__ = ["encode", "has_chart", "matches"]
