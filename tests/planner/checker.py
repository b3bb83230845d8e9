"""Runs the planner's programs, and recomputes what they should show without pandas.

`run` executes a program in a fresh namespace and keeps its figures and what it printed.
`check` works the plan out from the rows, one by one in plain Python, and compares heights,
points, slices, boxes, heat, names and their order with the artists in the figure, and tables
and rows, cell by cell and in order, with what the program's last line shows.
"""

from __future__ import annotations

import ast
import contextlib
import io
import math
import statistics
import warnings
from collections import Counter
from dataclasses import dataclass

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
CATEGORIES_MAX, SERIES_MAX, POINTS_MAX = 30, 12, 20_000


@dataclass
class Outcome:
    """What a program left: its figure if any, its printed lines, its last expression."""

    figure: plt.Figure | None
    printed: str
    value: object
    names: dict


def run(code: str, frames: dict[str, pd.DataFrame]) -> Outcome:
    """Executes a program as a cell would be; the frames must not change."""
    plt.close("all")
    names: dict = dict(frames)
    before = {name: frame.copy(deep=True) for name, frame in frames.items()}
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*parse.*format.*")
        warnings.filterwarnings("ignore", message=".*[Gg]lyph.*")
        warnings.filterwarnings("ignore", message="No artists with labels.*")
        warnings.filterwarnings("ignore", category=RuntimeWarning)
        warnings.filterwarnings("ignore", message="Treating datetime data as categorical")
        warnings.filterwarnings("ignore", message="np.find_common_type")  # pandas 1.5's own
        warnings.filterwarnings("ignore", message=".*[Tt]ight.layout.*")
        warnings.filterwarnings("ignore", message=".*timezone.*|.*infer_datetime.*")
        exec(compile(tree, "<answer>", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "<answer>", "eval"), names)
        figure = plt.gcf() if plt.get_fignums() else None
        if figure is not None:
            figure.draw_without_rendering()  # lays out and warns likewise, without the pixels
    for name, frame in before.items():
        assert names[name] is frames[name], f"{name} was rebound"
        assert_unchanged(frame, frames[name])
    return Outcome(figure, printed.getvalue(), value, names)


def assert_unchanged(before: pd.DataFrame, frame: pd.DataFrame) -> None:
    """pandas' own assertion says what differs, and is slow where nothing does."""
    if not are_identical(before, frame):
        pd.testing.assert_frame_equal(before, frame)


def are_identical(before: pd.DataFrame, frame: pd.DataFrame) -> bool:
    """In cells, names, types and flags."""
    try:
        return (before.index.identical(frame.index) and before.columns.identical(frame.columns)
                and before.flags == frame.flags and before.equals(frame))
    except (TypeError, ValueError):  # cells that cannot be compared
        return False


# --- the rows ------------------------------------------------------------------------------


def is_null(value: object) -> bool:
    """None, NaN and NaT."""
    return value is None or value is pd.NA or value is pd.NaT or bool(value != value)


def rows_of(frame: pd.DataFrame, plan: dict) -> list[dict]:
    """The frame's rows that the plan's filters keep."""
    columns = [str(name) for name in frame.columns]
    rows = [dict(zip(columns, cells)) for cells in frame.itertuples(index=False, name=None)]
    return [row for row in rows if keeps(row, plan["filters"])]


def as_time(value: object) -> pd.Timestamp | None:
    """A date of any form, or None."""
    if is_null(value):
        return None
    time = pd.to_datetime(value, errors="coerce")
    if is_null(time):
        return None
    return time.tz_localize(None) if time.tzinfo else time


def keeps(row: dict, filters: list[dict]) -> bool:
    """`and` binds tighter than `or`."""
    groups: list[list[bool]] = [[]]
    for at, wanted in enumerate(filters):
        if at and wanted["join"] == "or":
            groups.append([])
        groups[-1].append(holds(row[wanted["column"]], wanted))
    return any(all(group) for group in groups)


def comparable(cell: object, operand: object) -> tuple:
    """Cell and operand in a form that < and == understand."""
    if isinstance(operand, (int, float)):
        if isinstance(cell, (pd.Timestamp,)):
            return cell.year, operand
        try:
            return float(cell), float(operand)
        except ValueError:
            time = as_time(cell)
            return (time.year if time else math.nan), operand
    looks_like_date = operand[:1].isdigit() and as_time(operand) is not None
    if looks_like_date and as_time(cell) is not None:
        return as_time(cell), as_time(operand)
    return str(cell), str(operand)


def holds(cell: object, wanted: dict) -> bool:
    """Whether one cell meets one condition."""
    op, values = wanted["op"], wanted["values"]
    if op in ("is null", "is not null"):
        return is_null(cell) == (op == "is null")
    if is_null(cell):
        return op in ("!=", "not in", "not contains")
    text = str(cell).lower()
    tests = {"contains": lambda v: v.lower() in text,
             "not contains": lambda v: v.lower() not in text,
             "starts with": lambda v: text.startswith(v.lower()),
             "ends with": lambda v: text.endswith(v.lower())}
    if op in tests:
        return tests[op](str(values[0]))
    pairs = [comparable(cell, value) for value in values]
    if op in ("in", "not in"):
        return any(a == b for a, b in pairs) == (op == "in")
    if op == "between":
        return pairs[0][1] <= pairs[0][0] <= pairs[1][1]
    a, b = pairs[0]
    return {"==": a == b, "!=": a != b, ">": a > b, ">=": a >= b, "<": a < b, "<=": a <= b}[op]


# --- groups --------------------------------------------------------------------------------


def key_of(cell: object, unit: str | None, kind: str) -> object:
    """What a cell is grouped by; None for no group."""
    if kind == "date":
        time = as_time(cell)
        if time is None:
            return None
        if unit == "year":
            return time.year
        if unit == "weekday":
            return DAYS[time.weekday()]
        if unit == "hour":
            return time.hour
        if unit == "day":
            return time.normalize()
        if unit == "month":
            return time.normalize().replace(day=1)
        if unit == "quarter":
            return time.normalize().replace(day=1, month=(time.month - 1) // 3 * 3 + 1)
        if unit == "week":
            return time.normalize() - pd.Timedelta(days=time.weekday())
        return time
    if is_null(cell):
        return None
    return cell


def number_of(cell: object) -> float | None:
    """A cell as a number, None where it is none."""
    try:
        number = float(cell)
    except (TypeError, ValueError):
        return None
    return None if math.isnan(number) else number


def aggregate(name: str | None, cells: list) -> float:
    """One number of many cells."""
    if name == "count":
        return len(cells)
    if name == "distinct":
        return len({cell for cell in cells if not is_null(cell)})
    numbers = [n for n in map(number_of, cells) if n is not None]
    if name == "sum":
        return math.fsum(numbers)
    if not numbers or (name == "std" and len(numbers) < 2):
        return math.nan
    return {"mean": statistics.fmean, None: statistics.fmean, "median": statistics.median,
            "min": min, "max": max, "std": statistics.stdev}[name](numbers)


def grouped(rows: list[dict], plan: dict, kinds: dict) -> dict:
    """The plan's number by (x, series); series is None where there is none."""
    unit = (plan["bin"] or {}).get("unit")
    groups: dict[tuple, list] = {}
    folds = {}
    for role, most in (("x", CATEGORIES_MAX), ("series", SERIES_MAX)):
        name = plan[role]
        if name and kinds[name] in ("text", "bool") and not (role == "x" and plan["limit"]):
            folds[role] = keep_largest(rows, plan, kinds, role, most)
    for row in rows:
        x = key_of(row[plan["x"]], unit, kinds[plan["x"]])
        series = None
        if plan["series"]:
            series = key_of(row[plan["series"]], None, kinds[plan["series"]])
        if x is None or (plan["series"] and series is None):
            continue
        if "x" in folds and folds["x"] is not None and x not in folds["x"]:
            x = "other"
        if "series" in folds and folds["series"] is not None and series not in folds["series"]:
            series = "other"
        groups.setdefault((x, series), []).append(row[plan["y"]] if plan["y"] else 1)
    numbers = {key: aggregate(plan["aggregate"], cells) for key, cells in groups.items()}
    if plan["per"]:
        below = grouped(rows, {**plan, **plan["per"], "per": None}, kinds)
        numbers = {key: divided(number, below[key]) for key, number in numbers.items()}
    if plan["share"] and plan["mark"] != "pie":
        whole = math.fsum(v for v in numbers.values() if v == v)
        numbers = {key: 100 * value / whole for key, value in numbers.items()}
    return numbers


def divided(above: float, below: float) -> float:
    """As floats do it: by zero too."""
    return float(np.float64(above) / np.float64(below))


def keep_largest(rows: list[dict], plan: dict, kinds: dict, role: str, most: int) -> set | None:
    """The names that keep their own group, or None for all."""
    unit = (plan["bin"] or {}).get("unit") if role == "x" else None
    groups: dict[object, list] = {}
    for row in rows:
        key = key_of(row[plan[role]], unit, kinds[plan[role]])
        groups.setdefault(key, []).append(row[plan["y"]] if plan["y"] else 1)
    if len(groups) <= most or plan["aggregate"] is None or plan["also"]:
        return None
    if plan["per"]:
        raise Undecided("which groups of a ratio are kept")
    by_size = plan["series"] is not None
    sizes = {key: len(cells) if by_size else aggregate(plan["aggregate"], cells)
             for key, cells in groups.items()}
    ranked = sorted((key for key in sizes if sizes[key] == sizes[key]),
                    key=lambda key: -sizes[key])
    edge = sizes[ranked[most - 1]]
    if Counter(sizes.values())[edge] > 1 and sizes[ranked[min(most, len(ranked) - 1)]] == edge:
        raise Undecided("which of several equal groups is kept is free")
    return set(ranked[:most])


class Undecided(Exception):
    """The plan leaves open what the chart shows; nothing to compare."""


# --- figures -------------------------------------------------------------------------------


def close(a: float, b: float) -> bool:
    """Equal but for rounding."""
    return (a != a and b != b) or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


def ordered_x(numbers: dict, plan: dict) -> list:
    """The x names in the order in which the chart must have them."""
    names = list(dict.fromkeys(x for x, _ in numbers))
    unit = (plan["bin"] or {}).get("unit")
    sort = plan["sort"] or {}
    by, down = sort.get("by"), sort.get("order") == "descending"
    if unit == "weekday" and by != "y":
        names = [day for day in DAYS if day in names]
        return names[::-1] if by == "x" and down else names
    if by == "y":
        totals = {x: math.fsum(v for (name, _), v in numbers.items() if name == x and v == v)
                  for x in names}
        names.sort(key=lambda x: totals[x], reverse=down)
        return names
    return in_order(names, by == "x" and down)


def is_counting(names: list) -> bool:
    """Text of numbers, all of it, and not too much."""
    return len(names) <= CATEGORIES_MAX and all(
        isinstance(name, str) and set(name) <= set("0123456789+-.eE")
        and number_of(name) is not None for name in names)


def in_order(names: list, down: bool = False) -> list:
    """As they count, in time, or by the alphabet."""
    if is_counting(names):
        return sorted(names, key=float, reverse=down)
    try:
        return sorted(names, reverse=down)
    except TypeError:
        return sorted(names, key=str)


def check_bars(figure: plt.Figure, numbers: dict, plan: dict) -> None:
    """Heights by series and place, and the names below."""
    ax = figure.axes[0]
    expected = ordered_x(numbers, plan)[: plan["limit"] or None]
    by_y = (plan["sort"] or {}).get("by") == "y"
    labels = [tick.get_text().replace(r"\$", "$") for tick in ax.get_xticklabels()]
    assert len(labels) == len(expected), (labels, expected)
    if plan["series"]:
        assert_series(ax, numbers, expected, by_y)
        return
    heights = [patch.get_height() for patch in ax.patches]
    got = dict(zip(labels, heights))
    assert len(heights) == len(expected)
    for name in expected if not plan["limit"] else []:
        assert any(close(h, numbers[name, None]) for h in heights), (name, heights)
    if by_y:
        want = [numbers[name, None] for name in expected]
        assert all(close(a, b) for a, b in zip(heights, want)), (heights, want)
    else:
        assert [show(name, plan) for name in expected] == labels
        assert all(close(got[show(n, plan)], numbers[n, None]) for n in expected)


def show(name: object, plan: dict) -> str:
    """A group's name as its tick has it."""
    unit = (plan["bin"] or {}).get("unit")
    if isinstance(name, str):
        return name
    if unit in ("month", "quarter"):
        return name.strftime("%Y-%m")
    if unit in ("week", "day"):
        return name.strftime("%Y-%m-%d")
    if isinstance(name, pd.Timedelta):
        return pd.Index([name]).astype(str)[0]  # "1 days", and not "1 days 00:00:00"
    return str(name)


def assert_series(ax: plt.Axes, numbers: dict, expected: list, by_y: bool) -> None:
    """Each container is one series; its bars are the groups in order."""
    names = list(dict.fromkeys(series for _, series in numbers))
    assert len(ax.containers) == len(names), (ax.containers, names)
    by_label = {str(name): name for name in names}
    for container in ax.containers:
        series = by_label[container.get_label()]
        got = [0.0 if p.get_height() != p.get_height() else p.get_height() for p in container]
        want = [numbers.get((x, series), 0.0) for x in expected]
        want = [0.0 if w != w else w for w in want]
        same = (zip(sorted(got), sorted(want)) if by_y else zip(got, want))
        assert len(got) == len(want) and all(close(a, b) for a, b in same), (series, got, want)


def check_lines(figure: plt.Figure, numbers: dict, plan: dict) -> None:
    """One line a series, through the group's numbers in order."""
    ax = figure.axes[0]
    expected = ordered_x(numbers, plan)[: plan["limit"] or None]
    names = list(dict.fromkeys(series for _, series in numbers))
    assert len(ax.lines) == len(names), (len(ax.lines), names)
    by_label = {str(name): name for name in names}
    for line in ax.lines:
        series = by_label[line.get_label()] if plan["series"] else None
        got = [float(value) for value in line.get_ydata()]
        missing = 0.0 if plan["aggregate"] == "count" else math.nan
        want = [numbers.get((x, series), missing) for x in expected]
        assert len(got) == len(want) and all(map(close, got, want)), (series, got[:5], want[:5])


def check_points(figure: plt.Figure, rows: list[dict], plan: dict, kinds: dict) -> None:
    """The cloud holds each row's point once."""
    want = []
    for row in rows:
        x, y = number_of(row[plan["x"]]), number_of(row[plan["y"]])
        if x is None or y is None:
            continue
        if plan["series"] and kinds[plan["series"]] == "number" and is_null(row[plan["series"]]):
            continue
        want.append((x, y))
    got = [tuple(map(float, point)) for ax in figure.axes for cloud in ax.collections
           for point in cloud.get_offsets()]
    if len(want) > POINTS_MAX:
        assert len(got) == POINTS_MAX and not Counter(got) - Counter(want)
        return
    assert Counter(got) == Counter(want), (len(got), len(want))


def check_histogram(figure: plt.Figure, rows: list[dict], plan: dict) -> None:
    """Every value is in some bar; widths are as asked."""
    values = [n for n in (number_of(row[plan["x"]]) for row in rows)
              if n is not None and math.isfinite(n)]
    patches = figure.axes[0].patches
    spans = [(p.get_x(), p.get_x() + p.get_width(), p.get_height()) for p in patches]
    if plan["series"]:
        return
    assert math.isclose(sum(height for _, _, height in spans), len(values))
    width = (plan["bin"] or {}).get("width")
    for left, right, height in spans:
        is_last = right >= max(values) - 1e-9
        inside = sum(left - 1e-9 <= v < right - 1e-9 or (is_last and abs(v - right) < 1e-9)
                     for v in values)
        assert abs(inside - height) <= 2, (left, right, height, inside)
        assert not width or math.isclose(right - left, width)


def check_pie(figure: plt.Figure, numbers: dict) -> None:
    """Slices are the groups' shares."""
    sizes = [v for v in numbers.values() if 0 < v < math.inf]
    want = sorted(size / math.fsum(sizes) for size in sizes)
    got = sorted((p.theta2 - p.theta1) / 360 for p in figure.axes[0].patches)
    assert len(got) == len(want), (len(got), len(want))
    assert all(math.isclose(a, b, abs_tol=1e-6) for a, b in zip(got, want)), (got, want)


def check_value(outcome: Outcome, rows: list[dict], plan: dict, frame: pd.DataFrame) -> None:
    """The printed number is the one of the rows."""
    if plan["share"]:
        whole = number_of_all(rows_of(frame, {"filters": []}), plan)
        got = float(outcome.printed.strip().splitlines()[-1].rsplit(" ", 1)[-1])
        assert close(got, 100 * number_of_all(rows, plan) / whole), got
        return
    wanted = [plan, *plan["also"]]
    lines = outcome.printed.strip().splitlines()[-len(wanted):]
    for line, measure in zip(lines, wanted, strict=True):
        want = number_of_all(rows, measure)
        if plan["per"]:
            want = divided(want, number_of_all(rows, plan["per"]))
        got = float(line.rsplit(" ", 1)[-1])
        assert close(got, want), (got, want)


def number_of_all(rows: list[dict], measure: dict) -> float:
    """A measure of all rows together."""
    if measure["aggregate"] == "count":
        return len(rows)
    return aggregate(measure["aggregate"], [row[measure["y"]] for row in rows])


# --- several measures ----------------------------------------------------------------------


def check_measures(outcome: Outcome, rows: list[dict], plan: dict, kinds: dict) -> None:
    """A column for each, in the order of the first; a panel for each column in charts."""
    table = outcome.names["result"]
    wanted = [plan, *plan["also"]]
    numbers = [grouped(rows, {**plan, "y": m["y"], "aggregate": m["aggregate"]}, kinds)
               for m in wanted]
    plain_keys = [as_time(key) if isinstance(key, pd.Timestamp) else key for key in table.index]
    keys = [key if plan["series"] else (key, None) for key in plain_keys]
    assert len(table.columns) == len(wanted), (list(table.columns), wanted)
    for (_, column), groups in zip(table.items(), numbers):
        assert all(close(float(got), groups[key]) for key, got in zip(keys, column))
    assert len(set(keys)) == len(keys)
    if plan["series"]:
        assert set(keys) == set(numbers[0]) or plan["limit"]
    else:
        is_cut = outcome.figure and kinds[plan["x"]] in ("text", "bool")
        limit = plan["limit"] or (CATEGORIES_MAX if is_cut else len(numbers[0]))
        compare_order([key for key, _ in keys], numbers[0], {**plan, "limit": limit})
    for at, ax in enumerate(outcome.figure.axes if outcome.figure else ()):
        got = ([p.get_height() for p in ax.patches] if plan["mark"] == "bar"
               else list(ax.lines[0].get_ydata()))
        assert all(map(close, map(float, got), map(float, table.iloc[:, at])))
        assert len(got) == len(table)
    assert not outcome.figure or len(outcome.figure.axes) == len(wanted)


# --- boxes and heat ------------------------------------------------------------------------


def quantile(numbers: list[float], share: float) -> float:
    """Between the two nearest values, as far along as the share says; `numbers` are sorted."""
    if not numbers:
        return math.nan
    place = (len(numbers) - 1) * share
    low = numbers[math.floor(place)]
    return low + (numbers[math.ceil(place)] - low) * (place - math.floor(place))


def box_of(numbers: list[float]) -> tuple[list[float], list[float]]:
    """Lower whisker, quartiles and upper whisker; and the values beyond the whiskers."""
    numbers = sorted(numbers)
    first, middle, third = (quantile(numbers, share) for share in (0.25, 0.5, 0.75))
    reach = 1.5 * (third - first)
    inside = [n for n in numbers if first - reach <= n <= third + reach]
    low = min([n for n in inside if n <= first], default=first)
    high = max([n for n in inside if n >= third], default=third)
    return [low, first, middle, third, high], [n for n in numbers if not low <= n <= high]


def check_boxes(outcome: Outcome, rows: list[dict], plan: dict, kinds: dict) -> None:
    """Median, quartiles, whiskers and fliers of each box, and the names below."""
    ax, unit = outcome.figure.axes[0], (plan["bin"] or {}).get("unit")
    groups: dict[tuple, list[float]] = {}
    for row in rows:
        key = plan["y"]
        if plan["x"] and plan["x"] != plan["y"]:
            key = key_of(row[plan["x"]], unit, kinds[plan["x"]])
        part = key_of(row[plan["series"]], None, kinds[plan["series"]]) if plan["series"] else None
        number = number_of(row[plan["y"]])
        if key is not None:
            groups.setdefault((key, part), []).extend([] if number is None else [number])
    names = in_order(list({key for key, _ in groups}))
    if unit == "weekday":
        names = [day for day in DAYS if day in names]
    if len(names) > CATEGORIES_MAX:
        assert f"{len(names) - CATEGORIES_MAX} more are not shown" in outcome.printed
    names = names[:CATEGORIES_MAX]
    assert_names([tick.get_text() for tick in ax.get_xticklabels()], names)
    if plan["series"]:
        check_box_parts(ax, groups, names)
        return
    assert len(ax.lines) == 7 * len(names), (len(ax.lines), names)
    for at, name in enumerate(names):
        parts = [list(map(float, line.get_ydata())) for line in ax.lines[7 * at: 7 * at + 7]]
        box, low, high, low_cap, high_cap, median, beyond = parts
        assert_box(groups[name, None], [low[1], box[0], median[0], box[2], high[1]], beyond)
        assert all(map(close, (low_cap[0], high_cap[0]), (low[1], high[1])))


def check_box_parts(ax: plt.Axes, groups: dict, names: list) -> None:
    """One colour a part, side by side above each name."""
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    known = {str(part): part for _, part in groups if part is not None}
    parts = [known[text] for text in texts]
    assert len(parts) == len(set(parts)) == min(len(known), SERIES_MAX), (parts, known)
    boxes = [patch for patch in ax.patches if len(patch.get_path().vertices) >= 5]
    assert len(boxes) == len(parts) * len(names) and len(ax.lines) == 6 * len(boxes)
    for at, patch in enumerate(boxes):
        low, high, low_cap, high_cap, median, beyond = (
            list(map(float, line.get_ydata())) for line in ax.lines[6 * at: 6 * at + 6])
        name, part = names[at % len(names)], parts[at // len(names)]
        middle = patch.get_path().vertices[:, 0]
        assert round(float(middle.min() + middle.max()) / 2) == names.index(name)
        edges = patch.get_path().vertices[:, 1]
        got = [low[1], edges.min(), median[0], edges.max(), high[1]]
        assert_box(groups.get((name, part), []), list(map(float, got)), beyond)


def assert_box(numbers: list[float], got: list[float], beyond: list[float]) -> None:
    """One box is that of these numbers."""
    if not all(map(math.isfinite, numbers)):
        return
    want, fliers = box_of(numbers)
    assert all(map(close, got, want)), (got, want)
    assert len(beyond) == len(fliers) and all(map(close, sorted(beyond), fliers))


def assert_names(labels: list[str], names: list) -> None:
    """Ticks and groups are the same, in order."""
    shown = [label.replace(r"\$", "$") for label in labels]
    assert len(shown) == len(names), (shown, names)
    for label, name in zip(shown, names):
        read = {pd.Timestamp: as_time, pd.Timedelta: pd.Timedelta}.get(type(name))
        same = read(label) == name if read else label == str(name)
        assert same, (shown, names)


def image_of(figure: plt.Figure) -> tuple[list[str], list[str], list[list[float]]]:
    """The names of a heat map's rows and columns, and its cells."""
    ax = figure.axes[0]
    cells = [[math.nan if value is np.ma.masked else float(value) for value in line]
             for line in ax.images[0].get_array()]
    return ([tick.get_text() for tick in ax.get_yticklabels()],
            [tick.get_text() for tick in ax.get_xticklabels()], cells)


def check_heatmap(figure: plt.Figure, numbers: dict, plan: dict) -> None:
    """Each cell is the number of its row's and its column's name."""
    names, columns, cells = image_of(figure)
    by_text = {str(key).replace("$", r"\$"): key for pair in numbers for key in pair}
    keys, heads = [by_text[name] for name in names], [by_text[name] for name in columns]
    compare_grid(keys, heads, cells, numbers, plan)


def compare_grid(keys: list, heads: list, cells: list, numbers: dict, plan: dict) -> None:
    """A table with a column for each series, and its order."""
    missing = 0.0 if plan["aggregate"] == "count" else math.nan
    assert len(cells) == len(keys) and len(set(keys)) == len(keys)
    assert heads == sorted({series for _, series in numbers}, key=order_of), heads
    for name, line in zip(keys, cells):
        want = [numbers.get((name, series), missing) for series in heads]
        assert len(line) == len(want) and all(map(close, map(float, line), want)), (name, line)
    compare_order(keys, numbers, plan)


def order_of(name: object) -> tuple:
    """Numbers before text, each in its order."""
    return isinstance(name, str), name


def compare_order(keys: list, numbers: dict, plan: dict) -> None:
    """Names stand as asked; of equal numbers any may come first."""
    want = ordered_x(numbers, plan)
    if (plan["sort"] or {}).get("by") == "y":
        totals = {x: math.fsum(v for (name, _), v in numbers.items() if name == x and v == v)
                  for x in want}
        keys, want = [totals[name] for name in keys], [totals[name] for name in want]
        want = want[: plan["limit"] or None]
        assert len(keys) == len(want) and all(map(close, keys, want)), (keys, want)
        return
    assert keys == want[: plan["limit"] or None], (keys, want)


def pearson(pairs: list[tuple[float, float]]) -> float:
    """Correlation of two columns."""
    if len(pairs) < 2:
        return math.nan
    left, right = (statistics.fmean(side) for side in zip(*pairs))
    both = math.fsum((a - left) * (b - right) for a, b in pairs)
    spread = (math.fsum((a - left) ** 2 for a, _ in pairs)
              * math.fsum((b - right) ** 2 for _, b in pairs))
    return both / math.sqrt(spread) if spread else math.nan


def correlation(rows: list[dict], one: str, other: str) -> float:
    """Of the rows that have both numbers."""
    pairs = [(number_of(row[one]), number_of(row[other])) for row in rows]
    return pearson([pair for pair in pairs if None not in pair])


def check_correlation(outcome: Outcome, rows: list[dict], kinds: dict) -> None:
    """The image and the table both hold every pair's number."""
    names = [name for name, kind in kinds.items() if kind in ("number", "bool")]
    down, across, cells = image_of(outcome.figure)
    assert_names(down, names)
    assert_names(across, names)
    table = outcome.value
    assert [str(n) for n in table.index] == [str(n) for n in table.columns] == names
    shown = [list(line) for line in table.itertuples(index=False, name=None)]
    for at, one in enumerate(names):
        want = [correlation(rows, one, other) for other in names]
        for line in (cells[at], shown[at]):
            assert len(line) == len(want) and all(map(close, line, want)), (one, line, want)


def check_pair(outcome: Outcome, rows: list[dict], plan: dict) -> None:
    """The printed correlation is the one of all rows, to three digits."""
    [line] = [line for line in outcome.printed.splitlines() if line.startswith("Correlation")]
    got = float(line.rsplit(" ", 1)[-1])
    want = correlation(rows, plan["x"], plan["y"])
    assert (got != got and want != want) or abs(got - want) <= 0.000501, (got, want)


# --- tables and rows -----------------------------------------------------------------------


def check_table(outcome: Outcome, rows: list[dict], plan: dict, kinds: dict) -> None:
    """Groups and their numbers, in order."""
    table = outcome.value
    keys = list(table.index)
    cells = [list(line) for line in table.itertuples(index=False, name=None)]
    if not plan["aggregate"] and not plan["series"]:
        check_ranked(keys, [float(line[0]) for line in cells], rows, plan, kinds)
        return
    numbers = grouped(rows, plan, kinds)
    if plan["series"]:
        compare_grid(keys, list(table.columns), cells, numbers, plan)
        return
    for name, line in zip(keys, cells):
        assert len(line) == 1 and close(float(line[0]), numbers[name, None]), (name, line)
    compare_order(keys, numbers, plan)


def check_ranked(names: list, got: list[float], rows: list[dict], plan: dict,
                 kinds: dict) -> None:
    """One number a row: the first so many, in the order asked."""
    unit, sort = (plan["bin"] or {}).get("unit"), plan["sort"] or {}
    pairs = [(key_of(row[plan["x"]], unit, kinds[plan["x"]]), number_of(row[plan["y"]]))
             for row in rows]
    pairs = [(show(key, plan), number) for key, number in pairs if number is not None]
    names = [show(name, plan) for name in names]
    assert not Counter(zip(names, got)) - Counter(pairs), "a row that is none"
    most = plan["limit"] or max(len(got), min(CATEGORIES_MAX, len(pairs)))
    assert len(got) == min(most, len(pairs)), (len(got), most)
    if sort.get("by") == "y":
        want = sorted((number for _, number in pairs), reverse=sort["order"] == "descending")
        assert got == want[:most], (got, want[:most])
    elif not sort:
        assert list(zip(names, got)) == pairs[:most]


def same_cell(a: object, b: object) -> bool:
    """Equal, or both missing."""
    if is_null(a) or is_null(b):
        return is_null(a) and is_null(b)
    return a == b


def plain(row: tuple) -> tuple:
    """A row that can be counted: missing cells are alike."""
    return tuple(None if is_null(cell) else repr(cell) if isinstance(cell, list) else cell
                 for cell in row)


def check_rows(outcome: Outcome, rows: list[dict], plan: dict, kinds: dict) -> None:
    """The first rows that the filters keep, in the table's order or the one asked."""
    is_all = plan["filters"] or plan["sort"]
    most = plan["limit"] or (len(rows) if is_all else 20)
    table, sort = outcome.value, plan["sort"]
    got = [plain(line) for line in table.itertuples(index=False, name=None)]
    want = [plain(tuple(row.values())) for row in rows]
    assert len(got) == min(most, len(want)), (len(got), most, len(want))
    if not sort:
        assert got == want[:most], (got, want[:most])
        if not plan["limit"]:
            assert outcome.printed.strip().splitlines()[-1].split()[0] == str(len(want))
        return
    assert not Counter(got) - Counter(want), "a row that is none"
    name = {"x": plan["x"], "y": plan["y"]}.get(sort["by"], sort["by"])
    read = {"number": number_of, "date": as_time}.get(kinds[name], lambda cell: cell)
    at = list(kinds).index(name)
    keys = [read(row[name]) for row in rows]
    ranked = sorted((key for key in keys if not is_null(key)),
                    reverse=sort["order"] == "descending")
    ranked += [None] * (len(keys) - len(ranked))
    shown = [read(line[at]) for line in got]
    assert all(map(same_cell, shown, ranked)), (shown, ranked[:most])


def statistics_of(cells: list, kind: str) -> dict:
    """What `describe` says of one column."""
    known = [cell for cell in cells if not is_null(cell)]
    if kind == "number" or (known and isinstance(known[0], pd.Timestamp)):
        is_time = kind != "number"
        numbers = sorted(cell.timestamp() if is_time else float(cell) for cell in known)
        out = {"count": len(numbers), "mean": aggregate("mean", numbers),
               "min": aggregate("min", numbers), "25%": quantile(numbers, 0.25),
               "50%": quantile(numbers, 0.5), "75%": quantile(numbers, 0.75),
               "max": aggregate("max", numbers)}
        if not is_time:
            out["std"] = aggregate("std", numbers)
        return out
    return counts_of(known)


def counts_of(known: list) -> dict:
    """What `describe` says of words, and before pandas 2.0 of dates."""
    counts = Counter(known)
    most = max(counts.values(), default=math.nan)
    return {"count": len(known), "unique": len(counts), "freq": most,
            "top": {name for name, count in counts.items() if count == most}}


def compare_statistics(got: dict, cells: list, kind: str) -> None:
    """Each statistic that is shown, and none too few."""
    if kind == "other" or any(abs(n) > 1e150 for n in filter(None, map(number_of, cells))):
        return  # lists, complex numbers; squares that a float cannot hold
    want = statistics_of(cells, kind)
    if not is_null(got.get("first")):
        known = [cell for cell in cells if not is_null(cell)]
        assert (got.pop("first"), got.pop("last")) == (min(known), max(known))
        want = counts_of(known)
    assert {key for key in got if not is_null(got[key])} <= set(want), (got, want)
    for key, value in want.items():
        if key == "top":
            assert got[key] in value or not value, (got, want)
        elif isinstance(got[key], pd.Timestamp):
            assert abs(got[key].timestamp() - value) < 1e-3, (key, got, want)
        else:
            assert close(float(got[key]), value), (key, got, want)


def check_describe(outcome: Outcome, rows: list[dict], plan: dict, kinds: dict) -> None:
    """Of one column, or a line for each."""
    name, table = plan["x"] or plan["y"], outcome.value
    if name:
        compare_statistics(table.to_dict(), [row[name] for row in rows], kinds[name])
        return
    names = [str(label) for label in table.index]
    assert names == [n for n, kind in kinds.items() if kind != "other" or n in names], names
    for at, column in enumerate(names):
        compare_statistics(table.iloc[at].to_dict(), [row[column] for row in rows],
                           kinds[column])


def check_missing(outcome: Outcome, rows: list[dict], plan: dict, kinds: dict) -> None:
    """How many cells are missing, in one column or in each."""
    counts = {column: sum(is_null(row[column]) for row in rows) for column in kinds}
    name, table = plan["x"] or plan["y"], outcome.value
    if name:
        got = int(outcome.printed.strip().splitlines()[-1].rsplit(" ", 1)[-1])
        assert got == counts[name], (got, counts[name])
        return
    counts = dict(sorted(counts.items(), key=lambda item: -item[1]))
    assert [str(label) for label in table.index] == list(counts)
    assert list(table["missing"]) == list(counts.values()), (table, counts)
    want = [count / max(len(rows), 1) for count in counts.values()]
    assert all(map(close, table["share"], want)), (table, want)


def check_unique(outcome: Outcome, rows: list[dict], plan: dict) -> None:
    """Different values and how often each stands, most often first."""
    want = Counter(plain((row[plan["x"]],))[0] for row in rows)
    got = {plain((name,))[0]: count for name, count in outcome.value.items()}
    assert all(want[name] == count for name, count in got.items()), (got, want)
    assert list(got.values()) == sorted(want.values(), reverse=True)[:50], (got, want)
    assert outcome.printed.strip().splitlines()[-1].split()[0] == str(len(want))


def check_columns(outcome: Outcome, rows: list[dict], kinds: dict) -> None:
    """Every column, and how many values it has."""
    table = outcome.value
    assert [str(label) for label in table.index] == list(kinds)
    want = [sum(not is_null(row[column]) for row in rows) for column in kinds]
    assert list(table["values"]) == want, (table, want)


def check_shown(plan: dict, outcome: Outcome, rows: list[dict], kinds: dict[str, str],
                frame: pd.DataFrame) -> None:
    """What is not a chart."""
    checks = {
        "value": lambda: check_value(outcome, rows, plan, frame),
        "table": lambda: check_table(outcome, rows, plan, kinds),
        "rows": lambda: check_rows(outcome, rows, plan, kinds),
        "unique": lambda: check_unique(outcome, rows, plan),
        "describe": lambda: check_describe(outcome, rows, plan, kinds),
        "missing": lambda: check_missing(outcome, rows, plan, kinds),
        "correlation": lambda: check_correlation(outcome, rows, kinds),
        "columns": lambda: check_columns(outcome, rows, kinds),
    }
    checks[plan["intent"]]()


def counted(frame: pd.DataFrame, plan: dict) -> pd.DataFrame:
    """Spans of time that are not groups are numbers: of the smallest unit in which the middle is not large."""
    numbers = [plan["y"], plan["x"] if plan["mark"] in ("scatter", "histogram") else None]
    spans = [name for name in numbers if name in frame and frame[name].dtype.kind == "m"]
    for name in spans:
        seconds = frame[name].dt.total_seconds()
        unit = next(unit for unit, most in ((1, 120), (60, 7200), (3600, 172800), (86400, float("inf")))
                    if seconds.median() < most)
        frame = frame.assign(**{name: seconds / unit})
    return frame


def check(plan: dict, outcome: Outcome, frame: pd.DataFrame, kinds: dict[str, str]) -> None:
    """Compares what a program showed with the plan worked out by hand."""
    if "keys" in plan:  # a query
        import query_checker
        query_checker.check(plan, outcome, frame)
        return
    frame = counted(frame, plan)
    rows = rows_of(frame, plan)
    if plan["also"] and plan["intent"] != "value":
        check_measures(outcome, rows, plan, kinds)
        return
    if plan["intent"] != "chart":
        check_shown(plan, outcome, rows, kinds, frame)
        return
    figure = outcome.figure
    if plan["mark"] == "pie" and figure is None:
        assert all(not v > 0 for v in grouped(rows, plan, kinds).values())
        return
    assert figure is not None, "no figure"
    if plan["mark"] == "scatter" and plan["y"] and not plan["aggregate"]:
        check_points(figure, rows, plan, kinds)
        if not plan["series"] and kinds[plan["x"]] == kinds[plan["y"]] == "number":
            check_pair(outcome, rows, plan)
    elif plan["mark"] == "box":
        check_boxes(outcome, rows, plan, kinds)
    elif plan["mark"] == "heatmap":
        check_heatmap(figure, grouped(rows, plan, kinds), plan)
    elif plan["mark"] == "bar" and not plan["aggregate"] and not plan["series"]:
        ax = figure.axes[0]
        labels = [tick.get_text().replace(r"\$", "$") for tick in ax.get_xticklabels()]
        heights = [float(patch.get_height()) for patch in ax.patches]
        check_ranked(labels, heights, rows, plan, kinds)
    elif plan["mark"] == "histogram":
        check_histogram(figure, rows, plan)
    elif plan["mark"] in ("bar", "line", "pie") and plan["aggregate"]:
        numbers = grouped(rows, plan, kinds)
        if plan["mark"] == "pie":
            check_pie(figure, numbers)
        else:
            (check_bars if plan["mark"] == "bar" else check_lines)(figure, numbers, plan)
