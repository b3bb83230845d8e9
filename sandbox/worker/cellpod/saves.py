"""After every cell a checkpoint: so a cell that takes the worker with it costs nothing but itself.

It is made when the reply has left, on a socket that sandboxd has lent with the request. When the
worker dies, the newest one is the worker (checkpoint.py), and answers in its place.

Cells in a row do not wait for it: it is made once nothing has been asked for a moment, or once
those since the last one have run for so long that it costs them a twentieth. So a death in the
middle of "run all" loses no more than can be computed again in twenty times what a copy takes.

Connections end with the worker: a checkpoint that held them too would keep the worker from closing
one. Where a library would not work any more in a checkpoint there is none (obstacles.py), and the
user is told with the next cell.
"""

import contextlib
import json
import socket
from time import perf_counter
from typing import Any

from . import obstacles, parents
from .attempts import Attempts
from .channel import Channel
from .changes import Changes, is_a_look
from .checkpoint import Checkpoint, NotTaken, Postponed, Woken
from .envelope import Request
from .undo import State, Wish

NAME = "WorkerDied"
Reply = tuple[dict[str, Any], dict[str, Any]]
_CHANGING = ("execute_request", "attempt_end_request")
_REMEMBERED = 100  # cells
QUIET_MS = 20
SHARE = 20  # of the time that cells run
_COPIED = (
    4  # pages are copied as they are written to: a fork costs four times what it takes (bench)
)

_BEFORE = "The variables are those from before this cell."
_AFTER = "The variables are those from after In [{}]: there is no newer copy of them."
_AT_REST = "The variables are those from after In [{}]."
_NOT_BACK = "Not brought back: {}."
_SUBSHELL = (
    "a subshell is running code, which going back would end: wait until it is done, or interrupt it"
)
_NONE = "If a cell ends the worker from here on, what was computed since In [{}] is lost: {}."


class Answered(Exception):
    """This is a checkpoint that was woken, and has answered the request."""


def _failure(worker: Any, message: str) -> Reply:
    count = worker.shell.execution_count - 1
    content = {
        "status": "error",
        "ename": "UsageError",
        "evalue": message,
        "traceback": [f"UsageError: {message}"],
        "execution_count": count,
        "user_expressions": {},
        "payload": [],
    }
    return content, {"status": "error"}


class Saves:
    def __init__(self, worker: Any, checkpoint: Checkpoint, attempts: Attempts) -> None:
        self._worker = worker
        self._channel: Channel = worker.channel
        self._checkpoint = checkpoint
        self._attempts = attempts
        self.told = ""  # why there is none, once it is known
        self._lent: socket.socket | None = None  # for the one that is due
        self._worked = 0.0  # seconds since the last one
        self._cost = 0.0  # of that
        self._number = 0  # of the cell that the variables are from
        self._seen = Changes()
        # Of %undo and its like (undo.py):
        self.is_dirty = False  # a cell has run since the newest checkpoint
        self.is_ours = False  # the cell that runs is such a magic, and changes nothing
        self.wish: Wish | None = None
        self.cells: list[int] = []  # that have run, the last ones
        self.changes: dict[int, list[str]] = {}  # by the cell after which there is a checkpoint

    def before_reply(self, request: Request) -> Reply | None:
        """Fulfils the wish that the cell has left. Does not return where that is possible: then
        the checkpoint answers. Returns why it is not, or None when there was none. In a
        checkpoint that was made here, raises Answered."""
        wish, self.wish = self.wish, None
        if not wish:
            return None
        if self._worker.subshells.is_busy():
            return _failure(self._worker, _SUBSHELL)
        if self.is_dirty and self._lent:  # what is undone can be redone
            lent, self._lent = self._lent, None
            try:
                woken = self._take(lent)
            except Postponed:
                self._lent = lent
                return _failure(self._worker, _SUBSHELL)
            if woken:
                self._take_over(woken)
                raise Answered
        changes = {str(cell): names for cell, names in self.changes.items()}
        told = {"restore": wish.cell, "text": wish.text, "changes": changes}
        self._channel.send("checkpoints_wanted", request, told)
        return _failure(self._worker, str(self._await_answer().get("error", "")))

    def ask(self, *, with_sizes: bool) -> list[State] | None:
        """What sandboxd has; None: it keeps none."""
        wanted = {"sizes": True} if with_sizes else {}
        with self._channel.interrupts.held_off():  # or the answer would be read as a request
            self._channel.send("checkpoints_wanted", self._channel.running, wanted)
            answer = self._await_answer()
        if not answer.get("keep"):
            return None
        return [State(**about) for about in answer["checkpoints"]]

    def can_be_saved(self) -> bool:
        return not self.is_dirty or self._lent is not None

    def _await_answer(self) -> dict[str, Any]:
        while (answer := self._channel.receive()).type != "checkpoints":
            pass  # an answer to input() that nobody waits for
        return answer.content

    def after_reply(self, worked: float) -> None:
        """Also returns in a checkpoint, perhaps much later, which is then the worker and has
        answered for it; that makes one of itself. `worked`: seconds for the request."""
        self._worked += worked
        if self._worked >= SHARE * self._cost:
            self.make()

    def after_waking(self) -> None:
        """What was lent to the worker is not ours."""
        self._lent = None

    def is_due(self) -> bool:
        """Not while an attempt can be undone: it would be of what the attempt has done."""
        return self.is_waiting() and not self._worker.subshells.is_busy()

    def is_waiting(self) -> bool:
        """Is one due as soon as no subshell runs code?"""
        self._look_for_lent()
        return self._lent is not None and not self._attempts.is_open

    def make(self) -> None:
        """What is due, now. As `after_reply`."""
        while self.is_due():
            lent, self._lent = self._lent, None
            began = perf_counter()
            try:
                woken = self._take(lent)
            except Postponed:
                self._lent = lent
                return
            self._worked, self._cost = 0.0, _COPIED * (perf_counter() - began)
            if woken:
                self._cost = 0.0
                self._take_over(woken)

    def note(self, request: Request) -> None:
        """It has run."""
        is_ours, self.is_ours = self.is_ours, False
        if is_ours or request.type not in _CHANGING:
            return
        shell = self._worker.shell
        cell = shell.execution_count - 1
        code = request.content.get("code")
        found: list[str] = []
        with contextlib.suppress(Exception):  # of objects that lie about themselves
            found = self._seen.since_last(
                shell.user_ns, shell.user_ns_hidden, code if isinstance(code, str) else ""
            )
        if not found and isinstance(code, str) and is_a_look(code):
            return
        self.is_dirty = True
        self._number = cell
        known = self.changes.get(cell, [])
        self.changes[cell] = known + [name for name in found if name not in known]
        if cell not in self.cells:
            self.cells.append(cell)
        del self.cells[:-_REMEMBERED]
        for old in [number for number in self.changes if number < cell - _REMEMBERED]:
            del self.changes[old]

    def _look_for_lent(self) -> None:
        lent = self._channel.take_lent()
        if lent and self._lent:
            self._lent.close()
        self._lent = lent or self._lent

    def _take(self, lent: socket.socket) -> Woken | None:
        try:
            obstacles.clear()
            woken = self._checkpoint.take(lent, keeps_connections=False, number=self._number)
            self.told = self.told if woken else ""
            self.is_dirty = False
            return woken
        except Postponed:
            raise
        except (obstacles.Obstacle, NotTaken) as reason:
            lent.close()
            if str(reason) != self.told:
                self.told = str(reason)
                count = self._worker.shell.execution_count - 1
                self._attempts.tell_later(_NONE.format(count, reason))
            return None

    # --- in a checkpoint that was woken ------------------------------------------------------

    def _take_over(self, woken: Woken) -> None:
        """Our own count is that of the cells whose changes we have."""
        self.is_ours = False
        if woken.restored:
            self._go_on(woken, woken.restored)
        else:
            self._stand_in(woken)
        self._count(woken.counted + 1)

    def _stand_in(self, woken: Woken) -> None:
        last = self._worker.shell.execution_count - 1
        about = []
        if woken.lost:
            about.append(_NOT_BACK.format(", ".join(woken.lost)))
        if woken.id:
            is_next = woken.number - woken.has_begun <= last
            about.insert(0, _BEFORE if is_next else _AFTER.format(last))
            self._answer(woken, " ".join(about))
        else:
            self._count(woken.number + 1)
            about.insert(0, _AT_REST.format(last))
            self._tell(woken, " ".join([woken.message, *about]))

    def _go_on(self, woken: Woken, told: dict[str, Any]) -> None:
        """The user has gone back to this one, with a cell that is answered here."""
        request = Request(woken.type, woken.id, parent=json.dumps(woken.id).encode())
        self._channel.running = request
        parents.start(request)
        text = str(told.get("text", ""))
        if woken.lost:
            text += "\n" + _NOT_BACK.format(", ".join(woken.lost))
        silent = woken.content.get("silent") is True
        if not silent:
            self._channel.send("stream", request, {"name": "stdout", "text": f"{text}\n"})
            self._recall(woken.number, str(woken.content.get("code")))
        changes = told.get("changes") or {}
        self.changes = {int(cell): [str(name) for name in names] for cell, names in changes.items()}
        count = self._worker.shell.execution_count - 1
        content = {"status": "ok", "execution_count": count, "user_expressions": {}, "payload": []}
        self._worker.reply(request, content, {"status": "ok", "dependencies_met": True})
        self._channel.running = None

    def _recall(self, number: int, code: str) -> None:
        shell = self._worker.shell
        self._count(number)
        with contextlib.suppress(Exception):  # of a history that the user has changed
            self._store(number, code)
        shell.execution_count = number + 1

    def _tell(self, woken: Woken, news: str) -> None:
        """Below what was there last."""
        request = Request("", woken.last, parent=json.dumps(woken.last).encode())
        content = {"name": "stderr", "text": f"cellpod: {news}\n"}
        self._channel.send("stream", request if woken.last else None, content)

    def _count(self, least: int) -> None:
        """Numbers that were seen are not given again."""
        shell = self._worker.shell
        shell.execution_count = max(shell.execution_count, least)

    def _answer(self, woken: Woken, about: str) -> None:
        request = Request(woken.type, woken.id, parent=json.dumps(woken.id).encode())
        self._channel.running = request
        parents.start(request)
        message = f"{woken.message} {about}"
        content: dict[str, Any] = {
            "status": "error",
            "ename": NAME,
            "evalue": message,
            "traceback": [f"{NAME}: {message}"],
        }
        if woken.type == "execute_request":
            self._show(request, woken, content)
        else:
            self._count(woken.number + 1)
        if woken.type == "attempt_request":
            content["death"] = woken.message
        if woken.type in ("execute_request", "attempt_request"):
            count = self._worker.shell.execution_count - 1
            content |= {"execution_count": count, "user_expressions": {}, "payload": []}
        elif woken.type == "attempt_end_request":
            content = {"status": "ok", "kept": False}
        elif woken.type.startswith("comm_") and not woken.type.endswith("_request"):
            content = {}
        self._worker.reply(request, content, {"status": "error"})
        self._channel.running = None

    def _show(self, request: Request, woken: Woken, error: dict[str, Any]) -> None:
        """As the cell would have been, had it raised this."""
        shell, code = self._worker.shell, woken.content.get("code")
        self._count(woken.number + (not woken.has_begun))
        number = shell.running_count = shell.execution_count
        silent = woken.content.get("silent") is True
        if not (silent or woken.has_begun):
            told = {"code": str(code), "execution_count": number}
            self._channel.send("execute_input", request, told)
        if not silent:
            shown = {name: error[name] for name in ("ename", "evalue", "traceback")}
            self._channel.send("error", request, shown)
        if woken.content.get("store_history", not silent) and not silent:
            with contextlib.suppress(Exception):  # of a history that the user has changed
                self._store(number, str(code))
            shell.execution_count = number + 1

    def _store(self, number: int, code: str) -> None:
        """Its line, and those of the cells that this worker has not seen."""
        history = self._worker.shell.history_manager
        history.remember_until(number)
        history.store_inputs(number, code, code)
        history.save()
