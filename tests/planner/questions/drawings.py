"""Histograms, scatter and box plots: are the drawn data these numbers?"""

import math

import numpy as np
import pandas as pd

from capture import cell_value
from cells import Level, is_number, near
from spec import Box, Hist, Pairs
from answer_tables import figures, kept, mapping, series_tables, table_matches


def hist_matches(wanted: Hist, shown, printed, order, share) -> bool:
    groups = wanted.values if isinstance(wanted.values, dict) else {"": wanted.values}
    numbers = [plain_numbers(group) for group in groups.values()]
    drawn = [bars["data"] for item in figures(shown) for axes in item["axes"]
             for bars in axes["bars"]]
    return all(any(same_histogram(group, bars) for bars in drawn) for group in numbers)


def plain_numbers(values) -> np.ndarray:
    series = pd.Series(values).dropna()
    if str(series.dtype).startswith("timedelta"):
        series = series.dt.total_seconds()
    return series.astype(float).to_numpy()


def same_histogram(numbers: np.ndarray, bars: list) -> bool:
    bars = sorted((bar for bar in bars if is_number(bar[2])), key=lambda bar: bar[2])
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
    if abs(heights.sum() - len(inside)) < 0.5:
        return differing(inside, edges, heights, slack) <= 0.01 * len(inside)
    counts, _ = np.histogram(np.clip(inside, edges[0], edges[-1]), bins=edges)
    for scaled in (heights * np.diff(edges), heights, heights / 100):  # density, share, percent
        if math.isclose(scaled.sum(), 1, rel_tol=0.02):
            return bool(np.abs(counts / len(inside) - scaled).sum() <= 0.02)
    return False


def differing(numbers: np.ndarray, edges: np.ndarray, heights: np.ndarray, slack: float) -> float:
    """How many are in another bin. A value on an edge (1.9, where bins begin at 1 + 2 * 0.45) may be
    on either side of it."""
    below = np.cumsum(heights)[:-1]
    inner = edges[1:-1]
    least = (numbers[:, None] < inner - slack).sum(axis=0)
    most = (numbers[:, None] <= inner + slack).sum(axis=0)
    return float(np.maximum(least - below, 0).sum() + np.maximum(below - most, 0).sum())


@kept
def points_of(wanted: Pairs) -> tuple[pd.DataFrame, set]:
    points = pd.DataFrame({"x": np.asarray(wanted.x, dtype=float),
                           "y": np.asarray(wanted.y, dtype=float)}).dropna()
    return points, rounded(points.x, points.y)


def rounded(x: pd.Series, y: pd.Series) -> set:
    return {(round(a, 6), round(b, 6)) for a, b in zip(x, y)}


def pairs_match(wanted: Pairs, shown, printed, order, share) -> bool:
    points, meant = points_of(wanted)
    for item in figures(shown):
        for axes in item["axes"]:
            drawn = [(s["x"], s["y"]) for s in axes["scatters"] if not s["hexes"]]
            drawn += [(line["rawx"], line["y"]) for line in axes["lines"] if line["dots"]]
            if drawn and any(same_points(points, meant, d) for d in (*drawn, joined(drawn))):
                return True
            if any(same_hexes(points, s) for s in axes["scatters"] if s["hexes"]):
                return True
    return False


def joined(drawn: list) -> tuple:
    return sum((d[0] for d in drawn), []), sum((d[1] for d in drawn), [])


def same_points(points: pd.DataFrame, wanted: set, drawn: tuple) -> bool:
    """All of them, either way round; of more than 5,000 a sample of 500 will do."""
    got = pd.DataFrame({"x": drawn[0], "y": drawn[1]}).dropna().astype(float)
    is_whole = len(got) in (len(points), len(wanted))
    is_sample = len(points) > 5000 and len(got) >= 500
    for first, second in (("x", "y"), ("y", "x")) if is_whole or is_sample else ():
        found = rounded(got[first], got[second])
        if found == wanted and is_whole or is_sample and found <= wanted:
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
