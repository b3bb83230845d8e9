"""Puts right what the gate finds, and what needs a figure to be known: separators of thousands,
names of lines beside them instead of in a legend. Nothing that is drawn as data is touched."""

from typing import Any

from . import gate

MAX_INCHES = 12  # of a picture, each way
MAX_DIRECT = 8  # lines that are named where they end


def settle(figure: Any) -> None:
    """Before anything is looked at."""
    width, height = figure.get_size_inches()
    if max(width, height) > MAX_INCHES:
        figure.set_size_inches(min(width, MAX_INCHES), min(height, MAX_INCHES))
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            _separate_thousands(axis)
        if axes.containers and gate.bars(axes):  # names need no lines between them
            (axes.yaxis if gate.is_lying(axes) else axes.xaxis).grid(False)


def mend(figure: Any, findings: list[gate.Finding]) -> None:
    shown = [axes for axes in figure.axes if axes.get_visible() and not hasattr(axes, "_colorbar")]
    for finding in findings:
        axes = shown[finding.axes]
        if finding.kind == "legend":
            axes.get_legend().set_bbox_to_anchor((1, 1))
            axes.get_legend().set_loc("upper left")
        elif finding.kind == "overlap":
            _turn(axes)
        elif finding.kind == "clipped":
            for text in axes.texts:
                text.set_clip_on(False)


def _turn(axes: Any) -> None:
    for label in axes.get_xticklabels():
        steep = label.get_rotation() % 360 >= 45
        label.set_rotation(90 if steep else 45)
        label.set_horizontalalignment("center" if steep else "right")
        label.set_rotation_mode("anchor" if not steep else "default")


def name_lines(figure: Any) -> None:
    """A legend beside a few lines becomes their names, where they do not run into each other."""
    for axes in figure.axes:
        legend = axes.get_legend()
        lines = [line for line in axes.lines if not str(line.get_label()).startswith("_")]
        if legend is None or not 2 <= len(lines) <= MAX_DIRECT or axes.patches or axes.collections:
            continue
        ends = [_end(line) for line in lines]
        if None in ends or len({end[0] for end in ends}) > 1:
            continue
        heights = sorted(axes.transData.transform(end)[1] for end in ends)
        gap = 12 * figure.dpi / 72
        if any(b - a < gap for a, b in zip(heights, heights[1:], strict=False)):
            continue
        for line, end in zip(lines, ends, strict=True):
            axes.annotate(
                line.get_label(), end, (6, 0), textcoords="offset points", va="center",
                color=line.get_color(), annotation_clip=False,
            )  # fmt: skip
        legend.remove()


def _end(line: Any) -> tuple[float, float] | None:
    points = [(x, y) for x, y in line.get_xydata() if gate._is_number(x) and gate._is_number(y)]
    return points[-1] if points else None


def _separate_thousands(axis: Any) -> None:
    from matplotlib.ticker import ScalarFormatter, StrMethodFormatter

    places = axis.get_majorticklocs()
    is_plain = type(axis.get_major_formatter()) is ScalarFormatter
    # 2024 is a year, and has none.
    if is_plain and len(places) and max(abs(places)) >= 10_000 and all(places == places.round()):
        axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
