"""debug_request: clients' debuggers, by debugpy.

debugpy's adapter is a process beside the worker, and speaks DAP on the sandbox's own loopback. A
thread of the worker stands between it and the channel that sandboxd has lent with the request
that started it: so requests are answered while a cell runs, or is stopped at a breakpoint. Before
there is a debugger, requests are answered by the worker itself, one after the other.

debugpy knows nothing of cells and their variables: `dumpCell`, `debugInfo`, `inspectVariables`,
`richInspectVariables`, `modules` and `source` are answered in debug_cells.py, `copyToGlobals` here.
"""

import contextlib
import importlib.util
import json
import os
import queue
import select
import socket
import sys
import threading
from collections.abc import Callable
from time import monotonic
from typing import Any

from IPython.core.inputtransformer2 import leading_empty_lines

from . import dap, jsonable, variables
from .debug_cells import Cells
from .envelope import Request, decode, encode
from .shell import ZMQInteractiveShell

Message = dict[str, Any]
Send = Callable[[Message], None]

ANSWER_SECONDS = 60
TICK = 1  # how often somebody looks who has waited for longer
_HIDDEN = ("cellpod", "IPython", "traitlets", "matplotlib_inline", "comm")  # below a cell
_MISSING = "debugpy is not installed in this notebook's Python; install it there to debug cells"
_ENDED = "the debugger has ended: start it again, and set the breakpoints again"
_DETACH = "cellpod/detach"
_NOT_STARTED = "the debugger has not been started: send `initialize' first"
_GONE_ON = (
    "Unable to find thread to evaluate variable reference."  # debugpy, of a stop that is over
)


def is_installed() -> bool:
    return importlib.util.find_spec("debugpy") is not None


def was_started() -> bool:
    """Its threads stay, also when nobody is attached any more."""
    api = sys.modules.get("debugpy.server.api")
    return api is not None and api.listen.called


class Debugger:
    """In the main thread: what is asked in turn. Session has the rest."""

    def __init__(self, shell: ZMQInteractiveShell, channel: Any) -> None:
        self._shell = shell
        self._channel = channel
        self._session: Session | None = None
        self._adapter = Adapter()

    def answer(self, request: Request) -> Message:
        lent = self._channel.take_lent()
        try:
            return self._answer(request, lent)
        except Exception as error:
            return dap.failure(request.content, f"{type(error).__name__}: {error}")

    def _answer(self, request: Request, lent: socket.socket | None) -> Message:
        asked = request.content
        if not is_installed():
            _close(lent)
            return dap.failure(asked, _MISSING)
        session = self._session
        if asked.get("command") == "initialize" and not (session and session.is_alive()):
            session = self._start(request, lent)
        else:
            _close(lent)
        if session and session.is_alive():
            return session.answer_in_turn(asked)
        return Cells(self._shell, set()).answer(asked) or dap.failure(asked, _NOT_STARTED)

    def _start(self, request: Request, lent: socket.socket | None) -> "Session":
        if lent is None:
            raise RuntimeError("the daemon has made no room for a debugger")
        self._adapter.start()
        session = Session(self._shell, lent, self._adapter)
        self._session = session
        self._channel.send("debugger", request, b"{}")
        session.start()
        return session

    def end(self) -> None:
        """Whatever is to run now, nobody is to stop it or look at it."""
        if self._session and self._session.is_alive():
            self._session.answer_in_turn({"command": _DETACH})

    def after_fork_in_child(self) -> None:
        """In a process that user code has forked: breakpoints would stop it for ever."""
        if self._session:
            self._session.forget()
            self._session = None
        if was_started():
            with contextlib.suppress(Exception):
                dap.stop_tracing()


class Adapter:
    """debugpy's process, which listens in the sandbox. A cell may end it: then there is another."""

    def __init__(self) -> None:
        self._address: tuple[str, int] | None = None

    def start(self) -> None:
        if self._address is None:
            self._address = self._listen()

    def connect(self) -> socket.socket:
        try:
            return socket.create_connection(self._address)
        except OSError:
            self._address = self._listen_again()
            return socket.create_connection(self._address)

    def _listen(self) -> tuple[str, int]:
        os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # its warning is of no use in a cell
        import debugpy

        debugpy.configure(subProcess=False)
        host, port = debugpy.listen(("127.0.0.1", 0))
        return host, port

    def _listen_again(self) -> tuple[str, int]:
        """debugpy does so once in a process, unless what it has begun is undone."""
        import pydevd
        from debugpy.server import api

        pydevd.stoptrace()
        api.listen.called = False
        return self._listen()


def _close(lent: socket.socket | None) -> None:
    if lent:
        lent.close()


class Session(threading.Thread):
    """One debugger, from `initialize` to `disconnect` or its end. debugpy answers in any order, so
    each question goes out under a number of ours, with what is to be done with its answer."""

    def __init__(self, shell: ZMQInteractiveShell, lent: socket.socket, adapter: Adapter) -> None:
        super().__init__(name="cellpod-debugger", daemon=True)
        self.is_pydev_daemon_thread = self.pydev_do_not_trace = True
        self._lent = lent
        self._process = adapter
        self._adapter: socket.socket | None = None
        self._stopped: set[int] = set()
        self._cells = Cells(shell, self._stopped)
        self._stream = dap.Stream()
        self._incoming = bytearray()
        self._number = 0
        self._asked: dict[int, tuple[Send, float]] = {}
        self._shared: dict[str, Message] = {}  # answers for whoever comes as the second
        self._in_turn: queue.SimpleQueue[tuple[Message, queue.SimpleQueue[Message]]]
        self._in_turn = queue.SimpleQueue()
        self._wake = socket.socketpair()
        self._transforms = shell.input_transformer_manager.cleanup_transforms

    # --- from the main thread --------------------------------------------------------------

    def answer_in_turn(self, asked: Message) -> Message:
        answer: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._in_turn.put((asked, answer))
        with contextlib.suppress(OSError):
            self._wake[1].send(b".")
        try:
            return answer.get(timeout=ANSWER_SECONDS)
        except queue.Empty:
            return dap.failure(asked, "the debugger does not answer")

    def forget(self) -> None:
        """In a fork."""
        for end in (self._lent, self._adapter, *self._wake):
            if end:
                end.close()

    # --- the thread ------------------------------------------------------------------------

    def run(self) -> None:
        try:
            while True:
                self._wait()
        except (OSError, EOFError):
            pass  # sandboxd has gone
        finally:
            self._detach()
            self.forget()

    def _attach(self) -> None:
        self._adapter = self._process.connect()
        self._stream = dap.Stream()
        self._cells.is_started = True
        with contextlib.suppress(ValueError):  # lines are counted from the cell's first
            self._transforms.remove(leading_empty_lines)

    def _detach(self) -> None:
        """debugpy lets go of what it has stopped when its client has gone."""
        adapter, self._adapter = self._adapter, None
        if adapter is None:
            return
        adapter.close()
        self._cells.is_started = False
        self._cells.breakpoints.clear()
        self._stopped.clear()
        self._shared.clear()
        if leading_empty_lines not in self._transforms:
            self._transforms.insert(0, leading_empty_lines)
        asked, self._asked = self._asked, {}
        for done, _ in asked.values():
            done(dap.failure({}, _ENDED))

    def _wait(self) -> None:
        ends = [self._lent, self._wake[0], *([self._adapter] if self._adapter else [])]
        ready, _, _ = select.select(ends, [], [], TICK)
        self._give_up()
        if self._wake[0] in ready:
            self._wake[0].recv(1)
            asked, answer = self._in_turn.get()
            self._handle(asked, answer.put)
        if self._adapter and self._adapter in ready:
            self._listen()
        if self._lent in ready:
            self._incoming += _receive(self._lent)
            self._take_requests()

    def _listen(self) -> None:
        try:
            messages = self._stream.take(_receive(self._adapter))
        except (OSError, EOFError, ValueError):  # debugpy has gone, or talks nonsense
            self._detach()
            self._tell({"type": "event", "event": "terminated", "seq": 0, "body": {}})
            return
        for message in messages:
            self._hear(message)

    def _take_requests(self) -> None:
        while True:
            request, used = decode(self._incoming) if self._incoming else (None, 0)
            if request is None:
                return
            del self._incoming[:used]
            self._handle(request.content, lambda m, parent=request.parent: self._reply(m, parent))

    def _reply(self, message: Message, parent: bytes) -> None:
        self._say("debug_reply", parent, message)

    def _tell(self, event: Message) -> None:
        self._say("debug_event", b"", event)

    def _say(self, kind: str, parent: bytes, message: Message) -> None:
        for part in encode(kind, parent, jsonable.dumps(message)):
            self._lent.sendall(part)

    # --- what clients ask --------------------------------------------------------------------

    def _handle(self, asked: Message, reply: Send) -> None:
        try:
            answer = self._answer_here(asked)
            if answer is None:
                self._ask_debugpy(asked, reply)
        except (KeyError, TypeError, AttributeError) as error:
            answer = dap.failure(asked, f"a malformed request: {type(error).__name__}: {error}")
        except Exception as error:
            answer = dap.failure(asked, str(error))
        if answer is not None:
            reply(answer)

    def _answer_here(self, asked: Message) -> Message | None:
        command = asked.get("command")
        if command == _DETACH:
            self._detach()
            return dap.success(asked, {})
        if command == "initialize" and self._adapter is None:
            self._attach()
        answer = self._cells.answer(asked)
        if answer is None and self._adapter is None:
            answer = dap.failure(asked, _NOT_STARTED)
        return answer

    def _ask_debugpy(self, asked: Message, reply: Send) -> None:
        command, arguments = asked["command"], dict(asked.get("arguments") or {})

        def done(answer: Message) -> None:
            answer |= {"request_seq": asked.get("seq", 0), "command": command}
            reply(answer)

        if command in self._shared:
            done(dap.success(asked, self._shared[command]))
            return
        if command in ("initialize", "attach"):
            arguments |= _attachment() if command == "attach" else {}
            self._forward(command, arguments, lambda a: self._share(done, a))
            return
        if command == "setBreakpoints":
            self._forward(command, arguments, lambda a: done(self._note_points(arguments, a)))
            return
        elif command == "richInspectVariables":
            self._rich(arguments, done)
            return
        elif command == "copyToGlobals":
            command, arguments = _copying(arguments)
        elif command == "variables":
            self._forward(command, arguments, lambda a: done(_only_shown(a)))
            return
        elif command == "disconnect":
            arguments["terminateDebuggee"] = False  # it is the worker
            self._forward(command, arguments, lambda a: self._finish(done, a))
            return
        self._forward(command, arguments, done)

    def _share(self, done: Send, answer: Message) -> None:
        if answer.get("success"):
            self._shared[answer["command"]] = answer.get("body") or {}
        done(answer)

    def _give_up(self) -> None:
        """Others wait for their turn."""
        late = monotonic() - ANSWER_SECONDS
        for number in [n for n, (_, since) in self._asked.items() if since < late]:
            done, _ = self._asked.pop(number)
            done(dap.failure({}, f"debugpy has not answered within {ANSWER_SECONDS} s"))

    def _finish(self, done: Send, answer: Message) -> None:
        self._detach()
        done(answer)

    def _forward(self, command: str, arguments: Message, done: Send) -> None:
        self._number += 1
        self._asked[self._number] = done, monotonic()
        message = {"seq": self._number, "type": "request", "command": command,
                   "arguments": arguments}  # fmt: skip
        self._adapter.sendall(dap.encode(message))

    def _note_points(self, arguments: Message, answer: Message) -> Message:
        """Where debugpy has put them, which may be another line than was asked for."""
        source = arguments.get("source", {}).get("path", "")
        if answer.get("success"):
            points = answer.get("body", {}).get("breakpoints", [])
            self._cells.breakpoints[source] = [
                {"line": point["line"]} for point in points if "line" in point
            ]
            if not points:
                del self._cells.breakpoints[source]
        return answer

    def _rich(self, arguments: Message, done: Send) -> None:
        name = arguments["variableName"]  # an identifier, as Cells has seen
        code = f"get_ipython().display_formatter.format({name})"
        question = {"expression": code, "frameId": arguments["frameId"], "context": "clipboard"}

        def take(answer: Message) -> None:
            if answer.get("success"):
                answer["body"] = variables.described(answer["body"]["result"])
            done(answer)

        self._forward("evaluate", question, take)

    # --- what debugpy says -------------------------------------------------------------------

    def _hear(self, message: Message) -> None:
        if message.get("type") == "response":
            done, _ = self._asked.pop(message.get("request_seq"), (None, 0))
            if done:
                done(message)
        elif message.get("type") == "event":
            self._hear_event(message)

    def _hear_event(self, event: Message) -> None:
        name, body = event.get("event"), event.get("body") or {}
        if name == "stopped" and body.get("allThreadsStopped"):
            self._forward("threads", {}, lambda answer: self._stop(event, answer))
            return
        if name == "stopped":
            self._stopped.add(body.get("threadId"))
        elif name == "continued":
            self._go_on(body)
        self._tell(event)
        if name == "initialized":
            self._forward("configurationDone", {}, lambda _answer: None)

    def _stop(self, event: Message, answer: Message) -> None:
        """Clients ask at once which threads are stopped."""
        threads = (answer.get("body") or {}).get("threads", [])
        self._stopped.update(thread["id"] for thread in threads)
        self._tell(event)

    def _go_on(self, body: Message) -> None:
        if body.get("allThreadsContinued", True):
            self._stopped.clear()
        else:
            self._stopped.discard(body.get("threadId"))


def _receive(end: socket.socket) -> bytes:
    data = end.recv(1 << 16)
    if not data:
        raise EOFError
    return data


def _attachment() -> Message:
    """Library code can be looked at; what lies between cells and the worker cannot."""
    folders = [getattr(sys.modules.get(name), "__path__", None) for name in _HIDDEN]
    hidden = [f"{path[0]}/**" for path in folders if path]
    hidden.append(f"{os.path.dirname(os.path.dirname(__file__))}/*.py")  # who has started us
    rules = [{"path": path, "include": False} for path in hidden]
    return {"justMyCode": False, "subProcess": False, "rules": rules,
            "debugOptions": ["DebugStdLib"]}  # fmt: skip


def _copying(arguments: Message) -> tuple[str, Message]:
    name = arguments["dstVariableName"]
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"{name!r} cannot be the name of a variable")
    return "setExpression", {
        "expression": f"globals()[{json.dumps(name)}]",
        "value": arguments["srcVariableName"],
        "frameId": arguments["srcFrameId"],
    }


def _only_shown(answer: Message) -> Message:
    if answer.get("message") == _GONE_ON:
        return dap.success(answer, {"variables": []})
    if answer.get("success"):
        answer["body"]["variables"] = variables.shown(answer["body"]["variables"])
    return answer
