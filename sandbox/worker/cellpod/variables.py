"""Variables as a debugger's client shows them, while nothing is stopped: as debugpy does."""

import ast
import re
from typing import Any

Variable = dict[str, Any]

_OURS = frozenset({
    "__name__", "__doc__", "__package__", "__loader__", "__spec__", "__annotations__",
    "__builtins__", "__builtin__", "__display__", "get_ipython", "debugpy", "exit", "quit", "open",
    "In", "Out", "_ih", "_oh", "_dh", "_", "__", "___", "_exit_code", "__session__",
})  # fmt: skip
_HISTORY = re.compile(r"_(i+|i?\d+)$")


def shown(found: list[Variable]) -> list[Variable]:
    """Without IPython's own."""
    return [v for v in found if v["name"] not in _OURS and not _HISTORY.match(v["name"])]


class _Frame:
    """As a frame of the notebook's module, for debugpy."""

    class _Code:
        co_filename, co_name = "<cell>", "<module>"
        co_firstlineno = 1

    def __init__(self, names: dict[str, Any]) -> None:
        self.f_code = self._Code
        self.f_globals = self.f_locals = names
        self.f_lineno = 1
        self.f_back = self.f_trace = None


class _Settings:
    def __init__(self, api: Any) -> None:
        self.variable_presentation = api.VariablePresentation()


class Variables:
    """Of one moment; their references are good until there is another."""

    def __init__(self, names: dict[str, Any]) -> None:
        import debugpy.server.api  # noqa: F401  # makes the next ones importable
        from _pydevd_bundle.pydevd_api import PyDevdAPI
        from _pydevd_bundle.pydevd_frame_utils import create_frames_list_from_frame
        from _pydevd_bundle.pydevd_suspended_frames import SuspendedFramesManager

        self._frame = _Frame(names)
        self._manager = SuspendedFramesManager()
        self._tracking = self._manager.track_frames(_Settings(PyDevdAPI))
        tracker = self._tracking.__enter__()
        tracker.track("notebook", create_frames_list_from_frame(self._frame))

    def children(self, reference: int | None) -> list[Variable]:
        found = self._manager.get_variable(reference or id(self._frame))
        return [child.get_var_data() for child in found.get_children_variables()]


def described(result: str) -> dict[str, Any]:
    """Of what the display formatter has returned, in Python's own text for it."""
    data, metadata = ast.literal_eval(result)
    return {"data": data, "metadata": {k: v for k, v in metadata.items() if k in data}}
