"""cellpod-sandboxd as a process of its own, and a client of its HTTP API."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from support import processes
from support.caches import cache_of

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = Path(os.environ.get("SANDBOXD", ROOT / "build/bin/cellpod-sandboxd"))
STANDIN = Path(__file__).with_name("zygote_standin.py")
PATIENCE = 360


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path, patience: float = PATIENCE):
        super().__init__("localhost", timeout=patience)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self.path))


@dataclass
class Event:
    seq: int
    type: str
    parent: str
    content: bytes

    @property
    def json(self) -> dict:
        return json.loads(self.content)


class Events:
    """One event stream; events come as they happen."""

    def __init__(self, sandbox: Sandbox, after: int):
        self.connection = sandbox.daemon.connect()
        self.connection.request("GET", f"/v1/sandboxes/{sandbox.id}/events?after={after}",
                                headers=sandbox.headers)
        self.response = self.connection.getresponse()
        self.status = self.response.status

    def __iter__(self) -> Iterator[Event]:
        while text := self.response.readline():
            line = json.loads(text)
            content = self.response.read(line["bytes"])
            self.response.read(line.get("metadata", 0) + sum(line.get("buffers", [])))
            assert self.response.read(1) == b"\n"
            yield Event(line["seq"], line["type"], line.get("parent", ""), content)

    def next(self, *types: str) -> Event:
        """The next event, or the next of these types."""
        for event in self:
            if not types or event.type in types:
                return event
        raise EOFError("the stream has ended")

    def close(self) -> None:
        self.response.close()
        self.connection.close()


class Daemon:
    READY = "ready"  # what it says then

    def __init__(self, *options: str, uid: int | None = None, **environment: str):
        self.folder = Path(tempfile.mkdtemp(prefix="cellpod-sandboxd-"))
        self.user = {} if uid is None else {"user": uid, "group": uid, "extra_groups": []}
        if uid is not None:
            os.chown(self.folder, uid, uid)
        self.path = self.folder / "s.sock"
        self.state = self.folder / "state/cellpod"
        self.env = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder),
            "XDG_RUNTIME_DIR": str(self.folder), "XDG_STATE_HOME": str(self.folder / "state"),
            "XDG_CACHE_HOME": cache_of(uid),
            "CELLPOD_LOG": "debug", "CELLPOD_PYTHON": str(STANDIN), **environment,
        }
        self.process, self.said = self.start(*options)

    def start(self, *options: str) -> tuple[subprocess.Popen, str]:
        """A daemon on this socket, and what it says of its start."""
        reader, writer = os.pipe()
        process = subprocess.Popen(
            [PROGRAM, "--listen", self.address(), "--ready-fd", str(writer), *options],
            env=self.env, pass_fds=[writer], stderr=self.standard_error(), **self.user)
        os.close(writer)
        with open(reader) as said:
            return process, said.readline().strip()

    def address(self) -> str:
        return f"unix:{self.path}"

    def standard_error(self) -> object:
        return None

    def connect(self) -> http.client.HTTPConnection:
        return UnixConnection(self.path)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            shutil.rmtree(self.folder)

    def log(self) -> str:
        return (self.state / "sandboxd.log").read_text()

    def call(self, method: str, path: str, body: object = None, headers: dict | None = None
             ) -> tuple[int, dict]:
        connection = self.connect()
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(method, path, data, headers or {})
        response = connection.getresponse()
        answer = response.read()
        connection.close()
        return response.status, json.loads(answer)

    def claim(self, fault: str = "", **fields: object) -> Sandbox:
        """Without checkpoints after cells, unless it names them."""
        fields = {"task_id": uuid.uuid4().hex, "env": {"STANDIN": fault}} | fields
        fields["resources"] = {"checkpoints": 0} | fields.get("resources", {})
        status, answer = self.call("POST", "/v1/sandboxes", fields)
        assert status in (200, 201), answer
        return Sandbox(self, status, answer)


class TcpDaemon(Daemon):
    """On a free port of the loopback address. What it logs is in a file, as in a container."""

    READY = r"ready .*:\d+"

    def __init__(self, *options: str, host: str = "127.0.0.1", **environment: str):
        self.host = host
        super().__init__(*options, **environment)

    def address(self) -> str:
        return f"tcp:{self.host}:0"

    def standard_error(self) -> object:
        return open(self.folder / "log", "w")

    @property
    def netloc(self) -> str:
        return self.said.removeprefix("ready ")

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.netloc, timeout=PATIENCE)

    def log(self) -> str:
        return (self.folder / "log").read_text()


@contextmanager
def starting(kind: type[Daemon]) -> Iterator[Callable[..., Daemon]]:
    """Daemons of this kind, with these options; what they have started ends with them."""
    daemons = []

    def start(*options: str, **more) -> Daemon:
        daemons.append(kind(*options, **more))
        assert re.fullmatch(kind.READY, daemons[-1].said), daemons[-1].said
        return daemons[-1]

    yield start
    for daemon in daemons:
        children = processes.descendants(daemon.process.pid) if daemon.process.poll() is None else []
        daemon.close()
        processes.assert_all_end(children, "sandboxd")


class Sandbox:
    def __init__(self, daemon: Daemon, status: int, answer: dict):
        self.daemon, self.status, self.answer = daemon, status, answer
        self.id = answer["id"]
        self.headers = {"X-Cellpod-Token": answer["token"]}
        self.count = 0

    def call(self, method: str, what: str = "", body: object = None) -> tuple[int, dict]:
        return self.daemon.call(method, f"/v1/sandboxes/{self.id}{what}", body, self.headers)

    def events(self, after: int = 0) -> Events:
        return Events(self, after)

    def raw(self, method: str, what: str, body: object = None) -> tuple[int, bytes]:
        """What is not JSON. `what` goes out as it is, nothing encoded."""
        connection = self.daemon.connect()
        connection._validate_path = lambda url: None
        connection.request(method, f"/v1/sandboxes/{self.id}{what}", body, self.headers)
        response = connection.getresponse()
        answer = response.status, response.read()
        connection.close()
        return answer

    def ready(self) -> Events:
        events = self.events()
        event = events.next()
        assert event.type == "sandbox_ready", event
        return events

    def failure(self) -> dict:
        event = self.events().next()
        assert event.type == "sandbox_failed", event
        return event.json

    def execute(self, code: str, request: str = "") -> str:
        """Returns the request's id at once."""
        return self.request("execute_request", {"code": code}, request)

    def request(self, kind: str, fields: dict, request: str = "") -> str:
        self.count += 1
        request = request or f"r{self.count}"
        content = json.dumps(fields).encode()
        line = {"type": kind, "id": request, "bytes": len(content)}
        envelope = json.dumps(line).encode() + b"\n" + content + b"\n"
        assert self.call("POST", "/requests", envelope) == (202, {})
        return request
