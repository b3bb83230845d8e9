"""The style sheet of answers, while one is drawn.

What the user has set himself stays: only what still has matplotlib's own value is changed, and
afterwards it has that again.
"""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

# Read in the zygote: inside a sandbox the file may not be there.
_SHEET = (Path(__file__).parent / "answer.mplstyle").read_text()


def settings() -> dict[str, str]:
    lines = (line.partition(":") for line in _SHEET.splitlines() if not line.startswith("#"))
    return {name.strip(): value.strip() for name, _, value in lines if name.strip()}


@contextlib.contextmanager
def applied() -> Iterator[None]:
    """matplotlib is not loaded for this: where it is not yet, it is when the answer asks."""
    sheet = _Sheet()
    sys.meta_path.insert(0, sheet)
    if "matplotlib" in sys.modules:
        sheet.apply()
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):
            sys.meta_path.remove(sheet)
        sheet.take_back()


class _Sheet:
    """As a finder of modules it finds none, and sees matplotlib's pyplot come."""

    def __init__(self) -> None:
        self._before: dict[str, object] = {}
        self._ours: dict[str, object] = {}

    def find_spec(self, fullname: str, *_: object) -> None:
        if fullname.startswith("matplotlib.") and not self._ours:
            self.apply()

    def apply(self) -> None:
        matplotlib = sys.modules.get("matplotlib")
        parameters = getattr(matplotlib, "rcParams", None)
        defaults = getattr(matplotlib, "rcParamsDefault", None)
        if not parameters or not defaults:
            return
        for name, value in settings().items():
            if name in parameters and parameters[name] == defaults[name]:
                self._before[name] = parameters[name]
                parameters[name] = value
                self._ours[name] = parameters[name]

    def take_back(self) -> None:
        parameters = getattr(sys.modules.get("matplotlib"), "rcParams", {})
        for name, value in self._before.items():
            if parameters.get(name) == self._ours[name]:
                parameters[name] = value
