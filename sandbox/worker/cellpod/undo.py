"""%undo, %redo, %checkpoints: back to the variables from after an earlier cell, and forth.

sandboxd keeps the checkpoints, and alone knows which are left (checkpoint_ring.h). A magic asks
for their list and decides; once its cell has run, the worker says which one it wants, and is ended
for it. That checkpoint then answers for the cell, with the words that were left for it here.
"""

import contextlib
import os
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_magic, magics_class

_ALONE = re.compile(r"\s*%?(undo|redo|checkpoints)\b[^\n]*\s*")
_LOOKED_AT = 20_000  # entries of the workspace
_NAMED = 8


@dataclass(frozen=True)
class State:
    """One checkpoint: the variables from after a cell."""

    cell: int
    at: int  # seconds since 1970
    undone: bool
    bytes: int = 0  # that it holds alone, where that was asked for


@dataclass(frozen=True)
class Wish:
    cell: int
    text: str  # what the checkpoint is to say


@magics_class
class UndoMagics(Magics):
    def __init__(self, shell: Any, saves: Any) -> None:
        super().__init__(shell)
        self._saves = saves

    @line_magic
    def undo(self, line: str) -> None:
        """%undo [N]: bring back the variables from before the last N cells (1).

        Files are not undone: those that were written since are listed. %redo goes forth again,
        until another cell has run. Threads and connections do not come back."""
        states = self._states("undo")
        count = _count_of(line, "undo")
        past = [state for state in states if not state.undone]
        # A cell that changed something since the newest one is the first to go.
        wanted = len(past) - count - (0 if self._saves.is_dirty else 1)
        if wanted < 0:
            raise UsageError(self._nothing_older(past))
        target = past[wanted]
        lines = [f"Undone: {self._cells_since(target, past)}. {_now(target)}"]
        if self._saves.can_be_saved():
            lines.append("%redo brings the later ones back.")
        files = _written_since(target.at)
        if files:
            lines.append(f"Files are as they are now. Written since then: {_some(files)}.")
        self._saves.wish = Wish(target.cell, "\n".join(lines))

    @line_magic
    def redo(self, line: str) -> None:
        """%redo [N]: go forth again, by N (1) of the checkpoints that were undone."""
        states = self._states("redo")
        count = _count_of(line, "redo")
        undone = [state for state in states if state.undone]
        if self._saves.is_dirty or not undone:
            raise UsageError("There is nothing to redo: no cell was undone since the last one ran.")
        if count > len(undone):
            raise UsageError(f"Only {len(undone)} can be redone.")
        target = undone[count - 1]
        self._saves.wish = Wish(target.cell, f"Done again. {_now(target)}")

    @line_magic
    def checkpoints(self, line: str) -> None:
        """%checkpoints: which cells %undo and %redo can go back and forth to."""
        if line.strip():
            raise UsageError("%checkpoints takes no arguments.")
        states = self._states("checkpoints", with_sizes=True)
        if not states:
            why = self._saves.told
            print(
                f"There is no checkpoint: {why}."
                if why
                else "There is no checkpoint yet: the first one is made after a cell has run."
            )
            return
        current = None if self._saves.is_dirty else _newest_past(states)
        rows = [("after", "made at", "holds", "changed")]
        for state in states:
            changed = _some(self._saves.changes.get(state.cell, []))
            mark = " <- now" if state is current else " (undone)" if state.undone else ""
            made = time.strftime("%H:%M:%S", time.localtime(state.at))
            rows.append((_name(state.cell), made, _size(state.bytes), f"{changed}{mark}".strip()))
        for after, made, holds, changed in rows:
            print(f"{after:<9} {made:<9} {holds:>8}  {changed}".rstrip())

    def _states(self, name: str, *, with_sizes: bool = False) -> list[State]:
        running = self.shell.channel.running
        if running is None or running.type != "execute_request":
            raise UsageError(f"%{name} works in cells only.")
        if not _ALONE.fullmatch(str(running.content.get("code", ""))):
            raise UsageError(f"%{name} has to be alone in its cell.")
        found = self._saves.ask(with_sizes=with_sizes)
        if found is None:
            raise UsageError("No checkpoints are kept here (resources.checkpoints is 0).")
        self._saves.is_ours = True
        return found

    def _nothing_older(self, past: list[State]) -> str:
        most = len(past) - (0 if self._saves.is_dirty else 1)
        if most > 0:
            return (f"Only {most} can be undone: the oldest checkpoint is from {_name(past[0].cell)}. "
                    "%checkpoints lists them.")  # fmt: skip
        return f"There is nothing to undo: {self._saves.told or 'no older checkpoint is left'}."

    def _cells_since(self, target: State, past: list[State]) -> str:
        """In words; what ran between two checkpoints goes together."""
        last = self.shell.execution_count - 1
        first = target.cell + 1
        known = [cell for cell in self._saves.cells if cell > target.cell]
        known = known or [state.cell for state in past if state.cell > target.cell] or [first]
        return (
            f"In [{known[0]}]"
            if len(known) == 1
            else f"In [{known[0]}] to In [{min(known[-1], last)}]"
        )


def _count_of(line: str, name: str) -> int:
    text = line.strip() or "1"
    if not text.isascii() or not text.isdigit() or not 0 < int(text[:9]) <= 999:
        raise UsageError(f"%{name} takes how many, a number from 1 on: not {text[:40]!r}.")
    return int(text)


def _newest_past(states: list[State]) -> State | None:
    past = [state for state in states if not state.undone]
    return past[-1] if past else None


def _name(cell: int) -> str:
    return f"In [{cell}]" if cell else "the start"


def _now(state: State) -> str:
    return f"The variables are those from {'after ' * bool(state.cell)}{_name(state.cell)}."


def _size(size: int) -> str:
    return f"{size / 2**20:.1f} MiB" if size < 10 << 20 else f"{size >> 20} MiB"


def _some(names: list[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _written_since(at: int) -> list[str]:
    """Files of the workspace, the first of so many entries; nothing hidden."""
    found, left = [], _LOOKED_AT
    for folder, folders, files in os.walk("."):
        folders[:] = sorted(name for name in folders if name[:1] != ".")
        for name in _visible(files):
            with contextlib.suppress(OSError):
                if os.stat(os.path.join(folder, name), follow_symlinks=False).st_mtime >= at:
                    found.append(str(Path(folder, name)))
        left -= len(files) + len(folders)
        if left < 0:
            break
    return found


def _visible(names: Iterable[str]) -> list[str]:
    return sorted(name for name in names if name[:1] != ".")
