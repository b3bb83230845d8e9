"""While an answer's code runs: its figures have the style sheet, and pass the gate when they are
shown. What cannot be put right is in `findings`, as words of the gate."""

import contextlib
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from . import gate, repair, style

MAX_FIGURES = 20  # that are looked at
_open: "Answer | None" = None


class Answer:
    def __init__(self, namespace: dict[str, Any]) -> None:
        self._namespace = namespace
        self._earlier = _reference(namespace.get("result"))
        self._seen = 0
        self.findings: list[str] = []

    def finish(self, figure: Any) -> None:
        """Whatever goes wrong here, the figure is shown as it is."""
        self._seen += 1
        if self._seen > MAX_FIGURES:
            return
        with contextlib.suppress(Exception):
            repair.settle(figure)
            figure.canvas.draw()
            repair.name_lines(figure)
            found = self._look(figure)
            for _ in range(2):  # a name that is turned once may have to stand
                if found:
                    repair.mend(figure, found)
                    figure.canvas.draw()
                    found = self._look(figure)
            self.findings += [each.kind for each in found if each.kind not in self.findings]

    def _look(self, figure: Any) -> list[gate.Finding]:
        result = self._namespace.get("result")
        is_drawn = self._seen == 1 and self._earlier() is not result
        return gate.look(figure, result if is_drawn else None)


def _reference(value: Any) -> Callable[[], Any]:
    """It holds nothing: the answer may free what it replaces."""
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: value


@contextlib.contextmanager
def answering(namespace: dict[str, Any], is_models: bool = False) -> Iterator[Answer]:
    """A model may call anything `result`: what it draws is not compared with that."""
    global _open
    _open = Answer({} if is_models else namespace)
    try:
        with style.applied():
            yield _open
    finally:
        _open = None


def finish(figure: Any) -> None:
    """A figure is about to be shown: of an answer, or of a cell, which is left alone."""
    if _open is not None:
        _open.finish(figure)
