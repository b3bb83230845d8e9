"""Names that answers bound: a later answer may bind them again, those of the user never.

A name is an answer's as long as it stands for the very object that the answer gave it.
"""

import weakref
from collections.abc import Callable
from typing import Any

_made: dict[str, Callable[[], Any]] = {}


def begin(namespace: dict[str, Any]) -> dict[str, int]:
    """What finish() compares with. It holds no object: an answer may free what it replaces."""
    return {name: id(value) for name, value in namespace.items() if not is_made(name, value)}


def finish(namespace: dict[str, Any], before: dict[str, int]) -> None:
    """Notes what was bound since begin()."""
    for name, value in list(namespace.items()):
        if isinstance(name, str) and not name.startswith("_") and before.get(name) != id(value):
            _made[name] = _reference(value)


def is_made(name: Any, value: Any) -> bool:
    reference = _made.get(name) if isinstance(name, str) else None
    return reference is not None and value is not None and reference() is value


def _reference(value: Any) -> Callable[[], Any]:
    try:
        return weakref.ref(value)
    except TypeError:  # a number, a text, a list
        return lambda: value
