"""A stand-in for a provider: answers requests with scripted bytes, and keeps what it was sent."""

from __future__ import annotations

import json
import socket
import ssl
import struct
import subprocess
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Union

FIXTURES = Path(__file__).parent / "fixtures"


@dataclass
class Hang:
    """Say nothing more, until the other side closes."""


@dataclass
class Wait:
    """Go on when the test says so, once for each time that it does."""

    semaphore: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))


@dataclass
class Reset:
    """End the connection with RST."""


Step = Union[bytes, Hang, Wait, Reset]


@dataclass
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    raw: bytes

    def json(self) -> Any:
        return json.loads(self.body)


def http(
    status: int,
    body: bytes | str = b"",
    kind: str = "application/json",
    headers: dict[str, str] | None = None,
) -> list[Step]:
    data = body.encode() if isinstance(body, str) else body
    head = [f"HTTP/1.1 {status} Scripted", f"Content-Type: {kind}", f"Content-Length: {len(data)}"]
    head += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return ["\r\n".join(head).encode() + b"\r\n\r\n" + data]


def fault_429(after: str) -> list[Step]:
    return http(429, '{"error":{"message":"slow down"}}', headers={"Retry-After": after})


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def stream(*parts: Step, headers: str = "", kind: str = "text/event-stream") -> list[Step]:
    """A chunked answer whose last chunk is there."""
    return [*open_stream(*parts, headers=headers, kind=kind), b"0\r\n\r\n"]


def open_stream(*parts: Step, headers: str = "", kind: str = "text/event-stream") -> list[Step]:
    """A chunked answer that never ends by itself."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n{headers}\r\n"
    return [head.encode(), *(chunk(p) if isinstance(p, bytes) else p for p in parts)]


def until_close(*parts: Step, kind: str = "text/event-stream") -> list[Step]:
    """An answer that ends with its connection: without length and without chunks."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n"
    return [head.encode(), *parts]


def recorded(name: str) -> list[Step]:
    """What llama-server said, with its transfer coding put back where it had one."""
    head, body = (FIXTURES / "llama-server" / name).read_bytes().split(b"\r\n\r\n", 1)
    if b"chunked" not in head:  # some were recorded without their last newline
        lines = [line for line in head.split(b"\r\n") if not line.startswith(b"Content-Length")]
        return [b"\r\n".join([*lines, b"Content-Length: %d" % len(body), b"", body])]
    return [head + b"\r\n\r\n", chunk(body), b"0\r\n\r\n"]


@dataclass
class StandIn:
    """Answers the n-th connection with the n-th script; more than were scripted get a 599."""

    scripts: list[list[Step]]
    tls: ssl.SSLContext | None = None
    requests: list[Request] = field(default_factory=list)
    arrived: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    closed: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def __enter__(self) -> StandIn:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.url = f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}"
        self.server = threading.Thread(target=self._serve, daemon=True)
        self.server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)  # close() alone wakes no accept()
        self.server.join()
        self.listener.close()

    def _serve(self) -> None:
        count = 0
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            script = self.scripts[count] if count < len(self.scripts) else http(599)
            count += 1
            threading.Thread(target=self._answer, args=(connection, script), daemon=True).start()

    def _answer(self, connection: socket.socket, script: list[Step]) -> None:
        if self.tls:
            try:
                connection = self.tls.wrap_socket(connection, server_side=True)
            except OSError:  # the client did not like us
                return
        with connection:
            request = _read_request(connection)
            if request is None:
                return
            self.requests.append(request)
            self.arrived.release()
            try:
                for step in script:
                    if isinstance(step, Hang):
                        connection.recv(1)
                        break
                    if isinstance(step, Wait):
                        step.semaphore.acquire(timeout=200)
                        continue
                    if isinstance(step, Reset):
                        linger = struct.pack("ii", 1, 0)
                        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                        break
                    connection.sendall(step)
            except OSError:
                pass
        self.closed.release()


def certificate(folder: Path) -> tuple[Path, ssl.SSLContext]:
    """A certificate for 127.0.0.1 that vouches for itself, and a server's context with it."""
    key, file = folder / "tls.key", folder / "tls.pem"
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=standin",
            "-addext",
            "subjectAltName=IP:127.0.0.1",
            "-keyout",
            key,
            "-out",
            file,
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file, key)
    return file, context


def _read_request(connection: socket.socket) -> Request | None:
    raw = b""
    while b"\r\n\r\n" not in raw:
        data = connection.recv(65536)
        if not data:
            return None
        raw += data
    head, body = raw.split(b"\r\n\r\n", 1)
    first, *lines = head.decode().split("\r\n")
    headers = {}
    for line in lines:
        name, value = line.split(":", 1)
        headers[name.lower()] = value.strip()
    while len(body) < int(headers.get("content-length", 0)):
        data = connection.recv(65536)
        if not data:
            return None
        body += data
        raw += data
    method, path, _ = first.split(" ")
    return Request(method, path, headers, body, raw)
