"""HTTP that is malformed, slow, huge or climbs: an error, and no sandbox notices."""

from __future__ import annotations

import os
import select
import socket

import psutil
import pytest

from support import processes
from support.client import PATIENCE
from support.sandboxd_http import sandboxes

pytestmark = pytest.mark.cellpod_only("there is no sandboxd behind other kernels")

HOST = b"Host: x\r\n"
POST = b"POST /v1/sandboxes HTTP/1.1\r\n" + HOST

WAITS = 0  # for the rest of the request, until the client leaves

# What is sent, and the status, which differs from one libmicrohttpd to the next; None: the
# connection is closed without an answer.
BAD = {
    "no request": (b"\r\n\r\n\0\0\0\r\n\r\n", WAITS),
    "half a line": (b"GET\r\n\r\n", {400, None}),
    "another protocol": (b"GET / HTTP/9.9\r\n\r\n", {400, 505, None}),
    "no host": (b"GET /v1/health HTTP/1.1\r\n\r\n", {200, 400}),
    "dots": (b"GET /v1/sandboxes/../../../etc/passwd HTTP/1.1\r\n" + HOST + b"\r\n", {404}),
    "escaped dots": (b"GET /v1/sandboxes/%2e%2e/%2e%2e/health HTTP/1.1\r\n" + HOST + b"\r\n", {400, 404}),
    "escaped NUL": (b"GET /v1/sandboxes/x%00y HTTP/1.1\r\n" + HOST + b"\r\n", {400, 404}),
    "a NUL": (b"GET /v1/sandboxes/x\0y HTTP/1.1\r\n" + HOST + b"\r\n", {400, 404, None}),
    "a path of a megabyte": (b"GET /" + b"a" * (1 << 20) + b" HTTP/1.1\r\n" + HOST + b"\r\n",
                             {413, 414, 431, None}),
    "a megabyte of headers": (b"GET /v1/health HTTP/1.1\r\n" + HOST + b"A: b\r\n" * 200000 + b"\r\n",
                              {413, 431, None}),
    "a negative length": (POST + b"Content-Length: -1\r\n\r\n", {400, None}),
    "a length beyond numbers": (POST + b"Content-Length: 99999999999999999999\r\n\r\n", {400, 413, None}),
    "a chunk that is none": (POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", {400, 413, None}),
    "a chunk beyond numbers": (POST + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
                               {400, 413, None}),
    "a body that never comes": (POST + b"Content-Length: 1000\r\n\r\n{", WAITS),
}


def connect(path) -> socket.socket:
    peer = socket.socket(socket.AF_UNIX)
    peer.settimeout(PATIENCE)
    peer.connect(str(path))
    return peer


def send(peer: socket.socket, text: bytes) -> None:
    try:
        peer.sendall(text)
    except (BrokenPipeError, ConnectionResetError):
        pass  # it was refused before its end


def is_waiting(peer: socket.socket, path) -> bool:
    """No answer has come, and what others asked later has been answered."""
    for _ in range(2):  # the second is taken up after all that was there with the first
        sandboxes(path)
    poller = select.poll()
    poller.register(peer, select.POLLIN)
    return not poller.poll(0)


def answer(peer: socket.socket) -> int | None:
    """The status; None: the connection was closed without one."""
    data = b""
    try:
        while b"\r\n" not in data:
            piece = peer.recv(4096)
            if not piece:
                return None
            data += piece
    except ConnectionResetError:
        return None
    return int(data.split()[1])


@pytest.fixture
def path(laboratory):
    return next((laboratory.runtime / "cellpod").glob("sandboxd*.sock"))


def assert_unharmed(local, path) -> None:
    client = local.clients[0]
    assert client.run("print(kept)").stdout == "1\n"
    assert psutil.pid_exists(local.cast.daemon)
    assert [s["worker"]["pid"] for s in sandboxes(path)] == [local.cast.worker]


def test_bad_requests_one_after_the_other(local, path):
    for name, (text, statuses) in BAD.items():
        with connect(path) as peer:
            send(peer, text)
            if statuses == WAITS:
                assert is_waiting(peer, path), name
                continue
            got = answer(peer)
        assert got in statuses, f"{name}: {got}"
    assert_unharmed(local, path)


def test_hundreds_that_say_half_a_request_and_wait(local, path):
    """Each costs a descriptor, and is forgotten when it leaves."""
    processes.need_to_look_into(local.cast.daemon)
    folder = f"/proc/{local.cast.daemon}/fd"
    before = len(os.listdir(folder))
    peers = [connect(path) for _ in range(300)]
    for peer in peers:
        peer.sendall(POST[:20])
    assert_unharmed(local, path)
    for peer in peers:
        peer.close()
    assert_unharmed(local, path)
    for _ in range(100):  # requests: after each it has seen more of them leave
        if len(os.listdir(folder)) <= before + 5:
            break
        sandboxes(path)
    assert len(os.listdir(folder)) <= before + 5


def test_bad_requests_while_a_cell_counts(local, path):
    client = local.clients[0]
    cell = client.send_execute("for i in range(100): print(i, end=' '); time.sleep(0.005)")
    for text, _ in BAD.values():
        with connect(path) as peer:
            send(peer, text)
    done = client.finish(cell)
    assert done.stdout == "".join(f"{i} " for i in range(100))
