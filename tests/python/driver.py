"""Drives one worker over its channel, as sandboxd would."""

import base64
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
WORKER_DIR = ROOT / "sandbox/worker"
LIBDIR = ROOT / "build/lib/cellpod"
PATIENCE = 360.0
_ANSWERS = ("input_reply", "checkpoints")


@dataclass
class Message:
    type: str
    parent: str
    content: dict[str, Any]
    metadata: dict[str, Any] = field(default_factory=dict)
    buffers: list[bytes] = field(default_factory=list)


def _refuse_constant(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


def parse_json(data: bytes) -> Any:
    """As strictly as the kernel: UTF-8, no NaN, no lone surrogate."""
    value = json.loads(data.decode("utf-8"), parse_constant=_refuse_constant)
    json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


class Stage:
    """The warmed process that workers are forked from."""

    def __init__(self, how: str = "warm") -> None:
        self.control, end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        end.set_inheritable(True)
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-X", "utf8", str(Path(__file__).with_name("stage.py")),
             str(WORKER_DIR), str(LIBDIR), str(end.fileno()), how],
            pass_fds=[end.fileno()],
        )  # fmt: skip
        end.close()
        ready = self.control.recv(65536)
        assert ready, "the stage did not come up"
        self.versions = json.loads(ready)

    def spawn(self, spec: dict[str, Any]) -> socket.socket:
        """The socket of an init."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        socket.send_fds(self.control, [json.dumps(spec).encode()], [theirs.fileno()])
        theirs.close()
        return ours

    def close(self) -> None:
        self.control.close()
        self.process.wait(10)


class Driver:
    def __init__(self, stage: Stage, home: Path, cwd: Path, env: dict[str, str] | None = None):
        spec = {"home": str(home), "cwd": str(cwd), "env": env or {}}
        spec["show"] = bool(os.environ.get("SHOW"))
        self.init = stage.spawn(spec)
        self.socket, theirs = socket.socketpair()
        socket.send_fds(self.init, [b'{"type":"start"}'], [theirs.fileno()])
        theirs.close()
        self.pid = self._hear_init()["pid"]
        self.sessions = {self.pid}  # of the worker, and of what has taken its place
        self.buffer = bytearray()
        self.said: list[Message] = []  # by a dead worker
        self.imports: list[str] = []
        self.counter = 0
        self.running = ("", "")  # the request that has no answer yet: its id and type
        self.checkpoint: socket.socket | None = None
        self.is_frozen = False
        self.killed_for = ""
        self.hello = self.receive()

    # --- wire ------------------------------------------------------------------------

    def send(self, kind: str, content: dict[str, Any], *, metadata: Any = None,
             buffers: tuple[bytes, ...] = (), **line: Any) -> str:  # fmt: skip
        keeps = kind == "attempt_end_request" and content["keep"]
        if self.is_frozen and kind not in _ANSWERS and not keeps:
            self.kill("attempt")
            self.wait_for(lambda: not self.is_frozen)
        self.counter += 1
        request = f"r{self.counter}"
        body = json.dumps(content).encode()
        extra = json.dumps(metadata).encode() if metadata else b""
        head = {"type": kind, "id": request, "msg_id": f"m-{request}", "bytes": len(body),
                "metadata": len(extra), "buffers": [len(b) for b in buffers]} | line  # fmt: skip
        data = json.dumps(head).encode() + b"\n" + body + extra + b"".join(buffers) + b"\n"
        if kind not in _ANSWERS:
            self.running = (request, kind)
        lent = self._lend() if kind == "attempt_request" and self.lends else None
        if lent:
            sent = socket.send_fds(self.socket, [data], [lent.fileno()])
            lent.close()
            data = data[sent:]
        self.socket.sendall(data)
        return request

    def receive(self, patience: float = PATIENCE) -> Message:
        deadline = time.monotonic() + patience
        while True:
            message = self._take()
            if message and message.type == "imports":
                self.imports += message.content["names"]
            if message and message.type in ("variables", "imports"):  # for sandboxd alone
                continue
            if message:
                if message.parent == self.running[0] and message.type.endswith(("_reply", "done")):
                    self._note_end()
                return message
            self._look(deadline - time.monotonic())

    def wait_for(self, condition: Any) -> None:
        deadline = time.monotonic() + PATIENCE
        while not condition():
            self._look(deadline - time.monotonic())

    def _look(self, left: float) -> None:
        """At what comes first."""
        sources = [s for s in (self.socket, self.init, self.checkpoint) if s and s.fileno() >= 0]
        ready = select.select(sources, [], [], left)[0] if left > 0 else []
        if not ready:
            raise TimeoutError("the worker said nothing")
        if self.checkpoint in ready and not self.is_frozen:
            self._hear_checkpoint()
        elif self.socket in ready:  # before its end: it is what was said until then
            data = self.socket.recv(1 << 20)
            if not data and not self.is_frozen:
                raise EOFError("the worker is gone")
            if not data:
                self.socket.close()
            self.buffer += data
        elif self.init in ready:
            self._hear_of_its_end()

    # --- what else sandboxd does ---------------------------------------------------------

    lends = True

    def _hear_init(self) -> dict[str, Any]:
        data, fds, _, _ = socket.recv_fds(self.init, 4096, 1)
        for fd in fds:
            os.close(fd)
        return json.loads(data) if data else {"type": "gone"}

    def _lend(self) -> socket.socket:
        self.checkpoint, theirs = socket.socketpair()
        return theirs

    def _hear_checkpoint(self) -> None:
        if self.checkpoint.recv(5)[:1] == b"c":
            self.checkpoint.sendall(b"\n")
            self.is_frozen = self.checkpoint.recv(1) == b"n"
        else:
            self._forget_checkpoint()

    def _forget_checkpoint(self) -> None:
        if self.checkpoint:
            self.checkpoint.close()
        self.checkpoint, self.is_frozen = None, False

    def _note_end(self) -> None:
        if self.running[1] == "attempt_end_request":
            self._forget_checkpoint()
        self.running = ("", "")

    def kill(self, cause: str) -> None:
        self.killed_for = cause
        os.kill(self.pid, signal.SIGKILL)

    def _hear_of_its_end(self) -> None:
        told = self._hear_init()
        if told["type"] != "succeeded" or not self.is_frozen:
            raise EOFError(f"the worker is gone: {told}")
        self._drain()
        self.pid = told["pid"]
        self.sessions.add(self.pid)
        self.socket, self.checkpoint, self.is_frozen = self.checkpoint, None, False
        request, kind = self.running
        content = json.dumps({"request": kind, "cause": self.killed_for or "signal",
                              "message": f"status {told['status']}"}).encode()  # fmt: skip
        head = {"type": "wake", "id": request, "bytes": len(content)}
        self.socket.sendall(json.dumps(head).encode() + b"\n" + content + b"\n")
        self.killed_for = ""

    def _drain(self) -> None:
        """What it has said before it died, up to half an envelope."""
        while self.socket.fileno() >= 0 and select.select([self.socket], [], [], 0)[0]:
            data = self.socket.recv(1 << 20)
            self.buffer += data
            if not data:
                break
        self.socket.close()
        whole = []
        while message := self._take():
            whole.append(message)
        self.buffer.clear()
        self.said.extend(whole)
        if any(m.parent == self.running[0] and m.type.endswith("_reply") for m in whole):
            self._note_end()

    def _take(self) -> Message | None:
        if self.said:
            return self.said.pop(0)
        end = self.buffer.find(b"\n")
        if end < 0:
            assert len(self.buffer) < 65536
            return None
        line = json.loads(self.buffer[:end])
        sizes = [line.get("bytes", 0), line.get("metadata", 0), *line.get("buffers", [])]
        total = end + 1 + sum(sizes) + 1
        if len(self.buffer) < total:
            return None
        assert self.buffer[total - 1 : total] == b"\n", "envelope does not end where it says"
        parts, at = [], end + 1
        for size in sizes:
            parts.append(bytes(self.buffer[at : at + size]))
            at += size
        del self.buffer[:total]
        content, metadata, *buffers = parts
        return Message(
            line["type"], line.get("parent", ""), parse_json(content),
            parse_json(metadata) if metadata else {}, buffers,
        )  # fmt: skip

    # --- requests ----------------------------------------------------------------------

    def until_reply(self, request: str) -> "Answer":
        messages = []
        while True:
            message = self.receive()
            if message.parent == request and (
                message.type.endswith("_reply") or message.type == "done"
            ):
                return Answer(request, messages, message)
            messages.append(message)

    def ask(self, kind: str, content: dict[str, Any], **kwargs: Any) -> "Answer":
        return self.until_reply(self.send(kind, content, **kwargs))

    def start(self, code: str, **content: Any) -> str:
        metadata = content.pop("metadata", None)
        return self.send("execute_request", {"code": code} | content, metadata=metadata)

    def run(self, code: str, **content: Any) -> "Answer":
        return self.until_reply(self.start(code, **content))

    def attempt(self, code: str, **content: Any) -> "Answer":
        return self.ask("attempt_request", {"code": code, "allow_stdin": False} | content)

    def end_attempt(self, *, keep: bool) -> dict[str, Any]:
        """Returns the reply's content."""
        return self.ask("attempt_end_request", {"keep": keep}).content

    def interrupt(self) -> None:
        os.killpg(self.pid, signal.SIGINT)

    def answer(self, value: str) -> None:
        self.send("input_reply", {"value": value}, id="")

    def close(self) -> None:
        self.socket.close()
        self._forget_checkpoint()
        for pid in self._session():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.init.close()

    def _session(self) -> list[int]:
        """The workers and all that they have started."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if os.getsid(int(folder.name)) in self.sessions:
                    found.append(int(folder.name))
            except ProcessLookupError:
                continue
        return found


@dataclass
class Answer:
    request: str
    messages: list[Message]
    reply: Message

    @property
    def content(self) -> dict[str, Any]:
        return self.reply.content

    @property
    def status(self) -> str:
        return self.content["status"]

    def of(self, *types: str) -> list[Message]:
        return [m for m in self.messages if m.type in types]

    @property
    def types(self) -> list[str]:
        """In order; neighbouring stream messages of one stream count once."""
        names: list[str] = []
        for message in self.messages:
            name = message.type
            if name == "stream":
                name = message.content["name"]
            if not names or names[-1] != name or message.type != "stream":
                names.append(name)
        return names

    def text(self, name: str = "stdout") -> str:
        return "".join(m.content["text"] for m in self.of("stream") if m.content["name"] == name)

    @property
    def everything(self) -> str:
        """All text in the order in which it came."""
        return "".join(m.content["text"] for m in self.of("stream"))

    @property
    def result(self) -> str | None:
        found = self.of("execute_result")
        return found[0].content["data"]["text/plain"] if found else None

    @property
    def pngs(self) -> list[bytes]:
        data = [m.content["data"] for m in self.of("display_data", "execute_result")]
        return [base64.b64decode(d["image/png"]) for d in data if "image/png" in d]
