#!/usr/bin/python3
"""A stand-in for the zygote, its inits and their workers, without walls and without IPython.

It speaks their three sockets exactly (docs/sandbox-protocol.md, sections 2 to 4), and, when a
claim's `env` says so, does what the real ones never would. As a template it is named by the way
it fails: a link called `exits` ends before it is ready.
"""

from __future__ import annotations

import io
import json
import os
import signal
import socket
import sys
import threading
import time

PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    import ctypes

    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def tell(channel: socket.socket, message: dict, fds: list[int] | None = None) -> None:
    socket.send_fds(channel, [json.dumps(message).encode()], fds or [])


# --- the worker -----------------------------------------------------------------------------
class Input(io.RawIOBase):
    """Keeps what it is lent open, and leaves it alone."""

    def __init__(self, channel: socket.socket):
        self.channel, self.lent = channel, []

    def readable(self) -> bool:
        return True

    def readinto(self, room) -> int:
        data, fds, _, _ = socket.recv_fds(self.channel, len(room), 8)
        self.lent += fds
        room[:len(data)] = data
        return len(data)


class Worker:
    def __init__(self, channel: socket.socket, fault: str):
        self.channel = channel
        newline, fds, _, _ = socket.recv_fds(channel, 1, 5)
        assert newline == b"\n" and len(fds) == 5  # memory and pipes, which it leaves alone
        self.input = io.BufferedReader(Input(channel))
        self.fault = fault

    def say(self, kind: str, content: dict | bytes, parent: str = "") -> None:
        text = content if isinstance(content, bytes) else json.dumps(content).encode()
        line = {"type": kind, "bytes": len(text)} | ({"parent": parent} if parent else {})
        self.channel.sendall(json.dumps(line).encode() + b"\n" + text + b"\n")

    def hear(self) -> tuple[dict, dict]:
        line = json.loads(self.input.readline() or os._exit(0))
        content = self.input.read(line.get("bytes", 0))
        self.input.read(line.get("metadata", 0) + sum(line.get("buffers", [])) + 1)
        return line, json.loads(content or b"{}")

    def run(self) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if self.fault == "worker-exits":
            os._exit(3)
        self.say("hello", {"python": "0", "packages": {}})
        if self.fault == "worker-leaves":
            self.hear()  # it is ready
            os._exit(3)
        while True:
            line, content = self.hear()
            if line["type"] != "beside":  # it has no subshells
                self.execute(line["id"], content.get("code", ""))

    def execute(self, request: str, code: str) -> None:
        command, _, argument = code.partition(" ")
        getattr(self, "do_" + command)(request, argument)
        self.say("execute_reply", {"status": "ok"}, request)

    def do_echo(self, request: str, argument: str) -> None:
        self.say("stream", {"name": "stdout", "text": argument}, request)

    def do_print(self, request: str, argument: str) -> None:
        """So many MiB of text."""
        for _ in range(int(argument)):
            self.say("stream", b'{"name":"stdout","text":"%s"}' % (b"x" * (1 << 20)), request)

    def do_raw(self, request: str, argument: str) -> None:
        self.channel.sendall(argument.encode().decode("unicode_escape").encode("latin-1"))
        signal.pause()

    def do_exit(self, request: str, argument: str) -> None:
        os._exit(int(argument))

    def do_sleep(self, request: str, argument: str) -> None:
        """Until a SIGINT, or for ever."""
        heard = threading.Event()
        signal.signal(signal.SIGINT, lambda *_: heard.set())
        self.do_echo(request, "sleeping")
        while not heard.is_set():
            time.sleep(0.01)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.say("interrupted", {}, request)

    def do_deaf(self, request: str, argument: str) -> None:
        self.do_echo(request, "deaf")
        while True:
            signal.pause()

    def do_input(self, request: str, argument: str) -> None:
        self.say("input_request", {"prompt": "?", "password": False}, request)
        _, content = self.hear()
        self.do_echo(request, content["value"])

    def do_kill_init(self, request: str, argument: str) -> None:
        os.kill(os.getppid(), signal.SIGKILL)
        signal.pause()


# --- init -----------------------------------------------------------------------------------
def run_init(peer: socket.socket, fault: str) -> None:
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if fault == "init-fails":
        tell(peer, {"type": "failed", "layer": "files", "step": "mount /proc", "errno": 1,
                    "message": "no mounts here", "remedy": "get some"})
        os._exit(1)
    if fault == "init-dies":
        os._exit(1)
    if fault == "init-babbles":
        tell(peer, {"type": "hello there"})
        signal.pause()
    if fault == "init-too-many-fds":
        tell(peer, {"type": "ready"}, [0] * 20)
        signal.pause()
    tell(peer, {"type": "ready"})
    while True:
        text, fds, _, _ = socket.recv_fds(peer, 65536, 4)
        if not text:
            os._exit(0)
        serve_worker(peer, fds[0], fault)


def serve_worker(peer: socket.socket, channel: int, fault: str) -> None:
    pid = os.fork()
    if pid == 0:
        die_with_parent()
        os.setpgid(0, 0)
        peer.close()
        Worker(socket.socket(fileno=channel), fault).run()
    os.close(channel)
    pidfd = os.pidfd_open(pid)
    if fault == "init-gives-our-pidfd":
        # Who made the socket pair is its peer: an init could ask for its pidfd.
        pidfd = os.pidfd_open(int(os.environ["SANDBOXD_PID"]))
    tell(peer, {"type": "started", "pid": pid}, [pidfd])
    os.close(pidfd)
    _, status, used = os.wait4(pid, 0)
    if fault.startswith("init-succeeds"):
        lie_about_a_successor(peer, fault)
    if fault == "init-lies-about-status":
        status = 1 << 40
    tell(peer, {"type": "exited", "pid": pid, "status": status, "peak_kb": used.ru_maxrss})


def lie_about_a_successor(peer: socket.socket, fault: str) -> None:
    child = os.fork()
    if child == 0:
        die_with_parent()
        signal.pause()
    who = {"init-succeeds-by-sandboxd": int(os.environ["SANDBOXD_PID"]),
           "init-succeeds-by-itself": os.getpid()}.get(fault, child)
    fds = [] if fault == "init-succeeds-without-fd" else [os.pidfd_open(who)]
    tell(peer, {"type": "succeeded", "pid": child}, fds)
    signal.pause()


# --- the zygote -----------------------------------------------------------------------------
def spawn(channel: socket.socket, request: dict, fds: list[int]) -> None:
    fault = request["spec"]["env"].get("STANDIN", "")
    if fault == "spawn-fails":
        tell(channel, {"type": "failed", "id": request["id"], "code": "no-fork",
                       "message": "out of processes", "remedy": "end some"})
        return
    if fault == "zygote-dies":
        os._exit(1)
    pid = os.fork()
    if pid == 0:
        os.environ.update(request["spec"]["env"])
        channel.close()
        run_init(socket.socket(fileno=os.dup(fds[0])), fault)
    pidfd = os.pidfd_open(pid)
    if fault == "zygote-tells-late":
        time.sleep(0.5)
    tell(channel, {"type": "spawned", "id": request["id"], "pid": pid}, [pidfd])
    os.close(pidfd)


def main() -> None:
    fault = os.path.basename(sys.argv[0])
    channel = socket.socket(fileno=3)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    if fault == "exits":
        sys.exit("no reason given")
    if fault == "fails":
        tell(channel, {"type": "failed", "code": "no-ipython", "message": "no IPython here",
                       "remedy": "pip install ipython"})
        sys.exit(1)
    tell(channel, {"type": "ready", "python": "0", "packages": {}, "prefixes": [], "warm_ms": 0})
    while True:
        text, fds, _, _ = socket.recv_fds(channel, 1 << 20, 4)
        if not text:
            return
        spawn(channel, json.loads(text), fds)
        for fd in fds:
            os.close(fd)


if __name__ == "__main__":
    main()
