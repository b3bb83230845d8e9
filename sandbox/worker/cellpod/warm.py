"""What the zygote does once, so that no worker has to: imports, caches, the shell."""

import contextlib
import importlib
import importlib.metadata
import pdb
import platform
import sys

from IPython.core import debugger
from IPython.core.completer import provisionalcompleter

from . import charts, journal
from .shell import ZMQInteractiveShell, make_shell

# What analysts import first; a Python without one of them still works.
_MODULES = (
    "numpy", "pandas", "matplotlib", "matplotlib.pyplot", "matplotlib.backends.backend_agg",
    "matplotlib_inline.backend_inline", "jedi",
)  # fmt: skip
_REPORTED = ("ipython", "numpy", "pandas", "matplotlib", "debugpy")

_shell: ZMQInteractiveShell | None = None
_versions: dict[str, str] = {}


def warm(libdir: str) -> dict[str, str]:
    """Returns the versions of python, ipython, numpy, pandas and matplotlib."""
    global _shell
    if not sys.flags.utf8_mode:
        raise RuntimeError("Python must run in UTF-8 mode (-X utf8)")
    _shell = make_shell()
    _make_debuggers_interruptible()
    with _shell.builtin_trap:  # pandas asks get_ipython whether this is a terminal
        for name in _MODULES:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
    charts.load_library(libdir)
    journal.load_library(libdir)
    importlib.import_module("cellpod.loop")
    if "matplotlib.pyplot" in sys.modules:
        _draw_a_figure(_shell)
    _exercise(_shell)
    _versions.update(_installed())
    return dict(_versions)


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


def _exercise(warmed: ZMQInteractiveShell) -> None:
    """Load and build what IPython makes on first use: results, errors, completions."""
    warmed.run_cell("value = 1 + 1", silent=True)
    warmed.check_complete("for value in [")
    table = sys.modules.get("pandas") and sys.modules["pandas"].DataFrame({"a": [1], "b": ["x"]})
    for value in (1, "text", [1.5], {"key": None}, table):
        warmed.display_formatter.format(value)
    try:
        raise ValueError("an example")
    except ValueError as error:
        tail = warmed.InteractiveTB
        tail.structured_traceback(type(error), error, error.__traceback__)
    with contextlib.suppress(Exception), provisionalcompleter():
        for text in ("value.re", "val"):
            list(warmed.Completer.completions(text, len(text)))
    warmed.object_inspect_mime("print")
    warmed.user_ns.pop("value", None)
    warmed.last_execution_result = None


def _draw_a_figure(warmed: ZMQInteractiveShell) -> None:
    """Find the fonts; go the whole way of a chart."""
    import matplotlib.pyplot as plt
    from IPython.core.pylabtools import activate_matplotlib
    from matplotlib_inline.backend_inline import configure_inline_support

    backend = "module://matplotlib_inline.backend_inline"
    charts.install()
    activate_matplotlib(backend)
    # Figures must be shown and closed before pyplot's own hook would draw them once more.
    plt.uninstall_repl_displayhook()
    configure_inline_support(warmed, backend)
    plt.install_repl_displayhook()
    figure, axes = plt.subplots()
    axes.plot([1, 2, 3], label="x")
    axes.set_title("title")
    axes.legend()
    warmed.display_formatter.format(figure)
    plt.close("all")
    plt.draw_if_interactive.called = False  # or %run would draw once more, an empty figure
    _forget_folders()


def _forget_folders() -> None:
    """matplotlib remembers where its settings and caches lie; a worker has a home of its own."""
    import matplotlib

    for name in ("get_configdir", "get_cachedir"):
        function = getattr(matplotlib, name)
        setattr(matplotlib, name, getattr(function, "__wrapped__", function))
