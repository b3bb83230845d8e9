"""What would be lost: the largest variables, told to sandboxd in good time.

A worker that dies cannot say it any more, so it is said after a cell that has changed how
much memory is in use, or which names there are: who takes a session over is told these. Nobody's
code runs for it: sizes are known of Python's own containers, arrays and frames only, and
estimated from a few of their items.
"""

import os
import sys
from typing import Any

from .channel import Channel

GROWN = 16 << 20  # bytes, since the last report
MOST_NAMES = 2000  # that are looked at
REPORTED = 5
NEWEST = 20  # names, whatever they stand for
LEAST = 1 << 20  # smaller ones are not worth a word
SAMPLE = 16  # items of a container

_PAGE = os.sysconf("SC_PAGESIZE")
_PLAIN = (str, bytes, bytearray, int, float, complex, range)
_SEQUENCES = (list, tuple)
_SETS = (set, frozenset)


class Inventory:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._reported = _resident()
        self._names: list[str] = []

    def forget(self) -> None:
        """What was reported is another process's."""
        self._reported = -GROWN

    def after_cell(self, names: dict[str, Any], hidden: dict[str, Any]) -> None:
        used = _resident()
        newest = _own(names, hidden)[-NEWEST:]
        if abs(used - self._reported) < GROWN and newest == self._names:
            return
        self._reported, self._names = used, newest
        self._channel.send("variables", None, _report(names, hidden))


def _resident() -> int:
    with open("/proc/self/statm", "rb", buffering=0) as file:
        fields = file.read().split()
    return (int(fields[1]) - int(fields[2])) * _PAGE


def _own(names: dict[str, Any], hidden: dict[str, Any]) -> list[str]:
    return [name for name in names if type(name) is str and name[:1] != "_" and name not in hidden]


def _is_showable(name: str) -> bool:
    """As sandboxd sees it: an identifier may hold a middle dot, beside the controls."""
    return name.isidentifier() and not any("\x80" <= char <= "\xbf" for char in name)


def _report(names: dict[str, Any], hidden: dict[str, Any]) -> dict[str, Any]:
    own = _own(names, hidden)
    sizes = [(_size(names[name]), name) for name in own[-MOST_NAMES:]]
    largest = sorted((pair for pair in sizes if pair[0] >= LEAST), reverse=True)[:REPORTED]
    return {
        "count": len(own),
        "largest": [
            {"name": name[:64], "type": type(names[name]).__name__[:64], "bytes": size}
            for size, name in largest
        ],
        "names": [name[:64] for name in own[-NEWEST:] if _is_showable(name)],
    }


def _size(value: Any, depth: int = 1) -> int:
    kind = type(value)
    if kind in _PLAIN:
        return sys.getsizeof(value)
    if kind in _SEQUENCES:
        return sys.getsizeof(value) + _items(value[:SAMPLE], len(value), depth)
    if kind in _SETS:
        sample = [item for item, _ in zip(value, range(SAMPLE), strict=False)]
        return sys.getsizeof(value) + _items(sample, len(value), depth)
    if kind is dict:  # its items, not by key: a key's own code would be asked
        sample = [pair for pair, _ in zip(value.items(), range(SAMPLE), strict=False)]
        return sys.getsizeof(value) + _items(sample, len(value), depth + 1)
    return _array_size(value, kind)


def _items(sample: Any, count: int, depth: int) -> int:
    if not depth or not sample:
        return 0
    return sum(_size(item, depth - 1) for item in sample) * count // len(sample)


def _array_size(value: Any, kind: type) -> int:
    numpy, pandas = sys.modules.get("numpy"), sys.modules.get("pandas")
    if numpy and kind is numpy.ndarray:
        return int(value.nbytes)
    if pandas and kind is pandas.Series:
        return int(value.memory_usage(index=False))
    if pandas and kind is pandas.DataFrame and len(value.columns) <= 1000:
        return int(value.memory_usage(index=False).sum())
    return 0
