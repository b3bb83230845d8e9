"""What the zygote does once, so that no worker has to: imports, caches, the shell.

It begins with what every cell needs, and can fork a worker as soon as that is there. The rest
are steps, each of some tenths of a second at most: a worker that was forked before they were
done goes on with them while nobody asks it for anything.
"""

import contextlib
import gc
import importlib
import importlib.metadata
import pdb
import platform
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence

from IPython.core import debugger
from IPython.core.completer import provisionalcompleter

from . import charts, journal, pyplot, shelf
from .shell import ZMQInteractiveShell, make_shell

_REPORTED = ("ipython", "numpy", "pandas", "matplotlib", "debugpy")

_shell: ZMQInteractiveShell | None = None
_versions: dict[str, str] = {}
_loading = threading.Lock()


def warm(libdir: str) -> dict[str, str]:
    """All of it at once. Returns as begin() does."""
    found = begin(libdir)
    while go_on():
        pass
    return found


def begin(libdir: str) -> dict[str, str]:
    """Returns the versions of python, ipython, numpy, pandas and matplotlib."""
    global _shell
    if not sys.flags.utf8_mode:
        raise RuntimeError("Python must run in UTF-8 mode (-X utf8)")
    _shell = make_shell()
    _make_debuggers_interruptible()
    charts.load_library(libdir)
    charts.install()
    journal.load_library(libdir)
    importlib.import_module("cellpod.loop")
    pyplot.set_up_on_import(_shell)
    _run_a_cell(_shell)
    _find_fonts()
    _left[:] = _STEPS
    _versions.update(_installed())
    return dict(_versions)


def is_left() -> bool:
    return bool(_left)


def go_on() -> bool:
    """The next step. Returns whether there was one."""
    with _loading:
        if not _left:
            return False
        _take(_left.pop(0))
        return True


def load(name: str) -> None:
    """At once, for what cannot do without it; unless it is not installed."""
    with _loading:
        _take(_load(name))


def _take(step: Callable[[ZMQInteractiveShell], None]) -> None:
    with _undisturbed(), shell().builtin_trap:  # pandas asks get_ipython for a terminal
        try:
            step(shell())
        except ImportError:  # a Python without one of them still works
            pass
        except Exception:  # the cell that needs it will fail, and be understood there
            traceback.print_exc()


def then_load(names: Sequence[str]) -> None:
    """Of which nobody knows whether they will be asked for."""
    _left.extend(lambda _warmed, name=name: shelf.load(name) for name in names)


def leave() -> None:
    """Nothing more is loaded behind the back of code that runs, in whatever thread."""
    if _left:
        with _loading:
            _left.clear()


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Modules that are being loaded leave little garbage, and it is costly to find. A file in
    the notebook's folder is for its cells to import."""
    was_on, path = gc.isenabled(), sys.path[:]
    gc.disable()
    sys.path[:] = filter(None, path)
    try:
        yield
    finally:
        sys.path[:] = path
        if was_on:
            gc.enable()


def _make_debuggers_interruptible() -> None:
    """An interrupt at pdb's own prompt only gives the next prompt."""
    debugger.Pdb = debugger.InterruptiblePdb
    pdb.Pdb = debugger.Pdb
    pdb.set_trace = debugger.set_trace


def _installed() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in _REPORTED:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def versions() -> dict[str, str]:
    return _versions


def shell() -> ZMQInteractiveShell:
    if _shell is None:
        raise RuntimeError("warm() comes first")
    return _shell


def _run_a_cell(warmed: ZMQInteractiveShell) -> None:
    """Load and build what IPython makes on first use."""
    warmed.run_cell("value = 1 + 1", silent=True)
    warmed.check_complete("for value in [")
    for value in (1, "text", [1.5], {"key": None}):
        warmed.display_formatter.format(value)
    warmed.user_ns.pop("value", None)
    warmed.last_execution_result = None


def _find_fonts() -> None:
    """matplotlib keeps a list of them in the user's home, which a worker does not see."""
    with contextlib.suppress(ImportError):
        importlib.import_module("matplotlib.font_manager")
        pyplot.forget_folders()


# --- steps: what analysts import first, and what takes long when it is used first ------------


def _load(*names: str) -> Callable[[ZMQInteractiveShell], None]:
    def step(_warmed: ZMQInteractiveShell) -> None:
        for name in names:
            importlib.import_module(name)

    return step


def _draw_a_figure(warmed: ZMQInteractiveShell) -> None:
    """Find the fonts; go the whole way of a chart."""
    plt = sys.modules.get("matplotlib.pyplot")
    if plt is None:
        return
    figure, axes = plt.subplots()
    axes.plot([1, 2, 3], label="x")
    axes.set_title("title")
    axes.legend()
    warmed.display_formatter.format(figure)
    plt.close("all")
    plt.draw_if_interactive.called = False  # or %run would draw once more, an empty figure


def _show_a_frame(warmed: ZMQInteractiveShell) -> None:
    if "pandas" in sys.modules:
        frame = sys.modules["pandas"].DataFrame({"a": [1], "b": ["x"]})
        warmed.display_formatter.format(frame)


def _show_an_error(warmed: ZMQInteractiveShell) -> None:
    try:
        raise ValueError("an example")
    except ValueError as error:
        tail = warmed.InteractiveTB
        tail.structured_traceback(type(error), error, error.__traceback__)


def _complete(warmed: ZMQInteractiveShell) -> None:
    warmed.user_ns["value"] = 2
    try:
        with contextlib.suppress(Exception), provisionalcompleter():
            for text in ("value.re", "val"):
                list(warmed.Completer.completions(text, len(text)))
    finally:
        warmed.user_ns.pop("value", None)
    warmed.object_inspect_mime("print")


_STEPS: tuple[Callable[[ZMQInteractiveShell], None], ...] = (
    _load("matplotlib.pyplot", "matplotlib.backends.backend_agg"),
    _draw_a_figure,
    _load("pandas"),
    _show_a_frame,
    _show_an_error,
    _load("jedi"),
    _complete,
)

_left: list[Callable[[ZMQInteractiveShell], None]] = []
