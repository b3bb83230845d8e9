"""Attempts: code that may fail runs in the worker, once there is a checkpoint of it.

When the attempt is kept, the worker goes on, with its threads and connections. When it is
not, or the worker dies of it, sandboxd ends the worker and wakes the checkpoint, which is the
worker from then on: as that was before. What has to be answered for the dead one, it answers.

What the two share is not undone: files, sockets, shared memory (leftovers.py). Where a library
would not work any more in the checkpoint, there is none (obstacles.py): the user is told, and
the attempt runs all the same.
"""

import json
import os
import sys
from collections.abc import Callable
from typing import Any

from . import obstacles
from .channel import Channel
from .checkpoint import Checkpoint, Init, NotTaken, Woken
from .envelope import Request

Reply = tuple[dict[str, Any], dict[str, Any]]

_NOT_UNDONE = "If the code of this question fails, what it has changed stays changed: {}."
_NOT_BACK = "The code was undone. Not brought back: {}."
# Requests of the cell that the user looks at.
_SHOWN = ("attempt_request", "attempt_end_request", "check_request", "announce_request",
          "execute_request")  # fmt: skip


class Attempts:
    def __init__(self, worker: Any, init: Init) -> None:
        self.checkpoint = Checkpoint(worker, init)
        self.is_open = False  # in the worker: the checkpoint would undo what it does
        self._channel: Channel = worker.channel
        self._worker = worker
        self._awaits_verdict = False
        self._told = (0, "")  # of which cell, and what
        self._news: list[str] = []  # to be told with the next request

    def run(self, request: Request, execute: Callable[[], Reply]) -> Reply | None:
        """The reply; or None in a checkpoint whose worker has given it."""
        # From here on bytecode in the workspace would count as this code's own.
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        lent = self._channel.take_lent()
        self._awaits_verdict = True
        try:
            obstacles.clear()
            woken = self.checkpoint.take(lent)
        except (obstacles.Obstacle, NotTaken) as reason:
            if lent:
                lent.close()
            self._tell_before(request, str(reason))
            return execute()
        if woken:
            return self._take_over(woken)
        self.is_open = True
        self._worker.shell.history_manager.freeze()
        return execute()

    def _tell_before(self, request: Request, reason: str) -> None:
        """Once for each cell."""
        sentence = _NOT_UNDONE.format(reason)
        told = (self._worker.shell.execution_count, sentence)
        if told != self._told:
            self._channel.send("notice", request, {"message": sentence})
        self._told = told

    def end(self, request: Request) -> dict[str, Any]:
        """sandboxd sends it to a worker that is to go on: one that is not, it has ended."""
        keep = request.content.get("keep") is True
        kept = keep and self._awaits_verdict
        self._awaits_verdict = False
        return {"status": "ok", "kept": kept}

    def begin_request(self, request: Request) -> None:
        """Tell what is still to be told. Whatever is asked of a worker that ran an attempt, it
        is to go on."""
        if self.is_open:
            self.is_open = False
            self.checkpoint.forget()
            self._worker.shell.history_manager.thaw()
        if request.type in _SHOWN:
            while self._news:
                self._channel.send("notice", request, {"message": self._news.pop(0)})

    def tell_later(self, sentence: str) -> None:
        self._news.append(sentence)

    # --- in a checkpoint that was woken ------------------------------------------------------

    def _take_over(self, woken: Woken) -> Reply | None:
        self._awaits_verdict = False
        if woken.lost:
            self.tell_later(_NOT_BACK.format(", ".join(woken.lost)))
        if not woken.id:
            return None
        request = Request(woken.type, woken.id, parent=json.dumps(woken.id).encode())
        self.begin_request(request)
        if woken.type == "attempt_request":
            return self._obituary(woken), {"status": "error"}
        self._channel.take_back(request)
        return None

    def _obituary(self, woken: Woken) -> dict[str, Any]:
        name = "KeyboardInterrupt" if woken.cause == "interrupt" else "WorkerDied"
        return {
            "status": "error",
            "ename": name,
            "evalue": woken.message,
            "traceback": [f"{name}: {woken.message}"],
            "death": woken.message,
            "execution_count": self._worker.shell.execution_count,
            "user_expressions": {},
            "payload": [],
        }
