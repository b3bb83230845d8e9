"""Asking sandboxd by HTTP on its unix socket."""

import http.client
import json
import socket
from pathlib import Path


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path, timeout: float = 30):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self.path))


def ask(path: Path, method: str, what: str, body: object = None) -> tuple[int, dict]:
    connection = UnixConnection(path)
    try:
        connection.request(method, what, None if body is None else json.dumps(body))
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def sandboxes(path: Path) -> list[dict]:
    status, answer = ask(path, "GET", "/v1/sandboxes")
    assert status == 200, answer
    return answer["sandboxes"]
