"""A figure as a PNG, drawn once.

matplotlib's bbox_inches="tight" draws a figure twice: once to learn where everything is,
once onto a canvas of that size. Here the first drawing is kept and cropped, to exactly the
size that the second would have had. Whatever else is asked for (other formats, options,
something drawn outside of the canvas) is done by IPython and matplotlib as ever.
"""

import contextlib
import ctypes
import sys
from binascii import b2a_base64
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import IPython.core.pylabtools as pylabtools

from .figures import answer

_original = pylabtools.print_figure
_library: ctypes.CDLL | None = None

MAX_PARTS = 10  # of a value that is looked at


def load_library(libdir: str) -> None:
    """In the zygote: inside a sandbox the file may not exist."""
    global _library
    library = ctypes.CDLL(str(Path(libdir) / "libcellpod-chart.so"))
    library.chart_encode_png.restype = ctypes.c_int
    library.chart_encode_png.argtypes = [
        ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_size_t, ctypes.c_double,
        ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t),
    ]  # fmt: skip
    library.chart_free.restype = None
    library.chart_free.argtypes = [ctypes.c_void_p]
    _library = library


def install() -> None:
    """Take over the PNGs of IPython's figure formatter."""
    pylabtools.print_figure = print_figure


def is_shown_anyway(value: Any) -> bool:
    """Is it an open figure, or what a drawing into one has returned (bars, a title, axes)?"""
    pyplot = sys.modules.get("matplotlib._pylab_helpers")
    if pyplot is None or not pyplot.Gcf.figs:
        return False
    figures = [manager.canvas.figure for manager in pyplot.Gcf.figs.values()]
    return any(_figure_of(each) in figures for each in _some_of(value))


def _some_of(value: Any, depth: int = 3) -> Iterator[Any]:
    """It, and the first of what it holds: of many artists one speaks for all."""
    yield value
    if type(value).__name__ == "ndarray" and value.dtype != object:
        return
    if type(value).__module__ == "matplotlib.container" and not isinstance(value, tuple):
        value = vars(value)
    if isinstance(value, dict):
        value = list(value.values())
    if depth and isinstance(value, (list, tuple)) or type(value).__name__ == "ndarray":
        for each in value[:MAX_PARTS]:
            yield from _some_of(each, depth - 1)


def _figure_of(value: Any) -> Any:
    """Of an artist; only matplotlib's own code is asked."""
    from matplotlib.artist import Artist

    figure = value.get_figure() if isinstance(value, Artist) else None
    return getattr(figure, "figure", figure)  # of a subfigure


def print_figure(
    fig: Any, fmt: str = "png", bbox_inches: Any = "tight", base64: bool = False, **kwargs: Any
) -> Any:
    """As IPython's."""
    answer.finish(fig)
    if _library and fmt == "png" and bbox_inches == "tight" and not kwargs:
        png = _draw_once(fig)
        if png is not None:
            return b2a_base64(png, newline=False).decode("ascii") if base64 else png
    return _original(fig, fmt, bbox_inches, base64, **kwargs)


def _draw_once(fig: Any) -> bytes | None:
    """None where matplotlib has to do it."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = fig.canvas
    if type(canvas) is not FigureCanvasAgg or not (fig.axes or fig.lines):
        return None
    if fig.patch.get_linewidth() > 0:  # a frame, which goes around what is cut out
        return None
    with _saving(canvas):
        FigureCanvasAgg.draw(canvas)
        renderer = canvas.renderer
        content = fig.get_tightbbox(renderer)
        return _crop(fig, renderer, content)


@contextlib.contextmanager
def _saving(canvas: Any) -> Any:
    """The state in which matplotlib draws figures that are saved."""
    names = {"manager": None, "_is_saving": True, "_device_pixel_ratio": 1}
    before = {name: getattr(canvas, name) for name in names}
    try:
        for name, value in names.items():
            setattr(canvas, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(canvas, name, value)


def _crop(fig: Any, renderer: Any, content: Any) -> bytes | None:
    from matplotlib import rcParams

    canvas_width, canvas_height = int(renderer.width), int(renderer.height)
    dpi = fig.dpi
    pad = rcParams["savefig.pad_inches"]
    tight = content.padded(pad, pad)
    width, height = _pixels(tight.size, dpi)
    left = round(tight.x0 * dpi)
    top = round(canvas_height - height - tight.y0 * dpi)
    if not _inside(content, dpi, canvas_width, canvas_height) or width < 1 or height < 1:
        return None
    pixels = memoryview(renderer.buffer_rgba())
    inside = left >= 0 and top >= 0
    inside = inside and left + width <= canvas_width and top + height <= canvas_height
    if not inside:
        pixels = _extend(fig, pixels, (left, top, width, height))
        canvas_width, left, top = width, 0, 0
    return _encode(pixels, (left, top, width, height), 4 * canvas_width, dpi)


def _pixels(inches: Any, dpi: float) -> tuple[int, int]:
    """By matplotlib's own arithmetic: how it rounds is its business."""
    from matplotlib.backend_bases import FigureCanvasBase
    from matplotlib.transforms import Affine2D, Bbox, TransformedBbox

    bbox = TransformedBbox(Bbox.from_bounds(0, 0, *inches), Affine2D().scale(dpi))
    canvas = SimpleNamespace(figure=SimpleNamespace(bbox=bbox), device_pixel_ratio=1)
    return FigureCanvasBase.get_width_height(canvas, physical=True)


def _inside(content: Any, dpi: float, width: int, height: int) -> bool:
    """Is everything that was drawn on the canvas? Less than a pixel over is rounding."""
    return (
        content.x0 * dpi > -1
        and content.y0 * dpi > -1
        and content.x1 * dpi < width + 1
        and content.y1 * dpi < height + 1
    )


def _extend(fig: Any, pixels: Any, box: tuple[int, int, int, int]) -> Any:
    """The box out of the canvas, with its background where the box goes beyond."""
    import numpy as np
    from matplotlib.colors import to_rgba

    source = np.asarray(pixels)
    rows, columns = source.shape[:2]
    left, top, width, height = box
    colour = to_rgba(fig.get_facecolor()) if fig.patch.get_visible() else (1, 1, 1, 0)
    extended = np.empty((height, width, 4), np.uint8)
    extended[:] = np.rint(np.multiply(colour, 255)).astype(np.uint8)
    x0, x1 = max(left, 0), min(left + width, columns)
    y0, y1 = max(top, 0), min(top + height, rows)
    extended[y0 - top : y1 - top, x0 - left : x1 - left] = source[y0:y1, x0:x1]
    return memoryview(extended)


def _encode(
    pixels: memoryview, box: tuple[int, int, int, int], stride: int, dpi: float
) -> bytes | None:
    left, top, width, height = box
    address = ctypes.addressof(ctypes.c_char.from_buffer(pixels))
    png, size = ctypes.c_void_p(), ctypes.c_size_t()
    status = _library.chart_encode_png(
        address + top * stride + 4 * left, width, height, stride, dpi,
        ctypes.byref(png), ctypes.byref(size),
    )  # fmt: skip
    if status != 0:
        return None
    try:
        return ctypes.string_at(png, size.value)
    finally:
        _library.chart_free(png)
