"""What a cell shows, as plain data. Runs in the sandbox, and in the grader's own tests."""

import math
import numbers

import matplotlib.dates as mdates
import numpy as np
import pandas as pd
from matplotlib.collections import PathCollection, PolyCollection, QuadMesh
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle, Wedge
from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter

MOST_ROWS = 20_000
MOST_POINTS = 40_000
SHOWN = []
STATS = {}
NAMES = set()


def cell_value(value):
    """JSON for one value; what JSON lacks is a list with a tag."""
    if isinstance(value, str):  # most are
        return str(value)
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, pd.Interval):
        return ["i", cell_value(value.left), cell_value(value.right)]
    if isinstance(value, pd.Period):
        return ["p", str(value.start_time), value.freqstr]
    if isinstance(value, (tuple, list)):
        return ["l", *map(cell_value, value)]
    if value is None or pd.isna(value):
        return None
    if isinstance(value, (pd.Timestamp, np.datetime64)) or hasattr(value, "isoformat"):
        try:
            return ["t", str(pd.Timestamp(value))]
        except (TypeError, ValueError):
            return str(value)
    if isinstance(value, (pd.Timedelta, np.timedelta64)) or hasattr(value, "total_seconds"):
        return ["d", pd.Timedelta(value).total_seconds()]
    return str(value)


def values(sequence):
    return [cell_value(value) for value in sequence]


def index_columns(index):
    return [{"name": None if name is None else str(name),
             "values": values(index.get_level_values(level))}
            for level, name in enumerate(index.names)]


def label_parts(label):
    return [cell_value(part) for part in label] if isinstance(label, tuple) else [cell_value(label)]


def table(frame):
    frame = frame.iloc[:MOST_ROWS]
    return {"kind": "table", "rows": len(frame), "index": index_columns(frame.index),
            "columns": [{"label": label_parts(label), "values": values(frame.iloc[:, i])}
                        for i, label in enumerate(frame.columns)],
            "plain_index": isinstance(frame.index, pd.RangeIndex)}


def encode(thing):
    if isinstance(thing, Figure):
        return figure(thing)
    if type(thing).__name__ == "Styler":
        return encode(thing.data)
    if isinstance(thing, pd.DataFrame):
        return table(thing)
    if isinstance(thing, pd.Series):
        return table(thing.to_frame())
    if isinstance(thing, dict):
        return table(pd.Series(thing, dtype=object).to_frame())
    if isinstance(thing, (pd.Index, np.ndarray, list, tuple, set, frozenset)) or hasattr(
            thing, "__array__") and np.ndim(thing) == 1:
        return {"kind": "list", "values": values(list(np.ravel(np.asarray(thing, dtype=object))
                                                      if isinstance(thing, np.ndarray)
                                                      else thing)[:MOST_ROWS])}
    if type(thing).__module__.startswith("IPython"):
        return {"kind": "other", "type": type(thing).__name__}
    return {"kind": "scalar", "value": cell_value(thing)}


# --- figures ------------------------------------------------------------------------------------


def tick_names(axis):
    """Position and text of ticks that somebody named; empty for plain numbers and dates."""
    formatter = axis.get_major_formatter()
    named = isinstance(formatter, FixedFormatter) or type(formatter).__name__ == (
        "StrCategoryFormatter")
    if isinstance(formatter, FuncFormatter):  # what set_ticks(places, labels) leaves
        named = isinstance(axis.get_major_locator(), FixedLocator)
    if not named:
        return []
    found = [(float(place), text.get_text())
             for place, text in zip(axis.get_ticklocs(), axis.get_ticklabels())]
    return [(place, text) for place, text in found if text]


def is_dates(axis):
    return "Date" in type(axis.get_converter() if hasattr(axis, "get_converter") else
                          axis.converter).__name__ or isinstance(
        axis.get_major_formatter(), (mdates.AutoDateFormatter, mdates.DateFormatter,
                                     mdates.ConciseDateFormatter))


def place_key(axis, ax, place, named):
    if not isinstance(place, numbers.Real):
        return cell_value(place)
    freq = getattr(ax, "freq", None)
    if freq is not None and axis is ax.xaxis:
        return cell_value(pd.Period(ordinal=int(round(place)), freq=freq))
    near = min(named, key=lambda item: abs(item[0] - place), default=None)
    if near and abs(near[0] - place) < 0.51:
        return near[1]
    if is_dates(axis):
        return ["t", str(pd.Timestamp(mdates.num2date(place)).tz_localize(None).round("s"))]
    return cell_value(place)


def bars(ax):
    found = []
    for container in ax.containers:
        patches = [p for p in getattr(container, "patches", []) if isinstance(p, Rectangle)]
        if not patches:
            continue
        across = getattr(container, "orientation", "vertical") == "horizontal"
        axis = ax.yaxis if across else ax.xaxis
        named, label = tick_names(axis), str(container.get_label())
        data = []
        for p in patches:
            start, width = (p.get_y(), p.get_height()) if across else (p.get_x(), p.get_width())
            size = p.get_width() if across else p.get_height()
            data.append([place_key(axis, ax, start + width / 2, named), cell_value(size),
                         cell_value(start), cell_value(width)])
        found.append({"label": "" if label.startswith("_") else label, "data": data,
                      "across": across})
    return found


def line_x(line):
    original = line.get_xdata(orig=True)
    converted = np.ravel(line.get_xdata(orig=False))
    original = list(original) if hasattr(original, "__len__") else []
    return [o if isinstance(o, (str, pd.Period)) else c
            for o, c in zip(original, converted)] if len(original) == len(converted) else converted


def lines(ax):
    found = []
    for line in ax.lines:
        named = tick_names(ax.xaxis)
        x = [place_key(ax.xaxis, ax, place, named) for place in list(line_x(line))[:MOST_POINTS]]
        y = values(np.ravel(line.get_ydata(orig=False))[:MOST_POINTS])
        label = str(line.get_label())
        dots = line.get_linestyle() in ("None", "none", " ", "")
        found.append({"label": "" if label.startswith("_") else label, "x": x, "y": y,
                      "rawx": values(np.ravel(line.get_xdata(orig=False))[:MOST_POINTS]),
                      "dots": dots})
    return found


def scatters(ax):
    found = []
    for item in ax.collections:
        if not isinstance(item, (PathCollection, PolyCollection)):
            continue
        offsets = np.asarray(np.ma.filled(item.get_offsets(), np.nan), dtype=float)
        if len(offsets) < 2:
            continue
        hexes = isinstance(item, PolyCollection)
        weight = float(np.nansum(item.get_array())) if hexes and item.get_array() is not None else 0
        label = str(item.get_label())
        found.append({"label": "" if label.startswith("_") else label, "hexes": hexes,
                      "x": values(offsets[:MOST_POINTS, 0]), "y": values(offsets[:MOST_POINTS, 1]),
                      "weight": weight})
    return found


def wedges(ax):
    named = {}
    patches = [p for p in ax.patches if isinstance(p, Wedge)]
    for p, text in zip(patches, [t for t in ax.texts if not t.get_text().endswith("%")]):
        named[id(p)] = text.get_text()
    return [[named.get(id(p)) or str(p.get_label()), float(p.theta2 - p.theta1) / 360]
            for p in patches]


def grids(ax):
    arrays = [np.ma.filled(np.ma.asarray(image.get_array(), dtype=float), np.nan)
              for image in ax.images if np.ndim(image.get_array()) == 2]
    shift = 0.0
    for mesh in ax.collections:
        if isinstance(mesh, QuadMesh):
            array = np.ma.filled(np.ma.asarray(mesh.get_array(), dtype=float), np.nan)
            if array.ndim == 1:
                height, width = (n - 1 for n in mesh.get_coordinates().shape[:2])
                array = array.reshape(height, width)
            arrays, shift = [*arrays, array], 0.5
    rows, columns = tick_names(ax.yaxis), tick_names(ax.xaxis)
    return [{"rows": [place_key(ax.yaxis, ax, i + shift, rows) for i in range(a.shape[0])],
             "columns": [place_key(ax.xaxis, ax, j + shift, columns) for j in range(a.shape[1])],
             "values": [values(row) for row in a]} for a in arrays]


def axes(ax):
    boxes = STATS.get(id(ax), [])
    return {"title": ax.get_title(), "bars": bars(ax), "lines": [] if boxes else lines(ax),
            "scatters": scatters(ax), "wedges": wedges(ax), "grids": grids(ax), "boxes": boxes}


def figure(fig):
    fig.draw_without_rendering()  # so that ticks have their places and names
    name_boxes(fig)
    return {"kind": "figure", "axes": [axes(ax) for ax in fig.axes
                                       if ax.get_label() != "<colorbar>"]}


def watch_boxes():
    """Box plots keep no numbers that could be read back; their statistics pass by here."""
    from matplotlib.axes import Axes

    def watched(name, read):
        original = getattr(Axes, name)
        if getattr(original, "watched", False):
            return

        def method(self, stats, *args, **kwargs):
            drawn = original(self, stats, *args, **kwargs)
            STATS.setdefault(id(self), []).extend(read(stats))
            return drawn

        method.watched = True
        setattr(Axes, name, method)

    watched("bxp", lambda stats: [
        {"label": str(s.get("label", "")), "median": float(s["med"]), "low": float(s["q1"]),
         "high": float(s["q3"])} for s in stats])
    watched("violin", lambda stats: [
        {"label": "", "median": float(s["median"]), "min": float(s["min"]),
         "max": float(s["max"])} for s in stats])


def name_boxes(thing):
    """pandas and seaborn name boxes by ticks, after they are drawn."""
    for ax in thing.axes:
        boxes = STATS.get(id(ax), [])
        for axis in (ax.xaxis, ax.yaxis) if boxes else ():
            names = [text for _, text in tick_names(axis)]
            if len(names) == len(boxes):
                for box, name in zip(boxes, names):
                    box["label"] = name


# --- in the worker ------------------------------------------------------------------------------


def keep(thing):
    try:
        if isinstance(thing, Figure):
            if any(kept is thing for kept, _ in SHOWN):
                return
        SHOWN.append((thing, encode(thing)))
    except Exception as error:  # what cannot be read is graded as wrong, and says why
        SHOWN.append((thing, {"kind": "other", "type": f"{type(error).__name__}: {error}"}))


def install(shell):
    formatter = shell.display_formatter
    original = formatter.format

    def format_and_keep(thing, *args, **kwargs):
        keep(thing)
        return original(thing, *args, **kwargs)

    formatter.format = format_and_keep
    watch_boxes()


def dump(path):
    import json
    import zlib
    with open(path, "wb") as file:
        file.write(zlib.compress(json.dumps([shown for _, shown in SHOWN]).encode()))
    SHOWN.clear()
    STATS.clear()


def tidy(namespace):
    """Takes away what answers have left, so that each question meets the tables alone."""
    for name in [n for n in namespace if n not in NAMES and not n.startswith("_")]:
        del namespace[name]
