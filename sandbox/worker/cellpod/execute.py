"""execute_request: run a cell, and say how it went."""

import inspect
from _thread import allocate_lock
from datetime import UTC, datetime
from typing import Any, Protocol

from IPython.core.interactiveshell import InteractiveShell

from . import failures, made
from .aio import Async
from .channel import Channel
from .envelope import Request
from .figures.answer import answering
from .shell import ZMQInteractiveShell, safe_str
from .stdin import Stdin


def _stores(request: Request) -> bool:
    silent = bool(request.content.get("silent", False))
    return bool(request.content.get("store_history", not silent)) and not silent


_ACCEPTED = inspect.signature(InteractiveShell.run_cell).parameters


class Numbers:
    """Cells are counted by one count, in whatever shell they run. IPython counts those of the main
    shell, when they end; one that begins meanwhile elsewhere gets a later number."""

    def __init__(self, shell: ZMQInteractiveShell) -> None:
        self._shell = shell
        self._lock = allocate_lock()
        self._before: int | None = None  # the last number, but for that of the main shell's cell
        self._given = 0  # the last one of a subshell

    def begin(self, stores: bool) -> int:
        """Of a cell of the main shell; end() is due."""
        with self._lock:
            number = self._shell.execution_count
            self._before = number if stores else number - 1
            return number

    def end(self) -> None:
        with self._lock:
            self._before = None
            self._shell.execution_count = max(self._shell.execution_count, self._given + 1)

    def take(self) -> int:
        """For a cell of a subshell."""
        with self._lock:
            shell = self._shell
            is_alone = self._before is None
            last = shell.execution_count - 1 if is_alone else self._before
            self._given = max(last, self._given) + 1
            if is_alone:
                shell.execution_count = self._given + 1
            return self._given


class Code(Protocol):
    """Tells where an interrupt may hit: between enter_code() and end()."""

    def enter_code(self) -> None: ...
    def end(self) -> None: ...


class Executor:
    def __init__(
        self, shell: ZMQInteractiveShell, channel: Channel, stdin: Stdin, aio: Async
    ) -> None:
        self.shell = shell
        self.channel = channel
        self.stdin = stdin
        self.aio = aio
        self.code: Code = channel.interrupts
        self.numbers = Numbers(shell)

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
        run = self._repaired if request.content.get("repair") is True else self._answer
        try:
            return run(request)
        finally:
            self.shell.execution_count += counted

    def _answer(self, request: Request) -> tuple[dict[str, Any], dict[str, Any]]:
        namespace = self.shell.user_ns
        before = made.begin(namespace)
        try:
            with answering(namespace, request.content.get("models") is True) as answer:
                reply, metadata = self.execute(request, announced=False)
            return {**reply, "findings": answer.findings}, metadata
        finally:
            made.finish(namespace, before)

    def _repaired(self, request: Request) -> tuple[dict[str, Any], dict[str, Any]]:
        """The user's own cell, put right: its names are his, and its charts are left alone."""
        reply, metadata = self.execute(request, announced=False)
        if reply["status"] == "error":
            reply["failure"] = failures.describe_last(self.shell.user_ns)
        return reply, metadata

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
        self.numbers.end()
        return self._complete(reply, metadata)

    def _complete(
        self, reply: dict[str, Any], metadata: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        payloads = self.shell.payload_manager
        reply["payload"] = payloads.read_payload()
        payloads.clear_payload()
        metadata |= {"dependencies_met": True, "status": reply["status"]}
        return reply, metadata

    def _announce(self, request: Request, code: str, silent: bool) -> None:
        self._begin(request, code, self.numbers.begin(_stores(request)), silent)
        self.shell.history_manager.start_cell()

    def _begin(self, request: Request, code: str, number: int, silent: bool) -> None:
        shell = self.shell
        shell.running_count = number
        shell.last_traceback = None
        shell.display_error = None
        if not silent:
            announced = {"code": code, "execution_count": number}
            self.channel.send("execute_input", request, announced)

    def _run(self, request: Request, code: str, silent: bool) -> dict[str, Any]:
        """Whatever the code does, there is a reply."""
        try:
            self.code.enter_code()
            error = self._run_cell(request, code, silent)
            values = self._user_expressions(request) if error is None else {}
            self.code.end()
        except BaseException as caught:  # an interrupt outside of the cell's own code, say
            self.code.end()
            self.shell.showtraceback()
            error = caught
        if isinstance(error, KeyboardInterrupt):
            self._remember(request, code)
        if request.type == "execute_request" or request.content.get("repair") is True:
            failures.note(code, self.shell.running_count, error)
        if error is not None:
            return self._failure(error)
        return {"status": "ok", "user_expressions": values}

    def _remember(self, request: Request, code: str) -> None:
        """It may have come before IPython had counted the cell, or noted its code. The number was
        seen, and the next cell's code must not be found under it."""
        shell = self.shell
        if not _stores(request) or not code.strip():
            return
        if len(shell.history_manager.input_hist_raw) <= shell.running_count:
            shell.history_manager.store_inputs(shell.running_count, code, code)
        shell.execution_count = max(shell.execution_count, shell.running_count + 1)

    def _run_cell(self, request: Request, code: str, silent: bool) -> BaseException | None:
        shell = self.shell
        arguments = {
            "cell_id": request.metadata.get("cellId"),
            "cell_meta": request.metadata,
        }
        result = shell.run_cell(
            code,
            store_history=self._lets_ipython_store(request),
            silent=silent,
            **{name: value for name, value in arguments.items() if name in _ACCEPTED},
        )
        if result is None:
            return RuntimeError("the cell did not finish")
        return result.error_before_exec or result.error_in_exec or shell.display_error

    def _lets_ipython_store(self, request: Request) -> bool:
        return _stores(request)

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


class SubshellExecutor(Executor):
    """In the thread of a subshell. IPython is not asked to count and to store these cells, for it
    would take the number of the main shell's."""

    def __init__(self, main: Executor, aio: Async, code: Code) -> None:
        self.shell = main.shell
        self.channel = main.channel
        self.aio = aio
        self.code = code
        self.numbers = main.numbers

    def execute(
        self, request: Request, *, announced: bool = True
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        metadata = {"started": datetime.now(UTC).isoformat().replace("+00:00", "Z")}
        code = request.content.get("code")
        silent = bool(request.content.get("silent", False))
        number = 0
        if not isinstance(code, str):
            reply = self._refuse("an execute_request needs its code, a string")
        else:
            is_stored = _stores(request) and bool(code.strip())
            number = self.numbers.take() if is_stored else self.shell.execution_count
            self._begin(request, code, number, silent)
            if is_stored:
                self.shell.history_manager.store_inputs(number, code, code)
            with self.aio.current():
                reply = self._run(request, code, silent)
            number -= not is_stored
        reply["execution_count"] = number
        return self._complete(reply, metadata)

    def _lets_ipython_store(self, request: Request) -> bool:
        return False
