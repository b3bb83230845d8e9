"""What is wrong with a figure, told by what it draws: nothing is guessed from its code.

look() needs a figure that has been drawn once, so that every text has its place. It never
changes the figure. Work is bounded: of many texts and points the first ones speak for all.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MAX_TICKS = 45  # names along one axis that anybody reads
MAX_TEXTS = 400
MAX_POINTS = 2000
MAX_VALUES = 5000
_SENTENCES = {
    "nothing": "nothing is drawn",
    "clipped": "a label is cut off",
    "overlap": "labels run into each other",
    "legend": "the legend covers data",
    "ticks": "there are more names on an axis than can be read",
    "equal": "all values are the same",
    "order": "an axis has numbers or dates in the order of their letters",
    "differs": "what is drawn is not what was worked out",
}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True)
class Finding:
    kind: str
    axes: int  # of the figure's

    @property
    def sentence(self) -> str:
        return _SENTENCES[self.kind]


def look(figure: Any, result: Any = None) -> list[Finding]:
    """`result`: what the program worked out, a Series or a DataFrame, if it says."""
    renderer = figure.canvas.get_renderer()
    found = []
    shown = [axes for axes in figure.axes if axes.get_visible() and not _is_colorbar(axes)]
    if not any(_has_data(axes) for axes in shown):
        return [Finding("nothing", 0)]
    for at, axes in enumerate(shown):
        checks = {
            "clipped": _is_clipped(axes, renderer),
            "overlap": _overlaps(axes, renderer),
            "legend": _legend_covers(axes, renderer),
            "ticks": _has_too_many(axes),
            "equal": len(shown) == 1 and _is_flat(axes),
            "order": _is_misordered(axes),
        }
        found += [Finding(kind, at) for kind, holds in checks.items() if holds]
    if result is not None and len(shown) == 1 and _differs(shown[0], result):
        found.append(Finding("differs", 0))
    return found


# --- what is drawn -----------------------------------------------------------------------------


def _is_colorbar(axes: Any) -> bool:
    return hasattr(axes, "_colorbar")


def bars(axes: Any) -> list[Any]:
    from matplotlib.patches import Rectangle

    return [patch for patch in axes.patches[:MAX_VALUES] if isinstance(patch, Rectangle)]


def is_lying(axes: Any) -> bool:
    drawn = [each for each in axes.containers if hasattr(each, "orientation")]
    return bool(drawn) and drawn[0].orientation == "horizontal"


def _lengths(axes: Any) -> list[float]:
    lies = is_lying(axes)
    return [float(bar.get_width() if lies else bar.get_height()) for bar in bars(axes)]


def _is_number(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except TypeError:
        return False


def _heights(line: Any) -> list[float]:
    values = [*line.get_ydata(orig=False)[:MAX_VALUES]]
    return [float(value) for value in values if _is_number(value)]


def _offsets(collection: Any) -> Any:
    return collection.get_offsets() if hasattr(collection, "get_offsets") else ()


def _has_data(axes: Any) -> bool:
    from matplotlib.patches import Wedge

    if axes.images or any(isinstance(patch, Wedge) for patch in axes.patches):
        return True
    if any(_is_number(length) and length for length in _lengths(axes)):
        return True
    others = [patch for patch in axes.patches if patch not in bars(axes)]
    return (
        bool(others)
        or any(_heights(line) for line in axes.lines)
        or any(
            len(collection.get_paths()) or len(_offsets(collection))
            for collection in axes.collections
        )
        or any(length == 0 for length in _lengths(axes))
    )


# --- texts --------------------------------------------------------------------------------------


def names(axis: Any) -> list[Any]:
    """The texts that stand along an axis, as far as they are in view."""
    low, high = sorted(axis.get_view_interval())
    slack = (high - low) * 1e-6
    ticks = zip(
        axis.get_majorticklocs()[:MAX_TEXTS], axis.get_majorticklabels()[:MAX_TEXTS], strict=False
    )
    return [
        label
        for place, label in ticks
        if low - slack <= place <= high + slack and label.get_visible() and label.get_text().strip()
    ]


def _overlaps(axes: Any, renderer: Any) -> bool:
    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_visible() and axes.axison and _run_together(names(axis), renderer):
            return True
    texts = [
        text for text in axes.texts[:MAX_TEXTS] if text.get_visible() and text.get_text().strip()
    ]
    return _run_together(texts, renderer) if len(texts) < 60 else False


def _run_together(labels: list[Any], renderer: Any) -> bool:
    boxes = [_corners(label, renderer) for label in labels]
    neighbours = zip(boxes, boxes[1:], strict=False)
    hits = sum(_cut(a, b) for a, b in neighbours)
    return hits > max(0, len(boxes) // 10)


def _corners(label: Any, renderer: Any) -> Any:
    """Middle, half width and half height, angle: of the box as it stands on the page."""
    turn = math.radians(label.get_rotation())
    angle = label.get_rotation()
    box = label.get_window_extent(renderer)
    if angle % 90 == 0:
        return (box.x0 + 1, box.y0 + 1, box.x1 - 1, box.y1 - 1, 0.0)
    height = label.get_fontsize() * label.figure.dpi / 72
    return (box.x0, box.y0, box.x1, box.y1, height / max(abs(math.sin(turn)), 0.1))


def _cut(a: Any, b: Any) -> bool:
    """Slanted ones are apart when their feet are a line's height apart."""
    if a[4] and b[4]:
        return abs(a[2] - b[2]) < 0.8 * a[4] and abs(a[1] - b[1]) < a[4]
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _is_clipped(axes: Any, renderer: Any) -> bool:
    """A text that ends where its axes end, or that the edge of the picture cuts."""
    for text in axes.texts[:MAX_TEXTS]:
        if not (text.get_visible() and text.get_text().strip() and text.get_clip_on()):
            continue
        box, frame = text.get_window_extent(renderer), axes.bbox
        if (
            box.x0 < frame.x0 - 2
            or box.y0 < frame.y0 - 2
            or box.x1 > frame.x1 + 2
            or box.y1 > frame.y1 + 2
        ):
            return True
    return False


def _has_too_many(axes: Any) -> bool:
    return any(
        axis.get_visible() and len(names(axis)) > MAX_TICKS for axis in (axes.xaxis, axes.yaxis)
    )


# --- the legend ---------------------------------------------------------------------------------


def _legend_covers(axes: Any, renderer: Any) -> bool:
    legend = axes.get_legend()
    if legend is None or not legend.get_visible():
        return False
    box = legend.get_window_extent(renderer)
    inner = box.padded(-2)
    return any(_touches(inner, points) for points in _polylines(axes)) or any(
        inner.overlaps(bar.get_window_extent(renderer))
        and abs(bar.get_width() * bar.get_height()) > 0
        for bar in bars(axes)
    )


def _polylines(axes: Any) -> Iterator[Any]:
    for line in axes.lines:
        yield line.get_transform().transform(line.get_xydata()[:MAX_POINTS]), True
    for collection in axes.collections:
        offsets = _offsets(collection)
        if len(offsets) > 1:
            yield collection.get_offset_transform().transform(offsets[:MAX_POINTS]), False


def _touches(box: Any, drawn: Any) -> bool:
    points, is_joined = drawn
    inside = sum(box.contains(x, y) for x, y in points)
    if inside > (0 if is_joined else len(points) // 100):
        return True
    if not is_joined:
        return False
    from matplotlib.path import Path

    return len(points) > 1 and Path(points).intersects_bbox(box, filled=False)


# --- values -------------------------------------------------------------------------------------


def _is_flat(axes: Any) -> bool:
    lengths = [length for length in _lengths(axes) if _is_number(length)]
    lines = [_heights(line) for line in axes.lines]
    every = lengths + [height for line in lines for height in line]
    is_chart = len(lengths) > 2 or any(len(line) > 2 for line in lines)
    return is_chart and not axes.collections and len(set(every)) == 1


def _is_misordered(axes: Any) -> bool:
    from matplotlib.category import StrCategoryLocator
    from matplotlib.ticker import FixedLocator

    for axis in (axes.xaxis, axes.yaxis):
        if not isinstance(axis.get_major_locator(), (StrCategoryLocator, FixedLocator)):
            continue
        texts = [label.get_text().strip() for label in names(axis)]
        if len(texts) > 2 and _is_by_letters(texts):
            return True
    return False


def _is_by_letters(texts: list[str]) -> bool:
    """Sorted as text, and not as what they are."""
    if texts not in (sorted(texts), sorted(texts, reverse=True)):
        return False
    for read in (_number, _day, _month):
        values = [read(text) for text in texts]
        if None not in values:
            return values not in (sorted(values), sorted(values, reverse=True))
    return False


def _number(text: str) -> float | None:
    match = re.fullmatch(
        r"[^\d-]{0,3}(-?\d+(?:\.\d+)?)\s*[A-Za-z%°/²³]{0,6}", text.replace(",", "")
    )
    return float(match[1]) if match else None


def _day(text: str) -> tuple[int, ...] | None:
    """03/11/2024: its year, and the rest in the order in which it stands, or the other."""
    match = re.fullmatch(r"(\d{1,2})[./-](\d{1,2})[./-](\d{2,4})", text)
    return (int(match[3]), int(match[2]), int(match[1])) if match else None


def _month(text: str) -> tuple[int, int] | None:
    match = re.fullmatch(r"([A-Za-z]{3,9})\.?(?:[ -]'?(\d{2,4}))?", text)
    if not match:
        return None
    word = match[1].lower()
    for known in (_MONTHS, _DAYS):
        if word[:3] in known and (len(word) == 3 or _is_full(word)):
            return int(match[2] or 0), known.index(word[:3])
    return None


def _is_full(word: str) -> bool:
    return word.endswith("day") or word in (
        "january", "february", "march", "april", "june", "july", "august", "september",
        "october", "november", "december", "sept",
    )  # fmt: skip


def _differs(axes: Any, result: Any) -> bool:
    """Of bars and of lines: each that is drawn is in the result, where it belongs."""
    if axes.collections or axes.images or len({len(line.get_xdata()) for line in axes.lines}) > 1:
        return False
    columns = _columns(result)
    if columns is None:
        return False
    drawn = _series(axes)
    wanted = [values for values in columns if values]
    return bool(drawn) and not all(any(_is_part(part, whole) for whole in wanted) for part in drawn)


def _columns(result: Any) -> list[list[float]] | None:
    kind = type(result).__name__
    if type(result).__module__.partition(".")[0] != "pandas" or len(result) > MAX_VALUES:
        return None
    try:
        if kind == "Series":
            return [[float(value) for value in result]]
        if kind == "DataFrame":
            across = [
                [float(v) for v in result.iloc[:, at]] for at in range(min(result.shape[1], 50))
            ]
            return across + [
                [float(v) for v in result.iloc[at]] for at in range(min(len(result), 50))
            ]
    except (TypeError, ValueError):
        return None
    return None


def _series(axes: Any) -> list[list[float]]:
    lies = is_lying(axes)
    drawn = [
        [float(bar.get_width() if lies else bar.get_height()) for bar in container]
        for container in axes.containers
        if hasattr(container, "orientation")
    ]
    if not drawn:
        drawn = [
            [float(v) for v in line.get_ydata(orig=False)]
            for line in axes.lines
            if len(line.get_xdata()) > 2
        ]
    return drawn


def _is_part(drawn: list[float], whole: list[float]) -> bool:
    """The first ones, the last ones or all; a missing one is drawn as nought or not at all."""

    def same(a: float, b: float) -> bool:
        missing = not math.isfinite(b) and (not math.isfinite(a) or a == 0)
        return missing or math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9)

    def agree(some: list[float]) -> bool:
        return len(some) == len(drawn) and all(map(same, drawn, some))

    known = [value for value in whole if math.isfinite(value)]
    size = len(drawn)
    return any(
        agree(some)
        for some in (whole[:size], whole[len(whole) - size :], known, whole[::-1][:size])
    )
