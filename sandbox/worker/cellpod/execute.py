"""execute_request: run a cell, and say how it went."""

import inspect
from datetime import UTC, datetime
from typing import Any

from IPython.core.interactiveshell import InteractiveShell

from . import made
from .aio import Async
from .channel import Channel
from .envelope import Request
from .shell import ZMQInteractiveShell, safe_str
from .stdin import Stdin

_ACCEPTED = inspect.signature(InteractiveShell.run_cell).parameters


class Executor:
    def __init__(
        self, shell: ZMQInteractiveShell, channel: Channel, stdin: Stdin, aio: Async
    ) -> None:
        self.shell = shell
        self.channel = channel
        self.stdin = stdin
        self.aio = aio

    def announce(self, request: Request) -> dict[str, Any]:
        """announce_request: a cell that the kernel answers itself is counted, and in the
        history, like any other."""
        shell, code = self.shell, request.content.get("code")
        if not isinstance(code, str):
            raise TypeError("an announce_request needs its code, a string")
        self._announce(request, code, False)
        if request.content.get("store_history", True):
            shell.history_manager.store_inputs(shell.execution_count, code, code)
            shell.execution_count += 1
        return {"status": "ok", "execution_count": shell.running_count}

    def attempt(self, request: Request) -> tuple[dict[str, Any], dict[str, Any]]:
        """In a fork. `is_counted`: by announce_request, so what it shows has that number."""
        counted = request.content.get("is_counted") is True
        self.shell.execution_count -= counted
        before = made.begin(self.shell.user_ns)
        try:
            return self.execute(request, announced=False)
        finally:
            self.shell.execution_count += counted
            made.finish(self.shell.user_ns, before)

    def execute(
        self, request: Request, *, announced: bool = True
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Returns the reply's content and metadata. `announced`: by execute_input, and
        with input() if the client allows it."""
        shell = self.shell
        content = request.content
        code = content.get("code")
        metadata = {"started": datetime.now(UTC).isoformat().replace("+00:00", "Z")}
        silent = bool(content.get("silent", False))
        if not isinstance(code, str):
            reply = self._refuse("an execute_request needs its code, a string")
        else:
            self._announce(request, code, silent or not announced)
            self.stdin.allowed = announced and bool(content.get("allow_stdin", False))
            with self.aio.current():
                reply = self._run(request, code, silent)
            self.stdin.allowed = False
        reply["execution_count"] = shell.execution_count - 1
        reply["payload"] = shell.payload_manager.read_payload()
        shell.payload_manager.clear_payload()
        metadata |= {"dependencies_met": True, "status": reply["status"]}
        return reply, metadata

    def _announce(self, request: Request, code: str, silent: bool) -> None:
        shell = self.shell
        shell.running_count = shell.execution_count
        shell.last_traceback = None
        shell.display_error = None
        if not silent:
            announced = {"code": code, "execution_count": shell.running_count}
            self.channel.send("execute_input", request, announced)
        shell.history_manager.start_cell()

    def _run(self, request: Request, code: str, silent: bool) -> dict[str, Any]:
        """Whatever the code does, there is a reply."""
        interrupts = self.channel.interrupts
        try:
            interrupts.enter_code()
            error = self._run_cell(request, code, silent)
            values = self._user_expressions(request) if error is None else {}
            interrupts.end()
        except BaseException as caught:  # an interrupt outside of the cell's own code, say
            interrupts.end()
            self.shell.showtraceback()
            error = caught
        if error is not None:
            return self._failure(error)
        return {"status": "ok", "user_expressions": values}

    def _run_cell(self, request: Request, code: str, silent: bool) -> BaseException | None:
        shell = self.shell
        store_history = request.content.get("store_history", not silent) and not silent
        arguments = {
            "cell_id": request.metadata.get("cellId"),
            "cell_meta": request.metadata,
        }
        result = shell.run_cell(
            code,
            store_history=bool(store_history),
            silent=silent,
            **{name: value for name, value in arguments.items() if name in _ACCEPTED},
        )
        if result is None:
            return RuntimeError("the cell did not finish")
        return result.error_before_exec or result.error_in_exec or shell.display_error

    def _user_expressions(self, request: Request) -> dict[str, Any]:
        wanted = request.content.get("user_expressions")
        return self.shell.user_expressions(wanted) if wanted else {}

    def _failure(self, error: BaseException) -> dict[str, Any]:
        return {
            "status": "error",
            "ename": type(error).__name__,
            "evalue": safe_str(error),
            "traceback": self.shell.last_traceback or [],
            "user_expressions": {},
        }

    def _refuse(self, message: str) -> dict[str, Any]:
        return self._failure(ValueError(message))
