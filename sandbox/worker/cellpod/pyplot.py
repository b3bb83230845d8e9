"""matplotlib.pyplot shows its figures below the cell, from the moment it is imported."""

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_NAME = "matplotlib.pyplot"
_BACKEND = "module://matplotlib_inline.backend_inline"


def set_up_on_import(shell: Any) -> None:
    sys.meta_path.insert(0, _Finder(shell))


class _Finder(MetaPathFinder):
    """Finds pyplot once, where everybody finds it."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != _NAME:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            self._follow(spec.loader)
        return spec

    def _follow(self, loader: Any) -> None:
        load = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            load(module)
            if not _is_told_otherwise():
                _set_up(module, self._shell)

        loader.exec_module = exec_module


def _is_told_otherwise() -> bool:
    """Has somebody chosen another backend before pyplot was imported?"""
    import matplotlib

    chosen = dict.__getitem__(matplotlib.rcParams, "backend")  # without making one of "auto"
    return isinstance(chosen, str) and chosen not in (_BACKEND, "inline")


def _set_up(plt: Any, shell: Any) -> None:
    try:
        from IPython.core.pylabtools import activate_matplotlib
        from matplotlib_inline.backend_inline import configure_inline_support
    except ImportError:
        return
    activate_matplotlib(_BACKEND)
    # Figures must be shown and closed before pyplot's own hook would draw them once more.
    plt.uninstall_repl_displayhook()
    configure_inline_support(shell, _BACKEND)
    plt.install_repl_displayhook()


def forget_folders() -> None:
    """matplotlib remembers where its settings and caches lie; a worker has a home of its own."""
    import matplotlib

    for name in ("get_configdir", "get_cachedir"):
        function = getattr(matplotlib, name)
        setattr(matplotlib, name, getattr(function, "__wrapped__", function))
