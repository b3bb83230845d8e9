"""A Jupyter client that hides nothing: it signs, frames and checks each message itself.

jupyter_client forgives much. This client does not: every message that arrives is checked
against the specification, and what it sends may be as malformed as a test wants.
"""

import hmac
import itertools
import json
import os
import re
import time
import uuid
from collections import deque
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Callable

import zmq

DELIMITER = b"<IDS|MSG>"
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)")
MIME = re.compile(r"[\w\-+.]+/[\w\-+.]+")

# No test asserts a time. A deadline only says that an answer never came.
PATIENCE = 10
BUSY = 12
START = 60

# Says `held`, then is busy in C for minutes. No bytecode runs between the two, so whoever
# has read the word knows that an interrupt finds native code.
NATIVE_LOOP = (
    "import collections, hashlib, itertools, os; collections.deque(itertools.chain("
    "map(os.write, [1], [b'held\\n']), "
    "map(hashlib.pbkdf2_hmac, ['sha256'], [b'p'], [b's'], [2 * 10**9])), maxlen=0)")

IOPUB_CONTENT = {
    "status": {"execution_state": str},
    "execute_input": {"code": str, "execution_count": int},
    "execute_result": {"execution_count": int, "data": dict, "metadata": dict},
    "stream": {"name": str, "text": str},
    "display_data": {"data": dict, "metadata": dict, "transient": dict},
    "update_display_data": {"data": dict, "metadata": dict, "transient": dict},
    "error": {"ename": str, "evalue": str, "traceback": list},
    "clear_output": {"wait": bool},
    "comm_open": {"comm_id": str, "target_name": str, "data": dict},
    "comm_msg": {"comm_id": str, "data": dict},
    "comm_close": {"comm_id": str, "data": dict},
    "shutdown_reply": {"restart": bool},
    "iopub_welcome": {"subscription": str},
    "debug_event": {},
}


class Malformed(AssertionError):
    """The kernel sent what the specification forbids."""


@dataclass
class Message:
    channel: str
    idents: list[bytes]
    header: dict
    parent: dict
    metadata: dict
    content: dict
    buffers: list[bytes]
    received: float

    @property
    def type(self) -> str:
        return self.header["msg_type"]

    @property
    def parent_id(self) -> str | None:
        return self.parent.get("msg_id")

    @property
    def state(self) -> str | None:
        return self.content.get("execution_state") if self.type == "status" else None

    def __repr__(self) -> str:
        return f"<{self.channel} {self.type} {str(self.content)[:200]}>"


@dataclass
class Exchange:
    """One request, its reply and all that was published for it from busy to idle."""

    msg_id: str
    reply: Message | None = None
    messages: list[Message] = field(default_factory=list)

    @property
    def content(self) -> dict:
        assert self.reply is not None
        return self.reply.content

    @property
    def status(self) -> str:
        return self.content["status"]

    @property
    def outputs(self) -> list[Message]:
        return [m for m in self.messages if m.type not in ("status", "execute_input")]

    @property
    def types(self) -> list[str]:
        """Types of the outputs, in order, the pieces of one stream counted once."""
        return [kind for kind, _ in itertools.groupby(self.outputs, key=output_kind)]

    def of_type(self, *types: str) -> list[Message]:
        return [m for m in self.messages if m.type in types]

    def one(self, msg_type: str) -> Message:
        found = self.of_type(msg_type)
        assert len(found) == 1, f"{len(found)} {msg_type} in {self.messages}"
        return found[0]

    def stream(self, name: str) -> str:
        return "".join(m.content["text"] for m in self.of_type("stream")
                       if m.content["name"] == name)

    @property
    def stdout(self) -> str:
        return self.stream("stdout")

    @property
    def stderr(self) -> str:
        return self.stream("stderr")

    @property
    def transcript(self) -> list[tuple[str, str]]:
        """(kind, text) in order; text that follows on the same stream is joined."""
        merged: list[tuple[str, str]] = []
        for message in self.outputs:
            kind, text = output_kind(message), output_text(message)
            if merged and merged[-1][0] == kind and message.type == "stream":
                text = merged.pop()[1] + text
            merged.append((kind, text))
        return merged


def output_kind(message: Message) -> str:
    return message.content["name"] if message.type == "stream" else message.type


def output_text(message: Message) -> str:
    content = message.content
    if message.type == "stream":
        return content["text"]
    return content.get("data", {}).get("text/plain", content.get("ename", ""))


class Deadline:
    """Of what comes by itself when all is well. It is there for what hangs: with twenty processes
    that want the processor everything takes ten times as long, and nothing fails for it."""

    def __init__(self, seconds: float):
        self.end = time.monotonic() + (seconds if seconds < 1 else seconds * BUSY)

    @property
    def left_ms(self) -> int:
        return max(0, int((self.end - time.monotonic()) * 1000))


class Client:
    """The five channels of one client. Not thread-safe."""

    def __init__(self, connection: dict, identity: bytes | None = None,
                 subscribe: bytes | None = b"", backlog: int = 0, reconnects: bool = True):
        """`backlog` is how many unread messages libzmq takes in; 0 is no limit."""
        self.connection = connection
        self.key = connection["key"].encode()
        self.session = uuid.uuid4().hex
        self.identity = self.session.encode() if identity is None else identity
        self.context = zmq.Context()
        self.kernel_session: str | None = None
        self.restarts_allowed = 1  # each brings a new session; the first message's is the first
        self.backlog, self.reconnects = backlog, reconnects
        self.seen_ids: set[str] = set()
        self.pending: dict[str, deque[Message]] = {}
        self.sockets: dict[str, zmq.Socket] = {}
        self.poller = zmq.Poller()
        for channel in ("shell", "control", "stdin"):
            self._open(channel, zmq.DEALER, identity=self.identity)
        self._open("hb", zmq.REQ)
        if subscribe is not None:
            self._open("iopub", zmq.SUB)
            self.sockets["iopub"].subscribe(subscribe)

    def _open(self, channel: str, kind: int, identity: bytes | None = None) -> None:
        socket = self.context.socket(kind)
        socket.linger = 0
        socket.sndhwm, socket.rcvhwm = 0, self.backlog
        if not self.reconnects:
            socket.reconnect_ivl = -1
        if identity:
            socket.identity = identity
        public = self.connection.get("curve_publickey")
        if public:
            socket.curve_serverkey = public.encode()
            socket.curve_publickey = public.encode()
            socket.curve_secretkey = self.connection["curve_secretkey"].encode()
        if channel == "stdin":
            self.stdin_monitor = socket.get_monitor_socket(zmq.EVENT_HANDSHAKE_SUCCEEDED)
        socket.connect(endpoint(self.connection, channel))
        self.sockets[channel] = socket
        self.pending[channel] = deque()
        if channel != "hb":
            self.poller.register(socket, zmq.POLLIN)

    def close(self) -> None:
        self.context.destroy(linger=0)

    # --- sending ------------------------------------------------------------------------

    def header(self, msg_type: str, **fields: Any) -> dict:
        header = {
            "msg_id": uuid.uuid4().hex,
            "session": self.session,
            "username": "tester",
            "date": datetime.now(timezone.utc).isoformat(timespec="microseconds"),
            "msg_type": msg_type,
            "version": "5.3",
        }
        return {**header, **fields}

    def sign(self, parts: list[bytes], key: bytes | None = None) -> bytes:
        key = self.key if key is None else key
        if not key:
            return b""
        digest = self.connection.get("signature_scheme", "hmac-sha256").removeprefix("hmac-")
        return hmac.digest(key, b"".join(parts), digest).hex().encode()

    def frames(self, msg_type: str, content: dict | None = None, *, header: dict | None = None,
               parent: dict | None = None, metadata: dict | None = None,
               buffers: list[bytes] = ()) -> list[bytes]:
        parts = [json.dumps(part).encode() for part in
                 (header or self.header(msg_type), parent or {}, metadata or {}, content or {})]
        return [DELIMITER, self.sign(parts), *parts, *buffers]

    def send_frames(self, frames: list[bytes], channel: str = "shell") -> None:
        self.sockets[channel].send_multipart(frames)

    def send(self, msg_type: str, content: dict | None = None, channel: str = "shell",
             **parts: Any) -> str:
        header = {**self.header(msg_type), **parts.pop("header", {})}
        self.send_frames(self.frames(msg_type, content, header=header, **parts), channel)
        return header["msg_id"]

    def send_execute(self, code: str, channel: str = "shell", metadata: dict | None = None,
                     **content: Any) -> str:
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {},
                   "allow_stdin": False, "stop_on_error": True, **content}
        return self.send("execute_request", content, channel, metadata=metadata)

    # --- receiving ----------------------------------------------------------------------

    def _receive(self, channel: str) -> Message:
        frames = self.sockets[channel].recv_multipart()
        message = self._decode(channel, frames)
        check_message(message)
        if message.header["msg_id"] in self.seen_ids:
            raise Malformed(f"msg_id used twice: {message}")
        self.seen_ids.add(message.header["msg_id"])
        session = message.header["session"]
        if session != self.kernel_session and self.restarts_allowed:
            self.restarts_allowed -= 1
            self.kernel_session = session
        if session != self.kernel_session:
            raise Malformed(f"header.session changed: {message.header}")
        return message

    def _decode(self, channel: str, frames: list[bytes]) -> Message:
        if DELIMITER not in frames:
            raise Malformed(f"no delimiter: {frames}")
        split = frames.index(DELIMITER)
        signature, *parts = frames[split + 1:split + 6]
        if len(parts) != 4:
            raise Malformed(f"{len(parts)} parts")
        if not hmac.compare_digest(signature, self.sign(parts)):
            raise Malformed(f"signature {signature!r}")
        header, parent, metadata, content = (strict_json(part) for part in parts)
        return Message(channel, frames[:split], header, parent, metadata, content,
                       frames[split + 6:], time.monotonic())

    def receive(self, channels: tuple[str, ...], match: Callable[[Message], bool],
                timeout: float = PATIENCE) -> Message:
        """The first message of these channels that matches; others are kept for later."""
        for channel in channels:
            for message in self.pending[channel]:
                if match(message):
                    self.pending[channel].remove(message)
                    return message
        deadline = Deadline(timeout)
        while True:
            ready = dict(self.poller.poll(deadline.left_ms))
            if not ready:
                kept = [m for queue in self.pending.values() for m in queue]
                raise TimeoutError(f"nothing in {timeout} s on {channels}; unclaimed: {kept[-20:]}")
            for channel in ready_channels(self.sockets, ready):
                message = self._receive(channel)
                if channel in channels and match(message):
                    return message
                self.pending[channel].append(message)

    def reply_to(self, msg_id: str, channel: str = "shell", timeout: float = PATIENCE) -> Message:
        return self.receive((channel,), lambda m: m.parent_id == msg_id, timeout)

    def published(self, match: Callable[[Message], bool] = lambda m: True,
                  timeout: float = PATIENCE) -> Message:
        return self.receive(("iopub",), match, timeout)

    def published_for(self, msg_id: str, msg_type: str, timeout: float = PATIENCE) -> Message:
        return self.published(lambda m: m.parent_id == msg_id and m.type == msg_type, timeout)

    def wait_for_text(self, msg_id: str, text: str, timeout: float = PATIENCE) -> None:
        """Until the cell has printed this."""
        seen = ""
        while text not in seen:
            seen += self.published_for(msg_id, "stream", timeout).content["text"]

    def wait_busy(self, msg_id: str, timeout: float = PATIENCE) -> None:
        self.published(lambda m: m.parent_id == msg_id and m.state == "busy", timeout)

    def wait_idle(self, msg_id: str, timeout: float = PATIENCE) -> None:
        self.published(lambda m: m.parent_id == msg_id and m.state == "idle", timeout)

    def finish(self, msg_id: str, channel: str = "shell", reply: bool = True,
               timeout: float = PATIENCE) -> Exchange:
        """All of one request: until its idle, and its reply where there is one.

        A debugger's events are not part of it: they come when something happens in the program,
        and carry the parent of the request that was the last by then.
        """
        exchange = Exchange(msg_id)
        idle = False
        deadline = Deadline(timeout)
        while not idle or (reply and exchange.reply is None):
            message = self.receive(
                (channel, "iopub"),
                lambda m: m.parent_id == msg_id and m.type != "debug_event",
                deadline.left_ms / 1000)
            if message.channel == channel:
                assert exchange.reply is None, f"second reply {message} after {exchange.reply}"
                exchange.reply = message
            else:
                assert not idle, f"{message} after idle"
                exchange.messages.append(message)
                idle = message.state == "idle"
        states = [m.state for m in exchange.messages if m.state]
        assert states == ["busy", "idle"], f"{states} for {exchange.messages}"
        assert exchange.messages[0].state == "busy", exchange.messages[0]
        return exchange

    def finish_rest(self, msg_id: str, timeout: float = PATIENCE) -> Message:
        """The reply and the idle of a cell of which something has been read already."""
        reply = self.reply_to(msg_id, timeout=timeout)
        self.wait_idle(msg_id, timeout)
        return reply

    # --- conversations ------------------------------------------------------------------

    def request(self, msg_type: str, content: dict | None = None, channel: str = "shell",
                timeout: float = PATIENCE, **parts: Any) -> Exchange:
        exchange = self.finish(self.send(msg_type, content, channel, **parts), channel,
                               timeout=timeout)
        assert exchange.reply is not None
        assert exchange.reply.type == msg_type.replace("_request", "_reply")
        return exchange

    def notify(self, msg_type: str, content: dict, **parts: Any) -> Exchange:
        """A message that gets no reply: a comm's."""
        return self.finish(self.send(msg_type, content, **parts), reply=False)

    def execute(self, code: str, timeout: float = PATIENCE, **content: Any) -> Exchange:
        return self.finish(self.send_execute(code, **content), timeout=timeout)

    def run(self, code: str, timeout: float = PATIENCE, **content: Any) -> Exchange:
        """execute() that must succeed."""
        cell = self.execute(code, timeout, **content)
        assert cell.status == "ok", f"{cell.content}"
        return cell

    def value(self, expression: str) -> str:
        """text/plain of an expression, with no trace in history and counts."""
        reply = self.run("", silent=True, user_expressions={"value": expression}).content
        answer = reply["user_expressions"]["value"]
        assert answer["status"] == "ok", answer
        return answer["data"]["text/plain"]

    def answer_input(self, value: str, timeout: float = PATIENCE) -> Message:
        """Wait for an input_request and answer it."""
        asked = self.receive(("stdin",), lambda m: m.type == "input_request", timeout)
        self.send("input_reply", {"value": value}, "stdin", parent=asked.header)
        return asked

    def heartbeat(self, payload: bytes = b"ping", timeout: float = PATIENCE) -> bytes:
        self.sockets["hb"].send(payload)
        assert self.sockets["hb"].poll(timeout * 1000), "no heartbeat"
        return self.sockets["hb"].recv()

    def _wait_for_stdin(self, deadline: Deadline) -> None:
        if self.stdin_monitor is None:
            return
        if not self.stdin_monitor.poll(deadline.left_ms):
            raise TimeoutError("no connection on stdin")
        self.sockets["stdin"].disable_monitor()
        self.stdin_monitor = None

    def _forget_pending(self) -> None:
        for queue in self.pending.values():
            queue.clear()

    def unclaimed(self) -> list[Message]:
        """What the kernel has sent for requests of this client and nobody asked for."""
        return [m for queue in self.pending.values() for m in queue
                if m.parent.get("session") == self.session]

    def ready_on_control(self) -> "Client":
        """ready() for when a cell keeps the shell busy."""
        return self.ready(channel="control")

    def ready(self, timeout: float = START, channel: str = "shell") -> "Client":
        """Until requests are answered and this client's subscription has taken effect.

        Not every kernel sends a welcome to every subscriber, so ask until iopub is heard.
        A question on stdin would be lost on a client that is not connected there yet.
        """
        deadline = Deadline(timeout)
        self._wait_for_stdin(deadline)
        unheard = 0.02
        while True:
            msg_id = self.send("kernel_info_request", channel=channel)
            self.reply_to(msg_id, channel, timeout=deadline.left_ms / 1000)
            try:
                self.wait_idle(msg_id, timeout=unheard)
                self._forget_pending()
                return self
            except TimeoutError:
                if not deadline.left_ms:
                    raise
            unheard = min(2 * unheard, 0.5)


def ready_channels(sockets: dict[str, zmq.Socket], ready: dict) -> list[str]:
    return [channel for channel, socket in sockets.items() if socket in ready]


def endpoint(connection: dict, channel: str) -> str:
    transport, port = connection["transport"], connection[f"{channel}_port"]
    separator = "-" if transport == "ipc" else ":"
    return f"{transport}://{connection['ip']}{separator}{port}"


def refuse(constant: str) -> None:
    raise ValueError(f"{constant} in JSON")


STRICT = json.JSONDecoder(parse_constant=refuse)


def strict_json(data: bytes) -> dict:
    try:
        value = STRICT.decode(data.decode("utf-8"))
        if b"\\u" in data:  # a lone surrogate, which is written so, fails here
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except ValueError as error:
        raise Malformed(f"{error}: {data[:200]!r}") from error
    if not isinstance(value, dict):
        raise Malformed(f"not an object: {data[:200]!r}")
    return value


def check_fields(what: Message, value: dict, fields: dict[str, type]) -> None:
    for name, kind in fields.items():
        if not isinstance(value.get(name), kind):
            raise Malformed(f"{name} of {what.type} is {value.get(name)!r}")


def check_message(message: Message) -> None:
    """The header, and for iopub the content, as the strictest client wants them."""
    check_fields(message, message.header, dict.fromkeys(
        ("msg_id", "session", "username", "date", "msg_type", "version"), str))
    if not DATE.fullmatch(message.header["date"]):
        raise Malformed(f"date {message.header['date']}")
    if not re.fullmatch(r"5\.[2-9]\d*(\.\d+)?", message.header["version"]):
        raise Malformed(f"version {message.header['version']}")
    if message.channel == "iopub":
        check_published(message)


def check_published(message: Message) -> None:
    if message.type not in IOPUB_CONTENT:
        raise Malformed(f"{message.type} on iopub")
    if message.type != "iopub_welcome" and len(message.idents) != 1:
        raise Malformed(f"{len(message.idents)} topic frames: {message}")
    check_fields(message, message.content, IOPUB_CONTENT[message.type])
    if message.type == "stream" and message.content["name"] not in ("stdout", "stderr"):
        raise Malformed(f"stream {message.content['name']}")
    for mime, value in message.content.get("data", {}).items():
        if message.type in ("display_data", "update_display_data", "execute_result"):
            check_mime(mime, value)


def check_mime(mime: str, value: Any) -> None:
    if not MIME.fullmatch(mime):
        raise Malformed(f"mime type {mime!r}")
    if not (mime.endswith("json") or isinstance(value, str)):
        raise Malformed(f"{mime} holds {type(value).__name__}")


def free_identity() -> bytes:
    """An identity as libzmq makes them: starts with NUL."""
    return b"\0" + os.urandom(4)
