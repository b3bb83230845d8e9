"""A stand-in for cellpod-sandboxd: its HTTP API, with a script in place of a worker.

What the real one does only when something breaks, this one does when a test says so: it
cuts streams, sends garbage, skips numbers, refuses, is slow, dies.
"""

import json
import socket
import socketserver
import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Callable
from urllib.parse import parse_qs, urlsplit


class Request:
    """A request envelope of the kernel's."""

    def __init__(self, data: bytes):
        line, rest = data.split(b"\n", 1)
        self.line = json.loads(line)
        self.id, self.type = self.line["id"], self.line["type"]
        lengths = [self.line.get("bytes", 0), self.line.get("metadata", 0),
                   *self.line.get("buffers", [])]
        parts = []
        for length in lengths:
            parts.append(rest[:length])
            rest = rest[length:]
        assert rest == b"\n", rest
        self.content = json.loads(parts[0] or b"{}")
        self.metadata = json.loads(parts[1] or b"{}")
        self.buffers = parts[2:]

    @property
    def code(self) -> str:
        return self.content["code"]


class Sandbox:
    """Its events, and what becomes of each that reads them."""

    def __init__(self, number: int, claim: dict):
        self.id = f"s{number}"
        self.claim = claim
        self.log: list[tuple[int, bytes]] = []  # what a client gets, and gets again
        self.live: list[bytes | None] = []      # what is sent once; None cuts
        self.changed = threading.Condition()
        self.refused_after = 0                  # older than this is gone: 410
        self.count = 0
        self.ended = False

    def append(self, data: bytes, seq: int, keep: bool = True, send: bool = True) -> None:
        with self.changed:
            if keep:
                self.log.append((seq, data))
            if send:
                self.live.append(data)
            self.changed.notify_all()

    def emit(self, type: str, content: Any = None, parent: str = "", *, metadata: Any = None,
             buffers: tuple[bytes, ...] = (), skip: int = 0, send: bool = True) -> None:
        """`skip` numbers are left out; with `send` false it reaches only who comes back."""
        text = content if isinstance(content, bytes) else json.dumps(content or {}).encode()
        extra = json.dumps(metadata).encode() if metadata is not None else b""
        seq = (self.log[-1][0] if self.log else 0) + 1 + skip
        line: dict[str, Any] = {"seq": seq, "type": type, "bytes": len(text)}
        if parent:
            line["parent"] = parent
        if extra:
            line["metadata"] = len(extra)
        if buffers:
            line["buffers"] = [len(buffer) for buffer in buffers]
        data = json.dumps(line).encode() + b"\n" + text + extra + b"".join(buffers) + b"\n"
        self.append(data, seq, send=send)

    def noise(self, data: bytes) -> None:
        """Bytes on the stream that are no event."""
        self.append(data, 0, keep=False)

    def repeat(self) -> None:
        """Everything once more, as by a server that has forgotten what it sent."""
        for seq, data in list(self.log):
            self.append(data, seq, keep=False)

    def cut(self) -> None:
        with self.changed:
            self.live.append(None)
            self.changed.notify_all()

    def end(self) -> None:
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    # --- what a worker says -------------------------------------------------------------

    def ready(self, python: str = "3.11.2") -> None:
        self.emit("sandbox_ready", {"python": python, "packages": {}, "isolation": {"waived": []}})

    def start(self, request: Request) -> None:
        self.count += 1
        self.emit("execute_input", {"code": request.code, "execution_count": self.count},
                  request.id)

    def text(self, request: Request, text: str, name: str = "stdout") -> None:
        self.emit("stream", {"name": name, "text": text}, request.id)

    def reply(self, request: Request, **content: Any) -> None:
        content = {"status": "ok", "execution_count": self.count, "user_expressions": {},
                   "payload": [], **content}
        self.emit("execute_reply", content, request.id, metadata={"started": "now"})

    def fail(self, request: Request, ename: str = "ValueError") -> None:
        error = {"ename": ename, "evalue": "no", "traceback": [f"{ename}: no"]}
        self.emit("error", error, request.id)
        self.reply(request, status="error", **error)


Script = Callable[[Sandbox, Request], None]


def answer(sandbox: Sandbox, request: Request) -> None:
    """The script unless a test has its own: cells print their code."""
    if request.type == "execute_request":
        sandbox.start(request)
        sandbox.text(request, request.code)
        sandbox.reply(request)
    elif request.type.startswith("comm_") and not request.type.endswith("_request"):
        sandbox.emit("done", {}, request.id)
    else:
        sandbox.emit(request.type.replace("_request", "_reply"), REPLIES[request.type], request.id)


REPLIES = {
    "complete_request": {"status": "ok", "matches": [], "cursor_start": 0, "cursor_end": 0,
                         "metadata": {}},
    "inspect_request": {"status": "ok", "found": False, "data": {}, "metadata": {}},
    "is_complete_request": {"status": "complete"},
    "history_request": {"status": "ok", "history": []},
    "comm_info_request": {"status": "ok", "comms": {}},
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "Server"

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def answer(self, status: int, body: dict) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def refuse(self, status: int, message: str) -> None:
        self.answer(status, {"error": {"code": "refused", "message": message}})

    def body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def handle_one(self) -> None:
        standin, parts = self.server.standin, urlsplit(self.path).path.split("/")[3:]
        standin.tokens.add(self.headers.get("X-Cellpod-Token"))
        body = self.body_bytes = self.body()
        fault = standin.faults.get((self.command, parts[1] if len(parts) > 1 else ""))
        if fault and fault(self):
            return
        if not parts:
            self.claim(standin, json.loads(body))
            return
        sandbox = standin.sandboxes.get(parts[0])
        if sandbox is None or sandbox.ended:
            self.refuse(404, "no such sandbox")
        elif len(parts) == 1:
            standin.deleted.append(sandbox.id)
            sandbox.end()
            self.answer(200, {})
        else:
            getattr(self, f"do_{parts[1]}")(standin, sandbox, body)

    do_GET = do_POST = do_PUT = do_DELETE = handle_one

    def claim(self, standin: "Standin", claim: dict) -> None:
        standin.claims.append(claim)
        sandbox = Sandbox(len(standin.claims), claim)
        standin.sandboxes[sandbox.id] = sandbox
        self.answer(201, {"id": sandbox.id, "token": "secret", "state": "starting"})
        standin.on_claim(sandbox)

    def do_requests(self, standin: "Standin", sandbox: Sandbox, body: bytes) -> None:
        request = Request(body)
        standin.requests.append(request)
        self.answer(202, {})
        threading.Thread(target=standin.script, args=(sandbox, request), daemon=True).start()

    def do_interrupt(self, standin: "Standin", sandbox: Sandbox, body: bytes) -> None:
        standin.interrupts.append(json.loads(body)["request"])
        self.answer(200, {"delivered": standin.on_interrupt(sandbox, json.loads(body)["request"])})

    def do_input(self, standin: "Standin", sandbox: Sandbox, body: bytes) -> None:
        self.answer(202, {})
        standin.on_input(sandbox, json.loads(body)["value"])

    def do_usage(self, standin: "Standin", sandbox: Sandbox, body: bytes) -> None:
        self.answer(200, {"hostname": "sandbox", "pid": 7, "cpu_percent": 12.5,
                          "memory_bytes": 1000, "cpu_count": 2})

    def do_tree(self, standin: "Standin", sandbox: Sandbox, body: bytes) -> None:
        self.refuse(404, "no such path")  # as a sandboxd that is older

    def do_files(self, standin: "Standin", sandbox: Sandbox, body: bytes) -> None:
        self.answer(200, {"state": "1"}) if self.command == "PUT" else self.refuse(404, "no such file")

    def do_events(self, standin: "Standin", sandbox: Sandbox, body: bytes) -> None:
        after = int(parse_qs(urlsplit(self.path).query)["after"][0])
        standin.resumes.append(after)
        if after < sandbox.refused_after:
            self.refuse(410, "gone")
            return
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.close_connection = True
        with sandbox.changed:
            place = len(sandbox.live)
            kept = [data for seq, data in sandbox.log if seq > after]
        try:
            for data in kept:
                self.chunk(data)
            self.follow(sandbox, place)
        except OSError:
            pass  # the kernel has left

    def follow(self, sandbox: Sandbox, place: int) -> None:
        while True:
            with sandbox.changed:
                sandbox.changed.wait_for(
                    lambda place=place: len(sandbox.live) > place or sandbox.ended)
                if len(sandbox.live) == place:
                    return
                data = sandbox.live[place]
            place += 1
            if data is None:
                return  # in the middle of the answer: no last chunk
            self.chunk(data)

    def chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))


class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    daemon_threads = True
    request_queue_size = 32
    standin: "Standin"

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # the kernel has left in the middle of something


class UnixServer(Server):
    address_family = socket.AF_UNIX

    def get_request(self):
        connection, _ = super().get_request()
        return connection, ("unix", 0)


class Standin:
    """`path` is a socket's; without one it listens on a port of this machine."""

    def __init__(self, path: Path | None = None, script: Script = answer):
        self.path = path
        self.script = script
        self.on_claim: Callable[[Sandbox], None] = Sandbox.ready
        self.on_interrupt: Callable[[Sandbox, str], bool] = lambda sandbox, request: True
        self.on_input: Callable[[Sandbox, str], None] = lambda sandbox, value: None
        self.faults: dict[tuple[str, str], Callable[[Handler], bool]] = {}
        self.sandboxes: dict[str, Sandbox] = {}
        self.claims: list[dict] = []
        self.tokens: set[str | None] = set()
        self.requests: list[Request] = []
        self.interrupts: list[str] = []
        self.resumes: list[int] = []
        self.deleted: list[str] = []
        self.server: Server | None = None
        self.open()

    def open(self) -> None:
        if self.path is None:
            self.server = Server(("127.0.0.1", 0), Handler)
        else:
            self.path.unlink(missing_ok=True)
            self.server = UnixServer(str(self.path), Handler)
        self.server.standin = self
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02},
                         daemon=True).start()

    def close(self) -> None:
        """As a daemon that dies: streams end, nobody listens."""
        if self.server:
            self.server.shutdown()
            self.server.server_close()
            self.server = None
        if self.path is not None:
            self.path.unlink(missing_ok=True)
        for sandbox in self.sandboxes.values():
            sandbox.end()

    @property
    def place(self) -> str:
        """As the kernel's --sandbox takes it."""
        if self.path is not None:
            return f"unix:{self.path}"
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def refuse(self, method: str, what: str, status: int, message: str) -> None:
        def fault(handler: Handler) -> bool:
            handler.refuse(status, message)
            return True

        self.faults[(method, what)] = fault

    @property
    def sandbox(self) -> Sandbox:
        return list(self.sandboxes.values())[-1]
